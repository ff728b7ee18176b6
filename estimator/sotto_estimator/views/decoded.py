"""Decoded strings: for people, as members for programs, and as a picture."""

from dataclasses import asdict
from typing import Any, NamedTuple

from sotto_estimator.results.document import Caption, Cell, Column, Lines, PageBlock, Part, Said, Table
from sotto_estimator.results.figure import Bar, Panel, bar_panels
from sotto_estimator.results.percents import percent, percent_words
from sotto_estimator.results.view import View
from sotto_estimator.results.words import level_words
from sotto_estimator.shares.verdict.verdict import share_findings
from sotto_estimator.sources.selection import Selection
from sotto_estimator.strings.decode import Decoded, DecodedString, DecodeMethod, DecodeOptions
from sotto_estimator.strings.remarks import counted_words
from sotto_estimator.strings.selection import Correction
from sotto_estimator.strings.subject import Subject
from sotto_estimator.strings.undetected import UndetectedString
from sotto_estimator.views.estimates_members import quality_members
from sotto_estimator.views.shares import FAKES
from sotto_estimator.views.verdict_words import finding_words
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.words import counted, epsilon_above, escaped

_METHODS: dict[DecodeMethod, str] = {
    "normal": "normal approximation",
    "chernoff": "Chernoff-type bound",
}
_CORRECTIONS: dict[Correction, str] = {
    "fdr": "false discovery rate at most",
    "bonferroni": "probability of any false discovery at most",
}
_MOST_TOLD = 12
"""So many strings are told in words."""
_COLUMNS = [
    Column("string"),
    *(Column(name, "share") for name in ("share", "std. error", "low", "high")),
    *(Column(name, "points") for name in ("fakes for", "against")),
]


def parts(decoded: Decoded) -> list[Part]:
    """Return the largest shares, with n, epsilon, method, level and correction, and how well the model fits."""
    rows = [*map(_cells, decoded.shown), *map(_undetected_cells, _others(decoded))]
    quality = decoded.subject.quality
    said = [*summary(decoded), *([str(quality)] if quality else [])]
    return [
        Part("What is known", known(decoded)),
        Part("Strings", [Lines([*caption(decoded), FAKES]), Table(_COLUMNS, rows), Lines(said)]),
    ]


def known(decoded: Decoded) -> list[Table | Lines]:
    """Return what is known of the most common strings, in words, and which candidates were not detected."""
    told = decoded.shown[:_MOST_TOLD]
    findings = share_findings([_Named(escaped(row.string), row.share, row.low, row.high) for row in told])
    rows = [[of.answer, finding_words(of, ENGLISH)] for of in findings]
    said = []
    if (n_more := len(decoded.shown) - len(told)) > 0:
        said.append(f"The table below has {n_more:,} more.")
    if decoded.missed.n:
        bounds = (
            "The table below gives bounds." if decoded.undetected is not None else "`sotto decode --all` gives bounds."
        )
        said.append(f"{decoded.missed} {bounds}")
    table = Table([Column("string"), Column("what is known")], rows, is_plain=True)
    return [*[table] * bool(rows), Lines(said)]


class _Named(NamedTuple):
    """A share as `share_findings` takes it."""

    answer: str
    share: float
    low: float
    high: float


def _others(decoded: Decoded) -> tuple[UndetectedString, ...]:
    """Return the strings to show that were not detected: none unless they were asked for."""
    limit = decoded.limit
    return (decoded.undetected or ())[: None if limit is None else max(limit - len(decoded.rows), 0)]


def _undetected_cells(row: UndetectedString) -> list[Cell]:
    if row.share is None or row.high is None:
        return [row.string, "", "unclear", "", "", "", ""]
    return [row.string, row.share, "not detected", "", row.high, "", ""]


def _cells(row: DecodedString) -> list[Cell]:
    return [row.string, row.share, row.standard_error, row.low, row.high, row.shift_up, row.shift_down]


