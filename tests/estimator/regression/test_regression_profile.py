"""Intervals by the profile likelihood and Firth's penalty: against likelihoods written out here, climbed by scipy."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq, minimize
from test_regression import CROSSWISE, Floats, asked, matrix_of

from sotto_client.cli import main
from sotto_estimator import SamplingColumns
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.result import Regression

HALF_CHI_SQUARE = 3.841458820694124 / 2


def minus_likelihood(frame: pd.DataFrame, text: str, is_penalised: bool) -> Callable[[Floats], float]:
    """Return minus the log-likelihood, perhaps with Firth's penalty: half the log of the expected information's det."""
    design, matrix = read_design(text), matrix_of(frame)
    channel = design.matrix[[design.reports.index(report) for report in frame["cheated"]]]

    def minus(coefficients: Floats) -> float:
        share = 1 / (1 + np.exp(-matrix @ coefficients))
        found = np.log(channel[:, 0] * share + channel[:, 1] * (1 - share)).sum()
        if is_penalised:
            slopes = [(of_yes - of_no) * share * (1 - share) for of_yes, of_no in design.matrix]
            probs = [of_yes * share + of_no * (1 - share) for of_yes, of_no in design.matrix]
            expected = sum(slope**2 / prob for slope, prob in zip(slopes, probs, strict=True))
            found += np.linalg.slogdet(matrix.T @ (expected[:, None] * matrix))[1] / 2
        return -float(found)

    return minus


def climbed(minus: Callable[[Floats], float], n: int = 3) -> tuple[Floats, float]:
    options = dict.fromkeys(["xatol", "fatol"], 1e-12) | {"maxiter": 4000, "maxfev": 4000}
    found = minimize(minus, minimize(minus, np.zeros(n)).x, method="Nelder-Mead", options=options)
    return found.x, -float(found.fun)


def rise(minus: Callable[[Floats], float], place: int, value: float) -> float:
    """Return the profile: the most that the log-likelihood can be where a coefficient has a value."""
    return climbed(lambda others: minus(np.insert(others, place, value)), 2)[1]


@pytest.mark.parametrize(("text", "is_penalised"), [(CROSSWISE, False), ("direct", True), (CROSSWISE, True)])
def test_profiles_and_penalties_are_those_of_a_naive_climb(text: str, is_penalised: bool) -> None:
    frame = asked(text, 300 if text == CROSSWISE else 60)
    minus = minus_likelihood(frame, text, is_penalised)
    found = regress(frame, "cheated ~ age + region", design=text, firth=is_penalised, intervals="profile")
    expected, top = climbed(minus)
    assert [of.estimate for of in found.coefficients] == pytest.approx(expected, abs=1e-6)
    assert found.quality.log_likelihood == pytest.approx(top, abs=1e-8)
    of = found["age"]
    assert of.z == pytest.approx(np.sign(of.estimate) * np.sqrt(2 * (top - rise(minus, 1, 0))), abs=1e-5)
    ratio = next(one for one in found.tests if (one.terms, one.method) == ("age", "likelihood ratio"))
    assert (ratio.statistic, ratio.p_value) == pytest.approx((of.z**2, of.p_value), abs=1e-7)
    for end in (of.low, of.high):
        assert top - rise(minus, 1, end) == pytest.approx(HALF_CHI_SQUARE, abs=1e-6)


def separated(n_yes: int = 0, n: int = 30, others: tuple[int, int] = (9, 40)) -> pd.DataFrame:
    """Return people of whom none of one group says yes."""
    said = ["yes"] * n_yes + ["no"] * (n - n_yes) + ["yes"] * others[0] + ["no"] * (others[1] - others[0])
    return pd.DataFrame({"said": said, "treated": [1] * n + [0] * others[1]})


def test_firths_penalty_of_a_table_of_four_adds_a_half_to_each_cell() -> None:
    """Firth (1993): Haldane's and Anscombe's correction, also where plain estimates have no end."""
    found = regress(separated(), "said ~ treated", design="direct", firth=True)
    odds = [np.log((0 + 0.5) / (30 + 0.5)), np.log((9 + 0.5) / (31 + 0.5))]
    assert found["Intercept"].estimate == pytest.approx(odds[1], abs=1e-7)
    assert found["treated"].estimate == pytest.approx(odds[0] - odds[1], abs=1e-7)
    assert found.warnings == ()
    assert np.isfinite(found.covariance).all()
    assert found.intervals == "profile"
    assert -np.inf < found["treated"].low < found["treated"].high < 0


def test_a_profile_has_one_end_where_the_estimate_has_none() -> None:
    """The other end is where a binomial likelihood of no yes among 30 is e^-1.92 of its most."""
    found = regress(separated(), "said ~ treated", design="direct", intervals="profile")["treated"]

    def fall(high: float) -> float:
        def minus(intercept: Floats) -> float:
            logits = intercept[0] + high * np.array([0, 1])
            return float(9 * -intercept[0] + 40 * np.logaddexp(0, logits[0]) + 30 * np.logaddexp(0, logits[1]))

        return float(minimize(minus, [-1.0]).fun) - most - HALF_CHI_SQUARE

    most = -float(9 * np.log(9 / 40) + 31 * np.log(31 / 40))
    assert found.low == -np.inf
    assert found.high == pytest.approx(brentq(fall, -5, 1), abs=1e-4)


def test_a_penalty_is_an_offset_and_aggregated_rows_too() -> None:
    """An offset that adds up to a term's effect takes it away; equal rows are weighed."""
    frame = asked("direct", 80).assign(age=lambda of: of["age"].round())
    plain = regress(frame, "cheated ~ age", design="direct", firth=True)
    moved = regress(frame.assign(more=frame["age"]), "cheated ~ age", design="direct", firth=True, offset="more")
    assert moved["age"].estimate == pytest.approx(plain["age"].estimate - 1, abs=1e-6)
    assert moved["age"].low == pytest.approx(plain["age"].low - 1, abs=1e-6)


