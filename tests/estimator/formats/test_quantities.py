"""Numbers that respondents randomized: the published estimators and errors, intervals that cover, what is refused."""

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sotto_estimator import EstimatorError, IntervalOptions, read_format
from sotto_estimator.formats.figures import Figure, Figures
from sotto_estimator.formats.quantities import read_scrambled, read_unrelated_quantity


def written(folder: Path, *samples: Sequence[float]) -> Path:
    lines = [f"{at},{value!r}" for at, of in enumerate(samples, 1) for value in map(float, of)]
    (folder / "said.csv").write_text("\n".join(["sample,value", *lines, ""]))
    return folder / "said.csv"


def read(text: str, folder: Path, *samples: Sequence[float], **options: object) -> list[Figure]:
    found = read_format(text, [written(folder, *samples)], options=IntervalOptions(**options))  # type: ignore[arg-type]
    assert isinstance(found, Figures)
    return list(found.figures)


RNG = np.random.default_rng(11)
ONE, TWO = RNG.gamma(2, 10, 60), RNG.gamma(3, 10, 40)


def test_a_scrambled_mean_is_that_of_eichhorn_and_hayre(tmp_path: Path) -> None:
    """Eichhorn & Hayre 1983: the mean report over the scramble's mean, with its variance by the reports'."""
    (found,) = read("scrambled(mean=1.25, unit=EUR)", tmp_path, ONE)
    assert found.estimate == pytest.approx(ONE.mean() / 1.25)
    error = ONE.std(ddof=1) / math.sqrt(60) / 1.25
    assert found.standard_error == pytest.approx(error)
    assert (found.low, found.high) == pytest.approx(
        (found.estimate - 1.959964 * error, found.estimate + 1.959964 * error)
    )
    assert (found.method, found.is_guaranteed, found.unit) == ("normal", False, "EUR")
    (added,) = read("scrambled(mean=-3, way=added)", tmp_path, ONE)
    assert added.estimate == pytest.approx(ONE.mean() + 3)


def test_unrelated_quantities_are_those_of_greenberg_and_others(tmp_path: Path) -> None:
    """Greenberg, Kuebler, Abernathy & Horvitz 1971, eqs. 3 to 6: both means of two samples, with their variances."""
    p1, p2 = 0.7, 0.2
    sensitive, unrelated = read("unrelated-quantity(prob_question=0.7 0.2)", tmp_path, ONE, TWO)
    assert sensitive.estimate == pytest.approx(((1 - p2) * ONE.mean() - (1 - p1) * TWO.mean()) / (p1 - p2))
    assert unrelated.estimate == pytest.approx((p1 * TWO.mean() - p2 * ONE.mean()) / (p1 - p2))
    of = ONE.var(ddof=1) / 60, TWO.var(ddof=1) / 40
    variance = ((1 - p2) ** 2 * of[0] + (1 - p1) ** 2 * of[1]) / (p1 - p2) ** 2
    assert sensitive.standard_error == pytest.approx(math.sqrt(variance))
    (known,) = read("unrelated-quantity(prob_question=0.7, unrelated_mean=12)", tmp_path, ONE)
    assert known.estimate == pytest.approx((ONE.mean() - 0.3 * 12) / 0.7)


def test_optional_scrambles_are_those_of_gupta_shabbir_and_sehra(tmp_path: Path) -> None:
    """Gupta, Shabbir & Sehra 2010: E z_i = mean + theta_i W in both samples, which is solved for mean and W."""
    mean, share = read("optional-scramble(means=2 10)", tmp_path, ONE, TWO)
    equations = np.array([[1, 2], [1, 10]])
    assert [mean.estimate, share.estimate] == pytest.approx(
        np.linalg.solve(equations, [ONE.mean(), TWO.mean()]).tolist()
    )
    assert (share.stratum, share.quantity) == ("people who scramble", "share")


def test_a_guaranteed_mean_is_covered_in_every_case(tmp_path: Path) -> None:
    """True numbers 0 or 4, times 1/2 or 3/2: by enumeration of all reports of 6 people, level .8."""
    shares, level = np.linspace(0, 1, 21), 0.8
    missed = np.zeros((len(shares), 2))
    options, known = IntervalOptions(level=level), {}
    for reports in product((0, 2, 6), repeat=6):
        key = tuple(sorted(reports))
        if key not in known:
            path = written(tmp_path, key)
            found = read_scrambled([path], mean=1, low=0, high=4, scramble_low=0.5, scramble_high=1.5, options=options)
            known[key] = found.figures[0].low, found.figures[0].high
        n_none = reports.count(0)
        prob = (1 - shares) ** n_none * (shares / 2) ** (6 - n_none)
        low, high = known[key]
        missed += prob[:, None] * np.stack([4 * shares < low, 4 * shares > high], axis=-1)
    assert missed.sum(axis=1).max() <= 1 - level
    assert min(low for low, _ in known.values()) < 1e-9 < max(low for low, _ in known.values())


