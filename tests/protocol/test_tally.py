"""Tallies: the counts of a slow count, the same in any order of merging, and nothing impossible."""

import base64
import copy
import dataclasses
import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from published import ANY_OF, EXAMPLE, ONE_OF, TEXT, YES_NO, records_of, survey_of, surveys
from sotto_protocol import (
    Coins,
    Question,
    ReportError,
    Survey,
    SurveyError,
    Tally,
    TallyError,
    hmac_bytes,
    stack_records,
)
from sotto_protocol.counted import Counted, PackedTally
from sotto_protocol.documents import canonical_json, load_json
from sotto_protocol.record import WAVE
from sotto_protocol.tally_document import MAX_REPORTS

SURVEY = survey_of(YES_NO, ONE_OF | {"mechanism": "k-ary"}, ANY_OF)


def slow_counts(survey: Survey, records: Any) -> dict[str, Any]:
    """Count by reading what was sent: JSON values, one report at a time."""
    counts: dict[str, Counter[Any]] = {question.id: Counter() for question in survey.questions}
    for record in records:
        sent = survey.layout.to_wire(record)["answers"]
        for question in survey.questions:
            if question.id in sent:  # with `draw`, not all are
                counts[question.id].update(places_of(question, sent[question.id]))
    shapes = {question.id: question.mechanism.counts_shape for question in survey.questions}
    return {
        key: np.array([counts[key][place] for place in np.ndindex(shape)]).reshape(shape).tolist()
        for key, shape in shapes.items()
    }


def places_of(question: Question, value: Any) -> list[tuple[int, ...]]:
    """Return where among the counts of a question a report that was sent is counted."""
    if question.type != "text":
        packed = question.mechanism.from_wire([value])[0]
        if question.mechanism.has_cohorts:  # an option that is asked, and whether it is said yes to
            return [(value[0], 0)] + [(value[0], 1)] * value[1]
        return [(supported,) for supported in question.mechanism.supported(packed)]
    cohort, filters = value[0], [part for part in value[1:] if isinstance(part, str)]
    bits = int.from_bytes(base64.b64decode(filters[0]), "little")
    return [(cohort, 0)] + [(cohort, 1 + bit) for bit in range(bits.bit_length()) if bits >> bit & 1]


def counts_of(tally: Tally) -> dict[str, Any]:
    return {key: counts.tolist() for key, counts in tally.support_counts.items()}


@settings(max_examples=40)
@given(surveys, st.data())
def test_counts_equal_a_slow_count(survey: Survey, data: st.DataObject) -> None:
    records = data.draw(records_of(survey))
    tally = Tally.of(survey, records)
    assert tally.n_reports == len(records)
    assert counts_of(tally) == slow_counts(survey, records)


def simulated(n: int, seed: bytes = bytes(32)) -> Any:
    people = np.arange(n)
    answers: dict[str, Any] = {"q0": people % 2, "q1": people % 3, "q2": people[:, None] // 2 ** np.arange(9) % 2}
    return SURVEY.perturb(answers, Coins(hmac_bytes(seed, b"")))


@pytest.mark.parametrize("n", [1, 254, 255, 256, 509, 510, 511, 1021])
def test_counts_are_right_around_the_blocks_of_255(n: int) -> None:
    records = simulated(n)
    assert counts_of(Tally.of(SURVEY, records)) == slow_counts(SURVEY, records)


@settings(max_examples=40)
@given(surveys, st.data())
def test_tallies_merge_in_any_order_and_grouping(survey: Survey, data: st.DataObject) -> None:
    records = data.draw(records_of(survey))
    whole = Tally.of(survey, records)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(records)), max_size=4)))
    parts = [Tally.of(survey, part) for part in np.split(records, cuts)]
    shuffler = data.draw(st.randoms(use_true_random=False))
    assert merged(parts, shuffler) == whole
    assert whole + Tally.empty(survey) == whole == Tally.empty(survey) + whole


def merged(parts: list[Tally], shuffler: random.Random) -> Tally:
    """Merge two random tallies until one is left."""
    left = list(parts)
    while len(left) > 1:
        shuffler.shuffle(left)
        left.append(left.pop() + left.pop())
    return left[0]


WAVES = dataclasses.replace(survey_of(YES_NO, TEXT), waves=5)


