"""A worker's seat: its number among those that share a listening socket, and where their metrics meet."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Seat:
    """`number` in [0, n_seats]: while one worker replaces another there is one more than usual.

    `metrics_folder`: where all workers keep their metrics; None for a process that is alone.
    """

    number: int = 0
    n_seats: int = 1
    metrics_folder: Path | None = None


ALONE = Seat()
