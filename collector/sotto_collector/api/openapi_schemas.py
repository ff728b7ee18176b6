"""The bodies of requests and responses, as JSON Schema; their limits are the settings'."""

import re
from typing import Any

from sotto_collector.api.administration import MAX_LABEL, MAX_ORIGINS, MAX_PER_MINUTE
from sotto_collector.api.cors import ORIGIN
from sotto_collector.invitations import STATES
from sotto_collector.settings import Settings
from sotto_collector.tokens import MAX_LIFE_S, MIN_PREFIX, ROLES
from sotto_protocol.invitation import INVITATION_BYTES, MAX_INVITATIONS, MAX_REVOKED, invitation_text
from sotto_protocol.members import ID_PATTERN, KEEPS, MAX_MIN_REPORTS, MAX_QUESTIONS, MAX_STRATA, MAX_STRATUM, MAX_WAVES
from sotto_protocol.problem import MAX_FAULTS
from sotto_protocol.report import REPORT_ID_BYTES

Schema = dict[str, Any]

RECEIPT = f"^[0-9a-f]{{{2 * REPORT_ID_BYTES}}}$"
HASH_PREFIX = f"^[0-9a-f]{{{MIN_PREFIX},64}}$"
INVITATION = f"^[a-z2-7]{{{len(invitation_text(bytes(INVITATION_BYTES)))}}}$"
ENVELOPE_BYTES, MIN_REPORT_BYTES = 95, 60
"""A batch has so many bytes besides its reports, and no report is shorter."""

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_YES: Schema = {"const": True}


def whole(pattern: re.Pattern[str]) -> Schema:
    """Return the schema of a text that a pattern matches as a whole."""
    return {"type": "string", "pattern": f"^(?:{pattern.pattern})$"}


def _object(members: Schema, *optional: str, is_closed: bool = True) -> Schema:
    required = [name for name in members if name not in optional]
    return {"type": "object", "properties": members, "required": required, "additionalProperties": not is_closed}


def _list(items: Schema, **limits: int) -> Schema:
    return {"type": "array", "items": items, **limits}


