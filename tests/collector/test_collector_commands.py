"""The operator's commands: one line for a mistake, a result on stdout, help with an example for each."""

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from collecting import SOTTO, SURVEY, SURVEY_TOML, TIMEOUT_S, Served, serve
from commands import examples_of
from sotto_client.cli import main
from sotto_collector.commands.serve import serve as serve_command
from sotto_collector.settings import SETTINGS, Settings
from sotto_collector.store import Store, TokenTable
from sotto_collector.tokens import hash_token


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served") / "survey.db") as started:
        yield started


def run(*arguments: object, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], env=env)
    return result.exit_code, result.stdout, result.stderr


def test_created_token_alone_is_printed_and_its_hash_listed(tmp_path: Path) -> None:
    db = tmp_path / "survey.db"
    Store(db).close()
    code, out, err = run("token", "create", "--db", db, "--role", "analyst", "--label", "bob")
    token = out.strip()
    assert (code, err, token.count("\n"), token[:14]) == (0, "", 0, "sotto_analyst_")
    digits = hash_token(token).hex()[:12]
    assert run("token", "list", "--db", db) == (0, f"{digits}  analyst  all surveys  no end  bob\n", "")
    assert run("token", "revoke", "--db", db, digits) == (0, f"revoked {digits}  analyst  bob\n", "")
    assert run("token", "list", "--db", db) == (0, "", "")


def test_database_comes_from_the_environment_too(tmp_path: Path) -> None:
    env = {"SOTTO_DB": str(tmp_path / "env.db")}
    assert run("db", "init", env=env)[0] == 0
    assert run("token", "create", "--role", "analyst", env=env)[0] == 0
    with closing(Store(tmp_path / "env.db")) as store:
        assert sorted(token.role for token in TokenTable(store).list()) == ["admin", "analyst"]


def test_token_made_while_the_collector_runs_is_valid_at_once(served: Served) -> None:
    token = run("token", "create", "--db", served.db, "--role", "analyst")[1].strip()
    assert served.ask("GET", "/v1/surveys/habits/tally", token=token)[0] == 200
    assert run("token", "revoke", "--db", served.db, hash_token(token).hex()[:12])[0] == 0
    assert served.ask("GET", "/v1/surveys/habits/tally", token=token)[0] == 401


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_survey_is_published_from_its_source_and_closed(served: Served, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"survey.{kind}"
    document = {
        "id": "from-json",
        "title": "T",
        "questions": [{"id": "a", "type": "yes-no", "text": "?", "epsilon": 1}],
    }
    path.write_text(SURVEY_TOML.replace("habits", "from-toml") if kind == "toml" else json.dumps(document))
    code, out, _ = run("publish", path, served.url + "/", "--token", served.admin)
    survey_id, fingerprint, page = out.split()
    assert (code, survey_id, len(fingerprint)) == (0, f"from-{kind}", 64)
    assert page == f"{served.url}/s/{survey_id}"
    assert served.ask("GET", f"/v1/surveys/from-{kind}")[2]["id"] == f"from-{kind}"
    env = {"SOTTO_TOKEN": served.admin}
    assert run("close", served.url, survey_id, env=env) == (0, f"from-{kind}  closed\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("publish", "SURVEY", "URL", "--token", "wrong"), "refused (401 unauthorized)"),
        (("publish", "SURVEY", "URL", "--token", "wröng☃"), "token must be printable ASCII"),
        (("publish", "SURVEY", "URL", "--token", "wröng\nb"), "token must be printable ASCII"),
        (("close", "URL", "habits", "--token", "wröng b"), "token must be printable ASCII"),
        (("close", "URL", "habits", "--token", ""), "token must be printable ASCII"),
        (("publish", "MISSING", "URL", "--token", "x"), "no.toml: No such file or directory"),
        (("close", "URL", "../nobody", "--token", "ADMIN"), "refused (404 no"),
        (("close", "URL/v2", "habits", "--token", "ADMIN"), "refused (404 not_found)"),
        (("close", "http://127.0.0.1:CLOSED", "habits", "--token", "x"), "could not be reached: Connection refused"),
        (("close", "no url", "habits", "--token", "x"), "could not be reached: the URL must begin with http"),
    ],
)
def test_failure_is_one_line_and_exit_code_1(
    served: Served, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "survey.toml").write_text(SURVEY_TOML)
    known = {"SURVEY": str(tmp_path / "survey.toml"), "MISSING": str(tmp_path / "no.toml"), "ADMIN": served.admin}
    with closing(socket.socket()) as silent:
        silent.bind(("127.0.0.1", 0))  # a port that nobody listens on, and that nobody else is given meanwhile
        port = silent.getsockname()[1]
        filled = [known.get(word, word).replace("URL", served.url).replace("CLOSED", str(port)) for word in arguments]
        code, out, err = run(*filled)
    assert (code, out) == (1, "")
    assert said in err
    assert [line.startswith("Warning: ") for line in err.splitlines()].count(False) == 1
    assert served.admin not in err
    assert "wröng" not in err
    assert "  " not in err


