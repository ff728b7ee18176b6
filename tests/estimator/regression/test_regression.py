"""Regression of hidden answers: against naive likelihoods, statsmodels where nothing is hidden, and people made up."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.optimize import minimize

from sotto_estimator.designs.design import Design
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError, EstimatorError
from sotto_estimator.regression.formula import Terms
from sotto_estimator.regression.hidden_answer import HiddenAnswer
from sotto_estimator.regression.mixture import Rows
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.sample import Sample

Floats = NDArray[np.float64]
FORCED = "forced(prob_forced_yes=1/6, prob_forced_no=1/6)"
CROSSWISE = "crosswise(prob=1/6)"


def people(n: int, seed: int, slopes: tuple[float, ...] = (-1.0, 0.5, 0.8)) -> pd.DataFrame:
    """Return people whose log odds of yes are `slopes` @ (1, age, is_south)."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": random.normal(size=n).round(2), "region": random.choice(["north", "south"], n)})
    logit = slopes[0] + slopes[1] * frame["age"] + slopes[2] * (frame["region"] == "south")
    frame["answer"] = random.random(n) < 1 / (1 + np.exp(-logit))
    return frame


def reports_of(design: Design, answers: NDArray[np.int64], seed: int) -> list[str]:
    """Return what is reported by design of answers, which are columns of its matrix."""
    draws = np.random.default_rng(seed).random(len(answers))
    places = (draws[:, None] > design.matrix.T[answers].cumsum(axis=1)[:, :-1]).sum(axis=1)
    return [design.reports[place] for place in places]


def asked(text: str, n: int = 1500, seed: int = 1) -> pd.DataFrame:
    """Return people who reported by a yes-no design whether they cheated."""
    frame = people(n, seed)
    frame["cheated"] = reports_of(read_design(text), 1 - frame["answer"].to_numpy().astype(int), seed + 1)
    return frame


def matrix_of(frame: pd.DataFrame) -> Floats:
    return np.column_stack([np.ones(len(frame)), frame["age"], frame["region"] == "south"]).astype(float)


def naive(frame: pd.DataFrame, channel: Floats) -> tuple[Floats, float]:
    """Return the best of several climbs of the log-likelihood by scipy; channel[i] = P(report i | yes), P(.. | no)."""
    matrix = matrix_of(frame)

    def minus(coefficients: Floats) -> float:
        share = 1 / (1 + np.exp(-matrix @ coefficients))
        return -float(np.log(channel[:, 0] * share + channel[:, 1] * (1 - share)).sum())

    starts = np.random.default_rng(0).normal(size=(4, 3))
    found = [
        minimize(minus, start, method="Nelder-Mead", options=dict.fromkeys(["xatol", "fatol"], 1e-11))
        for start in starts
    ]
    best = min(found, key=lambda of: of.fun)
    return best.x, -best.fun


@pytest.mark.parametrize("text", [FORCED, CROSSWISE, "warner(prob=1/4)", "mangat(prob=3/4)"])
def test_coefficients_are_those_of_a_naive_climb(text: str) -> None:
    frame, design = asked(text), read_design(text)
    channel = design.matrix[[design.reports.index(report) for report in frame["cheated"]]]
    found = regress(frame, "cheated ~ age + region", design=text)
    expected, log_likelihood = naive(frame, channel)
    assert [of.estimate for of in found.coefficients] == pytest.approx(expected, abs=1e-6)
    assert found.quality.log_likelihood == pytest.approx(log_likelihood, abs=1e-8)
    assert [of.name for of in found.coefficients] == ["Intercept", "age", "region[T.south]"]
    assert found.warnings == ()


