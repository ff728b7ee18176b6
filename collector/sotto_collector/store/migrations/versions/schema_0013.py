"""Blind invitations: the private keys of their tokens, and what was issued."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

SECRET = {"issued_tokens": ("code_hash", "blinded_hash", "signature"), "token_keys": ("primes",)}


def upgrade() -> None:
    """Make the two tables; PostgreSQL takes no samples of what they hold."""
    op.create_table(
        "issued_tokens",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), nullable=False),
        sa.Column("code_hash", sa.LargeBinary, nullable=False),
        sa.Column("wave", sa.Integer, nullable=False),
        sa.Column("stratum", sa.Integer, nullable=False),
        sa.Column("blinded_hash", sa.LargeBinary, nullable=False),
        sa.Column("signature", sa.LargeBinary),
        sa.PrimaryKeyConstraint("survey_key", "code_hash", "wave"),
        sa.CheckConstraint("length(code_hash) = 32", "issued_tokens_code_hash"),
        sa.CheckConstraint("length(blinded_hash) = 32", "issued_tokens_blinded_hash"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "token_keys",
        sa.Column("survey_id", sa.Text, nullable=False),
        sa.Column("cell", sa.Integer, nullable=False),
        sa.Column("primes", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("survey_id", "cell"),
        sa.CheckConstraint("length(primes) = 256", "token_keys_primes"),
        sqlite_with_rowid=False,
    )
    if op.get_bind().dialect.name == "postgresql":
        for table, columns in SECRET.items():
            for column in columns:
                op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
