"""An outcome in clear, as a column says it."""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError, one_of
from sotto_estimator.regression.basis import check_size
from sotto_estimator.regression.outcome_model import OutcomeSample
from sotto_estimator.regression.sample import Sample
from sotto_estimator.regression.undefined import too_far
from sotto_estimator.table.table import DataColumn, number_of

OUTCOMES = ("auto", "logistic", "normal")
_EVENTS = {"yes": 1, "y": 1, "true": 1, "1": 1, "no": 0, "n": 0, "false": 0, "0": 0}


def read_outcome(column: DataColumn, sample: Sample, kind: str) -> tuple[OutcomeSample, str]:
    """Return a sample with its outcomes, and whether they are logistic or normal; "auto": logistic of yes and no.

    Raises DomainError for another kind; SourceError, which names the row, for a text that is no outcome of it, and
    for outcomes that are all the same.
    """
    if kind not in OUTCOMES:
        raise DomainError(f"outcome ({kind!r:.40}) {one_of(OUTCOMES, kind)}")
    events = [_EVENTS.get(label.strip().casefold().removesuffix(".0")) for label in column.labels]
    if kind == "normal" or (kind == "auto" and None in events and column.is_number):
        values = column.numbers()
        if found := too_far([column.name], values[:, None]):
            raise column.fault(int(column.codes[found.row]), f"must be {found.expected}")
        check_size(f"column {column.name}", float(np.abs(_varied(column, values)).max()))
        return OutcomeSample.of_numbers(sample, values[sample.first]), "normal"
    if None in events:
        is_odd = [
            event is None and number_of(label) is None for event, label in zip(events, column.labels, strict=True)
        ]
        odd = is_odd.index(True) if kind == "auto" and True in is_odd else events.index(None)
        raise column.fault(odd, "must be yes or no, 1 or 0" + " or a number" * (kind == "auto"))
    values = _varied(column, np.array(events, np.float64)[column.codes])
    return OutcomeSample.of_events(sample, values[sample.first]), "logistic"


def _varied(column: DataColumn, values: Floats) -> Floats:
    """Return the outcomes. Raises SourceError where they are all the same."""
    if np.ptp(values) == 0:
        raise SourceError(f"column {column.name} is {column.labels[0]:.40} in every row: nothing is to be explained.")
    return values
