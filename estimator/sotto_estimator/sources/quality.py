"""Quality: whether a tally holds more reports of implausible shape than an honest crowd sends, and what fakes could do.

A mechanism says which reports an honest device hardly produces, and with what probability at most; so their number, of
an honest crowd, is at most binomial. Fakes that look like honest reports do not show: how far they move an estimate is
said beside it (`sotto_estimator.intervals.fakes`).
"""

from bisect import bisect_left
from dataclasses import dataclass

from scipy import special

from sotto_protocol import Tally
from sotto_protocol.counted import Counted
from sotto_protocol.words import counted

FALSE_ALARM = 1e-9
"""The probability, at most, that an honest crowd's reports of a question give a warning."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Of n_reports to a question, `n_implausible` are of a shape that honest devices hardly produce.

    An honest crowd sends more than `most_if_honest` such with probability 1e-9 at most.
    """

    question: str
    n_reports: int
    n_implausible: int
    most_if_honest: int

    @property
    def is_alarming(self) -> bool:
        """Whether there are more than an honest crowd sends."""
        return self.n_implausible > self.most_if_honest

    def __str__(self) -> str:
        return (
            f"quality of {self.question}: {self.n_implausible:,} of {counted(self.n_reports, 'report')} implausible, "
            f"of an honest crowd at most {self.most_if_honest:,}"
        )

    @property
    def warning(self) -> str:
        """What to say where `is_alarming`."""
        return (
            f"{self.n_implausible:,} reports to {self.question} have numbers of set bits that honest devices hardly "
            f"ever send. An honest crowd would send at most {self.most_if_honest:,}. "
            "Either somebody sends fake reports, or devices do not follow the survey."
        )


def qualities(tally: Tally) -> tuple[Quality, ...]:
    """Return the quality of every question that counts reports not all of which are plausible, in order."""
    return tuple(
        quality_of(question.id, counted, tally.implausible[question.id], prob)
        for question in tally.survey.questions
        if (prob := question.mechanism.prob_implausible) and (counted := tally.counted(question.id)).n_reports
    )


def quality_of(question: str, counted: Counted, n_implausible: int, prob: float) -> Quality:
    """Return the quality of these reports, each implausible with at most `prob` if it is honest."""
    return Quality(question, counted.n_reports, n_implausible, most_if_honest(counted, prob))


def most_if_honest(counted: Counted, prob: float) -> int:
    """Return m with P(more than m of these honest reports are implausible) <= 1e-9, each with at most `prob`.

    Of one wave, m is the quantile of a binomial, and the least. A device's reports of several waves share their
    permanent noise, so that they are not independent: where there are more than the sum of the W waves' quantiles at
    1e-9 / W, one of the waves has more than its own. Reports of which the wave is not known may be of any.
    """
    sizes = [n + counted.n_unsplit for n in counted.by_wave.values()]
    quantiles = {n: _quantile(n, prob, FALSE_ALARM / len(sizes)) for n in sizes}
    return min(counted.n_reports, sum(quantiles[n] for n in sizes))


def _quantile(n: int, prob: float, tail: float) -> int:
    """Return the least m with P(a binomial of n is more than m) <= tail."""

    def is_enough(most: int) -> bool:
        return most >= n or float(special.betainc(most + 1, n - most, prob)) <= tail

    return bisect_left(range(n), True, key=is_enough)
