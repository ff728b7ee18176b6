"""Estimates as people read them."""

from sotto_estimator.results.document import Block, Lines, Part, Table, marks
from sotto_estimator.results.view import View
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.exact_gain import EXACT
from sotto_estimator.views.estimates_members import csv_records, json_members
from sotto_estimator.views.estimates_panels import estimates_panels
from sotto_estimator.views.estimates_words import FAKES, caption, cut_words, share_table
from sotto_estimator.views.numbers import mean_remarks, mean_table, quantile_remarks, quantile_table
from sotto_estimator.views.verdict import verdict_part

_METHOD = (
    "Each answer was mixed with chance before anybody else saw it. A report is therefore no answer, and the shares "
    "are what is left when the known effect of chance is taken off all of them together. An estimated share can lie "
    "outside of 0 to 100 %, its interval cannot."
)


def parts(estimates: Estimates) -> list[Part]:
    """Return what it means, and tables with n, epsilon, method and level."""
    means, distributions = estimates.means, estimates.told_distributions
    shares = [share_table(estimates)] if estimates.rows else []
    numbers = [mean_table(means)] if means else []
    quantiles: list[Block] = [quantile_table(distributions)] if distributions else []
    quantiles += [Lines(quantile_remarks(distributions))] if distributions else []
    return [
        verdict_part(estimates.verdicts),
        Part(
            "All numbers",
            [
                Lines([*caption(estimates), *[FAKES] * bool(estimates.told_rows)]),
                *shares,
                *numbers,
                Lines(mean_remarks(means)),
                *quantiles,
                Lines(_remarks(estimates, [*shares, *numbers])),
            ],
        ),
        Part("How they were made", [Lines([_METHOD])], is_background=True),
    ]


def _remarks(estimates: Estimates, tables: list[Table]) -> list[str]:
    part = estimates.narrower_by
    narrower = f"{EXACT} is {100 * (part or 0):.0f} % narrower at the same guarantee (--method {EXACT})"
    said = [*map(str, estimates.quality), *cut_words(estimates), *marks(tables).lines]
    return said if part is None else [*said, narrower]


VIEW: View[Estimates] = View(
    parts=parts,
    members=json_members,
    records=lambda estimates: csv_records([estimates]),
    panels=estimates_panels,
)
