"""A hidden answer that explains an outcome in clear, and intercepts that differ by cluster: against naive integrals."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit
from test_regression import CROSSWISE, FORCED, asked, check_derivatives, matrix_of, sample_of_reports

from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.regression.cluster_model import Clustered
from sotto_estimator.regression.clusters import Clusters
from sotto_estimator.regression.hidden_answer import HiddenAnswer
from sotto_estimator.regression.hidden_predictor import HiddenPredictor
from sotto_estimator.regression.mixture import Rows
from sotto_estimator.regression.outcome import LogisticOutcome, NormalOutcome
from sotto_estimator.regression.outcome_model import OutcomeSample
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.result import Regression

Floats = NDArray[np.float64]


def with_outcomes(text: str, n: int, seed: int) -> pd.DataFrame:
    """Return people whose log odds of voting, and whose hours, are higher by 1.5 and 3 if they cheated."""
    frame, random = asked(text, n, seed), np.random.default_rng(seed)
    logit = -0.5 + 0.4 * frame["age"] + 1.5 * frame["answer"]
    frame["votes"] = np.where(random.random(n) < 1 / (1 + np.exp(-logit)), "yes", "no")
    frame["hours"] = 10 + 2 * frame["age"] + 3 * frame["answer"] + 4 * random.normal(size=n)
    return frame


def channel_of(frame: pd.DataFrame, text: str) -> Floats:
    design = read_design(text)
    found: Floats = design.matrix[[design.reports.index(report) for report in frame["cheated"]]]
    return found


def naive(frame: pd.DataFrame, text: str, is_normal: bool) -> Floats:
    """Return the joint fit by scipy: 3 coefficients of the answer, 3 and the effect of the outcome, log of sigma."""
    matrix, channel = matrix_of(frame), channel_of(frame, text)
    values = (frame["hours"] if is_normal else frame["votes"] == "yes").to_numpy(float)

    def minus(place: Floats) -> float:
        share = 1 / (1 + np.exp(-matrix @ place[:3]))
        total = np.zeros(len(values))
        for answer, of in enumerate((share, 1 - share)):
            centre = matrix @ place[3:6] + place[6] * (answer == 0)
            if is_normal:
                likely = np.exp(-0.5 * ((values - centre) / np.exp(place[7])) ** 2 - place[7]) / np.sqrt(2 * np.pi)
            else:
                likely = np.where(values == 1, 1, np.exp(-centre)) / (1 + np.exp(-centre))
            total += channel[:, answer] * of * likely
        return -float(np.log(total).sum())

    start = np.array([0.0, 0, 0, 10, 0, 0, 1, 1.5]) if is_normal else np.zeros(7)
    for _ in range(3):
        start = minimize(minus, start, method="BFGS", options={"gtol": 1e-7}).x
    return start


@pytest.mark.parametrize("outcome", ["votes", "hours"])
def test_the_joint_fit_is_that_of_a_naive_climb(outcome: str) -> None:
    frame = with_outcomes(FORCED, 700, 11)
    found = regress(frame, f"{outcome} ~ hidden(cheated) + age + region", design=FORCED)
    expected = naive(frame, FORCED, outcome == "hours")
    assert [of.estimate for of in found.coefficients] == pytest.approx(expected, abs=1e-4)
    assert found[f"{outcome}: age"].equation == outcome
    assert found.model.startswith("normal" if outcome == "hours" else "logistic")


@pytest.mark.parametrize("outcome", ["votes", pytest.param("hours", marks=pytest.mark.thorough)])
def test_the_profile_of_a_hidden_effect_ends_where_the_joint_likelihood_has_fallen(outcome: str) -> None:
    """By scipy from several places, as there may be more than one maximum; log(sigma) has an interval and no test."""
    frame, is_normal = with_outcomes(FORCED, 150, 11), outcome == "hours"
    found = regress(frame, f"{outcome} ~ hidden(cheated)", design=FORCED, intervals="profile")
    channel = channel_of(frame, FORCED)
    values = (frame["hours"] if is_normal else frame["votes"] == "yes").to_numpy(float)

    def minus(place: Floats, effect: float) -> float:
        share, total = 1 / (1 + np.exp(-place[0])), 0.0
        for answer, of in enumerate((share, 1 - share)):
            centre = place[1] + effect * (answer == 0)
            plain = stats.norm.pdf(values, centre, np.exp(place[2])) if is_normal else expit(centre * (2 * values - 1))
            total = total + channel[:, answer] * of * plain
        return -float(np.log(total).sum())

    def most(effect: float) -> float:
        starts = [[of, 10.0, 1.4] if is_normal else [of, 0.0] for of in (-2, 0, 2)]
        return -min(minimize(minus, of, effect, method="BFGS").fun for of in starts)

    of, top = found.coefficients[2], found.quality.log_likelihood
    for end in (of.low, of.high):
        assert top - most(end) == pytest.approx(stats.chi2.ppf(0.95, 1) / 2, abs=1e-5)
    assert of.z == pytest.approx(np.sign(of.estimate) * np.sqrt(2 * (top - most(0))), abs=1e-4)
    if is_normal:
        sigma = found.coefficients[-1]
        assert sigma.low < sigma.estimate < sigma.high
        assert np.isnan(sigma.z)


def test_of_answers_in_clear_it_is_two_plain_regressions() -> None:
    frame = with_outcomes("direct", 600, 12)
    found = regress(frame, "votes ~ hidden(cheated) + age", design="direct")
    matrix = np.column_stack([np.ones(600), frame["age"], frame["cheated"] == "yes"]).astype(float)
    plain = sm.Logit((frame["votes"] == "yes").astype(float), matrix).fit(disp=0, tol=1e-12)
    assert [of.estimate for of in found.coefficients[2:]] == pytest.approx(plain.params, abs=1e-8)
    assert [of.standard_error for of in found.coefficients[2:]] == pytest.approx(plain.bse, abs=1e-8)


def errors_of(found: Regression, truth: dict[str, float]) -> list[float]:
    return [(found[name].estimate - true) / found[name].standard_error for name, true in truth.items()]


@pytest.mark.thorough
def test_the_effects_are_found_within_their_errors_and_a_slightly_wrong_one_is_not() -> None:
    """Of 4 coefficients none is more than 7 errors off: a false alarm in 1e-11; an effect of half the size is."""
    frame = with_outcomes(FORCED, 20_000, 13)
    votes = regress(frame, "votes ~ hidden(cheated) + age", design=FORCED)
    hours = regress(frame, "hours ~ hidden(cheated) + age", design=FORCED)
    for found, effect, slope in ((votes, 1.5, 0.4), (hours, 3, 2)):
        outcome = found.coefficients[-1].equation
        truth = {"hidden(cheated) = yes": effect, f"{outcome}: age": slope}
        assert np.abs(errors_of(found, truth)).max() < 7
        assert abs(errors_of(found, {"hidden(cheated) = yes": effect / 2})[0]) > 7


@pytest.mark.parametrize("n_starts", [5, pytest.param(200, marks=pytest.mark.rare)])
def test_every_start_leads_to_the_same_joint_fit(n_starts: int) -> None:
    frame = with_outcomes(FORCED, 500, 16)
    sample = sample_of_reports(FORCED, 500, 16)
    data = OutcomeSample.of_events(sample, (frame["votes"] == "yes").to_numpy(float))
    best = data.fit([0, 1], True)
    for start in np.random.default_rng(2).normal(scale=1.5, size=(n_starts, 6)):
        found = data.fit([0, 1], True, start)
        assert found.coefficients == pytest.approx(best.coefficients, abs=1e-6)


def test_the_outcomes_unit_changes_nothing_but_the_units() -> None:
    frame = with_outcomes(FORCED, 500, 14)
    small = regress(frame, "hours ~ hidden(cheated) + age", design=FORCED)
    frame["hours"] *= 1e6
    large = regress(frame, "hours ~ hidden(cheated) + age", design=FORCED)
    ratio = [of.estimate / other.estimate for of, other in zip(large.coefficients, small.coefficients, strict=True)]
    assert ratio[:5] == pytest.approx([1, 1, 1e6, 1e6, 1e6][:2] + [1e6] * 3)
    assert large.coefficients[-1].estimate == pytest.approx(small.coefficients[-1].estimate + np.log(1e6))
    assert large.quality.log_likelihood == pytest.approx(small.quality.log_likelihood - 500 * np.log(1e6))
    assert large.warnings == small.warnings == ()


@pytest.mark.parametrize("is_normal", [False, True])
def test_score_and_information_are_derivatives_of_three_answers_too(is_normal: bool) -> None:
    random = np.random.default_rng(5)
    matrix, ones = random.normal(size=(30, 2)), np.ones((30, 1))
    channel = np.log(random.dirichlet([1, 1, 1], 30))
    values = random.normal(size=30) if is_normal else random.integers(0, 2, 30).astype(float)
    outcome = NormalOutcome(values, 2.0) if is_normal else LogisticOutcome(values)
    blocks = [matrix] * 3 + [ones] * (2 + is_normal)
    rows = Rows(HiddenPredictor(channel, outcome), blocks, np.ones(30))
    check_derivatives(rows.at, random.normal(size=8 + is_normal) / 2)


@pytest.mark.parametrize("sd", [0.0, 0.7])
def test_score_and_information_are_derivatives_with_clusters(sd: float) -> None:
    random = np.random.default_rng(6)
    channel, starts = np.log(random.dirichlet([1, 1], 40)), np.array([0, 3, 20])
    matrix, weights = random.normal(size=(40, 2)), random.integers(1, 3, 40).astype(float)
    clusters = Clusters(HiddenAnswer(channel), matrix, weights, starts, 63)
    check_derivatives(clusters.at, np.array([0.3, -0.4, sd]))


def villages(sd: float, n: int = 20, size: int = 25) -> pd.DataFrame:
    """Return people of villages, whose log odds differ by village with this deviation."""
    random = np.random.default_rng(7)
    frame = pd.DataFrame({"village": np.repeat(np.arange(n), size), "age": random.normal(size=n * size).round(2)})
    logit = -0.3 + 0.7 * frame["age"] + np.repeat(random.normal(size=n) * sd, size)
    said = np.where(random.random(n * size) < 1 / (1 + np.exp(-logit)), 1 / 6, 5 / 6)
    frame["cheated"] = np.where(random.random(n * size) < said, "same", "different")
    return frame


def test_intercepts_by_cluster_are_those_of_a_naive_integral() -> None:
    frame = villages(1.2)
    found = regress(frame, "cheated ~ age", design=CROSSWISE, random_intercept="village")
    age, channel = frame["age"].to_numpy(), channel_of(frame, CROSSWISE)
    grid = np.linspace(-7, 7, 281)
    density = np.exp(-(grid**2) / 2) * (grid[1] - grid[0]) / np.sqrt(2 * np.pi)

    def minus(place: Floats) -> float:
        share = 1 / (1 + np.exp(-(place[0] + place[1] * age[:, None] + np.exp(place[2]) * grid)))
        logs = np.log(channel[:, :1] * share + channel[:, 1:] * (1 - share))
        return -float(np.log(np.exp(logs.reshape(20, 25, -1).sum(axis=1)) @ density).sum())

    expected = minimize(minus, np.zeros(3), method="BFGS", options={"gtol": 1e-6})
    assert [of.estimate for of in found.coefficients] == pytest.approx(expected.x, abs=1e-4)
    assert found.quality.log_likelihood == pytest.approx(-expected.fun, abs=1e-6)
    (differ,) = [of for of in found.tests if of.terms == "sd(village)"]
    plain = regress(frame, "cheated ~ age", design=CROSSWISE)
    assert differ.statistic == pytest.approx(2 * (found.quality.log_likelihood - plain.quality.log_likelihood))
    assert "20 clusters of village" in found.notes[0]


def large(n: int, size: int, sd: float, seed: int) -> pd.DataFrame:
    """Return people of a few large clusters, with one column of 0 and 1."""
    random = np.random.default_rng(seed)
    village, x = np.repeat(np.arange(n), size), random.integers(0, 2, n * size)
    share = 1 / (1 + np.exp(0.5 - 0.7 * x - sd * random.normal(size=n)[village]))
    same = random.random(n * size) < np.where(random.random(n * size) < share, 1 / 6, 5 / 6)
    return pd.DataFrame({"village": village, "x": x, "cheated": np.where(same, "same", "different")})


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "size", "sd"), [(40, 8, 1.0), (8, 300, 1.0), (6, 3000, 2.0)])
def test_clusters_of_any_size_are_integrated_exactly(n: int, size: int, sd: float) -> None:
    frame = large(n, size, sd, 4)
    found = regress(frame, "cheated ~ x", design=CROSSWISE, random_intercept="village")
    grouped = frame.assign(yes=frame["cheated"] == "same").groupby(["village", "x"])["yes"].agg(["sum", "size"])
    x, yes, all_of = (np.asarray(of)[:, None] for of in (grouped.index.get_level_values("x"), *grouped.T.to_numpy()))
    grid = np.linspace(-8, 8, 8001)

    def log_likelihood(place: Floats) -> float:
        share = 1 / (1 + np.exp(-(place[0] + place[1] * x + np.exp(place[2]) * grid)))
        same = 5 / 6 - 4 / 6 * share
        logs = yes * np.log(same) + (all_of - yes) * np.log(1 - same)
        joint = logs.reshape(n, 2, -1).sum(axis=1) - grid**2 / 2 - np.log(2 * np.pi) / 2
        most = joint.max(axis=1)
        return float((most + np.log(np.exp(joint - most[:, None]).sum(axis=1) * (grid[1] - grid[0]))).sum())

    place = np.array([of.estimate for of in found.coefficients])
    assert found.quality.converged
    assert found.quality.log_likelihood == pytest.approx(log_likelihood(place), abs=1e-6)
    best = minimize(lambda at: -log_likelihood(at), place, method="BFGS", options={"gtol": 1e-4})
    assert place == pytest.approx(best.x, abs=1e-3)
    bends = np.zeros((3, 3))
    for i, j, a, b in itertools.product(range(3), range(3), (-1, 1), (-1, 1)):
        bends[i, j] -= a * b * log_likelihood(place + 0.005 * (a * np.eye(3)[i] + b * np.eye(3)[j])) / (4 * 0.005**2)
    errors = np.sqrt(np.diag(np.linalg.inv(bends)))
    assert [of.standard_error for of in found.coefficients] == pytest.approx(errors, rel=1e-3)


@pytest.mark.thorough
def test_integrals_that_stay_inexact_are_said_not_to_have_converged() -> None:
    sample = sample_of_reports(CROSSWISE, 600, 4)
    clustered = Clustered.of(sample, np.digitize(sample.terms.matrix[:, 1], [-1, -0.3, 0.3, 1]).astype(np.int32))
    start = np.array([0.0, 0.5])
    assert clustered.fit([0], start).maximum.converged
    assert not replace(clustered, n_nodes=(2, 4)).fit([0], start).maximum.converged


def test_clusters_that_do_not_differ_leave_the_fit_as_it_is() -> None:
    frame = villages(0.0)
    found = regress(frame, "cheated ~ age", design=CROSSWISE, random_intercept="village")
    plain = regress(frame, "cheated ~ age", design=CROSSWISE)
    assert [of.estimate for of in found.coefficients] == pytest.approx([of.estimate for of in plain.coefficients])
    assert found.notes == ("the intercepts of village do not differ: their variance is estimated as 0",)


@pytest.mark.parametrize(("value", "kind"), [(1.0, "normal"), (1.0, "auto"), (2.5, "auto"), (0, "logistic")])
def test_an_outcome_that_is_the_same_in_every_row_is_refused(value: float, kind: str) -> None:
    frame = asked(CROSSWISE, 60)
    frame["votes"] = value
    with pytest.raises(SourceError, match=f"column votes is {value:g} in every row"):
        regress(frame, "votes ~ hidden(cheated) + age", design=CROSSWISE, outcome=kind)


def test_what_does_not_go_together_is_refused() -> None:
    frame = with_outcomes(FORCED, 60, 15)
    frame["one"] = "a"
    with pytest.raises(DomainError, match="not with hidden"):
        regress(frame, "votes ~ hidden(cheated)", design=FORCED, random_intercept="region")
    with pytest.raises(SourceError, match="two clusters"):
        regress(frame, "cheated ~ age", design=FORCED, random_intercept="one")
    with pytest.raises(SourceError, match=r"column region, row .* must be yes or no, 1 or 0 or a number"):
        regress(frame, "region ~ hidden(cheated)", design=FORCED)
    with pytest.raises(DomainError, match="must be one of auto, logistic, normal"):
        regress(frame, "votes ~ hidden(cheated)", design=FORCED, outcome="probit")
    with pytest.raises(DomainError, match="cannot explain itself"):
        regress(frame, "votes ~ hidden(cheated) + votes", design=FORCED)
