"""From a survey's packed reports to the joint table of two or three of its questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sotto_estimator.association.em import MAX_ITERATIONS, MixtureFit, fit
from sotto_estimator.association.independence import IndependenceTest, check_independence
from sotto_estimator.association.mixture import Floats, Mixture
from sotto_estimator.association.precision import standard_errors
from sotto_estimator.association.sides import Candidates, Side, read_sides
from sotto_estimator.association.text import misfit
from sotto_estimator.chosen import Chosen
from sotto_estimator.errors import DomainError, SourceError
from sotto_protocol import Survey
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import WAVE

MAX_CELLS = 250_000
_KEY_BYTES = 8  # reports of so many bytes are grouped; of more, few are identical
_SURE_MISFIT = 1.5


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of answers. `share` is at least 0, and so is not unbiased; [low, high] lies in [0, 1]."""

    answers: tuple[str, ...]
    share: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Convergence:
    """How the shares were found: no others have a log-likelihood that is larger by more than `gap`."""

    converged: bool
    n_iterations: int
    gap: float


@dataclass(frozen=True, slots=True)
class Association:
    """The joint distribution of questions' answers. `marginals`: the fits of each question by itself, as cells.

    `chosen`: whose reports these are.
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
    chosen: Chosen = field(default_factory=Chosen)


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
    parts, counts = _group(_columns(survey, records, sides))
    likelihoods = tuple(side.likelihood(part) for side, part in zip(sides, parts, strict=True))
    mixture = Mixture(likelihoods, counts)
    joint = fit(mixture, max_iterations=max_iterations)
    alone = [fit(mixture.marginal(place), max_iterations=max_iterations) for place in range(len(sides))]
    inflation, warnings = _misfits(sides, parts, counts, alone)
    deviate = float(norm.ppf(0.5 + level / 2))
    errors = standard_errors(mixture, joint, alone) * inflation
    marginals = tuple(
        _cells([side], one.shares, standard_errors(mixture.marginal(place), one, [one]) * inflation, deviate)
        for place, (side, one) in enumerate(zip(sides, alone, strict=True))
    )
    return Association(
        survey.title,
        tuple(side.name for side in sides),
        int(counts.sum()),
        float(sum({side.question.id: side.question.epsilon for side in sides}.values())),
        level,
        _cells(sides, joint.shares, errors, deviate),
        marginals,
        check_independence(mixture, joint, alone),
        Convergence(all(one.converged for one in [joint, *alone]), joint.n_iterations, joint.gap),
        (*_unconverged([joint, *alone]), *warnings),
    )


def _columns(survey: Survey, records: Bytes, sides: Sequence[Side]) -> list[Bytes]:
    if not len(records):
        raise SourceError("there are no reports; an association needs at least one.")
    waves = np.unique(survey.layout.numbers(records, WAVE)).tolist()
    if len(waves) > 1:
        raise SourceError(
            f"reports are of {len(waves)} waves, and those of one device depend on one another: choose one wave."
        )
    columns = {question.id: column for question, column in survey.layout.cut(_that_answer(survey, records, sides))}
    return [side.narrow(columns[side.question.id]) for side in sides]


def _that_answer(survey: Survey, records: Bytes, sides: Sequence[Side]) -> Bytes:
    """Return the reports that answer all of the questions: with `draw`, some. Raises SourceError where none does."""
    ids = {side.question.id for side in sides}
    places = [place for place, question in enumerate(survey.questions) if question.id in ids]
    names = " and ".join(survey.questions[place].id for place in places)
    if survey.n_drawn < len(places):
        raise SourceError(
            f"no report answers {names}: draw is {survey.draw}, and a table needs draw = {len(places)} at the least."
        )
    answered: Bytes = records[survey.layout.drawn(records)[:, places].all(axis=1)]
    if not len(answered):
        raise SourceError(f"none of {len(records):,} reports answers {names}: each answers {survey.draw} questions.")
    return answered


def _group(columns: Sequence[Bytes]) -> tuple[list[Bytes], NDArray[np.int64]]:
    """Return one of each group of identical reports, cut into columns again, and how many each group holds."""
    widths = [column.shape[1] for column in columns]
    records = np.concatenate(columns, axis=1)
    if sum(widths) > _KEY_BYTES:
        return list(columns), np.ones(len(records), np.int64)
    keys = np.pad(records, ((0, 0), (0, _KEY_BYTES - sum(widths)))).view(np.uint64).ravel()
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return np.split(records[first], np.cumsum(widths)[:-1], axis=1), counts.astype(np.int64)


def _misfits(
    sides: Sequence[Side], parts: Sequence[Bytes], counts: NDArray[np.int64], alone: Sequence[MixtureFit]
) -> tuple[float, list[str]]:
    """Return the factor by which strings that are on no list widen the errors, and what to say of it."""
    largest, warnings = 1.0, []
    for side, part, one in zip(sides, parts, alone, strict=True):
        if side.candidates is None or not isinstance(side.question.mechanism, BloomResponse):
            continue
        ratio = misfit(side.question.mechanism, part, counts, side.candidates, one.shares)
        largest = max(largest, ratio**0.5)
        if ratio > _SURE_MISFIT:
            warnings.append(
                f"the bits of {side.name} vary {ratio:.1f} times as much as noise: common strings are not among its "
                "candidates; errors are widened, but add the strings."
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


def _cells(sides: Sequence[Side], shares: Floats, errors: Floats, deviate: float) -> tuple[Cell, ...]:
    low, high = (shares - deviate * errors).clip(0, 1), (shares + deviate * errors).clip(0, 1)
    numbers = np.stack([shares, errors, low, high], axis=-1).reshape(-1, 4).tolist()
    answers = product(*(side.labels for side in sides))
    return tuple(Cell(labels, *row) for labels, row in zip(answers, numbers, strict=True))
