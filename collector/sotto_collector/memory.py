"""Memory that is free again, given back to the system: glibc keeps it, in as many heaps as there are threads.

Only glibc can be asked; elsewhere nothing is done.
"""

import ctypes

_M_ARENA_MAX = -8
MOST_HEAPS = 2
"""Threads share so many heaps: with one each, what is free in one is of no use to the others."""


def share_heaps() -> None:
    """Let all threads of this process share a few heaps; call it before there are any."""
    _ask("mallopt", _M_ARENA_MAX, MOST_HEAPS)


def give_back() -> None:
    """Give the system what is free."""
    _ask("malloc_trim", 0)


def _ask(name: str, *arguments: int) -> None:
    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*arguments)
