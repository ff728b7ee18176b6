-- What is stored, all of it. No time, no address, no agent, no order of arrival.
-- WITHOUT ROWID: a row lies where its key says, not where the one before it was.

CREATE TABLE surveys (
  survey_key INTEGER PRIMARY KEY,
  survey_id TEXT NOT NULL UNIQUE,
  fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
  definition BLOB NOT NULL, -- the canonical JSON
  is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1))
);

CREATE TABLE tokens (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32), -- SHA-256; the token itself is shown once and forgotten
  role TEXT NOT NULL CHECK (role IN ('admin', 'analyst')),
  label TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE reports (
  survey_key INTEGER NOT NULL REFERENCES surveys,
  report_id BLOB NOT NULL CHECK (length(report_id) = 16), -- drawn on the device, random
  packed BLOB NOT NULL,
  PRIMARY KEY (survey_key, report_id)
) WITHOUT ROWID;

CREATE TABLE tallies (
  survey_key INTEGER PRIMARY KEY REFERENCES surveys,
  n_reports INTEGER NOT NULL CHECK (n_reports >= 0),
  support_counts BLOB NOT NULL -- int64, little-endian, the questions' counts one behind the other
);
