"""What is stored, all of it: no time of arrival, no address, no agent, no order. The migrations lead to just this."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

# SQLite: WITHOUT ROWID (sqlite_with_rowid=False): a row lies where its key says, not where the one before it was.

surveys = Table(
    "surveys",
    metadata,
    Column("survey_key", Integer, nullable=False),
    Column("survey_id", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("definition", LargeBinary, nullable=False),  # the canonical JSON
    Column("is_open", Integer, nullable=False, server_default="1"),
    Column("cors_origins", Text, nullable=False, server_default=""),  # separated by spaces
    Column("reports_per_minute", Integer),  # NULL: as the collector's settings say
    # Of a draft, which is not open, what the address of its page ends with (no hash: the draft itself lies beside it).
    # NULL: published.
    Column("preview", Text),
    # Where its reports go and its counts stay: the first day without them, the day they went, how many went so far.
    Column("erase_on", Text),
    Column("erased_on", Text),
    Column("n_erased", BigInteger),
    PrimaryKeyConstraint("survey_key"),
    UniqueConstraint("survey_id"),
    CheckConstraint("length(fingerprint) = 64", "surveys_fingerprint"),
    CheckConstraint("is_open IN (0, 1)", "surveys_is_open"),
)

# One row: which store this is, in its backups too.
store = Table(
    "store",
    metadata,
    Column("store_key", Integer, nullable=False, autoincrement=False),
    Column("identity", LargeBinary, nullable=False),  # random
    Column("n_restores", Integer, nullable=False, server_default="0"),
    Column("restore_mark", Integer, nullable=False, server_default="0"),  # drawn by the last restore, for devices
    Column("last_backup_day", Text),  # in a backup: its own day
    Column("last_day", Text),  # that a collector's clock has said, and that was believed
    # Of the last restore: its day; how many acts its journals had; whether tallies were held to the reports after it.
    Column("restored_on", Text),
    Column("n_restored_acts", BigInteger),
    Column("is_restore_checked", Integer),
    Column("last_drill_day", Text),  # on which a backup was last restored for trial
    Column("waited_s", Integer, nullable=False, server_default="0"),  # before an erasure, while the clock is in doubt
    PrimaryKeyConstraint("store_key"),
    CheckConstraint("store_key = 1", "store_store_key"),
    CheckConstraint("length(identity) = 16", "store_identity"),
)

# The journals that collectors of this store have begun.
journals = Table(
    "journals",
    metadata,
    Column("journal_id", LargeBinary, nullable=False),  # random
    # With the last act that this store has: how long it was, how many acts it had, the digest of their last line.
    Column("n_bytes", BigInteger, nullable=False),
    Column("n_acts", BigInteger),
    Column("digest", Text),
    PrimaryKeyConstraint("journal_id"),
    CheckConstraint("length(journal_id) = 16", "journals_journal_id"),
    sqlite_with_rowid=False,
)

tokens = Table(
    "tokens",
    metadata,
    Column("token_hash", LargeBinary, nullable=False),  # SHA-256; the token itself is shown once and forgotten
    Column("role", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("survey_id", Text),  # NULL: of all surveys
    Column("expires_s", BigInteger),  # Unix time; NULL: never
    PrimaryKeyConstraint("token_hash"),
    CheckConstraint("length(token_hash) = 32", "tokens_token_hash"),
    CheckConstraint("role IN ('admin', 'analyst', 'monitor', 'reader')", "tokens_role"),
    sqlite_with_rowid=False,
)

reports = Table(
    "reports",
    metadata,
    # No foreign key: it is looked up for every row; a transaction that inserts holds its survey's lock instead.
    Column("survey_key", Integer, nullable=False),
    Column("report_id", LargeBinary, nullable=False),  # drawn on the device, random
    # Empty: erased, or of a survey that keeps counts alone; its id stays, so that a repeat is not counted.
    Column("packed", LargeBinary, nullable=False),
    PrimaryKeyConstraint("survey_key", "report_id"),
    CheckConstraint("length(report_id) = 16", "reports_report_id"),
    sqlite_with_rowid=False,
)

# New reports wait here until there are many, which are then moved to `reports` in the order of their ids: in a large
# table each report by itself would cost a page, and would lie in the order of arrival.
inbox = Table(
    "inbox",
    metadata,
    Column("survey_key", Integer, nullable=False),
    Column("report_id", LargeBinary, nullable=False),
    Column("packed", LargeBinary, nullable=False),
    PrimaryKeyConstraint("survey_key", "report_id"),
    CheckConstraint("length(report_id) = 16", "inbox_report_id"),
    sqlite_with_rowid=False,
)

# With a rowid: every commit rewrites a tally in place, in two thirds of the time that a row without one takes.
tallies = Table(
    "tallies",
    metadata,
    Column("survey_key", Integer, ForeignKey("surveys.survey_key"), nullable=False),
    Column("cell", Integer, nullable=False),  # a wave, of a stratum: `Survey.cells`
    # A cell's tally is the sum of its shards: writers don't queue for one row.
    Column("shard", Integer, nullable=False),
    Column("n_reports", BigInteger, nullable=False),
    Column("counts", LargeBinary, nullable=False),  # as Tally.pack lays them out, and pack_counts writes
    PrimaryKeyConstraint("survey_key", "cell", "shard"),
    CheckConstraint("cell >= 1", "tallies_cell"),
)

# What the analyst was given last, where the survey promises a least number of reports.
releases = Table(
    "releases",
    metadata,
    Column("survey_key", Integer, ForeignKey("surveys.survey_key"), nullable=False),
    Column("cell", Integer, nullable=False),
    Column("n_reports", BigInteger, nullable=False),
    Column("counts", LargeBinary, nullable=False),
    PrimaryKeyConstraint("survey_key", "cell"),
)

# Of a restored store: how large the releases are that analysts may hold, and the store does not know. A step must be
# larger by the least number of reports.
release_floors = Table(
    "release_floors",
    metadata,
    Column("survey_key", Integer, ForeignKey("surveys.survey_key"), nullable=False),
    Column("cell", Integer, nullable=False),
    Column("n_reports", BigInteger, nullable=False),
    Column("sizes", LargeBinary, nullable=False),  # of what may be behind, as `store/floors.py` lays them out
    PrimaryKeyConstraint("survey_key", "cell"),
)

# Of a restored store: what was published, and is lost with what was done to it. Published again it would forget that.
refused_surveys = Table(
    "refused_surveys",
    metadata,
    Column("fingerprint", Text, nullable=False),
    PrimaryKeyConstraint("fingerprint"),
    CheckConstraint("length(fingerprint) = 64", "refused_surveys_fingerprint"),
    sqlite_with_rowid=False,
)

# Those not yet redeemed: redeeming one deletes its row in the transaction that stores the report.
invitations = Table(
    "invitations",
    metadata,
    Column("survey_key", Integer, ForeignKey("surveys.survey_key"), nullable=False),
    Column("code_hash", LargeBinary, nullable=False),  # SHA-256
    Column("wave", Integer, nullable=False),
    Column("stratum", Integer, nullable=False, server_default="1"),
    PrimaryKeyConstraint("survey_key", "code_hash", "wave"),
    CheckConstraint("length(code_hash) = 32", "invitations_code_hash"),
    sqlite_with_rowid=False,
)

# Invitations of blind surveys that were traded for a token; nothing says which report came with it. The same blinded
# message gets the same signature again.
issued_tokens = Table(
    "issued_tokens",
    metadata,
    Column("survey_key", Integer, ForeignKey("surveys.survey_key"), nullable=False),
    Column("code_hash", LargeBinary, nullable=False),
    Column("wave", Integer, nullable=False),
    Column("stratum", Integer, nullable=False),
    Column("blinded_hash", LargeBinary, nullable=False),  # SHA-256 of what was signed
    Column("signature", LargeBinary),  # NULL: of a restored store, which makes it again
    PrimaryKeyConstraint("survey_key", "code_hash", "wave"),
    CheckConstraint("length(code_hash) = 32", "issued_tokens_code_hash"),
    CheckConstraint("length(blinded_hash) = 32", "issued_tokens_blinded_hash"),
    sqlite_with_rowid=False,
)

# The private keys of the tokens of blind surveys: made before a survey is published, which names the public ones.
token_keys = Table(
    "token_keys",
    metadata,
    Column("survey_id", Text, nullable=False),
    Column("cell", Integer, nullable=False),
    Column("primes", LargeBinary, nullable=False),  # the two of an RSA key, 128 bytes each
    PrimaryKeyConstraint("survey_id", "cell"),
    CheckConstraint("length(primes) = 256", "token_keys_primes"),
    sqlite_with_rowid=False,
)

# One row, if this collector has a gateway: the Ed25519 key that signs its keys. Surveys name the public one.
gateway_identity = Table(
    "gateway_identity",
    metadata,
    Column("identity_key", Integer, nullable=False, autoincrement=False),
    Column("private", LargeBinary, nullable=False),
    Column("public", LargeBinary, nullable=False),
    PrimaryKeyConstraint("identity_key"),
    CheckConstraint("identity_key = 1", "gateway_identity_identity_key"),
)

# The keys that devices encrypt with, two an epoch. An erased one stays without its private part, and its id is used
# again once all others were.
gateway_keys = Table(
    "gateway_keys",
    metadata,
    Column("key_id", Integer, nullable=False, autoincrement=False),
    Column("kem", Integer, nullable=False),  # as RFC 9180 numbers them
    Column("private", LargeBinary, nullable=False),  # empty: erased, or in a backup
    Column("public", LargeBinary, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("made_on", Text, nullable=False),
    Column("used_until", Text, nullable=False),  # the last day on which devices encrypt with it
    Column("erase_on", Text, nullable=False),  # the first day without its private part
    PrimaryKeyConstraint("key_id"),
    CheckConstraint("key_id BETWEEN 0 AND 255", "gateway_keys_key_id"),
)
