"""A survey, rehearsed by one call."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import Survey
from sotto_rehearsal.simulation.crowd import Task
from sotto_rehearsal.simulation.errors import SimulationError
from sotto_rehearsal.simulation.summary import Simulation, simulate_runs
from sotto_rehearsal.simulation.truth import Truth, read_people


def simulate(
    survey: Survey,
    n: int,
    *,
    truth: Truth | Path | str | None = None,
    runs: int = 200,
    waves: int | None = None,
    wave: int | None = None,
    seed: int | None = None,
    options: IntervalOptions | None = None,
    progress: Callable[[int], object] = lambda _: None,
    **trouble: Any,
) -> Simulation:
    """Return how well a survey does on n made-up people, over `runs` runs, and what goes wrong.

    `truth` is what people answer, or the path of a truth.toml. By default all answers are equally common. `waves` is
    the number of waves, by default the survey's. `wave` estimates one of them, else all are pooled. `trouble` has
    members of `Trouble`, which replace the truth's. `progress` is called with the number of people so far. Raises
    SimulationError, DomainError.
    """
    if n < 2 or runs < 1:
        raise SimulationError(f"n ({n}) must be 2 or more, and runs ({runs}) 1 or more.")
    n_waves = survey.waves if waves is None else waves
    for name, number, most in (("waves", n_waves, survey.waves), ("wave", 1 if wave is None else wave, n_waves)):
        if not 1 <= number <= most:
            raise SimulationError(f"{name} ({number}) must be from 1 to {most}: there are no more waves.")
    people = truth if isinstance(truth, Truth) else read_people(None if truth is None else Path(truth), survey)
    people = replace(people, trouble=people.trouble.replaced_by(trouble))
    options = (options or IntervalOptions()).of(survey)
    task = Task(survey, people, n, n_waves, options.about == "respondents", wave)
    return simulate_runs(task, options, runs, seed, progress)
