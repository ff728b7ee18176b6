"""The operator's routes: is the collector healthy, is it ready, what did it count, and what are its routes."""

from flask import Blueprint, Response, current_app
from prometheus_client import CONTENT_TYPE_LATEST

from sotto_collector.api.access import require_token
from sotto_collector.api.openapi import describe_api
from sotto_collector.api.request import get_collector, respond
from sotto_collector.errors import StoreError, refuse
from sotto_collector.metrics import render
from sotto_collector.store.upgrade import check_schema

operations = Blueprint("operations", __name__)


@operations.get("/healthz")
def check_health() -> Response:
    """Say whether reports can be stored."""
    collector = get_collector()
    collector.store.check_writable(collector.settings.min_free_bytes)
    return respond({"status": "ok"})


@operations.get("/readyz")
def check_readiness() -> Response:
    """Say whether requests should be sent here: not while the server stops, nor on another schema."""
    if getattr(current_app.extensions.get("server"), "is_stopping", False):
        raise refuse(503, "not_ready", "the collector is stopping; ask another.")
    store = get_collector().store
    try:
        with store.reader() as connection:
            check_schema(connection, store.dialect.name)
    except StoreError:
        raise refuse(503, "not_ready", "the store cannot be read, or has another schema.") from None
    return respond({"status": "ready"})


@operations.get("/metrics")
def get_metrics() -> Response:
    """Give the metrics. A series of them tells when reports came, so not everybody may read them."""
    collector = get_collector()
    token = require_token(collector.tokens)
    if token.survey_id is not None:
        raise refuse(403, "forbidden", "the token must be for all surveys.")
    response = Response(render(collector.collect_metrics()), content_type=CONTENT_TYPE_LATEST)
    response.headers["Cache-Control"] = "no-store"
    return response


@operations.get("/openapi.json")
def get_openapi() -> Response:
    """Describe every route, in OpenAPI 3.1."""
    return respond(describe_api(get_collector().settings))
