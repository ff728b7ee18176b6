"""A cache of what was worked out last, for the next who asks."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """Keeps the values of the last `n_kept` keys that were asked for. Threads may share it."""

    def __init__(self, n_kept: int) -> None:
        self._n_kept = n_kept
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._making: dict[Hashable, Future[Value]] = {}

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made where it is not kept: of all who ask meanwhile by the first, once.

        Raises what making it raised, to each of them; that is not kept.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            is_mine = key not in self._making
            making = self._making.setdefault(key, Future())
        if is_mine:
            self._make(key, make, making)
        return making.result()

    def _make(self, key: Hashable, make: Callable[[], Value], making: "Future[Value]") -> None:
        try:
            making.set_result(make())
        except BaseException as fault:  # whoever waits must hear of it; `result` raises it here, too
            making.set_exception(fault)
        with self._lock:
            del self._making[key]
            if making.exception() is None:
                self._values[key] = making.result()
            while len(self._values) > self._n_kept:
                self._values.popitem(last=False)
