"""`sotto relay`: run a relay that a second operator owns."""

import asyncio
from collections.abc import Callable
from typing import Any

import click

from sotto_protocol.words import examples
from sotto_relay.errors import SettingError
from sotto_relay.settings import Settings

Command = Callable[..., Any]
_USUAL = Settings("http://127.0.0.1")


def _option(flag: str, kind: Any, text: str) -> Callable[[Command], Command]:
    name = flag.removeprefix("--").replace("-", "_")
    return click.option(flag, type=kind, default=getattr(_USUAL, name), show_default=True, help=text)


@click.command(
    epilog=examples(
        "sotto relay --gateway https://collector.example",
        "sotto relay --gateway https://collector.example --batch 100 --wait 20",
    )
)
@click.option("--gateway", required=True, metavar="URL", help="Address of the collector whose gateway is served.")
@_option("--host", str, "Address to listen on.")
@_option("--port", click.INT, "TCP port to listen on; 0 takes a free one.")
@_option(
    "--batch",
    click.INT,
    "Pass a batch on at this many requests, or as many as can go in time; 1 does not mix.",
)
@_option("--wait", click.FLOAT, "Seconds after its first request when a batch is passed on in any case.")
@_option("--max-body-bytes", click.INT, "Largest request.")
@_option("--max-waiting-bytes", click.INT, "Bytes of requests that may wait; more are refused for the moment.")
@click.option("--metrics-port", type=click.INT, help="Serve /metrics on this port of 127.0.0.1; 0 takes a free one.")
def relay(**values: Any) -> None:
    """Run a relay between devices and a collector.

    A relay sees who connects, and cannot read what is sent: that is sealed for the collector's gateway. The collector
    reads it, and sees only the relay. So somebody else than the collector's operator must run it.

    Requests wait for one another, and go on in random order over one connection. Nothing is stored or logged. Put nginx
    or Caddy before it for https, with their logs off (deploy/).

    On SIGTERM or SIGINT the relay passes on what waits, answers it, and exits.
    """
    from sotto_relay.running import run

    try:
        asyncio.run(run(Settings(**values), click.echo))
    except SettingError as fault:
        raise click.UsageError(str(fault)) from None
