"""Regression of samples that are not simple: points of repeated rows, errors of a loop over clusters."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy import stats
from test_regression import CROSSWISE, asked, matrix_of, of_three_kinds
from test_regression_outcome import channel_of, with_outcomes

from sotto_client.cli import main
from sotto_estimator.errors import DomainError, EstimatorError, SourceError
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.result import Regression

Floats = NDArray[np.float64]
TERMS = "age + region"
KINDS = "k-ary(n_answers=3, prob_truth=3/4)"
DRAWN = SamplingColumns(weights="w", strata="wave", clusters="school")


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return people with weights of 1 to 3, of 3 strata with 10 clusters each, whose names are those of the others."""
    random, n = np.random.default_rng(8), len(frame)
    return frame.assign(w=random.integers(1, 4, n), wave=random.choice(list("abc"), n), school=np.arange(n) % 10)


def sandwich(frame: pd.DataFrame, place: Floats, logs: Callable[[Floats], Floats]) -> Floats:
    """Return Binder's covariance, by differences of the rows' log-likelihoods and a loop over strata and clusters."""
    k, step = len(place), 1e-4
    weights = frame["w"].to_numpy(float)
    moved = [[step * (a * np.eye(k)[i] + b * np.eye(k)[j]) for a, b in ((1, 1), (1, -1))] for i, j in np.ndindex(k, k)]
    bends = [
        weights @ (logs(place + one) + logs(place - one) - logs(place + two) - logs(place - two)) / (4 * step**2)
        for one, two in moved
    ]
    scores = np.stack([(logs(place + step * of) - logs(place - step * of)) / (2 * step) for of in np.eye(k)], axis=1)
    middle = np.zeros((k, k))
    for _, stratum in frame.reset_index(drop=True).groupby("wave"):
        totals = [weights[of.index] @ scores[of.index] for _, of in stratum.groupby("school")]
        middle += len(totals) * np.cov(np.array(totals).T)
    bread = np.linalg.inv(np.reshape(bends, (k, k)))
    found: Floats = bread @ middle @ bread
    return found


def estimates_of(found: Regression) -> Floats:
    return np.array([of.estimate for of in found.coefficients])


def of_answers(frame: pd.DataFrame, channel: Floats) -> Callable[[Floats], Floats]:
    """Return the log-likelihoods of rows whose hidden answer has a column of the channel; the last has no equation."""
    matrix, n_free = matrix_of(frame), channel.shape[1] - 1

    def logs(place: Floats) -> Floats:
        odds = np.exp(np.column_stack([matrix @ place.reshape(n_free, -1).T, np.zeros(len(matrix))]))
        return np.log((channel * odds).sum(axis=1) / odds.sum(axis=1))

    return logs


def of_outcomes(frame: pd.DataFrame) -> Callable[[Floats], Floats]:
    """Return those of a normal outcome, `hours`, that a hidden answer explains."""
    matrix, channel, hours = matrix_of(frame), channel_of(frame, CROSSWISE), frame["hours"].to_numpy(float)

    def logs(place: Floats) -> Floats:
        share = 1 / (1 + np.exp(-matrix @ place[:3]))
        centre = matrix @ place[3:6]
        of = [stats.norm.pdf(hours, centre + effect, np.exp(place[7])) for effect in (place[6], 0)]
        return np.log(channel[:, 0] * share * of[0] + channel[:, 1] * (1 - share) * of[1])

    return logs


def check(found: Regression, frame: pd.DataFrame, logs: Callable[[Floats], Floats]) -> None:
    expected = sandwich(frame, estimates_of(found), logs)
    root = np.sqrt(np.diag(expected))
    assert found.covariance / np.outer(root, root) == pytest.approx(expected / np.outer(root, root), abs=1e-4)
    assert found.degrees_of_freedom == 27


def test_errors_are_those_of_a_loop_over_the_clusters_of_each_stratum() -> None:
    frame = drawn(asked(CROSSWISE, 600))
    check(
        regress(frame, f"cheated ~ {TERMS}", design=CROSSWISE, sampling=DRAWN),
        frame,
        of_answers(frame, channel_of(frame, CROSSWISE)),
    )
    kinds = drawn(of_three_kinds(KINDS, 600, 3))
    channel = np.where(kinds["often"].to_numpy()[:, None] == np.array(["2", "3", "1"]), 3 / 4, 1 / 8)
    check(regress(kinds, f"often ~ {TERMS}", design=KINDS, sampling=DRAWN), kinds, of_answers(kinds, channel))
    hours = drawn(with_outcomes(CROSSWISE, 600, 9))
    check(
        regress(hours, f"hours ~ hidden(cheated) + {TERMS}", design=CROSSWISE, sampling=DRAWN),
        hours,
        of_outcomes(hours),
    )


