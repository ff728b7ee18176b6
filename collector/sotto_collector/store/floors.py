"""Release floors: how large the counts are that analysts may hold, and a restored store does not know.

A release is safe where it has at least `min_reports` reports that none before it had. Of one that the store does not
know only its size can be known: then it is enough that the next is larger by so many.
"""

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, delete, func, insert, select

from sotto_collector.errors import StoreError
from sotto_collector.store.schema import release_floors, releases
from sotto_collector.store.stored import StoredSurvey
from sotto_protocol import Survey, Tally
from sotto_protocol.tally_document import may_be_behind, with_cohorts

Sizes = NDArray[np.int64]
"""Of a tally: how many reports it has, then of each question that may be behind how many, in each cohort if it has
some."""
UNKNOWN = 2**62
"""A bit of the floor where nobody knows what else analysts hold: nothing is larger."""


def sizes_of(tally: Tally) -> Sizes:
    """Return the sizes of a tally."""
    by_question = (sizes_in(tally, key) for key in may_be_behind(tally.survey))
    return np.concatenate([np.array([tally.n_reports]), *by_question]).astype(np.int64)


def sizes_in(tally: Tally, key: str) -> Sizes:
    """Return how many reports a question's counts hold, in each cohort if it has some."""
    if key in with_cohorts(tally.survey):
        return tally.support_counts[key][:, 0].astype(np.int64)
    return np.array([tally.counted(key).n_reports], np.int64)


def by_question(survey: Survey, sizes: Sizes) -> dict[str, Sizes]:
    """Return the part of a tally's sizes that is each question's."""
    keys, none = may_be_behind(survey), Tally.empty(survey)
    ends = np.cumsum([1, *(len(sizes_in(none, key)) for key in keys)])
    return {key: sizes[start:end] for key, start, end in zip(keys, ends[:-1], ends[1:], strict=True)}


def n_sizes(survey: Survey) -> int:
    """Return how many sizes a survey's tally has."""
    return len(sizes_of(Tally.empty(survey)))


def read_floors(connection: Connection, stored: StoredSurvey) -> dict[int, Sizes]:
    """Return the floors of a survey's cells, of those that have any."""
    columns = release_floors.c
    rows = connection.execute(select(columns.cell, columns.sizes).where(columns.survey_key == stored.key))
    return {cell: np.frombuffer(sizes, "<i8").astype(np.int64) for cell, sizes in rows}


def raise_floor(connection: Connection, stored: StoredSurvey, cell: int, sizes: Sizes) -> None:
    """Raise the floor of a cell to these sizes, where it is lower; one that is UNKNOWN beside stays so."""
    known = read_floors(connection, stored).get(cell, np.zeros_like(sizes))
    unknown = np.maximum(known, sizes) & UNKNOWN
    highest = np.maximum(known & ~UNKNOWN, sizes & ~UNKNOWN) | unknown
    this_cell = and_(release_floors.c.survey_key == stored.key, release_floors.c.cell == cell)
    connection.execute(delete(release_floors).where(this_cell))
    row = {"survey_key": stored.key, "cell": cell, "n_reports": int(highest[0])}
    connection.execute(insert(release_floors), row | {"sizes": highest.astype("<i8").tobytes()})


def raise_all_floors(connection: Connection, stored: StoredSurvey, n_reports: int) -> None:
    """Raise the floors of all of a survey's cells, and of every question in them, to so many reports."""
    for cell in range(1, stored.survey.waves * stored.survey.n_strata + 1):
        raise_floor(connection, stored, cell, np.full(n_sizes(stored.survey), n_reports, np.int64))


def tell_floor(connection: Connection, stored: StoredSurvey, n_reports: int) -> None:
    """Raise all floors to what an operator says is the largest tally that analysts hold; UNKNOWN ones become that.

    Raises StoreError where the store itself knows that analysts hold a larger one.
    """
    given = select(func.coalesce(func.sum(releases.c.n_reports), 0)).where(releases.c.survey_key == stored.key)
    n_given = int(connection.execute(given).scalar_one())
    if n_reports < n_given:
        raise StoreError(
            f"--released {stored.survey.id}={n_reports} must be at least {n_given}: analysts got the counts of that "
            "many reports before the backup."
        )
    known = read_floors(connection, stored)
    connection.execute(delete(release_floors).where(release_floors.c.survey_key == stored.key))
    for cell, sizes in known.items():
        raise_floor(connection, stored, cell, sizes & ~UNKNOWN)
    raise_all_floors(connection, stored, n_reports)


def largest_floor(connection: Connection, stored: StoredSurvey) -> int:
    """Return the largest of a survey's floors, in reports; 0 where it has none."""
    largest = func.coalesce(func.max(release_floors.c.n_reports), 0)
    of = select(largest).where(release_floors.c.survey_key == stored.key)
    return int(connection.execute(of).scalar_one())
