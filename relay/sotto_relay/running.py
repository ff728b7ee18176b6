"""Running a relay: its sockets, its signals, and its end, at which everything that waits is still passed on."""

import asyncio
import logging
import signal
from collections.abc import Callable

from aiohttp import web

from sotto_relay.app import Relay
from sotto_relay.errors import SettingError
from sotto_relay.settings import Settings

END_S = 25.0
_LOOPBACK = "127.0.0.1"


async def run(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT, then pass on what waits and answer it. Raises SettingError for a taken port."""
    logging.getLogger("aiohttp").disabled = True  # it names peers
    for name in ("aiohttp.server", "aiohttp.web", "aiohttp.access", "asyncio"):
        logging.getLogger(name).disabled = True
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    relay = Relay(settings)
    runner = web.AppRunner(relay.app(), access_log=None, shutdown_timeout=END_S)
    metrics = web.AppRunner(relay.metrics_app(), access_log=None)
    try:
        announce(f"sotto relay listening on {await _listen(runner, settings.host, settings.port)}")
        if settings.metrics_port is not None:
            announce(f"metrics on {await _listen(metrics, _LOOPBACK, settings.metrics_port)}/metrics")
        await ended.wait()
        for site in list(runner.sites):
            await site.stop()  # nothing new is taken
    finally:
        await relay.close()
        await runner.cleanup()
        await metrics.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> str:
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except OSError as fault:
        raise SettingError(f"port {port} of {host} cannot be listened on ({fault.strerror}).") from None
    taken = runner.addresses[0][1]
    return f"http://{f'[{host}]' if ':' in host else host}:{taken}"
