"""Counts that contradict the design: more support, or less, than honest reports give whatever people's answers are.

Of n honest reports those that support an answer are the sum of two binomials, of the people who gave it and of the
others. They are most (stochastically) where all gave it, and fewest where nobody did, so the tails of these two are
the largest that any answers give. The same holds of all of a report's bits together, where their number is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.joint_fit import g_squared_of_names, tail_of_fit
from sotto_estimator.intervals.respondents import tail_above, tail_below

FALSE_ALARM = 1e-3
"""The probability, at most, that honest reports give any warning in one output."""
LEAST_P = 1e-300
_MARGIN = 1e-6
"""Relative widening of a P-value: more than the rounding of its tail."""


def p_at_most(p_value: float) -> str:
    """Return a bound of a P-value in words; the least that is worked out is a bound too.

    >>> p_at_most(0.000123), p_at_most(1e-300)
    ('P <= 1.2e-04', 'P < 1e-300')
    """
    return f"P <= {p_value:.1e}" if p_value > LEAST_P else f"P < {LEAST_P:g}"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A count that honest reports hardly ever give: of `n_reports`, `support_count` support `answer`.

    `answer` None: the supports of all answers, added up. `limit_count`: what is expected at the most, or, where the
    count is below it, at the least, whatever people's answers are. `p_value`: the probability, at most, that any of the
    counts that were looked at lies as far outside (Bonferroni). `wave`: whose count it is, where it is not of all.
    """

    question: str
    answer: str | None
    n_reports: int
    support_count: int
    limit_count: float
    p_value: float
    wave: int | None = None

    def __str__(self) -> str:
        end = f"({p_at_most(self.p_value)}); shares and intervals mean nothing"
        return f"{self._name}the counts contradict the design {end}"

    @property
    def warning(self) -> str:
        """What to say of it."""
        return self.warning_about("")

    def warning_about(self, report: str) -> str:
        """Return what to say of it, where `report` is what the reports say that were counted; "" where they differ."""
        end = "most" if self.support_count > self.limit_count else "least"
        limit = f"{self.limit_count:,.1f}".removesuffix(".0")
        return (
            f"{self._name}{self._seen(report)}. At {end} {limit} are expected, whatever people answer "
            f"({p_at_most(self.p_value)}). So shares and intervals mean nothing. Either the probabilities are not "
            "those of the design, or people did not follow it, or reports are fake."
        )

    def _seen(self, report: str) -> str:
        n, count = f"{self.n_reports:,}", f"{self.support_count:,}"
        if self.answer is None:
            return f"{n} reports point to answers {count} times in all"
        if report in ("", self.answer):
            return f"{count} of {n} reports {'say' if report else self._verb} {self.answer}"
        return f"{count} of {n} reports say {report}, which here points to {self.answer}"

    @property
    def _verb(self) -> str:
        return "point to"

    @property
    def _name(self) -> str:
        return _named(self.question, self.wave)


def _named(question: str, wave: int | None) -> str:
    of = [question] * bool(question) + [f"wave {wave}"] * (wave is not None)
    return f"{', '.join(of)}: " if of else ""


