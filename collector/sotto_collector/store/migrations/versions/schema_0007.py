"""Counts in as few bytes as hold them: the first byte of a row's says how many each takes, until now 8."""

from alembic import op

revision = "0007"
down_revision = "0006"

_PREFIXED = {"sqlite": "CAST(x'08' || counts AS BLOB)", "postgresql": r"'\x08'::bytea || counts"}


def upgrade() -> None:
    """Write before all counts that each takes 8 bytes; the next commit writes them in fewer."""
    for table in ("tallies", "releases"):
        prefixed = _PREFIXED[op.get_bind().dialect.name]
        op.execute(f"UPDATE {table} SET counts = {prefixed}")  # noqa: S608  # built of constants
