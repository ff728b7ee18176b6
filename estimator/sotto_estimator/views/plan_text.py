"""The plan of a text question: a table and TOML, JSON, CSV and a picture."""

import math
from dataclasses import asdict
from typing import Any

from sotto_estimator.results.document import Column, Lines, Part, Table, Typed, title_lines
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.view import View
from sotto_estimator.strings.plan import ERROR_RATE, TextPlanRow, TextStudy
from sotto_estimator.strings.text_plan import TextPlan


def _parts(plan: TextPlan) -> list[Part]:
    """Return a table, what the smallest share is, and the best designs as a survey takes them."""
    columns = [Column(""), Column("mechanism"), *(Column(name, "word") for name in _COLUMNS)]
    cells = [
        [
            "*" if row.is_best else "",
            row.mechanism,
            *map("{:g}".format, (row.epsilon, row.epsilon_forever, row.n_buckets, row.n_hashes, row.n_cohorts)),
            f"{row.report_bytes:g}",
            _percent(row.standard_error),
            _percent(row.smallest_share),
            f"{math.ceil(row.smallest_share * plan.study.n_reports):,}",
        ]
        for row in plan.rows
    ]
    best = [Typed(plan_toml(row)) for row in plan.rows if row.is_best]
    words = Lines(_words(plan.study).split("\n"))
    return [Part("Designs", [title_lines(plan.title), Table(columns, cells), words, *best])]


def plan_toml(row: TextPlanRow) -> str:
    """Return the members of a text question that a plan has chosen, as TOML."""
    forever = f"epsilon_forever = {row.epsilon_forever}\n" if row.epsilon_forever > row.epsilon else ""
    bloom_filter = f"n_bits = {row.n_buckets}\nn_hashes = {row.n_hashes}\n" if row.mechanism == "rappor" else ""
    asked = f'type = "text"\nmechanism = "{row.mechanism}"\nepsilon = {row.epsilon}\n{forever}'
    return f"{asked}{bloom_filter}n_cohorts = {row.n_cohorts}"


def _members(plan: TextPlan) -> dict[str, Any]:
    return _study_members(plan.study) | {"plan": [asdict(row) for row in plan.rows]}


def _records(plan: TextPlan) -> list[dict[str, Any]]:
    return [asdict(row) | _study_members(plan.study) for row in plan.rows]


_COLUMNS = [
    *("epsilon", "for ever", "buckets", "hashes", "cohorts", "bytes"),
    *("std. error", "smallest share", "people"),
]


def _words(study: TextStudy) -> str:
    heading = f"n = {study.n_reports:,} reports, {study.n_candidates:,} candidates, false discovery rate {ERROR_RATE:g}"
    return (
        f"{heading}; * is the best.\nA string of the smallest share is detected with probability {study.power:g}, "
        "even if it is alone on the list.\n"
        "Rarer strings are detected less often. Other people have strings of their own.\n"
        "With RAPPOR, these may all be as common."
    )


def _percent(share: float) -> str:
    """Return a share in per cent with three digits, however small."""
    return f"{100 * share:#.3g} %"


def _study_members(study: TextStudy) -> dict[str, Any]:
    return asdict(study) | {"false_discovery_rate": ERROR_RATE}


def _panels(plan: TextPlan) -> tuple[str, list[Panel]]:
    """Return a picture: the smallest share that each design detects."""
    points = [
        Point(f"{row.epsilon:g}, {row.mechanism}, {row.n_hashes} hashes", 100 * row.smallest_share, math.nan, math.nan)
        for row in plan.rows
    ]
    return f"{plan}\n{_words(plan.study)}", [point_panel(points, "the smallest share that is detected (%)")]


VIEW: View[TextPlan] = View(parts=_parts, members=_members, records=_records, panels=_panels)
