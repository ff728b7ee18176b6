"""`draw`: every number that is said of a question has that question's own number of reports under it."""

import json
import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from published import ANY_OF, ONE_OF, TEXT, YES_NO, survey_of
from sotto_estimator import plan
from sotto_estimator.association.associate import associate
from sotto_estimator.channel.channel import Target
from sotto_estimator.errors import SourceError
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.contradiction import contradictions_of
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_estimator.planning.needed import respondents_for
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.shares.of_tally import IntervalOptions, estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.quality import qualities
from sotto_estimator.sources.selection import Selection
from sotto_estimator.strings.question import bit_counts
from sotto_protocol import Coins, Survey, Tally
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.mechanism import Bytes

ASKED = ANY_OF | {"mechanism": "asked-option"}
FIVE = replace(survey_of(YES_NO, ONE_OF, ANY_OF, YES_NO, TEXT), draw=2)
WAVES = replace(FIVE, waves=3)


def people(survey: Survey, n: int, wave: int = 1, share: float = 0.3, seed: int = 1) -> Bytes:
    """Return reports of a crowd of which a share says yes, or the second option."""
    chance = np.random.default_rng(seed)
    answers: dict[str, Any] = {}
    for question in survey.questions:
        says = (chance.random(n) < share).astype(np.int64)
        if question.type == "any-of":
            answers[question.id] = np.stack([says, *[np.zeros(n, np.int64)] * (len(question.options) - 1)], axis=1)
        else:
            answers[question.id] = ["tea" if one else "coffee" for one in says] if question.type == "text" else says
    return survey.perturb(answers, Coins(np.random.default_rng(seed + 1).bytes), wave)


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_every_question_is_estimated_from_the_reports_that_answer_it(target: Target) -> None:
    records = people(FIVE, 900)
    tally, drawn = Tally.of(FIVE, records), FIVE.layout.drawn(records)
    estimates = estimate_tally(tally, IntervalOptions(target=target))
    for place, question in enumerate(FIVE.questions[:4]):
        n = int(drawn[:, place].sum())
        rows = [row for row in estimates.rows if row.question == question.id]
        assert {row.n_reports for row in rows} == {n}
        counts, channel = tally.support_counts[question.id], channel_of(question)
        low, high = confidence_interval(counts, n, channel, target=target)
        assert [(row.low, row.high) for row in rows] == list(zip(low.tolist(), high.tolist(), strict=True))
        shares = (counts / n - channel.prob_support_if_other) / channel.contrast
        assert [row.share for row in rows] == pytest.approx(shares.tolist(), abs=1e-12)
    assert bit_counts(tally, "q4").n_reports.sum() == drawn[:, 4].sum()


def test_pooled_waves_are_those_of_the_question() -> None:
    """A device answers the same questions in every wave, so a question's waves are as dependent as its reports are."""
    parts = [people(WAVES, n, wave, seed=wave) for wave, n in ((1, 300), (2, 200), (3, 250))]
    tally = Tally.of(WAVES, np.concatenate(parts))
    estimates = estimate_tally(tally)
    alone = survey_of(YES_NO)
    only = Tally(replace(alone, waves=3), tally.counted("q0").by_wave, {"q0": tally.support_counts["q0"]}, {"q0": 0})
    [expected] = estimate_tally(only).rows
    [found] = [row for row in estimates.rows if row.question == "q0"]
    assert (found.n_reports, found.share, found.standard_error, found.low, found.high) == (
        expected.n_reports,
        expected.share,
        expected.standard_error,
        expected.low,
        expected.high,
    )


def test_quality_and_contradictions_are_of_a_questions_own_reports() -> None:
    survey = replace(survey_of(ANY_OF | {"max_selected": 1}, YES_NO), draw=1)
    tally = Tally.of(survey, people(survey, 400))
    [quality] = [found for found in qualities(tally) if found.question == "q0"] or [None]
    if quality is not None:
        assert quality.n_reports == tally.counted("q0").n_reports
    n = tally.counted("q1").n_reports
    counts = {**tally.support_counts, "q1": np.array([n])}
    broken = estimate_tally(Tally(survey, tally.reports_by_wave, counts, behind=tally.behind))
    [found] = broken.contradictions
    assert (found.question, found.n_reports, found.support_count) == ("q1", n, n)
    assert contradictions_of([], n, n_tests=7) == ()


def test_a_question_that_nobody_answers_is_named_and_has_no_rows() -> None:
    survey = replace(survey_of(YES_NO, YES_NO, YES_NO), draw=1)
    records = survey.layout.from_wire([{"q0": True}, {"q2": False}, {"q2": True}])
    estimates = estimate_tally(Tally.of(survey, records))
    assert [row.question for row in estimates.rows] == ["q0", "q2"]
    assert "q1: none of these 3 reports answers it" in estimates.as_table()
    with pytest.raises(SourceError, match="holds no reports"):
        estimate_tally(Tally.empty(survey))