def test_of_several_answers_profiles_agree_with_the_likelihood_ratio() -> None:
    frame = asked(CROSSWISE, 200).assign(
        cheated=np.array(["1", "2", "3"])[np.random.default_rng(2).integers(0, 3, 200)]
    )
    found = regress(frame, "cheated ~ 1", design="direct(n_answers=3)", intervals="profile")
    second = found.coefficients[0]
    n = frame["cheated"].value_counts()

    def fall(ratio: float) -> float:
        share = (n["1"] + n["2"]) / 200  # of the two answers whose ratio is held
        one = share / (1 + np.exp(ratio))
        held = n["1"] * np.log(one) + n["2"] * np.log(share - one) + n["3"] * np.log(1 - share)
        return float((n * np.log(n / 200)).sum() - held - HALF_CHI_SQUARE)

    assert second.low == pytest.approx(brentq(fall, second.estimate - 2, second.estimate), abs=1e-6)
    assert second.high == pytest.approx(brentq(fall, second.estimate, second.estimate + 2), abs=1e-6)


def test_all_forms_name_the_method_and_python_is_the_commands_twin(tmp_path: Path) -> None:
    separated().to_csv(tmp_path / "data.csv", index=False)
    words = ["regress", str(tmp_path / "data.csv"), "said ~ treated", "--design", "direct", "--allow-conclusive"]

    def said(*more: str) -> str:
        return CliRunner().invoke(main, [*words, *more]).stdout

    found = regress(tmp_path / "data.csv", "said ~ treated", design="direct", firth=True)
    told = json.loads(said("--firth", "--json"))
    assert (told["intervals"], told["penalized"], told["quality"]["aic"]) == ("profile", True, None)
    assert told["coefficients"] == found.to_dict()["coefficients"]
    assert said("--firth") == f"{found.as_table()}\n"
    assert "penalized maximum likelihood, converged" in said("--firth")
    assert "95 % profile likelihood intervals" in said("--firth")
    assert "AIC" not in said("--firth")
    assert "said = yes is less likely" not in said("--firth", "--intervals", "wald").splitlines()[0]
    assert found.to_frame()["intervals"].tolist() == ["profile", "profile"]
    assert found.conf_int().loc["treated"].tolist() == [found["treated"].low, found["treated"].high]
    with pytest.raises(DomainError, match=r"alpha \(0.1\) must be 0.05"):
        found.conf_int(0.1)


