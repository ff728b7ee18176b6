"""What the results page keeps for who asks again: bounded in bytes, whatever it is, and forgotten when nobody asks."""

import threading

from sotto_estimator.page.cache import LruCache, count_bytes

KIB = 1024


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def make(n_bytes: int) -> bytes:
    return bytes(n_bytes)


def test_what_is_kept_takes_no_more_bytes_than_it_may_and_what_was_asked_for_last_stays() -> None:
    cache, made = LruCache(100 * KIB, 60), list[int]()

    def ask(key: int) -> None:
        cache.get(key, lambda: made.append(key) or bytes(30 * KIB))

    for key in (1, 2, 3, 1, 4, 1, 3, 4, 2):
        ask(key)
        assert cache.n_bytes <= 100 * KIB
    assert made == [1, 2, 3, 4, 2]
    huge = cache.get("huge", lambda: make(200 * KIB))
    assert len(huge) == 200 * KIB
    assert cache.n_bytes <= 100 * KIB
    assert cache.get("huge", lambda: b"made again") == b"made again"


def test_bytes_are_those_of_all_that_a_value_leads_to() -> None:
    shared = bytes(10 * KIB)
    assert 10 * KIB < count_bytes([shared, (shared, {"again": shared})]) < 11 * KIB
    assert count_bytes([bytes(KIB) for _ in range(50)]) > 50 * KIB
    assert count_bytes(Clock) == 0


def test_what_nobody_asks_for_in_a_while_is_forgotten_and_said() -> None:
    clock, said = Clock(), list[int]()
    cache = LruCache(100 * KIB, 60, lambda: said.append(cache.n_bytes), clock)
    cache.get("old", lambda: make(30 * KIB))
    clock.now_s = 30
    cache.get("new", lambda: make(20 * KIB))
    cache.forget_idle()
    assert (cache.n_bytes > 50 * KIB, said) == (True, [])
    clock.now_s = 60
    cache.forget_idle()
    assert 20 * KIB < cache.n_bytes < 21 * KIB
    cache.get("new", lambda: make(1))
    clock.now_s = 119
    cache.forget_idle()
    assert cache.n_bytes > 20 * KIB
    clock.now_s = 121
    cache.forget_idle()
    assert (cache.n_bytes, len(said), said[-1]) == (0, 2, 0)


def test_it_is_forgotten_by_itself() -> None:
    is_idle = threading.Event()
    cache = LruCache(100 * KIB, 1e-3, is_idle.set)
    cache.get("key", lambda: make(KIB))
    assert is_idle.wait(60)
    assert cache.n_bytes == 0
