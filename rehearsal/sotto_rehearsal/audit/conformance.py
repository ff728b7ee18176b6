"""Whether a program is the published channel: rates of its reports beside those of the published thresholds.

A program may give away less than is declared and still be wrong: what is estimated from its reports is then wrong too.
Two rates differ where their exact limits (Clopper & Pearson 1934) do not meet; every test has its equal part of the
probability of a false alarm. Every wave is looked at, and between every two of them the bits: noise that is drawn anew
agrees less often than noise that stays, and noise that is repeated agrees more often.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from sotto_rehearsal.audit.bounds import Counts, differ
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.counting import Counted, by_answer, by_value, count_rows
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.names import Names
from sotto_rehearsal.audit.sample import Sample

LIMITS = 4  # of which each test that fails needs one to miss


def check_channel(design: Design, sample: Sample, expected: tuple[Design, Sample], false_alarm: float) -> list[Check]:
    """Return of each question whether its reports have the rates of the published channel.

    `expected`: the reference's, of two waves at least where the design has several. A program without a fault fails any
    with at most `false_alarm`. Of devices that change their answers (`Design.changed`), each second wave is compared
    with the reference's second, and waves of the same answer apart from those of two.
    """
    seen, known = [], []
    period = 1 if design.changed is None else 2
    pairs = [*combinations(range(design.n_waves), 2)]
    for index in range(len(design.survey.questions)):
        of_places = [[*_of_wave(*expected, index, place)] for place in range(period)]
        # The earliest pair of each kind.
        of_pairs = {(later - first) % period: (first, later) for first, later in reversed(pairs)}
        of_changes = {kind: _changes(*expected, index, *pair) for kind, pair in of_pairs.items()}
        places = range(design.n_waves)
        seen.append(
            [
                *(counted for place in places for counted in _of_wave(design, sample, index, place)),
                *(_changes(design, sample, index, first, later) for first, later in pairs),
            ]
        )
        known.append(
            [
                *(counted for place in places for counted in of_places[place % period]),
                *(of_changes[(later - first) % period] for first, later in pairs),
            ]
        )
    n_tests = sum(len(counted.x) for of_question in seen for counted in of_question)
    said = "the published channel" if period == 1 else "the published channel where answers change"
    return [
        judge(f"{question.id}: {said}", question.id, of_sample, of_reference, false_alarm / (LIMITS * n_tests))
        for question, of_sample, of_reference in zip(design.survey.questions, seen, known, strict=True)
    ]


def _of_wave(design: Design, sample: Sample, index: int, place: int) -> Iterator[Counted]:
    """Count the events under some answers, under all, and by value, in one wave."""
    everybody = np.ones(design.n_devices, np.bool_)
    wave = f"wave {design.waves[place]}: " if design.n_waves > 1 else ""
    counted = [
        *by_answer(design, sample, index, place=place),
        count_rows(design, index, sample.rows(index, everybody, place)),
        *(by_value(design, sample, index, place=place) or ()),
    ]
    for x, n, names in counted:
        yield Counted(x, n, names.behind(wave))


def _changes(design: Design, sample: Sample, index: int, first: int, later: int) -> Counted:
    """Count which bits change between two waves, and reports that do."""
    waves = sample.side_by_side(index, np.ones(design.n_devices, np.bool_))
    changed = waves[first] ^ waves[later]
    bits = np.unpackbits(changed, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
    n_changed = np.append(bits, np.count_nonzero(changed.any(axis=1)))
    between = f"between waves {design.waves[first]} and {design.waves[later]}"
    what = Names(len(n_changed), lambda bit: f"bit {bit}" if bit < len(bits) else "a report")
    names = Names(len(n_changed), lambda bit: f"{what[bit]} changes {between}")
    return Counted(n_changed, np.full(len(n_changed), len(changed)), names)


def judge(name: str, question_id: str, seen: list[Counted], known: list[Counted], tail: float) -> Check:
    """Return whether rates are those of the reference, each of four limits missing with `tail`; the worst if not."""
    counts = Counts.join([Counts.of(one.x, one.n, other.x, other.n) for one, other in zip(seen, known, strict=True)])
    names = Names.join([counted.names for counted in seen])
    apart = differ(counts, tail)
    if not apart.any():
        return Check(name, True, f"{len(names):,} rates are as they should be", question_id)
    gaps = np.abs(counts.x / np.maximum(1, counts.n) - counts.y / np.maximum(1, counts.m)) * apart
    worst = int(np.argmax(gaps))
    x, n, y, m = (int(part[worst]) for part in counts)
    said = f"{names[worst]} in {x / n:.2%} of {n:,} reports; it should be {y / m:.2%}"
    return Check(name, False, said, question_id)