def test_of_answers_in_clear_it_is_plain_logistic_regression() -> None:
    frame = asked("direct")
    found = regress(frame, "cheated ~ age + region", design="direct")
    plain = sm.Logit((frame["cheated"] == "yes").astype(float), matrix_of(frame)).fit(disp=0, tol=1e-12)
    assert [of.estimate for of in found.coefficients] == pytest.approx(plain.params, abs=1e-8)
    assert [of.standard_error for of in found.coefficients] == pytest.approx(plain.bse, abs=1e-8)
    assert [of.p_value for of in found.coefficients] == pytest.approx(plain.pvalues, abs=1e-8)
    assert found.quality.log_likelihood == pytest.approx(plain.llf, abs=1e-8)
    assert found.quality.null_log_likelihood == pytest.approx(plain.llnull, abs=1e-6)
    whole = {of.method: of for of in found.tests if not of.terms}
    assert whole["likelihood ratio"].statistic == pytest.approx(plain.llr, abs=1e-6)
    assert whole["likelihood ratio"].p_value == pytest.approx(plain.llr_pvalue, rel=1e-6)


def of_three_kinds(text: str, n: int, seed: int) -> pd.DataFrame:
    """Return people who reported one of three answers: never, once, often."""
    frame, random, design = people(n, seed), np.random.default_rng(seed), read_design(text)
    logits = np.column_stack([np.zeros(n), -0.5 + 0.6 * frame["age"], -1 + 0.9 * (frame["region"] == "south")])
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    answers = (random.random(n)[:, None] > shares.cumsum(axis=1)[:, :-1]).sum(axis=1)
    frame["often"] = reports_of(design, answers, seed + 1)
    return frame


def test_of_several_answers_in_clear_it_is_plain_multinomial_regression() -> None:
    frame = of_three_kinds("direct(n_answers=3)", 800, 3)
    found = regress(frame, "often ~ age + region", design="direct(n_answers=3)")
    kinds = [read_design("direct(n_answers=3)").reports.index(report) for report in frame["often"]]
    plain = sm.MNLogit(kinds, matrix_of(frame)).fit(disp=0, tol=1e-12)
    assert [of.estimate for of in found.coefficients] == pytest.approx(plain.params.T.ravel(), abs=1e-8)
    assert [of.standard_error for of in found.coefficients] == pytest.approx(plain.bse.T.ravel(), abs=1e-8)


def test_of_several_hidden_answers_the_truth_is_found_within_its_errors() -> None:
    """Of 6 coefficients none is more than 7 errors off: a false alarm in 1e-11."""
    text = "k-ary(n_answers=3, prob_truth=3/4)"
    found = regress(of_three_kinds(text, 20_000, 5), "often ~ age + region", design=text)
    truth = [-0.5, 0.6, 0, -1, 0, 0.9]
    off = [(of.estimate - true) / of.standard_error for of, true in zip(found.coefficients, truth, strict=True)]
    assert np.abs(off).max() < 7
    assert max(of.standard_error for of in found.coefficients) < 0.08


def test_score_and_information_are_the_derivatives_of_the_log_likelihood() -> None:
    random = np.random.default_rng(4)
    matrix, channel = random.normal(size=(40, 2)), random.dirichlet([1, 1, 1], 40)
    rows = Rows(HiddenAnswer(np.log(channel)), [matrix, matrix], random.integers(1, 4, 40).astype(float))
    check_derivatives(rows.at, random.normal(size=4))


def check_derivatives(at: Callable[[Floats], object], place: Floats) -> None:
    local, steps = at(place), 1e-5 * np.eye(len(place))
    slopes = [(at(place + step).log_likelihood - at(place - step).log_likelihood) / 2e-5 for step in steps]
    bends = [(at(place - step).score - at(place + step).score) / 2e-5 for step in steps]
    assert local.score == pytest.approx(np.array(slopes), abs=1e-6)
    assert local.information == pytest.approx(np.array(bends), abs=1e-6)


