"""Verdicts for who reads a terminal, and as members for programs; in English, as all that commands print."""

from collections.abc import Sequence
from typing import Any

from sotto_estimator.results.document import Column, Lines, Part, Table
from sotto_estimator.shares.verdict.verdict import Verdict
from sotto_estimator.views.verdict_words import finding_words, sentences
from sotto_protocol.language import ENGLISH

_OF_TEXT = "Nobody can read single texts. `sotto decode` finds out which of your candidates are common."


def verdict_part(verdicts: Sequence[Verdict]) -> Part:
    """Return a row for every answer, or mean, of which something is known, and under them what else is to be said."""
    table = Table(
        [Column("question"), Column("answer"), Column("what is known")], verdict_rows(verdicts), is_plain=True
    )
    known = [table.without_empty] if table.rows else []  # counts as given have no question
    return Part("What is known", [*known, Lines(said_of(verdicts))])


def verdict_rows(verdicts: Sequence[Verdict]) -> list[list[str]]:
    """Return question, answer, and what is known of it, of each."""
    return [
        [verdict.question, finding.answer, finding_words(finding, ENGLISH)]
        for verdict in verdicts
        for finding in (verdict.score, *verdict.findings)
        if finding
    ]


def said_of(verdicts: Sequence[Verdict]) -> list[str]:
    """Return what else is to be said, each line with the question that it is of."""
    lines = [f"{verdict.question}: {line}" for verdict in verdicts for line in _sentences(verdict)]
    return [line.removeprefix(": ") for line in lines]


def _sentences(verdict: Verdict) -> list[str]:
    return [*[_OF_TEXT] * verdict.is_text, *sentences(verdict, ENGLISH)]


def verdict_members(verdict: Verdict) -> dict[str, Any]:
    """Return what is known of a question, by name: in words, and what they are made of."""
    order, aim = verdict.order, verdict.aim
    score = {"score": finding_words(verdict.score, ENGLISH)} if verdict.score else {}
    return score | {
        "question": verdict.question,
        "answers": {finding.answer: finding_words(finding, ENGLISH) for finding in verdict.findings},
        "sentences": _sentences(verdict),
        "order": None if order is None else [list(group) for group in order.groups],
        "most_common": None if order is None else list(order.leaders),
        "wanted_half_width": None if aim is None else aim.half_width,
        "reports_needed": None if aim is None else aim.n_needed,
    }
