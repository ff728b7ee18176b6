"""A disk that is full before, or from the moment on, that something is done which cannot be done twice: none is lost.

It is full for whoever runs the command, by a limit of this process; while the collector works there is room.
"""

import csv
import json
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from click.testing import CliRunner

from collecting import INVITED, SMALL
from house import House, open_house
from sotto_author import invite
from sotto_client.cli import main

HARD = resource.getrlimit(resource.RLIMIT_FSIZE)[1]


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def limit(*, is_full: bool) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0 if is_full else HARD, HARD))


@contextmanager
def full_after(house: House, is_last: Callable[[str, str], bool]) -> Iterator[str]:
    """Serve; no file can be written once a request of this method and path is answered, until the next comes."""

    def app(environ: dict[str, Any], start: Any) -> Any:
        limit(is_full=False)
        answer = [*house.app.wsgi_app(environ, start)]
        limit(is_full=is_last(environ["REQUEST_METHOD"], environ["PATH_INFO"]))
        return answer

    with make_server("127.0.0.1", 0, app, handler_class=Quiet) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            limit(is_full=False)
            server.shutdown()
            thread.join()


@pytest.fixture
def house(file_made: Path, tmp_path: Path) -> Iterator[House]:
    with open_house(shutil.copy(file_made, tmp_path / "survey.db"), SMALL, INVITED) as opened:
        yield opened


def run(house: House, *words: object) -> tuple[int, str, str]:
    """Return how a command ended: its status, what it printed, and the last line of what it said."""
    token = house.admin["Authorization"].removeprefix("Bearer ")
    done = CliRunner().invoke(main, [*map(str, words)], env={"SOTTO_TOKEN": token})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr.splitlines(keepends=True)[-1]


def test_certificate_has_its_room_before_the_survey_is_erased_and_is_else_printed(house: House, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    house.collect(SMALL, 3)
    house.administer("POST", "/v1/surveys/small/close")
    with full_after(house, lambda method, _: method == "DELETE") as url:
        erase = "erase", url, "small", "--all", "--yes", "--certificate", path
        limit(is_full=True)
        assert run(house, *erase) == (1, "", f"Error: certificate ({path}) must be a new file: File too large.\n")
        assert house.http.get("/v1/surveys/small").status_code == 200
        limit(is_full=False)
        code, out, err = run(house, *erase)
        assert (code, json.loads(out)["erased"]["reports"]) == (1, 3)
        assert err.startswith(f"Error: certificate ({path}) could not be written: File too large. Survey small is er")
    assert not path.exists()
    assert house.http.get("/v1/surveys/small").status_code == 404


def test_invitations_that_cannot_be_written_are_not_made_or_are_revoked(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, made = tmp_path / "codes.csv", "/v1/surveys/invited/invitations"
    monkeypatch.setattr(invite, "MAX_INVITATIONS", 4)
    posted: list[str] = []

    def unused() -> int:
        return int(house.administer("GET", made).get_json()["unused"][0])

    with full_after(house, lambda *_: True) as url:
        create = "invite", "create", url, "invited", "--count", 7, "--yes", "--to", path
        assert run(house, *create) == (1, "", f"Error: CSV file ({path}) must be a new file: File too large.\n")
        assert (unused(), path.exists()) == (0, False)
    for n_kept in (0, 4):
        posted.clear()

        def is_last(method: str, at: str, n_before: int = n_kept // 4) -> bool:
            posted.extend([at] * (method == "POST"))
            return posted == [made] * (n_before + 1)

        with full_after(house, is_last) as url:
            code, out, err = run(house, "invite", "create", url, "invited", "--count", 7, "--yes", "--to", path)
        n_lost = 3 if n_kept else 4
        assert (code, out) == (1, "")
        assert err == (
            f"Error: CSV file ({path}) could not be written: File too large. "
            f"The {n_lost} invitations that are missing from it were revoked.\n"
        )
        assert (unused(), path.exists()) == (n_kept, n_kept > 0)
    with path.open(newline="") as file:
        assert len({row["invitation"] for row in csv.DictReader(file)}) == 4
    assert path.read_bytes().strip(b"\r\n").count(b"\n") == 4
