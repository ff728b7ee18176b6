"""A sottovoce that is newer than this one: its schema means by the same columns something else."""

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from sotto_collector.store import dialect, postgres, sqlite, upgrade
from sotto_collector.store.databases import locate

NEWER = "9999"
MIGRATION = """
from alembic import op
revision = "9999"
down_revision = "HEAD"


def upgrade():
    op.execute("UPDATE tallies SET n_reports = 2 * n_reports")
"""
"""Whoever goes on to add to a tally as before makes it wrong, and no statement fails."""


def upgrade_as_newer(db: str, folder: Path) -> None:
    """Upgrade a database as the newer program does; `folder` is for its migrations."""
    shutil.copytree(Path(upgrade.__file__).with_name("migrations"), folder / "migrations")
    (folder / "migrations" / "versions" / f"schema_{NEWER}.py").write_text(MIGRATION.replace("HEAD", upgrade.HEAD))
    with _newer(folder), closing(locate(db).open(create=False)) as opened:
        assert opened.upgrade() == (upgrade.REVISIONS[-2], NEWER)


@contextmanager
def _newer(folder: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(upgrade, "REVISIONS", (*upgrade.REVISIONS, NEWER))
        patched.setattr(upgrade.resources, "files", lambda _: folder)
        for module in (upgrade, dialect, postgres, sqlite):
            patched.setattr(module, "HEAD", NEWER)
        yield


def undo(db: str) -> None:
    """Make it a database of this program again, to be looked at."""
    with closing(locate(db).open(create=False)) as opened, opened.write_engine.begin() as connection:
        connection.execute(text("UPDATE tallies SET n_reports = n_reports / 2"))
        connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": upgrade.HEAD})
