"""The collector's routes as an OpenAPI 3.1 document: one table of operations, which a test compares with the app's.

Pages are for people, and are not in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST

from sotto_collector.api.cors import RESTORE_MARK, STATE
from sotto_collector.api.openapi_schemas import HASH_PREFIX, describe_bodies, whole
from sotto_collector.api.surveys import PART
from sotto_collector.settings import Settings
from sotto_protocol.gateway_keys import KEYS_TYPE
from sotto_protocol.members import ID_PATTERN, MAX_STRATUM, MAX_WAVES
from sotto_protocol.oblivious import GATEWAY_PATH, KEY_PATH, REQUEST_TYPE, RESPONSE_TYPE, SIGNED_PATH
from sotto_protocol.problem import CONTENT_TYPE

JSON = "application/json"
VERSION = "1"
WHILE_READING = (400, 411, 413, 415, 422)
"""Statuses that refuse a body: not JSON, without length, too large, of another type, with impossible values."""
_TOKENS = {
    "admin": "An admin's token.",
    "analyst": "An analyst's token.",
    "lister": "An admin's or analyst's token.",
    "any": "A token of any role, for all surveys.",
}
_PARAMETERS = {
    "survey_id": (whole(ID_PATTERN), "my-survey", "The survey's id."),
    "preview": ({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}, "Zm9v", "The end of the address of its page."),
    "prefix": ({"type": "string", "pattern": HASH_PREFIX}, "3f9a1c20b7de", "The first digits of the token's hash."),
}
_QUERIES: dict[str, dict[str, Any]] = {
    "wave": {"type": "integer", "minimum": 1, "maximum": MAX_WAVES},
    "stratum": {"type": "string", "minLength": 1, "maxLength": MAX_STRATUM},
    "part": whole(PART),
}

_HEADERS: dict[str, dict[str, Any]] = {
    RESTORE_MARK: {
        "schema": {"type": "integer", "minimum": 0},
        "description": "A number that changes with every restore.",
    },
    STATE: {"schema": {"enum": ["open", "closed"]}, "description": "Whether the survey accepts reports now."},
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a route: who may use it, the schema of its body, its responses, and how it may be refused.

    `responses`: by status the name of a schema, or a media type; `headers`: of all of them.
    """

    method: str
    path: str
    summary: str
    responses: Mapping[int, str]
    role: str = ""
    body: str = ""
    refusals: tuple[int, ...] = ()
    queries: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()

    @property
    def parameters(self) -> list[str]:
        """The names in the path's braces."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]

    @property
    def statuses_refused(self) -> list[int]:
        """Return every status of a refusal, in order."""
        found = {*self.refusals, 503}
        found |= {401, 403} if self.role else set()
        found |= set(WHILE_READING) if self.body and "/" not in self.body else set()
        found |= {404} if self.parameters else set()
        return sorted(found)


SURVEY = "/v1/surveys/{survey_id}"
OPERATIONS = (
    Operation("get", "/healthz", "Say whether reports can be stored.", {200: "Status"}),
    Operation("get", "/readyz", "Say whether to send requests here.", {200: "Status"}),
    Operation("get", "/metrics", "Read the metrics, for Prometheus.", {200: CONTENT_TYPE_LATEST}, "any"),
    Operation("get", "/openapi.json", "Read this document.", {200: "Document"}),
    Operation("get", "/v1/surveys", "List the surveys, with their numbers of reports.", {200: "Surveys"}, "lister"),
    Operation(
        "post", "/v1/surveys", "Publish a survey.", {200: "Published", 201: "Published"}, "admin", "Survey", (409,)
    ),
    Operation("post", "/v1/drafts", "Make or replace a draft.", {200: "Draft"}, "admin", "Survey", (409,)),
    Operation("get", "/drafts/{preview}/v1/surveys/{survey_id}", "Read a draft, with its link.", {200: "Survey"}),
    Operation(
        "get", SURVEY, "Read a survey as it was published.", {200: "Survey", 304: ""}, headers=(RESTORE_MARK, STATE)
    ),
    Operation("patch", SURVEY, "Change a survey's settings.", {200: "SurveySet"}, "admin", "SurveySettings"),
    Operation("delete", SURVEY, "Erase a closed survey, or a draft.", {200: "SurveyErased"}, "admin", refusals=(409,)),
    Operation("post", f"{SURVEY}/reports", "Send reports.", {200: "Outcome"}, body="Batch", refusals=(403, 409, 429)),
    Operation("post", f"{SURVEY}/erase", "Erase a report.", {200: "Erased"}, body="Receipt", refusals=(409,)),
    Operation(
        "get",
        f"{SURVEY}/certificate",
        "Certify that a survey's reports were erased on their day.",
        {200: "Certificate"},
        "lister",
        refusals=(409,),
    ),
    Operation(
        "post",
        f"{SURVEY}/certificate",
        "Certify that a report was erased.",
        {200: "Certificate"},
        body="Receipt",
        refusals=(409,),
    ),
    Operation("post", f"{SURVEY}/close", "Close a survey.", {200: "Closed"}, "admin", refusals=(409,)),
    Operation(
        "get",
        f"{SURVEY}/tally",
        "Read the counts.",
        {200: "Tally"},
        "analyst",
        refusals=(409,),
        queries=("wave", "stratum"),
    ),
    Operation(
        "get",
        f"{SURVEY}/records",
        "Read the noisy reports.",
        {200: "application/octet-stream"},
        "analyst",
        refusals=(409,),
        queries=("wave", "stratum", "part"),
    ),
    Operation(
        "get",
        f"{SURVEY}/invitations",
        "Count unused invitations.",
        {200: "Unused"},
        "admin",
        refusals=(409,),
        queries=("stratum",),
    ),
    Operation(
        "post", f"{SURVEY}/invitations", "Make invitations.", {201: "text/csv; charset=utf-8"}, "admin", "Count", (409,)
    ),
    Operation(
        "post",
        f"{SURVEY}/invitations/revoke",
        "Revoke invitations.",
        {200: "Revoked"},
        "admin",
        "Revocation",
        refusals=(409,),
    ),
    Operation(
        "get",
        f"{SURVEY}/turnout",
        "Count people who were invited, and who took part.",
        {200: "Turnout"},
        "lister",
        refusals=(409,),
        queries=("stratum",),
    ),
    Operation(
        "post",
        f"{SURVEY}/invitations/check",
        "Check an invitation.",
        {200: "Checked"},
        body="Check",
        refusals=(409, 429),
    ),
    Operation(
        "post",
        f"{SURVEY}/invitations/token",
        "Trade a blind invitation for a token.",
        {200: "Traded"},
        body="Trade",
        refusals=(403, 409, 429),
    ),
    Operation("post", f"{SURVEY}/token-keys", "Make the keys of tokens.", {200: "TokenKeys"}, "admin", "KeyCount"),
    Operation("get", GATEWAY_PATH, "Read the gateway's public keys.", {200: KEYS_TYPE}, refusals=(404,)),
    Operation(
        "post",
        GATEWAY_PATH,
        "Send an encrypted request of a device; the response is encrypted, too.",
        {200: RESPONSE_TYPE, HTTPStatus.BAD_REQUEST: CONTENT_TYPE},
        body=REQUEST_TYPE,
        refusals=(404, 413),
    ),
    Operation("get", SIGNED_PATH, "Read the gateway's public keys, signed.", {200: "SignedKeys"}, refusals=(404,)),
    Operation("get", KEY_PATH, "Read the key that signs them.", {200: "GatewayKey"}, refusals=(404,)),
    Operation("get", "/v1/tokens", "List the tokens.", {200: "Tokens"}, "admin"),
    Operation("post", "/v1/tokens", "Make a token.", {201: "ShownToken"}, "admin", "NewToken", refusals=(404,)),
    Operation("delete", "/v1/tokens/{prefix}", "Revoke a token.", {200: "Token"}, "admin"),
    Operation("post", "/v1/tokens/{prefix}/rotate", "Replace a token.", {201: "ShownToken"}, "admin", "Overlap"),
)


@cache
def describe_api(settings: Settings) -> dict[str, Any]:
    """Return the document, its limits those of the settings."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _describe(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sottovoce collector",
            "version": VERSION,
            "description": (
                "Surveys, noisy reports and tallies. Every refusal is a problem document (RFC 9457). This document "
                "leaves out the pages for people (below /s), and the files that they load (/static, /js)."
            ),
        },
        "paths": paths,
        "components": {
            "schemas": describe_bodies(settings),
            "securitySchemes": {
                name: {"type": "http", "scheme": "bearer", "description": text} for name, text in _TOKENS.items()
            },
        },
    }


