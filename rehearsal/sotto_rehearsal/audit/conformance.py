"""Whether a program is the published channel: rates of its reports beside those of the published thresholds.

A program may give away less than is declared and still be wrong: what is estimated from its reports is then wrong too.
Two rates differ where their exact limits (Clopper & Pearson 1934) do not meet; every test has its equal part of the
probability of a false alarm. Between two waves the bits are compared, too: noise that is drawn anew agrees less often
than noise that stays.
"""

from collections.abc import Iterator

import numpy as np

from sotto_rehearsal.audit.bounds import Counts, differ
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.counting import Counted, by_answer, by_value, count_rows
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.sample import Sample

_LIMITS = 4  # of which each test that fails needs one to miss


def check_channel(design: Design, sample: Sample, expected: tuple[Design, Sample], false_alarm: float) -> list[Check]:
    """Return of each question whether its reports have the rates of the published channel.

    `expected`: the reference's. A program without a fault fails any with at most `false_alarm`.
    """
    seen = [[*_count(design, sample, index)] for index in range(len(design.survey.questions))]
    known = [[*_count(*expected, index)] for index in range(len(design.survey.questions))]
    n_tests = sum(len(counted.x) for of_question in seen for counted in of_question)
    tail = false_alarm / (_LIMITS * n_tests)
    return [
        _check(question.id, of_question, of_known, tail)
        for question, of_question, of_known in zip(design.survey.questions, seen, known, strict=True)
    ]


def _count(design: Design, sample: Sample, index: int) -> Iterator[Counted]:
    """Count the events under some answers, under all, by value, and of which bits change between two waves."""
    yield from by_answer(design, sample, index)
    everybody = np.ones(design.n_devices, np.bool_)
    waves = sample.side_by_side(index, everybody)
    yield count_rows(design, index, waves[0])
    yield from by_value(design, sample, index) or ()
    if design.n_waves > 1:
        changed = waves[0] ^ waves[1]
        bits = np.unpackbits(changed, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
        n_changed = np.append(bits, np.count_nonzero(changed.any(axis=1)))
        names = [*(f"bit {bit} changes between waves" for bit in range(len(bits))), "a report changes between waves"]
        yield Counted(n_changed, np.full(len(n_changed), len(changed)), names)


def _check(question_id: str, seen: list[Counted], known: list[Counted], tail: float) -> Check:
    counts = Counts.join([Counts.of(one.x, one.n, other.x, other.n) for one, other in zip(seen, known, strict=True)])
    names = [name for counted in seen for name in counted.names]
    apart = differ(counts, tail)
    name = f"{question_id}: the published channel"
    if not apart.any():
        return Check(name, True, f"{len(names):,} rates are as they should be")
    gaps = np.abs(counts.x / np.maximum(1, counts.n) - counts.y / np.maximum(1, counts.m)) * apart
    worst = int(np.argmax(gaps))
    x, n, y, m = (int(part[worst]) for part in counts)
    return Check(name, False, f"{names[worst]} in {x / n:.2%} of {n:,} reports; it should be {y / m:.2%}")
