"""What days, restores, drills and journals a store remembers: of stores that are there unknown."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Give the store's one row and the journals the columns, all empty."""
    for column, kind in (
        ("last_day", sa.Text),
        ("restored_on", sa.Text),
        ("n_restored_acts", sa.BigInteger),
        ("is_restore_checked", sa.Integer),
        ("last_drill_day", sa.Text),
    ):
        op.add_column("store", sa.Column(column, kind))
    op.add_column("journals", sa.Column("n_acts", sa.BigInteger))
    op.add_column("journals", sa.Column("digest", sa.Text))
