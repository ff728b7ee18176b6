"""Where `sotto regress` finds a survey's reports: a collector, a file, an archive's folder; one survey's only."""

from collections.abc import Sequence
from pathlib import Path

import click

from sotto_estimator.commands.sources import read_source
from sotto_estimator.regression.hidden_covariates import regress_reports
from sotto_estimator.regression.result import Regression
from sotto_estimator.sources.kinds import NO_REPORTS, REPORTS, ROWS, TABLES, check_kind
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import names_collector
from sotto_protocol.store_address import names_store


def names_reports(words: Sequence[str], designs: Sequence[str]) -> bool:
    """Return whether words name a survey's reports, and not a table. Raises SourceError for a file that is neither."""
    if names_collector(words) or designs:
        return names_collector(words)
    if any(map(names_store, words)):
        return True
    try:
        return any(check_kind(Path(word), REPORTS, NO_REPORTS, ROWS) not in TABLES for word in words)
    except OSError:
        return False


def regress_sources(words: Sequence[str], formula: str, chosen: Selection, token: str, level: float) -> Regression:
    """Regress what one source's reports say. Raises UsageError for several, FetchError, SourceError, DomainError."""
    if len(words) > 1 + names_collector(words):
        raise click.UsageError(
            "Give one survey. Reports of two surveys cannot be joined, because no report says whose it is. "
            "Ask both questions in one survey."
        )
    survey, records = read_source(words, token).records(chosen)
    return regress_reports(survey, chosen.of(survey, records), formula, level=level)
