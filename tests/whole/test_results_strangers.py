"""However many strangers look at public results, and whatever they ask for, the others' work goes on."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import SMALL, make_reports
from house import House, open_house
from page_reading import password
from sotto_collector.collector import KNOWN_S
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.pages import results
from sotto_collector.pages.cache import OLD_S, TimeCache
from sotto_collector.pages.results import ResultsReader
from sotto_collector.store import StoredSurvey
from sotto_estimator.page import blueprint
from sotto_estimator.page.blueprint import N_AT_DESK, N_AT_EASEL
from sotto_estimator.page.cache import LruCache
from sotto_estimator.page.errors import CrowdedError
from sotto_estimator.page.release import digest_of
from sotto_estimator.page.seats import Seats
from sotto_protocol import Survey, Tally

PUBLIC = replace(SMALL, id="public", public_results=True, min_reports=5)
N_STRANGERS = 16
PNG = "results/rating/shares.png"


@pytest.fixture
def seats(monkeypatch: pytest.MonkeyPatch) -> dict[str, Seats]:
    """The seats that the app has, by what is made at them."""
    made: dict[str, Seats] = {}

    def make(work: str, n_of_survey: int) -> Seats:
        made[work] = Seats(work, n_of_survey)
        return made[work]

    monkeypatch.setattr(blueprint, "Seats", make)
    return made


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The surveys whose tallies the app has read; what was read stays known."""
    read, found = results.read_released_cells, []

    def count(store: object, stored: StoredSurvey) -> dict[int, Tally]:
        found.append(stored.survey.id)
        return read(store, stored)  # type: ignore[arg-type]  # a store

    monkeypatch.setattr(results, "read_released_cells", count)
    monkeypatch.setattr(results, "KNOWN_S", float("inf"))
    return found


@pytest.fixture
def house(tmp_path: Path, seats: dict[str, Seats], readings: list[str]) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SMALL, PUBLIC) as opened:
        for survey in (SMALL, PUBLIC):
            opened.collect(survey, 20)
        yield opened


def at_once(ask: Callable[[], object], n_threads: int = N_STRANGERS) -> list[object]:
    """Return what so many threads get that ask at the same time."""
    start = threading.Barrier(n_threads)

    def wait_and_ask(_: int) -> object:
        start.wait()
        return ask()

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(wait_and_ask, range(n_threads)))


def test_strangers_who_look_at_once_make_one_reading(house: House, readings: list[str]) -> None:
    def look() -> set[int]:
        http = house.app.test_client()
        return {http.get(f"/s/public/results?level={level}").status_code for level in ("0.9", "0.95", "0.99", "0.9")}

    seen = at_once(look)
    assert all(codes <= {200, 503} for codes in seen)  # type: ignore[operator]  # sets
    assert readings == ["public"]
    assert house.http.get("/s/public/results", headers=house.analyst).status_code == 200
    assert readings == ["public", "public"]  # an analyst sees what there is now


def test_strangers_do_not_hold_up_who_writes(house: House) -> None:
    """Who looks needs what another holds only where the next step is due: here it was taken before."""
    assert house.http.get("/s/public/results", headers=house.analyst).status_code == 200
    with house.collector.store.transaction() as transaction:
        transaction.lock_survey(house.stored(PUBLIC).key, alone=True)
        assert set(at_once(lambda: house.app.test_client().get("/s/public/results").status_code)) == {200}


def test_stranger_sees_tallies_of_a_second_ago_and_an_analyst_new_ones(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "KNOWN_S", KNOWN_S)
    now = [100.0]
    reader = ResultsReader(digest_of, clock=lambda: now[0])

    def count(headers: dict[str, str]) -> int:
        with house.app.test_request_context("/s/public/results", headers=headers):
            return sum(tally.n_reports for tally in reader("public").tallies.values())

    assert count({}) == 20
    assert house.send(PUBLIC, make_reports(10, PUBLIC)).status_code == 200
    assert (count({}), count(password(house.analyst))) == (20, 30)
    now[0] += KNOWN_S
    assert count({}) == 30