@settings(max_examples=40)
@given(records_of(WAVES, max_reports=30), st.randoms(use_true_random=False))
def test_tallies_of_waves_merge_in_any_order(records: Any, shuffler: random.Random) -> None:
    waves = WAVES.layout.numbers(records, WAVE)
    parts = [Tally.of(WAVES, records[waves == wave]) for wave in range(1, 6)]
    whole = merged(parts, shuffler)
    assert whole == Tally.of(WAVES, records)
    assert whole.reports_by_wave == dict(sorted(Counter(waves.tolist()).items()))
    assert (whole.n_reports, whole.waves) == (len(records), tuple(whole.reports_by_wave))
    assert Tally.by_wave(WAVES, records) == {part.waves[0]: part for part in parts if part.n_reports}
    assert Tally.from_json(whole.to_json()) == whole
    assert Tally.unpack(WAVES, sum((part.pack() for part in parts), Tally.empty(WAVES).pack())) == whole
    assert whole - parts[0] == merged(parts[1:], shuffler)


TEXT_TALLY = load_json(
    Tally.of(
        WAVES, WAVES.perturb({"q0": [1] * 10, "q1": ["home"] * 10}, Coins(hmac_bytes(bytes(32), b"")), wave=2)
    ).to_json(),
    TallyError,
)


@pytest.mark.parametrize(
    ("change", "where", "message"),
    [
        (lambda d: d.pop("reports_by_wave"), "$.reports_by_wave", "is missing"),
        (lambda d: d.update(reports_by_wave={}), "$.reports_by_wave", "add up, with n_unsplit, to n_reports (10)"),
        (lambda d: d.update(reports_by_wave={"2": 9}), "$.reports_by_wave", "add up"),
        (lambda d: d.update(reports_by_wave={"2": 10, "3": 1}), "$.reports_by_wave", "add up"),
        (lambda d: d.update(reports_by_wave={"0": 10}), "$.reports_by_wave", "waves in [1, 5], each with an integer"),
        (lambda d: d.update(reports_by_wave={"6": 10}), "$.reports_by_wave", "waves in [1, 5]"),
        (lambda d: d.update(reports_by_wave={"02": 10}), "$.reports_by_wave", "waves in [1, 5]"),
        (lambda d: d.update(reports_by_wave={"2": 11}), "$.reports_by_wave", "integer in [1, 10]"),
        (lambda d: d.update(reports_by_wave={"2": 10, "3": 0}), "$.reports_by_wave", "integer in [1, 10]"),
        (lambda d: d.update(reports_by_wave={"2": -1, "3": 11}), "$.reports_by_wave", "integer in [1, 10]"),
        (lambda d: d.update(reports_by_wave={"2": True, "3": 9}), "$.reports_by_wave", "integer in [1, 10]"),
        (lambda d: d.update(reports_by_wave=[[2, 10]]), "$.reports_by_wave", "must be an object"),
        (lambda d: d.update(n_unsplit=1), "$.reports_by_wave", "add up"),
        (lambda d: d.update(n_unsplit=1, reports_by_wave={"2": 9}), "$.reports_by_wave", "add up"),
        (lambda d: d.update(n_unsplit=0), "$.n_unsplit", "integer in [1, 10]"),
        (lambda d: d.update(waves=[2]), "$", "unknown member 'waves'"),
        (lambda d: d["support_counts"]["q1"].pop(), "$.support_counts.q1", "must be 5 lists of 21 counts"),
        (lambda d: d["support_counts"]["q1"][0].pop(), "$.support_counts.q1", "must be a list of lists"),
        (lambda d: [row.pop() for row in d["support_counts"]["q1"]], "$.support_counts.q1", "must be 5 lists of 21"),
        (lambda d: d["support_counts"].update(q1=[0] * 105), "$.support_counts.q1", "must be a list of lists"),
        (
            lambda d: d.update(n_reports=11, reports_by_wave={"2": 11}),
            "$.support_counts.q1",
            "add up to n_reports (11)",
        ),
        (lambda d: d["support_counts"]["q1"][4].__setitem__(20, 10), "$.support_counts.q1", "at most the total"),
    ],
)
def test_an_impossible_tally_of_strings_or_waves_is_refused(change: Any, where: str, message: str) -> None:
    document = copy.deepcopy(TEXT_TALLY)
    change(document)
    with pytest.raises(TallyError) as caught:
        Tally.from_json(canonical_json(document))
    assert (caught.value.where, message in caught.value.problem) == (where, True), caught.value


