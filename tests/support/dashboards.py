"""Databases that estimates are written to, what stands in them, and a survey with strata to estimate."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from importlib import import_module
from typing import Any

import numpy as np

from sotto_estimator.errors import WithheldError
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import Source
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.coins import Coins
from sotto_protocol.record import STRATUM, WAVE

KINDS = ("sqlite", "duckdb", "postgres")
ASKED = """
id = "lunch"
title = "Lunch"
invited = true
waves = 3
strata = ["north", "south", "west"]
[[questions]]
id = "ate"
type = "one-of"
text = "What?"
options = ["bread", "soup", "chef's"]
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "How long?"
minimum = 0
maximum = 10
unit = "h"
epsilon = 2
"""


def lunch() -> Survey:
    return compile_toml(ASKED)


def reports(survey: Survey, n: int, wave: int = 1, seed: int = 1) -> Any:
    """Return n packed reports, half of the north, half of the south."""
    people = np.arange(n)
    made = survey.perturb({"ate": people % 3, "hours": np.full(n, 5)}, Coins(np.random.default_rng(seed).bytes))
    columns = [part for _, part in survey.layout.cut(made)]
    return survey.layout.join(columns, {WAVE: [wave] * n, STRATUM: (people % 2 + 1).tolist()})


def tally_of(n: int, wave: int = 1, seed: int = 1) -> Tally:
    survey = lunch()
    return Tally.of(survey, reports(survey, n, wave, seed))


class WestWithheld(Source):
    """A source of two strata; the third is withheld, as a collector does below the least number of reports."""

    def gives(self, what: str) -> bool:
        return True

    def tally(self, chosen: Selection) -> Tally:
        survey = lunch()
        if chosen.stratum == "west":
            raise WithheldError("west: fewer than 20 reports")
        return Tally.of(survey, chosen.of(survey, reports(survey, 200)))


def read(to: str, query: str, given: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Return the rows of a query, by the database's own driver."""
    with closing(opened(to)) as connection:
        rows = connection.execute(query, given).fetchall()
        connection.commit()
        return [*rows]


def run(to: str, *statements: str) -> None:
    with closing(opened(to)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def opened(to: str) -> Any:
    if to.startswith("postgresql:"):
        return import_module("psycopg").connect(to)
    return import_module("duckdb").connect(to) if to.endswith(".duckdb") else sqlite3.connect(to)
