"""What was worked out lately, kept for the next who asks."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Keeps the values of the last `n_kept` keys that were asked for. Threads may share it."""

    def __init__(self, n_kept: int) -> None:
        self._n_kept = n_kept
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made where it is not kept. Two who ask at once may both make it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._n_kept:
                self._values.popitem(last=False)
        return value
