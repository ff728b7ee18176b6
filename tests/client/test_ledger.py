"""The budget: what is added, what is refused, and what a moved clock changes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, strategies as st

from devices import PULSE
from sotto_client import BudgetExceeded, Receipt
from sotto_client.ledger import Entry, Ledger, Limits, epsilon_of_report, write_epsilon
from sotto_client.state import State

TODAY = date(2026, 3, 1)
SECRET = b"s" * 32
LIMITS = Limits.of(8.0, 16.0, 30)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(State.open(":memory:")) as state, state.write() as connection:
        yield connection


@pytest.fixture
def ledger(connection: sqlite3.Connection) -> Ledger:
    return Ledger(connection)


def entry(fingerprint: str, epsilon: str, *, survey_id: str = "s", day: date = TODAY, marks: bytes = b"\x01") -> Entry:
    return Entry(fingerprint, 1, 1, survey_id, Decimal(epsilon), day, f"receipt-{fingerprint}", SECRET, marks)


def test_what_was_charged_is_read_back(ledger: Ledger) -> None:
    made = entry("f", "1.098612288669")
    ledger.charge(made, LIMITS)
    assert ledger.entries() == [made]


def test_one_survey_may_take_its_limit_to_the_last_digit_and_no_more(ledger: Ledger) -> None:
    ledger.charge(entry("a", "7.999999999999"), LIMITS)
    with pytest.raises(BudgetExceeded, match="max_epsilon") as caught:
        ledger.charge(entry("b", "0.000000000002"), LIMITS)
    assert caught.value.left == Decimal("0.000000000001")
    ledger.charge(entry("c", "0.000000000001"), LIMITS)
    assert len(ledger.entries()) == 2


def test_a_refusal_says_what_would_be_spent_what_is_left_and_which_limit(ledger: Ledger) -> None:
    ledger.charge(entry("a", "6", survey_id="x"), LIMITS)
    ledger.charge(entry("b", "6", survey_id="y"), LIMITS)
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge(entry("c", "4.5", survey_id="z"), LIMITS)
    assert str(caught.value) == (
        "answering survey z would spend epsilon 4.5, but max_period_epsilon (16) leaves 4 for 30 days."
    )
    assert (caught.value.needed, caught.value.left, caught.value.limit) == (Decimal("4.5"), 4, "max_period_epsilon")
    assert len(ledger.entries()) == 2


@pytest.mark.parametrize(
    ("days_ago", "counts"), [(0, True), (29, True), (30, False), (4000, False), (-1, True), (-4000, True)]
)
def test_the_period_counts_its_days_and_all_later_ones(ledger: Ledger, days_ago: int, counts: bool) -> None:
    """An entry of a later day means that the clock went back: no budget is freed by that."""
    for number in range(2):
        ledger.charge(entry(str(number), "8", survey_id=str(number), day=TODAY - timedelta(days_ago)), LIMITS)
    if counts:
        with pytest.raises(BudgetExceeded, match="max_period_epsilon"):
            ledger.charge(entry("new", "1", survey_id="new"), LIMITS)
    else:
        ledger.charge(entry("new", "1", survey_id="new"), LIMITS)


def test_a_surveys_own_limit_never_frees_up(ledger: Ledger) -> None:
    ledger.charge(entry("a", "8", day=TODAY - timedelta(4000)), LIMITS)
    with pytest.raises(BudgetExceeded, match=r"max_epsilon \(8\) leaves 0 for survey s"):
        ledger.charge(entry("b", "1"), LIMITS)


def test_the_first_days_of_the_calendar_do_no_harm(ledger: Ledger) -> None:
    ledger.charge(entry("a", "1", day=date.min), LIMITS)
    assert ledger.entries()[0].day == date.min


def test_lower_limits_than_what_was_spent_leave_nothing(ledger: Ledger) -> None:
    ledger.charge(entry("a", "8"), LIMITS)
    with pytest.raises(BudgetExceeded) as caught:
        ledger.charge(entry("b", "1"), Limits.of(2, 16, 30))
    assert caught.value.left == 0


def test_a_report_is_found_by_its_surveys_fingerprint(ledger: Ledger) -> None:
    assert ledger.find("f") == {}
    ledger.charge(entry("f", "1"), LIMITS)
    assert ledger.find("f") == {1: entry("f", "1")}
    assert ledger.find("g") == {}
    assert entry("f", "1").to_receipt() == Receipt("receipt-f", "s", "f", Decimal(1), 1)


def test_settling_wipes_the_secret_and_the_marks_and_leaves_what_was_spent(ledger: Ledger) -> None:
    for fingerprint in ("f", "g"):
        ledger.charge(entry(fingerprint, "1"), LIMITS)
    ledger.settle("receipt-f")
    assert ledger.entries() == [replace(entry("f", "1"), secret=None, marks=None), entry("g", "1")]


def test_marks_of_zeros_are_not_taken_for_forgotten_ones(ledger: Ledger) -> None:
    ledger.charge(entry("f", "1", marks=b"\x00"), LIMITS)
    assert ledger.entries() == [entry("f", "1", marks=b"\x00")]


def in_wave(wave: int, fingerprint: str = "f") -> Entry:
    return replace(entry(fingerprint, "1"), wave=wave, waves=3, receipt=f"{fingerprint}-{wave}")


def test_the_report_of_the_last_wave_takes_the_secret_of_all_waves_with_it(ledger: Ledger) -> None:
    made = [in_wave(wave) for wave in (1, 2, 3)] + [in_wave(3, "g")]
    for one in made:
        ledger.charge(one, LIMITS)
    for receipt in ("f-1", "f-2", "unknown"):
        ledger.settle(receipt)
        assert ledger.entries() == made
    ledger.settle("f-3")
    assert ledger.entries() == [replace(one, secret=None, marks=None, epsilon=3) for one in made[:3]] + made[3:]
    assert [one.is_summed for one in ledger.entries()] == [True, True, True, False]
    assert [one.to_receipt().is_summed for one in ledger.entries()] == [True, True, True, False]


def test_a_report_by_which_the_survey_is_over_takes_the_secret_of_all_waves_too(ledger: Ledger) -> None:
    made = [in_wave(1), in_wave(2), in_wave(1, "g")]
    for one in made:
        ledger.charge(one, LIMITS)
    ledger.settle("f-1", ends_survey=True)
    assert [one.secret for one in ledger.entries()] == [None, None, SECRET]
    ledger.end("g")
    assert [one.secret for one in ledger.entries()] == [None] * 3


def test_a_sum_is_made_once_and_charged_once(ledger: Ledger) -> None:
    for wave, epsilon in ((1, "2.25"), (2, "1.1"), (3, "0")):
        ledger.charge(replace(in_wave(wave), epsilon=Decimal(epsilon)), LIMITS)
    for _ in range(2):
        ledger.settle("f-3")
        ledger.forget("s")
        ledger.end("f")
        assert [str(one.epsilon) for one in ledger.entries()] == ["3.35"] * 3
    ledger.charge(entry("new", "4.65"), LIMITS)
    with pytest.raises(BudgetExceeded, match=r"max_epsilon \(8\) leaves 0 for survey s"):
        ledger.charge(entry("more", "0.000000000001"), LIMITS)


def test_a_sum_counts_on_the_day_of_its_last_report(ledger: Ledger) -> None:
    days = {1: TODAY - timedelta(100), 3: TODAY - timedelta(29), 2: TODAY - timedelta(60)}
    for wave, day in days.items():
        ledger.charge(replace(in_wave(wave), day=day, epsilon=Decimal(2)), LIMITS)
    ledger.charge(entry("a", "8", survey_id="a"), LIMITS)
    fits = replace(entry("b", "6", survey_id="b"))
    ledger.settle("f-3")
    with pytest.raises(BudgetExceeded, match=r"max_period_epsilon \(16\) leaves 2 for 30 days"):
        ledger.charge(fits, LIMITS)
    ledger.charge(replace(fits, day=TODAY + timedelta(1)), LIMITS)


@given(st.decimals("0", "999999999", places=12))
def test_every_epsilon_is_kept_in_as_many_characters(epsilon: Decimal) -> None:
    with localcontext() as context:
        context.prec = 2
        written = write_epsilon(epsilon)
    assert len(written) == 30
    assert Decimal(written) == epsilon


def test_only_a_report_that_had_an_invitation_gets_another(ledger: Ledger) -> None:
    invited = replace(entry("f", "1"), invitation=b"a" * 16)
    for one in (invited, entry("g", "1")):
        ledger.charge(one, LIMITS)
    assert [ledger.admit(receipt, b"b" * 16) for receipt in ("receipt-f", "receipt-g", "none")] == [True, False, False]
    assert [one.invitation for one in ledger.entries()] == [b"b" * 16, None]


def test_forgetting_a_survey_wipes_all_its_versions_and_no_other_survey(ledger: Ledger) -> None:
    made = [in_wave(1), in_wave(2, "g"), entry("other", "1", survey_id="t")]
    for one in made:
        ledger.charge(one, LIMITS)
    ledger.forget("s")
    assert ledger.entries() == [replace(one, secret=None, marks=None) for one in made[:2]] + made[2:]


def test_a_report_that_takes_nothing_more_is_never_refused(ledger: Ledger) -> None:
    ledger.charge(in_wave(1), LIMITS)
    free = replace(in_wave(2), epsilon=Decimal(0))
    ledger.charge(free, Limits.of(0.5, 0.5, 30))  # lower than what is spent
    assert ledger.find("f") == {1: in_wave(1), 2: free}


ALPHABET = [letter * 32 for letter in (b"a", b"b", b"c")]


@given(st.lists(st.lists(st.sampled_from(ALPHABET), min_size=3, max_size=3), min_size=1, max_size=9))
def test_every_answer_has_a_pot_that_never_takes_more_than_for_ever(waves: list[list[bytes]]) -> None:
    """An answer that was given in n waves has taken what n reports take, to the last digit."""
    earlier: list[Entry] = []
    for wave, tags in enumerate(waves, 1):
        taken = epsilon_of_report(PULSE, b"".join(tags), earlier)
        earlier.append(replace(in_wave(wave), epsilon=taken, marks=b"".join(tags)))
    expected = Decimal(0)
    for index, question in enumerate(PULSE.questions):
        given_tags = [tags[index] for tags in waves]
        taken = [question.epsilon_of(given_tags.count(tag)) for tag in {*given_tags}]
        assert max(taken) <= question.epsilon_forever
        expected += sum(taken)
    assert sum(entry.epsilon for entry in earlier) == expected


def test_the_pots_are_exact_whatever_decimal_context_the_app_has() -> None:
    marks = b"".join(ALPHABET)
    with localcontext() as context:
        context.prec = 1
        assert str(epsilon_of_report(PULSE, marks, [])) == "2.25"
        assert str(epsilon_of_report(PULSE, marks, charged(marks, "2.25", "1.661030698899"))) == "0.939651335875"


def charged(marks: bytes, *epsilons: str) -> list[Entry]:
    return [replace(in_wave(wave), marks=marks, epsilon=Decimal(each)) for wave, each in enumerate(epsilons, 1)]


def test_what_a_version_before_charged_too_much_counts_and_nothing_is_taken_back() -> None:
    """Three waves of the same answers take 4.850682034774; version 7 charged 2.25, 2.25, 1.1."""
    marks = b"".join(ALPHABET)
    assert str(epsilon_of_report(PULSE, marks, charged(marks, "2.25", "2.25"))) == "0.350682034774"
    assert str(epsilon_of_report(PULSE, marks, charged(marks, "2.25", "2.5"))) == "0.100682034774"
    assert str(epsilon_of_report(PULSE, marks, charged(marks, "2.25", "2.65"))) == "0"


@given(st.lists(st.decimals("0.001", "20", places=12), min_size=1, max_size=12))
def test_the_sum_is_exact_whatever_decimal_context_the_app_has(epsilons: list[Decimal]) -> None:
    total = sum(epsilons)
    with closing(State.open(":memory:")) as state, state.write() as connection, localcontext() as context:
        context.prec = 2
        ledger = Ledger(connection)
        for number, epsilon in enumerate(epsilons):
            ledger.charge(entry(str(number), str(epsilon), survey_id=str(number)), Limits(total, total, 30))
        with pytest.raises(BudgetExceeded):
            ledger.charge(entry("more", "0.000000000001", survey_id="more"), Limits(total, total, 30))


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), Decimal("NaN"), Decimal(0), True, "8", None])
def test_limits_outside_their_domain_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"max_epsilon .* must be finite and > 0"):
        Limits.of(value, 16, 30)  # type: ignore[arg-type]  # on purpose


def test_a_float_limit_means_what_is_written() -> None:
    assert Limits.of(0.1, Decimal("0.3"), 1) == Limits(Decimal("0.1"), Decimal("0.3"), 1)
