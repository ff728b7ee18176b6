"""Surveys to begin with: questions of a kind, without epsilons, which are chosen for the crowd."""

import tomllib
from decimal import Decimal
from importlib.resources import files
from typing import Any

from sotto_author.refusal import with_refusal
from sotto_protocol.members import POPULATION, RESPONDENTS

NAMES = {
    "staff": "how invited people work",
    "health": "habits and health of invited people",
    "exam": "exams and homework of invited students",
    "page": "readers of a web page, and open to everybody",
}
"""The templates that there are, each with what it asks and whom."""


def read_template(name: str, about: str | None = None, *, may_skip: bool = True) -> dict[str, Any]:
    """Return a template's definition.

    `about`: whom its results are about, by default these people where they are invited. `may_skip`: whether its
    questions may be left out; a number then counts as the template says.
    """
    text = files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    template = tomllib.loads(text, parse_float=Decimal)
    questions = template.pop("questions")
    template["about"] = about or (RESPONDENTS if template.get("invited") else POPULATION)
    if may_skip:
        return template | {"questions": [with_refusal(of, "en") for of in questions]}
    return template | {"questions": [{name: of[name] for name in of if name != "skip"} for of in questions]}
