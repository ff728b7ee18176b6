"""People: what is true of them, what they say, who answers on which device, and who is gone."""

import numpy as np
from numpy.typing import NDArray

from sotto_rehearsal.simulation.answers import Encoded
from sotto_rehearsal.simulation.question_truth import QuestionTruth
from sotto_rehearsal.simulation.truth import Truth

Mask = NDArray[np.bool_]


class SimulatedPeople:
    """So many people. `answers`: what is true of them now, question by question; `are_here`: who sends reports."""

    def __init__(self, truth: Truth, n_people: int, randomness: np.random.Generator) -> None:
        self._truth, self._n, self._draws = truth, n_people, randomness
        self._are_liars = self._some(truth.trouble.liars)
        self._lies: list[Encoded] = []
        self.answers: list[Encoded] = []
        self.are_here = np.ones(n_people, np.bool_)

    def owners(self) -> tuple[NDArray[np.intp], Mask]:
        """Return the person of each device, and whether that is this person's first one, both of shape (n_devices,)."""
        trouble = self._truth.trouble
        n_each = np.where(self._some(trouble.duplicated), trouble.devices, 1)
        owners = np.repeat(np.arange(self._n), n_each)
        is_first = np.ones(len(owners), np.bool_)
        is_first[1:] = owners[1:] != owners[:-1]
        return owners, is_first

    def think(self, wave: int) -> None:
        """Have everybody know the answers before a wave: the same as before, or new ones; some leave for theirs."""
        if wave == 1:
            self.answers = [of.answers.draw(self._n, self._draws) for of in self._truth.questions]
            self._lies = [self._lie(of) for of in self._truth.questions] if self._truth.trouble.liars else []
        elif self._truth.trouble.change:
            are_new = self._some(self._truth.trouble.change)
            for of, answers in zip(self._truth.questions, self.answers, strict=True):
                answers[are_new] = of.later.draw(int(are_new.sum()), self._draws)
        for of, answers in zip(self._truth.questions, self.answers, strict=True):
            if of.leaving:
                self.are_here &= self._draws.random(self._n) >= of.answers.chances(answers, of.leaving)

    def say(self) -> list[Encoded]:
        """Return what everybody answers: the truth, but for liars, who say the same in every wave."""
        if not self._lies:
            return self.answers
        told = []
        for true, lie in zip(self.answers, self._lies, strict=True):
            said = true.copy()
            said[self._are_liars] = lie
            told.append(said)
        return told

    def _lie(self, of: QuestionTruth) -> Encoded:
        n_liars = int(self._are_liars.sum())
        if of.desired is not None:
            return np.repeat(of.desired, n_liars, axis=0)
        return (of.lies or of.at_random).draw(n_liars, self._draws)

    def _some(self, share: float) -> Mask:
        """Return of each person whether this happens to them."""
        return self._draws.random(self._n) < share if share else np.zeros(self._n, np.bool_)
