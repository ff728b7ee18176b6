"""Estimates of groups beside one another: what is known of each, how they differ, and all numbers."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.results.percents import NOTHING
from sotto_estimator.results.view import View
from sotto_estimator.shares.by_group import name_of
from sotto_estimator.shares.estimates import STRATUM, Estimate, Estimates
from sotto_estimator.shares.verdict.compare import Comparison
from sotto_estimator.views.estimates_members import csv_records, json_members
from sotto_estimator.views.estimates_words import cut_words, end_words, notes, outside_words, share_words
from sotto_estimator.views.numbers import interval_remarks, mean_end_words, mean_words
from sotto_estimator.views.verdict import said_of, verdict_rows
from sotto_estimator.views.verdict_words import order_words, width_words
from sotto_protocol.language import ENGLISH
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above

if TYPE_CHECKING:
    pass
from sotto_estimator.shares.by_group import SideBySide

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_COLUMNS = ["n", "epsilon", "estimate", "std. error", "low", "high", "unit"]
_MOST = 5
"""What is said alike of more groups than these is said in one line, with how many they are."""
_TOO_FEW = "too few reports to name an estimate; the table has the intervals"


def as_table(of: SideBySide) -> str:
    """Return what is known of every stratum, and aligned numbers: of every answer, and every mean, a row a stratum.

    What is to be said of every stratum is said once, of some with their names, of many with their number.
    """
    strata = of.estimates
    heading = [str(of)]
    heading += [of.interval_words, *_say_of(of, notes)]
    rows = _by_answer([row for one in strata for row in _rows(one)])
    known = _known(of)
    parts = [
        align(known) if known else "",
        "\n".join([*_say_of(of, _sentences_of(of)), *(_compared(one, of.kind) for one in of.comparisons)]),
        "\n".join(heading),
        align([["question", "answer", of.kind, *_COLUMNS], *rows], n_left=3),
        "\n".join([*_say_of(of, _remarks), *filter(None, [outside_words(strata)])]),
    ]
    return "\n\n".join(filter(None, parts))


def _by_answer(rows: Sequence[list[str]]) -> list[list[str]]:
    """Return rows of (question, answer, ..), those of one answer beside one another."""
    order = list(dict.fromkeys((row[0], row[1]) for row in rows))
    return sorted(rows, key=lambda row: order.index((row[0], row[1])))


def _known(of: SideBySide) -> list[list[str]]:
    """Return a row for what is known of each answer in each group; one for all groups of too few reports, if many."""
    undecided: dict[tuple[str, str], list[str]] = {}
    for one in of.estimates:
        for verdict in one.verdicts:
            for finding in verdict.findings if not verdict.is_decided else ():
                undecided.setdefault((verdict.question, finding.answer), []).append(str(one.stratum))
    folded = {key: {*groups} for key, groups in undecided.items() if len(groups) > _MOST}
    rows = [
        [question, answer, str(one.stratum), words]
        for one in of.estimates
        for question, answer, words in verdict_rows(one.verdicts)
        if str(one.stratum) not in folded.get((question, answer), ())
    ]
    return _by_answer(rows + [[*key, f"{len(groups)} {of.nouns}", _TOO_FEW] for key, groups in folded.items()])


def _sentences_of(of: SideBySide) -> Callable[[Estimates], list[str]]:
    """Return what says the sentences of a group. What many groups aim at is said alike of each."""
    n_aiming = Counter(verdict.question for one in of.estimates for verdict in one.verdicts if verdict.aim)

    def sentences(one: Estimates) -> list[str]:
        lines = []
        for verdict in one.verdicts:
            if not verdict.aim or n_aiming[verdict.question] <= _MOST:
                lines += said_of([verdict])
                continue
            lines += said_of([replace(verdict, aim=None)])
            width, n_needed = width_words(verdict.aim, ENGLISH), verdict.aim.n_needed
            reports = "no number of reports" if n_needed is None else f"about {n_needed:,} reports"
            lines.append(f"{verdict.question}: it would take {reports} in each {of.kind} for ± {width}.")
        return lines

    return sentences


def _compared(one: Comparison, kind: str) -> str:
    name, groups = f"{one.question}, {one.answer}", "strata" if kind == STRATUM else f"groups by {kind}"
    if len(one.order.groups) == 1:
        return f"{name}: the {groups} cannot be told apart."
    return (
        f"{name}: as far as can be told, in this order of {groups}, the most first: {order_words(one.order, ENGLISH)}."
    )


def _members(of: SideBySide) -> dict[str, Any]:
    compared = [
        {"question": one.question, "answer": one.answer, "order": [list(group) for group in one.order.groups]}
        for one in of.comparisons
    ]
    groups = [json_members(one) for one in of.estimates]
    return {"strata" if of.kind == STRATUM else "groups": groups, "comparisons": compared}


def _say_of(of: SideBySide, lines_of: Callable[[Estimates], Sequence[str]]) -> list[str]:
    """Return what is said of the strata: a line of all of them once, of many with how many, of few with their names."""
    said = [(one, line) for one in of.estimates for line in dict.fromkeys(lines_of(one))]
    n_of, n_all = Counter(line for _, line in said), len(of.estimates)
    shared = [line for line, n in n_of.items() if n == n_all]
    many = [f"{n} of the {n_all} {of.nouns}: {line}" for line, n in n_of.items() if _MOST < n < n_all]
    return [*shared, *many, *(f"{name_of(one)}{line}" for one, line in said if n_of[line] <= min(_MOST, n_all - 1))]


def _remarks(one: Estimates) -> list[str]:
    """Return what is said below the numbers."""
    return [*map(str, one.quality), *filter(None, [cut_words(one)]), *interval_remarks(one.told_means)]


def _rows(one: Estimates) -> list[list[str]]:
    of = str(one.stratum)
    nothing = [NOTHING] * 4
    return [
        [
            *[row.question, row.answer, of, f"{row.n_reports:,}", epsilon_above(row.epsilon)],
            *([*share_words(row), *end_words(one, row)] if isinstance(row, Estimate) else nothing),
            "",
        ]
        for row in one.rows
    ] + [
        [
            *[mean.question, "mean", of, f"{mean.n_reports:,}", epsilon_above(mean.epsilon)],
            *([*mean_words(mean), *mean_end_words(mean)] if isinstance(mean, MeanEstimate) else nothing),
            mean.unit,
        ]
        for mean in one.means
    ]


def _panels(of: SideBySide) -> "tuple[str, list[Panel]]":
    """Return a picture: a bar a group under every answer, then means."""
    from sotto_estimator.views.estimates_panels import groups_panels  # matplotlib takes a second to load

    return groups_panels(of)


VIEW: View[SideBySide] = View(
    table=as_table, members=_members, records=lambda of: csv_records(of.estimates), panels=_panels
)
