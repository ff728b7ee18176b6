"""The games behind named designs: what respondents report under each answer, of exact probabilities."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from sotto_estimator.designs.design import YES_NO, Block, Design
from sotto_estimator.designs.misclassification import read_matrix
from sotto_estimator.designs.parameters import LEAST_VARIANCE, LONG, PAPER, SHORT, Row, written
from sotto_estimator.errors import DomainError

_ONE = Fraction(1)
_MOST_ITEMS = 20
"""Of more items, a bound over all that people may count takes long."""


def _design(
    name: str, answers: Sequence[str], reports: Sequence[str], rows: Sequence[Row], scores: Row = (), **more: Any
) -> Design:
    """Return a design of exact probabilities, each rounded once."""
    matrix = np.array([[float(prob) for prob in row] for row in rows])
    return Design(name, tuple(answers), tuple(reports), matrix, scores=tuple(map(float, scores)), **more)


def _binary(name: str, yes: Row, answers: Sequence[str] = YES_NO, reports: Sequence[str] = YES_NO) -> Design:
    """Return a design of two reports by the probabilities of the first one."""
    return _design(name, answers, reports, [yes, tuple(_ONE - prob for prob in yes)])


def _numbered(n: int) -> tuple[str, ...]:
    return YES_NO if n == 2 else tuple(str(number) for number in range(1, n + 1))


def direct(n_answers: int = 2) -> tuple[Design, ...]:
    labels = _numbered(n_answers)
    rows = [tuple(Fraction(int(report == answer)) for answer in labels) for report in labels]
    return (_design("direct", labels, labels, rows),)


def warner(prob_statement: Fraction) -> tuple[Design, ...]:
    return (_binary("warner", (prob_statement, 1 - prob_statement)),)


def crosswise(prob_innocuous: Fraction) -> tuple[Design, ...]:
    return (_binary("crosswise", (prob_innocuous, 1 - prob_innocuous), reports=("same", "different")),)


def extended_crosswise(prob_innocuous: Fraction) -> tuple[Design, ...]:
    return _of_opposites(crosswise, prob_innocuous)


def extended_triangular(prob_innocuous: Fraction) -> tuple[Design, ...]:
    return _of_opposites(triangular, prob_innocuous)


def _of_opposites(make: Callable[[Fraction], tuple[Design, ...]], prob: Fraction) -> tuple[Design, ...]:
    """Return two samples, whose innocuous questions have opposite probabilities."""
    return tuple(replace(make(of)[0], parameters={"prob_innocuous": written(of)}) for of in (prob, 1 - prob))


def triangular(prob_innocuous: Fraction) -> tuple[Design, ...]:
    return (_binary("triangular", (_ONE, prob_innocuous), reports=("one or both", "neither")),)


def forced(prob_forced_yes: Fraction, prob_forced_no: Fraction) -> tuple[Design, ...]:
    if prob_forced_yes + prob_forced_no >= 1:
        raise DomainError("prob_forced_yes and prob_forced_no must add up to less than 1: the rest tell the truth.")
    return (_binary("forced", (1 - prob_forced_no, prob_forced_yes)),)


def forced_categories(prob_forced: Row) -> tuple[Design, ...]:
    truth = 1 - sum(prob_forced)
    if truth <= 0 or len(prob_forced) < 2:
        raise DomainError(
            "prob_forced must be of two answers or more and add up to less than 1: the rest tell the truth."
        )
    labels, n = _numbered(len(prob_forced)), range(len(prob_forced))
    rows = [tuple(prob + truth * (report == answer) for answer in n) for report, prob in enumerate(prob_forced)]
    return (_design("forced-categories", labels, labels, rows),)


def kary(n_answers: int, prob_truth: Fraction) -> tuple[Design, ...]:
    if n_answers < 2:
        raise DomainError(f"n_answers ({n_answers}) must be >= 2.")
    labels, other = _numbered(n_answers), (1 - prob_truth) / (n_answers - 1)
    rows = [tuple(prob_truth if report == answer else other for answer in labels) for report in labels]
    return (_design("k-ary", labels, labels, rows),)


def unrelated(prob_question: Fraction, prevalence: Fraction | None = None) -> tuple[Design, ...]:
    rest = 1 - prob_question
    if prevalence is not None:
        return (_binary("unrelated", (prob_question + rest * prevalence, rest * prevalence)),)
    columns = ("yes", "yes", "no", "no")  # the second of each pair: whose answer to the unrelated question is no
    return (_binary("unrelated", (_ONE, prob_question, rest, Fraction(0)), columns),)


def mangat(prob_statement: Fraction) -> tuple[Design, ...]:
    return (_binary("mangat", (_ONE, 1 - prob_statement)),)


def mangat_singh(prob_truth: Fraction, prob_statement: Fraction) -> tuple[Design, ...]:
    rest = 1 - prob_truth
    return (_binary("mangat-singh", (prob_truth + rest * prob_statement, rest * (1 - prob_statement))),)


def mangat_unrelated(prob_truth: Fraction, prob_question: Fraction, prevalence: Fraction) -> tuple[Design, ...]:
    lure = (1 - prob_truth) * (1 - prob_question) * prevalence
    return (_binary("mangat-unrelated", (prob_truth + (1 - prob_truth) * prob_question + lure, lure)),)


def mangat_singh_singh(prob_question: Fraction, prevalence: Fraction) -> tuple[Design, ...]:
    return (_binary("mangat-singh-singh", (_ONE, (1 - prob_question) * prevalence)),)


def devore(prob_question: Fraction) -> tuple[Design, ...]:
    return (_binary("devore", (_ONE, 1 - prob_question)),)


def singh_joarder(prob_statement: Fraction) -> tuple[Design, ...]:
    return (_binary("singh-joarder", (prob_statement * (2 - prob_statement), 1 - prob_statement)),)


def kuk(
    prob_red_if_yes: Fraction, prob_red_if_no: Fraction, n_draws: int = 1, estimator: str = LEAST_VARIANCE
) -> tuple[Design, ...]:
    decks = (prob_red_if_yes, prob_red_if_no)
    rows = [
        tuple(comb(n_draws, n_red) * red**n_red * (1 - red) ** (n_draws - n_red) for red in decks)
        for n_red in range(n_draws + 1)
    ]
    reports = [f"{n_red} red" for n_red in range(n_draws + 1)] if n_draws > 1 else ["other", "red"]
    numbers = tuple(Fraction(n_red, n_draws) for n_red in range(n_draws + 1))
    design = _design("kuk", YES_NO, reports, rows, _by_mean("kuk", numbers, rows) if estimator == PAPER else ())
    return (replace(design, yes_report=int(n_draws == 1)),)


def _by_mean(name: str, numbers: Row, rows: Sequence[Row]) -> Row:
    """Return the scores of reports that are numbers, whose mean is 1 under yes and 0 under no. Raises DomainError."""
    yes, no = (sum(number * row[answer] for number, row in zip(numbers, rows, strict=True)) for answer in (0, 1))
    if yes == no:
        raise DomainError(
            f"{name}: the mean report is the same under yes and no, so estimator={PAPER} cannot estimate. "
            f"Use the default, estimator={LEAST_VARIANCE}."
        )
    return tuple((number - no) / (yes - no) for number in numbers)


def christofides(prob_marks: Row, estimator: str = LEAST_VARIANCE) -> tuple[Design, ...]:
    rows = list(zip(reversed(prob_marks), prob_marks, strict=True))
    marks = tuple(map(Fraction, range(1, len(rows) + 1)))
    scores = _by_mean("christofides", marks, rows) if estimator == PAPER else ()
    return (_design("christofides", YES_NO, [f"{mark}" for mark in marks], rows, scores),)


def disguised(prob_card: Fraction) -> tuple[Design, ...]:
    return (_binary("disguised", (prob_card, 1 - prob_card)),)


def block_garbling(block_size: int, n_forced: int) -> tuple[Design, ...]:
    if not n_forced < block_size:
        raise DomainError(f"n_forced ({n_forced}) must be below block_size ({block_size}): the rest tell the truth.")
    design = _binary("block-garbling", (_ONE, Fraction(n_forced, block_size)))
    return (replace(design, block=Block(block_size, n_forced)),)


def item_count(n_items: int, kind: str = "") -> tuple[Design, ...]:
    if n_items > _MOST_ITEMS:
        raise DomainError(f"n_items ({n_items}) must be at most {_MOST_ITEMS}.")
    return tuple(_item_list(n_items, of) for of in ([kind] if kind else [SHORT, LONG]))


def _item_list(n_items: int, kind: str) -> Design:
    """Return one list; a column for each answer and number of other items that are true."""
    columns = [(is_yes, n_true) for is_yes in (1, 0) for n_true in range(n_items + 1)]
    reports, is_long = range(n_items + 1 + (kind == LONG)), int(kind == LONG)
    rows = [tuple(Fraction(n_true + is_yes * is_long == of) for is_yes, n_true in columns) for of in reports]
    answers, said = [YES_NO[1 - is_yes] for is_yes, _ in columns], {"n_items": str(n_items), "kind": kind}
    other = SHORT if is_long else LONG
    beside = f"the counts of the {other} list: item-count(n_items={n_items}, kind={other})"
    return _design("item-count", answers, list(map(str, reports)), rows, parameters=said, beside=beside)


def cheating(prob_forced_yes: Fraction) -> tuple[Design, ...]:
    return (_binary("cheating-detection", (_ONE, prob_forced_yes, Fraction(0)), ("yes", "no", "cheats")),)


def matrix(rows: tuple[Row, ...] = (), file: str = "") -> tuple[Design, ...]:
    if bool(rows) == bool(file):
        raise DomainError("matrix must be given its rows or its file, one of the two.")
    if file:
        return (_design("matrix", *read_matrix(Path(file))),)
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        raise DomainError("rows must be of the same number of answers, two or more.")
    return (_design("matrix", _numbered(len(rows[0])), _numbered(len(rows)), rows),)


def cheating_triangular(prob_innocuous: Fraction) -> tuple[Design, ...]:
    said = ("one or both", "neither")
    return (
        _binary("cheating-detection-triangular", (_ONE, prob_innocuous, Fraction(0)), ("yes", "no", "cheats"), said),
    )
