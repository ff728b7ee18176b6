"""The survey of docs/embedding.md's examples, an answer that can be searched for, and how it is searched for."""

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sotto_protocol import compile_toml

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
LUNCH = compile_toml((EXAMPLES / "lunch.toml").read_text())
CANARY = "Café Quincescent"
"""An answer that stands nowhere else."""
CHOSEN = "leftovers"
"""An answer that stands in the survey, and must stand in nothing that is sent."""
_SKETCH: Any = LUNCH.questions[2].mechanism


def assert_is_noise(sent: dict[str, Any]) -> None:
    """Hold that what was posted is one report, each part of it as the mechanism makes it."""
    fingerprint, reports = sent.pop("fingerprint"), sent.pop("reports")
    assert (sent, fingerprint, len(reports)) == ({}, LUNCH.fingerprint, 1)
    assert set(reports[0]) == {"id", "answers"}
    answers = reports[0]["answers"]
    assert set(answers) == {"expensed", "cuisine", "place"}
    assert type(answers["expensed"]) is bool
    assert answers["cuisine"] in range(5)
    cohort, number = answers["place"]
    assert cohort in range(_SKETCH.n_cohorts)
    assert number in range(_SKETCH.n_values)


def forms_in(found: bytes, answer: str) -> list[str]:
    """Return the forms of an answer, of those that programs write texts in, that stand in some bytes."""
    plain = answer.encode()
    forms = {"utf-8": plain, "latin-1": answer.encode("latin-1"), "utf-16": answer.encode("utf-16-le")}
    forms |= {"hex": plain.hex().encode(), "url": quote(answer).encode(), "json": json.dumps(answer)[1:-1].encode()}
    for shift in range(3):  # the digits that depend on the answer alone
        whole = base64.b64encode(bytes(shift) + plain).rstrip(b"=")
        forms[f"base64 {shift}"] = whole[4 * (shift > 0) : -1]
    return [name for name, form in forms.items() if form.lower() in found.lower()]
