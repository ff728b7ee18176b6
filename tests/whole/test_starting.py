"""What `starting` forks is a process like one that `subprocess` starts."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import starting
from prepared import LATER
from starting import SOTTO

TIMEOUT_S = 300
RUNS = (subprocess.run, starting.run)
TELL = """
import gc, json, locale, os, resource, signal, sys, threading, time, warnings
streams = [
    [s.name, s.mode, s.encoding, s.errors, s.line_buffering, s.write_through, s.isatty(), str(s.newlines), s.fileno()]
    for s in (sys.stdin, sys.stdout, sys.stderr)
]
kept = ("Umask", "SigB", "SigC", "SigP", "Shd", "Threads", "Groups")
masks = [line for line in open("/proc/self/status") if line.startswith(kept)]
filters = [str(each) for each in warnings.filters if each[2].__module__ == "builtins" and not each[1]]
told = {
    "environ": dict(os.environ), "argv": sys.argv, "orig_argv": sys.orig_argv, "path": sys.path, "cwd": os.getcwd(),
    "parent": os.getppid(), "group": os.getpgid(0) == os.getpid(), "session": os.getsid(0) == os.getpid(),
    "limits": [resource.getrlimit(number) for number in range(16)], "masks": masks, "zone": time.tzname,
    "names": sorted(name for name in globals() if not name.startswith("__")),
    "main": [sys.modules["__main__"].__dict__ is globals(), __name__, globals().get("__file__")],
    "handlers": [str(signal.getsignal(number)) for number in (1, 2, 3, 13, 15, 17)], "streams": streams,
    "handles": sorted(os.listdir("/proc/self/fd"))[:-1], "input": sys.stdin.read(), "gc": gc.isenabled(),
    "filters": filters, "locale": locale.getlocale(),
    "threads": threading.active_count(), "nice": os.nice(0),
}
print(json.dumps(told))
"""
"""Prints what a process can know of how it was started."""


def how(done: "subprocess.CompletedProcess[bytes]") -> tuple[int, bytes, list[bytes]]:
    """Return how a program ended, without the source that newer Pythons quote below a line of `-c`."""
    return done.returncode, done.stdout, [line for line in done.stderr.splitlines() if not line.startswith(b"    ")]


def tell(run: Callable[..., Any], *words: str | Path, **options: Any) -> dict[str, Any]:
    done = run([sys.executable, *words], text=True, stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_S, **options)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture
def n_prepared(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Keep the orders of which a process was forked."""
    orders: list[dict[str, Any]] = []
    fork = starting._fork

    def count(order: dict[str, Any], streams: list[int]) -> int:
        orders.append(order)
        return fork(order, streams)

    monkeypatch.setattr(starting, "_fork", count)
    return orders


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"start_new_session": True, "input": "what is read\n"},
        {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT},
        {"cwd": "/", "env": {"PATH": "/usr/bin", "TZ": "Asia/Tokyo", "ODD": "a\udcff=\n"}},
    ],
)
def test_process_is_told_the_same(options: dict[str, Any], n_prepared: list[Any], tmp_path: Path) -> None:
    options = {**options}
    script = tmp_path / "tell.py"
    script.write_text(TELL)
    environment = options.pop("env", os.environ) | starting.at_loading(os.environ)
    before, limits = os.umask(0o027), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, limits[1]))
    try:
        for words in (["-c", TELL, "a", "-b"], [script, "a"]):
            started, forked = (tell(run, *words, **options, env=environment) for run in RUNS)
            for name, value in started.items():
                assert (name, forked[name]) == (name, value)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        os.umask(before)
    assert len(n_prepared) == 2


