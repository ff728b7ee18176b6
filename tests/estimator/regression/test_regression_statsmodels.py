"""The result in statsmodels' names, held against statsmodels where nothing is hidden, and against differences where."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.special import expit

from sotto_estimator import DomainError, IntervalOptions, Regression, SamplingColumns, SourceError, regress

FORCED = "forced(prob_forced_yes=.1, prob_forced_no=.15)"


def people(n: int, seed: int) -> pd.DataFrame:
    """Return people with a hidden answer, in clear in column `paid`, and behind noise in column `said`."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": draw.normal(size=n), "man": draw.integers(0, 2, n), "rate": 0.7 * draw.normal(size=n)})
    paid = draw.random(n) < expit(0.3 + 0.8 * frame["age"] - 0.5 * frame["man"] + frame["rate"])
    coin = draw.random(n)
    said = np.where(coin < 0.1, True, np.where(coin < 0.25, False, paid))
    kinds = np.where(draw.random(n) < 0.3, "c", np.where(paid, "a", "b"))
    return frame.assign(paid=np.where(paid, "yes", "no"), said=np.where(said, "yes", "no"), kind=kinds)


PEOPLE = people(900, 1)
MATRIX = np.column_stack([np.ones(len(PEOPLE)), PEOPLE["age"], PEOPLE["man"]])
IS_PAID = (PEOPLE["paid"] == "yes").to_numpy(float)


def test_coefficients_intervals_and_predictions_are_those_of_statsmodels() -> None:
    found, known = regress(PEOPLE, "paid ~ age + man", design="direct"), sm.Logit(IS_PAID, MATRIX).fit(disp=0)
    assert list(found.params.index) == ["Intercept", "age", "man"]
    np.testing.assert_allclose(found.params, known.params, rtol=1e-6)
    np.testing.assert_allclose(found.bse, known.bse, rtol=1e-6)
    np.testing.assert_allclose(found.pvalues, known.pvalues, rtol=1e-4)
    np.testing.assert_allclose(found.cov_params(), known.cov_params(), rtol=1e-6)
    for alpha in (0.05, 0.3):
        np.testing.assert_allclose(found.conf_int(alpha), known.conf_int(alpha), rtol=1e-5)
    assert found.conf_int().loc["age"].tolist() == pytest.approx([found["age"].low, found["age"].high])
    np.testing.assert_allclose(found.predict(PEOPLE), known.predict(MATRIX), rtol=1e-6)
    assert found.predict({"age": 1, "man": "0"}).tolist() == pytest.approx(known.predict([1, 1, 0]).tolist())


@pytest.mark.parametrize("at", ["overall", "mean"])
@pytest.mark.parametrize("dummy", [False, True])
def test_margins_are_those_of_statsmodels(at: str, dummy: bool) -> None:
    found = regress(PEOPLE, "paid ~ age + man", design="direct").get_margeff(at, dummy=dummy)  # type: ignore[arg-type]
    known = sm.Logit(IS_PAID, MATRIX).fit(disp=0).get_margeff(at=at, dummy=dummy).summary_frame()
    np.testing.assert_allclose(found, known, rtol=1e-4, atol=1e-12)


@pytest.mark.thorough
def test_margins_of_three_answers_are_those_of_statsmodels() -> None:
    found = regress(PEOPLE, "kind ~ age + man", design="direct(n_answers=3)", reports=["a", "b", "c"])
    margins = found.get_margeff()
    known = sm.MNLogit(PEOPLE["kind"].map({"a": 0, "b": 1, "c": 2}), MATRIX).fit(disp=0).get_margeff()
    order = {"a": 0, "b": 1, "c": 2}
    for (equation, column), row in margins.iterrows():  # of report i answer i, whatever their labels are
        place = list(dict.fromkeys(name for name, _ in margins.index)).index(equation)
        answer = [1, 2, 0][place]
        at = ["age", "man"].index(column)
        assert row["dy/dx"] == pytest.approx(known.margeff[at, answer], rel=1e-4), (order, equation)
        assert row["std err"] == pytest.approx(known.margeff_se[at, answer], rel=1e-4)
    assert found.predict(PEOPLE).sum(axis=1).to_numpy() == pytest.approx(1)


