"""Decoded strings as a table for people, as JSON and CSV for programs: the same numbers in all three."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.percents import percent, signed_percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import escaped, level_words
from sotto_estimator.sources.selection import Selection
from sotto_estimator.strings.decode import Decoded, DecodedString, DecodeMethod
from sotto_estimator.strings.remarks import counted_words
from sotto_estimator.strings.selection import Correction
from sotto_estimator.strings.subject import Subject
from sotto_estimator.strings.undetected import UndetectedString
from sotto_estimator.views.estimates_members import quality_members
from sotto_estimator.views.estimates_words import FAKES
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_METHODS: dict[DecodeMethod, str] = {
    "normal": "normal approximation",
    "chernoff": "Chernoff-type bound",
}
_CORRECTIONS: dict[Correction, str] = {
    "fdr": "false discovery rate at most",
    "bonferroni": "probability of any false discovery at most",
}
_COLUMNS = ["string", "share", "std. error", "low", "high", "fakes for", "against"]


def table(subject: Subject, decoded: Decoded, limit: int | None = None) -> str:
    """Return an aligned table of the largest shares, n, epsilon, method, level and correction beside it."""
    shown = decoded.rows[:limit]
    rows = [_COLUMNS, *map(_cells, shown), *map(_undetected_cells, _others(decoded, limit))]
    quality = f"\n{subject.quality}" if subject.quality else ""
    aligned = align(rows, n_left=1)
    return f"{caption(subject, decoded)}\n{FAKES}\n\n{aligned}\n\n{summary(decoded, len(shown))}{quality}"


def _others(decoded: Decoded, limit: int | None) -> tuple[UndetectedString, ...]:
    """Return the strings to show that were not detected: none unless they were asked for."""
    return (decoded.undetected or ())[: None if limit is None else max(limit - len(decoded.rows), 0)]


def _undetected_cells(row: UndetectedString) -> list[str]:
    if row.share is None or row.high is None:
        return [escaped(row.string), "", "not told apart", "", "", "", ""]
    return [escaped(row.string), percent(row.share), "not detected", "", percent(row.high), "", ""]


def _cells(row: DecodedString) -> list[str]:
    shares = map(percent, (row.share, row.standard_error, row.low, row.high))
    return [escaped(row.string), *shares, *map(signed_percent, (row.shift_up, row.shift_down))]


def caption(subject: Subject, decoded: Decoded) -> str:
    """Return what the intervals mean and how strings were chosen, in three lines, or four with those not detected."""
    options = decoded.options
    title = ", ".join(filter(None, [subject.title, subject.question]))
    together = "all together" if options.simultaneous else "of those that were detected"
    tested = counted_words(decoded.n_candidates, decoded.origin)
    return (
        f"{title}: n = {counted(decoded.n_reports, 'report')}{_epsilon_words(subject)}"
        f"{Selection(stratum=subject.stratum)}{_wave_words(subject, decoded)}\n"
        f"{level_words(options.level)} intervals by the {_METHODS[options.method]}, {together}, about the population\n"
        f"detected among {tested}: {_CORRECTIONS[options.correction]} {options.fdr:g}; "
        f"intervals and std. errors allow for the choice{_bound_words(decoded)}"
    )


def summary(decoded: Decoded, n_shown: int) -> str:
    """Return how much was found, how much was not, and how well the model fits, in three lines."""
    fit = decoded.fit
    shown = "" if n_shown == len(decoded.rows) else f" ({n_shown:,} shown)"
    return (
        f"detected {len(decoded.rows):,} of {counted_words(decoded.n_candidates, decoded.origin)}{shown}, "
        f"{percent(decoded.explained_mass)} of all answers\n"
        f"other strings {percent(decoded.other_share)}, {_error_words(decoded.other_standard_error)}"
        f"{'' if decoded.hashed else '; the map is no hash: strings on no list set no bits at random'}\n"
        f"fit: residual chi-square {fit.chi_square:.1f} on {fit.degrees:,} degrees of freedom, "
        f"ratio {fit.ratio:.3f}, p-value {fit.p_value:.3g}"
    )


def as_json(subject: Subject, decoded: Decoded, limit: int | None = None) -> str:
    """Return what was decoded as a JSON object; shares as fractions."""
    return json_text(members(subject, decoded, limit))


def members(subject: Subject, decoded: Decoded, limit: int | None = None) -> dict[str, Any]:
    """Return the members of the JSON object."""
    found = {
        "n_detected": len(decoded.rows),
        "explained_mass": decoded.explained_mass,
        "other_share": decoded.other_share,
        "other_standard_error": decoded.other_standard_error,
        "hashed": decoded.hashed,
        "fit": asdict(decoded.fit) | {"ratio": decoded.fit.ratio},
        "warnings": list(decoded.warnings),
        "strings": [asdict(row) for row in decoded.rows[:limit]],
        "not_detected": None if decoded.undetected is None else [asdict(row) for row in _others(decoded, limit)],
    }
    about = asdict(subject)
    if subject.stratum is None:
        del about["stratum"]
    return about | _design_members(decoded) | asdict(decoded.options) | found


def as_csv(subject: Subject, decoded: Decoded, limit: int | None = None) -> str:
    """Return a header and a row for every string, n, epsilon and options in every row; shares as fractions."""
    columns, rows = records(subject, decoded, limit)
    return csv_text(rows, columns)


def records(
    subject: Subject, decoded: Decoded, limit: int | None = None
) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    """Return the columns of CSV, and a row for every detected string.

    Strings that were not detected follow, if they were asked for, with what is known of them.
    """
    heading = {
        "n_reports": decoded.n_reports,
        "n_candidates": decoded.n_candidates,
        "epsilon": subject.epsilon,
        "waves": " ".join(map(str, subject.waves)),
        **Selection(stratum=subject.stratum).members,
        **asdict(decoded.options),
        **quality_members(subject.quality),
    }
    empty = dict.fromkeys(DecodedString.__dataclass_fields__)
    rows = [asdict(row) | {"detected": True} | heading for row in decoded.rows[:limit]]
    rows += [empty | asdict(row) | {"detected": False} | heading for row in _others(decoded, limit)]
    return (*empty, "detected", *heading), rows


def panels(subject: Subject, decoded: Decoded, limit: int | None = None) -> "tuple[str, list[Panel]]":
    """Return a picture: a bar with its interval for each of the largest shares."""
    from sotto_estimator.results.panels import Bar, bar_panels  # matplotlib takes a second to load

    rows = decoded.rows[:limit]
    bars = [Bar(escaped(row.string), row.share, row.low, row.high) for row in rows]
    longest = max((row.high for row in rows), default=1.0)
    return bar_panels(bars, caption(subject, decoded), min(100.0, 105 * longest))


def _error_words(standard_error: float | None) -> str:
    if standard_error is None:
        return "of unknown std. error: where no string is detected, no share is estimated"
    return f"std. error {percent(standard_error)}"


def _epsilon_words(subject: Subject) -> str:
    if subject.epsilon is None:
        return ""
    forever = subject.epsilon_forever
    words = f", epsilon {epsilon_above(subject.epsilon)} a report"
    return words if forever in (None, subject.epsilon) else f"{words}, {epsilon_above(forever)} for ever"


def _bound_words(decoded: Decoded) -> str:
    if decoded.undetected is None:
        return ""
    level = level_words(decoded.options.level)
    return f"\nnot detected: the share is at most high; {level} bounds by the normal approximation, all together"


def _wave_words(subject: Subject, decoded: Decoded) -> str:
    listed = ", ".join(map(str, subject.waves))
    if decoded.n_waves == 1:
        return f", wave {listed}" if listed else ""
    which = f" of waves {listed}" if listed else ""
    return f",\nup to {decoded.n_waves}{which} of one device: errors and intervals are as wide as that makes them"


def _design_members(decoded: Decoded) -> dict[str, Any]:
    names = ("n_reports", "n_waves", "n_candidates")
    return {name: getattr(decoded, name) for name in names} | decoded.design


VIEW: View[Decoded] = View(
    table=lambda decoded: table(decoded.subject, decoded),
    members=lambda decoded: members(decoded.subject, decoded),
    records=lambda decoded: records(decoded.subject, decoded)[1],
    columns=lambda decoded: records(decoded.subject, decoded)[0],
    panels=lambda decoded: panels(decoded.subject, decoded),
)
