"""Shares from the reports of another program: as estimates are shown, and before them what else there is to know."""

from typing import Any

from sotto_estimator.formats.shares import FormatShares
from sotto_estimator.results.document import Lines, Part
from sotto_estimator.results.view import View
from sotto_estimator.views.estimates import parts
from sotto_estimator.views.estimates_members import csv_records, json_members


def _members(found: FormatShares) -> dict[str, Any]:
    return {"notes": list(found.notes)} | json_members(found.estimates)


VIEW: View[FormatShares] = View(
    parts=lambda found: [Part("The reports", [Lines(found.notes)]), *parts(found.estimates)],
    members=_members,
    records=lambda found: csv_records([found.estimates]),
    panels=lambda found: found.estimates.panels(),
)