BESIDE = {
    "a random intercept": ({"random_intercept": "half"}, "said ~ treated"),
    "weights, strata and clusters": ({"sampling": SamplingColumns(weights="treated")}, "said ~ half"),
}


@pytest.mark.parametrize("of", BESIDE)
def test_what_has_no_profile_is_refused(of: str) -> None:
    more, formula = BESIDE[of]
    frame = separated().assign(half=np.arange(70) % 2)
    for how in ({"firth": True}, {"intervals": "profile"}):
        with pytest.raises(DomainError, match=f"does not go with {of}.*, or leave out {of}"):
            fitted(frame, formula, how | more)
    with pytest.raises(DomainError, match=r"Use intervals=profile for few people, or leave out hidden"):
        fitted(frame, "treated ~ hidden(said)", {"firth": True})
    with pytest.raises(DomainError, match=r"intervals \('likelihood'\) must be one of wald, profile"):
        fitted(frame, "said ~ half", {"intervals": "likelihood"})


def fitted(frame: pd.DataFrame, formula: str, how: dict[str, object]) -> Regression:
    return regress(frame, formula, design="direct", **how)  # type: ignore[arg-type]


def test_contrasts_and_margins_are_means_over_all_people(tmp_path: Path) -> None:
    """Person by person; errors by differences of that mean and the coefficients' covariance."""
    frame = asked(CROSSWISE, 600)
    pairs = [({"region": "south"}, {"region": "north"}), ({"age": 1, "region": "south"}, {"age": 0, "region": "south"})]
    found = regress(frame, "cheated ~ age + region", design=CROSSWISE, margins=True, contrasts=pairs)
    ages, ones = frame["age"].to_numpy(), np.ones(600)
    at, set_to = (
        found.params.to_numpy(),
        {1: np.column_stack([ones, ages, ones]), 0: np.column_stack([ones, ages, 0 * ones])},
    )

    def difference(coefficients: Floats) -> float:
        south, north = ((1 / (1 + np.exp(-set_to[of] @ coefficients))).mean() for of in (1, 0))
        return float(south - north)

    of = found.contrasts[0]
    slopes = np.array([(difference(at + step) - difference(at - step)) / 2e-5 for step in 1e-5 * np.eye(3)])
    assert (of.equation, of.name) == ("cheated = yes", "region=south vs region=north")
    assert of.estimate == pytest.approx(difference(at), abs=1e-12)
    assert of.standard_error == pytest.approx(np.sqrt(slopes @ found.covariance @ slopes), rel=1e-5)
    assert found.margins[1].estimate == pytest.approx(of.estimate, abs=1e-12)  # of a category of two
    logits = [at @ [1, age, 1] for age in (1, 0)]
    expected = np.diff([1 / (1 + np.exp(-of)) for of in reversed(logits)])[0]
    assert found.contrasts[1].estimate == pytest.approx(expected, abs=1e-12)
    each = found.get_prediction({"age": [0.5, 2], "region": ["south", "north"]})
    one = regress(frame, "cheated ~ age + region", design=CROSSWISE, predict=[{"age": 0.5, "region": "south"}])
    yes = one.predictions[0]
    assert each.iloc[0].tolist() == [yes.share, yes.standard_error, yes.low, yes.high]
    assert one.summary() == one.as_table()
    frame.to_csv(tmp_path / "data.csv", index=False)
    words = ["regress", str(tmp_path / "data.csv"), "cheated ~ age + region", "--design", CROSSWISE]
    said = CliRunner().invoke(main, [*words, "--margins", "--contrast", "region=south vs region=north"]).stdout
    assert "No difference in cheated = yes between region=south and region=north is shown." in said
    assert f"{100 * of.estimate:.2f}" in said
    for wrong, message in (("region=south", "must be COLUMN=VALUE,.. vs"), ("region=east vs age=1", "must be one of")):
        done = CliRunner().invoke(main, [*words, "--contrast", wrong])
        assert done.exit_code != 0
        assert message in done.output
