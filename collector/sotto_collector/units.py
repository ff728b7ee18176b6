"""A collector as a service of systemd: its units, and the script that puts them on a machine."""

import re
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sotto_collector.errors import SettingError
from sotto_collector.settings import SETTINGS, Settings
from sotto_collector.store.databases import locate

UNITS = Path("/etc/systemd/system")
ENVIRONMENT = "/etc/sottovoce/collector.env"
STATE = Path("/var/lib/sottovoce")
LEAST_PORT = 1024
"""The service has no right to listen below."""

_SANDBOX = """\
UMask=0077
# A crash leaves no copy of the memory, which holds reports on their way.
LimitCORE=0

CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProcSubset=pid
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateDevices=yes
PrivateTmp=yes
PrivateUsers=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
# To ask whether the clock is synchronized (ProtectClock would forbid it). Nobody can set it without capabilities.
SystemCallFilter=adjtimex clock_adjtime clock_adjtime64
SystemCallErrorNumber=EPERM
"""

_COLLECTOR = """\
# Made by `sotto install --systemd`. Settings of your own (SOTTO_WORKERS=2 ..): {environment}
[Unit]
Description=sottovoce collector
After=network.target time-sync.target postgresql.service
Wants=time-sync.target
RequiresMountsFor={written}

[Service]
Type=exec
User={user}
WorkingDirectory={folder}
ReadWritePaths={written}
{settings}
EnvironmentFile=-{environment}
ExecStart={command} serve
# Replaces the workers one by one; with one worker it does nothing.
ExecReload=/bin/kill -HUP $MAINPID
# The parent stops its workers; they drain for up to nine seconds.
KillMode=mixed
TimeoutStopSec=30
Restart=on-failure
RestartSec=1
LimitNOFILE=65536
{sandbox}
[Install]
WantedBy=multi-user.target
"""

_BACKUP = """\
# Made by `sotto install --systemd`.
[Unit]
Description=Daily copy of sottovoce's database
After=postgresql.service
RequiresMountsFor={folder} {copies}

[Service]
Type=oneshot
User={user}
WorkingDirectory={folder}
ReadWritePaths={folder} {copies}
{database}
EnvironmentFile=-{environment}
ExecStart={command} backup --to {copies} --keep {n_copies}
# Where both want the processor, five sixths of it are the collector's.
CPUWeight=20
{sandbox}"""

_DRILL = """\
# Made by `sotto install --systemd`.
[Unit]
Description=Restore of sottovoce's newest copy, for trial
After=postgresql.service sotto-backup.service
RequiresMountsFor={folder} {copies}

[Service]
Type=oneshot
User={user}
WorkingDirectory={folder}
ReadWritePaths={written} {copies}
{settings}
EnvironmentFile=-{environment}
# Where the trial is made. It needs room for two more copies.
Environment=TMPDIR={copies}
ExecStart={command} drill --from {copies}
# Where both want the processor, five sixths of it are the collector's.
CPUWeight=20
{sandbox}"""

_TIMER = """\
# Made by `sotto install --systemd`.
[Unit]
Description={description}

[Timer]
OnCalendar={often}
RandomizedDelaySec=1h
Persistent=yes

[Install]
WantedBy=timers.target
"""

_SCRIPT = """\
#!/bin/sh
# Makes a collector of sottovoce a service of this machine. Read it, then run it as root. It makes:
#   the user {user}
#   {folders}, where missing, for this user alone
#   {names} in {units}
#   the database, and prints the token of its first admin
# Settings of your own go into {environment}. The program stays where it is:
#   {command}
set -eu
cd /
id {user} >/dev/null 2>&1 || useradd --system --home-dir {folder} --shell /usr/sbin/nologin {user}
{made}
{written}
export {database}
if [ -r {environment} ]; then
  # As systemd reads it, and nothing of it is run.
  while read -r line || [ -n "$line" ]; do
    name=${{line%%=*}} value=${{line#*=}} odd=
    case $value in
      \\"*[\\"\\\\]*\\" | \\'*\\'*\\' | [[:space:]]* | *[[:cntrl:]]*) odd=yes ;;
      \\"*\\") value=${{value#\\"}} value=${{value%\\"}} ;;
      \\'*\\') value=${{value#\\'}} value=${{value%\\'}} ;;
      *[\\"\\'\\\\]*) odd=yes ;;
    esac
    case $name in
      "$line" | "" | [0-9]* | *[!A-Za-z0-9_]*) ;;
      *)
        if [ "$odd" ]; then
          echo "$name in {environment} must be a plain value, or one whole in single quotes." >&2
          exit 1
        fi
        export "$name=$value"
        ;;
    esac
  done <{environment}
fi
runuser --user={user} -- {command} db init </dev/null || echo "the database stays as it is" >&2
systemctl daemon-reload
systemctl enable {started}
systemctl restart {started}
"""

_MAKE_FOLDER = """\
[ -d {folder} ] ||
  install --directory --owner={user} --group="$(id --group --name {user})" --mode=0700 {folder}
runuser --user={user} -- test -w {folder} -a -x {folder} || {{
  echo "{folder} must be a folder that {user} can write to: chown {user}: {folder}" >&2
  exit 1
}}"""

