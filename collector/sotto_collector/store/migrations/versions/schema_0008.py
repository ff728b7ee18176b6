"""Drafts: surveys that are not published yet, and what the address of their page ends with."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Give surveys a preview; all that are there are published, and have none."""
    op.add_column("surveys", sa.Column("preview", sa.Text))
