"""Surveys, tokens, reports, tallies."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "surveys",
        sa.Column("survey_key", sa.Integer, primary_key=True),
        sa.Column("survey_id", sa.Text, nullable=False, unique=True),
        sa.Column("fingerprint", sa.Text, sa.CheckConstraint("length(fingerprint) = 64"), nullable=False),
        sa.Column("definition", sa.LargeBinary, nullable=False),
        sa.Column("is_open", sa.Integer, sa.CheckConstraint("is_open IN (0, 1)"), nullable=False, server_default="1"),
    )
    op.create_table(
        "tokens",
        sa.Column("token_hash", sa.LargeBinary, sa.CheckConstraint("length(token_hash) = 32"), primary_key=True),
        sa.Column("role", sa.Text, sa.CheckConstraint("role IN ('admin', 'analyst')"), nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reports",
        sa.Column("survey_key", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("report_id", sa.LargeBinary, sa.CheckConstraint("length(report_id) = 16"), primary_key=True),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tallies",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), primary_key=True, autoincrement=False),
        sa.Column("n_reports", sa.BigInteger, sa.CheckConstraint("n_reports >= 0"), nullable=False),
        sa.Column("support_counts", sa.LargeBinary, nullable=False),
    )