def test_counts_are_digested_when_they_are_read_and_not_for_every_stranger(house: House) -> None:
    digested = []

    def digest(survey: Survey, tallies: dict[int, Tally]) -> str:
        digested.append(survey.id)
        return digest_of(survey, tallies)

    reader = ResultsReader(digest)
    for _ in range(3):
        with house.app.test_request_context("/s/public/results"):
            given = reader("public")
    assert digested == ["public"]
    assert given.digest == digest_of(PUBLIC, given.tallies)


def test_time_is_counted_from_the_end_of_a_reading() -> None:
    now, n_read = [0.0], [0]
    cache: TimeCache[int] = TimeCache(1.0, clock=lambda: now[0])

    def read() -> int:
        now[0] += 5.0  # it waits for the database
        n_read[0] += 1
        return n_read[0]

    assert [cache.get("key", read) for _ in range(3)] == [1, 1, 1]
    now[0] += 1.0
    assert cache.get("key", read) == 2
    assert cache.get("other", read) == 3


def test_reading_that_failed_is_not_tried_again_at_once() -> None:
    now, n_tried = [0.0], [0]
    cache: TimeCache[int] = TimeCache(1.0, clock=lambda: now[0])

    def fail() -> int:
        n_tried[0] += 1
        raise StoreUnavailableError("gone.")

    for _ in range(3):
        with pytest.raises(StoreUnavailableError, match="gone"):
            cache.get("key", fail)
    assert n_tried == [1]
    now[0] += 1.0
    assert cache.get("key", lambda: 7) == 7


@pytest.mark.parametrize(("age_s", "expected"), [(OLD_S - 1, 1), (OLD_S, 2)])
def test_while_it_is_read_again_others_get_the_last_unless_that_is_old(age_s: float, expected: int) -> None:
    now = [0.0]
    cache: TimeCache[int] = TimeCache(1.0, clock=lambda: now[0])
    cache.get("key", lambda: 1)
    now[0] += age_s
    is_reading, may_end = threading.Event(), threading.Event()

    def read() -> int:
        is_reading.set()
        assert may_end.wait(300)
        return 2

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(cache.get, "key", read)
        assert is_reading.wait(300)
        second = pool.submit(cache.get, "key", read)
        if expected == 1:
            assert second.result(300) == 1
        may_end.set()
        assert (first.result(300), second.result(300)) == (2, expected)


def test_who_asks_for_the_same_waits_for_the_one_that_is_made() -> None:
    made = []
    cache = LruCache(10_000, 60)

    def make() -> int:
        made.append(1)
        time.sleep(0.05)  # so that the others ask while it is made
        return len(made)

    assert at_once(lambda: cache.get("key", make)) == [1] * N_STRANGERS
    with pytest.raises(ZeroDivisionError):
        cache.get("other", lambda: 1 // 0)
    assert cache.get("other", lambda: 3) == 3


@pytest.mark.parametrize(
    ("work", "n_seats", "path"),
    [("results", N_AT_DESK, "results"), ("results", N_AT_DESK, "results.csv"), ("pictures", N_AT_EASEL, PNG)],
)
def test_strangers_of_one_survey_take_no_seats_of_another(
    house: House, seats: dict[str, Seats], work: str, n_seats: int, path: str
) -> None:
    seats[work]._taken["public"] = n_seats
    busy = house.http.get(f"/s/public/{path}")
    assert busy.status_code == 503
    assert int(busy.headers["Retry-After"]) > 0
    assert house.http.get(f"/s/small/{path}", headers=house.analyst).status_code == 200
    del seats[work]._taken["public"]
    assert house.http.get(f"/s/public/{path}").status_code == 200


def test_seats_are_given_back_and_one_works_at_a_time() -> None:
    seats, working, most = Seats("things", 2), [0], [0]

    def work() -> bool:
        try:
            with seats.take("survey"):
                working[0] += 1
                most[0] = max(most[0], working[0])
                time.sleep(0.01)  # so that another would be seen to work
                working[0] -= 1
        except CrowdedError:
            return False
        return True

    assert any(at_once(work))
    assert most == [1]
    with pytest.raises(ZeroDivisionError), seats.take("survey"):
        raise ZeroDivisionError
    assert not seats._taken
    assert work()
