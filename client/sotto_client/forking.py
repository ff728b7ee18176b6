"""What a forked child makes anew: locks that a thread of its parent may hold, and threads, which stay there."""

import os
from abc import ABC, abstractmethod
from weakref import WeakSet


class Renewed(ABC):
    """An object that works in a forked child too, with threads and locks of its own."""

    def __init__(self) -> None:
        _all.add(self)
        self._begin_anew()

    @abstractmethod
    def _begin_anew(self) -> None:
        """Make the locks, and forget what other threads were at; called once at first, and in every forked child."""


_all: WeakSet[Renewed] = WeakSet()


def _after_fork_in_child() -> None:
    for renewed in list(_all):
        renewed._begin_anew()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_after_fork_in_child)
