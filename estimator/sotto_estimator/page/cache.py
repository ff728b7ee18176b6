"""A cache of what was worked out last, for the next who asks: bounded in bytes, and given back when nobody asks."""

import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, TypeVar

from sotto_protocol.language import Language

Value = TypeVar("Value")

_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Language)
"""What a value leads to, and is there without it."""


class _Kept(NamedTuple):
    """A value, how many bytes it takes, and when it was asked for last."""

    value: Any
    n_bytes: int
    asked_at: float


class LruCache:
    """Keeps the values that were asked for last, all of them in at most `max_bytes`. Threads may share it.

    One that nobody has asked for in `idle_s` seconds is forgotten, and `on_idle` called then. `clock` gives seconds.
    """

    def __init__(
        self,
        max_bytes: int,
        idle_s: float,
        on_idle: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes, self._idle_s, self._on_idle, self._clock = max_bytes, idle_s, on_idle, clock
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._n_bytes = 0
        self._making: dict[Hashable, Future[Any]] = {}
        self._timer: threading.Timer | None = None

    @property
    def n_bytes(self) -> int:
        """How many bytes all values take."""
        return self._n_bytes

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made where it is not kept: of all who ask meanwhile by the first, once.

        Raises what making it raised, to each of them; that is not kept, and neither is what alone takes too much.
        """
        with self._lock:
            if (kept := self._values.pop(key, None)) is not None:
                self._values[key] = kept._replace(asked_at=self._clock())
                found: Value = kept.value
                return found
            is_mine = key not in self._making
            making: Future[Value] = self._making.setdefault(key, Future())
        if is_mine:
            self._make(key, make, making)
        return making.result()

    def _make(self, key: Hashable, make: Callable[[], Value], making: "Future[Value]") -> None:
        try:
            making.set_result(make())
        except BaseException as fault:  # whoever waits must hear of it; `result` raises it here, too
            making.set_exception(fault)
        n_bytes = 0 if making.exception() else count_bytes(making.result())
        with self._lock:
            del self._making[key]
            if making.exception() is None and n_bytes <= self._max_bytes:
                self._values[key] = _Kept(making.result(), n_bytes, self._clock())
                self._n_bytes += n_bytes
            while self._n_bytes > self._max_bytes:
                self._forget_first()
            self._watch()

    def _forget_first(self) -> None:
        self._n_bytes -= self._values.popitem(last=False)[1].n_bytes

    def _watch(self) -> None:
        """Look again after a while, as long as there is something to forget. The lock is held."""
        if self._values and self._timer is None:
            self._timer = threading.Timer(self._idle_s, self.forget_idle)
            self._timer.daemon = True
            self._timer.start()

    def forget_idle(self) -> None:
        """Forget what nobody has asked for in a while."""
        with self._lock:
            n_before = len(self._values)
            while self._values and self._clock() - next(iter(self._values.values())).asked_at >= self._idle_s:
                self._forget_first()
            is_less = len(self._values) < n_before
            self._timer = None
            self._watch()
        if is_less:
            self._on_idle()


def count_bytes(value: object) -> int:
    """Return how many bytes a value takes with all that it leads to, but classes, functions and languages.

    >>> count_bytes(b"x" * 1000) - count_bytes(b"")
    1000
    """
    seen, waiting, n_bytes = set[int](), [value], 0
    while waiting:
        each = waiting.pop()
        if id(each) not in seen and not isinstance(each, _SHARED):
            seen.add(id(each))
            n_bytes += sys.getsizeof(each)
            waiting += gc.get_referents(each)
    return n_bytes
