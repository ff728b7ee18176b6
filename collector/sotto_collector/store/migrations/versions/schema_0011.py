"""How long collectors have waited while their clock is in doubt: in stores that are there not at all."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Give the store's one row the column."""
    op.add_column("store", sa.Column("waited_s", sa.Integer, nullable=False, server_default="0"))
