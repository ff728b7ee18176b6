"""`draw`: a device answers some of a survey's questions, drawn exactly; its report says which, and counts for those."""

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from published import ANY_OF, ONE_OF, TEXT, TWO_STAGES, WIDE, YES_NO, survey_of
from sotto_protocol import Coins, ReportError, Survey, SurveyError, Tally, TallyError, compile_survey, given_bytes
from sotto_protocol.counted import Counted
from sotto_protocol.drawn import draw_questions
from sotto_protocol.explain import explain
from sotto_protocol.minimum import needs_of, say_needs
from sotto_protocol.record import WAVE

EPSILONS = [Decimal(1), Decimal("0.5"), Decimal(2), Decimal("1.5")]
MIXED = replace(
    survey_of(
        YES_NO | {"epsilon": EPSILONS[0]},
        ONE_OF | {"epsilon": EPSILONS[1]},
        ANY_OF | {"epsilon": EPSILONS[2]},
        WIDE | {"epsilon": EPSILONS[3]},
    ),
    draw=2,
)
COHORTS = replace(survey_of(YES_NO, YES_NO, TEXT), draw=2)
OS = Coins(np.random.default_rng(5).bytes)


def drawn_pairs(survey: Survey, records: Any) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in survey.layout.drawn(records)]


def people(survey: Survey, n: int, wave: int = 1) -> Any:
    answers: dict[str, Any] = {}
    for question in survey.questions:
        if question.type == "text":
            answers[question.id] = ["tea"] * n
        elif question.type == "any-of":
            answers[question.id] = np.zeros((n, len(question.options)), np.uint8)
        else:
            answers[question.id] = np.zeros(n, np.int64)
    return survey.perturb(answers, OS, wave)


