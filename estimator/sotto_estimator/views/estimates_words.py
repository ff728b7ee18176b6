"""What is said of estimates, and the cells of their tables: shares in per cent, means in their units."""

from sotto_estimator.designs.asked import words_of
from sotto_estimator.results.document import Cell, Column, Table
from sotto_estimator.results.percents import NOTHING, n_decimals_of, percent, share_percent
from sotto_estimator.results.words import NO_INTERVAL, interval_words
from sotto_estimator.shares.estimates import Estimate, Estimates
from sotto_protocol.words import counted, epsilon_above

FAKES = "fakes: what each 1 % of fake reports, all for an answer or all against it, adds to its share"
_CUT = "none: no share from 0 to 100 % is in the interval, by chance or since people did not follow the design"
_POOLED = "a device's reports are not independent, and the intervals allow for it"
_DRAWN = "draw: a device answers {} of {} questions; n is the number of reports that answer this one{about}"
_ASKED = "asked: a device is asked one option of {}; n is the number of reports that ask this one{about}"
_CONSISTENT = "consistent: the closest shares that are possible; their standard errors (~) are approximate"
SHARE_COLUMNS = (
    Column("share", "estimate"),
    Column("std. error", "share"),
    Column("low", "share"),
    Column("high", "share"),
)
_CONSISTENT_COLUMNS = [Column("consistent", "share"), Column("std. error", "share")]
_ABOUT = ", and an interval is about those people"


def share_table(estimates: Estimates) -> Table:
    """Return a row an answer."""
    has_n = bool(estimates.drawn or estimates.asked)
    columns = [Column("question"), Column("answer"), *[Column("n", "count")] * has_n, Column("epsilon", "epsilon")]
    columns += [*SHARE_COLUMNS, *_CONSISTENT_COLUMNS * estimates.options.consistent]
    columns += [Column("fakes for", "points"), Column("against", "points")]
    rows = []
    for row in estimates.rows:
        about: list[Cell] = [row.question, row.answer, *[row.n_reports] * has_n, row.epsilon]
        found: list[Cell] = (
            _cells(estimates, row) if isinstance(row, Estimate) else [None] * (len(columns) - len(about))
        )
        rows.append([*about, *found])
    return Table(columns, rows)


def caption(estimates: Estimates) -> list[str]:
    """Return what the intervals mean, a line for each thing to know."""
    epsilon = f"{'at most ' * bool(estimates.drawn)}{epsilon_above(estimates.epsilon)}"  # by what a device drew
    lines = [
        f"{estimates.title}: n = {counted(estimates.n_reports, 'report')}, epsilon {epsilon} a report",
        interval_words(estimates.options, estimates.made),
    ]
    if estimates.stratum is not None:
        lines.append(f"{estimates.by} {estimates.stratum} alone")
    return [*lines, *notes(estimates)]


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


def cut_words(estimates: Estimates, question: str | None = None) -> list[str]:
    """Return what to say where an interval holds no share in [0, 1]; `question`: of that one alone."""
    rows = [row for row in estimates.told_rows if question in (None, row.question)]
    return [] if all(map(estimates.has_interval, rows)) else [_CUT]


def share_words(estimates: Estimates, row: Estimate) -> list[str]:
    """Return the cells of SHARE_COLUMNS: with as many decimals as an interval bears; where there is none, that."""
    n_decimals = n_decimals_of(row)
    has_ends = estimates.has_interval(row)
    ends = [percent(end, n_decimals) if has_ends else NO_INTERVAL for end in (row.low, row.high)]
    return [share_percent(row.share, n_decimals), percent(row.standard_error, n_decimals), *ends]


def _cells(estimates: Estimates, row: Estimate) -> list[Cell]:
    error = NOTHING if row.consistent_standard_error is None else f"~{percent(row.consistent_standard_error)}"
    consistent: list[Cell] = [] if row.consistent_share is None else [row.consistent_share, error]
    return [*share_words(estimates, row), *consistent, row.shift_up, row.shift_down]
