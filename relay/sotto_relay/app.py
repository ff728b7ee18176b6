"""The relay's HTTP side: sealed requests, the gateway's keys, preflights, health; metrics on a port of their own."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import web

from sotto_protocol.gateway_keys import KEYS_TYPE
from sotto_protocol.oblivious import GATEWAY_PATH, JSON_TYPE, REQUEST_TYPE, SIGNED_PATH
from sotto_protocol.problem import CONTENT_TYPE
from sotto_relay.errors import FullError, GatewayError, LateError
from sotto_relay.gateway import Gateway
from sotto_relay.keys import MAX_AGE_S, KeyCache
from sotto_relay.metrics import TYPE, Metrics
from sotto_relay.mixing import Mixer
from sotto_relay.settings import Settings

RECEIVE_S = 30
"""A request's body may take so many seconds to arrive."""
_ANYBODY = {"Access-Control-Allow-Origin": "*"}
_PREFLIGHT = {
    **_ANYBODY,
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "86400",
}
_LATER = {"Retry-After": "5"}
_UNKEPT = {"Cache-Control": "no-store"}
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log = logging.getLogger("sotto_relay")


class Relay:
    """A relay that runs: its connection, its batch, its keys. Made within a running event loop; close it when done."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.gateway = Gateway(settings.gateway)
        self.keys = KeyCache(self.gateway.signed_keys)
        self.mixer: Mixer = Mixer(
            self.gateway.ask, size=settings.batch, wait_s=settings.wait, max_bytes=settings.max_waiting_bytes
        )

    async def close(self) -> None:
        """Pass on what waits, have it answered, and close the connection."""
        await self.mixer.close()
        await self.gateway.close()

    def app(self) -> web.Application:
        """Return what devices see."""
        app = web.Application(middlewares=[self._guard], client_max_size=self.settings.max_body_bytes)
        app.on_response_prepare.append(_say_no_server)
        app.router.add_post(GATEWAY_PATH, self._pass_on)
        app.router.add_get(GATEWAY_PATH, self._give_keys, allow_head=False)
        app.router.add_get(SIGNED_PATH, self._give_signed_keys, allow_head=False)
        for path in (GATEWAY_PATH, SIGNED_PATH):
            app.router.add_options(path, _allow)
        app.router.add_get("/health", _say_alive)
        return app

    def metrics_app(self) -> web.Application:
        """Return what the operator's Prometheus sees."""
        app = web.Application()
        app.on_response_prepare.append(_say_no_server)
        app.router.add_get("/metrics", self._give_metrics)
        return app

    async def _pass_on(self, request: web.Request) -> web.Response:
        if request.content_type != REQUEST_TYPE:
            return self._refuse(415, f"the content type must be {REQUEST_TYPE}.")
        try:
            async with asyncio.timeout(RECEIVE_S):
                body = await request.read()
        except TimeoutError:
            return self._refuse(408, "the request came too slowly.")
        reply = await self.mixer.pass_on(body)
        self.metrics.answered["passed_on" if reply.status == 200 else "key_unknown"] += 1
        if reply.status != 200:
            await self.keys.hurry()  # a device asks for the keys next
        return web.Response(
            status=reply.status, body=reply.body, content_type=reply.content_type, headers={**_ANYBODY, **_UNKEPT}
        )

    async def _give_keys(self, _: web.Request) -> web.Response:
        return _keys_response((await self.keys.get()).keys, KEYS_TYPE)

    async def _give_signed_keys(self, _: web.Request) -> web.Response:
        return _keys_response((await self.keys.get()).to_json(), JSON_TYPE)

    async def _give_metrics(self, _: web.Request) -> web.Response:
        text = self.metrics.text(
            n_waiting=self.mixer.n_waiting,
            n_batches=self.mixer.n_batches,
            n_refused_keys=self.keys.n_refused,
            epoch=self.keys.epoch,
        )
        return web.Response(text=text, headers={"Content-Type": TYPE})

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Turn every fault into a response that quotes nothing, and never into a line that names a peer."""
        try:
            return await handler(request)
        except FullError:
            self.metrics.answered["full"] += 1
            return _refusal(503, "too many requests wait; send it again later.", _LATER)
        except LateError:
            self.metrics.answered["late"] += 1
            return _refusal(503, "the gateway took too long; send it again later.", _LATER)
        except GatewayError as fault:
            self.metrics.answered["unreached"] += 1
            log.warning("%s", fault)
            return _refusal(502, "the gateway does not answer; send it again later.")
        except web.HTTPException as refusal:
            return self._refuse(refusal.status, refusal.reason)

    def _refuse(self, status: int, detail: str) -> web.Response:
        self.metrics.answered["refused"] += 1
        return _refusal(status, detail)


def _refusal(status: int, detail: str, headers: dict[str, str] | None = None) -> web.Response:
    problem = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return web.Response(
        status=status,
        body=json.dumps(problem).encode(),
        content_type=CONTENT_TYPE,
        headers={**_ANYBODY, **(headers or {})},
    )


def _keys_response(body: bytes, content_type: str) -> web.Response:
    headers = {**_ANYBODY, "Cache-Control": f"max-age={MAX_AGE_S}"}
    return web.Response(body=body, content_type=content_type, headers=headers)


async def _allow(_: web.Request) -> web.Response:
    return web.Response(status=204, headers=_PREFLIGHT)


async def _say_alive(_: web.Request) -> web.Response:
    return web.Response(text="ok\n")


async def _say_no_server(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.pop("Server", None)
