"""deploy/compose.yaml: what its services run works together, and they may do little else."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

import starting
from collecting import TIMEOUT_S, wait_until
from containers import COMPOSE, CONTAINERFILE, SECRET, command_of, environment_of, health_check_of, instruction, mounted
from postgres_server import PostgresServer, free_port, postgres_server
from proxies import is_there, proxied, write_caddy
from sotto_client import SurveyClient
from sotto_collector.settings import SETTINGS
from sotto_protocol import compile_toml

BIN = Path(sys.executable).parent
PASSWORD = "correct horse"  # noqa: S105  # with a space, which a shell could split
SERVICES = COMPOSE["services"]
YES_NO = """
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""


def test_every_service_is_confined_and_caddy_alone_is_reached_from_outside() -> None:
    for name, service in SERVICES.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["logging"] == {"driver": "none"}
        assert ("ports" in service) == (name == "caddy")
        assert ("outside" in service["networks"]) == (name == "caddy")
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert {each.split(":")[0] for service in SERVICES.values() for each in service["volumes"]} - {"./Caddyfile"} == {
        *COMPOSE["volumes"]
    }


def test_the_password_stands_in_a_file_alone() -> None:
    assert COMPOSE["secrets"] == {"database_password": {"file": "secrets/database_password"}}
    assert SERVICES["database"]["environment"]["POSTGRES_PASSWORD_FILE"] == SECRET
    assert all(service["secrets"] == ["database_password"] for name, service in SERVICES.items() if name != "caddy")


def test_every_variable_of_the_collector_is_a_setting() -> None:
    known = {row.env for row in SETTINGS}
    assert {*environment_of("collector", {})} <= known


@contextmanager
def database(folder: Path) -> Iterator[dict[str, str]]:
    """Run PostgreSQL with the service's settings; yield what of the file is to change on this machine."""
    _, *settings = command_of("database", {})
    assert settings[0::2] == ["-c"] * (len(settings) // 2)
    secret = folder / "database_password"
    secret.write_text(f"{PASSWORD}\n")
    environment = environment_of("database", {SECRET: str(secret)})
    assert Path(environment["POSTGRES_PASSWORD_FILE"]) == secret
    with postgres_server(*settings[1::2], "fsync=off") as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {environment['POSTGRES_USER']} PASSWORD '{PASSWORD}'".encode())
            connection.execute(f"CREATE DATABASE {environment['POSTGRES_DB']}".encode())
        require_password(server)
        check = health_check_of("database", {})
        words = [str(server.install / "bin" / check[0]), *check[1:], f"--port={server.port}"]
        subprocess.run(words, check=True, timeout=TIMEOUT_S, capture_output=True)
        yield {SECRET: str(secret), "@database/": f"@127.0.0.1:{server.port}/"}


def require_password(server: PostgresServer) -> None:
    (server.data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    server.run("pg_ctl", "reload", "--pgdata", server.data)

    def is_asked_for() -> bool:
        try:
            psycopg.connect(server.url).close()
        except psycopg.OperationalError as refused:
            return "no password supplied" in str(refused)
        return False

    wait_until(is_asked_for)


def run(here: dict[str, str], *words: str) -> "subprocess.Popen[str]":
    """Start the collector's entry point with the service's command, or these words instead."""
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.Popen(
        command_of("collector", here, *words),
        env=path | environment_of("collector", here),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: "subprocess.Popen[str]") -> str:
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, err
    return out


def is_healthy(here: dict[str, str]) -> bool:
    program, *words = health_check_of("collector", here)
    assert program == "python"
    done = subprocess.run([sys.executable, *words], check=False, timeout=TIMEOUT_S, capture_output=True)
    return done.returncode == 0


@pytest.mark.rare
@pytest.mark.thorough
def test_the_services_collect_a_report_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_there("caddy"):
        pytest.skip("caddy is not there")
    assert instruction("CMD") == SERVICES["collector"]["command"]
    assert command_of("collector", {})[-2:] == [*instruction("ENTRYPOINT"), *instruction("CMD")]
    port, copies = free_port(), tmp_path / "backup"
    copies.mkdir()
    with database(tmp_path) as here:
        here |= {"8000": str(port), "/srv/backup": str(copies)}
        assert not is_healthy(here)
        token = finish(run(here, "db", "init")).strip()
        collector = run(here)
        try:
            wait_until(lambda: is_healthy(here))
            publish_and_answer(tmp_path, port, token, monkeypatch)
        finally:
            collector.send_signal(signal.SIGTERM)
            assert collector.communicate(timeout=TIMEOUT_S)[1] == ""
        assert collector.returncode == 0
        assert "lunch  1 report  tally = recount" in finish(run(here, "recount"))
        finish(run(here, "backup", "--to", "/srv/backup", "--keep", "14"))
        assert len([*copies.glob("*.db")]) == len([*copies.glob("*.db.sha256")]) == 1


def publish_and_answer(folder: Path, port: int, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish a survey through Caddy, and answer it."""
    (folder / "lunch.toml").write_text(YES_NO)
    with proxied("caddy", folder / "caddy", port) as proxy:
        command = command_of("caddy", {"/etc/caddy/Caddyfile": f"{folder}/caddy/Caddyfile"})
        assert command == proxy.process.args == write_caddy(folder / "caddy", 1, 2, {})
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(proxy.certificate))
        words = ["sotto", "publish", "lunch.toml", proxy.url, "--token", token, "--yes"]
        starting.run([BIN / words[0], *words[1:]], check=True, cwd=folder, timeout=TIMEOUT_S, capture_output=True)
        with SurveyClient(proxy.url, compile_toml(YES_NO).id, state=folder / "device.db") as device:
            device.answer({"paid": True})
            assert device.flush(60)
        if shutil.which("nc"):
            check = health_check_of("caddy", {"443": str(proxy.port)})
            subprocess.run(check, check=True, timeout=TIMEOUT_S)


def test_copies_go_where_the_image_lets_its_user_write() -> None:
    [made] = re.findall(r"install --directory --owner=sottovoce --group=sottovoce --mode=0700 (.*)", CONTAINERFILE)
    assert "/srv/backup" in made.split()
    assert Path("/srv/backup") in mounted("collector")
