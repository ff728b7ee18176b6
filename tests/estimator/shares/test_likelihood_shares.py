"""Shares of maximum likelihood of whole reports: against optimisers, enumerated information, and one-question forms."""

from decimal import Decimal
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq, minimize
from scipy.special import xlogy

from archiving import Heap
from published import survey_of
from sotto_client.cli import main
from sotto_collector.archive.export import export
from sotto_estimator import DomainError, SourceError, estimate
from sotto_estimator.channel.channel import shares_of
from sotto_estimator.inference.registry import channel_of, find
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.likelihood.em import fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.shares import whole_reports
from sotto_estimator.shares.likelihood_shares import shares_of_reports
from sotto_estimator.shares.whole_reports import Answers
from sotto_estimator.sources.records import save_records
from sotto_protocol import Coins, Survey, Tally, compile_survey, hmac_bytes
from sotto_protocol.mechanisms.padded_subset import PaddedSubset
from sotto_protocol.record import WAVE

FALL = 3.841458820694124  # of chi-square with one degree of freedom, at .95
SETS = {"type": "one-of", "options": [*"abcdefghijklmn"], "mechanism": "subset", "weight": 2, "epsilon": Decimal(2)}
SKEWED = np.array([0.9, *[0.1 / 13] * 13])
SMALL = {"type": "one-of", "options": [*"abcd"], "mechanism": "subset", "weight": 2, "epsilon": Decimal(2)}
MEMBERS = {"type": "any-of", "options": [*"abcd"], "max_selected": 2, "mechanism": "subset", "epsilon": Decimal(3)}
BITS = MEMBERS | {"mechanism": "bit-flips"}
YES_NO = {"type": "yes-no", "epsilon": Decimal(1)}


def answers_to(spec: dict[str, Any]) -> Answers:
    [question] = survey_of(spec).questions
    of: Answers = find(question, "whole")(question)
    return of


def packed(sets: Any, n_bits: int) -> np.ndarray:
    bits = np.array([[place in chosen for place in range(n_bits)] for chosen in sets])
    return np.packbits(bits, axis=1, bitorder="little")


def every_report(spec: dict[str, Any]) -> np.ndarray:
    mechanism = answers_to(spec).question.mechanism
    if spec["type"] == "yes-no":
        return np.array([[0], [1]], np.uint8)
    if spec["mechanism"] == "bit-flips":
        return packed([np.flatnonzero(bits) for bits in product((0, 1), repeat=4)], 4)
    n = mechanism.n_members if isinstance(mechanism, PaddedSubset) else mechanism.n_values
    return packed(combinations(range(n), mechanism.weight), n)  # type: ignore[attr-defined]  # of both kinds of sets


def log_likelihood(ways: np.ndarray, likelihood: np.ndarray, counts: np.ndarray) -> float:
    return float(counts @ np.log(likelihood @ ways))


def most_likely(likelihood: np.ndarray, counts: np.ndarray, *fixed: Any) -> Any:
    """Return what a general optimiser finds, of shares that meet further equations."""
    n = likelihood.shape[1]
    rules = [{"type": "eq", "fun": lambda ways: ways.sum() - 1}, *({"type": "eq", "fun": one} for one in fixed)]
    return minimize(
        lambda ways: -log_likelihood(ways, likelihood, counts) / counts.sum(),
        np.full(n, 1 / n),
        method="SLSQP",
        bounds=[(1e-12, 1)] * n,
        constraints=rules,
        options={"ftol": 1e-15, "maxiter": 2000},
    )


@pytest.mark.parametrize("spec", [SETS, MEMBERS, BITS, YES_NO], ids=["one-of", "any-of", "bits", "yes-no"])
def test_likelihoods_are_those_of_the_mechanism_as_it_is_enumerated(spec: dict[str, Any]) -> None:
    """Of every report and way; the channel of each label follows from them."""
    of, reports = answers_to(spec), every_report(spec)
    likelihood = of.likelihood(reports)
    mechanism = of.question.mechanism
    probabilities = likelihood / likelihood.sum(axis=0)
    if spec is BITS:  # a factor of the report
        true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
        said = np.unpackbits(reports, axis=1, count=4, bitorder="little")
        chances = [
            [
                prod(
                    (true if has else other) if one else 1 - (true if has else other)
                    for one, has in zip(*both, strict=True)
                )
                for both in ((report, way) for way in of.members)
            ]
            for report in said
        ]
        probabilities = np.array(chances)
        ratios = likelihood / probabilities
        assert ratios == pytest.approx(np.repeat(ratios[:, :1], of.n_ways, axis=1))
    supports = mechanism.supports(reports) if spec is not YES_NO else reports.astype(bool)
    for label, has in enumerate(of.members.T):
        said_of_way = probabilities[supports[:, label]].sum(axis=0)
        assert said_of_way[has] == pytest.approx(mechanism.prob_support_if_true)
        assert said_of_way[~has] == pytest.approx(mechanism.prob_support_if_other)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", [SMALL, MEMBERS, BITS], ids=["one-of", "any-of", "bits"])
