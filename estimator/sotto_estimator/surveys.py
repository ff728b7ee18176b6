"""What a program asks for by one call: estimates, strings, joint tables and plans, of a collector or of files.

A source is a collector's URL with a survey's id and an analyst's token; or files, or what was read of them.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sotto_estimator.archive import is_archive, read_records_of_archive
from sotto_estimator.association.associate import Association
from sotto_estimator.association.associate import associate as associate_records
from sotto_estimator.association.sides import Candidates
from sotto_estimator.chosen import Chosen
from sotto_estimator.errors import SourceError
from sotto_estimator.estimates import Estimates
from sotto_estimator.estimation import estimate_tally
from sotto_estimator.fetch import fetch_tally, read_tallies
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.outlook import Reach
from sotto_estimator.planning.survey import SurveyPlan, plan_survey
from sotto_estimator.records import Records, fetch_records, read_records
from sotto_estimator.sources import names_collector
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.question import decode_tally
from sotto_estimator.verdict.judge import with_verdicts
from sotto_protocol import Survey, Tally

Source = str | os.PathLike[str]
"""A collector's URL, or the path of a file."""


def estimate(
    source: Source | Sequence[Source] | Tally,
    survey: str = "",
    *,
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    options: IntervalOptions | None = None,
) -> Estimates:
    """Estimate every share and mean, with verdicts: of a collector's survey, of tally files, merged, or of a tally.

    With a URL: `survey` is the id, `token` an analyst's, by default SOTTO_TOKEN of the environment; `wave` and
    `stratum` choose whose reports. Raises FetchError, SourceError, DomainError.
    """
    tally = _tally(source, survey, token, Chosen(wave, stratum))
    return with_verdicts(replace(estimate_tally(tally, options), stratum=stratum), tally)


def decode(
    source: Source | Sequence[Source] | Tally,
    survey: str = "",
    *,
    question: str,
    candidates: Sequence[str],
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    options: DecodeOptions | None = None,
) -> Decoded:
    """Find which candidates are common answers to a text question, and their shares. The rest is as for `estimate`."""
    return decode_tally(_tally(source, survey, token, Chosen(wave, stratum)), question, candidates, options)


def associate(
    source: Source | Records,
    survey: str = "",
    *,
    questions: Sequence[str],
    candidates: Candidates | None = None,
    level: float = 0.95,
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
) -> Association:
    """Estimate the joint table of two or three questions, and test whether they are independent.

    Of a collector's survey, of a file of packed reports, of an archive's folder, or of (survey, packed reports).
    `questions`: ids; QUESTION:OPTION for an option of an any-of question. The rest is as for `estimate`.
    """
    chosen = Chosen(wave, stratum)
    of, records = source if isinstance(source, tuple) else _records(source, survey, token, chosen)
    found = associate_records(of, chosen.of(of, records), questions, candidates, level=level)
    return replace(found, chosen=chosen)


def plan(survey: Survey | Source, n: int, *, reach: Reach | None = None, half_width: float | None = None) -> SurveyPlan:
    """Return what n respondents will show of each question of a survey, or of a survey file.

    Raises SourceError for a file that is no survey, DomainError unless n is in [2, 10^12].
    """
    of = survey if isinstance(survey, Survey) else Draft.read(Path(survey)).survey
    return plan_survey(of, n, reach or Reach(), half_width)


def _tally(source: Source | Sequence[Source] | Tally, survey: str, token: str, chosen: Chosen) -> Tally:
    if isinstance(source, str) and names_collector([source]):
        survey, token = _asked(survey, token)
        return fetch_tally(source, survey, token, chosen.wave, chosen.stratum)
    if survey or token or chosen:
        raise SourceError("survey, token, wave and stratum go with a collector's URL (http:// or https://).")
    if isinstance(source, Tally):
        return source
    paths = [source] if isinstance(source, str | os.PathLike) else source
    for path in paths:
        if is_archive(Path(path)):
            raise SourceError(f"{path} is a folder: count an archive with `sotto tally`, and estimate that.")
    return read_tallies([Path(path) for path in paths])


def _records(source: Source, survey: str, token: str, chosen: Chosen) -> Records:
    if isinstance(source, str) and names_collector([source]):
        survey, token = _asked(survey, token)
        return fetch_records(source, survey, token, chosen)
    if survey or token:
        raise SourceError("survey and token go with a collector's URL (http:// or https://).")
    path = Path(source)
    return read_records_of_archive(path) if is_archive(path) else read_records(path)


def _asked(survey: str, token: str) -> tuple[str, str]:
    token = token or os.environ.get("SOTTO_TOKEN", "")
    if not survey:
        raise SourceError("a collector's URL goes with a survey's id.")
    if not token:
        raise SourceError("a collector answers analysts: token, or SOTTO_TOKEN in the environment, is needed.")
    return survey, token
