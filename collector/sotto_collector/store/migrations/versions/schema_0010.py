"""The last day that a collector's clock has said, and what the last restore did: of stores that are there unknown."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Give the store's one row the columns, all empty."""
    for column, kind in (
        ("last_day", sa.Text),
        ("restored_on", sa.Text),
        ("n_restored_acts", sa.BigInteger),
        ("is_restore_checked", sa.Integer),
    ):
        op.add_column("store", sa.Column(column, kind))