def test_shares_and_profiles_are_those_of_a_general_optimiser(spec: dict[str, Any]) -> None:
    of, reports = answers_to(spec), every_report(spec)
    likelihood = of.likelihood(reports).astype(np.float64)
    random = np.random.default_rng(8)
    ways = random.dirichlet(np.full(of.n_ways, 0.5))
    chances = likelihood / likelihood.sum(axis=0) @ ways if spec is not BITS else likelihood @ ways
    counts = random.multinomial(700, chances / chances.sum())
    kept = counts > 0
    likelihood, counts = likelihood[kept], counts[kept]
    rows = shares_of_reports(of, Mixture((likelihood,), counts), 0.05)
    best = most_likely(likelihood, counts)
    at_best = log_likelihood(best.x, likelihood, counts)
    for row, has in zip(rows, of.members.T, strict=True):
        assert row.share == pytest.approx(best.x @ has, abs=2e-4)
        assert row.low <= row.share <= row.high
        for end in (row.low, row.high):
            fallen = most_likely(likelihood, counts, lambda ways, has=has, end=end: ways @ has - end)
            fall = 2 * (at_best - log_likelihood(fallen.x, likelihood, counts))
            assert fall == pytest.approx(FALL, abs=0.01) or (end in (0, 1) and fall < FALL)


def test_of_yes_and_no_the_interval_is_the_likelihood_ratio_s_of_a_binomial() -> None:
    of = answers_to(YES_NO)
    mechanism = of.question.mechanism
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    counts = np.array([180, 120])
    [row] = shares_of_reports(of, Mixture((of.likelihood(every_report(YES_NO)),), counts), 0.05)

    def fall(share: float) -> float:
        said = other + (true - other) * share
        return float(2 * (xlogy(counts, counts / 300) - xlogy(counts, [1 - said, said])).sum()) - FALL

    share = (0.4 - other) / (true - other)
    assert row.share == pytest.approx(share, abs=1e-7)
    assert row.standard_error == pytest.approx(np.sqrt(0.4 * 0.6 / 300) / (true - other), rel=1e-6)
    assert (row.low, row.high) == pytest.approx((brentq(fall, 0, share), brentq(fall, share, 1)), abs=1e-4)


def test_the_variance_is_cramer_and_rao_s_where_counts_of_single_options_waste_a_tenth() -> None:
    """Of 90 % in one of 14 options, by 150 crowds of 60,000; the bound by all 91 reports (Rao 1945)."""
    of, reports = answers_to(SETS), every_report(SETS)
    likelihood = of.likelihood(reports)
    likelihood = likelihood / likelihood.sum(axis=0)
    chances = likelihood @ SKEWED
    slopes = likelihood @ np.vstack([np.eye(13), -np.ones(13)])  # of shares that add up to 1
    bound = np.diag(np.linalg.inv(slopes.T @ (slopes / chances[:, None]))) / 60_000
    mechanism, whole, single = of.question.mechanism, [], []
    for counts in np.random.default_rng(3).multinomial(60_000, chances, 150):
        whole.append(fit(Mixture((likelihood,), counts)).shares[:13])
        single.append(shares_of(counts @ mechanism.supports(reports), 60_000, channel_of(of.question))[:13])
    errors = [np.square(np.array(found) - SKEWED[:13]).mean(axis=0) for found in (whole, single)]
    assert np.mean(errors[0] / bound) == pytest.approx(1, abs=0.06)
    assert np.mean(errors[1] / bound) > 1.1


def crowd(n: int) -> tuple[Survey, np.ndarray]:
    """Return packed reports to three questions, one of which tells no more by whole reports."""
    survey = survey_of(SMALL, MEMBERS, MEMBERS | {"mechanism": "asked-option"})
    random, coins = np.random.default_rng(1), Coins(hmac_bytes(bytes(32), b"whole"))
    one = random.choice(4, n, p=[0.7, 0.2, 0.1, 0])
    several = np.eye(4, dtype=np.intp)[one]
    answers = [one, several, several]
    asked = zip(survey.questions, answers, strict=True)
    return survey, survey.layout.join([question.mechanism.perturb(given, coins) for question, given in asked], {})


