"""What SQLite is asked in words of its own."""

# One statement for the whole group, whatever its size: SQLite then works without the interpreter's lock, which it would
# otherwise give up and queue for once a row. Row i is cut out of the joined ids and records.
ROWS = "WITH RECURSIVE row(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM row WHERE i + 1 < :n_rows) "
ID = "substr(:ids, i * 16 + 1, 16)"
PACKED = "CASE :width WHEN 0 THEN x'' ELSE substr(:packed, i * :width + 1, :width) END"  # of nothing substr is NULL
FIND = (
    f"{ROWS} SELECT i, packed FROM row "  # noqa: S608  # built of constants
    f"JOIN reports ON survey_key = :key AND report_id = {ID} UNION ALL "
    f"SELECT i, packed FROM row JOIN inbox ON survey_key = :key AND report_id = {ID}"
)
INSERT = (
    f"INSERT OR IGNORE INTO inbox {ROWS} "  # noqa: S608  # built of constants
    f"SELECT :key, {ID}, {PACKED} FROM row "
    f"WHERE NOT EXISTS (SELECT 1 FROM reports WHERE survey_key = :key AND report_id = {ID})"
)
SETTLE = (
    "CREATE TEMP TABLE IF NOT EXISTS settling (survey_key, report_id, packed)",
    "INSERT INTO settling SELECT survey_key, report_id, packed FROM inbox",
    "DELETE FROM inbox",
    "INSERT INTO inbox SELECT * FROM settling ORDER BY survey_key, report_id",
    "DELETE FROM settling",
)
RANGE = "FROM inbox WHERE survey_key = :key AND report_id >= :low AND report_id < :high"