def test_what_is_withheld_of_a_drawn_question_is_named_without_a_count() -> None:
    survey = replace(survey_of(YES_NO, YES_NO), draw=1, min_reports=3)
    now = Tally.of(survey, survey.layout.from_wire([{"q0": True}, {"q1": False}, {"q1": True}, {"q1": True}]))
    held = now.hold_back(["q0"], Tally.empty(survey))
    said = estimate_tally(held).as_table()
    assert "q0: withheld until it has 3 reports that answer it" in said
    assert "q1: " not in said
    nothing = now.hold_back(["q0", "q1"], Tally.empty(survey))
    with pytest.raises(SourceError, match=r"^no question has 3 reports that answer it yet \(4 reports so far\)"):
        estimate_tally(nothing)
    release = Release(survey, True, {1: nothing})
    results = find_results(release, Choices())
    assert results.estimates is None
    said = "This question shows no results until it has 3 reports."
    assert [section.notices for section in results.questions] == [[said], [said]]


def test_table_json_and_csv_have_n_by_question() -> None:
    tally = Tally.of(FIVE, people(FIVE, 500))
    estimates = estimate_tally(tally)
    expected = {question.id: tally.counted(question.id).n_reports for question in FIVE.questions[:4]}
    assert len({*expected.values()}) > 1
    document = json.loads(estimates.as_json())
    assert {row["question"]: row["n_reports"] for row in document["estimates"]} == expected
    header, *lines = estimates.as_csv().splitlines()
    column = header.split(",").index("n_reports")
    assert {line.split(",")[0]: int(line.split(",")[column]) for line in lines} == expected
    text = estimates.as_table()
    assert "draw: each device answers 2 of 5 questions; n counts the reports that answer this one" in text
    row = next(line for line in text.splitlines() if line.startswith("q3"))
    assert row.split()[2] == f"{expected['q3']:,}"
    about = estimate_tally(tally, IntervalOptions(target="respondents")).as_table()
    assert "and an interval is about those people" in about


def test_a_table_of_two_questions_is_of_the_reports_that_answer_both() -> None:
    records = people(FIVE, 3000)
    drawn = FIVE.layout.drawn(records)
    both = drawn[:, [0, 3]].all(axis=1)
    assert 200 < both.sum() < 400, "n m (m - 1) / (d (d - 1)) = 300"
    found = associate(FIVE, records, ["q0", "q3"])
    pair = survey_of(YES_NO, YES_NO)
    columns = {question.id: part for question, part in FIVE.layout.cut(records[both])}
    expected = associate(pair, np.concatenate([columns["q0"], columns["q3"]], axis=1), ["q0", "q1"])
    assert found.n_reports == expected.n_reports == both.sum()
    assert [(cell.share, cell.standard_error) for cell in found.cells] == [
        (cell.share, cell.standard_error) for cell in expected.cells
    ]
    with pytest.raises(
        SourceError, match=r"no report answers q0 and q1 and q3: draw is 2, and a table needs at least draw = 3"
    ):
        associate(FIVE, records, ["q0", "q1", "q3"])
    one = replace(survey_of(YES_NO, YES_NO), draw=1)
    with pytest.raises(
        SourceError, match=r"no report answers q0 and q1: draw is 1, and a table needs at least draw = 2"
    ):
        associate(one, people(one, 50), ["q0", "q1"])
    only = records[drawn[:, 1]]
    with pytest.raises(SourceError, match=r"none of [0-9,]+ reports answers q0 and q3: each answers 2 questions"):
        associate(FIVE, only, ["q0", "q3"])


def test_the_results_page_shows_n_by_question_and_only_waves_that_have_it() -> None:
    one = WAVES.layout
    parts = {wave: people(WAVES, 200, wave, seed=wave) for wave in (1, 3)}
    second = people(WAVES, 200, 2, seed=2)
    parts[2] = second[~one.drawn(second)[:, 0]]
    tallies = {wave: Tally.of(WAVES, parts[wave]) for wave in (1, 2, 3)}
    results = find_results(Release(WAVES, True, tallies), Choices())
    section = results.questions[0]
    n = sum(tally.counted("q0").n_reports for tally in tallies.values())
    assert section.made_of[0] == f"n = {n:,}, epsilon 1"
    assert [point.wave for point in section.series[0].points] == [1, 3]
    assert [point.n_reports for point in section.series[0].points] == [
        tallies[wave].counted("q0").n_reports for wave in (1, 3)
    ]
    assert any(line.startswith("each device answers 2 of the 5 questions") for line in section.made_of)


@pytest.mark.parametrize("is_together", [False, True])
def test_the_results_page_says_that_its_intervals_are_about_those_who_were_asked(is_together: bool) -> None:
    """Under its charts, over those that are downloaded, and of one option's reports; not about the population."""
    ranges = "all ranges together" if is_together else "each range"
    asked = f"confidence in {ranges}, for the respondents who were asked the question"
    for survey in (FIVE, WAVES, survey_of(ASKED)):
        of = replace(survey, about="respondents")
        tallies = {wave: Tally.of(of, people(of, 400, wave)) for wave in range(1, of.waves + 1)}
        for target, is_said in (("respondents", True), ("population", False)):
            choices = Choices(target=target, simultaneous="yes" if is_together else "no")  # type: ignore[arg-type]
            results = find_results(Release(of, True, tallies), choices)
            sections = [section for section in results.questions if section.rows]
            assert sections
            for section in sections:
                assert any(asked in line for line in section.made_of) == is_said
                for name in section.charts:
                    said = " ".join(section.caption_of(name))
                    assert (asked in said) == is_said


