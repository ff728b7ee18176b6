"""What a program asks for by one call: estimates, strings, joint tables and plans, of a collector or of files.

A source is a collector's URL with a survey's id and an analyst's token; or files, or what was read of them.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Literal, overload

from sotto_estimator.association.associate import Association
from sotto_estimator.association.associate import associate as associate_records
from sotto_estimator.association.axes import Candidates
from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.compare import CompareOptions, Difference, compare_sides
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.group_estimates import (
    GroupEstimate,
    People,
    people_of,
    side_of_group,
    sides_of_data,
    sides_of_tally,
)
from sotto_estimator.comparing.group_misfits import misfits_by_group, misfits_of_data
from sotto_estimator.comparing.result import Tested
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.intervals.intervals import IntervalOptions, target_of
from sotto_estimator.microdata.microdata import Data, read_data
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey_plan import SurveyPlan, draft_of, plan_draft
from sotto_estimator.results.result import GIVEN
from sotto_estimator.shares.by_group import SideBySide, estimate_strata_of
from sotto_estimator.shares.estimates import STRATUM, Estimates
from sotto_estimator.shares.of_tally import binary_epsilon, estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import FrameSource, Given, source_of
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.question import decode_tally, text_question
from sotto_estimator.strings.subject import subject_of_tally
from sotto_protocol import Survey, Tally
from sotto_protocol.deprecated import takes_old_keywords


@overload
def estimate(
    source: Given,
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
    by: str,
    options: IntervalOptions | None = None,
) -> SideBySide: ...
@overload
def estimate(
    source: Given,
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
    by: Literal[""] = "",
    options: IntervalOptions | None = None,
) -> Estimates: ...
def estimate(
    source: Given,
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
    by: str = "",
    options: IntervalOptions | None = None,
) -> Estimates | SideBySide:
    """Estimate every share and mean, with verdicts: of a collector's survey, or of files, merged, or of a tally.

    Files are tallies, packed reports or the folder of an archive.

    With a URL: `survey` is the id, `token` an analyst's, by default SOTTO_TOKEN of the environment; `wave` and
    `stratum` choose whose reports. Shares are about whom the survey says (`about`), unless `options` have a target.
    Of a file, or a data frame, with a row a person `column` has their reports, `design`
    says how they were asked, and the rest is as for `read_data`. `by`: the column of groups that are estimated side by
    side; of a survey "stratum". Raises FetchError, SourceError, DomainError.
    """
    chosen = Selection(wave, stratum)
    if column:
        if survey or token or chosen:
            raise SourceError("column goes with one file, or one data frame, and without survey, wave and stratum.")
        data = read_data(source, column, design, arm=arm, reports=reports, sampling=sampling, by=by)
        return data.estimate_groups(options) if by else data.estimate(options)
    if design or arm or reports or sampling:
        raise SourceError("design, arm, reports and sampling go with a table's column.")
    of = source_of(source, survey, token)
    if isinstance(of, FrameSource):
        raise SourceError("a data frame has a row a person: column says which of its columns has the reports.")
    if by:
        if by != STRATUM or stratum or not of.gives(REPORTS):
            raise SourceError(
                f"by ({by:.40}) must be {STRATUM!r} for a survey, without a stratum, from a collector or from packed "
                "reports; of a table with a row a person it is a column, and goes with column and design."
            )
        return estimate_strata_of(
            of, wave, options or IntervalOptions(), lambda text: warnings.warn(text, stacklevel=5)
        )
    tally = of.tally(chosen)
    found = estimate_tally(tally, options, by_wave=of.by_wave(tally, chosen))
    return with_verdicts(replace(found, stratum=stratum), tally)


def decode(
    source: Given,
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
    tally = source_of(source, survey, token).tally(Selection(wave, stratum))
    found = decode_tally(tally, question, candidates, options)
    asked = text_question(tally.survey, question)
    return replace(found, subject=replace(subject_of_tally(tally, asked), stratum=stratum))


@takes_old_keywords({"options": IntervalOptions}, level="options.level")
def associate(
    source: Given,
    survey: str = "",
    *,
    questions: Sequence[str],
    candidates: Candidates | None = None,
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    options: IntervalOptions | None = None,
) -> Association:
    """Estimate the joint table of two or three questions, and test whether they are independent.

    Of a collector's survey, of a file of packed reports, of an archive's folder, or of (survey, packed reports).
    `questions`: ids; QUESTION:OPTION for an option of an any-of question. Of `options` the level is taken. The rest is
    as for `estimate`.
    """
    level = (options or IntervalOptions()).only("a joint table", "level").level
    chosen = Selection(wave, stratum)
    of, records = source_of(source, survey, token).records(chosen)
    found = associate_records(of, chosen.of(of, records), questions, candidates, level=level)
    return replace(found, chosen=chosen)


@takes_old_keywords(
    {"options": IntervalOptions},
    level="options.level",
    target="options.target",
    simultaneous="options.simultaneous",
    anytime="options.method=anytime",
)
def compare_groups(
    groups: Mapping[str, Given | Group] | Data,
    *,
    question: str = "",
    answer: str = "",
    people: People | None = None,
    options: IntervalOptions | None = None,
) -> Tested[Difference]:
    """Hold groups against the first of them: differences and ratios with intervals that hold, a test of equality.

    `groups`, by name: tallies, files that `estimate` takes, or counts; or a table's, of `read_data(.., by=..)`.
    `question`, `answer`: that one alone. `people`: "other" or "same" ones in each group; where it is not said, maybe
    the same for waves of a survey, others else. Of `options` level, target (by default as the surveys say, else the
    population) and simultaneous are taken, and the method "anytime", for intervals that hold at every look. Of counts
    that contradict the design there is no verdict, P-value or difference: they are None, and `warnings` say whose.
    Raises SourceError, DomainError.
    """
    options = (options or IntervalOptions()).only("a comparison", "level", "target", "simultaneous", "method")
    if options.method not in (IntervalOptions().method, "anytime"):
        raise DomainError(f"method ({options.method!r}) must be anytime, or left out, in a comparison.")
    target = options.target
    known: People = "other"
    if isinstance(groups, Data):
        target = target or "population"
        title, sides, void = groups.table.name, sides_of_data(groups, target), misfits_of_data(groups)
    else:
        given = {name: of if isinstance(of, Group) else source_of(of).tally(Selection()) for name, of in groups.items()}
        tallies = [of for of in given.values() if isinstance(of, Tally)]
        target = target or target_of(*(of.survey for of in tallies))
        title, known = next((of.survey.title for of in tallies), GIVEN), people_of(tallies)
        sides, void = {name: _sides(of, target) for name, of in given.items()}, misfits_by_group(given)
    asked = {
        name: [side for side in of if question in ("", side.question) and answer in ("", side.answer)]
        for name, of in sides.items()
    }
    how = CompareOptions(options.level, target, options.simultaneous, options.method == "anytime", people or known)
    found = compare_sides(title, asked, how)
    by = groups.groups.name if isinstance(groups, Data) and groups.groups else ""
    return replace(found, by=by).held_against([one for one in void if question in ("", one[1].question)])


@takes_old_keywords(reach="options")
def plan(
    survey: Survey | str | os.PathLike[str],
    n: int,
    *,
    options: PlanOptions | None = None,
    half_width: float | None = None,
    total_epsilon: Decimal | None = None,
) -> SurveyPlan:
    """Return what n respondents will show of each question of a survey, or of a survey file, and what would help.

    About whom the survey says (`about`), unless `options` have a target. `half_width`: what is wanted of shares whose
    question has no `want`; `total_epsilon`: the most that a report may take to reach it, by default what it takes now.
    Nothing can be changed in a compiled survey, as in one that is published: only a file of its author's has helps that
    change its questions. Raises SourceError for a file that is no survey, DomainError unless n is in
    [2, 10^12].
    """
    draft = draft_of(survey) if isinstance(survey, Survey) else Draft.read(Path(survey))
    return plan_draft(draft, n, (options or PlanOptions()).of(draft.survey), half_width, total_epsilon)


def _sides(of: Tally | Group, target: Target) -> list[GroupEstimate]:
    return (
        sides_of_tally(of, target) if isinstance(of, Tally) else [side_of_group(of, binary_epsilon(of.channel), target)]
    )
