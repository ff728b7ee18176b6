"""What is said of estimates, and the cells of their tables: shares in per cent, means in their units."""

from collections.abc import Sequence

from sotto_estimator.designs.asked import words_of
from sotto_estimator.results.percents import (
    NOTHING,
    OUTSIDE_WORDS,
    mark_of,
    n_decimals_of,
    percent,
    share_percent,
    signed_percent,
)
from sotto_estimator.results.words import NO_INTERVAL, interval_words
from sotto_estimator.shares.estimates import Estimate, Estimates, VoidedShare
from sotto_protocol.words import counted, epsilon_above

FAKES = "fakes: what each 1 % of fake reports, all for an answer or all against it, adds to its share"
_CUT = "none: no share from 0 to 100 % is in the interval, by chance or since people did not follow the design"
_POOLED = "a device's reports are not independent, and the intervals allow for it"
_DRAWN = "draw: a device answers {} of {} questions; n is the number of reports that answer this one{about}"
_ASKED = "asked: a device is asked one option of {}; n is the number of reports that ask this one{about}"
_CONSISTENT = "consistent: the closest shares that are possible; their standard errors (~) are approximate"
_ABOUT = ", and an interval is about those people"


def share_rows(estimates: Estimates) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns of shares, and the cells of each answer; the first two are texts."""
    has_n = bool(estimates.drawn or estimates.asked)
    columns = ["question", "answer", *["n"] * has_n, "epsilon", "share", "std. error", "low", "high"]
    columns += ["consistent", "std. error"] if estimates.options.consistent else []
    columns += ["fakes for", "against"]
    rows = [
        _cells(row, end_words(estimates, row), has_n)
        if isinstance(row, Estimate)
        else _voided_cells(row, len(columns), has_n)
        for row in estimates.rows
    ]
    return columns, rows


def caption(estimates: Estimates) -> str:
    """Return what the intervals mean, a line for each thing to know."""
    epsilon = f"{'at most ' * bool(estimates.drawn)}{epsilon_above(estimates.epsilon)}"  # by what a device drew
    lines = [
        f"{estimates.title}: n = {counted(estimates.n_reports, 'report')}, epsilon {epsilon} a report",
        interval_words(estimates.options, estimates.made),
    ]
    if estimates.stratum is not None:
        lines.append(f"{estimates.by} {estimates.stratum} alone")
    return "\n".join([*lines, *notes(estimates)])


def notes(estimates: Estimates) -> list[str]:
    """Return what else there is to know of these reports: their waves, and what of them is not shown, or is odd."""
    asked = words_of(estimates.designs, with_reports=estimates.stratum is None)
    lines = [*asked, *([str(estimates.fit)] if estimates.fit else [])]
    if estimates.waves:
        listed = ", ".join(map(str, estimates.waves))
        lines.append(f"wave {listed}" if len(estimates.waves) == 1 else f"waves {listed} pooled: {_POOLED}")
    about = _ABOUT * (estimates.options.about == "respondents")
    if estimates.drawn:
        lines.append(_DRAWN.format(*estimates.drawn, about=about))
    if estimates.asked:
        lines.append(_ASKED.format(", ".join(estimates.asked), about=about))
    empty = [withheld.question for withheld in estimates.withheld if not withheld.n_counted]
    if decodable := [key for key in estimates.text_questions if key not in empty]:
        lines.append(f"not shown: {', '.join(decodable)} (text; see `sotto decode`)")
    if any(row.consistent_standard_error is not None for row in estimates.told_rows):
        lines.append(_CONSISTENT)
    lines += estimates.file_rows.lines if estimates.file_rows else []
    return [*lines, *map(str, (*estimates.withheld, *estimates.contradictions))]


def cut_words(estimates: Estimates, question: str | None = None) -> str:
    """Return what to say where an interval holds no share in [0, 1]; `question`: of that one alone."""
    rows = [row for row in estimates.told_rows if question in (None, row.question)]
    return "" if all(map(estimates.has_interval, rows)) else _CUT


def outside_words(several: Sequence[Estimates]) -> str:
    """Return what the mark means that stands before an estimate which is not possible; "" where none does."""
    rows = [row for estimates in several for row in estimates.told_rows]
    is_marked = any(mark_of(row.share, n_decimals_of(row)) for row in rows)
    is_marked |= any(mean.is_outside for estimates in several for mean in estimates.told_means)
    return OUTSIDE_WORDS if is_marked else ""


def share_words(row: Estimate) -> list[str]:
    """Return a row's share in per cent, marked where it is not possible, and its standard error."""
    n_decimals = n_decimals_of(row)
    return [share_percent(row.share, n_decimals), percent(row.standard_error, n_decimals)]


def end_words(estimates: Estimates, row: Estimate) -> list[str]:
    """Return the ends of a row's interval in per cent; where there is none, that."""
    if not estimates.has_interval(row):
        return [NO_INTERVAL] * 2
    return [percent(end, n_decimals_of(row)) for end in (row.low, row.high)]


def _cells(row: Estimate, ends: list[str], has_n: bool) -> list[str]:
    error = "-" if row.consistent_standard_error is None else f"~{percent(row.consistent_standard_error)}"
    consistent = [] if row.consistent_share is None else [percent(row.consistent_share), error]
    shifts = [signed_percent(shift) for shift in (row.shift_up, row.shift_down)]
    n = [f"{row.n_reports:,}"] * has_n
    return [row.question, row.answer, *n, epsilon_above(row.epsilon), *share_words(row), *ends, *consistent, *shifts]


def _voided_cells(row: VoidedShare, n_cells: int, has_n: bool) -> list[str]:
    """Return what was counted, and a dash in every other cell."""
    known = [row.question, row.answer, *[f"{row.n_reports:,}"] * has_n, epsilon_above(row.epsilon)]
    return known + [NOTHING] * (n_cells - len(known))
