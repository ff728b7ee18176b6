"""Real relays in front of a port: `sotto relay`, and nginx and Caddy as deploy/relay has them; they can be killed."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from collecting import TIMEOUT_S, wait_until
from postgres_server import free_port
from proxies import DEPLOY, Proxy, is_there, make_certificate, replace_all
from starting import SOTTO, Popen

GATEWAY = "https://collector.example.org"
RELAYS = ("sotto", "nginx", "caddy")


class RealRelay(Proxy):
    """A relay that runs: all that it writes is in its folder. `metrics_port` is that of `sotto relay`."""

    @property
    def url(self) -> str:
        return f"http{'s' if self.certificate.exists() else ''}://localhost:{self.port}"

    def kill(self) -> None:
        """Kill it and all its workers at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(TIMEOUT_S)


def require_relay(program: str) -> str:
    """Return a program's name; skip the test where it is not there."""
    if program != "sotto" and not is_there(program):
        pytest.skip(f"{program} is not there")
    return program


@contextmanager
def relayed(program: str, folder: Path, upstream: int, port: int = 0, *options: str) -> Iterator[RealRelay]:
    """Run a relay in front of a port of this machine until the block ends; a second one in a folder goes on there.

    `options`: of `sotto relay`, whose metrics are on its plain port.
    """
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    port = port or free_port()
    plain_port = free_port() if program == "sotto" else None
    command = _COMMANDS[program](folder, port, upstream, is_new)
    if program == "sotto":
        command += ["--metrics-port", str(plain_port), *options]
    names = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    names |= {"SOTTO_RELAY": "localhost", "SOTTO_GATEWAY": f"http://127.0.0.1:{upstream}"}
    with (folder / "output.log").open("ab") as output:
        process = Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env={**os.environ, **names},
            start_new_session=True,
        )
    relay = RealRelay(process, port, folder, plain_port)
    try:
        wait_until(lambda: _does_listen(relay))
        yield relay
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(TIMEOUT_S)


def _does_listen(relay: RealRelay) -> bool:
    assert relay.process.poll() is None, (relay.folder / "output.log").read_text()
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", relay.plain_port or relay.port)):
        return True
    return False


def _of_sotto(folder: Path, port: int, upstream: int, is_new: bool) -> list[str]:
    return [str(SOTTO), "relay", "--gateway", f"http://127.0.0.1:{upstream}", "--port", str(port)]


def _of_nginx(folder: Path, port: int, upstream: int, is_new: bool) -> list[str]:
    if is_new:
        make_certificate(folder)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        changes = {
            "user www-data;": f"daemon off; {'user root;' if os.geteuid() == 0 else ''}",
            "/run/nginx.pid": f"{folder}/nginx.pid",
            "/var/log/nginx/error.log": f"{folder}/error.log",
            "/var/cache/nginx/keys": f"{folder}/keys",
            "types_hash_max_size 2048;": "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds),
            GATEWAY: f"http://127.0.0.1:{upstream}",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "/etc/ssl/relay.example.org.pem": f"{folder}/cert.pem",
            "/etc/ssl/private/relay.example.org.key": f"{folder}/key.pem",
        }
        (folder / "nginx.conf").write_text(replace_all((DEPLOY / "relay" / "nginx.conf").read_text(), changes))
    return ["nginx", "-e", f"{folder}/early.log", "-p", f"{folder}", "-c", f"{folder}/nginx.conf"]


def _of_caddy(folder: Path, port: int, upstream: int, is_new: bool) -> list[str]:
    if is_new:
        make_certificate(folder)
        site = "{$SOTTO_RELAY:relay.example.org} {"
        changes = {
            "admin off\n": f"admin off\nhttp_port {free_port()}\nhttps_port {port}\ndefault_bind 127.0.0.1\n",
            site: f"{site}\ntls {folder}/cert.pem {folder}/key.pem\n",
        }
        (folder / "Caddyfile").write_text(replace_all((DEPLOY / "relay" / "Caddyfile").read_text(), changes))
    return ["caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


_COMMANDS = {"sotto": _of_sotto, "nginx": _of_nginx, "caddy": _of_caddy}
