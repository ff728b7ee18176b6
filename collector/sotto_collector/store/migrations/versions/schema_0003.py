"""Shards of tallies, implausible reports, invitations, releases, scopes and ends of tokens, settings of a survey."""

from collections.abc import Iterator

import numpy as np
import sqlalchemy as sa
from alembic import op

from sotto_protocol import Survey, Tally

revision = "0003"
down_revision = "0002"
CHUNK_REPORTS = 50_000


def upgrade() -> None:
    """Add what is new, and count every survey's reports again: their tallies have more counts now."""
    op.drop_table("tallies")
    _write_anew()
    op.add_column("surveys", sa.Column("cors_origins", sa.Text, nullable=False, server_default=""))
    op.add_column("surveys", sa.Column("reports_per_minute", sa.Integer))
    op.add_column("tokens", sa.Column("survey_id", sa.Text))
    op.add_column("tokens", sa.Column("expires_s", sa.BigInteger))
    _make_tables()
    for key, definition in op.get_bind().execute(sa.text("SELECT survey_key, definition FROM surveys")).all():
        _recount(key, Survey.from_canonical(bytes(definition)))


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


def _recount(key: int, survey: Survey) -> None:
    tallies: dict[int, Tally] = {}
    for packed in _chunks(key):
        records = np.frombuffer(packed, np.uint8).reshape(-1, survey.record_bytes)
        waves = survey.waves_of(records)
        for wave in np.unique(waves).tolist():
            counted = Tally.of(survey, records[waves == wave])
            tallies[wave] = tallies[wave] + counted if wave in tallies else counted
    insert = sa.text("INSERT INTO tallies VALUES (:key, :wave, 0, :n_reports, :counts)")
    for wave, tally in (tallies or {1: Tally.empty(survey)}).items():
        row = {"key": key, "wave": wave, "n_reports": tally.n_reports, "counts": tally.pack().astype("<i8").tobytes()}
        op.get_bind().execute(insert, row)


def _chunks(key: int) -> Iterator[bytes]:
    after = b""
    question = sa.text(
        "SELECT report_id, packed FROM reports WHERE survey_key = :key AND report_id > :after "
        "ORDER BY report_id LIMIT :n_rows"
    )
    while rows := op.get_bind().execute(question, {"key": key, "after": after, "n_rows": CHUNK_REPORTS}).all():
        yield b"".join(row[1] for row in rows)
        after = bytes(rows[-1][0])
