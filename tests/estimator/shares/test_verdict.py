"""Verdicts: what is said of estimates claims no more than their intervals, and says what is missing."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from sotto_client.cli import main
from sotto_estimator import Channel, Estimate, IntervalOptions, estimate_counts, estimate_tally
from sotto_estimator.results.forms.text import text_of
from sotto_estimator.results.rounding import down, nearest, step_of, up
from sotto_estimator.shares.verdict.judge import MAX_FINDINGS, with_verdict_of_counts, with_verdicts
from sotto_estimator.shares.verdict.verdict import Finding, mean_finding, of_precision, share_findings
from sotto_estimator.views.verdict import verdict_part
from sotto_estimator.views.verdict_words import finding_words, sentences
from sotto_protocol import Survey, Tally, compile_survey, compile_toml
from sotto_protocol.language import ENGLISH, LANGUAGES, language

STAFF = compile_toml("""
id = "staff"
title = "How we work"
[[questions]]
id = "harassed"
type = "yes-no"
text = "Harassed?"
epsilon = 1
want = 0.05
[[questions]]
id = "stay"
type = "one-of"
text = "What keeps you?"
options = ["pay", "colleagues", "the work", "nothing"]
mechanism = "k-ary"
epsilon = 2
[[questions]]
id = "unpaid"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 20
unit = "hours"
mechanism = "window"
epsilon = 1
[[questions]]
id = "home"
type = "text"
text = "Where?"
epsilon = 1
""")

numbers = st.floats(-1e6, 1e6)
shares = st.floats(0, 1)


def sorted_pair(kind: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[float, float]]:
    return st.tuples(kind, kind).map(lambda pair: (min(pair), max(pair)))


def share_finding(share: float, ends: tuple[float, float]) -> Finding:
    """Return what is known of the one share of a question."""
    (found,) = share_findings([Estimate("q", "yes", 100, 50, 1.0, share, 0.1, *ends, 0.01, -0.01)])
    return found


@given(numbers, numbers, st.floats(0, 1e6))
def test_rounding_goes_outward_by_less_than_a_step_and_steps_go_into_the_width_5_to_50_times(
    low: float, high: float, width: float
) -> None:
    step = step_of(width)
    part = Fraction(step)
    assert 0 <= Fraction(repr(low)) - Fraction(down(low, step)) < part
    assert 0 <= Fraction(up(high, step)) - Fraction(repr(high)) < part
    assert abs(Fraction(nearest(low, step)) - Fraction(repr(low))) <= part / 2
    if width > 1e-5:
        assert 4.99 * float(part) <= width < 50.01 * float(part)


@given(st.floats(-3, 4), sorted_pair(shares))
def test_what_is_said_of_a_share_holds_its_interval_and_lies_in_what_is_possible(
    share: float, ends: tuple[float, float]
) -> None:
    finding = share_finding(share, ends)
    assert 0 <= finding.low <= finding.likely <= finding.high <= 1
    assert float(finding.low) <= ends[0]
    assert ends[1] <= float(finding.high)


@given(st.floats(-30, 80), sorted_pair(st.floats(0, 50)))
def test_what_is_said_of_a_mean_holds_its_interval(mean: float, ends: tuple[float, float]) -> None:
    finding = mean_finding("mean", mean, ends, (0.0, 50.0), "years")
    assert finding.low <= finding.likely <= finding.high
    assert float(finding.low) <= ends[0]
    assert ends[1] <= float(finding.high)


@pytest.mark.parametrize(
    ("share", "ends", "words"),
    [
        (0.274, (0.2203, 0.3299), "between 22 and 33 %, best estimate 27 %"),
        (0.2741, (0.2703, 0.2799), "between 27.0 and 28.0 %, best estimate 27.4 %"),
        (0.134, (0.0, 0.311), "at most 32 %, best estimate 13 %; could be zero"),
        (0.9, (0.71, 1.0), "at least 71 %, best estimate 90 %; could be 100 %"),
        (1.2402, (0.228, 1.0), "too few reports to say"),
        (0.51, (0.252, 0.788), "somewhere between 25 and 79 %"),
        (0.3, (0.0, 0.62), "at most 62 %; could be zero"),
        (0.7, (0.412, 1.0), "at least 41 %; could be 100 %"),
        (0.45, (0.0, 0.996), "too few reports to say"),
        (0.5, (0.0072, 0.999), "at least 0.7 %; could be 100 %"),
        (1.045, (0.85, 1.0), "at least 80 %, best estimate 100 %; could be 100 %"),
        (-0.05, (0.0, 0.0), "at most 5 %, best estimate 0 %; could be zero"),
        (0.08, (0.0072, 0.197), "between 0.7 and 20 %, best estimate 8 %"),
        (0.003, (0.001, 0.005), "between 0.10 and 0.50 %, best estimate 0.30 %"),
        (0.3, (0.3, 0.3), "exactly 30 %"),
    ],
)
def test_shares_are_said_as_far_as_they_are_known(share: float, ends: tuple[float, float], words: str) -> None:
    assert finding_words(share_finding(share, ends), ENGLISH) == words


@pytest.mark.parametrize(
    ("mean", "ends", "unit", "words"),
    [
        (4.12, (2.63, 5.58), "hours", "on average between 2.6 and 5.6 hours, best estimate 4.1 hours"),
        (4.12, (2.63, 5.58), "", "on average between 2.6 and 5.6, best estimate 4.1"),
        (0.5, (0.04, 1.0), "hours", "on average between 0.040 and 1.0 hours, best estimate 0.5 hours"),
        (-1.0, (0.0, 0.1), "hours", "on average between 0.0 and 1.1 hours, best estimate 0.0 hours"),
        (9.0, (2.0, 14.0), "hours", "on average somewhere between 2 hours and 14 hours"),
        (9.0, (0.0, 14.0), "", "on average at most 14"),
        (19.0, (8.3, 20.0), "hours", "on average at least 8 hours"),
        (11.0, (0.0, 19.7), "hours", "too few reports to say"),
    ],
)
def test_means_are_said_in_their_unit(mean: float, ends: tuple[float, float], unit: str, words: str) -> None:
    assert finding_words(mean_finding("mean", mean, ends, (0.0, 20.0), unit), ENGLISH) == words


@given(st.floats(-2, 3), st.floats(0.001, 1))
def test_an_interval_that_chance_cut_short_is_as_wide_as_that_of_an_estimate_at_the_edge(
    share: float, half: float
) -> None:
    low, high = np.clip([share - half, share + half], 0, 1).tolist()
    wide = of_precision(share, (low, high), (0, 1))
    assert wide[0] <= low <= high <= wide[1]
    assert wide[1] - wide[0] >= min(half, 1) - 1e-12


def staff(n: int, harassed: int, stay: list[int], unpaid: float) -> Tally:
    """Return a tally of n reports: so many support yes, so many each option; such a part is of the highest output."""
    shape = {question.id: question.mechanism.counts_shape for question in STAFF.questions}
    outputs = np.zeros(shape["unpaid"], np.int64)
    outputs[-1] = round(n * unpaid)
    outputs[0] = n - outputs[-1]
    home = np.zeros(shape["home"], np.int64)
    home[0, :2] = n  # all of one cohort, and of one code
    counts = {"harassed": np.array([harassed]), "stay": np.array(stay), "unpaid": outputs}
    return Tally(STAFF, {1: n}, counts | {"home": home})


def said_of(tally: Tally, options: IntervalOptions | None = None) -> list[str]:
    return text_of([verdict_part(with_verdicts(estimate_tally(tally, options), tally).verdicts)]).splitlines()


def test_a_survey_is_told_question_by_question_with_what_is_missing() -> None:
    assert said_of(staff(2000, 800, [400, 1000, 400, 200], 0.4)) == [
        "harassed  yes         between 21 and 35 %, best estimate 28 %",
        "stay      pay         between 13 and 21 %, best estimate 17 %",
        "stay      colleagues  between 60 and 71 %, best estimate 66 %",
        "stay      the work    between 13 and 21 %, best estimate 17 %",
        "stay      nothing     at most 3.8 %, best estimate 0.6 %; could be zero",
        "unpaid    mean        on average between 4.7 and 6.7 hours, best estimate 5.7 hours",
        "",
        "harassed: The survey aims at ± 5 points, which takes about 3,451 reports (2,000 so far).",
        "stay: Ranking, the most common first: colleagues > pay, the work > nothing.",
        "stay: Two answers with only a comma between them are too close to rank.",
        "home: Nobody can read single texts. `sotto decode` finds out which of your candidates are common.",
    ]


def test_too_few_reports_are_said_to_be_and_how_many_are_needed() -> None:
    assert said_of(staff(20, 9, [5, 5, 5, 5], 0.5)) == [
        "harassed  yes         too few reports to say",
        "stay      pay         at most 74 %; could be zero",
        "stay      colleagues  at most 74 %; could be zero",
        "stay      the work    at most 74 %; could be zero",
        "stay      nothing     at most 74 %; could be zero",
        "unpaid    mean        on average at least 0.13 hours",
        "",
        "harassed: The survey aims at ± 5 points, which takes about 3,451 reports (20 so far).",
        "stay: The answers are too close to say which is the most common.",
        "stay: About 466 reports would narrow this to ± 10 points (20 so far).",
        "unpaid: About 469 reports would narrow this to ± 2 hours (20 so far).",
        "home: Nobody can read single texts. `sotto decode` finds out which of your candidates are common.",
    ]


def test_of_counts_that_contradict_the_design_nothing_is_told() -> None:
    said = said_of(staff(2000, 2000, [500, 500, 500, 500], 0.4))
    assert "harassed: The reports contradict the survey's design, so they say nothing about this question." in said
    assert not [line for line in said if line.startswith("harassed  ")]
    paper = with_verdict_of_counts(estimate_counts(1000, 1000, Channel.warner(0.75)), Channel.warner(0.75))
    assert text_of([verdict_part(paper.verdicts)]).startswith("The reports contradict the survey's design")


def wide(n_options: int, **members: object) -> Survey:
    return compile_survey(
        {
            "id": "wide",
            "title": "Wide",
            "questions": [
                {"id": "q", "type": "one-of", "text": "?", "epsilon": 4, "mechanism": "k-ary"}
                | {"options": [f"option {number}" for number in range(n_options)]}
            ],
        }
        | members
    )


def test_of_many_answers_the_largest_are_told_by_intervals_that_hold_together() -> None:
    survey = wide(40)
    counts = np.array([10 * (place % 20) + 100 for place in range(40)])
    tally = Tally(survey, {1: int(counts.sum())}, {"q": counts})
    estimates = estimate_tally(tally)
    (verdict,) = with_verdicts(estimates, tally).verdicts
    together = {row.answer: row for row in estimate_tally(tally, IntervalOptions(simultaneous=True)).rows}
    assert len(verdict.findings) == MAX_FINDINGS
    assert verdict.n_left_out == 40 - MAX_FINDINGS
    assert verdict.findings == share_findings([together[finding.answer] for finding in verdict.findings])
    said = text_of([verdict_part([verdict])])
    assert f"listed here; {40 - MAX_FINDINGS} more are in the table. The listed ranges are wide enough" in said
    assert max(map(len, said.splitlines())) < 400


def test_which_is_the_most_common_is_said_as_far_as_it_is_known() -> None:
    survey = wide(4)
    for counts, expected in (
        ([250, 250, 240, 260], "The answers are too close to say which is the most common."),
        ([480, 460, 40, 20], "Ranking, the most common first: option 0, option 1 > option 2, option 3."),
        ([290, 280, 240, 190], "Too close to say which is the most common: option 0, option 1, option 2."),
        ([600, 300, 90, 10], "Ranking, the most common first: option 0 > option 1 > option 2 > option 3."),
    ):
        tally = Tally(survey, {1: 1000}, {"q": np.array(counts)})
        (verdict,) = with_verdicts(estimate_tally(tally), tally).verdicts
        assert expected in " ".join(sentences(verdict, ENGLISH))


def test_answers_whose_ranges_do_not_overlap_and_are_not_ranked_are_said_to_be_with_why() -> None:
    why = "Some of the ranges above do not overlap. A ranking needs ranges that are all valid at once"
    survey = wide(4)
    for counts, options, is_apart in (
        ([6190, 5810, 4000, 4000], IntervalOptions(), True),
        ([6190, 5810, 4000, 4000], IntervalOptions(simultaneous=True), False),
        ([6100, 5900, 4000, 4000], IntervalOptions(), False),
        ([9000, 7000, 3000, 1000], IntervalOptions(), False),
    ):
        tally = Tally(survey, {1: 20_000}, {"q": np.array(counts)})
        (verdict,) = with_verdicts(estimate_tally(tally, options), tally).verdicts
        said = " ".join(sentences(verdict, ENGLISH, {f"option {n}": f"Option {n}" for n in range(4)}))
        assert (why in said) is is_apart, said


def test_of_an_option_that_other_people_are_asked_none_is_above_another_about_respondents() -> None:
    survey = wide(
        3,
        questions=[
            {
                "id": "q",
                "type": "any-of",
                "text": "?",
                "epsilon": 4,
                "mechanism": "asked-option",
                "asked": 1,
                "options": list("abc"),
            }
        ],
    )
    tally = Tally(survey, {1: 900}, {"q": np.array([[300, 290], [300, 20], [300, 150]])})
    for target, is_ordered in (("population", True), ("respondents", False)):
        options = IntervalOptions(target=target)  # type: ignore[arg-type]  # one of them
        (verdict,) = with_verdicts(estimate_tally(tally, options), tally).verdicts
        assert (verdict.order is not None) == is_ordered


@pytest.mark.thorough
def test_the_command_begins_with_what_it_means_and_json_says_the_same(tmp_path: Path) -> None:
    tally = staff(2000, 800, [400, 1000, 400, 200], 0.4)
    (tmp_path / "tally.json").write_bytes(tally.to_json())
    printed = CliRunner().invoke(main, ["estimate", str(tmp_path / "tally.json")]).stdout
    expected = said_of(Tally.from_json(tally.to_json()))
    assert printed.splitlines()[: len(expected)] == expected
    known = json.loads(CliRunner().invoke(main, ["estimate", str(tmp_path / "tally.json"), "--json"]).stdout)
    harassed, stay, unpaid, home = known["verdicts"]
    assert harassed["answers"] == {"yes": "between 21 and 35 %, best estimate 28 %"}
    assert set(harassed) >= {"wanted_half_width", "reports_needed"}
    assert stay["order"] == [["colleagues"], ["pay", "the work"], ["nothing"]]
    assert stay["most_common"] == ["colleagues"]
    assert unpaid["answers"] == {"mean": "on average between 4.7 and 6.7 hours, best estimate 5.7 hours"}
    assert (home["answers"], home["order"]) == ({}, None)


def test_without_noise_what_respondents_said_is_known_exactly() -> None:
    asked = ["estimate", "--yes", "8", "--n", "25", "--design", "direct", "--target", "respondents"]
    assert "a report can prove the answer" in CliRunner().invoke(main, asked).stderr
    printed = CliRunner().invoke(main, [*asked, "--allow-conclusive"])
    assert printed.exit_code == 0
    assert printed.stdout.startswith(
        "yes  exactly 32 %\n\ncounts as given: n = 25 reports, epsilon infinite a report\n"
    )


@pytest.mark.parametrize("tag", LANGUAGES)
def test_verdicts_are_said_in_every_language_of_the_product(tag: str) -> None:
    tally = staff(300, 135, [60, 150, 60, 30], 0.4)
    for verdict in with_verdicts(estimate_tally(tally), tally).verdicts:
        for line in [
            *sentences(verdict, language(tag)),
            *(finding_words(of, language(tag)) for of in verdict.findings),
        ]:
            assert "%(" not in line
