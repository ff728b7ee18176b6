"""Collectors that never end an answer: in a real browser too an exchange is over in its time."""

import socketserver
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from cases import rare
from chromium import Devices
from collecting import Served
from own_site import blank, site_of

ALLOWED = b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: content-type\r\n"
DRIPS = {
    "body": (ALLOWED + b"Content-Length: 60000\r\n\r\n", b" "),
    "head": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X: 1\r\n"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "silence": (b"", b""),
}
ENDS = """async ([collector, url]) => {
  const { exchange } = await import(`${collector}/js/src/exchange.js`);
  const exchanges = [exchange(url, 300, 1e9), exchange(url, 300, 2 ** 16, "{}")];
  const over = Promise.allSettled(exchanges).then((ended) => ended.map(({ reason }) => String(reason)));
  return Promise.race([over, new Promise((resolve) => setTimeout(resolve, 20000, ["it", "hangs"]))]);
}"""


@pytest.fixture(params=["body", *map(rare, list(DRIPS)[1:])])
def dripping(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that sends a head, and then these bytes over and over."""
    head, piece = DRIPS[request.param]
    ended = threading.Event()

    class Drip(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                self.request.recv(2**16)
                self.request.sendall(head)
                while not ended.wait(0.005):
                    self.request.sendall(piece)
            except OSError:
                return  # the browser hung up

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Drip) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        ended.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def page(devices: Devices) -> Iterator[Page]:
    """A page of another origin than the collector's: it may import the modules."""
    with site_of({"/app.html": blank("Hostile")}) as url:
        context, watch = devices(url)
        watch.forgive("")
        page = context.new_page()
        page.goto(f"{url}/app.html")
        yield page
        context.close()


def test_an_exchange_is_over_in_its_time(collector: Served, page: Page, dripping: str) -> None:
    told = page.evaluate(ENDS, [collector.url, dripping])
    assert [words.startswith("DeliveryError: no answer from the collector") for words in told] == [True, True]
