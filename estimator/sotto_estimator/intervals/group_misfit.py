"""Groups whose counts contradict how they were asked: nothing is said about their shares."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.intervals.contradiction import Contradiction, Disagreement

GroupMisfit = tuple[str, Contradiction | Disagreement]
"""A group's name, "" where there is one alone or all are meant, and what is wrong with its counts."""

MANY = 5
"""What is said alike of more groups than these is said once, with how many they are."""


def contradicting(voids: Iterable[GroupMisfit], question: str, groups: Iterable[str]) -> list[str]:
    """Return which of these groups have counts of a question that are wrong."""
    named = {name for name, found in voids if found.question == question}
    return [group for group in groups if group in named]


def alarms_of(
    voids: Sequence[GroupMisfit], say: Callable[[Contradiction | Disagreement], str] = lambda found: found.warning
) -> list[str]:
    """Return what to say of counts that are wrong, each with its group's name; of many groups, of the worst alone."""
    return [
        ": ".join(filter(None, [name, say(found)]))
        + (f" The counts of {n_others} other groups contradict the design too." if n_others else "")
        for name, found, n_others in _folded(voids)
    ]


def lines_of(voids: Sequence[GroupMisfit]) -> list[str]:
    """Return the same in short, a line each."""
    return [
        ": ".join(filter(None, [name, str(found)])) + (f" (as in {n_others} other groups)" if n_others else "")
        for name, found, n_others in _folded(voids)
    ]


def _folded(voids: Sequence[GroupMisfit]) -> list[tuple[str, Contradiction | Disagreement, int]]:
    """Return each that is wrong, with 0; of a question with many, the worst alone, with how many others there are."""
    by_question: dict[str, list[GroupMisfit]] = {}
    for void in voids:
        by_question.setdefault(void[1].question, []).append(void)
    folded = []
    for found in by_question.values():
        shown = found if len(found) <= MANY else [min(found, key=lambda void: void[1].p_value)]
        folded += [(*void, len(found) - len(shown)) for void in shown]
    return folded


def misfit_members(voids: Sequence[GroupMisfit]) -> list[dict[str, Any]]:
    """Return the members of their JSON."""
    return [{"group": name} | asdict(found) for name, found in voids]
