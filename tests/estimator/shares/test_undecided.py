"""Where reports are too few for an answer, a question is shown alike for all: none looks larger for being known."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.figure import Figure

from sotto_estimator import Estimate, IntervalOptions, estimate_tally
from sotto_estimator.results.drawing import Dot, Drawing, DrawnBar, Line
from sotto_estimator.results.figure import Bar as PlotBar, bar_panels
from sotto_estimator.results.panels import draw_panel
from sotto_estimator.results.rounding import UNKNOWN
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.shares.verdict.verdict import Finding, share_findings
from sotto_estimator.views.share_section import draw_shares
from sotto_estimator.views.verdict import verdict_rows
from sotto_protocol import Survey, Tally, compile_survey

OPTIONS = ["waa", "wbb", "wcc", "wdd", "wee"]


def survey_of(question_type: str, mechanism: str, epsilon: float, n_options: int) -> Survey:
    question = {"id": "w", "type": question_type, "text": "?", "mechanism": mechanism, "epsilon": Decimal(str(epsilon))}
    return compile_survey({"id": "w", "title": "W", "questions": [question | {"options": OPTIONS[:n_options]}]})


THREE = survey_of("any-of", "bit-flips", 2.4, 3)
"""One of the review: 181 people, of whom 50, 50 and 0 % have an option."""


def three() -> Tally:
    true, other = (getattr(THREE.questions[0].mechanism, f"prob_support_if_{of}") for of in ("true", "other"))
    counts = [round(181 * (other + (true - other) * share)) for share in (0.51, 0.27, 0.22)]
    return Tally(THREE, {1: 181}, {"w": np.array(counts)})


def test_an_answer_that_nobody_gave_is_not_the_only_one_that_is_drawn() -> None:
    tally = three()
    estimates = with_verdicts(estimate_tally(tally), tally)
    wide, wider, nobodys = (row.high - row.low for row in estimates.rows)
    assert nobodys < UNKNOWN <= min(wide, wider)
    assert [words for _, _, words in verdict_rows(estimates.verdicts)] == [
        "somewhere between 24 and 78 %",
        "somewhere between 2 and 54 %",
        "at most 49 %; could be zero",
    ]
    assert "somewhere between 24 and 78 %" in estimates.to_html()
    assert "somewhere between 24 and 78 %" in estimates._repr_html_()
    drawing = draw_shares("Which?", estimates.rows)
    assert not [mark for mark in drawing.marks if isinstance(mark, DrawnBar)]
    assert len([mark for mark in drawing.marks if isinstance(mark, Dot)]) == 3
    (axes,) = estimates.plot().axes
    assert not axes.patches
    dots = [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "o"]
    assert dots == pytest.approx([100 * row.share for row in estimates.rows])


def test_only_the_question_that_is_undecided_has_dots_in_a_plot() -> None:
    bars = [PlotBar("a", 0.5, 0.2, 0.8, question="one"), PlotBar("b", 0.2, 0.1, 0.3, question="one")]
    bars.append(PlotBar("c", 0.4, 0.3, 0.5, question="other"))
    _, (panel,) = bar_panels(bars, "")
    axes = Figure().subplots()
    draw_panel(axes, panel)
    assert [bar.get_width() for bar in axes.patches] == [40]


def random_rows(seed: int, n_tallies: int) -> Iterator[tuple[Estimate, ...]]:
    """Yield the estimates of random tallies, of few reports and of many, by each kind of mechanism."""
    rng = np.random.default_rng(seed)
    surveys = [
        survey_of(kind, mechanism, epsilon, n_options)
        for kind, mechanism in [("one-of", "k-ary"), ("any-of", "bit-flips"), ("any-of", "asked-option")]
        for epsilon in (0.5, 2, 5)
        for n_options in (2, 5)
    ]
    for _ in range(n_tallies):
        survey = surveys[rng.integers(len(surveys))]
        question, n = survey.questions[0], round(10 ** rng.uniform(0.5, 4))
        n_options = len(question.labels)
        if question.mechanism.has_cohorts:
            asked = rng.multivariate_hypergeometric([n] * n_options, n * question.mechanism.n_asked)
            counts = np.stack([asked, rng.binomial(asked, rng.uniform(size=n_options))], axis=1)
        elif question.mechanism.sums_to_one:
            counts = rng.multinomial(n, rng.dirichlet([0.7] * n_options))
        else:
            counts = rng.binomial(n, rng.uniform(size=n_options))
        options = IntervalOptions(target=rng.choice(["population", "respondents"]), level=rng.choice([0.9, 0.95, 0.99]))
        yield estimate_tally(Tally(survey, {1: n}, {"w": counts}), options, is_held=False).told_rows


class Marked(NamedTuple):
    """How an answer is drawn: by a bar or a dot, where its estimate is, and the ends of its interval."""

    kind: str
    estimate: float
    low: float
    high: float


def drawn(drawing: Drawing) -> list[Marked]:
    """Return how each answer is drawn."""
    at = [(type(of).__name__, of.x + getattr(of, "width", 0)) for of in drawing.marks if isinstance(of, DrawnBar | Dot)]
    lines = [(of.x1, of.x2) for of in drawing.marks if isinstance(of, Line) and of.kind == "whisker"][::3]
    return [Marked(*mark, *line) for mark, line in zip(at, lines, strict=True)]


def step(*said: Finding) -> Decimal:
    """Return to what the numbers of these findings are rounded, the coarsest."""
    return max(Decimal(1).scaleb(int(end.as_tuple().exponent)) for of in said for end in (of.low, of.high, of.likely))


@pytest.mark.thorough
@pytest.mark.parametrize("n_tallies", [150, pytest.param(10_000, marks=pytest.mark.rare)])
def test_no_answer_with_the_higher_estimate_and_lower_bound_looks_smaller_than_another(n_tallies: int) -> None:
    n_undecided = 0
    for rows in random_rows(25, n_tallies):
        marks, findings = drawn(draw_shares("Which?", rows)), share_findings(rows)
        assert len({mark.kind for mark in marks}) == 1
        assert len({finding.is_decided for finding in findings}) == 1
        n_undecided += not findings[0].is_decided
        for one, other in permutations(range(len(rows)), 2):
            if rows[one].share >= rows[other].share and rows[one].low >= rows[other].low:
                assert_not_smaller(marks[one], marks[other])
                said, beside = findings[one], findings[other]
                assert said.low >= beside.low - step(said, beside)
                assert said.likely >= beside.likely - step(said, beside)
                assert said.kind != "none" or beside.kind in ("none", "unknown", "exact")
                if rows[one].high >= rows[other].high:
                    assert marks[one].high >= marks[other].high - 1e-9
    assert 0.2 * n_tallies < n_undecided < 0.8 * n_tallies


def assert_not_smaller(one: Marked, other: Marked) -> None:
    assert one.estimate >= other.estimate - 1e-9
    assert one.low >= other.low - 1e-9