@dataclass(frozen=True, slots=True)
class OddReport(Contradiction):
    """The same of a count of one report: `answer` is what these reports say."""

    @property
    def _verb(self) -> str:
        return "say"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two arms that honest reports of one population hardly ever give.

    `arms`: which, counted from 1. `n_reports`: of both. `shares`: what each says by itself, which may lie outside of
    [0, 1]; of more than two answers, of the report that differs most. `g_squared`: twice the log-likelihood that one
    share for both loses, with one degree of freedom. `p_value`: the probability, at most, that any of the comparisons
    that were made shows as much (Bonferroni).
    """

    question: str
    arms: tuple[int, ...]
    n_reports: int
    shares: tuple[float, ...]
    g_squared: float
    p_value: float

    def __str__(self) -> str:
        end = f"({p_at_most(self.p_value)}); shares and intervals mean nothing"
        return f"{self._name}the samples contradict one another {end}"

    @property
    def warning(self) -> str:
        """What to say of it."""
        first, second = (f"{100 * share:.1f} %" for share in self.shares)
        return (
            f"{self._name}samples {self.arms[0]} and {self.arms[1]} say {first} and {second}. One share cannot give "
            f"the reports of both (G² {self.g_squared:.1f}, 1 degree of freedom; {p_at_most(self.p_value)}). So shares "
            "and intervals mean nothing. Either the probabilities are not the design's, or people did not follow "
            "it, or the samples are of different people."
        )

    @property
    def _name(self) -> str:
        return f"{self.question}: " if self.question else ""


@dataclass(frozen=True, slots=True)
class DesignEffect(Disagreement):
    """Two lists of an item count whose counts one item more cannot explain (Blair & Imai 2012).

    `shares`: of people who count few items, of whom there cannot be as many more in the first list as in the second.
    """

    @property
    def warning(self) -> str:
        """What to say of it."""
        return (
            f"{self._name}the counts of samples {self.arms[0]} and {self.arms[1]} contradict one another: one item "
            f"more cannot change them so ({p_at_most(self.p_value)}). So shares and intervals mean nothing. Perhaps "
            "the sensitive item changes what people count of the others (a design effect). Or people did not follow "
            "the design, or the samples are of different people."
        )


@dataclass(frozen=True, slots=True)
class Unfit(Disagreement):
    """All counts of one arm or of several together, which honest reports hardly ever give, whatever people answer.

    Each count by itself may be possible, and each two arms. `arms`: none of a survey's question. `shares`: none.
    """

    wave: int | None = None

    def __str__(self) -> str:
        end = f"({p_at_most(self.p_value)}); shares and intervals mean nothing"
        return f"{self._name}the counts together contradict the design{'s' * self._is_of_many} {end}"

    @property
    def warning(self) -> str:
        """What to say of it."""
        n, apart = f"{self.n_reports:,} reports", ""
        given = f"the design hardly ever gives all these counts of {n} together"
        if self._is_of_many:
            given = f"the designs hardly ever give all counts of {n} in {len(self.arms)} samples together"
            apart = "the samples are of different people, or "
        return (
            f"{self._name}{given}, whatever people answer (G² {self.g_squared:.1f}; {p_at_most(self.p_value)}). So "
            "shares and intervals mean nothing. Either the probabilities are not the design's, or people did not "
            f"follow it, or {apart}reports are fake."
        )

    @property
    def _name(self) -> str:
        return _named(self.question, self.wave)

    @property
    def _is_of_many(self) -> bool:
        return len(self.arms) > 1


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """A question's counts. `n_true`: the fewest and the most bits of a report that are true, None where it has none.

    `channels`: of each count, where they have channels of their own. `names_one`: whether each report names one label.
    `are_reports`: whether labels are of reports.
    """

    question: str
    labels: Sequence[str]
    support_counts: Sequence[int]
    channel: Channel
    n_true: tuple[int, int] | None = None
    channels: Sequence[Channel] | None = None
    names_one: bool = False
    are_reports: bool = False

    @property
    def n_tests(self) -> int:
        """How many tails are looked at: two of each count, and of their sum; of names, that of their fit."""
        return 2 * (len(self.labels) + (self.n_true is not None)) + self.is_fitted

    @property
    def is_fitted(self) -> bool:
        """Whether counts may contradict the design only together: of two names, one tells the other."""
        return self.names_one and len(self.labels) > 2


class _Count(NamedTuple):
    """A count, and the largest P that honest reports give one as far up, or down: limits are (lowest, highest)."""

    answer: str | None
    support_count: int
    limits: tuple[float, float]
    tails: tuple[float, float]


def contradictions_of(
    samples: Sequence[QuestionCounts],
    n: int,
    devices: Devices | None = None,
    n_tests: int | None = None,
    wave: int | None = None,
) -> tuple[Contradiction, ...]:
    """Return the worst contradiction of each question that has any, of n reports to each.

    With probability 1 - FALSE_ALARM honest reports give none at all. `devices`: those that reports can be of.
    `n_tests`: how many tails are looked at in one output, where questions of other numbers of reports are in it too.
    """
    n_tests = n_tests or sum(sample.n_tests for sample in samples)
    found = [_worst_of(sample, n, devices, n_tests) for sample in samples if _is_outside(sample, n)]
    return tuple(replace(worst, wave=wave) for worst in found if worst.p_value <= FALSE_ALARM)


def unfit_of_names(sample: QuestionCounts, n: int, n_tests: int, wave: int | None = None) -> tuple[Unfit, ...]:
    """Return what honest reports, each of another person, hardly ever give together, each count being possible.

    Of a sample with `names_one`; of another, nothing. `n_tests`: see `contradictions_of`.
    """
    if not sample.is_fitted:
        return ()
    g_squared = g_squared_of_names(sample.support_counts, sample.channel)
    tail = tail_of_fit(g_squared, len(sample.labels) - 1)
    p_value = min(1.0, max(LEAST_P, n_tests * tail * (1 + _MARGIN)))
    return (Unfit(sample.question, (), n, (), g_squared, p_value, wave),) if p_value <= FALSE_ALARM else ()


def _is_outside(sample: QuestionCounts, n: int) -> bool:
    """Return whether any count is not between what is expected at the least and at the most: no other has a far tail.

    P(S >= E S) > 1/4 of a binomial but where E S < 1, and then P(S >= 0) = 1 (Greenberg & Mohri 2014).
    """
    counts, channels = sample.support_counts, sample.channels or [sample.channel] * len(sample.labels)
    ends = [(n * channel.prob_support_if_other, n * channel.prob_support_if_true) for channel in channels]
    is_within = (low <= count <= high for count, (low, high) in zip(counts, ends, strict=True))
    return sample.n_true is not None or not all(is_within)


def _worst_of(sample: QuestionCounts, n: int, devices: Devices | None, n_tests: int) -> Contradiction:
    counts = _counts_of(sample, n, devices)
    worst = min(counts, key=lambda count: min(count.tails))
    limit = worst.limits[int(worst.tails[1] < worst.tails[0])]
    p_value = min(1.0, max(LEAST_P, n_tests * min(worst.tails) * (1 + _MARGIN)))
    kind = OddReport if sample.are_reports else Contradiction
    return kind(sample.question, worst.answer, n, worst.support_count, limit, p_value)


def _counts_of(sample: QuestionCounts, n: int, devices: Devices | None) -> list[_Count]:
    if sample.channels:
        each = zip(sample.labels, sample.support_counts, sample.channels, strict=True)
        alone = [QuestionCounts(sample.question, [label], [count], channel) for label, count, channel in each]
        return [count for one in alone for count in _counts_of(one, n, devices)]
    channel, n_bits = sample.channel, len(sample.labels)
    low, high = _tails(sample.support_counts, n, (0, n), channel, devices)
    limits = n * channel.prob_support_if_other, n * channel.prob_support_if_true
    tails = zip(low.tolist(), high.tolist(), strict=True)
    counts = [_Count(*row) for row in zip(sample.labels, sample.support_counts, [limits] * n_bits, tails, strict=True)]
    if sample.n_true is None:
        return counts
    total, n_true = sum(sample.support_counts), (n * sample.n_true[0], n * sample.n_true[1])
    low, high = _tails([total], n * n_bits, n_true, channel, devices)
    fewest, most = (n * n_bits * channel.prob_support_if_other + true * channel.contrast for true in n_true)
    return [*counts, _Count(None, total, (fewest, most), (float(low[0]), float(high[0])))]


def _tails(
    counts: Sequence[int], n: int, n_true: tuple[int, int], channel: Channel, devices: Devices | None
) -> tuple[Floats, Floats]:
    """Return P(as few or fewer of n bits) with the fewest true ones, and P(as many or more) with the most."""
    s = np.array(counts, np.float64)
    return tail_below(s, n_true[0], n, channel, devices), tail_above(s, n_true[1], n, channel, devices)