def test_a_tally_of_one_wave_states_none() -> None:
    with pytest.raises(TallyError, match="unknown member 'reports_by_wave'"):
        Tally.from_json(canonical_json(GOOD | {"reports_by_wave": {"1": 10}}))
    assert b"wave" not in Tally.of(SURVEY, simulated(3)).to_json()


def test_a_merge_changes_neither_tally() -> None:
    one, other = Tally.of(SURVEY, simulated(10)), Tally.of(SURVEY, simulated(20))
    before = one.to_json(), other.to_json()
    assert (one + other).n_reports == 30
    assert (one.to_json(), other.to_json()) == before


def test_tallies_of_different_surveys_do_not_merge() -> None:
    other = survey_of(YES_NO, ONE_OF | {"mechanism": "k-ary"}, ANY_OF | {"max_selected": 3})
    with pytest.raises(TallyError, match=r"\$\.survey: must be the same"):
        Tally.empty(SURVEY) + Tally.empty(other)


def test_equal_tallies_have_equal_hashes() -> None:
    one, same = Tally.of(SURVEY, simulated(10)), Tally.of(SURVEY, simulated(10)[::-1])
    assert one == same
    assert len({one, same, Tally.empty(SURVEY)}) == 2
    assert one != "a tally"


@settings(max_examples=20)
@given(surveys, st.data())
def test_tallies_read_back_from_json(survey: Survey, data: st.DataObject) -> None:
    tally = Tally.of(survey, data.draw(records_of(survey)))
    again = Tally.from_json(tally.to_json())
    assert again == tally == Tally.from_json(tally.to_json().decode())
    assert again.survey == survey
    assert again.to_json() == tally.to_json()
    assert Tally.from_json(json.dumps(json.loads(tally.to_json(), parse_float=float), indent=1)) == tally


def test_no_records_at_all_are_the_empty_tally() -> None:
    assert Tally.of(SURVEY, stack_records([])) == Tally.empty(SURVEY)
    assert Tally.empty(SURVEY).n_reports == 0


def test_records_of_another_survey_are_refused() -> None:
    with pytest.raises(ReportError, match=r"shape \(n, 4\)"):
        Tally.of(SURVEY, np.zeros((3, 5), np.uint8))
    with pytest.raises(ReportError, match=r"must be numbers in \[0, 2\]"):
        Tally.of(SURVEY, np.full((3, 4), 3, np.uint8))


GOOD = load_json(Tally.of(SURVEY, simulated(10)).to_json(), TallyError)
COUNTS = GOOD["support_counts"]


def tampered(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in (GOOD | changes).items() if value is not None}


def counting(**changes: Any) -> dict[str, Any]:
    return tampered(support_counts={key: value for key, value in (COUNTS | changes).items() if value is not None})


WRONG: list[tuple[Any, str, str]] = [
    ([], "$", "must be an object"),
    (tampered(format="sottovoce-tally-3"), "$.format", "must be one of sottovoce-tally-2, sottovoce-tally-1"),
    (tampered(format=None), "$.format", "is missing"),
    (tampered(extra=1), "$", "unknown member 'extra'"),
    (tampered(n_reports=None), "$.n_reports", "is missing"),
    (tampered(n_reports=-1), "$.n_reports", "must be an integer in"),
    (tampered(n_reports=True), "$.n_reports", "must be an integer in"),
    (tampered(n_reports="10"), "$.n_reports", "must be an integer in"),
    (tampered(n_reports=MAX_REPORTS + 1), "$.n_reports", "must be an integer in"),
    (tampered(n_reports=10**400), "$.n_reports", "must be an integer in"),
    (tampered(n_reports=1), "$.support_counts.q0", "must be a list of integers in [0, 1]"),
    (tampered(n_reports=11), "$.support_counts.q1", "must add up to n_reports (11)"),
    (tampered(survey=None), "$.survey", "is missing"),
    (tampered(survey=[]), "$.survey", "must be an object"),
    (tampered(support_counts=[]), "$.support_counts", "must be an object"),
    (counting(q0=None), "$.support_counts.q0", "is missing"),
    (counting(q9=[1]), "$.support_counts", "unknown member 'q9'"),
    (counting(q0=[]), "$.support_counts.q0", "must be a list of integers"),
    (counting(q0=[11]), "$.support_counts.q0", "must be a list of integers in [0, 10]"),
    (counting(q0=[-1]), "$.support_counts.q0", "must be a list of integers"),
    (counting(q0=[True]), "$.support_counts.q0", "must be a list of integers"),
    (counting(q0=["1"]), "$.support_counts.q0", "must be a list of integers"),
    (counting(q0=[10**400]), "$.support_counts.q0", "must be a list of integers"),
    (counting(q0=[[1]]), "$.support_counts.q0", "must be a list of integers"),
    (counting(q0=[1, 2]), "$.support_counts.q0", "must be 1 counts"),
    (counting(q1=[10, 0]), "$.support_counts.q1", "must be 3 counts"),
    (counting(q1=[4, 4, 4]), "$.support_counts.q1", "must add up to n_reports (10)"),
    (counting(q2=[0] * 10), "$.support_counts.q2", "must be 9 counts"),
]


