"""/healthz says whether reports can be stored, /readyz whether requests should come here."""

import signal
import sqlite3
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

from test_serve import BODY, head

from collecting import TIMEOUT_S, serve
from house import House, assert_refused
from sotto_collector.store import Store
from sotto_collector.store.upgrade import HEAD


def test_a_collector_that_works_is_well_and_ready(house: House) -> None:
    assert house.http.get("/healthz").get_json() == {"status": "ok"}
    assert house.http.get("/readyz").get_json() == {"status": "ready"}


def test_a_collector_on_another_schema_is_not_ready(house: House) -> None:
    def set_revision(revision: str) -> None:
        with closing(sqlite3.connect(house.collector.settings.db)) as other:
            other.execute("UPDATE alembic_version SET version_num = ?", (revision,))
            other.commit()

    set_revision("9999")
    response = house.http.get("/readyz")
    set_revision(HEAD)  # else it could not tidy as it stops
    assert_refused(response, 503, "not_ready")
    assert response.headers["Retry-After"] == "5"
    assert house.collector.settings.db not in response.text


def test_a_collector_that_stops_is_not_ready(tmp_path: Path) -> None:
    """A request that cannot end keeps it stopping; another connection, made before, asks."""
    with (
        serve(tmp_path / "survey.db") as served,
        closing(Store(served.db)) as other,
        closing(served.connect()) as busy,
        closing(HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S)) as asking,
    ):
        asking.connect()
        with other.transaction():
            busy.sendall(head(b"Content-Length: %d" % len(BODY)) + BODY)
            statuses = []
            for number in range(2):
                asking.request("GET", "/readyz")
                response = asking.getresponse()
                statuses.append(response.status)
                document = response.read()
                if number == 0:
                    served.process.send_signal(signal.SIGTERM)
                    assert served.process.stdout is not None
                    wait_until_refused(served.port)
        assert statuses == [200, 503]
        assert b'"code":"not_ready"' in document
        assert response.headers["Connection"] == "close"


def wait_until_refused(port: int) -> None:
    """Return once nobody listens."""
    while True:
        connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        try:
            connection.connect()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:  # it was just being closed
            continue
        finally:
            connection.close()