_HIDDEN = {Path("/home"), Path("/root"), Path("/run/user"), Path("/tmp"), Path("/var/tmp")}  # noqa: S108  # named only


@dataclass(frozen=True, slots=True)
class Service:
    """A collector on a machine: the program, the user that it runs as, settings, and where its copies go.

    `copies`: a folder, or None for no daily copy, of which the last `n_copies` are kept. Raises SettingError.
    """

    command: Path
    user: str = "sottovoce"
    settings: Settings = field(default_factory=lambda: Settings(db=str(STATE / "sottovoce.db")))
    copies: Path | None = None
    n_copies: int = 2

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z_][a-z0-9_-]{0,31}", self.user) or self.user == "root":
            raise SettingError(f"user ({self.user!r}) must be a name of a-z, 0-9, _ and -, and not root.")
        if self.settings.port < LEAST_PORT:
            raise SettingError(f"port ({self.settings.port}) must be an integer in [{LEAST_PORT}, 65535].")
        if not self.is_file and urlsplit(self.settings.db).password is not None:
            raise SettingError("db must not hold a password: everybody can read a unit. PGPASSFILE can name a file.")
        db, journal = self.settings.db if self.is_file else None, self.settings.journal or None
        paths = {"the program": self.command, "db": db, "journal": journal, "backup_to": self.copies}
        for name, path in paths.items():
            if path is not None and not re.fullmatch(r"(/[\w.+-]+)+", str(path), re.ASCII):
                raise SettingError(f"{name} ({path}) must be an absolute path of letters, digits and /._+-")
        if self.folder == Path("/"):
            raise SettingError(f"db ({self.settings.db}) must be in a folder of its own.")
        if any(not str(value).isprintable() for value in asdict(self.settings).values()):
            raise SettingError("a setting must be one line of printable signs.")

    @property
    def is_file(self) -> bool:
        return locate(self.settings.db).is_file

    @property
    def folder(self) -> Path:
        """Where the database is, or what the service has for a home where that is elsewhere."""
        return Path(self.settings.db).parent if self.is_file else STATE

    @property
    def written(self) -> list[Path]:
        """The folders that the service writes to, but that of its copies."""
        return [*dict.fromkeys([self.folder, *([Path(self.settings.journal).parent] if self.settings.journal else [])])]

    def list_environment(self) -> list[str]:
        """Return as NAME=value the database, and the settings that are not the defaults."""
        values = asdict(self.settings)
        rows = [row for row in SETTINGS if row.name == "db" or values[row.name] != row.default]
        return [f"{row.env}={values[row.name]}" for row in rows]

    def make_units(self) -> dict[str, str]:
        """Return the text of each unit by its name."""
        settings = [f"Environment={_quote(text)}" for text in self.list_environment()]
        values = {
            "user": self.user,
            "environment": ENVIRONMENT,
            "folder": self.folder,
            "written": " ".join(map(str, self.written)),
            "copies": self.copies,
            "n_copies": self.n_copies,
            "command": self.command,
            "database": settings[0],
            "settings": "\n".join(settings),
            "sandbox": _SANDBOX,
        }
        units = {"sotto-collector.service": _COLLECTOR.format(**values)}
        if self.copies is not None:
            units |= {
                "sotto-backup.service": _BACKUP.format(**values),
                "sotto-backup.timer": _TIMER.format(description="Daily copy of sottovoce's database", often="daily"),
                "sotto-drill.service": _DRILL.format(**values),
                "sotto-drill.timer": _TIMER.format(
                    description="Monthly restore of sottovoce's newest copy, for trial", often="monthly"
                ),
            }
        return units

    def make_script(self) -> str:
        """Return the shell script that makes user, folders, units and database, and starts the service."""
        units = self.make_units()
        folders = [*dict.fromkeys([*self.written, *([self.copies] if self.copies else [])])]
        values = {
            "user": self.user,
            "environment": ENVIRONMENT,
            "folder": self.folder,
            "folders": " ".join(map(str, folders)),
            "names": ", ".join(units),
            "units": UNITS,
            "command": self.command,
            "made": "\n".join(_MAKE_FOLDER.format(folder=folder, user=self.user) for folder in folders),
            "written": "\n".join(f"cat >{UNITS / name} <<'END'\n{text}END" for name, text in units.items()),
            "database": shlex.quote(self.list_environment()[0]),
            "started": " ".join(name for name in units if name not in ("sotto-backup.service", "sotto-drill.service")),
        }
        return _SCRIPT.format(**values)

    def list_hidden(self, *paths: Path) -> list[Path]:
        """Return those of these paths, and of its own, that the service cannot see."""
        return [path for path in (self.command, *self.written, *paths) if _HIDDEN & {*path.parents, path}]


def _quote(text: str) -> str:
    """Return a text as systemd takes it as one word, whatever is in it."""
    text = text.replace("%", "%%")
    if re.fullmatch(r"[\w./:=@%+,-]*", text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
