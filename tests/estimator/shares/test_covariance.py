"""Covariances of a question's shares, held against the enumeration of every report there can be."""

import json
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import DomainError, SourceError, estimate, share_covariance
from sotto_estimator.channel.channel import Target, debias
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.covariance import covariance_of
from sotto_protocol import Coins, Survey, Tally, compile_toml

SHARES = np.array([0.5, 0.2, 0.15, 0.1, 0.05, 0.0])
K = len(SHARES)


def survey_of(mechanism: str) -> Survey:
    return compile_toml(f"""
id = "s"
title = "S"
waves = 2
[[questions]]
id = "q"
type = "one-of"
text = "?"
options = ["a", "b", "c", "d", "e", "f"]
{mechanism}
epsilon = 1.5
[[questions]]
id = "some"
type = "any-of"
mechanism = "bit-flips"
text = "?"
options = ["a", "b"]
epsilon = 1
""")


KINDS = {
    name: f'mechanism = "{name}"\n{more}'
    for name, more in {"k-ary": "", "subset": "weight = 3", "oue": "", "sue": ""}.items()
}


def reports_of(name: str, true: float, other: float) -> tuple[np.ndarray, np.ndarray]:
    """Return every report as a row of supports, and its probability by answer: from what the mechanisms promise."""
    if name in ("oue", "sue"):
        supports = np.array(list(product([0, 1], repeat=K)))
        of_bits = [np.where(np.eye(K)[a] == 1, true, other) for a in range(K)]
        return supports, np.array([np.where(supports, of, 1 - of).prod(axis=1) for of in of_bits]).T
    weight = 3 if name == "subset" else 1
    supports = np.array([np.isin(np.arange(K), chosen).astype(int) for chosen in combinations(range(K), weight)])
    n_with = supports[:, 0].sum()
    return supports, np.where(supports, true / n_with, (1 - true) / (len(supports) - n_with))


@pytest.mark.parametrize("name", KINDS)
def test_they_are_those_of_all_reports_there_can_be(name: str) -> None:
    mechanism = survey_of(KINDS[name]).questions[0].mechanism
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other  # type: ignore[attr-defined]
    supports, by_answer = reports_of(name, true, other)
    assert by_answer.sum(axis=0) == pytest.approx(1)
    given = [np.cov(supports.T, aweights=by_answer[:, a], ddof=0) for a in range(K)]
    scale = (true - other) ** 2 * 200
    respondents = sum(share * of for share, of in zip(SHARES, given, strict=True)) / scale
    population = np.cov(supports.T, aweights=by_answer @ SHARES, ddof=0) / scale
    assert covariance_of(mechanism, SHARES, 200, "respondents") == pytest.approx(respondents, abs=1e-12)  # type: ignore[arg-type]
    assert covariance_of(mechanism, SHARES, 200, "population") == pytest.approx(population, abs=1e-12)  # type: ignore[arg-type]
    assert abs(population - respondents).max() > 1e-4


def tally_of(kind: str, n: int = 20_000, wave: int = 1) -> Tally:
    survey = survey_of(kind)
    answers = {"q": np.arange(n) % K, "some": np.ones((n, 2), int)}
    return Tally.of(survey, survey.perturb(answers, Coins(np.random.default_rng(wave).bytes), wave))


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_the_diagonal_has_the_squares_of_the_standard_errors(target: Target) -> None:
    tally = tally_of(KINDS["k-ary"])
    labels, matrix = share_covariance(tally, "q", target=target)
    rows = estimate(tally, options=IntervalOptions(target=target))["q"]
    assert labels == tuple(row.answer for row in rows)  # type: ignore[union-attr]
    assert np.sqrt(np.diag(matrix)) == pytest.approx([row.standard_error for row in rows], rel=1e-9)
    assert matrix.sum(axis=1) == pytest.approx(0, abs=1e-12)  # shares of k-ary add up to 1 whatever is reported


def test_of_bits_the_respondents_noise_is_drawn_bit_by_bit() -> None:
    """Of the shares of 500 samples of the same 40 people no covariance is further from 0 than 6 standard errors."""
    survey, n, n_runs = survey_of(KINDS["k-ary"]), 40, 500
    answers = {"q": np.zeros(n * n_runs, int), "some": np.tile([[1, 1], [0, 1]], (n * n_runs // 2, 1))}
    reports = survey.perturb(answers, Coins(np.random.default_rng(6).bytes))
    some = survey.questions[1]
    column = next(part for question, part in survey.layout.cut(reports) if question is some)
    counts = some.mechanism.supports(column).reshape(n_runs, n, 2).sum(axis=1)  # type: ignore[attr-defined]  # as k-ary and sets have
    shares = debias(counts, n, channel_of(some))
    tally = Tally.of(survey, reports[:n])
    labels, matrix = share_covariance(tally, "some", target="respondents")
    rows = estimate(tally, options=IntervalOptions(target="respondents"))["some"]
    assert [row.share for row in rows] == pytest.approx(shares[0])  # type: ignore[union-attr]  # no share of these is void
    assert labels == ("a", "b")
    assert matrix == pytest.approx(np.diag([row.standard_error**2 for row in rows]), rel=1e-9)
    assert abs(np.cov(shares.T)[0, 1]) < 6 * matrix[0, 0] / np.sqrt(len(shares))
    with pytest.raises(DomainError, match="About the respondents, any-of by bit-flips has"):
        share_covariance(tally, "some")


def test_the_command_has_them_in_its_json(tmp_path: Path) -> None:
    tally = tally_of(KINDS["k-ary"], 500)
    (tmp_path / "t.json").write_bytes(tally.to_json())
    words = ["estimate", str(tmp_path / "t.json"), "--covariances", "--json", "--target", "respondents"]
    members = json.loads(CliRunner().invoke(main, words).stdout)["covariances"]
    assert [of["question"] for of in members] == ["q", "some"]
    for of in members:
        labels, matrix = share_covariance(tally, of["question"], target="respondents")
        assert (tuple(of["answers"]), of["matrix"]) == (labels, matrix.tolist())
    of_population = CliRunner().invoke(main, words[:4]).stdout
    assert [of["question"] for of in json.loads(of_population)["covariances"]] == ["q"]
    refused = CliRunner().invoke(main, words[:3])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--covariances goes with --json" in refused.stderr


def test_what_a_tally_does_not_tell_is_said() -> None:
    tally = tally_of(KINDS["k-ary"], 20)
    with pytest.raises(DomainError, match=re.escape("question ('rent') must be one of q, some.")):
        share_covariance(tally, "rent")
    with pytest.raises(DomainError, match="does not show how answers go together"):
        share_covariance(tally, "some")
    with pytest.raises(DomainError, match="target"):
        share_covariance(tally, "q", target="all")  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="the tally pools 2 waves; covariances are of one"):
        share_covariance(tally + tally_of(KINDS["k-ary"], 20, 2), "q")
