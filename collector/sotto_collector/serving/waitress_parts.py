"""What is taken of waitress: nothing else imports it. Most of it is not in waitress's documentation.

So pyproject.toml keeps to the minor version that was read, and `tests/collector/test_waitress.py` names what an update
takes away. What waitress would need, for less of `server`, `channel` and `poller` to stand here:

- A selector (epoll, kqueue) in place of asking every connection in every round: `Poller`, `Server.run`, `pull_trigger`.
- `run` that ends when it is told to: stops to accept, serves what was sent, then closes: `Server.stop`, `_drain`.
- Time limits for a whole request, and for a response that is taken slowly (`channel_timeout` counts from the last byte,
  and not while a request is served): `Server.maintenance`, `Channel.is_late`.
- Where no more connections can be open, the one that is idle for longest gives way: `Server.handle_accept`, `accept`.
- A peer that hangs up while a thread serves is closed by the thread that polls: `Channel.send`.
- Requests with a Transfer-Encoding beside a Content-Length, or in HTTP/1.0, are refused: `parse_header`.
- The body of its own refusals can be set, and they can be counted: `_RefusalTask`.
- A response that is complete goes out in one piece with its header: `_Task.write`.
"""

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, ThreadedTaskDispatcher, WSGITask
from waitress.wasyncore import close_all, readwrite

__all__ = [
    "Adjustments",
    "ErrorTask",
    "HTTPChannel",
    "HTTPRequestParser",
    "ParsingError",
    "TcpWSGIServer",
    "ThreadedTaskDispatcher",
    "WSGITask",
    "close_all",
    "readwrite",
]
