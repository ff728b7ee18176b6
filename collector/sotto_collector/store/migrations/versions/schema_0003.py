"""Shards of tallies, implausible reports, invitations, releases, scopes and ends of tokens, settings of a survey."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add what is new. Tallies have more counts now: the program then counts every survey's reports again."""
    op.drop_table("tallies")
    _write_anew()
    op.add_column("surveys", sa.Column("cors_origins", sa.Text, nullable=False, server_default=""))
    op.add_column("surveys", sa.Column("reports_per_minute", sa.Integer))
    op.add_column("tokens", sa.Column("survey_id", sa.Text))
    op.add_column("tokens", sa.Column("expires_s", sa.BigInteger))
    _make_tables()


def _make_tables() -> None:
    op.create_table(
        "inbox",
        sa.Column("survey_key", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("report_id", sa.LargeBinary, sa.CheckConstraint("length(report_id) = 16"), primary_key=True),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tallies",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), primary_key=True, autoincrement=False),
        sa.Column("wave", sa.Integer, sa.CheckConstraint("wave >= 1"), primary_key=True),
        sa.Column("shard", sa.Integer, primary_key=True),
        sa.Column("n_reports", sa.BigInteger, nullable=False),
        sa.Column("counts", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "releases",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), primary_key=True, autoincrement=False),
        sa.Column("wave", sa.Integer, primary_key=True),
        sa.Column("n_reports", sa.BigInteger, nullable=False),
        sa.Column("counts", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "invitations",
        sa.Column("survey_key", sa.Integer, sa.ForeignKey("surveys.survey_key"), primary_key=True, autoincrement=False),
        sa.Column("code_hash", sa.LargeBinary, sa.CheckConstraint("length(code_hash) = 32"), primary_key=True),
        sa.Column("wave", sa.Integer, primary_key=True),
        sqlite_with_rowid=False,
    )


def _write_anew() -> None:
    """Make reports and surveys of a file from before Alembic as they are made now.

    There every report's survey was looked up, and a survey's key was not said to be NOT NULL.
    """
    if not sa.inspect(op.get_bind()).get_foreign_keys("reports"):
        return
    op.rename_table("reports", "reports_before")
    op.create_table(
        "reports",
        sa.Column("survey_key", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("report_id", sa.LargeBinary, sa.CheckConstraint("length(report_id) = 16"), primary_key=True),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO reports SELECT * FROM reports_before ORDER BY survey_key, report_id")
    op.drop_table("reports_before")
    op.rename_table("surveys", "surveys_before")
    op.create_table(
        "surveys",
        sa.Column("survey_key", sa.Integer, primary_key=True),
        sa.Column("survey_id", sa.Text, nullable=False, unique=True),
        sa.Column("fingerprint", sa.Text, sa.CheckConstraint("length(fingerprint) = 64"), nullable=False),
        sa.Column("definition", sa.LargeBinary, nullable=False),
        sa.Column("is_open", sa.Integer, sa.CheckConstraint("is_open IN (0, 1)"), nullable=False, server_default="1"),
    )
    op.execute("INSERT INTO surveys SELECT * FROM surveys_before")
    op.drop_table("surveys_before")
