"""Archives for tests: of a store's reports, or of reports that no store holds, without the cost of one."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from sotto_collector.archive.export import export
from sotto_collector.archive.source import StoreSource
from sotto_collector.store import Part, Store
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.archive import Manifest

LARGE = compile_toml("""
id = "large"
title = "Large"
[[questions]]
id = "page"
type = "text"
text = "Which page do you see first?"
n_bits = 128
n_cohorts = 64
epsilon = 2.0
epsilon_forever = 4.0
""")
"""Reports of 128 bits in 64 cohorts."""


class Heap:
    """A source of given reports: shape (n, layout.n_bytes), each part an equal share of them."""

    def __init__(self, survey: Survey, records: np.ndarray) -> None:
        self.survey = survey
        self.n_reports = len(records)
        self._records = records

    def read(self, part: Part) -> Iterator[bytes]:
        """Yield a part's reports in pieces that end in the middle of one."""
        low, high = (self.n_reports * index // part.n_parts for index in (part.index, part.index + 1))
        joined = self._records[low:high].tobytes()
        for start in range(0, len(joined), 10_007):
            yield joined[start : start + 10_007]

    @property
    def tally(self) -> Tally:
        return Tally.of(self.survey, self._records)


def noise(n_reports: int) -> np.ndarray:
    """Return reports of LARGE that nobody sent: random bits in random cohorts."""
    records = np.frombuffer(os.urandom(n_reports * 18), np.uint8).reshape(n_reports, 18).copy()
    records[:, 0] = 0
    records[:, 1] %= 64
    return records


def export_store(db: str | Path, survey_id: str, folder: Path, n_parts: int = 4) -> Manifest:
    """Export a survey of a database."""
    with closing(Store(db)) as store:
        return export(StoreSource(store, survey_id), folder, n_parts)[0]


def export_noise(folder: Path, n_reports: int, n_parts: int) -> Heap:
    """Export reports of LARGE; return what they were."""
    heap = Heap(LARGE, noise(n_reports))
    export(heap, folder, n_parts)
    return heap
