"""Limits of reports a minute: exact under threads, by survey, without an address; final where waiting can't help."""

import json
import math
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from collecting import SMALL, SURVEY, check_store, make_reports
from house import JSON, House, assert_refused, open_house
from sotto_collector.errors import RateLimitError, RequestError
from sotto_collector.intake.limits import WINDOW_S, RateLimits
from sotto_protocol import Report, Survey, batch_body


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def try_to_take(limits: RateLimits, key: int, n_reports: int, per_minute: int) -> bool:
    try:
        limits.take(key, n_reports, per_minute)
    except RateLimitError:
        return False
    return True


class Windows(dict[int, tuple[float, int]]):
    """Lets others run after it was read, as any machine may: that is what a lock is for."""

    def get(self, *asked: Any) -> Any:
        found = super().get(*asked)
        time.sleep(1e-5)
        return found


def test_sixteen_threads_that_want_three_times_the_limit_get_exactly_the_limit() -> None:
    limits = RateLimits(clock=Clock())
    limits._windows = Windows()
    with ThreadPoolExecutor(16) as pool:
        asked = [(key, pool.submit(try_to_take, limits, key, 1, 500)) for key in [1] * 1500 + [2] * 400]
        granted = Counter(key for key, future in asked if future.result())
    assert granted == {1: 500, 2: 400}  # the other survey is unharmed


def test_a_refusal_says_when_the_window_ends_and_then_reports_are_taken_again() -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    limits.take(1, 6, 10)
    clock.now += 12.5
    with pytest.raises(RateLimitError) as refused:
        limits.take(1, 5, 10)
    assert refused.value.retry_after_s == math.ceil(WINDOW_S - 12.5)
    limits.take(1, 4, 10)  # what fits is taken
    clock.now += refused.value.retry_after_s
    limits.take(1, 10, 10)


def test_a_batch_that_never_fits_is_refused_for_good() -> None:
    with pytest.raises(RequestError) as refused:
        RateLimits().take(1, 11, 10)
    problem = refused.value.problem
    assert (problem.status, problem.code) == (422, "batch_over_rate")
    assert "at most 10" in problem.detail


@pytest.mark.parametrize("none", [None, 0])
def test_without_a_limit_all_is_taken(none: int | None) -> None:
    limits = RateLimits()
    for _ in range(3):
        limits.take(1, 10**9, none)


def test_workers_share_a_limit_and_each_grants_at_least_one_report() -> None:
    workers = [RateLimits(n_workers=3, clock=Clock()) for _ in range(3)]
    assert sum(try_to_take(worker, 1, 1, 10) for worker in workers for _ in range(10)) == 9
    assert sum(try_to_take(worker, 2, 1, 2) for worker in workers for _ in range(10)) == 3


def test_what_was_not_stored_uses_nothing_up() -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    with pytest.raises(OSError), limits.hold(1, 10, 10):  # noqa: PT011  # any
        raise OSError
    with limits.hold(1, 10, 10):
        pass
    assert not try_to_take(limits, 1, 1, 10)


def test_what_fails_in_a_later_window_gives_that_window_nothing() -> None:
    clock = Clock()
    limits = RateLimits(clock=clock)
    with pytest.raises(OSError), limits.hold(1, 10, 10):  # noqa: PT011, PT012  # any, and what happens meanwhile
        clock.now += WINDOW_S
        limits.take(1, 10, 10)
        raise OSError
    assert not try_to_take(limits, 1, 1, 10)


def post(house: House, survey: Survey, report: Report) -> int:
    """Post one report on a client of this call's own, and hold that a refusal is the right one."""
    path = f"/v1/surveys/{survey.id}/reports"
    response = house.app.test_client().post(path, data=batch_body(survey, [report]), content_type=JSON)
    if response.status_code != 200:
        assert_refused(response, 429, "too_many_reports")
        assert response.headers["Retry-After"] == str(WINDOW_S)
    return response.status_code


def test_a_survey_takes_exactly_its_limit_from_sixteen_threads_and_others_are_unharmed(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL, max_reports_per_minute=10_000) as house:
        house.collector.limits = RateLimits(clock=Clock())
        assert house.administer("PATCH", "/v1/surveys/habits", {"reports_per_minute": 60}).status_code == 200
        asked = [(survey, report) for survey in (SURVEY, SMALL) for report in make_reports(180, survey)]
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda pair: (pair[0].id, post(house, *pair)), asked))
        assert Counter(answers) == {("habits", 200): 60, ("habits", 429): 120, ("small", 200): 180}
        assert json.loads(house.read_tally(SURVEY).data)["n_reports"] == 60
        too_many = house.send(SURVEY, make_reports(61))
        assert_refused(too_many, 422, "batch_over_rate")
    check_store(tmp_path / "survey.db")


def test_what_the_writer_refuses_uses_nothing_of_the_limit_up(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", max_reports_per_minute=5) as house:
        house.collector.limits = RateLimits(clock=Clock())
        assert house.administer("POST", "/v1/surveys/habits/close").status_code == 200
        for _ in range(3):
            assert_refused(house.send(SURVEY, make_reports(5)), 409, "survey_closed")
