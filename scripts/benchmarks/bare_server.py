"""The limit to compare with: the same server and Flask, batches decoded, rows committed; no validation, no tally.

`bare_server.py DB each` commits every request by itself: a single post shows what a commit per report gives.
`bare_server.py DB grouped` commits what has queued together, as the collector does.
"""

import logging
import queue
import sqlite3
import sys
import threading
from concurrent.futures import Future

import msgspec
from flask import Flask, request

from sotto_collector.metrics import Metrics
from sotto_collector.serving.server import listen, make_server, say_url
from sotto_collector.settings import Settings

PACKED = bytes(3)  # as many as the bench's survey packs a report into

Rows = list[tuple[bytes, bytes]]


def open_database(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE reports (report_id BLOB PRIMARY KEY, packed BLOB) WITHOUT ROWID")
    return database


def commit(database: sqlite3.Connection, rows: Rows) -> None:
    database.execute("BEGIN IMMEDIATE")
    database.executemany("INSERT OR IGNORE INTO reports VALUES (?, ?)", rows)
    database.execute("COMMIT")


class Grouped:
    """A thread that commits all that waits, then answers."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.waiting: queue.SimpleQueue[tuple[Rows, Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self.run, daemon=True).start()

    def __call__(self, rows: Rows) -> None:
        done: Future[None] = Future()
        self.waiting.put((rows, done))
        done.result()

    def run(self) -> None:
        while True:
            group = [self.waiting.get()]
            while not self.waiting.empty():
                group.append(self.waiting.get())
            commit(self.database, [row for rows, _ in group for row in rows])
            for _, done in group:
                done.set_result(None)


class Each:
    """Every request commits by itself, one after the other."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.lock = threading.Lock()

    def __call__(self, rows: Rows) -> None:
        with self.lock:
            commit(self.database, rows)


def make_app(write: Grouped | Each) -> Flask:
    app = Flask(__name__)

    @app.post("/v1/surveys/<survey_id>/reports")
    def take(survey_id: str) -> dict[str, int]:
        batch = msgspec.json.decode(request.get_data())
        rows = [(bytes.fromhex(report["id"]), PACKED) for report in batch["reports"]]
        write(rows)
        return {"counted": len(rows), "duplicates": 0}

    return app


if __name__ == "__main__":
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    app = make_app({"each": Each, "grouped": Grouped}[sys.argv[2]](open_database(sys.argv[1])))
    app.extensions["metrics"] = Metrics()
    listening = listen(Settings(port=0))
    print(f"bare server listening on {say_url(listening)}", flush=True)
    make_server(app, Settings(), listening).run()
