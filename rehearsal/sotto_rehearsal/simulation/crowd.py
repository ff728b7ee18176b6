"""A crowd: made-up people, their devices, and the tallies of what these report, wave by wave."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from sotto_estimator.inference.marginal import Marginal
from sotto_estimator.inference.registry import inference_of
from sotto_protocol import Question, Survey, Tally
from sotto_protocol.drawn import Drawn, draw_questions, draw_waves
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import HEAD, WAVE
from sotto_rehearsal.simulation.answers import Encoded, Floats
from sotto_rehearsal.simulation.devices import Devices
from sotto_rehearsal.simulation.fakes import clever_reports, clumsy_reports
from sotto_rehearsal.simulation.people import SimulatedPeople
from sotto_rehearsal.simulation.randomness import Randomness
from sotto_rehearsal.simulation.together import sums_by_answer
from sotto_rehearsal.simulation.truth import Truth

MOST_PER_CHUNK = 2**16
"""So many people are worked on at once, at the most, and fewer where their answers and reports are long."""
_CHUNK_BYTES = 2**26
_ENCODED_BYTES = 8


@dataclass(frozen=True)
class Task:
    """What a run does: of which survey and which truth, with how many people, in how many waves.

    `is_about_respondents`: what is true of those whose reports are counted is added up, too. `wave`: the one that is
    estimated, None: all, pooled; but of a sketch the last alone, as `sotto decode` pools none.
    """

    survey: Survey
    truth: Truth
    n_people: int
    n_waves: int
    is_about_respondents: bool
    wave: int | None = None

    def waves_of(self, question: Question) -> list[int]:
        """Return the waves whose reports a question's estimates are of."""
        if self.wave:
            return [self.wave]
        pools = inference_of(question.mechanism).pools_waves or self.survey.max_reports == 1
        return [*range(1, self.n_waves + 1)] if pools else [self.n_waves]

    @property
    def n_under_one_noise(self) -> int:
        """How many reports of a device may share their permanent noise."""
        return self.n_waves if self.survey.keeps_noise else 1

    @property
    def people_per_chunk(self) -> int:
        """How many people are worked on at once: it bounds memory."""
        mechanisms = [question.mechanism for question in self.survey.questions]
        encoded = sum(mechanism.n_values if mechanism.takes_rows else 1 for mechanism in mechanisms)
        return max(1, min(MOST_PER_CHUNK, _CHUNK_BYTES // (self.survey.layout.n_bytes + _ENCODED_BYTES * encoded)))


@dataclass
class Crowd:
    """What a crowd reported: a tally a wave.

    `sums[i]` adds up what `Answers.expected` of question i is the mean of, over people whose reports are counted, and
    `n_people[i]` how many these are, value by value: zeros, unless the task is about them.
    """

    task: Task
    tallies: dict[int, Tally] = field(default_factory=dict)
    sums: list[Floats] = field(default_factory=list)
    n_people: list[Floats] = field(default_factory=list)

    def __post_init__(self) -> None:
        for totals in (self.sums, self.n_people):
            totals.extend(np.zeros(len(of.answers.expected)) for of in self.task.truth.questions)

    def count(self, wave: int, columns: list[Bytes], drawn: Drawn | None) -> None:
        """Count the reports of a wave, of which these are the questions' parts."""
        survey = self.task.survey
        n_reports = len(columns[0]) if drawn is None else len(drawn)
        numbers = {name: np.full(n_reports, wave if name == WAVE else 1) for name in HEAD}
        records = survey.layout.join(columns, numbers, drawn)  # type: ignore[arg-type]  # arrays are sequences here
        tally = Tally.of(survey, records)
        self.tallies[wave] = self.tallies[wave] + tally if wave in self.tallies else tally

    def add_up(self, index: int, answers: Encoded, group: Bytes) -> None:
        """Add up what is true of people whose reports to a question are counted; `group`: their devices'."""
        of = self.task.truth.questions[index]
        asked = of.question.mechanism.asked_values(group)
        if asked is not None:
            n_labels, options = len(of.answers.labels), asked.ravel()
            chosen = np.take_along_axis(answers, asked, axis=1).ravel()
            self.sums[index] += np.bincount(options, weights=chosen, minlength=n_labels)
            self.n_people[index] += np.bincount(options, minlength=n_labels)
        else:
            self.sums[index] += of.answers.add_up(answers)
            self.n_people[index] += len(answers)

    @property
    def sums_by_question(self) -> dict[str, Floats]:
        """`sums` by the id of a question or of an item."""
        return self._with_items(self.sums)

    @property
    def n_people_by_question(self) -> dict[str, Floats]:
        """`n_people` by the id of a question or of an item: of these, all who answer any combination."""
        found = self._with_items(self.n_people)
        for of in self.task.truth.items:
            marginal = cast(Marginal, of.question)
            n_people = sum(found[joint.id][0] for joint, _ in marginal.places)
            found[marginal.id] = np.full(len(of.labels), n_people)
        return found

    def _with_items(self, totals: list[Floats]) -> dict[str, Floats]:
        truth = self.task.truth
        found = {of.question.id: each for of, each in zip(truth.questions, totals, strict=True)}
        items = {of.question.id: sums_by_answer(cast(Marginal, of.question), found) for of in truth.items}
        return found | items


def send_reports(task: Task, randomness: Randomness, progress: Callable[[int], object] = lambda _: None) -> Crowd:
    """Have all people answer in all waves, and return what is counted. `progress` hears how many are through, in parts.

    Of the people some are fakes, where there are such: their share, rounded.
    """
    crowd, trouble = Crowd(task), task.truth.trouble
    n_clumsy = round(trouble.clumsy_fakes * task.n_people)
    n_clever = min(round(trouble.clever_fakes * task.n_people), task.n_people - n_clumsy)
    sent = [(n_clumsy, _send_noise), (n_clever, _send_for_one), (task.n_people - n_clumsy - n_clever, _send_answers)]
    for n_people, send in sent:
        for start in range(0, n_people, task.people_per_chunk):
            size = min(task.people_per_chunk, n_people - start)
            send(crowd, size, randomness)
            progress(size)
    return crowd


def _send_answers(crowd: Crowd, n_people: int, randomness: Randomness) -> None:
    """Have people answer truthfully, as far as the trouble lets them, in the waves that their devices draw."""
    task = crowd.task
    people = SimulatedPeople(task.truth, n_people, randomness.people)
    owners, is_first = people.owners()
    drawn = _draw(task.survey, len(owners), randomness)
    has = [slice(None) if drawn is None else drawn[:, index] for index in range(len(task.truth.questions))]
    devices = [
        Devices(of.question.mechanism, len(owners[asked]), task.n_under_one_noise, randomness.coins)
        for of, asked in zip(task.truth.questions, has, strict=True)
    ]
    waves = _draw_waves(task, len(owners), randomness)
    for wave in range(1, task.n_waves + 1):
        people.think(wave)
        is_here = people.are_here[owners] & waves[:, wave - 1]
        columns = [
            device.report(said[owners[asked]])[is_here[asked]]
            for device, said, asked in zip(devices, people.say(), has, strict=True)
        ]
        crowd.count(wave, columns, None if drawn is None else drawn[is_here])
        if not task.is_about_respondents:
            continue
        for index, (device, true, asked) in enumerate(zip(devices, people.answers, has, strict=True)):
            if wave in task.waves_of(task.survey.questions[index]):
                counted = (is_here & is_first)[asked]
                crowd.add_up(index, true[owners[asked][counted]], device.group[counted])


def _send_noise(crowd: Crowd, n_fakes: int, randomness: Randomness) -> None:
    _send_fakes(crowd, n_fakes, randomness, clumsy_reports)


def _send_for_one(crowd: Crowd, n_fakes: int, randomness: Randomness) -> None:
    _send_fakes(crowd, n_fakes, randomness, clever_reports)


def _send_fakes(crowd: Crowd, n_fakes: int, randomness: Randomness, make: Callable[..., Bytes]) -> None:
    """Have fakes send reports that no answer produced, new ones in each wave."""
    task = crowd.task
    drawn = _draw(task.survey, n_fakes, randomness)
    waves = _draw_waves(task, n_fakes, randomness)
    for wave in range(1, task.n_waves + 1):
        is_here = waves[:, wave - 1]
        n_here, of_wave = int(is_here.sum()), None if drawn is None else drawn[is_here]
        n_each = [n_here] * len(task.truth.questions) if of_wave is None else of_wave.sum(axis=0).tolist()
        columns = [make(of, n, randomness) for of, n in zip(task.truth.questions, n_each, strict=True)]
        crowd.count(wave, columns, of_wave)


def _draw_waves(task: Task, n_devices: int, randomness: Randomness) -> Drawn:
    """Return in which waves each device is asked, shape (n_devices, waves of the survey)."""
    survey = task.survey
    if not survey.asked_in:
        return np.ones((n_devices, survey.waves), np.bool_)
    return draw_waves(survey.waves, survey.asked_in, randomness.coins, n_devices)


def _draw(survey: Survey, n_devices: int, randomness: Randomness) -> Drawn | None:
    """Draw the questions of each device; None where all are asked."""
    return draw_questions(len(survey.questions), survey.draw, randomness.coins, n_devices) if survey.draw else None
