"""Batches are counted before their transaction begins; in it, what is stored already is taken out, exactly."""

import random

import pytest

from collecting import SMALL, STRINGS, make_batch, make_reports, publish_here
from sotto_collector.intake.counting import Outcome, count_batches, prepare_batches
from sotto_collector.store import Store
from sotto_protocol import Report, Survey, Tally

N_REPORTS = 60


def reports_of(survey: Survey) -> list[Report]:
    """Make reports, of all waves where there are several."""
    waves = range(1, survey.waves + 1)
    return [report for wave in waves for report in make_reports(N_REPORTS // survey.waves, survey, wave)]


@pytest.mark.parametrize("survey", [SMALL, STRINGS], ids=lambda survey: survey.id)
def test_reports_that_are_all_new_are_counted_before_the_transaction(
    store: Store, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, reports = publish_here(store, survey), reports_of(survey)
    group = prepare_batches([make_batch(stored, reports[:40]), make_batch(stored, reports[20:])])
    monkeypatch.setattr(Tally, "by_wave", lambda *_: pytest.fail("counted in the transaction"))
    assert store.run(lambda transaction: count_batches(transaction, group)) == [Outcome(40, 0), Outcome(20, 20)]
    assert store.read_tally(stored) == store.recount(stored)


@pytest.mark.few(4)
@pytest.mark.parametrize(
    "n_known", [1, 29, 31, 60, *(pytest.param(n, marks=pytest.mark.thorough) for n in (5, 30, 55, 59))]
)
@pytest.mark.parametrize("survey", [SMALL, STRINGS], ids=lambda survey: survey.id)
def test_reports_that_are_stored_already_are_not_in_what_is_added(store: Store, survey: Survey, n_known: int) -> None:
    """Some of them come with other bits, and others twice in the group."""
    chance = random.Random(n_known)  # noqa: S311  # an order, no secret
    stored, reports = publish_here(store, survey), reports_of(survey)
    chance.shuffle(reports)
    store.run(lambda transaction: count_batches(transaction, prepare_batches([make_batch(stored, reports[:n_known])])))
    changed = [Report(first.id, other.record) for first, other in zip(reports[:n_known:2], reports, strict=False)]
    sent = [*reports, *changed, *reports[:7]]
    chance.shuffle(sent)
    group = prepare_batches([make_batch(stored, sent[start : start + 9]) for start in range(0, len(sent), 9)])
    outcomes = store.run(lambda transaction: count_batches(transaction, group))
    assert sum(outcome.n_counted for outcome in outcomes if isinstance(outcome, Outcome)) == N_REPORTS - n_known
    for wave in range(1, survey.waves + 1):
        assert store.read_tally(stored, wave) == store.recount(stored, wave)
    assert store.read_tally(stored).n_reports == N_REPORTS