def test_designs_that_differ_by_arm_and_by_record_are_pooled(tmp_path: Path) -> None:
    """A column gives each record's probability: the same as arms with designs of their own, and as a naive climb."""
    frame = people(1200, 7)
    frame["p"] = np.where(np.arange(1200) % 3, "1/6", "0.3")
    frame["sample"] = np.where(np.arange(1200) % 3, "a", "b")
    designs = {"a": read_design(CROSSWISE), "b": read_design("crosswise(prob=0.3)")}
    answers = 1 - frame["answer"].to_numpy().astype(int)
    both = {arm: reports_of(design, answers, 8) for arm, design in designs.items()}
    frame["cheated"] = [both[arm][row] for row, arm in enumerate(frame["sample"])]
    frame.to_csv(tmp_path / "data.csv", index=False)
    by_record = regress(tmp_path / "data.csv", "cheated ~ age + region", design="crosswise(prob=p)")
    arms = {"a": CROSSWISE, "b": "crosswise(prob=0.3)"}
    by_arm = regress(frame, "cheated ~ age + region", design=arms, arm="sample")
    rows = zip(frame["sample"], frame["cheated"], strict=True)
    channel = np.array([designs[arm].matrix[designs[arm].reports.index(report)] for arm, report in rows])
    expected, _ = naive(frame, channel)
    assert [of.estimate for of in by_arm.coefficients] == pytest.approx(expected, abs=1e-6)
    assert [of.estimate for of in by_record.coefficients] == pytest.approx(expected, abs=1e-6)
    assert by_arm.epsilon == read_design(CROSSWISE).epsilon


def sample_of_reports(text: str, n: int, seed: int) -> Sample:
    frame, design = asked(text, n, seed), read_design(text)
    channel = np.asfortranarray(design.matrix[[design.reports.index(report) for report in frame["cheated"]]])
    names = ("Intercept", "age", "region")
    slices = {name: slice(place, place + 1) for place, name in enumerate(names)}
    terms = Terms(matrix_of(frame), names, slices, lambda _: np.zeros(3))
    with np.errstate(divide="ignore"):
        log_channel = np.log(channel)
    return Sample(("yes", "no"), log_channel, np.ones(n), terms, np.arange(n))


def test_tests_of_terms_are_those_of_their_definitions() -> None:
    frame = asked(FORCED)
    found = regress(frame, "cheated ~ age + region", design=FORCED)
    without = regress(frame, "cheated ~ age", design=FORCED)
    tests = {(of.terms, of.method): of for of in found.tests}
    ratio = 2 * (found.quality.log_likelihood - without.quality.log_likelihood)
    assert tests["region", "likelihood ratio"].statistic == pytest.approx(ratio, abs=1e-8)
    wald = found["region[T.south]"]
    assert tests["region", "Wald"].statistic == pytest.approx(wald.z**2)
    assert tests["region", "Wald"].p_value == pytest.approx(wald.p_value)
    assert tests["", "Wald"].degrees_of_freedom == 2


def test_a_prediction_is_the_models_share_with_an_interval_from_its_log_odds() -> None:
    found = regress(asked(FORCED), "cheated ~ age + region", design=FORCED, predict=[{"age": 0, "region": "north"}])
    yes, no = found.predictions
    intercept = found["Intercept"]
    for share, of in zip(
        (yes.low, yes.share, yes.high), (intercept.low, intercept.estimate, intercept.high), strict=True
    ):
        assert share == pytest.approx(1 / (1 + np.exp(-of)))
    assert (no.low, no.share, no.high) == pytest.approx((1 - yes.high, 1 - yes.share, 1 - yes.low))


@pytest.mark.parametrize("cells", [{"region": "south"}, {"age": "1.5"}, {}])
def test_a_prediction_of_some_columns_is_the_mean_over_all_people(cells: dict[str, str]) -> None:
    """Person by person; its error by the derivatives of that mean, by differences, and the coefficients' covariance."""
    frame = asked(FORCED, 600)
    found = regress(frame, "cheated ~ age + region", design=FORCED, predict=[cells])
    age = np.full(len(frame), float(cells["age"])) if "age" in cells else frame["age"].to_numpy()
    region = pd.Series(cells.get("region", frame["region"]), frame.index)
    matrix = np.column_stack([np.ones(len(frame)), age, region == "south"])

    def mean(coefficients: Floats) -> float:
        return float((1 / (1 + np.exp(-matrix @ coefficients))).mean())

    at = np.array([of.estimate for of in found.coefficients])
    slopes = np.array([(mean(at + step) - mean(at - step)) / 2e-5 for step in 1e-5 * np.eye(3)])
    yes, no = found.predictions
    assert yes.cells.endswith("averaged")
    assert yes.share == pytest.approx(mean(at), rel=1e-9)
    assert yes.standard_error == pytest.approx(np.sqrt(slopes @ found.covariance @ slopes), rel=1e-5)
    assert (no.low, no.share, no.high) == pytest.approx((1 - yes.high, 1 - yes.share, 1 - yes.low))


