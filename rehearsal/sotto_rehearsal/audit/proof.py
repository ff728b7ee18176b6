"""A proof, where a mechanism is small: what every way in which its coins can fall gives away, as fractions.

The code that perturbs answers runs once for every outcome of its draws (`Outcomes`). That a draw has its probability,
whatever those beside it are, is shown by every prefix of bytes (`falls_exactly`); so each outcome stands for all the
bytes that lead to it, and nothing is estimated. The loss is the largest log-ratio of a report's probabilities under
any two answers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import COIN_SCALE, Question
from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.mechanisms.asked_option import AskedOption
from sotto_protocol.mechanisms.bits import OptionBits
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.mechanism import Bytes, Mechanism, PureMechanism
from sotto_protocol.mechanisms.padded_subset import PaddedSubset
from sotto_protocol.mechanisms.segments import SegmentsResponse
from sotto_protocol.mechanisms.sets import SetResponse
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_rehearsal.audit.branching import Distribution, Outcomes, TooManyError
from sotto_rehearsal.audit.bytewise import falls_exactly

MAX_OUTCOMES = 2**14
"""So many outcomes of the coins are gone through for a question, at most."""
_MAX_SELECTIONS = 64

Channel = list[Distribution]
"""The probabilities of every packed report, under every answer."""


@dataclass(frozen=True)
class Proof:
    """What one report of a question gives away, and what all reports of an answer do, in nats, rounded up at 1e-49.

    None where it is without bound. `n_outcomes`: how many outcomes of the coins were gone through; 0 where they are too
    many, and nothing is proved. `has_published_rates`: whether every value is supported with exactly the probability
    that the published thresholds say.
    """

    question: str
    n_outcomes: int
    epsilon: Decimal | None
    declared: Decimal
    epsilon_forever: Decimal | None
    declared_forever: Decimal
    has_published_rates: bool

    @property
    def is_made(self) -> bool:
        """Whether anything is proved."""
        return self.n_outcomes > 0

    @property
    def holds(self) -> bool:
        """Whether what the survey declares is proved."""
        once, forever = self.epsilon, self.epsilon_forever
        if once is None or forever is None or not self.has_published_rates:
            return False
        return once <= self.declared and forever <= self.declared_forever


def prove(question: Question) -> Proof:
    """Return what a question's mechanism gives away, exactly, or a proof that is not made where that takes too long."""
    outcomes = Outcomes(MAX_OUTCOMES)
    declared = question.epsilon, question.epsilon_forever
    try:
        permanent, reported = _channels(question.mechanism, outcomes)
        draws_exactly = all(falls_exactly(*draw) for draw in sorted(outcomes.drawn, key=str))
        rates = _has_published_rates(question.mechanism, reported)
    except TooManyError:
        return Proof(question.id, 0, None, declared[0], None, declared[1], False)
    once, forever = (_largest_loss(channel) if draws_exactly else None for channel in (reported, permanent))
    return Proof(question.id, outcomes.n_seen, once, declared[0], forever, declared[1], rates)


def _channels(mechanism: Mechanism, outcomes: Outcomes) -> tuple[Channel, Channel]:
    """Return the channels from what is settled to permanent responses, and to reports. Raises TooManyError."""
    groups = outcomes.of(partial(mechanism.draw_group, 1)) if mechanism.group_bytes else {b"": Fraction(1)}
    reports: dict[bytes, Distribution] = {}
    permanent: Channel = []
    for settled in _every_settled(mechanism):
        probs: Distribution = {}
        for group, prob in groups.items():
            placed = np.frombuffer(group, np.uint8).reshape(1, -1)
            drawn = outcomes.of(partial(mechanism.respond_permanently, settled, placed))
            for row, of_row in drawn.items():
                probs[row] = probs.get(row, Fraction(0)) + prob * of_row
        permanent.append(probs)
    for row in {row for probs in permanent for row in probs}:
        packed: Bytes = np.frombuffer(row, np.uint8).reshape(1, -1)
        reports[row] = outcomes.of(partial(mechanism.report, packed))
    return permanent, [_through(probs, reports) for probs in permanent]