@pytest.mark.parametrize(("document", "where", "message"), WRONG, ids=range(len(WRONG)))
def test_an_impossible_tally_is_refused_where_it_is_wrong(document: Any, where: str, message: str) -> None:
    with pytest.raises(TallyError) as caught:
        Tally.from_json(canonical_json(document))
    assert caught.value.where == where
    assert message in caught.value.problem


def test_a_tally_whose_survey_is_untruthful_is_refused() -> None:
    document = load_json(canonical_json(GOOD), TallyError)
    document["survey"]["questions"][0]["epsilon"] = 0
    with pytest.raises(SurveyError, match="but the thresholds take"):
        Tally.from_json(canonical_json(document))


def test_counts_that_overflow_64_bits_do_not_add_up() -> None:
    """4096 counts of 2**52 are 2**64, which is 0 in 64 bits; what is put on top makes that sum n_reports."""
    survey = survey_of(ONE_OF | {"options": [str(i) for i in range(4096)], "mechanism": "k-ary"})
    counts = np.full(4096, 2**52, np.int64)
    counts[:3] += 2**52 - 1, 2**52 - 1, 1
    n_reports = 2**53 - 1
    assert counts.max() == counts.sum() == n_reports
    with pytest.raises(TallyError, match="must add up to n_reports"):
        Tally(survey, {1: n_reports}, {"q0": counts})


@pytest.mark.parametrize(
    ("n_reports", "support_counts", "where"),
    [
        (-1, {}, "$.n_reports"),
        (0, {}, "$.support_counts"),
        (0, {"q0": np.zeros(1, np.int64), "extra": np.zeros(1, np.int64)}, "$.support_counts"),
        (0, {"q0": np.zeros(2, np.int64)}, "$.support_counts.q0"),
        (0, {"q0": np.zeros((1, 1), np.int64)}, "$.support_counts.q0"),
        (0, {"q0": np.zeros(1)}, "$.support_counts.q0"),
        (0, {"q0": np.ones(1, np.int64)}, "$.support_counts.q0"),
        (5, {"q0": np.array([-1])}, "$.support_counts.q0"),
    ],
)
def test_counts_that_no_reports_have_are_refused(n_reports: int, support_counts: Any, where: str) -> None:
    with pytest.raises(TallyError) as caught:
        Tally(survey_of(YES_NO), {1: n_reports}, support_counts)
    assert caught.value.where == where


MANY = survey_of({"type": "one-of", "options": [str(i) for i in range(40)], "mechanism": "oue", "epsilon": 1}, TEXT)
FAKES = np.array([[0xFF] * 5 + [0, 1, 0xFF, 0xFF, 0x0F]] * 3, np.uint8)
"""Reports that are all ones."""


@given(records_of(MANY, max_reports=20), records_of(MANY, max_reports=20))
def test_reports_are_taken_out_of_a_tally_as_they_were_put_in(these: Any, others: Any) -> None:
    whole = Tally.of(MANY, np.concatenate([these, FAKES, others]))
    assert whole - Tally.of(MANY, others) == Tally.of(MANY, np.concatenate([these, FAKES]))
    assert (whole - whole).pack().counts.tolist() == [0] * len(whole.pack().counts)
    assert whole - whole == Tally.empty(MANY)


