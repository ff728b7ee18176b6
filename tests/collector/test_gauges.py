"""What a store says of itself at /metrics: right, from one worker or several, cheap, and no finer than the counters."""

import math
import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from collecting import (
    INVITED,
    SMALL,
    SURVEY,
    Served,
    count_here,
    execute,
    invite_reports,
    make_reports,
    publish_here,
    serve,
)
from house import House
from sotto_collector.gauges import REST, STEP_BYTES, Gauges, Held, share
from sotto_collector.invitations import make_invitations
from sotto_collector.metrics import render
from sotto_collector.store import Store, StoredToken, TokenTable
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.upgrade import HEAD
from sotto_protocol import __version__

pytestmark = pytest.mark.later("postgres", "thorough")  # the queries are the same

DAY_S = 86400
Scrape = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(gauges: Gauges) -> Scrape:
    return parse(render(gauges.collect()).decode())


def parse(content: str) -> Scrape:
    found = [sample for family in text_string_to_metric_families(content) for sample in family.samples]
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in found}


def get(scrape: Scrape, name: str, **labels: str) -> float:
    return scrape[name, tuple(sorted(labels.items()))]


def test_states_tokens_restores_and_the_backup_are_told(store: Store) -> None:
    publish_here(store)
    store.close_survey(publish_here(store, SMALL).key)
    store.put_draft(replace(SMALL, id="planned"))
    now = int(time.time())
    for days in (3, 40, -1, None):
        ends = None if days is None else now + days * DAY_S
        TokenTable(store).add(StoredToken(os.urandom(32), "analyst", "", None, ends))
    store.today = lambda: "2026-03-05"
    execute(store, "UPDATE store SET n_restores = 2, last_backup_day = '2026-02-27', last_drill_day = '2026-02-01'")
    scrape = read(Gauges(store))
    assert [get(scrape, "sotto_surveys", state=state) for state in ("open", "closed", "draft")] == [1, 1, 1]
    assert [get(scrape, "sotto_tokens", ends=ends) for ends in ("never", "later", "soon", "over")] == [1, 1, 1, 1]
    assert get(scrape, "sotto_token_seconds_left") == pytest.approx(3 * DAY_S, abs=60)
    assert get(scrape, "sotto_backup_age_days") == 6
    assert get(scrape, "sotto_drill_age_days") == 32
    assert get(scrape, "sotto_restores") == 2
    kind = "sqlite" if ("sotto_log_bytes", ()) in scrape else "postgresql"
    assert get(scrape, "sotto_info", version=__version__, schema=HEAD, store=kind) == 1


def test_what_never_ends_and_was_never_made_is_infinite(store: Store) -> None:
    scrape = read(Gauges(store))
    assert get(scrape, "sotto_token_seconds_left") == math.inf
    assert get(scrape, "sotto_backup_age_days") == math.inf
    assert get(scrape, "sotto_drill_age_days") == math.inf


def test_acts_are_those_of_all_journals(store: Store, tmp_path: Path) -> None:
    assert get(read(Gauges(store)), "sotto_journal_acts") == 0
    keep_journal(store, str(tmp_path / "a"))
    stored, reports = publish_here(store, SMALL), make_reports(3, SMALL)
    count_here(store, stored, reports)
    assert store.erase_report(stored, reports[0].id)
    keep_journal(store, str(tmp_path / "b"), begins=True)
    assert store.erase_report(stored, reports[1].id)
    assert get(read(Gauges(store)), "sotto_journal_acts") == 2


def test_server_has_its_disk_and_log_to_itself(postgres_db: str) -> None:
    with closing(Store(postgres_db)) as store:
        names = {name for name, _ in read(Gauges(store))}
    assert "sotto_database_bytes" in names
    assert not names & {"sotto_log_bytes", "sotto_disk_free_bytes"}


def test_invitations_are_those_of_open_surveys_and_split_only_on_request(store: Store) -> None:
    invited, over = publish_here(store, INVITED), publish_here(store, replace(INVITED, id="over"))
    make_invitations(store, invited, 7)
    make_invitations(store, over, 100)
    publish_here(store, replace(INVITED, id="none-left"))
    publish_here(store)
    store.close_survey(over.key)
    assert get(read(Gauges(store)), "sotto_invitations_left") == 7
    split = read(Gauges(store, by_survey=True))
    left = {key: value for key, value in split.items() if key[0] == "sotto_invitations_left"}
    name = "sotto_invitations_left"
    assert left == {(name, (("survey", "invited"),)): 7, (name, (("survey", "none-left"),)): 0}


