"""The limit to compare with: the same Flask and waitress, batches decoded, rows committed; no validation, no tally.

Every request is a transaction of its own, so a single post shows what a commit per report gives.
"""

import logging
import sqlite3
import sys
import threading

import msgspec
import waitress
from flask import Flask, request

N_THREADS = 32


def make_app(path: str) -> Flask:
    app = Flask(__name__)
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE reports (report_id BLOB PRIMARY KEY, packed BLOB) WITHOUT ROWID")
    lock = threading.Lock()

    @app.post("/v1/surveys/<survey_id>/reports")
    def take(survey_id: str) -> dict[str, int]:
        batch = msgspec.json.decode(request.get_data())
        rows = [(bytes.fromhex(report["id"]), repr(report["answers"])) for report in batch["reports"]]
        with lock:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR IGNORE INTO reports VALUES (?, ?)", rows)
            database.execute("COMMIT")
        return {"counted": len(rows), "duplicates": 0}

    return app


if __name__ == "__main__":
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = waitress.create_server(make_app(sys.argv[1]), host="127.0.0.1", port=0, threads=N_THREADS)
    print(f"bare server listening on http://127.0.0.1:{server.effective_port}", flush=True)
    server.run()
