"""The gateway of oblivious delivery: the key that signs, and the keys that requests are encrypted with."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make both tables, empty: `sotto gateway key new` fills them."""
    op.create_table(
        "gateway_identity",
        sa.Column("identity_key", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("private", sa.LargeBinary, nullable=False),
        sa.Column("public", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("identity_key"),
        sa.CheckConstraint("identity_key = 1", "gateway_identity_identity_key"),
    )
    op.create_table(
        "gateway_keys",
        sa.Column("key_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("kem", sa.Integer, nullable=False),
        sa.Column("private", sa.LargeBinary, nullable=False),
        sa.Column("public", sa.LargeBinary, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("made_on", sa.Text, nullable=False),
        sa.Column("used_until", sa.Text, nullable=False),
        sa.Column("erase_on", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key_id"),
        sa.CheckConstraint("key_id BETWEEN 0 AND 255", "gateway_keys_key_id"),
    )
