"""docs/install.md from its first command to its last, as far as a machine goes whose first process is not systemd.

What needs the network (apt-get, git, pip) is not run, nor is a pager: a virtual environment of the test's own has the
packages of this one. Nothing is changed outside of the test's folder. Of the script that `sotto install` prints all is
run but the calls of systemctl; then the line ExecStart of the unit that it wrote, as its user, with its settings.
"""

import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collecting import TIMEOUT_S, wait_until
from console import Console, blocks
from postgres_server import free_port
from proxies import Proxy, does_listen, is_there, make_certificate, replace_all, run_proxy

ROOT = Path(__file__).parents[2]
SHELL, SURVEY = [
    [text for kind, text in blocks(ROOT / "docs/install.md") if kind == word] for word in ("sh", "console")
]
NOT_RUN = ("apt-get ", "git clone ", "/opt/sottovoce/bin/pip ", "less ")
SERVICE = re.compile(r"^(Environment|ExecStart|User|WorkingDirectory|UMask)=(.*)$", re.MULTILINE)
SITE = sysconfig.get_path("purelib")
PROBE = f"import site; site.addsitedir({SITE!r}); import sotto_collector.commands.serve"

pytestmark = pytest.mark.thorough


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder for all that the page makes, which another user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="sotto-install-"))
    folder.chmod(0o755)
    for name in ("opt", "usr/local/bin", "etc/systemd/system", "etc/caddy", "var/lib", "srv"):
        (folder / name).mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)


def find_user() -> tuple[str, str]:
    """Return who the service is to be, another one than root, and a Python that he can run."""
    if os.geteuid() != 0 or not shutil.which("runuser"):
        pytest.skip("root alone makes a service")
    for python in (Path(sys.base_prefix) / "bin" / "python3", Path("/usr/bin/python3")):
        command = ["runuser", "--user=nobody", "--", python, "-c", PROBE]
        if python.exists() and subprocess.run(command, check=False, capture_output=True, cwd="/").returncode == 0:
            return "nobody", str(python)
    pytest.skip("no other user can run this Python and read this checkout")


def in_root(text: str, root: Path) -> str:
    """Return a command, or a script, with the folders of this test for the machine's."""
    return re.sub(
        r"(?<![\w/.-])/(opt|usr/local|etc/systemd|etc/caddy|etc/sottovoce|var/lib|srv)\b", rf"{root}/\1", text
    )


def install_packages(environment: Path) -> None:
    """Do what pip does: give a virtual environment the packages and the command `sotto`."""
    [site] = environment.glob("lib/python*/site-packages")
    (site / "there.pth").write_text(f"import site; site.addsitedir({SITE!r})\n")
    program = f"#!{environment}/bin/python\nfrom sotto_client.cli import main\nmain()\n"
    (environment / "bin" / "sotto").write_text(program)
    (environment / "bin" / "sotto").chmod(0o755)