def test_a_collector_without_tls_is_told_from_one_that_is_not_there() -> None:
    def answer_plainly() -> None:
        with plain.accept()[0] as connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as plain:
        thread = threading.Thread(target=answer_plainly)
        thread.start()
        code, out, err = run("close", f"https://127.0.0.1:{plain.getsockname()[1]}", "habits", "--token", "x")
        thread.join()
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "it may speak only http://" in err


def test_survey_is_published_from_its_canonical_json(served: Served, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(SURVEY_TOML.replace("habits", "canonical").replace("Habits", "Gewöhnt ☃"))
    code, canonical, _ = run("check", "--canonical", tmp_path / "survey.toml")
    assert code == 0
    (tmp_path / "c.json").write_text(canonical)
    code, out, _ = run("publish", tmp_path / "c.json", served.url, "--token", served.admin)
    assert (code, out.split()[0]) == (0, "canonical")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b'{"id": "' + b"a" * 2**24 + b'"}', "its response has more than 16777216 bytes."),
        (b"[]", "it responded with something else than an object."),
        (b"{", "it responded with something else than JSON."),
        (b"[" * 100_000, "it responded with something else than JSON."),
    ],
)
def test_answer_that_no_collector_gives_is_refused(answer: bytes, said: str) -> None:
    with answering(answer) as (url, asked):
        code, out, err = run("close", url, "habits", "--token", "x")
    assert (code, out) == (1, "")
    assert err == f"Error: {url}/v1/surveys/habits/close must be a collector; {said}\n"
    assert b"\r\nAccept-Encoding: identity\r\n" in asked


@contextmanager
def answering(body: bytes) -> Iterator[tuple[str, bytearray]]:
    """Answer one request with 200 and this body; yield the address, and what was asked once it was."""
    asked = bytearray()

    def answer() -> None:
        with closing(server.accept()[0]) as connection:
            while b"\r\n\r\n" not in asked:
                asked.extend(connection.recv(65536))
            with suppress(ConnectionError):  # cut once it is too much
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(TIMEOUT_S)
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", asked
        thread.join(TIMEOUT_S)


@pytest.mark.parametrize("command", [("create", "--role", "admin"), ("list",), ("revoke", "abcdef123456")])
def test_empty_path_of_a_database_is_named(command: tuple[str, ...]) -> None:
    assert run("token", *command, "--db", "") == (
        1,
        "",
        "Error: db must be the path of a file or postgresql://..; it is empty.\n",
    )


def test_mistake_in_a_survey_file_is_named_with_the_file(served: Served, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(SURVEY_TOML.replace("title", "titel"))
    code, out, err = run("publish", tmp_path / "survey.toml", served.url, "--token", served.admin)
    assert (code, out) == (1, "")
    assert f"{tmp_path / 'survey.toml'}: $.title: is missing" in err


def test_publishing_a_changed_survey_under_a_known_id_is_refused(served: Served, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(SURVEY_TOML.replace('title = "Habits"', 'title = "Changed"'))
    code, _, err = run("publish", tmp_path / "survey.toml", served.url, "--token", served.admin)
    assert (code, "409 survey_exists" in err) == (1, True)
    assert served.ask("GET", "/v1/surveys/habits")[2]["title"] == SURVEY.title


def all_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command of the collector's by its full name, those of groups too."""
    for point in entry_points(group="sotto.commands"):
        if point.module.startswith("sotto_collector."):
            command = point.load()
            yield point.name, command
            yield from ((f"{point.name} {name}", part) for name, part in getattr(command, "commands", {}).items())


@pytest.mark.parametrize(("name", "command"), list(all_commands()))
def test_help_ends_with_examples_and_every_option_says_its_default(name: str, command: click.Command) -> None:
    assert all(example.startswith(f"sotto {name.split()[0]} ") for example in examples_of(command))
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help
            has_none = parameter.required or parameter.is_flag
            assert has_none or parameter.show_default or "default" in parameter.help


def test_flags_and_variables_come_from_the_one_table() -> None:
    *options, create = [option for option in serve_command.params if isinstance(option, click.Option)]
    assert [(option.opts[0], option.envvar, option.default) for option in options] == [
        (row.flag, row.env, row.default) for row in SETTINGS
    ]
    assert (create.opts, create.envvar) == (["--create"], None)  # no setting: it is for the one time
    assert Settings() == Settings(**{row.name: row.default for row in SETTINGS})  # type: ignore[arg-type]  # by name


@pytest.mark.thorough
def test_installed_command_starts(tmp_path: Path) -> None:
    environ = os.environ | {"SOTTO_DB": str(tmp_path / "survey.db")}
    made = subprocess.run(
        [SOTTO, "db", "init"],
        capture_output=True,
        text=True,
        env=environ,
        timeout=TIMEOUT_S,
        check=True,
    )
    assert made.stdout.startswith("sotto_admin_")
