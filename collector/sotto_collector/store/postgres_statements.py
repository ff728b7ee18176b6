"""What PostgreSQL is asked in words of its own."""

LOCK = "SELECT pg_advisory_xact_lock(:space, :key)"
TRY_ALONE = "SELECT pg_try_advisory_lock(:space, -1)"
NO_MORE_ALONE = "SELECT pg_advisory_unlock(:space, -1)"
UPGRADING = -3
"""The key of the lock that two upgrades at once want: not that of surveys, which a collector may wait for while it
holds what an upgrade waits for."""
LOCK_SHARED = "SELECT pg_advisory_xact_lock_shared(:space, :key)"
LOCK_INBOX = "SELECT pg_advisory_xact_lock(:space, -2)"
"""One transaction at a time deletes the inbox's rows: two that take them in different orders would deadlock."""
INSERT = """
INSERT INTO inbox SELECT %(key)s, report_id, packed FROM staging WHERE part = %(part)s ORDER BY report_id
ON CONFLICT DO NOTHING RETURNING report_id
"""
KNOWN = """
SELECT report_id FROM staging JOIN reports USING (report_id) WHERE part = %(part)s AND survey_key = %(key)s
"""
TAKE_BACK = "DELETE FROM inbox WHERE survey_key = %(key)s AND report_id = ANY(%(ids)s)"
FIND = """
SELECT report_id, packed FROM inbox WHERE survey_key = %(key)s AND report_id = ANY(%(ids)s) UNION ALL
SELECT report_id, packed FROM reports WHERE survey_key = %(key)s AND report_id = ANY(%(ids)s)
"""
MOVE = """
WITH gone AS (
  DELETE FROM inbox WHERE survey_key = :key AND report_id >= :low AND report_id < :high
  RETURNING survey_key, report_id, packed
)
INSERT INTO reports SELECT * FROM gone ORDER BY report_id
"""
"""One statement: what comes meanwhile stays."""
SETTLE = """
WITH gone AS (DELETE FROM inbox WHERE survey_key = ANY(:keys) RETURNING survey_key, report_id, packed)
INSERT INTO inbox SELECT * FROM gone ORDER BY survey_key, report_id
"""
SIDE_TABLES = ("invitations", "issued_tokens", "token_keys", "tallies")
"""Their dead rows would link a report to its invitation, hold keys that were erased, and tell how a commit changed the
tally."""
REWRITE = """
WITH gone AS (DELETE FROM reports RETURNING survey_key, report_id, packed)
INSERT INTO reports SELECT * FROM gone ORDER BY survey_key, report_id
"""
REWRITE_ISSUED = """
WITH gone AS (DELETE FROM issued_tokens RETURNING *)
INSERT INTO issued_tokens SELECT * FROM gone ORDER BY survey_key, code_hash, wave
"""
