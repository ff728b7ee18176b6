"""Shares of maximum likelihood from a tally alone, against EM and a general optimiser."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from sotto_estimator import DomainError, SourceError, likeliest_shares
from sotto_estimator.channel.channel import Channel
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.shares.maximum_likelihood import likeliest_of
from sotto_protocol import Coins, Tally, compile_toml

CHANNELS = [Channel(0.6, 0.1), Channel(0.5, 0.27), Channel(0.9, 0.02)]
RANDOM = np.random.default_rng(4)


def by_em(supports: np.ndarray, channel: Channel) -> np.ndarray:
    """EM of k-ary's mixture, until nothing changes (Dempster, Laird & Rubin 1977)."""
    k = len(supports)
    matrix = np.full((k, k), channel.prob_support_if_other) + channel.contrast * np.eye(k)
    shares = np.full(k, 1 / k)
    for _ in range(200_000):
        each = matrix * shares
        after = supports @ (each / each.sum(axis=1, keepdims=True)) / supports.sum()
        if np.abs(after - shares).max() < 1e-14:
            break
        shares = after
    return np.asarray(after)


def log_likelihood(shares: np.ndarray, supports: np.ndarray, others: np.ndarray, channel: Channel) -> float:
    reported = channel.prob_support_if_other + channel.contrast * shares
    return float(supports @ np.log(reported) + others @ np.log(1 - reported))


@pytest.mark.parametrize("supports", [[400, 300, 200, 100], [700, 250, 30, 20], [250, 250, 250, 250], [1, 0, 0, 0]])
def test_of_k_ary_they_are_where_em_ends(supports: list[int]) -> None:
    channel, counts = Channel(0.55, 0.15), np.array(supports, float)
    found = likeliest_of(counts, np.zeros(4), channel)
    assert found == pytest.approx(by_em(counts, channel), abs=1e-6)
    assert found.sum() == pytest.approx(1, abs=1e-12)


def optimised(start: np.ndarray, supports: np.ndarray, others: np.ndarray, channel: Channel) -> Any:
    return minimize(
        lambda shares: -log_likelihood(shares, supports, others, channel) / 1000,
        start,
        method="SLSQP",
        bounds=[(0, 1)] * len(start),
        constraints={"type": "eq", "fun": lambda shares: shares.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("has_others", [False, True])
def test_a_general_optimiser_finds_no_better_ones(channel: Channel, has_others: bool) -> None:
    for k in (2, 3, 7):
        supports = RANDOM.integers(0, 1000, k).astype(float)
        others = 1000 - supports if has_others else np.zeros(k)
        found = likeliest_of(supports, others, channel)
        assert (found >= 0).all()
        best = log_likelihood(found, supports, others, channel)
        for start in RANDOM.dirichlet(np.ones(k), 2):
            reached = optimised(start, supports, others, channel)
            assert -1000 * reached.fun <= best + 1e-6
            assert reached.x == pytest.approx(found, abs=1e-4)


SURVEY = """
id = "s"
title = "S"
[[questions]]
id = "paid"
type = "yes-no"
text = "?"
epsilon = 1
[[questions]]
id = "stay"
type = "one-of"
text = "?"
options = ["a", "b", "c"]
mechanism = "MECHANISM"
epsilon = 2
[[questions]]
id = "some"
type = "any-of"
text = "?"
options = ["a", "b"]
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "?"
minimum = 0
maximum = 9
epsilon = 1
"""


@pytest.mark.parametrize("mechanism", ["k-ary", "oue", "subset"])
def test_a_tally_gives_those_of_every_question_of_shares(mechanism: str) -> None:
    survey, n = compile_toml(SURVEY.replace("MECHANISM", mechanism)), 6000
    people = np.arange(n)
    some = np.stack([people % 2, people * 0 + 1], axis=1)
    answers = {"paid": people * 0, "stay": people % 2, "some": some, "hours": people % 10}
    tally = Tally.of(survey, survey.perturb(answers, Coins(np.random.default_rng(2).bytes)))
    for question, truth in (("paid", [0]), ("stay", [0.5, 0.5, 0]), ("some", [0.5, 1])):
        labels, shares = likeliest_shares(tally, question)
        assert labels == next(of.labels for of in survey.questions if of.id == question)
        assert ((shares >= 0) & (shares <= 1)).all()
        assert shares == pytest.approx(truth, abs=0.1)  # more than five standard errors
    shares, channel = likeliest_shares(tally, "stay")[1], channel_of(survey.questions[1])
    assert shares.sum() == pytest.approx(1)
    if mechanism == "k-ary":  # the likelihood whole, not each option's count by itself
        assert shares == pytest.approx(by_em(tally.support_counts["stay"], channel), abs=1e-6)
    with pytest.raises(DomainError, match="must be of shares"):
        likeliest_shares(tally, "hours")
    with pytest.raises(DomainError, match="must be one of paid, stay, some, hours"):
        likeliest_shares(tally, "rent")
    nobody = Tally.of(survey, survey.perturb({key: of[:0] for key, of in answers.items()}, Coins(bytes)))
    with pytest.raises(SourceError, match="no report answers paid"):
        likeliest_shares(nobody, "paid")
