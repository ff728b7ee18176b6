"""Whether this machine's clock is right, as far as its kernel knows: something keeps it, as NTP does, or nothing."""

import ctypes
import sys

_TIMEX_BYTES = 1024
"""More than `struct timex` has anywhere; its first member, 0, asks and sets nothing."""
_NOT_SYNCHRONIZED = 5  # TIME_ERROR


def is_synchronized() -> bool | None:
    """Return whether the host says that its clock is synchronized; None where it cannot be asked: only Linux can."""
    if sys.platform != "linux":
        return None
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (AttributeError, OSError):
        return None
    return None if state < 0 else state != _NOT_SYNCHRONIZED