def test_reports_that_are_not_in_a_tally_are_not_taken_out() -> None:
    none, fakes = Tally.empty(MANY), Tally.of(MANY, FAKES)
    with pytest.raises(TallyError, match=r"\$\.n_reports"):
        none - fakes
    honest = Tally.of(MANY, np.zeros((3, 10), np.uint8))
    with pytest.raises(TallyError, match=r"\$\.support_counts\.q0"):
        honest - fakes
    with pytest.raises(TallyError, match=r"\$\.survey"):
        honest - Tally.empty(EXAMPLE)


@settings(max_examples=40)
@given(surveys, st.data())
def test_packed_tallies_unpack_and_add_up(survey: Survey, data: st.DataObject) -> None:
    one, two = (Tally.of(survey, data.draw(records_of(survey))) for _ in range(2))
    whole = one + two
    added, left = (Tally.unpack(survey, packed) for packed in (one.pack() + two.pack(), whole.pack() - two.pack()))
    if survey.draw and survey.waves > 1:  # of which waves a question's reports are is not packed
        assert added.pack().counts.tolist() == whole.pack().counts.tolist()
        assert left.pack().counts.tolist() == one.pack().counts.tolist()
    else:
        assert (added, left) == (whole, one)


def test_packed_counts_are_the_questions_in_order_and_then_what_is_implausible() -> None:
    tally = Tally.of(MANY, FAKES)
    assert tally.implausible == {"q0": 3, "q1": 3}
    cohorts = [0] * 21 + [3] * 21 + [0] * 63
    packed = tally.pack()
    assert packed.counts.tolist() == [3] * 40 + cohorts + [3, 3]
    with pytest.raises(TallyError, match="packed counts must be 147 integers"):
        Tally.unpack(MANY, PackedTally(packed.counted, packed.counts[:-1]))


@pytest.mark.parametrize(
    ("implausible", "where", "message"),
    [
        ({"q0": 4, "q1": 0}, "$.implausible.q0", "must be an integer in [0, 3]."),
        ({"q0": -1, "q1": 0}, "$.implausible.q0", "must be an integer in [0, 3]."),
        ({"q0": True, "q1": 0}, "$.implausible.q0", "must be an integer in [0, 3]."),
        ({"q0": 0}, "$.implausible.q1", "is missing; expected an integer in [0, 3]."),
        ({"q0": 0, "q1": 0, "q2": 0}, "$.implausible", "has an unknown member 'q2'."),
        ([0, 0], "$.implausible", "must be an object."),
    ],
)
def test_impossible_numbers_of_implausible_reports_are_refused(implausible: Any, where: str, message: str) -> None:
    document = load_json(Tally.of(MANY, FAKES).to_json(), TallyError) | {"implausible": implausible}
    with pytest.raises(TallyError) as caught:
        Tally.from_json(canonical_json(document))
    assert caught.value.where == where
    assert caught.value.problem.startswith(message)


def test_none_is_implausible_where_every_report_is_plausible() -> None:
    document = load_json(Tally.of(SURVEY, simulated(5)).to_json(), TallyError)
    document["implausible"]["q1"] = 1
    with pytest.raises(TallyError, match=r"\$\.implausible\.q1: must be an integer in \[0, 0\]"):
        Tally.from_json(canonical_json(document))


def test_more_reports_than_json_keeps_exactly_do_not_merge() -> None:
    survey = survey_of(YES_NO)
    most = Tally(survey, {1: MAX_REPORTS}, {"q0": np.array([MAX_REPORTS])})
    assert Tally.from_json(most.to_json()) == most
    with pytest.raises(TallyError, match=r"\$\.n_reports"):
        most + Tally(survey, {1: 1}, {"q0": np.array([1])})


@given(st.one_of(st.binary(), st.text()))
def test_any_text_is_refused(text: str | bytes) -> None:
    with pytest.raises(TallyError):
        Tally.from_json(text)


def test_the_examples_tally_survives_a_million_reports_worth_of_counts() -> None:
    counts = {q.id: np.zeros(q.mechanism.n_values, np.int64) for q in EXAMPLE.questions}
    for question in EXAMPLE.questions:
        counts[question.id][-1] = 10**6
    tally = Tally(EXAMPLE, {1: 10**6}, counts)
    assert counts_of(tally + tally)["q3"][-1] == 2 * 10**6


COHORTS = survey_of(YES_NO, TEXT, TEXT)
COHORT_WAVES = dataclasses.replace(COHORTS, waves=3)


