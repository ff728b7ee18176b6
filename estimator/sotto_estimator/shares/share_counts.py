"""What shares are estimated of: the counts of a question, or of an option of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sotto_estimator.channel.channel import Channel
from sotto_estimator.channel.devices import Devices
from sotto_estimator.inference.registry import scores_of, share_channel
from sotto_estimator.intervals.contradiction import QuestionCounts
from sotto_protocol import Question, Tally
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_protocol.questions.one_of import Scores


@dataclass(frozen=True, slots=True)
class ShareCounts:
    """One question's counts, from a tally or typed in, or those of one option, where each is asked of others.

    `scores`: of the labels, where they have any. `fakes`: the percent of these reports that are fake if 1 % of all
    reports to the question are. It is 1 unless fakes can choose the option that they are asked. `mechanism`: that of a
    survey's question.
    """

    question: str
    labels: Sequence[str]
    support_counts: Sequence[int]
    channel: Channel
    epsilon: float
    sums_to_one: bool
    n_reports: int
    devices: Devices
    n_true: tuple[int, int] | None = None
    fakes: float = 1
    mechanism: PureMechanism | None = None
    is_derived: bool = False
    scores: Scores = ()

    @property
    def n_figures(self) -> int:
        """How many shares there are, and a mean score where options have scores."""
        return len(self.labels) + bool(self.scores)

    @property
    def sample(self) -> QuestionCounts:
        """What the counts are held against the design by."""
        if self.is_derived:
            return QuestionCounts(self.question, (), (), self.channel)
        of = self.question, self.labels, self.support_counts, self.channel, self.n_true
        return QuestionCounts(*of, names_one=self._names_one)

    @property
    def _names_one(self) -> bool:
        """Whether each report names one label, and is of a device of its own."""
        return self.mechanism is not None and self.mechanism.names_one and self.devices.n_waves == 1


def share_counts(tally: Tally, question: Question) -> list[ShareCounts]:
    """Return the counts of a question of shares: in one, or where each option is asked of others, one of each."""
    mechanism, of_question = cast(PureMechanism, question.mechanism), tally.counted(question.id)
    counts, epsilon = tally.support_counts[question.id].tolist(), float(question.epsilon)
    channel = share_channel(mechanism)
    if tally.survey.max_reports > 1 and not tally.survey.keeps_noise:
        channel = channel.fresh
    if mechanism.asks_some:
        return [
            _asked(question, label, n_yes, channel, n, of_question, tally.survey.max_reports)
            for label, (n, n_yes) in zip(question.labels, counts, strict=True)
        ]
    n_true = mechanism.n_true if mechanism.n_values > 1 else None
    about = (of_question.n_reports, Devices.of(of_question, tally.survey.max_reports), n_true)
    named = (question.id, question.labels, counts, channel, epsilon, mechanism.sums_to_one)
    return [ShareCounts(*named, *about, mechanism=mechanism, scores=scores_of(question))]


def _asked(
    question: Question, label: str, n_yes: int, channel: Channel, n: int, of_question: Counted, most: int
) -> ShareCounts:
    """Return the counts of an option that n reports ask; of several waves it is not known of which they are."""
    of_option = of_question if n == of_question.n_reports else Counted.unsplit(n, of_question.waves)
    fakes = of_question.n_reports / max(n, 1)
    epsilon, devices = float(question.epsilon), Devices.of(of_option, most)
    return ShareCounts(question.id, (label,), (n_yes,), channel, epsilon, False, n, devices, fakes=fakes)