def _optional(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def most_reports(settings: Settings) -> int:
    """Return how many reports a request can have: of the two limits the one that is reached first."""
    return max(1, min(settings.max_batch_reports, (settings.max_body_bytes - ENVELOPE_BYTES) // MIN_REPORT_BYTES))


def describe_bodies(settings: Settings) -> dict[str, Schema]:
    """Return the schemas by name."""
    fingerprint = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    survey_id = whole(ID_PATTERN)
    wave = {"type": "integer", "minimum": 1, "maximum": MAX_WAVES}
    stratum = {"type": "string", "minLength": 1, "maxLength": MAX_STRATUM}
    invitation = {"type": "string", "pattern": INVITATION}
    per_minute = _optional({"type": "integer", "minimum": 1, "maximum": MAX_PER_MINUTE})
    origins = _list(whole(ORIGIN), maxItems=MAX_ORIGINS)
    life = {"type": "integer", "minimum": 1, "maximum": MAX_LIFE_S}
    report = _object(
        {
            "id": {"type": "string", "pattern": RECEIPT, "description": "16 random bytes; the receipt."},
            "answers": {"type": "object", "description": "A value for each question; docs/http.md says which."},
            "wave": wave | {"description": "In a survey of several waves, and only there."},
            "invitation": invitation | {"description": "In an invited survey, and only there."},
        },
        "wave",
        "invitation",
    )
    listed = _object(
        {
            "id": survey_id,
            "title": _TEXT,
            "fingerprint": fingerprint,
            "open": {"type": "boolean"},
            "draft": {"type": "boolean", "description": "Not published yet: it takes no reports."},
            "invited": {"type": "boolean"},
            "waves": {"type": "integer", "minimum": 1, "maximum": MAX_WAVES},
            "public_results": {"type": "boolean"},
            "min_reports": {"type": "integer", "minimum": 1, "maximum": MAX_MIN_REPORTS},
            "keep": {"enum": list(KEEPS)},
            "draw": {
                "type": "integer",
                "minimum": 0,
                "exclusiveMaximum": MAX_QUESTIONS,
                "description": "How many of the questions a device draws; 0: all.",
            },
            "strata": _list(stratum, maxItems=MAX_STRATA),
            "lang": _TEXT,
            "introduction": _TEXT,
            "controller": _TEXT,
            "contact": _TEXT,
            "closes": _TEXT | {"description": "The last day, in UTC, on which it takes reports; empty: none is set."},
            "n_reports": _COUNT,
            "cors_origins": origins,
            "reports_per_minute": per_minute,
        }
    )
    token = _object(
        {
            "hash_prefix": _TEXT,
            "role": {"enum": list(ROLES)},
            "label": _TEXT,
            "survey": _optional(survey_id),
            "expires_s": _optional({"type": "integer"}),
            "ended": {"type": "boolean"},
        }
    )
    return {
        "Problem": _object(
            {
                "type": {"type": "string", "pattern": "^urn:sottovoce:problem:[a-z_]+$"},
                "title": _TEXT,
                "status": {"type": "integer", "exclusiveMaximum": 600, "minimum": 400},
                "code": {"type": "string", "pattern": "^[a-z_]+$"},
                "detail": _TEXT,
                "where": {"type": "string", "description": "A JSON path into the request."},
                "faults": _list(_object({"where": _TEXT, "detail": _TEXT}), minItems=2, maxItems=MAX_FAULTS),
            },
            "where",
            "faults",
        ),
        "Survey": {"type": "object", "description": "A survey's canonical JSON; docs/survey-file.md."},
        "Tally": {"type": "object", "description": "Counts by question, with the survey, and what is withheld."},
        "Status": _object({"status": {"enum": ["ok", "ready"]}}),
        "Document": {"type": "object"},
        "Draft": _object({"id": survey_id, "fingerprint": fingerprint, "preview": _TEXT}),
        "Published": _object({"id": survey_id, "fingerprint": fingerprint}),
        "Surveys": _object({"surveys": _list(listed)}),
        "Batch": _object(
            {"fingerprint": fingerprint, "reports": _list(report, minItems=1, maxItems=most_reports(settings))}
        ),
        "Outcome": _object({"counted": _COUNT, "duplicates": _COUNT, "conflicting": _COUNT}),
        "SurveySettings": _object(
            {"cors_origins": origins, "reports_per_minute": per_minute}, "cors_origins", "reports_per_minute"
        ),
        "SurveySet": _object(
            {"id": survey_id, "cors_origins": origins, "reports_per_minute": per_minute},
            "cors_origins",
            "reports_per_minute",
        ),
        "Closed": _object({"id": survey_id, "open": {"const": False}}),
        "Receipt": _object({"receipt": {"type": "string", "pattern": RECEIPT}}),
        "Erased": _object({"id": survey_id, "erased": _YES}),
        "Count": _object(
            {"count": {"type": "integer", "minimum": 1, "maximum": MAX_INVITATIONS}, "stratum": _optional(stratum)},
            "stratum",
        ),
        "Turnout": _object(
            {"waves": _list(_object({"wave": wave, "invited": _COUNT, "n_reports": _optional(_COUNT)}), minItems=1)}
        ),
        "Check": _object({"invitation": _TEXT, "wave": wave}, "wave"),
        "Checked": _object({"state": {"enum": list(STATES)}}),
        "Unused": _object({"unused": _list(_COUNT, minItems=1, maxItems=MAX_WAVES), "n_reports": _COUNT}),
        "Revocation": {
            "oneOf": [
                _object({"invitations": _list(invitation, minItems=1, maxItems=MAX_REVOKED)}),
                _object({"all": _YES}),
            ],
        },
        "Revoked": _object({"revoked": _COUNT}),
        "Tokens": _object({"tokens": _list(token)}),
        "Token": token,
        "NewToken": _object(
            {
                "role": {"enum": list(ROLES)},
                "label": {
                    "type": "string",
                    "maxLength": MAX_LABEL,
                    "pattern": r"^[^\u0000-\u001f\u007f-\u009f]*$",  # what every language can match
                    "description": "Printable characters, of any script; others are refused.",
                },
                "survey": _optional(survey_id),
                "expires_in_s": _optional(life),
            },
            "label",
            "survey",
            "expires_in_s",
        ),
        "Overlap": _object({"overlap_s": {"type": "integer", "minimum": 0, "maximum": MAX_LIFE_S}}),
        "ShownToken": _object({"token": _TEXT}),
    }
