"""Models of who does not follow a design: closed forms, and a naive search of likelihoods that are written apart."""

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from athletes import ATHLETES, EXTENDED, arm, crosswise
from sotto_estimator.designs.design import Arm, Design
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.misfit.estimate import ModelEstimate, estimate_model
from sotto_estimator.misfit.model import MODELS, Control

RANDOM = np.random.default_rng(20260801)


def says(true: float, other: float) -> Design:
    return Design("given", ("yes", "no"), ("yes", "no"), np.array([[true, other], [1 - true, 1 - other]], np.float64))


def forced(prob_yes: float, prob_no: float = 0) -> Design:
    return says(1 - prob_no, prob_yes)


def values(found: ModelEstimate) -> list[float]:
    return [part.value for part in found.parts]


# The probability of the first report, by two parameters in [0, 1], as the papers have it.
Formula = Callable[[float, float, float, float], float]
FORMULAS: dict[str, Formula] = {
    "one-sayers": lambda f, s, true, other: s + (1 - s) * (f * true + (1 - f) * other),
    "self-protective-no": lambda f, s, true, other: (1 - s) * (f * true + (1 - f) * other),
    "cheating-detection": lambda yes, no, true, other: yes * true + no * other,
    "lie-detector": lambda f, t, true, other: f * t * true + (1 - f) * other,
}


def naive(name: str, arms: list[Arm], starts: np.ndarray) -> float:
    """Return the largest log-likelihood that a search from many starts finds."""

    def loss(at: np.ndarray) -> float:
        first, second = at.clip(0, 1)
        if name == "cheating-detection":
            second = min(second, 1 - first)
        total = 0.0
        for one in arms:
            prob = FORMULAS[name](first, second, one.design.matrix[0, 0], one.design.matrix[0, 1])
            prob = min(max(prob, 1e-300), 1 - 1e-16)
            total -= one.counts[0] * np.log(prob) + one.counts[1] * np.log(1 - prob)
        return total + 1e3 * float(np.abs(at - at.clip(0, 1)).sum())

    options = {"xatol": 1e-9, "fatol": 1e-10, "maxiter": 2000}
    return -min(optimize.minimize(loss, start, method="Nelder-Mead", options=options).fun for start in starts)


CASES = [
    ("one-sayers", [crosswise(0.2), crosswise(0.8)]),
    ("one-sayers", [crosswise(0.2), crosswise(0.7), crosswise(0.4)]),
    ("self-protective-no", [forced(0.25, 0.1), forced(0.6, 0.1)]),
    ("cheating-detection", [forced(0.25), forced(0.75)]),
    ("cheating-detection", [forced(0.25, 0.2), forced(0.2, 0.25), forced(0.5, 0.4)]),
    ("lie-detector", [says(1, 0.8), says(1, 0.2)]),
]


def fitted(name: str, arms: list[Arm]) -> tuple[ModelEstimate, float]:
    """Return the estimate, and the log-likelihood of what it says by the paper's formula."""
    found = estimate_model(name, arms)
    first, second = (reading.value(np.array(found.fit.shares)) for reading in MODELS[name].readings[:2])
    likely = 0.0
    for one in arms:
        prob = FORMULAS[name](first, second, one.design.matrix[0, 0], one.design.matrix[0, 1])
        likely += stats.binom.logpmf(one.counts[0], one.n, prob) - stats.binom.logpmf(
            one.counts[0], one.n, one.counts[0] / one.n
        )
    assert found.fit.g_squared == pytest.approx(-2 * likely, abs=1e-5)
    return found, likely


@pytest.mark.few(2, "rare")
@pytest.mark.thorough
@pytest.mark.parametrize(("name", "designs"), CASES)
def test_no_start_finds_a_larger_likelihood(name: str, designs: list[Design]) -> None:
    """Counts of honest people, of cheats, and such as no people give; the maximum at the edge too."""
    for case in range(6):
        n = 400
        firsts = (
            RANDOM.integers(1, n, len(designs))
            if case % 2
            else RANDOM.binomial(n, 0.3 + 0.3 * RANDOM.random(2)[0], len(designs))
        )
        arms = [arm(design, first, n - first) for design, first in zip(designs, firsts, strict=True)]
        _, likely = fitted(name, arms)
        saturated = sum(float((one.counts * np.log(one.counts / one.n)).sum()) for one in arms)
        best = naive(name, arms, RANDOM.random((6, 2)))
        assert best - saturated <= likely + 1e-6


