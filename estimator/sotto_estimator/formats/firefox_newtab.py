"""Firefox New Tab's coarse interests: a noisy one-hot vector for each feature, with probabilities of its own."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.formats.records import MAX_NAME, Progress, Record, ignore, read_records
from sotto_estimator.formats.shares import FormatShares
from sotto_estimator.intervals.contradiction import QuestionCounts
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.of_tally import estimate_samples
from sotto_protocol.bounds import float_above, log_ratio_above

_SCALE = 2**32
_MAX_MODEL_BYTES = 2**20
_INTERESTS = ("inferred_interests", "inferredInterests", "coarsePrivateInferredInterests")


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of the model: a bit for each range between its thresholds, all zero but one; then noise on each.

    Firefox draws 32 bits for each and sends 1 where they, out of 2^32, are at most diff_p of a true 1, or diff_q of
    a 0: `if_true` and `if_other` are the draws that do, of 2^32.
    """

    name: str
    thresholds: tuple[float, ...]
    if_true: int
    if_other: int

    @classmethod
    def of(cls, name: str, members: Any) -> Self:
        """Return a feature of the model's JSON. Raises `DomainError` where it has no noise, or tells nothing."""
        if not name.isprintable() or not 0 < len(name) <= MAX_NAME:
            raise DomainError(
                f"model: the name of a feature ({name!r:.60}) must be 1 to {MAX_NAME} printable characters."
            )
        members = members if isinstance(members, dict) else {}
        try:
            thresholds = tuple(map(float, members["thresholds"]))
            drawn = [math.floor(float(members[key]) * _SCALE) + 1 for key in ("diff_p", "diff_q")]
        except (KeyError, TypeError, ValueError, OverflowError):
            raise DomainError(f"model: {name} must have thresholds, diff_p and diff_q, all numbers.") from None
        if not thresholds or any(not low < high for low, high in pairwise(thresholds)):
            raise DomainError(f"model: the thresholds of {name} must be one or more, and rise.")
        if not 1 < drawn[1] < drawn[0] <= _SCALE - 1:
            raise DomainError(f"model: {name} must have 0 < diff_q < diff_p < 1; else it tells nothing, or all.")
        return cls(name, thresholds, *drawn)

    @property
    def channel(self) -> Channel:
        """What a bit says of its range."""
        return Channel(self.if_true / _SCALE, self.if_other / _SCALE)

    @property
    def epsilon(self) -> float:
        """Of the whole vector, in nats: of two answers two bits differ."""
        return float_above(
            log_ratio_above(self.if_true * (_SCALE - self.if_other), self.if_other * (_SCALE - self.if_true))
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The ranges in words."""
        inner = [f"{low:g} to {high:g}" for low, high in pairwise(self.thresholds)]
        return (f"below {self.thresholds[0]:g}", *inner, f"{self.thresholds[-1]:g} or more")


def read_model(path: Path | str) -> tuple[Feature, ...]:
    """Return the features of a model's JSON: the object `interest_vector`, or that itself. Raises SourceError."""
    try:
        with Path(path).open("rb") as file:
            document = json.loads(file.read(_MAX_MODEL_BYTES))
    except OSError as fault:
        raise SourceError(f"{path} cannot be read: {fault.strerror}.") from fault
    except (ValueError, RecursionError) as fault:
        raise SourceError(f"{path} must be a model: JSON of at most {_MAX_MODEL_BYTES:,} bytes.") from fault
    features = document.get("interest_vector", document) if isinstance(document, dict) else None
    if not isinstance(features, dict) or not features:
        raise SourceError(f"{path} must be a model: a JSON object of features.")
    return tuple(Feature.of(name, members) for name, members in features.items())


def read_firefox_newtab(
    paths: Sequence[Path | str],
    *,
    model: Path | str,
    by: str | None = None,
    options: IntervalOptions | None = None,
    progress: Progress = ignore,
) -> FormatShares:
    """Estimate what share of clients is in each range of each feature.

    A record is what the ping calls inferred interests: `values`, a vector a feature in the model's order, or a member a
    feature; by itself or as the member of that name. A vector is a text such as "0100", or a list of 0 and 1. `model`:
    the file with the thresholds, diff_p and diff_q of each feature. Raises SourceError, with its line, for a record
    that is something else, of another model_id, or written otherwise than the first; `DomainError` for a model that
    tells nothing or all, and for `by`.
    """
    if by is not None:
        raise DomainError("by must not be given: firefox-newtab is estimated as a whole.")
    features, files = read_model(model), [Path(path) for path in paths]
    n, counts = _count(read_records(files, progress), features)
    samples = [
        QuestionCounts(feature.name, feature.labels, of.tolist(), feature.channel, (1, 1))
        for feature, of in zip(features, counts, strict=True)
    ]
    title = ", ".join(map(str, files))
    epsilons = [feature.epsilon for feature in features]
    return FormatShares(estimate_samples(title, samples, n, epsilons, options))


def _count(records: Iterable[Record], features: Sequence[Feature]) -> tuple[int, list[NDArray[np.int64]]]:
    counts = [np.zeros(len(feature.labels), np.int64) for feature in features]
    n, written = 0, None
    for record in records:
        vectors, how = _vectors(record, features)
        written = written or how
        if how != written:
            record.refuse(f"is written otherwise than the first record ({how} here, {written} there).")
        for feature, of, vector in zip(features, counts, vectors, strict=True):
            of += _bits(record, feature, vector)
        n += 1
    return n, counts


def _vectors(record: Record, features: Sequence[Feature]) -> tuple[list[Any], str]:
    """Return a record's vectors in the model's order, and how it is written."""
    found = next((record.members[name] for name in _INTERESTS if name in record.members), record.members)
    if not isinstance(found, dict):
        record.refuse("inferred interests must be an object.")
    if "values" in found:
        vectors, how = found["values"], "values in order"
        if not isinstance(vectors, list) or len(vectors) != len(features):
            record.refuse(f"values must be a list of {len(features)} vectors, one for each feature of the model.")
    else:
        missing = [feature.name for feature in features if feature.name not in found]
        if missing:
            record.refuse(f"{missing[0]} is missing.")
        vectors, how = [found[feature.name] for feature in features], "members by feature"
    kinds = {type(vector).__name__ for vector in vectors}
    return vectors, f"{how}, {'texts' if kinds == {'str'} else 'lists' if kinds == {'list'} else 'mixed'}" + (
        f", model {found['model_id']!r:.60}" if "model_id" in found else ""
    )


def _bits(record: Record, feature: Feature, vector: Any) -> NDArray[np.int64]:
    is_vector = isinstance(vector, str | list) and all(bit in ("0", "1") or bit in (0, 1) for bit in vector)
    if not is_vector or any(isinstance(bit, bool | float) for bit in vector):
        record.refuse(f"{feature.name} must be a vector of 0 and 1.")
    if len(vector) != len(feature.labels):
        record.refuse(f"{feature.name} must have {len(feature.labels)} bits, as the model says; it has {len(vector)}.")
    return np.array([int(bit) for bit in vector], np.int64)
