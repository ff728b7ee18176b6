"""A tally for every wave. What was counted before is of a survey's first wave, its only one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Give tallies a wave."""
    op.create_table(
        "tallies_of_waves",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), primary_key=True, autoincrement=False),
        sa.Column("wave", sa.Integer, sa.CheckConstraint("wave >= 1"), primary_key=True),
        sa.Column("n_reports", sa.BigInteger, sa.CheckConstraint("n_reports >= 0"), nullable=False),
        sa.Column("support_counts", sa.LargeBinary, nullable=False),
    )
    op.execute("INSERT INTO tallies_of_waves SELECT survey_key, 1, n_reports, support_counts FROM tallies")
    op.drop_table("tallies")
    op.rename_table("tallies_of_waves", "tallies")
