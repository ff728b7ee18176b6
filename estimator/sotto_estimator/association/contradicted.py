"""Reports that contradict the design, before they are fitted: of all people, and of those who reported alike."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sotto_estimator.association.axes import TableAxis
from sotto_estimator.association.groups import check_one_wave, that_answer
from sotto_estimator.intervals.group_misfit import GroupMisfit
from sotto_estimator.shares.of_tally import contradictions_of_questions
from sotto_protocol import Survey, Tally
from sotto_protocol.mechanisms.mechanism import Bytes

_MAX_CATEGORIES = 20
"""A side of so many different reports, or fewer, has groups of people; noise falls on each by itself."""


def misfits_of_reports(survey: Survey, records: Bytes, sides: Sequence[TableAxis]) -> tuple[GroupMisfit, ...]:
    """Return the questions of the sides whose counts honest reports hardly ever give, the worst sign of each.

    In total, and among those who gave one report to another side. All share one chance of a false alarm. Raises
    SourceError as `grouped_reports`.
    """
    check_one_wave(survey, records)
    answered = that_answer(survey, records, sides)
    ids = {side.question.id for side in sides}
    groups = [("", answered, ids), *_groups(survey, answered, sides)]
    found = [
        (name, one)
        for name, of, asked in groups
        for one in contradictions_of_questions(Tally.of(survey, of), asked, n_groups=len(groups))
    ]
    worst: dict[str, GroupMisfit] = {}
    for name, one in sorted(found, key=lambda void: (bool(void[0]), void[1].p_value)):  # what is so of all comes first
        worst.setdefault(one.question, (name, replace(one, wave=None)))
    return tuple(worst.values())


def _groups(survey: Survey, records: Bytes, sides: Sequence[TableAxis]) -> Iterator[tuple[str, Bytes, set[str]]]:
    """Yield the reports that say one thing to a side, by what that is, and the questions of the other sides."""
    columns = {question.id: column for question, column in survey.layout.cut(records)}
    for side in sides:
        others = {other.question.id for other in sides} - {side.question.id}
        if side.is_open or not others:
            continue
        column = side.narrow(columns[side.question.id])
        reports, codes = np.unique(column, axis=0, return_inverse=True)
        if not 1 < len(reports) <= _MAX_CATEGORIES:
            continue
        likeliest = side.likelihood(reports).argmax(axis=1)
        names = [side.labels[place] for place in likeliest.tolist()]
        for code in range(len(reports)):
            label = names[code] if names.count(names[code]) == 1 else f"{names[code]} ({code + 1})"
            yield f"who reported {label} to {side.name}", records[codes.ravel() == code], others
