"""Tokens of a third role, monitor."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Allow the role for tokens: SQLite cannot change a constraint, so the table is replaced."""
    op.create_table(
        "tokens_of_three_roles",
        sa.Column("token_hash", sa.LargeBinary, sa.CheckConstraint("length(token_hash) = 32"), primary_key=True),
        sa.Column("role", sa.Text, sa.CheckConstraint("role IN ('admin', 'analyst', 'monitor')"), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("survey_id", sa.Text),
        sa.Column("expires_s", sa.BigInteger),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO tokens_of_three_roles SELECT token_hash, role, label, survey_id, expires_s FROM tokens "
        "ORDER BY token_hash"
    )
    op.drop_table("tokens")
    op.rename_table("tokens_of_three_roles", "tokens")