@pytest.mark.parametrize("p", [(0.7, 0.2), (0.3, 0.9)])
def test_intervals_of_drawn_reports_cover_and_are_called_what_they_are(tmp_path: Path, p: tuple[float, float]) -> None:
    """Guaranteed ones hold the truth with 1 - 2e-9; approximate ones of 200 surveys in most of them."""
    rng, options = np.random.default_rng(3), IntervalOptions(level=1 - 2e-9)
    held = 0
    for run in range(40):
        samples = [
            np.where(rng.random(150) < prob, rng.binomial(10, 0.3, 150), rng.binomial(10, 0.6, 150)) for prob in p
        ]
        path = written(tmp_path, *samples)
        if not run:
            found = read_unrelated_quantity([path], prob_question=p, low=0, high=10, options=options)
            for figure, truth in zip(found.figures, (3, 6), strict=True):
                assert figure.is_guaranteed
                assert figure.low <= truth <= figure.high
        about = read_unrelated_quantity([path], prob_question=p).figures[0]
        assert not about.is_guaranteed
        held += about.low <= 3 <= about.high
    assert held >= 33  # of 40 at .95: P(fewer) is 4e-4, and the draws are fixed


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("scrambled(mean=0)", {}, "mean .0. of a scramble that is multiplied must be above 0"),
        ("scrambled(mean=1, way=divided)", {}, "way .divided. must be multiplied or added"),
        ("scrambled(mean=1, low=4)", {}, "low .4.0. must be below high .None., and both be given"),
        (
            "scrambled(mean=1, low=0, high=1, scramble_low=0, scramble_high=1)",
            {},
            "line 2: value .* must be between 0 and 1",
        ),
        ("scrambled(mean=3, scramble_low=0, scramble_high=2)", {}, "mean .3. must be between scramble_low"),
        ("scrambled(mean=1)", {"method": "hoeffding"}, "if the ranges of all numbers are given"),
        ("scrambled(mean=1)", {"target": "respondents"}, "must be 'population'"),
        ("scrambled(mean=1)", {"consistent": True}, "consistent .True. is not an option of scrambled"),
        ("unrelated-quantity(prob_question=0.5)", {}, "two different numbers, one per sample; or give unrelated_mean"),
        ("unrelated-quantity(prob_question=0.5 1.5)", {}, "above 0, and at most 1"),
        ("unrelated-quantity(prob_question=0.5 0.2)", {}, "sample 2 has 0 reports; a mean with an error needs two"),
        ("optional-scramble(means=1 1)", {}, "two different numbers, one per sample"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    tmp_path: Path, text: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(EstimatorError, match=message):
        read(text, tmp_path, [5, 6, 7], **options)


def test_numbers_that_no_mean_explains_get_no_figures(tmp_path: Path) -> None:
    path = written(tmp_path, [10.0] * 200, [0.0] * 200)
    found = read_unrelated_quantity([path], prob_question=(0.5, 0.6), low=0, high=10)
    assert [figure.estimate for figure in found.figures] == [None, None]
    assert "the numbers contradict the design" in str(found.as_table())


def test_equal_numbers_have_no_error_and_all_that_is_possible_as_their_interval(tmp_path: Path) -> None:
    """Three equal sums of .1 have a mean that rounding puts beside them, and no spread."""
    for ranges, expected in (("", (-math.inf, math.inf, False)), (", low=0, high=10", (0, 10, True))):
        found = read_format(f"scrambled(mean=1{ranges})", [written(tmp_path, [0.1 + 0.2] * 3)])
        assert isinstance(found, Figures)
        (figure,) = found.figures
        assert (figure.standard_error, figure.low, figure.high, figure.is_guaranteed) == (None, *expected)
        assert "no standard error where all reports of a sample are alike" in found.notes[0]
    (of_one,) = read("scrambled(mean=1, low=0, high=10, scramble_low=0, scramble_high=2)", tmp_path, [5, 5, 5])
    assert 0 < of_one.low < 5 < of_one.high
    mean, share = read("optional-scramble(means=2 10)", tmp_path, ONE, [5, 5])
    assert (mean.low, mean.high, share.low, share.high) == (-math.inf, math.inf, 0, 1), "one sample has no spread"


def test_what_a_guarantee_lacks_is_said(tmp_path: Path) -> None:
    lacking = {
        "scrambled(mean=1, low=0, high=99)": "give scramble_low and scramble_high, between which the scramble is",
        "optional-scramble(means=0 5, scramble_low=0, scramble_high=9)": "give low and high, between which all true",
        "unrelated-quantity(prob_question=0.7 0.2)": "give low and high, between which all numbers of both",
        "unrelated-quantity(prob_question=0.7 0.2, low=0, high=99)": "",
    }
    for text, words in lacking.items():
        found = read_format(text, [written(tmp_path, ONE[:9], *[TWO[:9]] * ("scrambled" not in text.split("(")))])
        assert isinstance(found, Figures)
        assert (f"approximate: for guaranteed intervals {words}" in " ".join(found.notes)) is bool(words)


def test_two_samples_are_not_taken_for_one(tmp_path: Path) -> None:
    with pytest.raises(EstimatorError, match=r"sample \(2\) must be 1, or left out: one sample was asked so"):
        read("unrelated-quantity(prob_question=0.7, unrelated_mean=2)", tmp_path, ONE, TWO)
