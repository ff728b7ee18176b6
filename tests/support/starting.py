"""Starts Python programs as `subprocess` does, but quicker: each is forked from a process that has the packages loaded.

What is started is a process of its own: its arguments, environment, folder, standard streams, limits, signals, parent
and end are those that `subprocess` would give it. What cannot be forked is started as ever: another interpreter,
options of Python's, variables that decide how Python or a library loads, another system than Linux. Tests whose subject
is how a program starts use `subprocess`.
"""

import atexit
import ctypes
import inspect
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PREPARED = Path(__file__).with_name("prepared.py")
SOTTO = Path(sys.executable).with_name("sotto")
AT_LOADING = ("PYTHON", "LD_", "LC_", "LANG", "OPENBLAS_", "OMP_", "MKL_", "NPY_", "NUMPY_", "NVPL_", "SCIPY_")
AT_LOADING += ("MALLOC_", "GLIBC_", "MPL", "PROMETHEUS_", "prometheus_")
"""How the names of variables begin that are read while Python starts, or a module that we use is loaded."""
PR_SET_CHILD_SUBREAPER = 36
_ENVIRONMENT = dict(os.environ)
_LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})
_SIGNATURE = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]
_lock = threading.Lock()
_control: socket.socket | None = None


class Popen(subprocess.Popen[Any]):
    """What `subprocess.Popen` is, of a process that was forked where that is the same."""

    def _execute_child(self, *given: Any) -> None:
        asked = _SIGNATURE.bind(self, *given).arguments
        order = _order(asked)
        if order is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        streams = [asked["p2cread"], asked["c2pwrite"], asked["errwrite"]]
        try:
            self.pid = _fork(order, [number if end == -1 else end for number, end in enumerate(streams)])
            self._child_created = True
        finally:
            self._close_pipe_fds(*(asked[name] for name in _PIPES))  # type: ignore[attr-defined]


_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def run(
    args: Any,
    *,
    input: Any = None,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> "subprocess.CompletedProcess[Any]":
    """Do what `subprocess.run` does."""
    if input is not None:
        options["stdin"] = subprocess.PIPE
    if capture_output:
        options["stdout"] = options["stderr"] = subprocess.PIPE
    with Popen(args, **options) as process:
        try:
            out, err = process.communicate(input, timeout=timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def _order(asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is to be forked, or None where that is not the same as to start it anew."""
    is_plain = not any(asked[name] for name in ("executable", "preexec_fn", "pass_fds", "shell", "startupinfo"))
    is_plain &= asked["close_fds"] and asked["umask"] == asked["process_group"] == -1 and asked["restore_signals"]
    is_plain &= asked["uid"] is asked["gid"] is asked["gids"] is None and sys.platform == "linux"
    if not is_plain or isinstance(asked["args"], str | bytes | os.PathLike):
        return None
    environment = dict(os.environ if asked["env"] is None else asked["env"])
    argv = [os.fsdecode(word) for word in asked["args"]]
    cwd = os.path.realpath(asked["cwd"] or ".")
    program = _program(argv, environment, cwd)
    if program is None or at_loading(environment) != at_loading(_ENVIRONMENT) or not os.access(cwd, os.X_OK):
        return None
    umask = Path("/proc/self/status").read_text().partition("\nUmask:")[2].split(maxsplit=1)[0]
    return program | {
        "environment": environment,
        "cwd": cwd,
        "umask": int(umask, 8),
        "limits": [(number, resource.getrlimit(number)) for number in _LIMITS],
        "is_leader": bool(asked["start_new_session"]),
    }


def _program(argv: list[str], environment: Mapping[str, str], cwd: str) -> dict[str, Any] | None:
    """Return what these words run: the `sotto` command, a script, or source that is given; or None."""
    found = shutil.which(argv[0], path=environment.get("PATH", os.defpath)) or ""
    if Path(found) == SOTTO:
        return _script(str(SOTTO), argv, [sys.executable, found, *argv[1:]])
    if found != sys.executable or len(argv) < 2:
        return None
    if argv[1] == "-c":
        return {"source": argv[2], "file": "", "path": "", "argv": ["-c", *argv[3:]], "orig_argv": argv}
    if argv[1].endswith(".py") and not argv[1].startswith("-"):
        return _script(str(Path(cwd, argv[1])), argv[1:], argv)
    return None


def _script(path: str, argv: list[str], orig_argv: list[str]) -> dict[str, Any]:
    return {
        "source": Path(path).read_text(),
        "file": path,
        "path": str(Path(path).resolve().parent),
        "argv": [path, *argv[1:]],
        "orig_argv": orig_argv,
    }


def at_loading(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what of an environment decides how Python or a library loads."""
    return {name: value for name, value in environment.items() if name.startswith(AT_LOADING)}


def _fork(order: dict[str, Any], streams: list[int]) -> int:
    """Have a program forked whose standard streams are these, as a child of this process; return its number."""
    with _lock, tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        json.dump(order, file)
        file.flush()
        file.seek(0)
        with _as_subreaper():
            control = _prepared()
            socket.send_fds(control, [b"."], [file.fileno(), *streams])
            answer = control.recv(8)
        if len(answer) != 8:
            raise RuntimeError("the prepared process ended")
        return int.from_bytes(answer, "big")


@contextmanager
def _as_subreaper() -> Iterator[None]:
    """Be who orphans below this process are given to, for as long as it takes: later ones are init's, as ever."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _prepared() -> socket.socket:
    """Return the way to the prepared process of this process; it is started at the first order."""
    global _control
    if _control is None:
        ours, theirs = socket.socketpair()
        with theirs:
            command, null = [sys.executable, str(PREPARED), str(theirs.fileno())], subprocess.DEVNULL
            process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=null, stdout=null, env=_ENVIRONMENT)
        _control = ours

        def end() -> None:
            ours.close()
            process.wait()

        atexit.register(end)
    return _control
