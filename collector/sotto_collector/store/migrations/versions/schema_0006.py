"""Strata: every invitation is of one, and tallies and releases are of a cell, a wave of a stratum.

Where a survey has no strata its cells are its waves, and its invitations of stratum 1.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Give invitations a stratum, and the waves of tallies and releases their new name."""
    op.add_column("invitations", sa.Column("stratum", sa.Integer, nullable=False, server_default="1"))
    for table in ("tallies", "releases"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN wave TO cell")
