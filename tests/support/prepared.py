"""A Python that waits with the packages loaded, and forks for each start that `starting` orders from it.

Whoever ordered becomes the parent of what is started: it is the subreaper while the process between the two ends.
"""

import ast
import gc
import io
import json
import os
import resource
import signal
import socket
import sys
import time
import types
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

OURS = (
    "sotto_protocol",
    "sotto_client",
    "sotto_collector",
    "sotto_estimator",
    "sotto_rehearsal",
    "sotto_author",
    "sotto_relay",
)
LATER = {
    "sotto_author.preview": ("sotto_author.previewed",),
    "sotto_author.classroom.commands": ("sotto_author.classroom.serving",),
    "sotto_collector.store": ("alembic.command", "alembic.config", "sotto_collector.store.postgres"),
    "sotto_collector.app": ("jinja2.ext", "sotto_estimator.page.blueprint", "sotto_estimator.page.release"),
    "sotto_estimator.commands": ("sotto_estimator.views.estimates",),
}
"""What functions of a module import when they are called, and which is slow to load."""


def await_order(control: socket.socket) -> dict[str, Any]:
    """Fork for each order; return it in the process that is started, which has by then what a new one has."""
    at_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends those who order, and that ends this
    while True:
        message, handles, _, _ = socket.recv_fds(control, 1, 4)
        if not message:
            sys.exit()
        with os.fdopen(handles.pop(0), encoding="utf-8") as file:
            order: dict[str, Any] = json.load(file)
        load_for(order)
        gc.collect()
        gc.freeze()  # else the first collection of each process writes to all that they share
        if len(os.listdir("/proc/self/task")) != 1:  # noqa: PTH208
            sys.exit("the prepared process has threads: none may fork from it")
        unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        pid = fork_off()
        if not pid:
            prepare(order, handles)
            signal.signal(signal.SIGINT, at_interrupt)
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)  # what was sent meanwhile comes now
            return order
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        for handle in handles:
            os.close(handle)
        control.sendall(pid.to_bytes(8, "big"))


@cache
def commands() -> dict[str, EntryPoint]:
    """Return where each command of `sotto` is, by its name."""
    return {point.name: point for point in entry_points(group="sotto.commands")}


def load_for(order: dict[str, Any]) -> None:
    """Import what a program will import, so that no later one has to. What fails here fails there, and says so."""
    with suppress(Exception):
        for node in ast.walk(ast.parse(order["source"])):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                if name.startswith(OURS):
                    with suppress(ModuleNotFoundError):  # a name in a module, and no module
                        import_module(name)
            if "sotto_client.cli" in names:
                next((commands()[word].load() for word in order["argv"][1:] if word in commands()), None)
        for name in [name for module, later in LATER.items() if module in sys.modules for name in later]:
            with suppress(ImportError):
                import_module(name)


def fork_off() -> int:
    """Return the number of a process that goes on from here as an orphan, and 0 in it."""
    reading, writing = os.pipe()
    gate, is_orphan = os.pipe()
    between = os.fork()
    if not between:
        pid = os.fork()
        if pid:
            os.write(writing, pid.to_bytes(8, "big"))
            os._exit(0)
        os.close(is_orphan)
        os.read(gate, 1)  # until its parent is whoever ordered it
        for handle in (reading, writing, gate):
            os.close(handle)
        return 0
    os.waitpid(between, 0)
    pid = int.from_bytes(os.read(reading, 8), "big")
    for handle in (reading, writing, gate, is_orphan):
        os.close(handle)
    return pid


def prepare(order: dict[str, Any], handles: list[int]) -> None:
    """Give this process what a new one has from its parent."""
    if order["is_leader"]:
        os.setsid()
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
    os.closerange(3, 1024)
    os.chdir(order["cwd"])
    os.umask(order["umask"])
    for number, limits in order["limits"]:
        if resource.getrlimit(number) != tuple(limits):
            resource.setrlimit(number, tuple(limits))
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = open_again(getattr(sys, name), number)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.excepthook = show
    sys.argv, sys.orig_argv = order["argv"], order["orig_argv"]
    sys.path[0] = order["path"]
    gc.enable()


def open_again(stream: Any, number: int) -> io.TextIOWrapper:
    """Return a standard stream made as Python makes it: its buffers depend on where it leads."""
    is_raw = isinstance(stream.buffer, io.FileIO)
    binary: Any = open(number, "wb" if number else "rb", 0 if is_raw else -1, closefd=False)  # noqa: SIM115
    getattr(binary, "raw", binary).name = stream.name
    text = io.TextIOWrapper(
        binary,
        stream.encoding,
        stream.errors,
        newline="\n" if number else None,
        line_buffering=not stream.write_through and (number == 2 or os.isatty(number)),
        write_through=stream.write_through,
    )
    text.mode = "w" if number else "r"  # type: ignore[misc]
    return text


def show(kind: type[BaseException], fault: BaseException, trace: types.TracebackType | None) -> None:
    """Show what nobody caught, without the line here that ran it."""
    shown = trace and trace.tb_next
    sys.__excepthook__(kind, fault.with_traceback(shown), shown)


def main_module(order: dict[str, Any]) -> dict[str, Any]:
    """Return the names of an empty `__main__`."""
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    if order["file"]:
        module.__file__ = order["file"]
    sys.modules["__main__"] = module
    return module.__dict__


if __name__ == "__main__":
    gc.disable()
    _order = await_order(socket.socket(fileno=int(sys.argv[1])))
    _code = compile(_order["source"], _order["file"] or "<string>", "exec", dont_inherit=True)
    exec(_code, main_module(_order))  # noqa: S102  # at the top, so that the interpreter ends as it does
