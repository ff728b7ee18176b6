"""Tokens of a fourth role, reader."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

ALLOWED = "role IN ('admin', 'analyst', 'monitor', 'reader')"


def upgrade() -> None:
    """Allow the role for tokens: SQLite cannot change a constraint, so the table is replaced there."""
    if op.get_bind().dialect.name == "postgresql":
        for check in sa.inspect(op.get_bind()).get_check_constraints("tokens"):
            if "role" in check["sqltext"]:
                op.drop_constraint(str(check["name"]), "tokens", type_="check")
        op.create_check_constraint("tokens_role", "tokens", ALLOWED)
        return
    op.create_table(
        "tokens_of_four_roles",
        sa.Column("token_hash", sa.LargeBinary, sa.CheckConstraint("length(token_hash) = 32"), primary_key=True),
        sa.Column("role", sa.Text, sa.CheckConstraint(ALLOWED), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("survey_id", sa.Text),
        sa.Column("expires_s", sa.BigInteger),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO tokens_of_four_roles SELECT token_hash, role, label, survey_id, expires_s FROM tokens "
        "ORDER BY token_hash"
    )
    op.drop_table("tokens")
    op.rename_table("tokens_of_four_roles", "tokens")