@pytest.mark.rare
def test_two_hundred_starts_find_no_other_optimum() -> None:
    arms = EXTENDED["samples", "B"]
    _, likely = fitted("one-sayers", arms)
    saturated = sum(float((one.counts * np.log(one.counts / one.n)).sum()) for one in arms)
    for start in RANDOM.random((200, 1, 2)):
        assert naive("one-sayers", arms, start) - saturated == pytest.approx(likely, abs=1e-6)


@pytest.mark.few(5, "rare")
@pytest.mark.parametrize("key", EXTENDED)
def test_one_sayers_have_a_closed_form(key: tuple[str, str]) -> None:
    """P(1) = s + (1-s)(p + f (1-2p)) in one sample, of 1 - p in the other: they add up to 1 + s."""
    arms = EXTENDED[key]
    first, second = (one.counts[0] / one.n for one in arms)
    prob, s = arms[0].design.matrix[0, 1], first + second - 1
    found = estimate_model("one-sayers", arms)
    share, not_following = found.parts
    if s > 0:
        assert values(found) == pytest.approx([((first - s) / (1 - s) - prob) / (1 - 2 * prob), s], abs=1e-6)
        assert found.fit.g_squared == pytest.approx(0, abs=1e-6)
        error = np.sqrt(sum(one.counts[0] * one.counts[1] / one.n**3 for one in arms))
        assert not_following.standard_error == pytest.approx(error, rel=1e-4)
    else:
        assert not_following.value == pytest.approx(0, abs=1e-6)
        assert not_following.standard_error is None
        assert share.low < share.value < share.high
    assert found.without.g_squared + found.fit.g_squared == pytest.approx(fit_without(arms), abs=1e-5)


def fit_without(arms: list[Arm]) -> float:
    def loss(f: float) -> float:
        probs = [one.design.matrix[0] @ [f, 1 - f] for one in arms]
        return -2 * sum(
            stats.binom.logpmf(one.counts[0], one.n, prob)
            - stats.binom.logpmf(one.counts[0], one.n, one.counts[0] / one.n)
            for one, prob in zip(arms, probs, strict=True)
        )

    return float(optimize.minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).fun)


def test_cheating_detection_has_its_closed_form() -> None:
    """Clark & Desharnais 1998: yes to a forced yes of p1 or p2: pi + p beta."""
    p1, p2, arms = 0.25, 0.75, [arm(forced(0.25), 210, 390), arm(forced(0.75), 390, 210)]
    l1, l2 = 0.35, 0.65
    beta = (l1 - l2) / (p1 - p2)
    found = estimate_model("cheating-detection", arms)
    assert values(found) == pytest.approx([l1 - p1 * beta, beta, 1 - l1 + p1 * beta - beta], abs=1e-6)
    errors = [
        np.sqrt((p2**2 * l1 * (1 - l1) + p1**2 * l2 * (1 - l2)) / 600) / (p2 - p1),
        np.sqrt((l1 * (1 - l1) + l2 * (1 - l2)) / 600) / (p2 - p1),
    ]
    assert [part.standard_error for part in found.parts[:2]] == pytest.approx(errors, rel=1e-4)


def test_symmetric_cheating_detection_has_its_closed_form() -> None:
    """Ostapczuk et al. 2009: P(yes) = pi (1 - forced no) + beta forced yes, in two samples."""
    arms = [arm(forced(0.1, 0.3), 240, 760), arm(forced(0.4, 0.2), 390, 610)]
    yes, no = np.linalg.solve([[0.7, 0.1], [0.8, 0.4]], [0.24, 0.39])
    assert values(estimate_model("cheating-detection", arms)) == pytest.approx([yes, no, 1 - yes - no], abs=1e-6)


def test_stochastic_lie_detector_has_its_closed_form() -> None:
    """Moshagen, Musch & Erdfelder 2012: P(yes) = pi t + (1 - pi)(1 - p), in samples of p1 and p2."""
    p1, p2, l1, l2 = 0.2, 0.8, 0.72, 0.3
    arms = [arm(says(1, 1 - p1), 360, 140), arm(says(1, 1 - p2), 150, 350)]
    share = (l2 - l1 + p2 - p1) / (p2 - p1)
    truthful = (l2 * (1 - p1) - l1 * (1 - p2)) / (l2 - l1 + p2 - p1)
    found = estimate_model("lie-detector", arms)
    assert values(found) == pytest.approx([share, truthful], abs=1e-6)
    error = np.sqrt((l1 * (1 - l1) + l2 * (1 - l2)) / 500) / (p2 - p1)
    slopes = ((p1 - p2) * (p2 + l2 - 1), (p1 - p2) * (p1 + l1 - 1))
    of_truthful = np.sqrt(sum(prob * (1 - prob) / 500 * s**2 for prob, s in zip((l1, l2), slopes, strict=True)))
    of_truthful /= (p1 - p2 + l1 - l2) ** 2
    assert [part.standard_error for part in found.parts] == pytest.approx([error, of_truthful], rel=1e-4)


