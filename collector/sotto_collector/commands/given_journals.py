"""Journals that a command is given: each is looked at before it is read; what else is to be said of them."""

from collections.abc import Mapping
from pathlib import Path

from sotto_collector.journal import ReadJournal, read_journal
from sotto_collector.store.source_file import check_regular


def read_given(path: Path) -> ReadJournal:
    """Return what a journal says. Raises JournalError, and StoreError for a pipe or a device, which may have no end."""
    if path.exists():
        check_regular(str(path), "journal")
    return read_journal(path)


def say_unchained(n_unchained: Mapping[str, int]) -> list[str]:
    """Return a sentence a journal, by its path, whose first acts have no number."""
    return [
        f"Journal {path}: an earlier sottovoce wrote {n:,} of its acts, without numbers. If one of these lines were "
        "missing, nobody would notice."
        for path, n in n_unchained.items()
    ]
