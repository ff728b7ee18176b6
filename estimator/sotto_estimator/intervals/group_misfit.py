"""Groups whose counts contradict how they were asked: nothing is said about their shares."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.intervals.contradiction import Contradiction, Disagreement

GroupMisfit = tuple[str, Contradiction | Disagreement]
"""A group's name, "" where there is one alone or all are meant, and what is wrong with its counts."""


def alarms_of(voids: Sequence[GroupMisfit]) -> list[str]:
    """Return what to say of counts that are wrong, each with its group's name."""
    return [": ".join(filter(None, [name, found.warning])) for name, found in voids]


def lines_of(voids: Sequence[GroupMisfit]) -> list[str]:
    """Return the same in short, a line each."""
    return [": ".join(filter(None, [name, str(found)])) for name, found in voids]


def misfit_members(voids: Sequence[GroupMisfit]) -> list[dict[str, Any]]:
    """Return the members of their JSON."""
    return [{"group": name} | asdict(found) for name, found in voids]