def caption(decoded: Decoded) -> list[str]:
    """Return what the intervals mean and how strings were chosen, a line each."""
    subject, options = decoded.subject, decoded.options
    title = ", ".join(filter(None, [subject.title, subject.question]))
    together = "all valid together" if options.simultaneous else "for the strings that were detected"
    tested = counted_words(decoded.n_candidates, decoded.origin)
    heading = f"{title}: n = {counted(decoded.n_reports, 'report')}{_epsilon_words(subject)}"
    heading += str(Selection(stratum=subject.stratum))
    return [
        *_with_waves(heading, decoded),
        f"{level_words(options.level)} intervals by the {_METHODS[options.method]}, {together}, about the population",
        f"detected among {tested}: {_CORRECTIONS[options.correction]} {options.fdr:g}; "
        "intervals and std. errors allow for the choice",
        *_bound_words(decoded),
    ]


def summary(decoded: Decoded) -> list[str]:
    """Return how much was found, how much was not, and how well the model fits, a line each."""
    fit, n_shown = decoded.fit, len(decoded.shown)
    shown = "" if n_shown == len(decoded.rows) else f" ({n_shown:,} shown)"
    return [
        f"detected {len(decoded.rows):,} of {counted_words(decoded.n_candidates, decoded.origin)}{shown}, "
        f"{percent(decoded.explained_mass)} of all answers",
        f"other strings {percent(decoded.other_share)}, {_error_words(decoded.other_standard_error)}"
        f"{'' if decoded.hashed else '; the map is no hash: strings on no list set no bits at random'}",
        f"fit: residual chi-square {fit.chi_square:.1f} on {fit.degrees:,} degrees of freedom, "
        f"ratio {fit.ratio:.3f}, p-value {fit.p_value:.3g}",
    ]


def _with_waves(heading: str, decoded: Decoded) -> list[str]:
    listed = ", ".join(map(str, decoded.subject.waves))
    if decoded.n_waves == 1:
        return [f"{heading}, wave {listed}" if listed else heading]
    which = f" of waves {listed}" if listed else ""
    said = f"up to {decoded.n_waves}{which} of one device: errors and intervals are as wide as that makes them"
    return [f"{heading},", said]


def members(decoded: Decoded) -> dict[str, Any]:
    """Return the members of the JSON object."""
    found = {
        "n_detected": len(decoded.rows),
        "explained_mass": decoded.explained_mass,
        "other_share": decoded.other_share,
        "other_standard_error": decoded.other_standard_error,
        "hashed": decoded.hashed,
        "fit": asdict(decoded.fit) | {"ratio": decoded.fit.ratio},
        "warnings": list(decoded.warnings),
        "strings": [asdict(row) for row in decoded.shown],
        "not_detected": None if decoded.undetected is None else [asdict(row) for row in _others(decoded)],
    }
    about = asdict(decoded.subject)
    if decoded.subject.stratum is None:
        del about["stratum"]
    return about | _design_members(decoded) | asdict(decoded.options) | found


def records(decoded: Decoded) -> list[dict[str, Any]]:
    """Return a row for every detected string, with n, epsilon and options.

    Strings that were not detected follow, if they were asked for, with what is known of them.
    """
    empty, heading = dict.fromkeys(DecodedString.__dataclass_fields__), _heading(decoded)
    rows = [asdict(row) | {"detected": True} | heading for row in decoded.shown]
    return rows + [empty | asdict(row) | {"detected": False} | heading for row in _others(decoded)]


def columns(decoded: Decoded) -> tuple[str, ...]:
    """Return the members of every record."""
    return (*DecodedString.__dataclass_fields__, "detected", *_heading(decoded))


