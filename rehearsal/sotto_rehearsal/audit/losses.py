"""What reports give away: lower bounds of the realised epsilon, beside those that the survey declares.

All bounds of an audit hold together but with a probability that is given: every test has its equal part of it
(Bonferroni), by how many tests there are, which is fixed by the survey and the made-up answers alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import add_above, float_above
from sotto_rehearsal.audit.bounds import Counts, epsilon_below
from sotto_rehearsal.audit.counting import by_answer, by_value, chosen_by
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.events import features
from sotto_rehearsal.audit.names import Names
from sotto_rehearsal.audit.sample import Sample
from sotto_rehearsal.audit.scores import Features, score_events
from sotto_rehearsal.audit.tried import N_FAR

_SCORES = Names(2, lambda _: "a score of reports")

Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class Loss:
    """What one claim of the survey came to: `lower` is a lower bound of the epsilon that is realised, in nats.

    `question`: its id; empty for all questions together. `n_reports`: how many reports of one device are looked at
    together. `event`: what told answers apart best, with x of n reports under one answer and y of m under another.
    """

    question: str
    n_reports: int
    declared: Decimal
    lower: float
    event: str
    x: int
    n: int
    y: int
    m: int

    @property
    def is_seen(self) -> bool:
        """Whether there are reports of both answers; else nothing was tested."""
        return self.n > 0 and self.m > 0

    @property
    def is_exceeded(self) -> bool:
        """Whether more is given away than is declared."""
        return self.lower > float_above(self.declared)


@dataclass(frozen=True)
class _Claim:
    """What a survey says of an epsilon, and what was counted to see whether it holds; a name for each event."""

    question: str
    n_reports: int
    declared: Decimal
    counts: Counts
    names: Names

    def judge(self, tail: float) -> Loss:
        """Return the largest of the lower bounds."""
        bounds = epsilon_below(self.counts, tail)
        best = int(np.argmax(bounds))
        seen = [int(part[best]) for part in self.counts]
        return Loss(self.question, self.n_reports, self.declared, float(bounds[best]), self.names[best], *seen)


def find_losses(design: Design, sample: Sample, false_alarm: float) -> list[Loss]:
    """Return what each question gives away, by one report and by those of all waves, and all questions together.

    The bounds hold all together but with probability `false_alarm`.
    """
    claims = [*_of_questions(design, sample), *_of_survey(design, sample)]
    n_tests = sum(claim.counts.x.size for claim in claims)
    return [claim.judge(false_alarm / (2 * n_tests)) for claim in claims]


def _of_questions(design: Design, sample: Sample) -> Iterator[_Claim]:
    for index, question in enumerate(design.survey.questions):
        seen = [_compare_outputs(design, sample, index), _compare_values(design, sample, index)]
        scores = score_events(*(sample_features(design, sample, index, far, 1) for far in _far(design, sample, index)))
        counts = Counts.join([*(counts for counts, _ in seen), scores])
        yield _Claim(question.id, 1, question.epsilon, counts, Names.join([*(names for _, names in seen), _SCORES]))
        if design.n_waves > 1:
            n_waves = design.n_waves
            far = _far(design, sample, index)
            together = score_events(*(sample_features(design, sample, index, group, n_waves) for group in far))
            yield _Claim(question.id, n_waves, question.epsilon_of(n_waves), together, _SCORES)


def _of_survey(design: Design, sample: Sample) -> Iterator[_Claim]:
    survey, every = design.survey, range(len(design.survey.questions))
    for n_waves in sorted({1, design.n_waves}):
        groups = [design.profile == far for far in range(N_FAR)]
        features = [
            np.concatenate([sample_features(design, sample, index, group, n_waves) for index in every], axis=1)
            for group in groups
        ]
        epsilons = sorted((question.epsilon_of(n_waves) for question in survey.questions), reverse=True)
        yield _Claim("", n_waves, add_above(*epsilons[: survey.n_drawn]), score_events(*features), _SCORES)


def _far(design: Design, sample: Sample, index: int) -> list[Chosen]:
    """Return the devices that give a question the first answer, and those that give the second."""
    return [chosen_by(design, index, far) & sample.has[:, index] for far in range(N_FAR)]


def sample_features(design: Design, sample: Sample, index: int, chosen: Chosen, n_waves: int) -> Features:
    """Return the features of so many waves' reports of one question, side by side; zeros where it was not drawn."""
    question, answers, has = design.survey.questions[index], design.answers[index], sample.has[chosen, index][:, None]
    waves = [features(question, answers, sample.waves[wave][index][chosen]) * has for wave in range(n_waves)]
    return np.concatenate([*waves, has], axis=1, dtype=np.float32)


def _compare_outputs(design: Design, sample: Sample, index: int) -> tuple[Counts, Names]:
    """Count every event of reports under the answers that are compared in pairs, both ways."""
    pairs = [*combinations(by_answer(design, sample, index), 2)]
    counts = Counts.join([Counts.of(one.x, one.n, other.x, other.n).both_ways() for one, other in pairs])
    return counts, Names.join(len(pairs) * [pairs[0][0].names.both_ways()])


def _compare_values(design: Design, sample: Sample, index: int) -> tuple[Counts, Names]:
    """Count, for every value, the reports that support it, of those whose answer it is and of all others; both ways."""
    counted = by_value(design, sample, index)
    if counted is None:
        return Counts.of([], [], [], []), Names.of([])
    true, other = counted
    return Counts.of(true.x, true.n, other.x, other.n).both_ways(), true.names.both_ways()
