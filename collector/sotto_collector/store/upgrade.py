"""A database's schema: read, made, upgraded, and refused where it is not this program's."""

from importlib import resources
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, select
from sqlalchemy.sql import column, table

from sotto_collector.errors import StoreError
from sotto_collector.store.schema import metadata

if TYPE_CHECKING:
    from alembic.config import Config

# Alembic is loaded where a schema is changed, and nowhere else: that takes a third of a second.

REVISIONS = tuple(f"{number:04}" for number in range(1, 15))
"""The migrations that this program knows, in order."""
HEAD = REVISIONS[-1]
_VERSION = table("alembic_version", column("version_num"))
READ_REVISION = "SELECT version_num, (SELECT restore_mark FROM store) FROM alembic_version"
"""The schema's revision, and the mark of the last restore, which may have been beneath a collector."""


def read_revision(connection: Connection) -> str | None:
    """Return the schema's revision; None where no migration was ever run."""
    if not inspect(connection).has_table(_VERSION.name):
        return None
    revision: str | None = connection.scalar(select(_VERSION.c.version_num))
    return revision


def is_empty(connection: Connection) -> bool:
    """Return whether none of our tables is there."""
    return not {*metadata.tables, "alembic_version"} & set(inspect(connection).get_table_names())


def refuse_missing(name: str) -> StoreError:
    """Return the error of a database that is not there: one is only made on request."""
    return StoreError(
        f"db ({name}) must be a collector's database; there is none. "
        "Make one with sotto db init or sotto serve --create, or from a backup with sotto db restore."
    )


def migrate(connection: Connection) -> None:
    """Bring an empty database, or one of an earlier revision, to HEAD, inside the open transaction."""
    from alembic import command

    command.upgrade(_config(connection), HEAD)


def stamp(connection: Connection, revision: str) -> None:
    """Say which revision the tables are of."""
    from alembic import command

    command.stamp(_config(connection), revision)


def check_schema(connection: Connection, name: str) -> None:
    """Raise StoreError unless the database `name` has exactly the schema of this program."""
    revision = read_revision(connection)
    if revision is None:
        raise StoreError(f"db ({name}) must be a sottovoce database; it is another program's.")
    if revision not in REVISIONS:
        raise StoreError(
            f"db ({name}) must have schema {HEAD}; it has {revision:.20}, which a newer sottovoce wrote. "
            "Install that version, or restore a backup of this version's. Nothing makes a database older again."
        )
    if revision != HEAD:
        raise StoreError(f"db ({name}) must have schema {HEAD}; it has {revision}: run sotto db upgrade.")
    if missing := _missing_columns(connection):
        raise StoreError(f"db ({name}) must have all of schema {HEAD}; it is half-migrated and lacks {missing[0]}.")


def _missing_columns(connection: Connection) -> list[str]:
    inspector = inspect(connection)
    there = {table: inspector.get_columns(table) for table in inspector.get_table_names() if table in metadata.tables}
    found = {f"{table}.{column['name']}" for table, columns in there.items() for column in columns}
    wanted = [f"{table.name}.{column.name}" for table in metadata.tables.values() for column in table.columns]
    return [column for column in wanted if column not in found]


def _config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(resources.files("sotto_collector.store") / "migrations"))
    config.attributes["connection"] = connection
    return config