def test_a_mean_far_out_is_finite() -> None:
    yes, no = regress(asked(FORCED, 300), "cheated ~ age + region", design=FORCED, predict=[{"age": 1e6}]).predictions
    assert 0 <= yes.low <= yes.share <= yes.high <= 1
    assert 0 <= no.low <= no.share <= no.high <= 1


@pytest.mark.parametrize("age", [-1e5, -40, 60, 1e5])
def test_a_prediction_far_out_has_an_interval_that_mirrors_the_other_answers(age: float) -> None:
    design = read_design(CROSSWISE)
    frame = people(400, 7)
    frame["cheated"] = reports_of(design, np.arange(400) % 2, 8)
    yes, no = regress(frame, "cheated ~ age", design=CROSSWISE, predict=[{"age": age}]).predictions
    assert all(
        np.isfinite([of.low, of.high, of.standard_error]).all() and of.low <= of.share <= of.high for of in (yes, no)
    )
    assert (no.low, no.high, no.share) == pytest.approx((1 - yes.high, 1 - yes.low, 1 - yes.share))
    assert no.standard_error == pytest.approx(yes.standard_error)


def test_a_prediction_from_what_is_separated_knows_nothing_and_others_are_as_without_it() -> None:
    frame = people(300, 9)
    frame["cheated"] = np.where(frame["answer"], "yes", "no")
    frame["east"] = (np.arange(300) % 10 == 0).astype(int)
    frame.loc[frame["east"] == 1, "cheated"] = "no"
    people_of = [{"age": 0.5, "east": east} for east in (1, 0)]
    found = regress(frame, "cheated ~ age + east", design="direct", predict=people_of).predictions
    (beyond, _) = regress(frame, "cheated ~ age", design="direct", predict=[{"age": 1e200}]).predictions
    for of in (*found[:2], beyond):
        assert (of.low, of.high, of.standard_error) == (0, 1, np.inf)
    without = regress(frame[frame["east"] == 0], "cheated ~ age", design="direct", predict=[{"age": 0.5}]).predictions
    for of, other in zip(found[2:], without, strict=True):
        assert (of.low, of.share, of.high) == pytest.approx((other.low, other.share, other.high), rel=1e-5)


def test_separation_is_named_with_its_column() -> None:
    frame = asked(FORCED)
    frame["region"] = frame["region"].where(np.arange(len(frame)) % 5 > 0, "east")
    few = np.where(np.arange(len(frame)) % 35 > 0, "no", "yes")  # of the east a seventh, where chance makes a sixth
    frame["cheated"] = frame["cheated"].where(frame["region"] != "east", few)
    found = regress(frame, "cheated ~ age + C(region, contr.treatment('north'))", design=FORCED)
    (warning,) = found.warnings
    assert "separation" in warning
    assert "east" in warning
    assert "age" not in warning.split("infinite")[1].split(";")[0]
    (east,) = [of for of in found.coefficients if "east" in of.name]
    assert east.standard_error == np.inf
    assert np.isfinite(found["age"].standard_error)


def test_no_signal_is_named() -> None:
    frame = people(400, 3)
    frame["cheated"] = np.where(np.arange(400) % 7, "no", "yes")  # fewer than a sixth
    assert "no signal" in regress(frame, "cheated ~ age", design=FORCED).warnings[0]
    weak = regress(asked("warner(prob=0.501)", 200), "cheated ~ age", design="warner(prob=0.501)")
    assert any("no signal" in warning or "separation" in warning for warning in weak.warnings)


@pytest.mark.parametrize(
    ("formula", "n_yes"), [("cheated ~ g", 251), ("cheated ~ g + age", 251), ("voted ~ g + hidden(cheated)", 255)]
)
def test_nearly_perfect_separation_is_not_called_no_signal(formula: str, n_yes: int) -> None:
    """The share of b is estimated as just above 0, so that there is a maximum, though a flat one."""
    frame = people(3000, 4)
    places = np.arange(3000) // 2
    frame["g"] = np.where(np.arange(3000) % 2, "a", "b")
    frame["cheated"] = np.where(places < np.where(frame["g"] == "a", 1200, n_yes), "yes", "no")  # of 1500; 250: share 0
    frame["voted"] = frame["age"] + frame["answer"]
    (warning,) = regress(frame, formula, design=FORCED).warnings
    assert warning.startswith("nearly separated")
    assert "g[T.b] of cheated = yes" in warning