def test_reports_that_are_needed_are_said_to_be_all_reports_not_those_to_the_question() -> None:
    survey = replace(survey_of(YES_NO, YES_NO), draw=1)
    tally = Tally.of(survey, people(survey, 40))
    (aim, _) = (verdict.aim for verdict in with_verdicts(estimate_tally(tally), tally).verdicts)
    assert aim is not None
    assert tally.counted("q0").n_reports < aim.n_reports == 40
    needed = respondents_for(survey.questions[0], 0.1, PlanOptions(), Fraction(1, 2))
    said = (
        "Each report answers 1 of the 2 questions. "
        f"About {needed:,} reports in all would narrow this to ± 10 points (40 so far)."
    )
    assert said in with_verdicts(estimate_tally(tally), tally).as_table()
    whole = survey_of(YES_NO, YES_NO)
    tally = Tally.of(whole, people(whole, 40))
    assert " in all" not in with_verdicts(estimate_tally(tally), tally).as_table()


def test_a_plan_says_that_it_is_about_those_who_are_asked() -> None:
    survey = replace(survey_of(YES_NO, YES_NO), draw=1)
    for target, end in (("respondents", ": for each question, those who are asked it."), ("population", ".")):
        said = plan(survey, 100, options=PlanOptions(target=target)).as_table()
        assert re.search(rf"^The lines below are about [a-z ]+{re.escape(end)}$", said, re.MULTILINE)


def test_intervals_given_the_draw_cover_at_every_number_of_reports() -> None:
    """Of 40 devices about half draw the question; coverage is held at every number that does, by enumeration.

    A device draws without its answer, so given n_q the count of support is binomial(n_q, l), as of n_q devices alone.
    """
    survey = replace(survey_of(YES_NO, YES_NO), draw=1)
    channel, share, n_runs = channel_of(survey.questions[0]), 0.3, 4000
    covered: Counter[bool] = Counter()
    chance = np.random.default_rng(3)
    counted = []
    for run in range(n_runs // 100):
        records = survey.perturb(
            {key: (chance.random(100 * 40) < share).astype(np.int64) for key in ("q0", "q1")},
            Coins(np.random.default_rng(run).bytes),
        )
        has = survey.layout.drawn(records)[:, 0].reshape(100, 40)
        says = (records[:, 1].reshape(100, 40) & has).sum(axis=1)
        counted += list(zip(says.tolist(), has.sum(axis=1).tolist(), strict=True))
    ends = {
        pair: confidence_interval(pair[0], pair[1], channel, level=0.9, method="clopper-pearson")
        for pair in set(counted)
    }
    for pair in counted:
        low, high = ends[pair]
        covered[bool(low <= share <= high)] += 1
    assert len({n for _, n in counted}) > 10
    assert covered[True] / n_runs > 0.9 - 6 * (0.09 / n_runs) ** 0.5


def test_one_waves_records_are_those_of_a_draw_too() -> None:
    records = np.concatenate([people(WAVES, 20, wave) for wave in (1, 2)])
    assert Selection(2).of(WAVES, records).tolist() == records[20:].tolist()
    assert Tally.of(WAVES, records).counted("q0") == Counted(
        {wave: int(WAVES.layout.drawn(people(WAVES, 20, wave))[:, 0].sum()) for wave in (1, 2)}
    )


def test_means_of_numbers_are_of_the_reports_that_answer_them() -> None:
    number = {"type": "number", "minimum": 0, "maximum": 100, "step": 1, "epsilon": Decimal(2)}
    survey = replace(survey_of(number, YES_NO, number | {"distribution": True}), draw=1)
    chance = np.random.default_rng(4)
    answers = {"q0": chance.integers(0, 101, 600), "q1": np.zeros(600, np.int64), "q2": np.full(600, 40)}
    records = survey.perturb(answers, Coins(chance.bytes))
    tally, drawn = Tally.of(survey, records), survey.layout.drawn(records)
    estimates = estimate_tally(tally)
    assert [mean.n_reports for mean in estimates.means] == [int(drawn[:, place].sum()) for place in (0, 2)]
    alone = estimate_tally(Tally.of(survey_of(number), survey.layout.cut(records)[0][1]))
    found, expected = estimates.means[0], alone.means[0]
    assert (found.mean, found.low, found.high) == (expected.mean, expected.low, expected.high)
    results = find_results(Release(survey, True, {1: tally}), Choices())
    assert [section.n_reports for section in results.questions] == drawn.sum(axis=0).tolist()
    only = Tally.of(survey, records[drawn[:, 1]])
    assert estimate_tally(only).means == ()
    sections = find_results(Release(survey, True, {1: only}), Choices()).questions
    assert [section.n_reports for section in sections] == [0, int(drawn[:, 1].sum()), 0]
    assert "q0: none of these" in estimate_tally(only).as_table()
