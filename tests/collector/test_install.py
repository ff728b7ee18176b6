"""`sotto install --systemd`: units that systemd takes, as deploy/ shows them, in a script for sh."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from collecting import SOTTO, TIMEOUT_S
from sotto_client.cli import main
from sotto_collector.errors import SettingError
from sotto_collector.settings import SETTINGS, Settings
from sotto_collector.units import ENVIRONMENT, Service

DEPLOY = Path(__file__).parents[2] / "deploy"
AS_SHOWN = Service(Path("/opt/sottovoce/bin/sotto"), copies=Path("/srv/backup/sottovoce"))
MOST_EXPOSED = 20
"""What `systemd-analyze security` may find, of 100."""
TITLE = """A "title" of 100 % $HOME's \\ & `id` <tag>"""

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")


def install(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["install", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def environment_of(unit: str) -> dict[str, str]:
    """Return what a unit's lines Environment= set, as systemd reads them: quoted as for sh, and %% is a %."""
    lines = re.findall(r"^Environment=(.*)$", unit, re.MULTILINE)
    pairs = [word.replace("%%", "%").partition("=") for line in lines for word in shlex.split(line)]
    return {name: value for name, _, value in pairs}


def test_the_units_that_deploy_shows_are_those_of_a_virtual_environment_in_opt() -> None:
    made = AS_SHOWN.make_units()
    assert made == {path.name: path.read_text() for path in DEPLOY.iterdir() if path.suffix in (".service", ".timer")}


@needs_systemd
def test_the_units_are_ones_that_systemd_takes_and_leave_the_service_few_rights(tmp_path: Path) -> None:
    settings = Settings(db="/var/lib/sottovoce/sottovoce.db", title=TITLE, workers=2)
    service = Service(SOTTO, settings=settings, copies=Path("/srv"))
    for name, text in service.make_units().items():
        (tmp_path / name).write_text(text)
    units = sorted(tmp_path.iterdir())
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    said = [line for line in done.stderr.splitlines() if "sotto" in line]  # of these units, not of the machine
    assert (done.returncode, said) == (0, [])
    for unit in tmp_path.glob("*.service"):
        words = ["systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED}", unit]
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        assert done.returncode == 0, done.stdout


def test_the_command_prints_the_script_for_the_environment_that_it_runs_in_and_changes_nothing() -> None:
    code, script, _ = install("--systemd", "--user", "ann", "--db", "/srv/x/y.db", "--port", "8100", "--title", TITLE)
    assert code == 0
    assert f"\nExecStart={Path(sys.prefix)}/bin/sotto serve\n" in script
    assert "\nUser=ann\n" in script
    assert "\nReadWritePaths=/srv/x\n" in script
    assert environment_of(script) == {"SOTTO_DB": "/srv/x/y.db", "SOTTO_PORT": "8100", "SOTTO_TITLE": TITLE}
    assert "sotto-backup" not in script
    subprocess.run(["sh", "-n"], input=script, text=True, check=True, timeout=TIMEOUT_S)


def test_a_daily_copy_is_a_timer_of_its_own() -> None:
    _, script, _ = install("--systemd", "--backup-to", "/mnt/other", "--keep", "30")
    assert f"\nExecStart={Path(sys.prefix)}/bin/sotto backup --to /mnt/other --keep 30\n" in script
    assert f"\nExecStart={Path(sys.prefix)}/bin/sotto drill --from /mnt/other\n" in script
    for act in ("enable", "restart"):
        assert f"\nsystemctl {act} sotto-collector.service sotto-backup.timer sotto-drill.timer\n" in script


def test_a_journal_is_written_where_the_service_may() -> None:
    _, script, _ = install("--systemd", "--journal", "/srv/other/acts.journal", "--db", "/srv/x/y.db")
    assert "\nReadWritePaths=/srv/x /srv/other\n" in script
    assert "\n[ -d /srv/other ] ||\n" in script
    _, script, _ = install("--systemd", "--journal", "/srv/x/acts.journal", "--db", "/srv/x/y.db")
    assert "\nReadWritePaths=/srv/x\n" in script
    assert "must be an absolute path" in install("--systemd", "--journal", "acts.journal")[2]


def test_every_setting_can_be_given_and_stands_in_the_unit_where_it_is_not_the_default() -> None:
    values = {row.name: row.default + 1 for row in SETTINGS if isinstance(row.default, int)}
    settings = Settings(db="postgresql://ann@db.example.org/s%40?sslmode=require", **values)
    set_there = environment_of(Service(SOTTO, settings=settings).make_units()["sotto-collector.service"])
    assert set_there == {"SOTTO_DB": settings.db} | {
        f"SOTTO_{name.upper()}": str(value) for name, value in values.items()
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--user", "root"], "user ('root') must be"),
        (["--user", "a b"], "user ('a b') must be"),
        (["--user", "$(id)"], "user ('$(id)') must be"),
        (["--db", "here.db"], "db (here.db) must be an absolute path"),
        (["--db", "/srv/a b.db"], "db (/srv/a b.db) must be an absolute path"),
        (["--db", "/a.db"], "must be in a folder of its own"),
        (["--db", "postgresql://ann:secret@h/x"], "db must not hold a password"),
        (["--backup-to", "copies"], "backup_to (copies) must be an absolute path"),
        (["--port", "443"], "port (443) must be an integer in [1024, 65535]"),
        (["--title", "a\nExecStart=/bin/sh"], "must be one line"),
        (["--workers", "0"], "workers (0) must be"),
    ],
)
def test_what_cannot_be_a_service_is_refused_in_a_line(words: list[str], said: str) -> None:
    code, out, err = install("--systemd", *words)
    assert (code, out) == (1, "")
    assert said in err
    assert "secret" not in err
    assert len(err.splitlines()) == 1


def test_without_the_name_of_a_service_manager_nothing_is_guessed() -> None:
    assert install()[:2] == (2, "")


@pytest.mark.parametrize("folder", ["/home/ann/.venv", "/root/venv", "/run/user/1/venv"])
def test_a_program_where_the_service_cannot_see_it_is_warned_of(folder: str) -> None:
    program = Path(folder) / "bin" / "sotto"
    assert Service(program).list_hidden() == [program]
    assert AS_SHOWN.list_hidden(Path("/usr"), Path("/homely")) == []
    assert AS_SHOWN.list_hidden(Path("/root/.pyenv")) == [Path("/root/.pyenv")]


def test_settings_of_ones_own_are_read_by_each_unit() -> None:
    services = [text for name, text in AS_SHOWN.make_units().items() if name.endswith(".service")]
    assert all(f"\nEnvironmentFile=-{ENVIRONMENT}\n" in text for text in services)
    with pytest.raises(SettingError):
        Service(Path("sotto"))


ENVIRONMENT_FILE = """\
# Settings of ours
SOTTO_TITLE=Survey of the canton
  SOTTO_NAME="in two words"
SOTTO_SIGNS='$(touch made) `id` $HOME \\ "a" #'
; export nothing=this
export SOTTO_NOT=this
2ND=no
nothing
SOTTO_EQUALS=a=b
SOTTO_LAST=1"""
"""As systemd reads it; without the end of its last line."""


READS = Path("/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator")
"""Systemd's own reader of such files, which prints them quoted for sh. Only $NAME it takes for a variable."""
QUOTED = """\
SOTTO_NAME="in two words"
SOTTO_SIGNS='50 % of `id` \\ "a" # b; c'
"""
"""What sh would read so, too."""
PLAIN = """\
SOTTO_HASH=50 % # b; c <d> `id` & e
SOTTO_SPACE=a=b \t
"""
ODD = ["a\\ b", '"a\\"b"', "'a'b'", "a'b", '"a', "'a", '"', " a", "a\rb", "a \\", '"a" # b']
"""Values that systemd, sh and who writes them may read differently."""


def start_script(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run the script in a folder, where the commands that change a machine say what they are asked."""
    (folder / "bin").mkdir(exist_ok=True)
    for name in ("useradd", "install", "runuser", "systemctl"):
        says_settings = "env | grep ^SOTTO_ | sort\n" if name == "runuser" else ""
        (folder / "bin" / name).write_text(f'#!/bin/sh\necho {name} "$@"\n{says_settings}')
        (folder / "bin" / name).chmod(0o755)
    _, script, _ = install("--systemd", *words)
    script = re.sub(r"/etc/(systemd/system|sottovoce)", rf"{folder}/\1", script)
    variables = {"PATH": f"{folder}/bin:{os.defpath}"}
    return subprocess.run(
        ["sh"], input=script, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=variables, cwd=folder
    )


def run_script(folder: Path, *words: object) -> list[str]:
    """Return what these commands say."""
    done = start_script(folder, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def settings_by_sh(text: str) -> list[str]:
    """Return the settings that sh reads in a text, in order of their names."""
    words = ["sh", "-c", f"set -a\n{text}\nenv | grep ^SOTTO_ | sort"]
    path = {"PATH": os.environ["PATH"]}
    done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S, check=True, env=path)
    return done.stdout.splitlines()


@pytest.mark.skipif(not READS.exists(), reason="systemd is not there")
def test_settings_are_read_as_systemd_itself_reads_them_or_refused(tmp_path: Path) -> None:
    (tmp_path / "systemd" / "system").mkdir(parents=True)
    (tmp_path / "environment.d").mkdir()
    (tmp_path / "sottovoce").mkdir()
    (tmp_path / "environment.d" / "sotto.conf").write_text(QUOTED + PLAIN)
    file = tmp_path / "sottovoce" / "collector.env"
    file.write_text(QUOTED + PLAIN)
    variables = {"HOME": "/", "XDG_CONFIG_HOME": str(tmp_path)}
    said = subprocess.run([READS], capture_output=True, text=True, timeout=TIMEOUT_S, check=True, env=variables).stdout
    expected = settings_by_sh(said)
    assert len(expected) == 4
    found = run_script(tmp_path, "--db", "/srv/x/y.db")
    assert [line for line in found if line.startswith("SOTTO_")] == ["SOTTO_DB=/srv/x/y.db", *expected]

    assert settings_by_sh(QUOTED) == [line for line in expected if line.startswith(("SOTTO_NAME", "SOTTO_SIGNS"))]

    for value in ODD:
        file.write_bytes(f"SOTTO_GOOD=1\nSOTTO_TITLE={value}\n# it's a comment\n".encode())
        done = start_script(tmp_path, "--db", "/srv/x/y.db")
        assert done.returncode == 1, value
        assert f"SOTTO_TITLE in {file} must be a plain value, or one whole in single quotes." in done.stderr
        assert "restart" not in done.stdout


def test_the_script_reads_settings_as_systemd_does_and_restarts_what_runs(tmp_path: Path) -> None:
    (tmp_path / "systemd" / "system").mkdir(parents=True)
    (tmp_path / "sottovoce").mkdir()
    (tmp_path / "sottovoce" / "collector.env").write_text(ENVIRONMENT_FILE)
    said = run_script(tmp_path, "--db", "/srv/x/y.db", "--workers", "2")
    assert [line for line in said if line.startswith("SOTTO_")] == [
        "SOTTO_DB=/srv/x/y.db",
        "SOTTO_EQUALS=a=b",
        "SOTTO_LAST=1",
        "SOTTO_NAME=in two words",
        """SOTTO_SIGNS=$(touch made) `id` $HOME \\ "a" #""",
        "SOTTO_TITLE=Survey of the canton",
    ]
    assert not (tmp_path / "made").exists()
    unit = (tmp_path / "systemd" / "system" / "sotto-collector.service").read_text()
    assert environment_of(unit) == {"SOTTO_DB": "/srv/x/y.db", "SOTTO_WORKERS": "2"}
    assert said[-3:] == [
        "systemctl daemon-reload",
        "systemctl enable sotto-collector.service",
        "systemctl restart sotto-collector.service",
    ]
