"""A design: how likely each report is under each answer, which is all that an estimate has to know of it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.designs.parameters import call_of
from sotto_estimator.errors import DomainError
from sotto_protocol.bounds import float_above, log_ratio_above

YES_NO = ("yes", "no")
_ROUNDING = 1e-12
_OF_FLOATS = 2.0**-50
"""The ratio of two probabilities is at most so much larger than that of the floats that they are rounded to."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of `size` people, `n_forced` of whom say yes whatever is true: who, chance decides."""

    size: int
    n_forced: int


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """How people were asked: `matrix[r, c]` = P(report r | column c), shape (n_reports, n_columns).

    `answers`, `reports`: their labels, in the order of columns and rows. Columns add up to 1. `answers` repeats a label
    where people of one answer differ in something else that matters, such as their answer to an unrelated question:
    then only their sum is asked for. `parameters`: what it was made of, as it is written. `scores`: what each report
    adds to the first answer's share by the published estimator, where that was asked for (`estimator=paper`); else the
    best of all fixed weights are taken. `yes_report`: which of two reports a yes is, where files and options say yes.
    `block`: where people are forced by blocks, so that reports are not independent; most statistics refuse that.
    `beside`: which sample must be beside it, if its reports alone do not tell two answers apart.
    Raises `DomainError` where columns don't add up to 1, and where two different answers have the same column, so that
    nothing tells them apart.
    """

    name: str
    answers: tuple[str, ...]
    reports: tuple[str, ...]
    matrix: Floats
    parameters: Mapping[str, str] = field(default_factory=dict)
    scores: tuple[float, ...] = ()
    yes_report: int = 0
    block: Block | None = None
    beside: str = ""

    def __str__(self) -> str:
        """Return it as it is written."""
        return call_of(self.name, self.parameters)

    def __post_init__(self) -> None:
        shape = len(self.reports), len(self.answers)
        if self.matrix.shape != shape:
            raise DomainError(
                f"matrix (of shape {self.matrix.shape}) must have one row per report, one column per answer: {shape}."
            )
        sums = self.matrix.sum(axis=0)
        if not ((self.matrix >= 0).all() and np.allclose(sums, 1, rtol=0, atol=_ROUNDING)):
            raise DomainError(
                f"{self.name}: under each answer, the reports' probabilities must be >= 0 and add up to 1, "
                f"not to {', '.join(f'{total:.6g}' for total in sums)}."
            )
        if self.beside:
            return
        # of two reports, what is equal for one is equal for the other but for rounding
        for part in self.matrix[:, None] if len(self.reports) == 2 else [self.matrix]:
            self._check_different(part)

    def _check_different(self, part: Floats) -> None:
        """Raise `DomainError` where two different answers have the same column in this part of the matrix."""
        seen: dict[bytes, str] = {}
        for label, column in zip(self.answers, part.T, strict=True):
            known = seen.setdefault(column.tobytes(), label)
            if known != label:
                raise DomainError(
                    f"{self.name}: every report is as likely under {known} as under {label}, "
                    "so reports say nothing about the answer."
                )

    @classmethod
    def of_channel(cls, name: str, channel: Channel) -> "Design":
        """Return the yes-no design of a channel of yes."""
        said_yes = [channel.prob_support_if_true, channel.prob_support_if_other]
        return cls(name, YES_NO, YES_NO, np.array([said_yes, [1 - prob for prob in said_yes]]))

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers, each once: what shares are of."""
        return tuple(dict.fromkeys(self.answers))

    @property
    def epsilon(self) -> float:
        """An upper bound, in nats, of the log-ratio of one report's probabilities under two answers; may be infinite.

        Where something else than the answer matters, under any of it.
        """
        worst = 0.0
        for own, others in self._by_label():
            most, least = own.max(axis=1), others.min(axis=1, initial=1)
            with np.errstate(divide="ignore"):
                at = np.argmax(np.divide(most, least, out=np.zeros_like(most), where=most > 0))
            worst = max(worst, _log_ratio(float(most[at]), float(least[at])))
        return worst

    @property
    def is_conclusive(self) -> bool:
        """Whether some report proves some answer wrong: no epsilon bounds what such a design tells."""
        return any((own.any(axis=1) & (others == 0).any(axis=1)).any() for own, others in self._by_label())

    def _by_label(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the columns of each answer, and those of all others."""
        for label in self.labels:
            is_own = np.array([answer == label for answer in self.answers])
            yield self.matrix[:, is_own], self.matrix[:, ~is_own]

    @property
    def is_binary(self) -> bool:
        """Whether there are two reports and two answers: then it has a `channel`."""
        return self.matrix.shape == (2, 2) and len(self.labels) == 2

    @property
    def is_opposite(self) -> bool:
        """Whether the first report speaks for the second answer, of a binary design."""
        self._check_binary()
        return bool(self.matrix[0, 0] < self.matrix[0, 1])

    @property
    def channel(self) -> Channel:
        """The channel of the first answer (yes), of a binary design: its support is `reports[is_opposite]`."""
        self.check_independent()
        supporting = self.matrix[int(self.is_opposite)]
        return Channel(float(supporting[0]), float(supporting[1]))

    def check_independent(self) -> None:
        """Raise `DomainError` where people are forced by blocks."""
        if self.block:
            raise DomainError(
                f"{self.name}: reports of one block depend on one another. Shares of it are estimated (sotto estimate, "
                "estimate_arms); nothing else takes it, nor takes it beside other designs."
            )

    def _check_binary(self) -> None:
        if not self.is_binary:
            raise DomainError(f"{self.name} has {self.matrix.shape[0]} reports and {len(self.answers)} answers, not 2.")


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """The people who were asked by one design: `counts[r]` of them, or their weights, gave report r.

    Raises `DomainError` unless there is a finite count >= 0 of each report, one of them above 0, and none of a report
    that the design cannot give.
    """

    design: Design
    counts: Floats

    def __post_init__(self) -> None:
        n_reports = len(self.design.reports)
        if self.counts.shape != (n_reports,):
            told = ", ".join(self.design.reports[:8])
            raise DomainError(
                f"counts ({self.counts.size} of them) must be of the {n_reports} reports of {self.design.name}: {told}."
            )
        if not (np.isfinite(self.counts).all() and (self.counts >= 0).all() and self.counts.sum() > 0):
            raise DomainError(f"counts of {self.design.name} must be finite and >= 0, one of them above 0.")
        for report, count, probabilities in zip(self.design.reports, self.counts, self.design.matrix, strict=True):
            if count and not probabilities.any():
                raise DomainError(
                    f"{self.design.name} cannot give the report {report!r}, of which there are {count:g}."
                )

    @property
    def n(self) -> float:
        """How many reports there are."""
        return float(self.counts.sum())


