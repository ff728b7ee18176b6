"""Surveys to begin with: questions of a kind, without epsilons, which are chosen for the crowd."""

import tomllib
from decimal import Decimal
from importlib.resources import files
from typing import Any

NAMES = {
    "staff": "how people work, invited",
    "health": "habits and health, invited",
    "exam": "students on exams and homework, invited",
    "page": "readers of a web page, open to everybody",
}
"""The templates that there are, each with what it asks and whom."""


def read_template(name: str) -> dict[str, Any]:
    """Return a template's definition."""
    text = files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text, parse_float=Decimal)
