"""From a survey's packed reports to the joint table of two or three of its questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sotto_estimator.association.axes import Candidates, TableAxis, read_sides
from sotto_estimator.association.conditional import ConditionalShare
from sotto_estimator.association.contradicted import misfits_of_reports
from sotto_estimator.association.groups import grouped_reports, that_answer
from sotto_estimator.association.independence import IndependenceTest
from sotto_estimator.association.merged import Merged
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.group_misfit import GroupMisfit, alarms_of
from sotto_estimator.likelihood.em import MAX_ITERATIONS, MixtureFit, fit
from sotto_estimator.likelihood.latent_classes import Floats, Mixture
from sotto_estimator.likelihood.standard_errors import standard_errors
from sotto_estimator.results.result import Result
from sotto_estimator.sources.selection import Selection
from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.words import counted

MAX_CELLS = 250_000
_SURE_MISFIT = 1.5


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of answers. `share` is at least 0, and so is not unbiased; [low, high] lies in [0, 1].

    All are None where the counts contradict the design.
    """

    answers: tuple[str, ...]
    share: float | None
    standard_error: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Convergence:
    """How the shares were found: no others have a log-likelihood that is larger by more than `gap`.

    None: none were looked for.
    """

    converged: bool
    n_iterations: int
    gap: float | None


@dataclass(frozen=True, slots=True)
class Association(Result):
    """The joint distribution of questions' answers. `marginals`: the fits of each question by itself, as cells.

    `chosen`: whose reports these are. `contradictions`: of questions whose counts honest reports hardly ever give: then
    nothing is fitted, and shares and test are None. `conditionals`: of two items that were asked together.
    """

    title: str
    questions: tuple[str, ...]
    n_reports: int
    epsilon: float
    level: float
    cells: tuple[Cell, ...]
    marginals: tuple[tuple[Cell, ...], ...]
    independence: IndependenceTest
    convergence: Convergence
    warnings: tuple[str, ...]
    chosen: Selection = field(default_factory=Selection)
    contradictions: tuple[GroupMisfit, ...] = ()
    conditionals: tuple[ConditionalShare, ...] = ()

    def __str__(self) -> str:
        """Return one line: title, questions and reports."""
        return f"{self.title}: {' and '.join(self.questions)}, n = {counted(self.n_reports, 'report')}"

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the fit, or the reports."""
        return (*alarms_of(self.contradictions), *self.warnings)


def associate(
    survey: Survey,
    records: Bytes,
    questions: Sequence[str],
    candidates: Candidates | None = None,
    *,
    level: float = 0.95,
    max_iterations: int = MAX_ITERATIONS,
) -> Association:
    """Return the joint table of two or three questions, with intervals at a level in (0, 1) and a test.

    `records`: packed reports of one wave, shape (n, layout.n_bytes). `questions`: ids; QUESTION:OPTION for one option
    of an any-of question. `candidates`: the strings of each text question that is asked for. Raises DomainError, and
    SourceError where the reports do not fit, are of several waves, or cannot tell categories apart; ReportError for one
    that cannot be.
    """
    sides = read_sides(survey, questions, candidates or {})
    if not 0 < level < 1:
        raise DomainError(f"level ({level}) must be in (0, 1).")
    n_cells = prod(len(side.labels) for side in sides)
    if n_cells > MAX_CELLS:
        raise DomainError(f"questions make a table of {n_cells:,} cells; it must have at most {MAX_CELLS:,}.")
    if void := misfits_of_reports(survey, records, sides):
        return _nothing(survey, len(that_answer(survey, records, sides)), sides, level, void)
    parts, counts = grouped_reports(survey, records, sides)
    merged = Merged.of(sides)
    by_side = [Mixture((side.likelihood(part),), counts) for side, part in zip(sides, parts, strict=True)]
    alone = [fit(one, max_iterations=max_iterations) for one in by_side]
    mixture = Mixture(merged.likelihoods(parts), counts)
    joint = fit(mixture, max_iterations=max_iterations)
    inflation, warnings = _misfits(sides, parts, counts, alone)
    deviate = float(ndtri(0.5 + level / 2))
    errors = merged.unfold(standard_errors(mixture, joint, merged.fits(alone, mixture))) * inflation
    marginals = tuple(
        _cells([side], fitted.shares, standard_errors(one, fitted, [fitted]) * inflation, deviate)
        for side, one, fitted in zip(sides, by_side, alone, strict=True)
    )
    return Association(
        survey.title,
        tuple(side.name for side in sides),
        int(counts.sum()),
        _epsilon_of(sides),
        level,
        _cells(sides, merged.unfold(joint.shares), errors, deviate),
        marginals,
        merged.check(mixture, joint, alone, parts),
        Convergence(all(one.converged for one in [joint, *alone]), joint.n_iterations, joint.gap),
        (*_unconverged([joint, *alone]), *warnings),
        conditionals=merged.conditionals(parts, counts, joint.shares, level),
    )


def _epsilon_of(sides: Sequence[TableAxis]) -> float:
    return float(sum({side.question.id: side.question.epsilon for side in sides}.values()))


def _nothing(
    survey: Survey, n: int, sides: Sequence[TableAxis], level: float, void: tuple[GroupMisfit, ...]
) -> Association:
    """Return what is known of reports that contradict the design: nothing."""

    def cells(of: Sequence[TableAxis]) -> tuple[Cell, ...]:
        return tuple(Cell(answers, None, None, None, None) for answers in product(*(side.labels for side in of)))

    return Association(
        survey.title,
        tuple(side.name for side in sides),
        n,
        _epsilon_of(sides),
        level,
        cells(sides),
        tuple(cells([side]) for side in sides),
        IndependenceTest(None, None, None, None),
        Convergence(False, 0, None),
        (),
        contradictions=void,
    )


def _misfits(
    sides: Sequence[TableAxis], parts: Sequence[Bytes], counts: NDArray[np.int64], alone: Sequence[MixtureFit]
) -> tuple[float, list[str]]:
    """Return the factor by which strings that are on no list widen the errors, and what to say of it."""
    largest, warnings = 1.0, []
    for side, part, one in zip(sides, parts, alone, strict=True):
        ratio = side.misfit(part, counts, one.shares)
        if ratio is None:
            continue
        largest = max(largest, ratio**0.5)
        if ratio > _SURE_MISFIT:
            warnings.append(
                f"the bits of {side.name} vary {ratio:.1f} times as much as noise: some common strings are not "
                "among its candidates. Errors are widened for it; add the strings."
            )
    return largest, warnings


def _unconverged(fits: Sequence[MixtureFit]) -> list[str]:
    worst = max(fits, key=lambda one: one.gap)
    if all(one.converged for one in fits):
        return []
    return [
        f"not converged after {worst.n_iterations} iterations: the log-likelihood may be up to {worst.gap:.3g} below "
        "its maximum; shares, intervals and the likelihood ratio are not final."
    ]


def _cells(sides: Sequence[TableAxis], shares: Floats, errors: Floats, deviate: float) -> tuple[Cell, ...]:
    low, high = (shares - deviate * errors).clip(0, 1), (shares + deviate * errors).clip(0, 1)
    numbers = np.stack([shares, errors, low, high], axis=-1).reshape(-1, 4).tolist()
    answers = product(*(side.labels for side in sides))
    return tuple(Cell(labels, *row) for labels, row in zip(answers, numbers, strict=True))