def tally_in(survey: Survey, n: int, wave: int = 1) -> Tally:
    answers = {"q0": np.arange(n) % 2, "q1": ["a"] * n, "q2": ["b"] * n}
    return Tally.of(survey, survey.perturb(answers, Coins(hmac_bytes(bytes(32), b"%d" % n)), wave))


def test_question_that_is_held_back_keeps_the_counts_of_fewer_reports() -> None:
    given, now = tally_in(COHORTS, 20), tally_in(COHORTS, 50)
    held = now.hold_back(["q1"], given)
    assert (held.n_reports, held.counted("q0").n_reports) == (50, 50)
    assert (held.counted("q1").n_reports, held.counted("q2").n_reports) == (20, 50)
    assert held.support_counts["q1"].tolist() == given.support_counts["q1"].tolist()
    assert held.support_counts["q2"].tolist() == now.support_counts["q2"].tolist()
    assert json.loads(held.to_json())["behind"] == {"q1": {"n_reports": 20}}
    assert "behind" not in json.loads(now.to_json())
    assert now.hold_back([], given) == now


@pytest.mark.parametrize("survey", [COHORTS, COHORT_WAVES])
def test_tally_that_is_held_back_round_trips(survey: Survey) -> None:
    held = tally_in(survey, 50).hold_back(["q1", "q2"], Tally.empty(survey)).hold_back(["q2"], tally_in(survey, 20))
    assert Tally.from_json(held.to_json()) == held
    assert Tally.from_json(held.to_json()).behind == held.behind
    assert Tally.unpack(survey, held.pack(), is_released=True) == held
    with pytest.raises(TallyError, match="add up to n_reports"):
        Tally.unpack(survey, held.pack())


def test_held_back_tallies_merge_into_what_both_have() -> None:
    first, second = tally_in(COHORT_WAVES, 40), tally_in(COHORT_WAVES, 30, wave=2)
    held = first.hold_back(["q1"], Tally.empty(COHORT_WAVES))
    merged = held + second
    assert merged == second + held
    assert (merged.n_reports, merged.waves, merged.reports_by_wave) == (70, (1, 2), {1: 40, 2: 30})
    assert merged.counted("q1") == Counted({2: 30})
    assert merged.counted("q2") == Counted({1: 40, 2: 30})
    assert merged - second == held


@pytest.mark.parametrize(
    ("behind", "where"),
    [
        ({"q0": {"n_reports": 0}}, "$.behind"),
        ({"q9": {"n_reports": 0}}, "$.behind"),
        ({"q1": {"n_reports": 51}}, "$.behind.q1.n_reports"),
        ({"q1": {"n_reports": -1}}, "$.behind.q1.n_reports"),
        ({"q1": {}}, "$.behind.q1.n_reports"),
        ({"q1": {"n_reports": 20, "waves": [1]}}, "$.behind.q1"),
        ({"q1": {"n_reports": 19}}, "$.support_counts.q1"),
        ({"q1": 20}, "$.behind.q1"),
        ([], "$.behind"),
        ({}, "$.support_counts.q1"),
    ],
)
def test_what_is_held_back_is_read_strictly(behind: Any, where: str) -> None:
    document = json.loads(tally_in(COHORTS, 50).hold_back(["q1"], tally_in(COHORTS, 20)).to_json())
    with pytest.raises(TallyError) as caught:
        Tally.from_json(json.dumps(document | {"behind": behind}))
    assert caught.value.where.startswith(where)


@pytest.mark.parametrize("by_wave", [{"2": 20}, {"3": 20}, {"1": 19}, {"1": 13, "2": 7}, {"0": 20}, {}, {"4": 20}])
def test_reports_of_what_is_held_back_are_some_of_the_tallys(by_wave: dict[str, int]) -> None:
    whole = tally_in(COHORT_WAVES, 50) + tally_in(COHORT_WAVES, 6, wave=2)
    document = json.loads(whole.hold_back(["q1"], tally_in(COHORT_WAVES, 20)).to_json())
    assert document["behind"] == {"q1": {"n_reports": 20, "reports_by_wave": {"1": 20}}}
    with pytest.raises(TallyError, match=r"behind\.q1"):
        Tally.from_json(json.dumps(document | {"behind": {"q1": {"n_reports": 20, "reports_by_wave": by_wave}}}))