def _heading(decoded: Decoded) -> dict[str, Any]:
    subject = decoded.subject
    return {
        "n_reports": decoded.n_reports,
        "n_candidates": decoded.n_candidates,
        "epsilon": subject.epsilon,
        "waves": " ".join(map(str, subject.waves)),
        **Selection(stratum=subject.stratum).members,
        **asdict(decoded.options),
        **quality_members(subject.quality),
    }


def panels(decoded: Decoded) -> tuple[str, list[Panel]]:
    """Return a picture: a bar with its interval for each of the largest shares."""
    bars = [Bar(escaped(row.string), row.share, row.low, row.high) for row in decoded.shown]
    longest = max((bar.high for bar in bars), default=1.0)
    return bar_panels(bars, "\n".join(caption(decoded)), min(100.0, 105 * longest))


def found_blocks(decoded: Decoded, say: Language) -> list[PageBlock]:
    """Return what was found of the texts that a reader named, in their language, for the default options."""
    options, key = decoded.options, decoded.subject.question
    found = say.ngettext(
        "%(found)s of %(n)s text was found.",
        "%(found)s of %(n)s texts were found.",
        decoded.n_candidates,
        found=len(decoded.rows),
    )
    about = say.gettext(
        "Together they are about %(share)s of all answers.", share=percent_words(decoded.explained_mass, say, 0)
    )
    tested = say.gettext(
        "Each text was tested: is its share above 0? On average, at most %(rate)s of the texts found are mistakes "
        "(false discovery rate, Benjamini and Hochberg).",
        rate=percent_words(options.fdr, say, 0),
    )
    return [
        Lines([say.text([found, about if decoded.rows else ""])], look="verdict"),
        *([_found_table(decoded, key, say)] if decoded.rows else []),
        *([_others_table(decoded, key, say)] if decoded.undetected else []),
        Lines([tested]),
        Lines([_confidence(options, say)], look="small"),
        Lines(decoded.alarms(), look="small", lang="en"),
    ]


def _found_table(decoded: Decoded, key: str, say: Language) -> Table:
    heads = [say.gettext("Share"), say.gettext("Low"), say.gettext("High")]
    rows: list[list[Cell]] = [
        [row.string, *(_said(number, say) for number in (row.share, row.low, row.high))] for row in decoded.rows
    ]
    columns = [Column(say.gettext("Text"), names=True), *(Column(head, "share") for head in heads)]
    return Table(columns, rows, caption=Caption("strings", say.gettext("Texts that were found"), key))


def _others_table(decoded: Decoded, key: str, say: Language) -> Table:
    words = say.gettext("Texts that were not found: rare, or in no answer")
    columns = [Column(say.gettext("Text"), names=True), Column(say.gettext("Share, at most"), "share")]
    rows = [[row.string, "–" if row.high is None else _said(row.high, say)] for row in decoded.undetected or ()]
    return Table(columns, rows, caption=Caption("others", words, key))


def _said(share: float, say: Language) -> Said:
    return Said(percent_words(share, say), share)


def _confidence(options: DecodeOptions, say: Language) -> str:
    level = percent_words(options.level, say, 0)
    if options.simultaneous:
        return say.gettext(
            "%(level)s confidence in all ranges together, for the population. The ranges allow for the choice among "
            "the texts. They are approximate (normal).",
            level=level,
        )
    return say.gettext(
        "%(level)s confidence in each range, for the population. The ranges allow for the choice among the texts. They "
        "are approximate (normal).",
        level=level,
    )


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


def _bound_words(decoded: Decoded) -> list[str]:
    if decoded.undetected is None:
        return []
    level = level_words(decoded.options.level)
    return [
        f"not detected: the share is at most the value under high; {level} bounds by the normal "
        "approximation, all valid together"
    ]


def _design_members(decoded: Decoded) -> dict[str, Any]:
    names = ("n_reports", "n_waves", "n_candidates")
    return {name: getattr(decoded, name) for name in names} | decoded.design


VIEW: View[Decoded] = View(parts=parts, members=members, records=records, columns=columns, panels=panels)