LATER_ENDS = (
    "sys.exit('said')",
    "print(1); os._exit(7)",
    "atexit.register(print, 'last'); threading.Thread(target=lambda: (time.sleep(0.05), print('thread'))).start()",
    "os.close(1); print('lost')",
    "sys.stdout.write('no line'); sys.stdout.buffer.write(b'bytes')",
    "1 / 0",
    "raise KeyboardInterrupt",
    "int('x'",
    "threading.Thread(target=int, args=['x']).start()",
)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "source",
    [
        "print('out'); print('err', file=sys.stderr)",
        "sys.exit(3)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5)); os.kill(os.getpid(), signal.SIGTERM); time.sleep(600)",
        "pid = os.fork(); os.waitpid(pid, 0) if pid else sys.exit(2); print(pid > 0)",
        "from sotto_client.cli import main; main()",
        "from pathlib import Path; Path('/proc/self/fd/9').exists() or sys.exit('closed')",
        *(pytest.param(source, marks=pytest.mark.thorough) for source in LATER_ENDS),
    ],
)
def test_process_ends_the_same(source: str, n_prepared: list[Any]) -> None:
    command = [sys.executable, "-c", f"import atexit, os, signal, sys, threading, time; {source}", "--version"]
    ends = [run(command, capture_output=True, timeout=TIMEOUT_S) for run in RUNS]
    assert how(ends[0]) == how(ends[1])
    assert len(n_prepared) == 1


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--version"], marks=pytest.mark.thorough),
        pytest.param(["nothing"], marks=pytest.mark.thorough),
        ["check", "none.toml"],
    ],
)
def test_installed_command_prints_the_same(words: list[str], n_prepared: list[Any], tmp_path: Path) -> None:
    environment = os.environ | {"PATH": f"{SOTTO.parent}:{os.environ['PATH']}"}
    for program in (SOTTO, "sotto"):
        options = {"capture_output": True, "timeout": TIMEOUT_S, "cwd": tmp_path, "env": environment}
        ends = [run([program, *words], **options) for run in RUNS]
        assert (ends[0].returncode, ends[0].stdout, ends[0].stderr) == (
            ends[1].returncode,
            ends[1].stdout,
            ends[1].stderr,
        )
    assert len(n_prepared) == 2


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["-W", "error", "-c", "print('ran')"], {}),
        (["-c", "print('ran')"], {"env": os.environ | {"PYTHONHASHSEED": "1"}}),
        (["-c", "print('ran')"], {"env": os.environ | {"LD_PRELOAD": ""}}),
        (["-c", "print('ran')"], {"env": os.environ | {"LC_ALL": "de_DE.UTF-8"}}),
        (["-c", "print('ran')"], {"umask": 0o77}),
        (["-c", "print('ran')"], {"preexec_fn": os.getpid}),
        (["-c", "print('ran')"], {"pass_fds": [2]}),
    ],
)
def test_what_a_fork_cannot_be_is_started_anew(
    words: list[str], options: dict[str, Any], n_prepared: list[Any]
) -> None:
    done = starting.run([sys.executable, *words], capture_output=True, timeout=TIMEOUT_S, **options)
    assert (done.stdout, n_prepared) == (b"ran\n", [])


def test_child_can_be_waited_for_and_signalled() -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with starting.Popen([sys.executable, "-c", "print(flush=True); input()"], **pipes) as process:
        assert process.stdout.readline()  # before that, an interrupt can end what is raised where nobody hears it
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.send_signal(signal.SIGSTOP)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == -signal.SIGINT


def test_orphans_go_to_init_as_ever() -> None:
    """They would be zombies here, and tests wait until such have ended."""
    source = "import os; os.fork() or input(); print(os.getpid(), flush=True)"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with starting.Popen([sys.executable, "-c", source], text=True, **pipes) as process:
        assert int(process.stdout.readline()) == process.pid
        assert process.wait(TIMEOUT_S) == 0
        process.stdin.write("go on\n")
        process.stdin.flush()
        orphan = int(process.stdout.readline())
    with pytest.raises(ChildProcessError):
        os.waitpid(orphan, 0)


def test_what_is_loaded_beforehand_is_there() -> None:
    assert all(find_spec(name) for module, later in LATER.items() for name in (module, *later))


ONE_OF_EACH_PLACE = ("associate", "audit", "check", "compare", "explain", "serve", "simulate", "survey")
"""Commands of every package, and of every folder of commands: the others load what one of these loads, or less."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in ONE_OF_EACH_PLACE else pytest.mark.rare)
        for name in sorted(point.name for point in entry_points(group="sotto.commands"))
    ],
)
def test_each_command_starts_as_it_is_installed(name: str) -> None:
    """Started anew, from its entry point, with nothing loaded: forked processes have what others needed."""
    done = subprocess.run([SOTTO, name, "--help"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: sotto {name} ")
