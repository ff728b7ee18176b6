"""Estimates as people read them: as a table, in a notebook, in a report."""

from typing import TYPE_CHECKING

from sotto_estimator.results.encode import csv_text, json_text
from sotto_estimator.results.view import View
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.exact_gain import EXACT
from sotto_estimator.views.estimates_members import csv_records, json_members
from sotto_estimator.views.estimates_words import (
    FAKES,
    caption,
    cut_words,
    outside_words,
    share_rows,
)
from sotto_estimator.views.numbers import (
    mean_table,
    quantile_table,
)
from sotto_estimator.views.verdict import verdict_table
from sotto_protocol.tables import align

if TYPE_CHECKING:
    from sotto_estimator.results.panels import Panel

_KNOWN_COLUMNS = ("question", "answer", "what is known", "n", "estimate", "low", "high")
_METHOD = (
    "Each answer was mixed with chance before anybody else saw it. A report is therefore no answer, and the shares "
    "are what is left when the known effect of chance is taken off all of them together. An estimated share can lie "
    "outside of 0 to 100 %, its interval cannot."
)


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


def as_json(estimates: Estimates) -> str:
    """Return the estimates as a JSON object; shares as fractions."""
    return json_text(json_members(estimates))


def as_csv(estimates: Estimates) -> str:
    """Return the estimates as CSV with a header, n, epsilon, method and level in every row; shares as fractions.

    Means stand in rows below the shares, in their units; then quantiles, and shares of bins; empty: does not apply.
    """
    return csv_text(csv_records([estimates]))


def _panels(estimates: Estimates) -> "tuple[str, list[Panel]]":
    from sotto_estimator.views.estimates_panels import estimates_panels  # matplotlib takes a second to load

    return estimates_panels(estimates)


VIEW: View[Estimates] = View(
    table=table,
    members=json_members,
    records=lambda estimates: csv_records([estimates]),
    panels=_panels,
)
