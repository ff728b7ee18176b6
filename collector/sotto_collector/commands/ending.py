"""How a command ends that a signal asks to: what it has made is removed first."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Let a signal that asks for the end of this process first remove what the block has made."""
    ends = [signal.SIGTERM, signal.SIGHUP]
    before = {number: signal.getsignal(number) for number in ends}
    try:
        for number in ends:
            if before[number] != signal.SIG_IGN:  # as nohup has it
                signal.signal(number, lambda number, _: sys.exit(128 + number))
        yield
    finally:
        for number in ends:
            signal.signal(number, before[number])