def run_page(root: Path, user: str, python: str, port: int) -> str:
    """Run the commands of the first two blocks, and the script that they make; return what that prints."""
    printed = ""
    for line in "".join(SHELL[:2]).splitlines():
        command = in_root(line, root).replace(
            "sotto install", f"{root}/usr/local/bin/sotto install --user={user} --port={port}"
        )
        command = command.replace("--systemd", f"--systemd --db={root}/var/lib/sottovoce/sottovoce.db")
        if command.startswith("python3 -m venv"):
            command = command.replace("python3 -m venv", f"{python} -m venv --without-pip")
        if line.startswith(NOT_RUN):
            continue
        if line == "sh install.sh":
            script = in_root((root / "install.sh").read_text(), root).replace(f"{root}{root}", str(root))
            (root / "install.sh").write_text(re.sub(r"^systemctl .*\n", "", script, flags=re.MULTILINE))
        done = subprocess.run(
            ["sh", "-c", command], cwd=root, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        if "-m venv" in command:
            install_packages(root / "opt/sottovoce")
        printed += done.stdout if line == "sh install.sh" else ""
    return printed


def start(unit: str) -> "subprocess.Popen[str]":
    """Run a unit's ExecStart as its user, with its settings, in its folder."""
    said = SERVICE.findall(unit)
    values = dict(said)
    settings = dict(text.split("=", 1) for name, text in said if name == "Environment")
    user = pwd.getpwnam(values["User"])
    return subprocess.Popen(
        shlex.split(values["ExecStart"]),
        cwd=values["WorkingDirectory"],
        env={"PATH": os.environ["PATH"], **settings},
        umask=int(values["UMask"], 8),
        stdout=subprocess.PIPE,
        text=True,
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
    )


@contextmanager
def serving(unit: str) -> Iterator[str]:
    """Run the collector's unit until the block ends; yield its first line."""
    process = start(unit)
    try:
        assert process.stdout is not None
        yield process.stdout.readline()
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0


@contextmanager
def caddy(root: Path, upstream: int) -> Iterator[Proxy]:
    """Run Caddy with what the page puts into /etc/caddy, and a certificate that needs no network."""
    [command] = [line for line in "".join(SHELL).splitlines() if line.startswith("sed ")]
    source = in_root(command, root).replace(f"{root}/opt/sottovoce-source", str(ROOT)).replace("YOUR.NAME", "localhost")
    subprocess.run(["sh", "-c", source], check=True, timeout=TIMEOUT_S)
    make_certificate(root)
    port, plain, config = free_port(), free_port(), root / "etc/caddy/Caddyfile"
    here = {
        "admin off\n": f"admin off\nhttp_port {plain}\nhttps_port {port}\ndefault_bind 127.0.0.1\n",
        "SOTTO_SITE:localhost} {": f"SOTTO_SITE:localhost}} {{\ntls {root}/cert.pem {root}/key.pem\n",
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
    }
    config.write_text(replace_all(config.read_text(), here))
    with run_proxy(["caddy", "run", "--config", str(config), "--adapter", "caddyfile"], root, {}) as process:
        proxy = Proxy(process, port, root, plain)
        wait_until(lambda: does_listen(proxy))
        yield proxy


def test_the_page_leads_from_nothing_to_a_survey_that_is_published_behind_tls(root: Path, tmp_path: Path) -> None:
    if not is_there("caddy"):
        pytest.skip("caddy is not there")
    (user, python), port = find_user(), free_port()
    token = run_page(root, user, python, port).strip()
    assert token.startswith("sotto_admin_")
    folder = root / "var/lib/sottovoce"
    assert (folder.owner(), folder.stat().st_mode & 0o777) == (user, 0o700)
    assert (folder / "sottovoce.db").stat().st_mode & 0o777 == 0o600
    unit = (root / "etc/systemd/system/sotto-collector.service").read_text()
    with serving(unit) as line, caddy(root, port) as proxy:
        assert line == f"sotto collector listening on http://127.0.0.1:{port}\n"
        console = Console(tmp_path, url=proxy.url, tokens={"sotto_admin_..": token})
        console.environment["REQUESTS_CA_BUNDLE"] = str(proxy.certificate)
        for session in SURVEY:
            console.run_session(session.replace("https://collector.example.org", proxy.url))
        assert "staff" in console.run_command(f"sotto status {proxy.url}")
    backup = start((root / "etc/systemd/system/sotto-backup.service").read_text())
    assert backup.communicate(timeout=TIMEOUT_S)[0].endswith(" rows copied\n")
    assert len([*(root / "srv/backup").glob("*.db")]) == 1
    names = {path.name for path in (root / "srv/backup").iterdir()}
    drill = start((root / "etc/systemd/system/sotto-drill.service").read_text())
    assert ": can be restored\n" in drill.communicate(timeout=TIMEOUT_S)[0]
    assert {path.name for path in (root / "srv/backup").iterdir()} == names  # nothing is left of the trial