def _describe(operation: Operation) -> dict[str, Any]:
    headers = {name: {"required": True, **_HEADERS[name]} for name in operation.headers}
    responses = {
        str(status): _describe_response(status, kind) | ({"headers": headers} if headers else {})
        for status, kind in operation.responses.items()
    }
    refusals = {str(status): _describe_refusal(status) for status in operation.statuses_refused}
    described: dict[str, Any] = {
        "operationId": f"{operation.method} {operation.path}",
        "summary": operation.summary,
        "parameters": [*map(_describe_parameter, operation.parameters), *map(_describe_query, operation.queries)],
        "responses": responses | refusals,
    }
    if operation.role:
        described["security"] = [{operation.role: []}]
    if operation.body:
        described["requestBody"] = {"required": True, "content": _content(operation.body)}
    return described


def _describe_parameter(name: str) -> dict[str, Any]:
    schema, example, text = _PARAMETERS[name]
    return {"name": name, "in": "path", "required": True, "schema": schema, "example": example, "description": text}


def _describe_query(name: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": _QUERIES[name]}


def _describe_response(status: int, kind: str) -> dict[str, Any]:
    return {"description": HTTPStatus(status).phrase, **({"content": _content(kind)} if kind else {})}


def _describe_refusal(status: int) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if status in (429, 503):
        seconds = {"type": "integer", "minimum": 1}
        described["headers"] = {"Retry-After": {"required": True, "schema": seconds, "description": "Seconds to wait."}}
    return described


def _content(kind: str) -> dict[str, Any]:
    """Return the content of a schema's name, or of a media type."""
    if "/" in kind:
        return {kind: {}}
    return {JSON: {"schema": {"$ref": f"#/components/schemas/{kind}"}}}
