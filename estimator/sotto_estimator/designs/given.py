"""Counts as they are given: in the design's order, by the names of its reports, or as those who said yes and no."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.design import Design
from sotto_estimator.errors import DomainError

_YES, _NO = "yes", "no"


class SaidYes(NamedTuple):
    """How many of two reports were a yes, and how many were not: `Design.yes_report` says which one a yes is."""

    n_yes: int
    n_no: int


Given = Sequence[float] | Mapping[str, float] | SaidYes
"""Counts of one sample."""


def ordered_counts(design: Design, given: Given) -> Floats:
    """Return counts in the order of the design's reports. Raises `DomainError` for names that are not its reports'."""
    if isinstance(given, Mapping):
        return _by_name(design, given)
    if isinstance(given, SaidYes) and len(design.reports) == 2 and design.yes_report:
        return np.array([given.n_no, given.n_yes], np.float64)
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise DomainError(f"counts ({given!r:.60}) must be numbers, one per report.") from None


def _by_name(design: Design, given: Mapping[str, float]) -> Floats:
    places, listed = places_of(design), ", ".join(design.reports)
    counts: dict[int, float] = {}
    for name, count in given.items():
        place = places.get(plain(name))
        if place is None:
            raise DomainError(
                f"counts name {name!r:.60}, which is not a report of {design.name}. Its reports are {listed}."
            )
        if place in counts:
            raise DomainError(f"counts name the report {design.reports[place]!r} of {design.name} twice.")
        counts[place] = count
    missing = [report for place, report in enumerate(design.reports) if place not in counts]
    if missing:
        raise DomainError(
            f"counts leave out {', '.join(missing[:8])}: name each report of {design.name}, "
            f"{missing[0]}=0 where nobody gave it."
        )
    return ordered_counts(design, [counts[place] for place in range(len(design.reports))])


def places_of(design: Design) -> dict[str, int]:
    """Return the place of each report by the plain texts that mean it: its label, of two also yes and no."""
    places: dict[str, int] = {}
    if len(design.reports) == 2:
        places |= {_YES: design.yes_report, _NO: 1 - design.yes_report}
    places |= {plain(report.removesuffix(" red")): place for place, report in enumerate(design.reports)}
    return places | {plain(report): place for place, report in enumerate(design.reports)}


def plain(text: str) -> str:
    """Return a text as it is compared: data frames write 1.0 for 1 where a column misses something."""
    return text.strip().casefold().removesuffix(".0")
