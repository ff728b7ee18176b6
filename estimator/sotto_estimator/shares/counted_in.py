"""Which strata are in the counts of a question, where several are taken together and some are withheld."""

from collections.abc import Iterable, Mapping

from sotto_estimator.inference.marginal import counted_of, estimated_of
from sotto_estimator.sources.parent import Parent
from sotto_protocol import Survey, Tally


def counted_in(survey: Survey, tallies: Mapping[str, Tally], strata: Iterable[str]) -> dict[str, Parent]:
    """Return which of these strata are in the counts of each question, and item, that is counted but not in all.

    `tallies`: of the strata of which anything is shown.
    """
    named, found = tuple(strata), {}
    for question in estimated_of(survey):
        shown = [name for name, tally in tallies.items() if counted_of(tally, question).n_reports]
        if shown and len(shown) < len(named):
            found[question.id] = Parent.of(named, shown)
    return found