@pytest.mark.parametrize(("n_questions", "n_drawn"), [(2, 1), (3, 1), (4, 2), (5, 3), (4, 3)])
def test_every_set_of_questions_is_drawn_exactly_as_often(n_questions: int, n_drawn: int) -> None:
    """All coins are enumerated: two bytes x for each draw below t, which is x t / 65,536 rounded down."""
    sides = range(n_questions - n_drawn + 1, n_questions + 1)
    found: Counter[tuple[int, ...]] = Counter()
    for values in product(*map(range, sides)):
        stream = [-(-value * 65536 // side) for value, side in zip(values, sides, strict=True)]
        stream = [x + (x * side % 65536 < 65536 % side) for x, side in zip(stream, sides, strict=True)]  # not rejected
        coins = Coins(given_bytes(b"".join(x.to_bytes(2, "big") for x in stream)))
        (row,) = draw_questions(n_questions, n_drawn, coins)
        found[tuple(np.flatnonzero(row).tolist())] += 1
    assert set(found) == set(combinations(range(n_questions), n_drawn))
    assert len(set(found.values())) == 1


def test_many_devices_draw_each_set_about_as_often() -> None:
    n = 60_000
    found = Counter(tuple(np.flatnonzero(row)) for row in draw_questions(6, 3, OS, n))
    assert len(found) == 20
    assert all(abs(count - n / 20) < 6.5 * (n / 20) ** 0.5 for count in found.values())  # 1e-9 for all


def test_a_survey_takes_its_largest_epsilons_together() -> None:
    declared = sorted((question.epsilon for question in MIXED.questions), reverse=True)
    assert MIXED.epsilon == MIXED.epsilon_forever == sum(declared[:2]) == Decimal("3.5")
    waves = replace(survey_of(YES_NO, TEXT | TWO_STAGES, TEXT | {"epsilon": Decimal("1.2")}), draw=1, waves=2)
    assert (waves.epsilon, waves.epsilon_forever) == (Decimal("1.2"), Decimal("1.822099659391"))
    assert [Survey.from_canonical(survey.canonical) for survey in (MIXED, waves)] == [MIXED, waves]


def test_a_survey_that_draws_declares_it_and_one_that_does_not_says_nothing_of_it() -> None:
    assert b'"draw":2,"epsilon":3.5' in MIXED.canonical
    assert b"draw" not in replace(MIXED, draw=0).canonical
    total = replace(MIXED, draw=0).canonical.replace(b'"epsilon":5,"format"', b'"draw":2,"epsilon":5,"format"')
    with pytest.raises(SurveyError, match="must be in canonical form, its epsilon the sum of its questions'"):
        Survey.from_canonical(total)


@pytest.mark.parametrize(
    ("questions", "draw", "message"),
    [
        ([YES_NO], 1, r"\$\.draw: must be left out: there is one question\."),
        ([YES_NO, ONE_OF], 2, r"\$\.draw: must be in \[1, 1\]: fewer than there are questions\."),
        ([YES_NO, ONE_OF, YES_NO], 3, r"\$\.draw: must be in \[1, 2\]: fewer than there are questions\."),
        ([YES_NO, ONE_OF], 0, r"\$\.draw: must be an integer in \[1, d - 1\], of d questions\."),
        ([YES_NO, ONE_OF], "1", r"\$\.draw: must be an integer in \[1, d - 1\], of d questions\."),
    ],
)
def test_a_draw_of_all_questions_or_of_none_is_refused(questions: list[Any], draw: Any, message: str) -> None:
    listed = [{"id": f"q{index}", "text": "Well?"} | question for index, question in enumerate(questions)]
    with pytest.raises(SurveyError, match=message):
        compile_survey({"id": "survey", "title": "A survey", "questions": listed, "draw": draw})


def test_a_record_begins_with_what_was_drawn_and_is_sent_as_that() -> None:
    records = people(MIXED, 200)
    assert records.shape == (200, 1 + replace(MIXED, draw=0).layout.n_bytes)
    pairs = drawn_pairs(MIXED, records)
    assert {tuple(pair) for pair in pairs} == set(combinations(range(4), 2))
    assert records[:, 0].tolist() == [sum(1 << place for place in pair) for pair in pairs]
    sent = [MIXED.layout.to_wire(record)["answers"] for record in records]
    assert [[*answers] for answers in sent] == [[f"q{place}" for place in pair] for pair in pairs]
    assert MIXED.layout.from_wire(sent).tolist() == records.tolist()
    cut = {question.id: part for question, part in MIXED.layout.cut(records)}
    assert [len(cut[f"q{place}"]) for place in range(4)] == np.bincount(np.concatenate(pairs)).tolist()


@pytest.mark.parametrize(
    "members", [[], ["q0"], ["q0", "q1", "q2"], ["q0", "q1", "q2", "q3"], ["q0", "q9"], ["q0", "q1", "q9"]]
)
def test_members_that_are_not_exactly_those_drawn_are_refused(members: list[str]) -> None:
    values = {"q0": True, "q1": 1, "q2": "AAA=", "q3": 7, "q9": True}
    good = {"q0": True, "q3": 299}
    with pytest.raises(ReportError, match=re.escape("$[1].answers: must have exactly 2 of the members q0, q1, q2, q3")):
        MIXED.layout.from_wire([good, {key: values[key] for key in members}])


def test_a_bad_value_is_named_by_the_place_of_its_report() -> None:
    sent = [{"q0": True, "q1": 0}, {"q1": 0, "q3": 1}, {"q0": False, "q3": 300}]
    with pytest.raises(ReportError, match=r"^\$\[2\]\.answers\.q3: must be an integer in \[0, 299\]\.$"):
        MIXED.layout.from_wire(sent)


@pytest.mark.parametrize("first", [0b0, 0b1, 0b111, 0b1111, 0b10001, 0b110000])
def test_a_record_that_no_device_draws_is_refused(first: int) -> None:
    record = np.zeros((1, MIXED.layout.n_bytes), np.uint8)
    record[0, 0] = first
    with pytest.raises(ReportError, match="must each have 2 drawn questions of 4"):
        MIXED.layout.cut(record)


def test_a_record_with_a_word_of_a_question_that_was_not_drawn_is_refused() -> None:
    records = people(MIXED, 5)
    for place in range(1, MIXED.layout.n_bytes):
        spoilt = records.copy()
        spoilt[3, place] ^= 1
        was_absent = records[3, place] == 0 and not _column_of(place) & set(drawn_pairs(MIXED, records[3:4])[0])
        if was_absent:
            with pytest.raises(ReportError, match="must be zero where a question was not drawn"):
                Tally.of(MIXED, spoilt)


def _column_of(place: int) -> set[int]:
    ends = np.cumsum([1, *(question.mechanism.n_bytes for question in MIXED.questions)])
    return {int(np.searchsorted(ends, place, side="right")) - 1}


def test_the_longest_report_is_of_the_longest_answers() -> None:
    lengths = [len(str(MIXED.layout.to_wire(record))) for record in people(MIXED, 500)]
    longest = len(str(MIXED.layout.to_wire(np.frombuffer(MIXED.layout.longest, np.uint8))))
    assert longest >= max(lengths)
    assert [*MIXED.layout.to_wire(np.frombuffer(MIXED.layout.longest, np.uint8))["answers"]] == ["q0", "q2"]


@pytest.mark.parametrize("survey", [MIXED, COHORTS, replace(COHORTS, waves=3)], ids=["mixed", "cohorts", "waves"])
def test_a_tally_has_a_number_of_reports_by_question_and_wave(survey: Survey) -> None:
    by_wave = {wave: people(survey, 40 * wave, wave) for wave in range(1, survey.waves + 1)}
    whole = Tally.of(survey, np.concatenate([*by_wave.values()]))
    for place, question in enumerate(survey.questions):
        expected = {wave: int(survey.layout.drawn(records)[:, place].sum()) for wave, records in by_wave.items()}
        assert whole.counted(question.id) == Counted(expected)
        one = Tally.of(survey, by_wave[1])
        assert one.counted(question.id).n_reports == expected[1]
        if question.mechanism.sums_to_one if hasattr(question.mechanism, "sums_to_one") else False:
            assert whole.support_counts[question.id].sum() == sum(expected.values())
    parts = Tally.by_wave(survey, np.concatenate([*by_wave.values()]))
    assert sum(parts.values(), Tally.empty(survey)) == whole
    assert all(Tally.unpack(survey, part.pack()) == part for part in parts.values())
    assert Tally.from_json(whole.to_json()) == whole
    assert whole - parts[1] + parts[1] == whole
    assert sum(whole.counted(question.id).n_reports for question in survey.questions) == 2 * whole.n_reports


def test_a_tally_whose_numbers_no_draw_gives_is_refused() -> None:
    tally = Tally.of(MIXED, people(MIXED, 50))
    rest = {"support_counts": tally.support_counts, "implausible": tally.implausible}
    without = Tally.of(MIXED, people(MIXED, 50)).behind
    with pytest.raises(TallyError, match=r"\$\.behind: must add up to 2 answers a report"):
        Tally(replace(MIXED), tally.reports_by_wave, **rest)
    fewer = {**tally.behind, "q2": Counted({1: tally.counted("q2").n_reports + 1})}
    with pytest.raises(TallyError, match=r"\$\.behind: must add up to 2 answers a report"):
        Tally(MIXED, tally.reports_by_wave, behind=fewer, **rest)
    assert Tally(MIXED, tally.reports_by_wave, behind=tally.behind, **rest) == tally
    with pytest.raises(TallyError):
        Tally(MIXED, {1: 10}, behind=without, **rest)
    text = tally.to_json().replace(b'"behind"', b'"ahead"')
    with pytest.raises(TallyError):
        Tally.from_json(text)


def test_a_tally_of_a_draw_is_written_in_words() -> None:
    survey = replace(survey_of(YES_NO, YES_NO), draw=1)
    records = survey.layout.from_wire([{"q0": True}, {"q1": False}, {"q1": True}])
    tally = Tally.of(survey, records)
    assert b'"behind":{"q0":{"n_reports":1},"q1":{"n_reports":2}}' in tally.to_json()
    assert tally.pack().counts.tolist() == [1, 1, 0, 0, 1, 2]
    assert (tally.support_counts["q0"].tolist(), tally.support_counts["q1"].tolist()) == ([1], [1])


def test_explain_says_what_is_drawn_and_what_it_takes_at_most() -> None:
    said = " ".join(str(explain(MIXED)).split())
    assert "Your device asks you only 2 of these 4 questions, picked at random. It picks once," in said
    assert "from the 2 questions picked (epsilon at most 3.5):" in said
    one = " ".join(str(explain(replace(MIXED, draw=1))).split())
    assert "asks you only 1 of these 4 questions" in one
    assert "It sends which one it picked. That tells nothing about your answers." in one
    assert "picked" not in str(explain(replace(MIXED, draw=0)))


def test_with_a_least_number_each_question_needs_so_many_that_answer_it() -> None:
    survey = replace(survey_of(*[YES_NO] * 5), draw=2, min_reports=50)
    need = needs_of(survey)["q0"]
    assert (need.least, need.n_cohorts) == (50, 1)
    assert 125 < need.likely < 200
    assert say_needs(survey)[0] == (
        "shown from 50 reports at the earliest: q0 needs 50 that answer it, as 2 of 5 do. "
        f"{need.likely:,} reports are enough in 19 of 20 surveys"
    )
    assert len(say_needs(survey)) == 5


def test_perturbed_waves_of_a_draw_keep_their_number() -> None:
    survey = replace(COHORTS, waves=3)
    assert survey.layout.numbers(people(survey, 7, 2), WAVE).tolist() == [2] * 7
