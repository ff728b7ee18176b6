"""Who knows what of a question: its devices' reports, a trusted curator's noise, and answers in the clear."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_rehearsal.comparison.draws import EXPONENTIAL, PERMUTE_AND_FLIP, add_noise, name_options
from sotto_rehearsal.comparison.named import Named
from sotto_rehearsal.comparison.naming import exponential_mechanism, in_the_clear, permute_and_flip
from sotto_rehearsal.comparison.noise import Noise, Sensitivity, calibrated
from sotto_rehearsal.comparison.people import Numbers
from sotto_rehearsal.comparison.reports import report_estimates, runs_within
from sotto_rehearsal.comparison.subject import Subject

CLEAR = "in the clear"
_NAMING: dict[str, Callable[[Floats, float], Floats]] = {
    EXPONENTIAL: exponential_mechanism,
    PERMUTE_AND_FLIP: permute_and_flip,
}


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one who asks a question knows. `epsilon` in nats and `delta` are None in the clear.

    Deviations and half-widths are shares, or in a number's unit. `noise`: the standard deviation of what privacy adds;
    `deviation`: with that of who was asked, where intervals are about a population; `simulated`: in n_runs. All None of
    what only names the most common option: `named`, how often the right one, on average over crowds that are drawn,
    with the standard error `named_error` of that, and `simulated_named`. `n_needed`: of devices, as many respondents as
    tell as much as a curator's Laplace noise on those that there are.
    """

    question: str
    by: str
    epsilon: float | None
    delta: float | None
    n_reports: int
    n_runs: int = 0
    noise: float | None = None
    deviation: float | None = None
    simulated: float | None = None
    half_width: float | None = None
    named: float | None = None
    named_error: float | None = None
    simulated_named: float | None = None
    n_needed: int | None = None


@dataclass(frozen=True)
class Trial:
    """A question's people, crowd after crowd, shape (m, k), of which n_runs are simulated.

    `can_draw`: whether curators are too, which takes OpenDP.
    """

    subject: Subject
    crowds: Numbers
    n_runs: int
    can_draw: bool

    @staticmethod
    def of(subject: Subject, n_runs: int, generator: np.random.Generator, *, can_draw: bool) -> "Trial":
        """Draw the people."""
        crowds = subject.people.draw(subject.n, n_runs, subject.options.about, generator)
        return Trial(subject, crowds, n_runs, can_draw)

    def compare(self, delta: float, generator: np.random.Generator) -> list[Knowledge]:
        """Return what is known by devices' reports, by curators, and in the clear, theory beside simulation."""
        subject = self.subject
        noises = calibrated(float(subject.question.epsilon), delta, Sensitivity.of(subject.question))
        curators = [self._by_curator(noise) for noise in noises]
        n_needed = subject.devices_needed((curators[0].half_width or 0.0) / subject.size)
        devices = replace(self._by_devices(generator), n_needed=n_needed)
        named = Named(subject)
        return [devices, *curators, *(self._naming(named) if subject.has_names else ()), self._clear(named)]

    def _by_devices(self, generator: np.random.Generator) -> Knowledge:
        subject, question = self.subject, self.subject.question
        n_runs = runs_within(subject, self.n_runs)
        estimates = np.array([report_estimates(subject, crowd) for crowd in self.crowds[:n_runs]])
        # About these respondents nothing is said where each is asked some options: they are not all of them.
        is_of_others = question.mechanism.asks_some and subject.about_respondents
        named = None
        if subject.has_names and n_runs:  # ties fall as they may
            named = float(
                subject.is_right[(estimates + 1e-9 * generator.random(estimates.shape)).argmax(axis=-1)].mean()
            )
        return Knowledge(
            question.id,
            f"devices, {question.mechanism.name}",
            float(question.epsilon),
            0.0,
            subject.n_asked,
            n_runs,
            noise=subject.size * subject.local_deviation("respondents"),
            deviation=subject.size * subject.local_deviation(subject.options.about),
            simulated=self._error(estimates[:, subject.label]) if n_runs and not is_of_others else None,
            half_width=subject.size * subject.local_half_width(),
            simulated_named=named,
        )

    def _by_curator(self, noise: Noise) -> Knowledge:
        """Return what a curator knows of this noise on counts; the interval is a union bound of noise and crowd."""
        subject, n_runs = self.subject, self.n_runs * self.can_draw
        n_counts = subject.n * subject.span
        counts = np.rint(subject.of_people(self.crowds[:n_runs]) * n_counts)
        deviation = noise.deviation / n_counts
        sides = 1 if subject.about_respondents else 2
        width = subject.clear_half_width(sides) + noise.half_width(subject.beta / sides) / n_counts
        return Knowledge(
            subject.question.id,
            f"curator, {noise.name}",
            float(subject.question.epsilon),
            noise.delta,
            subject.n,
            n_runs,
            noise=subject.size * deviation,
            deviation=subject.size * math.hypot(deviation, subject.sampling_deviation),
            simulated=self._error(add_noise(noise, counts) / n_counts) if n_runs else None,
            half_width=subject.size * width,
        )

    def _naming(self, of: Named) -> Iterator[Knowledge]:
        subject, n_runs = self.subject, self.n_runs * self.can_draw
        epsilon = float(subject.question.epsilon)
        counts = subject.count_labels(self.crowds)
        for name, mechanism in _NAMING.items():
            named = subject.is_right[name_options(name, epsilon, counts[:n_runs])].mean() if n_runs else None
            right, error = of.right(mechanism, epsilon)
            yield Knowledge(
                subject.question.id,
                f"curator, {name}",
                epsilon,
                0.0,
                subject.n,
                n_runs,
                named=right,
                named_error=error,
                simulated_named=None if named is None else float(named),
            )

    def _clear(self, of: Named) -> Knowledge:
        subject = self.subject
        right, error = of.right(in_the_clear, 0.0) if subject.has_names else (None, None)
        return Knowledge(
            subject.question.id,
            CLEAR,
            None,
            None,
            subject.n,
            noise=0.0,
            deviation=subject.size * subject.sampling_deviation,
            half_width=subject.size * subject.clear_half_width(),
            named=right,
            named_error=error,
        )

    def _error(self, estimates: Floats | Sequence[float]) -> float:
        """Return the root mean square of the runs' errors: about their own people, or the population."""
        subject = self.subject
        truths = (
            subject.of_people(self.crowds) if subject.about_respondents else np.full(len(self.crowds), subject.value)
        )
        return float(subject.size * np.sqrt(np.mean(np.square(estimates - truths[: len(estimates)]))))