def test_files_archives_and_reports_that_were_read_give_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    """Of an archive, file after file: no more than one is ever in memory."""
    survey, records = crowd(600)
    found = estimate((survey, records), likelihood=True)
    save_records(survey, records, tmp_path / "whole.records")
    export(Heap(survey, records), tmp_path / "archive", 3)
    sizes: list[int] = []
    added_up = whole_reports._added_up
    monkeypatch.setattr(
        whole_reports, "_added_up", lambda reports, counts: (sizes.append(len(reports)), added_up(reports, counts))[1]
    )
    rows = found.of_kind("likelihood")
    assert [row.question for row in rows] == ["q0"] * 4 + ["q1"] * 4
    assert {row.n_reports for row in rows} == {600}
    assert sum(row.share for row in rows[:4]) == pytest.approx(1)
    assert estimate(tmp_path / "whole.records", likelihood=True).of_kind("likelihood") == rows
    assert max(sizes) == 600
    sizes.clear()
    assert estimate(tmp_path / "archive", likelihood=True).of_kind("likelihood") == rows
    assert max(sizes) < 300


def test_all_together_is_wider_and_a_tally_has_no_whole_reports(tmp_path: Path) -> None:
    survey, records = crowd(600)
    alone, together = (
        estimate((survey, records), likelihood=True, options=IntervalOptions(simultaneous=of)).of_kind("likelihood")
        for of in (False, True)
    )
    assert all(wide.low <= row.low and row.high <= wide.high for row, wide in zip(alone, together, strict=True))
    assert together[0].high > alone[0].high
    tally = Tally.of(survey, records)
    with pytest.raises(SourceError, match="this is a tally, not packed reports"):
        estimate(tally, likelihood=True)
    (tmp_path / "tally.json").write_bytes(tally.to_json())
    done = CliRunner().invoke(main, ["estimate", str(tmp_path / "tally.json"), "--likelihood"])
    assert done.exit_code == 2
    assert "a tally has no whole reports" in done.output


def test_counts_that_contradict_the_design_and_other_questions_get_no_shares() -> None:
    survey = survey_of(SMALL)
    reports = packed([(0, 1)], 4).repeat(500, axis=0)
    found = estimate((survey, survey.layout.join([reports], {})), likelihood=True)
    assert found.void == {"q0"}
    assert {row.share for row in found.of_kind("likelihood")} == {None}
    assert "%" not in str(found.as_table()).split("by likelihood")[1].split("\n\n")[0]
    many = {"type": "any-of", "options": [f"o{place}" for place in range(40)], "mechanism": "bit-flips"}
    for spec, why in (
        (MEMBERS | {"mechanism": "asked-option"}, "whole reports tell no more"),
        (many | {"max_selected": 3, "epsilon": Decimal(4)}, "10,701 ways"),
    ):
        survey = survey_of(spec)
        mechanism = survey.questions[0].mechanism
        reports = mechanism.perturb(np.zeros((50, mechanism.n_values), np.intp), Coins(hmac_bytes(bytes(32), b"x")))
        with pytest.raises(DomainError, match=why):
            estimate((survey, survey.layout.join([reports], {})), likelihood=True)


def test_where_profiles_take_too_long_intervals_are_normal(monkeypatch: Any) -> None:
    monkeypatch.setattr("sotto_estimator.shares.likelihood_shares.MAX_PROFILE_WORK", 1)
    row = estimate(crowd(600), likelihood=True).of_kind("likelihood")[0]
    assert row.interval == "normal"
    assert (row.low, row.high) == pytest.approx(
        (row.share - FALL**0.5 * row.standard_error, min(1, row.share + FALL**0.5 * row.standard_error))
    )


def test_waves_that_one_device_may_have_answered_are_not_pooled() -> None:
    question = {"id": "q0", "text": "?", "mechanism": "basic-rappor", "epsilon_forever": Decimal(3)} | YES_NO
    survey = compile_survey({"id": "waves", "title": "W", "waves": 2, "questions": [question]})
    records = survey.layout.join([np.arange(100, dtype=np.uint8)[:, None] % 2], {WAVE: np.repeat([1, 2], 50)})
    with pytest.raises(SourceError, match="2 waves"):
        estimate((survey, records), likelihood=True)
    assert estimate((survey, records), likelihood=True, wave=1).of_kind("likelihood")[0].n_reports == 50