def test_points_are_those_of_rows_repeated_and_equal_weights_change_none() -> None:
    for frame, formula in (
        (drawn(asked(CROSSWISE, 500)), f"cheated ~ {TERMS}"),
        (drawn(with_outcomes(CROSSWISE, 500, 9)), f"votes ~ hidden(cheated) + {TERMS}"),
    ):
        found = regress(frame, formula, design=CROSSWISE, sampling=SamplingColumns(weights="w"))
        repeated = regress(frame.loc[frame.index.repeat(frame["w"])], formula, design=CROSSWISE)
        assert estimates_of(found) == pytest.approx(estimates_of(repeated), abs=1e-8)
        plain = regress(frame, formula, design=CROSSWISE, predict=[{"age": 1}])
        equal = regress(
            frame.assign(w=2.5), formula, design=CROSSWISE, sampling=SamplingColumns(weights="w"), predict=[{"age": 1}]
        )
        assert estimates_of(equal) == pytest.approx(estimates_of(plain), abs=1e-8)
        assert [of.share for of in equal.predictions] == pytest.approx([of.share for of in plain.predictions])
        tenfold = regress(
            frame.assign(w=10.0 * frame["w"]), formula, design=CROSSWISE, sampling=SamplingColumns(weights="w")
        )
        assert tenfold.covariance == pytest.approx(found.covariance)


def test_of_answers_in_clear_it_is_statsmodels_clustered_regression_and_tests_are_of_t_and_f() -> None:
    frame = drawn(asked("direct", 500))
    found = regress(frame, f"cheated ~ {TERMS}", design="direct", sampling=SamplingColumns(clusters="school"))
    clustered = {"groups": frame["school"], "use_correction": False}
    model = sm.Logit((frame["cheated"] == "yes").astype(float), matrix_of(frame))
    plain = model.fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds=clustered)
    assert estimates_of(found) == pytest.approx(plain.params, abs=1e-8)
    assert found.covariance == pytest.approx(np.asarray(plain.cov_params()) * 10 / 9, rel=1e-6)
    age = found["age"]
    assert age.p_value == pytest.approx(2 * stats.t(9).sf(abs(age.z)))
    assert age.high - age.estimate == pytest.approx(stats.t(9).isf(0.025) * age.standard_error)
    assert {of.method for of in found.tests} == {"Wald"}
    whole = found.tests[0]
    wald = found.covariance[1:, 1:]
    assert whole.statistic == pytest.approx(estimates_of(found)[1:] @ np.linalg.inv(wald) @ estimates_of(found)[1:])
    assert whole.p_value == pytest.approx(stats.f(2, 8).sf(whole.statistic * 8 / (9 * 2)))
    assert found.tests[1].p_value == pytest.approx(age.p_value)
    assert np.isnan([found.quality.log_likelihood, found.quality.aic, found.quality.pseudo_r_squared]).all()
    few = regress(
        frame.assign(school=frame["school"] % 2),
        "cheated ~ age + region",
        design="direct",
        sampling=SamplingColumns(clusters="school"),
    )
    assert np.isnan(few.tests[0].statistic)
    assert few.degrees_of_freedom == 1


def test_what_is_no_weight_and_what_does_not_go_with_weights_is_refused(tmp_path: Path) -> None:
    frame = drawn(asked(CROSSWISE, 60)).astype({"w": str})
    for bad, message in {
        "0": "column w, row 4: '0' must be above 0",
        "-1": "column w, row 4: '-1' must be above 0",
        "nan": "the data frame, row 4: column w must have a value",
        "1e-13": "row 4: .* of the largest weight",
    }.items():
        frame.loc[2, "w"] = bad
        with pytest.raises(SourceError, match=message):
            regress(frame, "cheated ~ age", design=CROSSWISE, sampling=SamplingColumns(weights="w"))
    with pytest.raises(SourceError, match="row 2: '0' must be above 0"):
        regress(frame.assign(w=0), "cheated ~ age", design=CROSSWISE, sampling=SamplingColumns(weights="w"))
    with pytest.raises(SourceError, match="column w must have a value"):
        regress(frame.assign(w=None), "cheated ~ age", design=CROSSWISE, sampling=SamplingColumns(weights="w"))
    with pytest.raises(SourceError, match="stratum 'z' of wave: only one was drawn"):
        regress(
            frame.assign(wave=["z", *"a" * 59]),
            "cheated ~ age",
            design=CROSSWISE,
            sampling=SamplingColumns(strata="wave"),
        )
    with pytest.raises(DomainError, match="does not go with weights, strata and clusters"):
        regress(
            frame, "cheated ~ age", design=CROSSWISE, sampling=SamplingColumns(strata="wave"), random_intercept="school"
        )
    with pytest.raises(EstimatorError, match="has no column 'heavy'; it has"):
        regress(frame, "cheated ~ age", design=CROSSWISE, sampling=SamplingColumns(weights="heavy"))


def test_the_command_says_that_it_is_pseudo_likelihood_and_shows_no_likelihood(tmp_path: Path) -> None:
    drawn(asked(CROSSWISE, 300)).to_csv(tmp_path / "data.csv", index=False)
    words = ["regress", str(tmp_path / "data.csv"), "cheated ~ age", "--design", CROSSWISE]
    words += ["--weights", "w", "--strata", "wave", "--clusters", "school"]
    table = CliRunner().invoke(main, words).stdout
    assert "pseudo maximum likelihood, converged" in table
    assert "people were drawn with weights by w, strata by wave, clusters by school" in table
    assert not any(of in table for of in ("AIC", "log-likelihood", "likelihood ratio", "lack of fit", "nan"))
    shown = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    assert shown["quality"]["log_likelihood"] is None
    assert shown["degrees_of_freedom"] == 27
    assert "nan" not in CliRunner().invoke(main, [*words, "--csv"]).stdout
