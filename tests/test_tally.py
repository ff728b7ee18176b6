"""Tallies: the counts of a slow count, the same in any order of merging, and nothing impossible."""

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from published import ANY_OF, EXAMPLE, ONE_OF, YES_NO, records_of, survey_of, surveys
from sotto_protocol import Coins, ReportError, Survey, SurveyError, Tally, TallyError, hmac_bytes, stack_records
from sotto_protocol.documents import canonical_json, load_json
from sotto_protocol.tally import MAX_REPORTS

SURVEY = survey_of(YES_NO, ONE_OF | {"mechanism": "k-ary"}, ANY_OF)


def slow_counts(survey: Survey, records: Any) -> dict[str, list[int]]:
    """Count by reading what was sent: JSON values, one report at a time."""
    counts = {question.id: Counter[int]() for question in survey.questions}
    for record in records:
        sent = survey.to_wire(record)
        for question in survey.questions:
            packed = question.mechanism.from_wire([sent[question.id]])[0]
            counts[question.id].update(question.mechanism.supported(packed))
    return {q.id: [counts[q.id][value] for value in range(q.mechanism.n_values)] for q in survey.questions}


def counts_of(tally: Tally) -> dict[str, list[int]]:
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


@settings(max_examples=40)
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
    (tampered(format="sottovoce-tally-2"), "$.format", "must be one of sottovoce-tally-1"),
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
        Tally(survey, n_reports, {"q0": counts})


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
        Tally(survey_of(YES_NO), n_reports, support_counts)
    assert caught.value.where == where


def test_more_reports_than_json_keeps_exactly_do_not_merge() -> None:
    survey = survey_of(YES_NO)
    most = Tally(survey, MAX_REPORTS, {"q0": np.array([MAX_REPORTS])})
    assert Tally.from_json(most.to_json()) == most
    with pytest.raises(TallyError, match=r"\$\.n_reports"):
        most + Tally(survey, 1, {"q0": np.array([1])})


@given(st.one_of(st.binary(), st.text()))
def test_any_text_is_refused(text: str | bytes) -> None:
    with pytest.raises(TallyError):
        Tally.from_json(text)


def test_the_examples_tally_survives_a_million_reports_worth_of_counts() -> None:
    counts = {q.id: np.zeros(q.mechanism.n_values, np.int64) for q in EXAMPLE.questions}
    for question in EXAMPLE.questions:
        counts[question.id][-1] = 10**6
    tally = Tally(EXAMPLE, 10**6, counts)
    assert counts_of(tally + tally)["q3"][-1] == 2 * 10**6
