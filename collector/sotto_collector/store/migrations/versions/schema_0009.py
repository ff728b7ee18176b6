"""What a store must know to be restored: which it is, its journals, what analysts may hold; and that reports went.

All that is there was never restored, has no journal, and erased no survey's reports by itself.
"""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

IDENTITY_BYTES = 16


def upgrade() -> None:
    """Draw the store's identity, make the tables, and give surveys the days of their reports' erasure."""
    store = op.create_table(
        "store",
        sa.Column("store_key", sa.Integer, sa.CheckConstraint("store_key = 1"), primary_key=True, autoincrement=False),
        sa.Column("identity", sa.LargeBinary, sa.CheckConstraint("length(identity) = 16"), nullable=False),
        sa.Column("n_restores", sa.Integer, nullable=False, server_default="0"),
        sa.Column("restore_mark", sa.Integer, nullable=False, server_default="0"),
        sa.Column("last_backup_day", sa.Text),
    )
    op.bulk_insert(store, [{"store_key": 1, "identity": secrets.token_bytes(IDENTITY_BYTES)}])
    op.create_table(
        "journals",
        sa.Column("journal_id", sa.LargeBinary, sa.CheckConstraint("length(journal_id) = 16"), primary_key=True),
        sa.Column("n_bytes", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "release_floors",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), primary_key=True, autoincrement=False),
        sa.Column("cell", sa.Integer, primary_key=True),
        sa.Column("n_reports", sa.BigInteger, nullable=False),
        sa.Column("sizes", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "refused_surveys",
        sa.Column("fingerprint", sa.Text, sa.CheckConstraint("length(fingerprint) = 64"), primary_key=True),
        sqlite_with_rowid=False,
    )
    for column, kind in (("erase_on", sa.Text), ("erased_on", sa.Text), ("n_erased", sa.BigInteger)):
        op.add_column("surveys", sa.Column(column, kind))
    if op.get_bind().dialect.name == "postgresql":  # no samples of what analysts were given
        for column in ("n_reports", "sizes"):
            op.execute(f"ALTER TABLE release_floors ALTER COLUMN {column} SET STATISTICS 0")