@pytest.mark.parametrize(("survey", "wrong"), [("A", 45 / 354), ("B", 44 / 325), ("C", 180 / 915), ("D", 109 / 813)])
def test_control_question_says_how_many_answer_at_random(survey: str, wrong: float) -> None:
    """Of athletes 13 to 20 % were wrong about what all know, so twice as many answer at random."""
    controls = [Control(one, 1) for one in ATHLETES["control", survey]]
    asked = EXTENDED["doping", survey][:1]
    found = estimate_model("random", asked, controls)
    assert found.parts[1].value == pytest.approx(2 * wrong, abs=1e-6)
    said, prob = asked[0].counts[0] / asked[0].n, asked[0].design.matrix[0, 1]
    followed = (said - wrong) / (1 - 2 * wrong)
    assert found.parts[0].value == pytest.approx((followed - prob) / (1 - 2 * prob), abs=1e-6)
    assert found.n_control == sum(one.n for one in ATHLETES["control", survey])
    assert found.fit.df == 1


@pytest.mark.parametrize(
    ("name", "spec", "design"),
    [
        ("cheating-detection", "forced(prob_forced_yes=1/4, prob_forced_no=0)", forced(0.25)),
        ("cheating-detection", "forced(prob_forced_yes=1/10, prob_forced_no=3/10)", forced(0.1, 0.3)),
        ("cheating-detection", "cheating-detection(prob_forced_yes=1/4)", forced(0.25)),
        ("lie-detector", "mangat(prob_statement=1/5)", says(1, 0.8)),
    ],
)
def test_designs_by_name_are_those_of_the_papers(name: str, spec: str, design: Design) -> None:
    assert MODELS[name].probs(read_design(spec)) == pytest.approx(MODELS[name].probs(design))


def test_control_question_of_which_a_known_share_says_yes() -> None:
    """.3 of those who follow say yes to a direct question of which 1/2 of the others do."""
    direct = says(1, 0)
    found = estimate_model("random", [arm(direct, 420, 580)], [Control(arm(direct, 340, 660), 0.3)])
    assert found.parts[1].value == pytest.approx(0.2, abs=1e-6)
    assert found.parts[0].value == pytest.approx((0.42 - 0.1) / 0.8, abs=1e-6)


def test_intervals_are_where_the_profile_of_the_likelihood_falls_by_chi_square() -> None:
    """Against the likelihood on a grid of 2,000 by 2,000 pairs of parameters."""
    arms = EXTENDED["doping", "B"]
    share, not_following = np.linspace(0, 1, 2001)[:, None], np.linspace(0, 1, 2001)
    likely = np.zeros((2001, 2001))
    for one in arms:
        prob = FORMULAS["one-sayers"](share, not_following, *one.design.matrix[0])  # type: ignore[arg-type]
        with np.errstate(divide="ignore", invalid="ignore"):
            likely += one.counts[0] * np.log(prob) + one.counts[1] * np.log(1 - prob)
    likely[np.isnan(likely)] = -np.inf
    for level in (0.8, 0.95, 0.999):
        found = estimate_model("one-sayers", arms, options=IntervalOptions(level=level))
        limit = likely.max() - stats.chi2.ppf(level, 1) / 2
        for part, axis in zip(found.parts, (1, 0), strict=True):
            inside = np.flatnonzero(likely.max(axis=axis) >= limit) / 2000
            assert (part.low, part.high) == pytest.approx((inside[0], inside[-1]), abs=1e-3)


@pytest.mark.rare
@pytest.mark.parametrize("name", ["one-sayers", "cheating-detection"])
def test_intervals_cover_about_as_often_as_they_say(name: str) -> None:
    """Of 120 surveys of 1,000 people: 95 %, within 6 standard deviations of what is drawn (1e-9); bounded, of 50."""
    n_surveys = 120 if os.environ.get("SOTTO_TEST_FULL") else 50
    designs = [crosswise(0.2), crosswise(0.8)] if name == "one-sayers" else [forced(0.25), forced(0.75)]
    truth = (0.3, 0.15) if name == "one-sayers" else (0.2, 0.65)
    hits = np.zeros(2)
    for _ in range(n_surveys):
        probs = [FORMULAS[name](*truth, *design.matrix[0]) for design in designs]
        arms = [arm(of, s, 500 - s) for of, s in zip(designs, RANDOM.binomial(500, probs), strict=True)]
        parts = estimate_model(name, arms).parts[:2]
        hits += [part.low <= true <= part.high for part, true in zip(parts, truth, strict=True)]
    assert (np.abs(hits / n_surveys - 0.95) <= 6 * np.sqrt(0.05 * 0.95 / n_surveys)).all()


