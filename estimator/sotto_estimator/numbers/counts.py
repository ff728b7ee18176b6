"""What is known of a question's numbers: their range, the channel, and how often each output was reported."""

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.errors import SourceError
from sotto_estimator.inference.registry import FIGURES, figure_of
from sotto_estimator.intervals.contradiction import QuestionCounts
from sotto_estimator.numbers.channel import NumberChannel
from sotto_protocol import Question, Tally
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.questions.number import Number


@dataclass(frozen=True, slots=True)
class NumberCounts:
    """A question's histogram of outputs, int64, shape (channel.n_outputs,). `devices`: those that reports can be of.

    `n_waves`: of how many waves the reports are.
    """

    question: str
    kind: Number
    channel: NumberChannel
    epsilon: float
    histogram: NDArray[np.int64]
    devices: Devices
    n_waves: int = 1
    n_figures: ClassVar = 1

    @staticmethod
    def of(tally: Tally, question: Question) -> "NumberCounts":
        """Return what is known of a question. Raises SourceError for one that asks for no numbers."""
        if FIGURES[figure_of(question)].is_by_answer:
            raise SourceError(f"question {question.id} asks for no numbers.")
        kind, mechanism = cast(Number, question.kind), cast(LevelResponse, question.mechanism)
        counts = tally.support_counts[question.id]
        counted = tally.counted(question.id)
        devices, n_waves = Devices.of(counted, tally.survey.max_reports), len(counted.waves)
        channel, epsilon = NumberChannel.of(mechanism), float(question.epsilon)
        return NumberCounts(question.id, kind, channel, epsilon, counts, devices, n_waves)

    @property
    def n_reports(self) -> int:
        """How many reports there are."""
        return sum(self.histogram.tolist())

    def value_at(self, place: Floats | float) -> Floats:
        """Return the number at a place, which is 0 at the minimum and 1 at the maximum."""
        low, high = float(self.kind.minimum), float(self.kind.maximum)
        value: Floats = low + np.asarray(place, np.float64) * (high - low)
        return value

    def value_of(self, step: int) -> float:
        """Return the number that is so many steps above the minimum."""
        return float(self.kind.at(step))

    @property
    def sample(self) -> QuestionCounts:
        """What may contradict the design: each output's count; of two the higher one's."""
        outputs = range(int(self.channel.is_binary), self.channel.n_outputs)
        labels = [f"output {output}" for output in outputs]
        channels, counts = self.channel.of_outputs()[outputs.start :], self.histogram[outputs.start :].tolist()
        return QuestionCounts(self.question, labels, counts, channels[0], channels=channels)


def number_counts(tally: Tally, question: Question) -> list[NumberCounts]:
    """Return what a question's mean is estimated of."""
    return [NumberCounts.of(tally, question)]
