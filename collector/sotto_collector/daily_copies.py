"""A folder with a copy of a database for each of the last days."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from sotto_collector.errors import StoreError
from sotto_collector.store.sqlite_file import SUM

_NAME = r"\d{4}-\d\d-\d\d\.db"


def newest_copy(folder: Path) -> str:
    """Return the path of the newest copy in a folder. Raises StoreError where there is none."""
    try:
        names = [path.name for path in folder.iterdir() if re.fullmatch(_NAME, path.name)]
    except OSError as fault:
        raise StoreError(f"from ({folder}) must be a folder that can be read: {fault.strerror}.") from fault
    if not names:
        raise StoreError(f"from ({folder}) must have a daily copy, such as 2026-12-31.db; there is none.")
    return str(folder / max(names))


@dataclass(frozen=True, slots=True)
class DailyCopies:
    """Copies by their days, such as 2026-12-31.db, of which the last `n_copies` stay. Raises StoreError."""

    folder: Path
    n_copies: int

    def __post_init__(self) -> None:
        if not os.path.isdir(self.folder):  # noqa: PTH112  # of one that cannot be seen a Path raises
            raise StoreError(f"to ({self.folder}) must be an existing folder: --keep keeps the copies in it.")

    def place(self, day: str) -> str:
        """Return the path of the copy of a day, where one may be that was made before on that day."""
        return str(self.folder / f"{day}.db")

    def forget_oldest(self, day: str, erased_on: str | None = None) -> int:
        """Delete all copies but the last, never that of `day`, with their sums, and what is left of others; no more.

        Those of later days, which a clock that ran ahead has left, go first. `erased_on`: the last day on which a
        survey's reports went, as it had promised. Copies of that day and before may hold them, and go too; returns how
        many these were. Raises StoreError.
        """
        try:
            names = sorted(path.name for path in self.folder.iterdir())
            days = [name for name in names if re.fullmatch(_NAME, name)]
            left = [name for name in names if re.match(r"\d{4}-\d\d-\d\d\.db(\.sha256)?\.unfinished", name)]
            today = f"{day}.db"
            later = [name for name in reversed(days) if name > today]
            goes = [*later, *(name for name in days if name < today)]
            goes = goes[: max(0, len(days) - self.n_copies)]
            until = f"{erased_on}.db" if erased_on and erased_on <= day else ""  # a later day was a wrong clock's
            past = [name for name in days if name <= until and name < today and name not in goes]
            goes += past
            stay = {f"{name}{SUM}" for name in days if name not in goes}
            sums = [name for name in names if re.fullmatch(r"\d{4}-\d\d-\d\d\.db\.sha256", name) and name not in stay]
            for name in [*goes, *sums, *left]:
                (self.folder / name).unlink()
            return len(past)
        except OSError as fault:
            raise StoreError(f"an older copy ({fault.filename}) cannot be deleted: {fault.strerror}.") from fault
