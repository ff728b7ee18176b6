"""A PostgreSQL database with our tables that one test after the other has: emptied, which is quicker than a new one.

One that a test has left with other tables, columns, triggers, settings or rights than it had is dropped instead.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import psycopg
from psycopg import sql

from postgres_server import database_of

_SHAPE = """
WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%')
SELECT md5(string_agg(line, ' ' ORDER BY line)) FROM (
  SELECT (nspname, nspowner, nspacl)::text AS line FROM pg_namespace WHERE oid IN (SELECT oid FROM ours)
  UNION ALL SELECT (relname, relkind, relowner, relacl, reloptions, relpersistence, relrowsecurity)::text
    FROM pg_class WHERE relnamespace IN (SELECT oid FROM ours)
  UNION ALL SELECT (attrelid, attname, attnum, atttypid, atttypmod, attnotnull, atthasdef, attacl, attoptions)::text
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relnamespace IN (SELECT oid FROM ours)
  UNION ALL SELECT (adrelid, adnum, pg_get_expr(adbin, adrelid))::text FROM pg_attrdef
  UNION ALL SELECT (conname, conrelid, pg_get_constraintdef(oid))::text
    FROM pg_constraint WHERE connamespace IN (SELECT oid FROM ours)
  UNION ALL SELECT (indexrelid, pg_get_indexdef(indexrelid), indisvalid)::text
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace IN (SELECT oid FROM ours)
  UNION ALL SELECT (tgname, tgrelid, tgenabled)::text FROM pg_trigger
  UNION ALL SELECT (proname, prosrc)::text FROM pg_proc WHERE pronamespace IN (SELECT oid FROM ours)
  UNION ALL SELECT (typname, typtype)::text FROM pg_type WHERE typnamespace IN (SELECT oid FROM ours)
  UNION ALL SELECT (evtname, evtenabled)::text FROM pg_event_trigger
  UNION ALL SELECT extname::text FROM pg_extension
  UNION ALL SELECT (setrole, setconfig)::text
    FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase WHERE datname = current_database()
  UNION ALL SELECT (datconnlimit, datallowconn, datacl)::text FROM pg_database WHERE datname = current_database()
) AS lines
"""
_FILLED = """
SELECT relname::text FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
"""
_END_OTHERS = """
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


class EmptiedDatabase:
    """Lends a copy of `template`, on its server, to one test after the other."""

    def __init__(self, template: str) -> None:
        self._template = template
        self._held = ExitStack()
        self._url = ""
        self._shape: object = None
        with psycopg.connect(template) as made:
            tables = [name for (name,) in made.execute(_FILLED.encode())]
            self._rows = {name: made.execute(sql.SQL("TABLE {}").format(sql.Identifier(name))) for name in tables}
            self._rows = {name: found.fetchall() for name, found in self._rows.items()}

    @contextmanager
    def lent(self) -> Iterator[str]:
        """Yield the URL of a database as the template is."""
        if not self._url:
            self._url = self._held.enter_context(database_of(self._template, template=self._template))
            with psycopg.connect(self._url) as made:
                self._shape = made.execute(_SHAPE.encode()).fetchone()
        try:
            yield self._url
        finally:
            if not self._is_emptied():
                self.drop()

    def drop(self) -> None:
        """Drop the database, if there is one: the next test gets a new one."""
        self._url = ""
        self._held.close()

    def _is_emptied(self) -> bool:
        """Make it as the template is; return whether that can be done by emptying it."""
        try:
            with psycopg.connect(self._url, options="-c lock_timeout=10s") as connection:
                connection.execute(_END_OTHERS.encode())
                if connection.execute(_SHAPE.encode()).fetchone() != self._shape:
                    return False
                filled = {name for (name,) in connection.execute(_FILLED.encode())} | self._rows.keys()
                names = sql.SQL(", ").join(map(sql.Identifier, sorted(filled)))
                connection.execute(sql.SQL("TRUNCATE {} RESTART IDENTITY CASCADE").format(names))
                for name, rows in self._rows.items():
                    for row in rows:
                        values = sql.SQL(", ").join(map(sql.Literal, row))
                        connection.execute(sql.SQL("INSERT INTO {} VALUES ({})").format(sql.Identifier(name), values))
                connection.execute(b"SELECT pg_stat_reset()")
        except psycopg.Error:
            return False  # it refuses, or something still holds it
        return True
