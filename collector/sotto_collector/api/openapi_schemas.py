"""The bodies of requests and responses, as JSON Schema; their limits are the settings'."""

import re
from typing import Any

import msgspec

from sotto_collector.api.administration import (
    MAX_LABEL,
    MAX_ORIGINS,
    MAX_PER_MINUTE,
    SentOverlap,
    SentSettings,
    SentToken,
)
from sotto_collector.api.cors import ORIGIN
from sotto_collector.api.invitations import SentBlinded, SentCheck, SentCount, SentKeys
from sotto_collector.api.request import SentReceipt
from sotto_collector.certificate import FORMAT, KINDS
from sotto_collector.intake.parsing import SentBatch, SentReport
from sotto_collector.invitations import STATES
from sotto_collector.settings import Settings
from sotto_collector.store.stock import Stock
from sotto_collector.tokens import MAX_LIFE_S, MIN_PREFIX, ROLES
from sotto_protocol.blind import MODULUS_BYTES, TOKEN_BYTES
from sotto_protocol.gateway_keys import MAX_EPOCH
from sotto_protocol.invitation import INVITATION_BYTES, MAX_INVITATIONS, MAX_REVOKED, invitation_text
from sotto_protocol.members import (
    DELIVERIES,
    ID_PATTERN,
    INVITATIONS,
    KEEPS,
    MAX_ERASE_AFTER,
    MAX_MIN_REPORTS,
    MAX_QUESTIONS,
    MAX_STRATA,
    MAX_STRATUM,
    MAX_TOKEN_KEYS,
    MAX_WAVES,
    TARGETS,
)
from sotto_protocol.problem import MAX_FAULTS
from sotto_protocol.report import REPORT_ID_BYTES

Schema = dict[str, Any]

RECEIPT = f"^[0-9a-f]{{{2 * REPORT_ID_BYTES}}}$"
HASH_PREFIX = f"^[0-9a-f]{{{MIN_PREFIX},64}}$"
ENVELOPE_BYTES, MIN_REPORT_BYTES = 95, 60
"""A batch has so many bytes besides its reports, and no report is shorter."""

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_YES: Schema = {"const": True}
_DAY: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}


def whole(pattern: re.Pattern[str]) -> Schema:
    """Return the schema of a text that a pattern matches as a whole."""
    return {"type": "string", "pattern": f"^(?:{pattern.pattern})$"}


def _object(members: Schema, *optional: str, is_closed: bool = True) -> Schema:
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": members, "required": required, "additionalProperties": not is_closed}


def describe_sent(kind: type[msgspec.Struct], **members: Schema) -> Schema:
    """Return the schema of a body that is sent: msgspec says which members it has, and which of them must be there.

    `members` say what it does not know: limits, which have refusals of their own. Every member needs one, and no other.
    """
    schema: Schema = msgspec.json.schema(kind)["$defs"][kind.__name__]
    if schema["properties"].keys() != members.keys():
        raise TypeError(f"{kind.__name__} has the members {[*schema['properties']]}, not {[*members]}.")
    return {name: schema[name] for name in ("type", "required", "additionalProperties")} | {"properties": members}