@pytest.mark.thorough
def test_an_offset_is_that_of_statsmodels_and_enters_predictions() -> None:
    found = regress(PEOPLE, "paid ~ age + man", design="direct", offset="rate", predict=[{}, {"age": 1, "man": 0}])
    model = sm.GLM(IS_PAID, MATRIX, family=sm.families.Binomial(), offset=PEOPLE["rate"].to_numpy())
    known = model.fit()
    np.testing.assert_allclose(found.params, known.params, rtol=1e-6)
    np.testing.assert_allclose(found.bse, known.bse, rtol=1e-5)
    np.testing.assert_allclose(found.predict(PEOPLE), known.predict(), rtol=1e-6)
    without = PEOPLE.drop(columns="rate")
    np.testing.assert_allclose(found.predict(without), known.predict(MATRIX, offset=np.zeros(len(PEOPLE))), rtol=1e-6)
    assert found.predictions[0].share == pytest.approx(float(known.predict().mean()), rel=1e-6)
    same = np.tile([1.0, 1.0, 0.0], (len(PEOPLE), 1))
    told = known.predict(same, offset=PEOPLE["rate"])
    assert found.predictions[2].share == pytest.approx(float(told.mean()), rel=1e-6)
    assert "rate is added to the log odds" in found.as_table()
    alone = regress(
        PEOPLE, "paid ~ age + man", design="direct", offset="rate", predict=[{"age": 1, "man": 0, "rate": 0.5}]
    )
    assert alone.predictions[0].share == pytest.approx(float(expit(known.params @ [1, 1, 0] + 0.5)), rel=1e-6)


def test_behind_noise_offset_and_margins_are_what_a_climb_and_differences_give() -> None:
    found = regress(PEOPLE, "said ~ age + man", design=FORCED, offset="rate")
    said, rate = (PEOPLE["said"] == "yes").to_numpy(), PEOPLE["rate"].to_numpy()

    def loss(beta: np.ndarray) -> float:
        yes = 0.1 + 0.75 * expit(MATRIX @ beta + rate)
        return -float(np.log(np.where(said, yes, 1 - yes)).sum())

    climbed = minimize(loss, np.zeros(3), tol=1e-10)
    np.testing.assert_allclose(found.params, climbed.x, atol=2e-4)

    def mean_slope(beta: np.ndarray) -> float:
        shares = expit(MATRIX @ beta + rate)
        return float((shares * (1 - shares)).mean() * beta[1])

    place, step = found.params.to_numpy(), 1e-5
    slopes = [(mean_slope(place + step * of) - mean_slope(place - step * of)) / (2 * step) for of in np.eye(3)]
    margin = found.get_margeff().loc["age"]
    assert margin["dy/dx"] == pytest.approx(mean_slope(place))
    assert margin["std err"] == pytest.approx(float(np.sqrt(slopes @ found.covariance @ slopes)), rel=1e-5)


def test_an_offset_goes_with_clusters_and_samples() -> None:
    frame = people(600, 2).assign(village=np.arange(600) % 12, w=1.0)
    whole = regress(frame, "said ~ age", design=FORCED, offset="rate", random_intercept="village")
    shifted = regress(
        frame.assign(rate=frame["rate"] + 2), "said ~ age", design=FORCED, offset="rate", random_intercept="village"
    )
    assert shifted["Intercept"].estimate == pytest.approx(whole["Intercept"].estimate - 2, abs=1e-4)
    drawn = regress(frame, "said ~ age", design=FORCED, offset="rate", sampling=SamplingColumns(weights="w"))
    simple = regress(frame, "said ~ age", design=FORCED, offset="rate")
    np.testing.assert_allclose(drawn.params, simple.params, atol=1e-6)
    assert drawn.conf_int().loc["age"].tolist() == pytest.approx([drawn["age"].low, drawn["age"].high])


def test_what_an_offset_or_a_prediction_cannot_be_is_refused_by_name() -> None:
    with pytest.raises(DomainError, match=r"offset \(rate\) needs a hidden yes-no answer"):
        regress(PEOPLE, "kind ~ age", design="direct(n_answers=3)", reports=["a", "b", "c"], offset="rate")
    with pytest.raises(DomainError, match="offset"):
        regress(PEOPLE, "man ~ hidden(said)", design=FORCED, offset="rate")
    with pytest.raises(SourceError, match=r"column rate, row 2: .* must be in"):
        regress(PEOPLE.assign(rate=1e6), "said ~ age", design=FORCED, offset="rate")
    found = regress(PEOPLE, "said ~ age", design=FORCED)
    with pytest.raises(DomainError, match=r"needs a column age; there are man"):
        found.predict({"man": 1})
    with pytest.raises(DomainError, match=r"age .* must be a number"):
        found.predict({"age": [1, "old"]})
    with pytest.raises(DomainError, match=r"at .* must be one of overall, mean"):
        found.get_margeff("median")  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="level"):
        found.conf_int(alpha=2)
    with pytest.raises(DomainError, match=r"method .'wilson'. is not an option of a regression"):
        regress(PEOPLE, "said ~ age", design=FORCED, options=IntervalOptions(method="wilson"))


def test_old_keywords_work_with_a_warning() -> None:
    frame = PEOPLE.assign(one=1)
    with pytest.warns(DeprecationWarning, match="regress: .* is now") as said:
        old: Regression = regress(frame, "said ~ age", design=FORCED, level=0.9, weights="one", strata="")  # type: ignore[call-arg]
    assert [str(one.message).partition(". ")[0] for one in said] == [
        "regress: level is now options=IntervalOptions(level=..)",
        "regress: weights is now sampling=SamplingColumns(weights=..)",
        "regress: strata is now sampling=SamplingColumns(strata=..)",
    ]
    assert old.level == 0.9
