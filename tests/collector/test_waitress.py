"""What the server relies on inside waitress: an update that takes one of it away is told here by its name.

pyproject.toml keeps to one minor version for the same reason; raise both together.
"""

import inspect
import re
import socket
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer, TcpWSGIServer
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.trigger import trigger

from sotto_collector.serving.channel import Channel
from sotto_collector.serving.server import Server

ROOT = Path(__file__).parents[2]
OVERRIDDEN = {
    (Task, "build_response_header"): "self",
    (Task, "write"): "self data",
    (ErrorTask, "execute"): "self",
    (HTTPRequestParser, "__init__"): "self adj",
    (HTTPRequestParser, "parse_header"): "self header_plus",
    (HTTPChannel, "add_channel"): "self map",
    (HTTPChannel, "del_channel"): "self map",
    (HTTPChannel, "service"): "self",
    (HTTPChannel, "write_soon"): "self data",
    (wasyncore.dispatcher, "send"): "self data do_close",
    (wasyncore.dispatcher, "accept"): "self",
    (BaseWSGIServer, "run"): "self",
    (BaseWSGIServer, "readable"): "self",
    (BaseWSGIServer, "handle_accept"): "self",
    (BaseWSGIServer, "maintenance"): "self now",
    (BaseWSGIServer, "pull_trigger"): "self",
}
CALLED = {
    (Task, "set_close_on_finish"): "self",
    (HTTPChannel, "handle_close"): "self",
    (HTTPChannel, "readable"): "self",
    (HTTPChannel, "writable"): "self",
    (wasyncore.dispatcher, "del_channel"): "self map",
    (wasyncore, "readwrite"): "obj flags",
    (wasyncore, "close_all"): "map ignore_all",
    (ThreadedTaskDispatcher, "set_thread_count"): "self count",
    (ThreadedTaskDispatcher, "shutdown"): "self cancel_pending timeout",
    (TcpWSGIServer, "__init__"): "self application map _start _sock dispatcher adj sockinfo bind_socket",
}
READ = {
    HTTPChannel: "requests request total_outbufs_len will_close last_activity connected addr adj server _fileno socket",
    HTTPRequestParser: "empty error body_bytes_received headers version completed",
    WSGITask: "wrote_header has_body content_length content_bytes_written channel request status response_headers",
    BaseWSGIServer: "accepting active_channels adj socket task_dispatcher trigger _map",
    trigger: "_fileno",
}
SETTINGS = (
    "threads connection_limit max_request_body_size inbuf_overflow outbuf_high_watermark outbuf_overflow "
    "max_request_header_size channel_timeout cleanup_interval ident clear_untrusted_proxy_headers log_socket_errors "
    "send_bytes asyncore_loop_timeout backlog"
)


def name_of(place: tuple[object, str]) -> str:
    return f"{getattr(place[0], '__name__', place[0])}.{place[1]}"


@pytest.mark.parametrize("place", [*OVERRIDDEN, *CALLED], ids=name_of)
def test_what_is_overridden_or_called_is_there_with_its_parameters(place: tuple[object, str]) -> None:
    owner, name = place
    assert hasattr(owner, name), f"waitress {version('waitress')} has no {name_of(place)} any more"
    found = [each for each in inspect.signature(getattr(owner, name)).parameters if each != "kw"]
    expected = (OVERRIDDEN | CALLED)[place].split()
    assert found == expected, f"waitress {version('waitress')}: {name_of(place)} takes {found}, not {expected}"


def test_what_is_overridden_here_is_what_is_named_above() -> None:
    named = {name for _, name in OVERRIDDEN}
    for ours, theirs in ((Server, TcpWSGIServer), (Channel, HTTPChannel)):
        overridden = {
            name for name in vars(ours) if callable(getattr(theirs, name, None)) and not name.startswith("__")
        }
        assert overridden - {"channel_class", "task_class", "error_task_class", "parser_class"} <= named


@pytest.mark.parametrize("name", ["channel_class"])
def test_a_server_makes_its_connections_by_its_own_class(name: str) -> None:
    assert getattr(BaseWSGIServer, name) is HTTPChannel


def test_a_connection_makes_its_parts_by_its_own_classes() -> None:
    assert (HTTPChannel.task_class, HTTPChannel.error_task_class) == (WSGITask, ErrorTask)
    assert HTTPChannel.parser_class is HTTPRequestParser
    assert issubclass(ParsingError, Exception)


def live_parts() -> dict[type, object]:
    """Return one of each, made as the server makes them."""
    adj = Adjustments(threads=1)
    listening = socket.create_server(("127.0.0.1", 0))
    sockinfo = (listening.family, listening.type, listening.proto, listening.getsockname())
    server = TcpWSGIServer(
        lambda *_: [],
        {},
        _sock=listening,
        dispatcher=ThreadedTaskDispatcher(),
        adj=adj,
        sockinfo=sockinfo,
        bind_socket=False,
    )
    near, far = socket.socketpair()
    channel = HTTPChannel(server, near, ("", 0), adj, map={})
    parser = HTTPRequestParser(adj)
    parts = {
        HTTPChannel: channel,
        HTTPRequestParser: parser,
        WSGITask: WSGITask(channel, parser),
        BaseWSGIServer: server,
        trigger: server.trigger,
    }
    return parts | {SimpleNamespace: SimpleNamespace(close=lambda: [each.close() for each in (near, far, server)])}


def test_what_is_read_and_set_is_there() -> None:
    parts = live_parts()
    try:
        missing = [
            f"{kind.__name__}.{name}"
            for kind, names in READ.items()
            for name in names.split()
            if not hasattr(parts[kind], name)
        ]
    finally:
        parts[SimpleNamespace].close()  # type: ignore[attr-defined]
    assert missing == [], f"waitress {version('waitress')} has these no more"
    missing = [name for name in SETTINGS.split() if not hasattr(Adjustments, name)]
    assert missing == [], f"waitress {version('waitress')} has no such settings any more"


def test_one_file_alone_imports_waitress() -> None:
    importing = re.compile(r"^\s*(?:import|from) waitress\b", re.MULTILINE)
    found = [path.name for path in ROOT.glob("*/sotto_*/**/*.py") if importing.search(path.read_text())]
    assert found == ["waitress_parts.py"]


def test_the_version_is_bounded_to_the_minor_one_that_was_read() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "waitress~=3.0.2" in project["optional-dependencies"]["collector"]
    assert version("waitress").startswith("3.0.")
