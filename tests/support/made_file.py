"""A SQLite file with our tables and nothing in them, made once a process and then copied: migrating takes a while."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from sotto_collector.store import Store

_FOLDER = TemporaryDirectory(prefix="sotto-made-")


def made_file() -> Path:
    """Return the file that is copied."""
    path = Path(_FOLDER.name, "survey.db")
    if not path.exists():
        path.parent.mkdir(exist_ok=True)  # a process that a test forked may have taken it away as it ended
        Store(path).close()
    return path


def make_tables(db: str | Path) -> None:
    """Put the tables where a new file is to be; a database that is there, or one on PostgreSQL, is left as it is."""
    if not str(db).startswith("postgres") and not Path(db).exists() and Path(db).parent.is_dir():
        shutil.copy(made_file(), db)
