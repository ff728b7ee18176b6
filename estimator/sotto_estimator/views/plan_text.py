"""Plans of a text question, as table, TOML, JSON and CSV."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.strings.plan import ERROR_RATE, TextPlan, TextStudy
from sotto_protocol.tables import align


def plan_table(rows: Sequence[TextPlan], study: TextStudy) -> str:
    """Return an aligned table for people, what the smallest share is, and the best designs as a survey takes them."""
    cells = [["", "mechanism", *_COLUMNS, "std. error", "smallest share", "people"]]
    for row in rows:
        numbers = (row.epsilon, row.epsilon_forever, row.n_buckets, row.n_hashes, row.n_cohorts, row.report_bytes)
        people = math.ceil(row.smallest_share * study.n_reports)
        cells.append(
            [
                "*" if row.is_best else "",
                row.mechanism,
                *(f"{number:g}" for number in numbers),
                _percent(row.standard_error),
                _percent(row.smallest_share),
                f"{people:,}",
            ]
        )
    best = "\n\n".join(plan_toml(row) for row in rows if row.is_best)
    return f"{align(cells, n_left=2)}\n\n{_words(study)}\n\n{best}"


def plan_toml(row: TextPlan) -> str:
    """Return the members of a text question that a plan has chosen, as TOML."""
    forever = f"epsilon_forever = {row.epsilon_forever}\n" if row.epsilon_forever > row.epsilon else ""
    bloom_filter = f"n_bits = {row.n_buckets}\nn_hashes = {row.n_hashes}\n" if row.mechanism == "rappor" else ""
    asked = f'type = "text"\nmechanism = "{row.mechanism}"\nepsilon = {row.epsilon}\n{forever}'
    return f"{asked}{bloom_filter}n_cohorts = {row.n_cohorts}"


def plan_json(rows: Sequence[TextPlan], study: TextStudy) -> str:
    """Return the plan as a JSON object; shares as fractions."""
    return json_text(_study_members(study) | {"plan": [asdict(row) for row in rows]})


def plan_csv(rows: Sequence[TextPlan], study: TextStudy) -> str:
    """Return the plan as CSV, n, candidates, power and error rate in every row; shares as fractions."""
    return csv_text([asdict(row) | _study_members(study) for row in rows])


_COLUMNS = ("epsilon", "for ever", "buckets", "hashes", "cohorts", "bytes")


def _words(study: TextStudy) -> str:
    heading = f"n = {study.n_reports:,} reports, {study.n_candidates:,} candidates, false discovery rate {ERROR_RATE:g}"
    return (
        f"{heading}; * is the best.\nA string of the smallest share is detected with probability {study.power:g}, "
        "even if it is the only one on the list;\n"
        "rarer ones less often. Others have strings of their own; by RAPPOR they may all be as common."
    )


def _percent(share: float) -> str:
    """Return a share in per cent with three digits, however small."""
    return f"{100 * share:#.3g} %"


def _study_members(study: TextStudy) -> dict[str, Any]:
    return asdict(study) | {"false_discovery_rate": ERROR_RATE}
