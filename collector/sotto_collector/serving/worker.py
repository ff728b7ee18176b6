"""One worker: a process, or the only one, that serves on a listening socket until it is told to stop."""

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from flask import Flask

from sotto_collector.app import create_app
from sotto_collector.logs import OURS, describe_fault
from sotto_collector.serving.server import make_server
from sotto_collector.settings import Settings
from sotto_collector.slot import ALONE, Slot
from sotto_collector.telemetry import check_environment, sending
from sotto_protocol import SottoError

READY = b"+"
_MAX_REASON_BYTES = 4096  # a pipe takes so many at once

log = logging.getLogger(OURS)


def serve_on(listening: socket.socket, settings: Settings, slot: Slot, on_ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, then finish what was begun; call `on_ready` once requests are taken.

    Raises StoreError where the database cannot be used, or could not be left tidy; SettingError where metrics cannot be
    sent as the environment says.
    """
    check_environment(os.environ)
    app = create_app(settings, slot)
    telemetry = sending(app.extensions["collector"].collect_metrics, slot)
    run_app(app, settings, listening, on_ready, is_last=slot is ALONE, beside=telemetry)


def run_app(
    app: Flask,
    settings: Settings,
    listening: socket.socket,
    on_ready: Callable[[], None],
    *,
    is_last: bool = True,
    beside: AbstractContextManager[None] = nullcontext(),  # noqa: B008  # it holds nothing
) -> None:
    """Serve an app as `serve_on` does, and close its collector; `is_last`: no other works on its database then.

    `beside` is entered while it serves.
    """
    collector = app.extensions["collector"]
    try:
        server = make_server(app, settings, listening)

        def stop(*_: object) -> None:
            collector.hurry()
            server.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        collector.metrics.count_start()
        with beside:
            on_ready()
            server.run()
    finally:
        collector.close(is_last=is_last)


def be_worker(listening: socket.socket, settings: Settings, slot: Slot, ready: int, lifeline: int) -> None:
    """Serve in a process that was forked for it; never returns.

    Writes to the pipe `ready` that it serves, or why not; stops when the pipe `lifeline` ends: the parent is gone then.
    """
    status, told = 1, threading.Event()

    def say(word: bytes) -> None:
        if not told.is_set():
            told.set()
            os.write(ready, word[:_MAX_REASON_BYTES])
            os.close(ready)

    try:
        threading.Thread(target=_end_with_parent, args=[lifeline], daemon=True).start()
        serve_on(listening, settings, slot, lambda: say(READY))
        status = 0
    except SottoError as fault:
        if told.is_set():
            log.error("%s", fault)
        say(str(fault).encode())
    except BaseException as fault:
        log.error("%s", describe_fault(type(fault), fault.__traceback__))
    finally:
        os._exit(status)  # a worker must not run what the parent does at its end


def _end_with_parent(lifeline: int) -> None:
    os.read(lifeline, 1)  # nobody writes
    os.kill(os.getpid(), signal.SIGTERM)
