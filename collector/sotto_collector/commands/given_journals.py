"""Journals that a command is given: each is looked at before it is read."""

from pathlib import Path

from sotto_collector.journal import ReadJournal, read_journal
from sotto_collector.store.source_file import check_regular


def read_given(path: Path) -> ReadJournal:
    """Return what a journal says. Raises JournalError, and StoreError for a pipe or a device, which may have no end."""
    if path.exists():
        check_regular(str(path), "journal")
    return read_journal(path)