class Clock:
    """A clock that stands, unless a reading takes time."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.mark.parametrize(("took_s", "least_s", "kept_s"), [(0.0, 5.0, 5.0), (2.0, 5.0, 2.0 * REST), (0.1, 0.0, 10.0)])
def test_reading_is_used_again_for_a_hundred_times_as_long_as_it_took(
    took_s: float, least_s: float, kept_s: float
) -> None:
    clock, readings = Clock(), []

    def take() -> int:
        clock.now_s += took_s
        readings.append(len(readings))
        return readings[-1]

    held = Held(take, least_s, clock)
    assert held.get() == 0
    clock.now_s += kept_s * 0.99
    assert held.get() == 0
    clock.now_s += kept_s * 0.02
    assert held.get() == 1


def test_workers_count_invitations_once_an_hour_for_all_of_them(store: Store, tmp_path: Path) -> None:
    invited = publish_here(store, INVITED)
    reports = invite_reports(store, invited, make_reports(3, INVITED))
    first, second = (Gauges(store, folder=tmp_path) for _ in range(2))
    assert get(read(first), "sotto_invitations_left") == 3
    count_here(store, invited, reports)
    assert get(read(second), "sotto_invitations_left") == get(read(first), "sotto_invitations_left") == 3
    file = tmp_path / "admitted.json"
    for spoilt in ("", '{"at": 1', file.read_text().replace('"at": ', '"at": 9')):  # by a crash; of a later boot
        file.write_text(spoilt)
        assert get(read(second), "sotto_invitations_left") == 0
        assert get(read(first), "sotto_invitations_left") == 0
    assert get(read(Gauges(store, folder=tmp_path / "gone")), "sotto_invitations_left") == 0
    clock, file = Clock(), tmp_path / "another"
    for passed_s, n_counted, expected in ((0, 1, 1), (3599, 2, 1), (1, 3, 3)):
        clock.now_s += passed_s
        assert share({7: n_counted}.copy, file, 3600.0, clock) == {7: expected}


def test_reading_that_fails_is_not_kept() -> None:
    def fail() -> int:
        raise OSError

    held = Held(fail, 60.0)
    for _ in range(2):
        with pytest.raises(OSError):  # noqa: PT011  # it has no message
            held.get()


def test_single_report_changes_no_gauge(store: Store) -> None:
    """A log that is not empty, or an invitation less, would say when it came, or to which kind of survey."""
    invited = publish_here(store, INVITED)
    reports = invite_reports(store, invited, make_reports(30, INVITED))
    kept = Gauges(store)
    before, changed = read(kept), set()
    for report in reports:
        count_here(store, invited, [report])
        after = read(Gauges(store))
        changed |= {key[0] for key in after if after[key] != before.get(key)}
    others = {"sotto_disk_free_bytes"}  # of this machine
    assert changed - others == {"sotto_invitations_left"}  # for who has not counted within the hour
    assert get(read(kept), "sotto_invitations_left") == 30


def test_sizes_are_whole_steps(store: Store) -> None:
    scrape = read(Gauges(store))
    sizes = [value for (name, _), value in scrape.items() if name.endswith("_bytes")]
    assert sizes
    assert all(size % STEP_BYTES == 0 for size in sizes)


@pytest.fixture(params=["1", "2"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with serve(tmp_path / "survey.db", "--workers", request.param) as started:
        yield started


def test_every_worker_gives_every_gauge_once(served: Served) -> None:
    wanted = {"sotto_info", "sotto_surveys", "sotto_tokens", "sotto_restores", "sotto_invitations_left"}
    for _ in range(6):
        status, _, content = served.fetch("GET", "/metrics", token=served.analyst)
        assert status == 200
        samples = [s for family in text_string_to_metric_families(content.decode()) for s in family.samples]
        keys = [(sample.name, *sorted(sample.labels.items())) for sample in samples]
        assert len(keys) == len({*keys})
        assert wanted <= {sample.name for sample in samples}
        assert get(parse(content.decode()), "sotto_surveys", state="open") == 1


def test_counters_are_given_where_the_store_cannot_be_read(house: House) -> None:
    house.collect(SURVEY, 3)
    with house.collector.store.transaction() as transaction:
        transaction.connection.execute(text("ALTER TABLE surveys RENAME TO gone"))
    scrape = parse(house.http.get("/metrics", headers=house.analyst).text)
    assert get(scrape, "sotto_reports_total", outcome="counted") == 3
    assert "sotto_info" not in {name for name, _ in scrape}
