"""The store's contract, which both databases keep: surveys once, every tally the sum of its reports, all or nothing."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import delete

from collecting import (
    SMALL,
    STRINGS,
    SURVEY,
    count_and_fail,
    count_here,
    execute,
    make_batch,
    make_reports,
    publish_here,
    tally_of,
)
from sotto_collector.errors import StoreError, StoreUnavailableError, SurveyExistsError
from sotto_collector.intake.counting import Outcome, count_batches, prepare_batches
from sotto_collector.store import Part, Store, StoredToken, TokenTable, schema
from sotto_collector.store.recount import check_integrity
from sotto_protocol import Report, Tally, compile_toml


@pytest.fixture
def other(db: str, store: Store) -> Iterator[Store]:
    """A second store on the same database, as another process has one."""
    with closing(Store(db)) as opened:
        yield opened


def add_reports(store: Store, reports: list[Report]) -> None:
    count_here(store, publish_here(store), reports)


def test_reopened_database_has_what_was_stored(db: str, store: Store) -> None:
    reports = make_reports(50)
    add_reports(store, reports)
    with closing(Store(db)) as again:
        stored = publish_here(again)
        assert stored.survey.canonical == SURVEY.canonical
        assert dict(again.read_reports(stored)) == {report.id: report.record for report in reports}


def test_stores_that_open_a_new_database_together_make_it_once(empty_db: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(Store, [empty_db] * 8))
        assert sorted(pool.map(lambda store: store.add_survey(SURVEY), stores)) == [False] * 7 + [True]
    for store in stores:
        assert [stored.survey.id for stored in store.list_surveys()] == ["habits"]
        store.close()


def test_closing_twice_is_closing(db: str) -> None:
    store = Store(db)
    store.close()
    store.close()


def test_same_survey_is_stored_once(store: Store) -> None:
    assert store.add_survey(SURVEY) is True
    assert store.add_survey(SURVEY) is False
    assert [found.survey.id for found in store.list_surveys()] == ["habits"]


def test_other_survey_of_the_same_id_is_refused(store: Store) -> None:
    store.add_survey(SURVEY)
    other = compile_toml(
        'id = "habits"\ntitle = "x"\nquestions = [{id = "a", type = "yes-no", text = "?", epsilon = 1}]'
    )
    with pytest.raises(SurveyExistsError):
        store.add_survey(other)
    assert publish_here(store).survey.fingerprint == SURVEY.fingerprint


def test_surveys_are_listed_by_id_and_an_unknown_one_is_none(store: Store) -> None:
    for survey in (STRINGS, SMALL, SURVEY):
        store.add_survey(survey)
    assert [stored.survey for stored in store.list_surveys()] == [SURVEY, SMALL, STRINGS]
    assert store.find_survey("nobody") is None


def test_settings_of_a_survey_are_kept_and_are_no_part_of_what_it_is(store: Store, other: Store) -> None:
    before = publish_here(store)
    assert (before.is_open, before.cors_origins, before.reports_per_minute) == (True, (), None)
    store.set_survey(before.key, cors_origins="https://a.example https://b.example", reports_per_minute=7)
    store.close_survey(before.key)
    after = publish_here(other)
    assert (after.is_open, after.reports_per_minute) == (False, 7)
    assert after.cors_origins == ("https://a.example", "https://b.example")
    assert after == before
    other.set_survey(before.key, cors_origins="", reports_per_minute=None)
    assert (publish_here(store).cors_origins, publish_here(store).reports_per_minute) == ((), None)


def test_tally_is_the_sum_of_all_transactions(store: Store) -> None:
    store.add_survey(SMALL)
    every = make_reports(700)
    for start in range(0, 700, 70):
        add_reports(store, every[start : start + 70])
    stored = publish_here(store)
    assert store.read_tally(stored) == tally_of(SURVEY, every) == store.recount(stored)
    assert store.count_tallied(stored.key) == 700
    small = publish_here(store, SMALL)
    assert store.read_tally(small) == Tally.empty(SMALL)
    assert store.count_tallied(small.key) == 0


def test_every_wave_has_a_tally_and_all_together_are_their_sum(store: Store) -> None:
    stored = publish_here(store, STRINGS)
    assert store.read_tally(stored) == Tally.empty(STRINGS) == store.recount(stored)
    assert store.read_tally(stored, 2).waves == ()
    reports = {wave: make_reports(n, STRINGS, wave) for wave, n in ((3, 30), (1, 20))}
    for wave, sent in reports.items():
        count_here(store, stored, sent)
        assert store.read_tally(stored, wave) == tally_of(STRINGS, sent) == store.recount(stored, wave)
    assert store.read_tally(stored, 2) == Tally.empty(STRINGS) == store.recount(stored, 2)
    pooled = store.read_tally(stored)
    assert pooled == tally_of(STRINGS, reports[1] + reports[3]) == store.recount(stored)
    assert pooled.waves == (1, 3)
    assert [counts.shape for counts in pooled.support_counts.values()] == [(1,), (5, 21), (300, 10)]
    check_integrity(store)


def test_integrity_check_finds_a_report_that_was_counted_in_another_wave(store: Store) -> None:
    stored = publish_here(store, STRINGS)
    count_here(store, stored, make_reports(10, STRINGS, 1) + make_reports(5, STRINGS, 2))
    check_integrity(store)
    execute(store, "UPDATE tallies SET cell = cell + 10")
    execute(store, "UPDATE tallies SET cell = 13 - cell")  # they have changed places
    stated, found = store.read_tally(stored), store.recount(stored)
    assert stated.pack().counts.tolist() == found.pack().counts.tolist()
    assert (stated.reports_by_wave, found.reports_by_wave) == ({1: 5, 2: 10}, {1: 10, 2: 5})
    with pytest.raises(StoreError, match="tally of strings differs"):
        check_integrity(store)


def test_integrity_check_finds_a_tally_that_differs_from_its_reports(store: Store) -> None:
    reports = make_reports(20)
    add_reports(store, reports)
    check_integrity(store)
    with store.transaction() as transaction:
        for table in (schema.inbox, schema.reports):
            transaction.connection.execute(delete(table).where(table.c.report_id == reports[0].id))
    with pytest.raises(StoreError, match="tally of habits differs"):
        check_integrity(store)


def test_error_inside_a_transaction_leaves_nothing_behind_and_the_next_one_works(store: Store) -> None:
    add_reports(store, make_reports(10))
    stored = publish_here(store)
    with pytest.raises(StoreUnavailableError) as caught:
        count_and_fail(store, make_batch(stored, make_reports(5)))
    assert "SELECT" not in str(caught.value)  # the statement and its values stay out of the words
    assert len(store.read_reports(stored)) == store.read_tally(stored).n_reports == 10
    add_reports(store, make_reports(5))
    assert store.recount(stored).n_reports == store.read_tally(stored).n_reports == 15


def test_bug_inside_a_transaction_leaves_nothing_behind(store: Store) -> None:
    stored = publish_here(store)
    group = prepare_batches([make_batch(stored, make_reports(5))])
    with pytest.raises(ZeroDivisionError):
        store.run(lambda transaction: (count_batches(transaction, group), 1 / 0))
    assert store.read_reports(stored) == []
    assert store.read_tally(stored) == Tally.empty(SURVEY)


def test_two_stores_may_write_to_one_database(store: Store, other: Store) -> None:
    stored, sent = publish_here(store), [make_reports(3) for _ in range(40)]
    with ThreadPoolExecutor(8) as pool:
        for here in (store, other):
            for reports in sent:  # both are sent every batch
                pool.submit(count_here, here, stored, reports)
    check_integrity(store)
    assert store.read_tally(stored) == tally_of(SURVEY, [report for reports in sent for report in reports])


def test_of_one_id_the_first_bits_stay_whichever_store_was_sent_the_others(store: Store, other: Store) -> None:
    stored = publish_here(store)
    first, second = (Report(b"i" * 16, report.record) for report in make_reports(2))
    assert first.record != second.record
    assert count_here(store, stored, [first]) == [Outcome(1, 0, 0)]
    assert count_here(other, stored, [first]) == [Outcome(0, 1, 0)]
    assert count_here(other, stored, [second]) == [Outcome(0, 1, 1)]
    assert store.read_reports(stored) == [(first.id, first.record)]
    assert store.read_tally(stored) == tally_of(SURVEY, [first])


def test_reader_does_not_see_what_is_not_committed(store: Store, other: Store) -> None:
    stored = publish_here(store)
    with store.transaction() as transaction:
        count_batches(transaction, prepare_batches([make_batch(stored, make_reports(5))]))
        assert other.read_reports(stored) == store.read_reports(stored) == []
    assert len(other.read_reports(stored)) == 5


def test_open_records_are_one_state_while_others_write(store: Store, other: Store) -> None:
    stored, reports = publish_here(store), sorted(make_reports(3000), key=lambda report: report.id)
    count_here(store, stored, reports[::2])
    with store.open_records(stored) as records:
        chunks = records.chunks()
        content = next(chunks)
        count_here(other, stored, reports[1::2])
        assert other.erase_report(stored, reports[2998].id)
        content += b"".join(chunks)
    assert records.n_records == 1500
    assert content == b"".join(report.record for report in reports[::2])


@pytest.mark.parametrize("n_parts", [1, 3, 16])
def test_parts_of_the_records_are_all_of_them_once(store: Store, n_parts: int) -> None:
    stored = publish_here(store, STRINGS)
    reports = [*make_reports(150, STRINGS, 1), *make_reports(50, STRINGS, 3)]
    edges = [bytes(16), b"\xff" * 16]
    edges += [(65536 * index // n_parts).to_bytes(2, "big") + bytes(14) for index in range(1, n_parts)]
    reports += [Report(key, report.record) for key, report in zip(edges, make_reports(17, STRINGS, 2), strict=False)]
    count_here(store, stored, reports)
    for wave in (None, 1, 2):
        parts = []
        for index in range(n_parts):
            with store.open_records(stored, wave, Part(index, n_parts)) as records:
                parts.append(b"".join(records.chunks()))
                assert len(parts[-1]) == records.n_records * records.width
        with store.open_records(stored, wave) as records:
            assert b"".join(parts) == b"".join(records.chunks()) != b""
    low, high = 65536 * (n_parts - 1) // n_parts, 65536
    expected = [key for key, _ in store.read_reports(stored) if low <= int.from_bytes(key[:2], "big") < high]
    assert len(parts[-1]) < records.n_records * records.width or n_parts == 1
    with store.open_records(stored, None, Part(n_parts - 1, n_parts)) as records:
        assert records.n_records == len(expected)


@pytest.mark.parametrize(("index", "n_parts"), [(0, 0), (1, 1), (-1, 4), (0, 4097), (4, 4)])
def test_part_that_is_none_is_refused(index: int, n_parts: int) -> None:
    with pytest.raises(ValueError, match="part must be i/n"):
        Part(index, n_parts)


def test_tokens_are_kept_as_hashes_until_removed(store: Store) -> None:
    table = TokenTable(store)
    bob, eve = StoredToken(b"h" * 32, "analyst", "bob"), StoredToken(b"e" * 32, "admin", "eve", "habits", 2**33)
    for token in (eve, bob):
        table.add(token)
    assert [table.find(b"h" * 32), table.find(b"e" * 32), table.find(b"x" * 32)] == [bob, eve, None]
    assert table.list() == [bob, eve]
    table.replace(b"h" * 32, 99, StoredToken(b"n" * 32, "analyst", "new"))
    assert table.find(b"h" * 32) == StoredToken(b"h" * 32, "analyst", "bob", None, 99)
    assert table.find(b"n" * 32) == StoredToken(b"n" * 32, "analyst", "new")
    table.remove(b"h" * 32)
    table.remove(b"n" * 32)
    assert table.list() == [eve]


def test_store_is_writable_and_says_how_large_it_is(store: Store) -> None:
    store.check_writable(0)
    assert store.clean() is True
    assert store.dialect.count_bytes() > 0


def test_rewritten_store_has_the_same_reports_and_tallies(store: Store) -> None:
    stored, reports = publish_here(store), make_reports(100)
    for start in range(0, 100, 10):
        count_here(store, stored, reports[start : start + 10])
    store.rewrite()
    check_integrity(store)
    assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports}
    assert count_here(store, stored, reports) == [Outcome(0, 100, 0)]
