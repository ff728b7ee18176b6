"""A tree of strata: north is the parent of north/sales and north/it. People are invited to strata, never to parents."""

from collections.abc import Sequence
from itertools import pairwise

SEPARATOR = "/"
MAX_LEVELS = 3


def level_of(name: str) -> int:
    """Return how many parts a name has, of a stratum or of a parent."""
    return name.count(SEPARATOR) + 1


def tree_fault(strata: Sequence[str]) -> str:
    """Return why names are no tree, and what they must be; "" where they are one, or have no /."""
    known = {*strata}
    for name in strata:
        parts = name.split(SEPARATOR)
        if any(part != part.strip(" ") or not part for part in parts):
            return f"must have a name before and after each /, with no blanks around (not {name}): / makes a tree."
        if len(parts) > MAX_LEVELS:
            return f"must have at most {MAX_LEVELS} levels, parted by / (not {name})."
        above = next((of for of in _above(name) if of in known), "")
        if above:
            return f"must not have {above} beside {name}: call the former {above}/other, for example."
    return ""


def parents_of(strata: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the strata of each parent, by the parent's name; of a survey whose names are no tree there is none.

    A name above one group alone is no parent: it would show the same people twice.

    >>> parents_of(["north/it", "north/sales", "south/sales"])
    {'north': ('north/it', 'north/sales')}
    """
    if tree_fault(strata):
        return {}
    below: dict[str, dict[str, None]] = {}
    for name in strata:
        path = [*_above(name), name]
        for above, child in pairwise(path):
            below.setdefault(above, {})[child] = None
    return {
        parent: tuple(name for name in strata if name.startswith(parent + SEPARATOR))
        for parent, children in below.items()
        if len(children) > 1
    }


def first_level(strata: Sequence[str]) -> list[str]:
    """Return the groups that all strata are in, each in one: parents that are in no other, and strata in none.

    >>> first_level(["north/it", "north/sales", "south/sales"])
    ['north', 'south/sales']
    """
    parents = parents_of(strata)
    return [*dict.fromkeys(next((of for of in _above(name) if of in parents), name) for name in strata)]


def places_in(strata: Sequence[str], group: str) -> tuple[int, ...]:
    """Return the places, from 1 on, of a group's strata: its own, or those of a parent."""
    return tuple(strata.index(name) + 1 for name in parents_of(strata).get(group, (group,)))


def groups_of(strata: Sequence[str]) -> list[str]:
    """Return all strata, and behind them all parents: a group is known by its place here."""
    return [*strata, *parents_of(strata)]


def in_tree_order(strata: Sequence[str]) -> list[str]:
    """Return all strata and parents, each parent before what is in it; in the survey's order of first ones."""
    parents = parents_of(strata)
    if not parents:
        return [*strata]
    places: dict[str, int] = {}
    for name in strata:
        for part in [*_above(name), name]:
            places.setdefault(part, len(places))
    return sorted([*strata, *parents], key=lambda name: [places[part] for part in [*_above(name), name]])


def _above(name: str) -> list[str]:
    """Return the names above a stratum's, the highest first."""
    parts = name.split(SEPARATOR)
    return [SEPARATOR.join(parts[:n]) for n in range(1, len(parts))]