def check_arms(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Return the answers, by column, that all arms ask for.

    Raises `DomainError` where they differ, or there is no arm, or all arms together do not tell some share.
    """
    if len({arm.design.answers for arm in arms}) != 1:
        raise DomainError("arms must be one or more, all with the same answers.")
    design = arms[0].design
    for one in _different(arms):
        one.design.check_independent()
    matrix = np.vstack([arm.design.matrix for arm in _different(arms)])
    for label in design.labels:
        wanted = np.array([answer == label for answer in design.answers], np.float64)
        found = np.linalg.lstsq(matrix.T, wanted, rcond=None)[0]
        if not np.allclose(matrix.T @ found, wanted, atol=1e-6):
            raise DomainError(
                f"{design.name}: these reports cannot give the share of {label}. "
                f"Add {design.beside or 'a sample that was asked with other probabilities'}."
            )
    return design.answers


def _different(arms: Sequence[Arm]) -> list[Arm]:
    return list({id(arm.design): arm for arm in arms}.values())


def _log_ratio(high: float, low: float) -> float:
    """Return an upper bound of ln(high / low), of the probabilities that these are floats of; 0 where high <= low."""
    if high <= low:
        return 0.0
    if low == 0:
        return math.inf
    ratio = Fraction(float(high)) / Fraction(float(low))
    return math.nextafter(float_above(log_ratio_above(ratio.numerator, ratio.denominator)) + _OF_FLOATS, math.inf)
