"""How large a database is, and how much room is left for it, as far as can be seen from here."""

import shutil
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from sotto_collector.store.place import count_bytes


class DiskUsage(NamedTuple):
    """Bytes: of the database; of its write-ahead log, and free on its disk, None where a server has them."""

    database: int
    log: int | None
    free: int | None


def measure(connection: Connection) -> DiskUsage:
    """Return the disk usage of an open database. Raises SQLAlchemyError, OSError."""
    if connection.dialect.name == "postgresql":
        asked = "SELECT pg_database_size(current_database())"
        return DiskUsage(int(connection.exec_driver_sql(asked).scalar_one()), None, None)
    path = connection.exec_driver_sql("SELECT file FROM pragma_database_list WHERE name = 'main'").scalar_one()
    return DiskUsage(count_bytes(path), count_bytes(f"{path}-wal"), shutil.disk_usage(Path(path).parent).free)
