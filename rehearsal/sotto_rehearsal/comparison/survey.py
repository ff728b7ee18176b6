"""A survey, compared by one call."""

from collections.abc import Callable
from pathlib import Path

from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import Survey
from sotto_rehearsal.comparison.comparison import Comparison, Study, compare_survey
from sotto_rehearsal.comparison.domains import check_delta, usual_delta
from sotto_rehearsal.comparison.draws import has_opendp
from sotto_rehearsal.simulation.truth import Truth, read_people

USUAL_RUNS = 200
USUAL_SHARE = 0.5


def compare(
    survey: Survey,
    n: int,
    *,
    delta: float | None = None,
    truth: Truth | Path | str | None = None,
    share: float = USUAL_SHARE,
    runs: int = USUAL_RUNS,
    batch: int | None = None,
    options: IntervalOptions | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> Comparison:
    """Return what n devices' reports tell beside a trusted curator, what epsilons add up to, and what shuffling hides.

    `delta` is by default 1e-6, or n^-1.1 if that is less. `truth` is what people answer, or the path of a truth.toml.
    Without it, `share` is the share of yes. Then k options have shares as k to k - 1 .. to 1. `runs` is the number of
    simulations, 0 for none. Simulated curators need OpenDP. `batch` is how many reports the relay of an
    oblivious survey mixes at a time. Then the row says what one batch hides. `progress` is called after each question.
    Raises DomainError, SimulationError.
    """
    if n < 2 or not 0 <= share <= 1 or runs < 0:
        raise DomainError(f"n ({n}) must be 2 or more, share ({share}) in [0, 1], and runs ({runs}) 0 or more.")
    if batch is not None and (not survey.is_oblivious or not 2 <= batch <= n):
        raise DomainError(f'batch ({batch}) must be in [2, n], and goes with delivery = "oblivious" alone.')
    people = read_people(Path(truth), survey) if isinstance(truth, Path | str) else truth
    delta = usual_delta(n) if delta is None else check_delta(delta)
    study = Study(n, delta, share, runs, (options or IntervalOptions()).of(survey), people, batch)
    return compare_survey(survey, study, can_draw=has_opendp(), progress=progress)
