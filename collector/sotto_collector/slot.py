"""A worker's slot: its number among those that share a listening socket, and the folder of their metrics."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Slot:
    """`number` in [0, n_workers]: while one worker replaces another there is one more than usual.

    `metrics_folder`: where all workers keep their metrics; None for a process that is alone.
    """

    number: int = 0
    n_workers: int = 1
    metrics_folder: Path | None = None


ALONE = Slot()