@pytest.mark.rare
def test_an_effect_of_a_hidden_answer_that_noise_leaves_open_is_no_signal_whatever_else_explains() -> None:
    design = "warner(prob=0.52)"
    frame = asked(design, 1000)
    frame["rich"] = (np.random.default_rng(5).random(1000) < 1 / (1 + np.exp(-3 * frame["age"]))).astype(int)
    found = regress(frame, "rich ~ age + hidden(cheated)", design=design)
    assert found.tests[0].p_value < 1e-9
    (warning,) = found.warnings
    assert warning.startswith("no signal: there is too much noise")


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ("poly(age, 2)", ["Intercept", "poly(age, 2)[1]", "poly(age, 2)[2]"]),
        ("scale(age)", ["Intercept", "scale(age)"]),
        ("C(region, contr.sum)", ["Intercept", "C(region, contr.sum)[S.north]"]),
        ("age*region", ["Intercept", "age", "region[T.south]", "age:region[T.south]"]),
        ("np.minimum(age, 0) + I(age * np.pi)", ["Intercept", "np.minimum(age, 0)", "I(age * np.pi)"]),
    ],
)
def test_formulas_take_functions_contrasts_and_interactions(terms: str, names: list[str]) -> None:
    cells = {name: value for name, value in {"age": 1, "region": "south"}.items() if name in terms}
    found = regress(asked(FORCED, 400), f"cheated ~ {terms}", design=FORCED, predict=[cells])
    assert [of.name for of in found.coefficients] == names
    assert 0 < found.predictions[0].share < 1


def test_a_transform_of_a_prediction_is_that_of_the_data() -> None:
    """scale(age) of one person would be 0 by itself."""
    frame = asked(FORCED, 400)
    plain, scaled = (
        regress(frame, f"cheated ~ {terms}", design=FORCED, predict=[{"age": 1.5}]) for terms in ("age", "scale(age)")
    )
    assert plain.predictions[0].share == pytest.approx(scaled.predictions[0].share, abs=1e-8)


BAD = [
    ("cheated ~ age + older", "collinear: older is a sum of multiples of age"),
    ("cheated ~ age + nothing", "nothing is 0 in every row"),
    ("cheated ~ age + heavy", "no column 'heavy'|one column 'heavy'"),
    ("cheated ~ cheated", "cannot explain itself"),
    ("cheated", "must be written as"),
    ("cheated ~ 0", "needs an intercept, or a column"),
    ("cheated ~ 1 - 1", "needs an intercept, or a column"),
    ("age ~ 0 + hidden(cheated)", "needs an intercept, or a column"),
    ("cheated ~ age +", "cannot be read"),
    ("cheated ~ np.log(age)", "must be a finite number"),
    ("cheated ~ I(age^2)", "cannot be read"),
    ("cheated ~ age | region", "without a bar"),
    ("cheated ~ age:hidden(answer)", "a term of its own"),
    ("age ~ hidden(cheated) + hidden(answer)", "a formula may have only one"),
    ("age ~ region", "must be one of the reports"),
]


@pytest.mark.parametrize(("formula", "message"), BAD)
def test_what_cannot_be_fitted_is_said(formula: str, message: str) -> None:
    frame = asked(FORCED, 60)
    frame["older"], frame["nothing"] = frame["age"] * 3, 0
    with pytest.raises(EstimatorError, match=message):
        regress(frame, formula, design=FORCED)


