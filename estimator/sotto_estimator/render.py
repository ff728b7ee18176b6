"""Estimates as a table for people, as JSON and CSV for programs: the same numbers in all three."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from sotto_estimator.cells import guarded
from sotto_estimator.channel import Target
from sotto_estimator.designs.asked import MAX_LISTED, words_of
from sotto_estimator.estimates import STRATUM, Estimate, Estimates, VoidedShare
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.methods import find_method
from sotto_estimator.narrower import EXACT
from sotto_estimator.numbers.render import distribution_records, mean_members, mean_table, quantile_table
from sotto_estimator.percents import (
    NOTHING,
    OUTSIDE_WORDS,
    mark_of,
    n_decimals_of,
    percent,
    share_percent,
    signed_percent,
)
from sotto_estimator.quality import Quality
from sotto_estimator.verdict.render import verdict_members, verdict_table
from sotto_estimator.withheld import Withheld
from sotto_protocol.documents import is_text
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above

FAKES = "fakes: what each 1 % of fake reports, all for an answer or all against it, adds to its share"
NO_INTERVAL = "none"
_CUT = "none: no share from 0 to 100 % is in the interval, by chance or since people did not follow the design"
_POOLED = "a device's reports are not independent, and the intervals allow for it"
_DRAWN = "draw: a device answers {} of {} questions; n is the number of reports that answer this one{about}"
_ASKED = "asked: a device is asked one option of {}; n is the number of reports that ask this one{about}"
_CONSISTENT = "consistent: the closest shares that are possible; their standard errors (~) are approximate"
_ABOUT = ", and an interval is about those people"
_TARGETS: dict[Target, str] = {"population": "the population", "respondents": "these respondents"}


def table(estimates: Estimates) -> str:
    """Return what it means, and tables with n, epsilon, method and level; shares in per cent, means in their units."""
    remarks = [*map(str, estimates.quality), cut_words(estimates), outside_words([estimates])]
    remarks.append(_narrower_words(estimates))
    fakes = f"\n{FAKES}" if estimates.told_rows else ""
    numbers = [mean_table(estimates.means)] if estimates.means else []
    numbers += [quantile_table(estimates.told_distributions)] if estimates.told_distributions else []
    parts = [
        verdict_table(estimates.verdicts),
        f"{caption(estimates)}{fakes}",
        _share_table(estimates),
        *numbers,
        "\n".join(filter(None, remarks)),
    ]
    return "\n\n".join(filter(None, parts))


def _narrower_words(estimates: Estimates) -> str:
    part = estimates.narrower_by
    return "" if part is None else f"{EXACT} is {100 * part:.0f} % narrower at the same guarantee (--method {EXACT})"


def _share_table(estimates: Estimates) -> str:
    if not estimates.rows:
        return ""
    columns, rows = share_rows(estimates)
    return align([columns, *rows], n_left=2)


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


def warnings_of(estimates: Estimates) -> list[str]:
    """Return what is wrong with the counts, and what is missing."""
    warnings = [quality.warning for quality in estimates.quality if quality.is_alarming]
    warnings += [contradiction.warning for contradiction in estimates.contradictions]
    return [*warnings, *(f"{withheld}." for withheld in estimates.withheld)]


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


def interval_words(options: IntervalOptions, made: str = "") -> str:
    """Return what an interval is, in words. `made`: how, where it is not by the options' method alone."""
    together = "all together" if options.simultaneous else "each by itself"
    about = "" if options.population_size is None else f" of {options.population_size:,} people"
    return f"{method_words(options.level, options.method, options.about, made)}{about}, {together}"


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


def method_words(level: float, method: str, target: Target, made: str = "") -> str:
    """Return what a level, a method and a target mean, in words. `made`: as of `interval_words`."""
    by = made or f"by the {find_method(method).words}"
    return f"{level_words(level)} intervals {by}, about {target_words(target)}"


def target_words(target: Target) -> str:
    """Return whom shares are about, in words."""
    return _TARGETS[target]


def level_words(level: float) -> str:
    """Return a level in per cent, with all its digits."""
    return f"{level_digits(level)} %"


def level_digits(level: float) -> str:
    """Return a level in per cent with all its digits: rounded, 0.9999999 would be 100.

    >>> level_digits(0.95), level_digits(0.9999999)
    ('95', '99.99999')
    """
    return f"{(100 * Decimal(str(level))).normalize():f}"


def escaped(text: str) -> str:
    """Return text that a terminal shows as it stands: control characters and marks of direction by their escapes.

    >>> escaped("a\\x1b[2Jb\\u202ec"), escaped("👩‍💻 è\\\\")
    ('a\\\\x1b[2Jb\\\\u202ec', '👩‍💻 è\\\\')
    """
    if text.isprintable():
        return text
    return "".join(one if is_text(one, 1) else one.encode("unicode_escape").decode() for one in text)


def as_json(estimates: Estimates) -> str:
    """Return the estimates as a JSON object; shares as fractions."""
    return json_text(json_members(estimates))


