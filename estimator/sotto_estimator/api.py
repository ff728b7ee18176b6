"""What a program asks for by one call: estimates, strings, joint tables and plans, of a collector or of files.

A source is a collector's URL with a survey's id and an analyst's token; or files, or what was read of them.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sotto_estimator.association.associate import Association
from sotto_estimator.association.associate import associate as associate_records
from sotto_estimator.association.sides import Candidates
from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.compare import CompareOptions, Difference, compare_sides
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.result import Tested
from sotto_estimator.comparing.sides import People, Side, people_of, side_of_group, sides_of_data, sides_of_tally
from sotto_estimator.comparing.voids import voids_of, voids_of_data
from sotto_estimator.errors import SourceError
from sotto_estimator.intervals.intervals import IntervalOptions, target_of
from sotto_estimator.microdata.microdata import Data, read_data
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.outlook import Reach
from sotto_estimator.planning.survey import SurveyPlan, plan_survey
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_tally import binary_epsilon, estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.archive import is_archive, read_records_of_archive
from sotto_estimator.sources.fetch import fetch_tally, read_tallies
from sotto_estimator.sources.records import Records, fetch_records, read_records
from sotto_estimator.sources.selection import Chosen
from sotto_estimator.sources.source import CollectorSource, FileSource, names_collector
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.question import decode_tally, text_question
from sotto_estimator.strings.subject import subject_of_tally
from sotto_estimator.table.source import is_frame
from sotto_protocol import Survey, Tally

if TYPE_CHECKING:
    import pandas as pd

Source = str | os.PathLike[str]
"""A collector's URL, or the path of a file."""


def estimate(
    source: "Source | Sequence[Source] | Tally | pd.DataFrame",
    survey: str = "",
    *,
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    column: str = "",
    design: str | Mapping[str, str] = "",
    arm: str = "",
    reports: Sequence[str] = (),
    sampling: SamplingColumns | None = None,
    options: IntervalOptions | None = None,
) -> Estimates:
    """Estimate every share and mean, with verdicts: of a collector's survey, of tally files, merged, or of a tally.

    With a URL: `survey` is the id, `token` an analyst's, by default SOTTO_TOKEN of the environment; `wave` and
    `stratum` choose whose reports. Shares are about whom the survey says (`about`), unless `options` have a target.
    Of a CSV, or a data frame, with a row a person `column` has their reports, `design`
    says how they were asked, and the rest is as for `read_data`. Raises FetchError, SourceError, DomainError.
    """
    if column:
        if survey or token or Chosen(wave, stratum) or not (isinstance(source, str | os.PathLike) or is_frame(source)):
            raise SourceError("column goes with one CSV, or one data frame of pandas.")
        data = read_data(source, column, design, arm=arm, reports=reports, sampling=sampling)
        return data.estimate(options or IntervalOptions())
    if design or arm or reports or sampling:
        raise SourceError("design, arm, reports and sampling go with a CSV's column.")
    if is_frame(source):
        raise SourceError("a data frame has a row a person: column says which of its columns has the reports.")
    chosen = Chosen(wave, stratum)
    tally = _tally(source, survey, token, chosen)
    found = estimate_tally(tally, options, by_wave=_by_wave(source, survey, token, chosen, tally))
    return with_verdicts(replace(found, stratum=stratum), tally)


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
    tally = _tally(source, survey, token, Chosen(wave, stratum))
    found = decode_tally(tally, question, candidates, options)
    asked, _ = text_question(tally.survey, question)
    return replace(found, subject=replace(subject_of_tally(tally, asked), stratum=stratum))


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


def compare(
    groups: Mapping[str, Source | Sequence[Source] | Tally | Group] | Data,
    *,
    question: str = "",
    answer: str = "",
    level: float = 0.95,
    target: Target | None = None,
    simultaneous: bool = False,
    anytime: bool = False,
    people: People | None = None,
) -> Tested[Difference]:
    """Hold groups against the first of them: differences and ratios with intervals that hold, a test of equality.

    `groups`, by name: tallies, tally files, or counts; or a CSV's, of `read_data(.., by=..)`. `question`, `answer`:
    that one alone. `target`: by default as the surveys say, else the population. `people`: "other" or "same" ones in
    each group; where it is not said, maybe the same for waves of a survey, others else. Of counts that contradict the
    design there is no verdict, P-value or difference: they are None, and `warnings` say whose. Raises SourceError,
    DomainError.
    """
    known: People = "other"
    if isinstance(groups, Data):
        target = target or "population"
        title, sides, void = groups.table.name, sides_of_data(groups, target), voids_of_data(groups)
    else:
        given = {name: of if isinstance(of, Group) else _tally(of, "", "", Chosen()) for name, of in groups.items()}
        tallies = [of for of in given.values() if isinstance(of, Tally)]
        target = target or target_of(*(of.survey for of in tallies))
        title, known = next((of.survey.title for of in tallies), GIVEN), people_of(tallies)
        sides, void = {name: _sides(of, target) for name, of in given.items()}, voids_of(given)
    asked = {
        name: [side for side in of if question in ("", side.question) and answer in ("", side.answer)]
        for name, of in sides.items()
    }
    found = compare_sides(title, asked, CompareOptions(level, target, simultaneous, anytime, people or known))
    return found.held_against([one for one in void if question in ("", one[1].question)])


def plan(survey: Survey | Source, n: int, *, reach: Reach | None = None, half_width: float | None = None) -> SurveyPlan:
    """Return what n respondents will show of each question of a survey, or of a survey file.

    About whom the survey says (`about`), unless a `reach` is given.
    Raises SourceError for a file that is no survey, DomainError unless n is in [2, 10^12].
    """
    of = survey if isinstance(survey, Survey) else Draft.read(Path(survey)).survey
    return plan_survey(of, n, reach or Reach(target=target_of(of)), half_width)


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


def _sides(of: Tally | Group, target: Target) -> list[Side]:
    return (
        sides_of_tally(of, target) if isinstance(of, Tally) else [side_of_group(of, binary_epsilon(of.channel), target)]
    )


def _by_wave(
    source: Source | Sequence[Source] | Tally, survey: str, token: str, chosen: Chosen, tally: Tally
) -> list[Tally]:
    """Return the tallies of the waves that are pooled in one, where the source has them."""
    if isinstance(source, Tally):
        return []
    if isinstance(source, str) and names_collector([source]):
        return CollectorSource(source, *_asked(survey, token)).by_wave(tally, chosen)
    paths = [source] if isinstance(source, str | os.PathLike) else source
    return FileSource(tuple(map(Path, paths))).by_wave(tally, chosen)


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