@pytest.mark.parametrize("name", ["random", "one-sayers"])
def test_designs_that_cannot_tell_who_follows_are_named(name: str) -> None:
    """Random answers are a share of 1/2 in both samples of an extended crosswise; one sample tells of nobody."""
    arms = EXTENDED["samples", "B"]
    with pytest.raises(DomainError, match="no signal"):
        estimate_model(name, arms if name == "random" else arms[:1])


def test_counts_that_tell_nothing_leave_a_part_unknown() -> None:
    """All said 1: nobody need follow, and then their share could be any."""
    found = estimate_model("one-sayers", [arm(crosswise(0.2), 50, 0), arm(crosswise(0.8), 50, 0)])
    share, not_following = found.parts
    assert not_following.value == pytest.approx(1, abs=1e-3)
    assert share.is_unknown
    assert not not_following.is_unknown


@pytest.mark.parametrize(
    ("fault", "arguments"),
    [
        ("model .'x'. must be one of random", ("x", EXTENDED["samples", "B"])),
        ("must have a report no or neither", ("lie-detector", EXTENDED["samples", "B"])),
        ("must be of yes and no", ("random", [arm(Design("d", ("a", "b"), ("a", "b"), np.eye(2)), 1, 1)])),
    ],
)
def test_what_a_model_does_not_take_is_refused(fault: str, arguments: tuple[str, list[Arm]]) -> None:
    with pytest.raises(DomainError, match=fault):
        estimate_model(*arguments)


def test_control_question_that_nobody_can_answer_so_is_refused() -> None:
    """All know the answer, no, and who does not follow says no too."""
    arms, direct = [arm(forced(0.25, 0.1), 40, 60), arm(forced(0.6, 0.1), 60, 40)], says(1, 0)
    with pytest.raises(DomainError, match="reports that nobody can give"):
        estimate_model("self-protective-no", arms, [Control(arm(direct, 3, 97), 0)])


def test_levels_and_shares_outside_of_their_domain_are_refused() -> None:
    with pytest.raises(DomainError, match="level"):
        estimate_model("one-sayers", EXTENDED["samples", "B"], options=IntervalOptions(level=1))
    with pytest.raises(DomainError, match="share"):
        Control(arm(says(1, 0), 1, 1), 1.5)


def test_every_form_shows_the_same_numbers(tmp_path: Path) -> None:
    found = estimate_model("one-sayers", EXTENDED["samples", "B"])
    first, last = found.as_table().splitlines()[-2:]
    assert first.split()[-8::2] == ["44.57", "5.84", "33.15", "56.03"]
    assert last.split()[-8::2] == ["23.03", "5.39", "12.31", "33.39"]
    assert "approximate" in found.as_table()
    assert "if all followed the design: G² 17.44 more, P about 3e-05" in found.as_table()
    document = json.loads(found.as_json())
    assert document == json.loads(json.dumps(found.to_dict()))
    rows = list(csv.DictReader(io.StringIO(found.as_csv())))
    for row, part, of in zip(rows, document["parts"], found.parts, strict=True):
        assert float(row["value"]) == part["value"] == of.value
        assert float(row["low"]) == part["low"]
        assert row["interval"] == document["interval"] == "approximate"
    assert [row["value"] for row in found.to_frame().to_dict("records")] == [part.value for part in found.parts]
    assert "44.57 %" in found._repr_html_()
    assert str(found) == "one-sayers: share 44.57 % (33.15 to 56.03 %, approximate), n = 325"
    found.plot(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 1000


def test_the_page_has_every_model() -> None:
    page = (Path(__file__).parents[3] / "docs" / "misfit.md").read_text()
    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")] == [*MODELS]


def test_table_names_what_there_is_no_signal_of() -> None:
    found = estimate_model("one-sayers", [arm(crosswise(0.2), 50, 0), arm(crosswise(0.8), 50, 0)])
    assert "no signal: any share fits these counts" in found.as_table()
    assert json.loads(found.as_json())["parts"][0]["standard_error"] is None