def _every_settled(mechanism: Mechanism) -> Iterator[NDArray[Any]]:
    """Yield all that noise is drawn for, an array of one row each: answers, of numbers the levels."""
    match mechanism:
        case LevelResponse():
            yield from (np.array([level]) for level in range(mechanism.levels))
        case PureMechanism() if mechanism.takes_rows:
            if 2**mechanism.n_values > _MAX_SELECTIONS:
                raise TooManyError
            rows = product([0, 1], repeat=mechanism.n_values)
            yield from (np.array([row]) for row in rows if sum(row) <= mechanism.max_selected)
        case PureMechanism():
            yield from (np.array([answer]) for answer in range(max(2, mechanism.n_values)))
        case _:
            raise TooManyError  # texts


def _through(probs: Distribution, reports: dict[bytes, Distribution]) -> Distribution:
    total: Distribution = {}
    for row, prob in probs.items():
        for report, of_report in reports[row].items():
            total[report] = total.get(report, Fraction(0)) + prob * of_report
    return total


def _largest_loss(channel: Channel) -> Decimal | None:
    """Return the largest log-ratio of a report's probabilities; None where one answer alone leads to some report."""
    ratio = Fraction(1)
    for report in {report for probs in channel for report in probs}:
        probs = [of_answer.get(report, Fraction(0)) for of_answer in channel]
        if min(probs) == 0:
            return None
        ratio = max(ratio, max(probs) / min(probs))
    return log_ratio_above(*ratio.as_integer_ratio())


def _has_published_rates(mechanism: Mechanism, channel: Channel) -> bool:
    """Whether all reports under every answer support its values, and others, as the thresholds say."""
    settled = [*_every_settled(mechanism)]
    for answer, probs in zip(settled, channel, strict=True):
        support = [Fraction(0)] * mechanism.n_values
        for report, prob in probs.items():
            for value in mechanism.supported(np.frombuffer(report, np.uint8)):
                support[value] += prob
        if support != _published(mechanism, answer) or sum(probs.values()) != 1:
            return False
    return True


def _published(mechanism: Mechanism, answer: NDArray[Any]) -> list[Fraction]:
    """Return P(a report supports each value | answer), by a survey's published thresholds (docs/maths-privacy.md)."""
    if isinstance(mechanism, SegmentsResponse):
        at = int(answer[0])
        each = (
            segment.inside if segment.first <= at <= segment.last else segment.outside for segment in mechanism.segments
        )
        return [Fraction(weight, COIN_SCALE) for weight in each]
    threshold = {name: Fraction(number, COIN_SCALE) for name, number in mechanism.parameters().items()}
    true, every = threshold["threshold_if_true"], range(mechanism.n_values)
    match mechanism:
        case OptionBits() | AskedOption():
            one, zero = threshold.get("report_if_one", Fraction(1)), threshold.get("report_if_zero", Fraction(0))
            rates = [kept * one + (1 - kept) * zero for kept in (threshold["threshold_if_other"], true)]
            return [rates[_is_true(mechanism, answer, value)] / mechanism.one_in for value in every]
        case PaddedSubset():
            members, size = mechanism.n_members, mechanism.weight
            none = Fraction(comb(mechanism.n_values, size), comb(members, size))  # of all sets those with none of it
            own = true * Fraction(size, members) / (1 - none)
            other = own + Fraction(size, mechanism.n_values) * (1 - true - true * none / (1 - none))
            return [own if _is_true(mechanism, answer, value) else other for value in every]
        case KaryResponse():
            kept = threshold.get("report_if_true", Fraction(1))
            truth = true * kept + (1 - true) * (1 - kept) / (mechanism.n_values - 1)
            return [truth if value == answer[0] else (1 - truth) / (mechanism.n_values - 1) for value in every]
        case SetResponse():
            other = true * mechanism.shared + (1 - true) * (1 - mechanism.shared) / mechanism.odds_against
            return [true if value == answer[0] else other for value in every]
        case WindowResponse():
            kept = threshold.get("report_if_true", Fraction(1))
            truth = true * kept + (1 - true) * (1 - kept)
            inside, outside = truth / mechanism.width, (1 - truth) / (mechanism.levels - 1)
            return [inside if 0 <= value - answer[0] < mechanism.width else outside for value in every]
        case _:
            raise TooManyError  # a mechanism of which no rates are known here


def _is_true(mechanism: Mechanism, answer: NDArray[Any], value: int) -> bool:
    if mechanism.takes_rows:
        return bool(answer[0, value])
    return bool(answer[0] == (1 if mechanism.n_values == 1 else value))