def json_members(estimates: Estimates) -> dict[str, Any]:
    """Return the members of the estimates' JSON object."""
    heading = {"title": estimates.title, "n_reports": estimates.n_reports, "epsilon": estimates.epsilon}
    heading |= _whose(estimates, list(estimates.waves))
    heading |= {"text_questions": list(estimates.text_questions)} if estimates.text_questions else {}
    heading |= {"asked": list(estimates.asked)} if estimates.asked else {}
    heading |= {"designs": [asdict(of) for of in estimates.designs]} if estimates.designs else {}
    heading |= {"fit": estimates.fit.members} if estimates.fit else {}
    heading |= {"withheld": [_withheld_members(of) for of in estimates.withheld]} if estimates.withheld else {}
    found = {
        "quality": [asdict(quality) for quality in estimates.quality],
        "contradictions": [asdict(contradiction) for contradiction in estimates.contradictions],
        "estimates": [_members(estimates, row) for row in estimates.rows],
    }
    found |= {"covariances": [asdict(of) for of in estimates.covariances]} if estimates.covariances else {}
    found |= {"means": _mean_members(estimates)} if estimates.means else {}
    if estimates.distributions:
        found["distributions"] = [asdict(of) | {"interval": "approximate"} for of in estimates.distributions]
    said = {"verdicts": [verdict_members(of) for of in estimates.verdicts]} if estimates.verdicts else {}
    return heading | _option_members(estimates) | said | found


def as_csv(estimates: Estimates) -> str:
    """Return the estimates as CSV with a header, n, epsilon, method and level in every row; shares as fractions.

    Means stand in rows below the shares, in their units; then quantiles, and shares of bins; empty: does not apply.
    """
    return csv_text(csv_records([estimates]))


def csv_records(several: Sequence[Estimates]) -> list[dict[str, Any]]:
    """Return the rows of the CSV of one survey's estimates, or of several of its strata's: all of the same members."""
    return _alike([record for estimates in several for record in _records(estimates)])


def _records(estimates: Estimates) -> list[dict[str, Any]]:
    whose = _whose(estimates, " ".join(map(str, estimates.waves)))
    quality = {known.question: known for known in estimates.quality}
    p_values = {found.question: found.p_value for found in estimates.contradictions}
    rows = [_members(estimates, row) for row in estimates.rows] + _mean_members(estimates)
    rows += [record for of in estimates.told_distributions for record in distribution_records(of)]
    return [
        row
        | _option_members(estimates)
        | quality_members(quality.get(row["question"]))
        | {"contradiction_p_value": p_values.get(row["question"])}
        | whose
        | _asked_by(estimates)
        for row in _alike(rows)
    ]


def _whose(estimates: Estimates, waves: object) -> dict[str, Any]:
    """Return the members that say which reports these are, where they are not all of a survey of one wave."""
    is_stratum = estimates.by == STRATUM
    group = {STRATUM: estimates.stratum} if is_stratum else {"by": estimates.by, "group": estimates.stratum}
    found = {} if estimates.stratum is None else group
    found |= estimates.file_rows.members if estimates.file_rows else {}
    return found | ({"waves": waves} if estimates.waves else {})


def _asked_by(estimates: Estimates) -> dict[str, str | float | None]:
    """Return the members that say how people were asked, of a survey on paper, and how well its samples fit."""
    written = dict.fromkeys(map(str, estimates.designs[:MAX_LISTED]))
    fit = {f"fit_{name}": value for name, value in estimates.fit.members.items()} if estimates.fit else {}
    return ({"designs": " | ".join(written)} if written else {}) | fit


def _alike(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records that all have the members of each, None where one had it not."""
    empty = dict.fromkeys(name for record in records for name in record)
    return [empty | record for record in records]


def quality_members(quality: Quality | None) -> dict[str, int | None]:
    """Return a question's quality for a row of CSV; empty where every report is plausible."""
    names = ("n_implausible", "most_if_honest")
    return {name: None if quality is None else getattr(quality, name) for name in names}


def json_text(document: dict[str, Any]) -> str:
    """Return indented JSON; infinite numbers, which JSON has not, are null."""
    return json.dumps(_finite(document), ensure_ascii=False, indent=2, allow_nan=False)


def csv_text(records: Sequence[dict[str, Any]]) -> str:
    """Return records of the same members as CSV with a header; no text is a formula to a spreadsheet."""
    return "\n".join(_line(cells) for cells in (records[0], *(record.values() for record in records)))


def _line(cells: Iterable[object]) -> str:
    """Return a row of CSV without its end; written as if that were CRLF, or a CR in a text would not be quoted."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(guarded(cells))
    return text.getvalue().removesuffix("\r\n")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(member) for member in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


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


def _withheld_members(withheld: Withheld) -> dict[str, Any]:
    members = asdict(withheld) | {"n_missing": withheld.n_missing}
    del members["is_drawn"], members["of"]  # the survey says that
    return members


def _members(estimates: Estimates, row: Estimate | VoidedShare) -> dict[str, Any]:
    has_ends = isinstance(row, VoidedShare) or estimates.has_interval(row)
    members = asdict(row) | ({} if has_ends else {"low": None, "high": None})
    del members["is_outside"]  # low and high say it
    if not estimates.options.consistent:
        del members["consistent_share"], members["consistent_standard_error"]
    return members


def _mean_members(estimates: Estimates) -> list[dict[str, Any]]:
    return [mean_members(mean, has_consistent=estimates.options.consistent) for mean in estimates.means]


def _option_members(estimates: Estimates) -> dict[str, Any]:
    options = estimates.options
    more: dict[str, Any] = {} if options.population_size is None else {"population_size": options.population_size}
    more |= {"consistent_errors": "approximate"} if options.consistent else {}
    return {
        "level": options.level,
        "simultaneous": options.simultaneous,
        "method": options.method,
        "target": options.about,
    } | more