def test_a_report_that_the_design_cannot_give_and_answers_that_it_does_not_tell_are_refused() -> None:
    frame = asked("direct", 60)
    with pytest.raises(DomainError, match="cannot give the report"):
        regress(frame, "cheated ~ age", design="matrix(rows=0 0; 1/2 1/4; 1/2 3/4)", reports=["yes", "no", "?"])
    with pytest.raises(DomainError, match="cannot give the share of yes"):
        regress(frame, "cheated ~ age", design="unrelated(prob_question=2/3)")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"age": "1", "regoin": "north"}, "takes age, region, not regoin"),
        ({"age": "x", "region": "north"}, "must be a number"),
        ({"age": "1", "region": "west"}, "must be one of north, south"),
    ],
)
def test_a_prediction_of_nobody_is_refused(cells: dict[str, str], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        regress(asked(FORCED, 300), "cheated ~ age + region", design=FORCED, predict=[cells])


@pytest.mark.parametrize(
    ("terms", "cells", "message"),
    [
        ("C(code)", {"code": "99"}, r"^code \(99\) must be one of 0, 1, 10\.$"),
        ("C(code) + age", {"code": "99"}, r"code \(99\) must be one of"),
        ("code + C(code):age", {"code": "99", "age": "1"}, r"code \(99\) must be one of"),
        ("C(code, contr.sum)", {"code": "99"}, r"code \(99\) must be one of"),
        ("C(age > 0) + C(code)", {"age": "77", "code": "99"}, r"code \(99\) must be one of"),
        ("C(code + arm)", {"code": "10", "arm": "1"}, r"\(code=10, arm=1\) must have categories that are in the data"),
        ("log(size)", {"size": "-1"}, r"\(size=-1\) must have finite terms, and log\(size\) is nan"),
        ("log(size) + age", {"size": "-1"}, "must have finite terms"),
        ("bs(age, df=4)", {"age": "77"}, "cannot be made: Unable to evaluate factor"),
    ],
)
def test_a_prediction_of_an_unknown_category_or_of_a_term_that_is_not_finite_is_refused(
    terms: str, cells: dict[str, str], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        regress(coded(), f"cheated ~ {terms}", design=FORCED, predict=[cells])


def test_a_prediction_takes_numbers_that_nobody_has_where_they_are_no_category() -> None:
    cells = [{"age": "7.77", "code": "10"}, {"age": "7.77", "code": "10.0"}]
    found = regress(coded(), "cheated ~ C(age > 0) + C(code):age", design=FORCED, predict=cells).predictions
    assert found[0].share == found[2].share
    whole = regress(coded(), "cheated ~ code", design=FORCED, predict=[{"code": "5"}])
    assert 0 < whole.predictions[0].share < 1


def test_categories_of_the_data_that_a_formula_leaves_out_are_refused() -> None:
    with pytest.raises(DomainError, match="categories outside"):
        regress(coded(), "cheated ~ C(code, levels=[0, 1])", design=FORCED)


def coded() -> pd.DataFrame:
    """Return people with a code of 0, 1 or 10, an arm of 0 or 1, never 1 where the code is 10, and a size above 0."""
    frame = asked(FORCED, 300)
    places = np.arange(len(frame))
    frame["code"], frame["size"] = np.array([0, 1, 10])[places % 3], 1.0 + places % 7
    frame["arm"] = np.where(frame["code"] == 10, 0, places % 2)
    return frame


def test_rows_that_miss_a_value_are_left_out_and_said() -> None:
    frame = asked(FORCED, 300)
    frame.loc[:9, "age"] = np.nan
    found = regress(frame, "cheated ~ age", design=FORCED)
    assert found.n_reports == 290
    assert found.notes == ("10 of 300 rows are left out because a value is missing: age in 10",)
    alone = regress(frame[10:], "cheated ~ age", design=FORCED)
    assert [of.estimate for of in found.coefficients] == [of.estimate for of in alone.coefficients]


def test_names_with_dots_and_spaces_and_without_an_intercept() -> None:
    frame = asked(FORCED, 300).rename(columns={"age": "cov.age", "region": "the region"})
    found = regress(frame, "cheated ~ cov.age + I((cov.age / 10)**2) + C(`the region`) - 1", design=FORCED)
    names = ["cov.age", "I((cov.age / 10) ** 2)", "C(the region)[north]", "C(the region)[south]"]
    assert sorted(of.name for of in found.coefficients) == sorted(names)