def _list(items: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": items, **limits}


def _optional(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def most_reports(settings: Settings) -> int:
    """Return how many reports a request can have: of the two limits the one that is reached first."""
    return max(1, min(settings.max_batch_reports, (settings.max_body_bytes - ENVELOPE_BYTES) // MIN_REPORT_BYTES))


def _base64url(n_bytes: int) -> Schema:
    return {"type": "string", "pattern": f"^[A-Za-z0-9_-]{{{-(-n_bytes * 4 // 3)}}}$"}


_FINGERPRINT: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_SURVEY_ID: Schema = whole(ID_PATTERN)
_WAVE: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_WAVES}
_STRATUM: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_STRATUM}
_INVITATION: Schema = {"type": "string", "pattern": f"^[a-z2-7]{{{len(invitation_text(bytes(INVITATION_BYTES)))}}}$"}
_PLACE: Schema = {"type": "integer", "minimum": 1, "maximum": MAX_STRATA}
_PER_MINUTE: Schema = _optional({"type": "integer", "minimum": 1, "maximum": MAX_PER_MINUTE})
_ORIGINS: Schema = _list(whole(ORIGIN), maxItems=MAX_ORIGINS)
_REPORT: Schema = describe_sent(
    SentReport,
    id={"type": "string", "pattern": RECEIPT, "description": "16 random bytes as hexadecimal digits: the receipt."},
    answers={"type": "object", "description": "A value for each question, as docs/http.md describes."},
    wave=_WAVE | {"description": "Only in a survey of several waves, where it is required."},
    invitation=_INVITATION | {"description": "Only in an invited survey, where it is required."},
    token=_base64url(TOKEN_BYTES) | {"description": "Instead of the invitation, where invitations are blind."},
    stratum=_PLACE | {"description": "Beside the token, in a survey with strata: the place of one, from 1."},
)
_TOKEN_KEY: Schema = _base64url(MODULUS_BYTES)
_LISTED: Schema = _object(
    {
        "id": _SURVEY_ID,
        "title": _TEXT,
        "fingerprint": _FINGERPRINT,
        "open": {"type": "boolean"},
        "draft": {"type": "boolean", "description": "Whether it is a draft, which accepts no reports."},
        "invited": {"type": "boolean"},
        "waves": _WAVE,
        "public_results": {"type": "boolean"},
        "min_reports": {"type": "integer", "minimum": 1, "maximum": MAX_MIN_REPORTS},
        "keep": {"enum": list(KEEPS)},
        "draw": {
            "type": "integer",
            "minimum": 0,
            "exclusiveMaximum": MAX_QUESTIONS,
            "description": "How many of the questions a device asks, chosen at random. 0 means all.",
        },
        "asked_in": {
            "type": "integer",
            "minimum": 0,
            "exclusiveMaximum": MAX_WAVES,
            "description": "In how many of the waves a device is asked, chosen at random. 0 means all.",
        },
        "strata": _list(_STRATUM, maxItems=MAX_STRATA),
        "invitations": {"enum": list(INVITATIONS), "description": "Whether devices trade invitations for tokens."},
        "token_keys": _list(_TOKEN_KEY, maxItems=MAX_TOKEN_KEYS),
        "lang": _TEXT,
        "introduction": _TEXT,
        "controller": _TEXT,
        "contact": _TEXT,
        "closes": _TEXT | {"description": "The last day, in UTC, on which it accepts reports. Empty if there is none."},
        "erase_after": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_ERASE_AFTER,
            "description": "Days after `closes` when the collector erases the reports. 0 means never.",
        },
        "about": {
            "enum": list(TARGETS),
            "description": "Whom the results are about, unless a reader chooses otherwise.",
        },
        "delivery": {"enum": list(DELIVERIES)},
        "relay": _TEXT | {"description": "With oblivious delivery, through which devices send. Else empty."},
        "gateway_key": _TEXT | {"description": "With oblivious delivery, the key of this gateway. Else empty."},
        "erased": {"type": "boolean", "description": "Whether its reports were erased. The counts stay."},
        "n_reports": _COUNT,
        "cors_origins": _ORIGINS,
        "reports_per_minute": _PER_MINUTE,
    }
)
_TOKEN: Schema = _object(
    {
        "hash_prefix": _TEXT,
        "role": {"enum": list(ROLES)},
        "label": _TEXT,
        "survey": _optional(_SURVEY_ID),
        "expires_s": _optional({"type": "integer"}),
        "ended": {"type": "boolean"},
    }
)
_STOCK: Schema = _object(dict.fromkeys(Stock._fields, _COUNT), *Stock._fields)
_CERTIFICATE: Schema = _object(
    {
        "format": {"const": FORMAT},
        "what": {"enum": list(KINDS)},
        "survey": _SURVEY_ID,
        "fingerprint": _FINGERPRINT,
        "recounted_on": _DAY,
        "receipt": {"type": "string", "pattern": RECEIPT},
        "closes": _DAY,
        "erase_after": {"type": "integer", "minimum": 1, "maximum": MAX_ERASE_AFTER},
        "erased_on": _DAY,
        "copies_until": _DAY,
        "erased": _STOCK,
        "left": _STOCK,
        "says_nothing_of": _list(_TEXT),
        "key": _FINGERPRINT,
        "signature": {"type": "string", "pattern": "^[0-9a-f]{128}$"},
    },
    *("receipt", "closes", "erase_after", "erased_on", "copies_until", "key", "signature"),
)

_OF_ALL: dict[str, Schema] = {
    "Problem": _object(
        {
            "type": {"type": "string", "pattern": "^urn:sottovoce:problem:[a-z_]+$"},
            "title": _TEXT,
            "status": {"type": "integer", "exclusiveMaximum": 600, "minimum": 400},
            "code": {"type": "string", "pattern": "^[a-z_]+$"},
            "detail": _TEXT,
            "where": {"type": "string", "description": "Where in the request it is wrong, as a JSON path."},
            "faults": _list(_object({"where": _TEXT, "detail": _TEXT}), minItems=2, maxItems=MAX_FAULTS),
        },
        "where",
        "faults",
    ),
    "Status": _object({"status": {"enum": ["ok", "ready"]}}),
    "Document": {"type": "object"},
}
_OF_SURVEYS: dict[str, Schema] = {
    "Survey": {"type": "object", "description": "A survey's canonical JSON (docs/survey-file.md)."},
    "Surveys": _object({"surveys": _list(_LISTED)}),
    "Draft": _object({"id": _SURVEY_ID, "fingerprint": _FINGERPRINT, "preview": _TEXT}),
    "Published": _object({"id": _SURVEY_ID, "fingerprint": _FINGERPRINT}),
    "SurveySettings": describe_sent(SentSettings, cors_origins=_ORIGINS, reports_per_minute=_PER_MINUTE),
    "SurveySet": _object(
        {"id": _SURVEY_ID, "cors_origins": _ORIGINS, "reports_per_minute": _PER_MINUTE},
        "cors_origins",
        "reports_per_minute",
    ),
    "Closed": _object({"id": _SURVEY_ID, "open": {"const": False}}),
    "Erased": _object({"id": _SURVEY_ID, "erased": _YES}),
    "SurveyErased": _object({"id": _SURVEY_ID, "erased": _YES, "certificate": _CERTIFICATE}, "certificate"),
    "Certificate": _CERTIFICATE,
    "Tally": {"type": "object", "description": "Counts by question, with the survey, and what is withheld."},
}
_OF_INVITATIONS: dict[str, Schema] = {
    "Count": describe_sent(
        SentCount,
        count={"type": "integer", "minimum": 1, "maximum": MAX_INVITATIONS},
        stratum=_optional(_STRATUM),
    ),
    "Turnout": _object(
        {
            "waves": _list(
                _object({"wave": _WAVE, "invited": _COUNT, "n_reports": _optional(_COUNT), "tokens": _COUNT}, "tokens"),
                minItems=1,
            )
        }
    ),
    "Check": describe_sent(SentCheck, invitation=_TEXT, wave=_WAVE),
    "Checked": _object({"state": {"enum": list(STATES)}, "stratum": _PLACE}, "stratum"),
    "Trade": describe_sent(SentBlinded, invitation=_TEXT, blinded=_base64url(MODULUS_BYTES), wave=_WAVE),
    "Traded": _object({"signature": _base64url(MODULUS_BYTES), "stratum": _PLACE}),
    "KeyCount": describe_sent(SentKeys, count={"type": "integer", "minimum": 1, "maximum": MAX_TOKEN_KEYS}),
    "TokenKeys": _object({"token_keys": _list(_TOKEN_KEY, minItems=1, maxItems=MAX_TOKEN_KEYS)}),
    "Unused": _object(
        {
            "unused": _list(_COUNT, minItems=1, maxItems=MAX_WAVES),
            "n_reports": _COUNT,
            "tokens": _list(_COUNT, maxItems=MAX_TOKEN_KEYS),
        },
        "tokens",
    ),
    "Revocation": {
        "oneOf": [
            _object({"invitations": _list(_INVITATION, minItems=1, maxItems=MAX_REVOKED)}),
            _object({"all": _YES}),
        ],
    },
    "Revoked": _object({"revoked": _COUNT}),
}
_OF_TOKENS: dict[str, Schema] = {
    "Tokens": _object({"tokens": _list(_TOKEN)}),
    "Token": _TOKEN,
    "NewToken": describe_sent(
        SentToken,
        role={"enum": list(ROLES)},
        label={
            "type": "string",
            "maxLength": MAX_LABEL,
            "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$",  # what every language can match
            "description": "Printable characters of any script. Others are refused.",
        },
        survey=_optional(_SURVEY_ID),
        expires_in_s=_optional({"type": "integer", "minimum": 1, "maximum": MAX_LIFE_S}),
    ),
    "Overlap": describe_sent(SentOverlap, overlap_s={"type": "integer", "minimum": 0, "maximum": MAX_LIFE_S}),
    "ShownToken": _object({"token": _TEXT}),
}


_OF_GATEWAYS = {
    "SignedKeys": _object(
        {
            "epoch": {"type": "integer", "minimum": 1, "maximum": MAX_EPOCH},
            "keys": _TEXT | {"description": "The list of `application/ohttp-keys`, in base64url."},
            "signature": {"type": "string", "pattern": "^[0-9a-f]{128}$"},
            "until": _DAY,
        }
    ),
    "GatewayKey": _object({"gateway_key": _FINGERPRINT}),
}


def describe_bodies(settings: Settings) -> dict[str, Schema]:
    """Return the schemas by name."""
    return _OF_ALL | _OF_SURVEYS | _of_reports(settings) | _OF_INVITATIONS | _OF_TOKENS | _OF_GATEWAYS


def _of_reports(settings: Settings) -> dict[str, Schema]:
    return {
        "Batch": describe_sent(
            SentBatch,
            fingerprint=_FINGERPRINT,
            reports=_list(_REPORT, minItems=1, maxItems=most_reports(settings)),
        ),
        "Outcome": _object({"counted": _COUNT, "duplicates": _COUNT, "conflicting": _COUNT}),
        "Receipt": describe_sent(SentReceipt, receipt={"type": "string", "pattern": RECEIPT}),
    }
