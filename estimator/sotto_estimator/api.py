"""What a program asks for by one call: estimates, strings, joint tables and plans, of a collector or of files.

A source is a collector's URL with a survey's id and an analyst's token; or files, or what was read of them.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Literal, cast, overload

from sotto_estimator.association.associate import Association, associate as associate_records
from sotto_estimator.association.axes import Candidates
from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.compare import CompareOptions, Difference
from sotto_estimator.comparing.equivalence import MarginTested
from sotto_estimator.comparing.exact_tests import Alternative, Method
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.group_estimates import People
from sotto_estimator.comparing.result import Tested
from sotto_estimator.comparing.tested_groups import TestedGroups
from sotto_estimator.comparing.tested_shares import ShareTested, ShareTestOptions, shares_tested
from sotto_estimator.comparing.trend import Trend, trend_of_sides
from sotto_estimator.designs.design import Arm
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.intervals.margin import Margin
from sotto_estimator.microdata.microdata import Data, read_data
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.planning.draft import Draft
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey_plan import SurveyPlan, draft_of, plan_draft
from sotto_estimator.shares.by_group import SideBySide, estimate_strata_of
from sotto_estimator.shares.estimates import STRATUM, Estimates
from sotto_estimator.shares.of_source import estimate_source
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import FrameSource, Given, source_of
from sotto_estimator.strings.decode import Decoded, DecodeOptions
from sotto_estimator.strings.google import decode_files
from sotto_estimator.strings.question import decode_tally, text_question
from sotto_estimator.strings.subject import subject_of_tally
from sotto_estimator.strings.unknown import ALPHABET
from sotto_estimator.strings.unlisted import decode_unlisted
from sotto_protocol import Survey
from sotto_protocol.deprecated import takes_old_keywords

Groups = Mapping[str, Given | Group | Arm | Sequence[Arm]] | Data
"""Groups by name: what `estimate` takes, or counts; or those of a table."""


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
    pooled: bool = False,
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
    covariances: bool = False,
    likelihood: bool = False,
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
    pooled: bool = False,
    covariances: bool = False,
    likelihood: bool = False,
    options: IntervalOptions | None = None,
) -> Estimates | SideBySide:
    """Estimate every share and mean of a survey or a table, with verdicts.

    `source` is a collector's URL, a file or several, a tally, or a data frame. Files are tallies, packed reports or the
    folder of an archive. Several are merged.

    With a URL, `survey` is the survey's id. `token` is an analyst's, by default SOTTO_TOKEN of the environment. `wave`
    and `stratum` choose whose reports are estimated. The survey says (`about`) whom shares are about, unless `options`
    have a target. `covariances` adds the covariances of the shares. `likelihood` adds the shares of maximum likelihood
    of whole reports, from packed reports, an archive or a collector.

    With a table, a file or data frame with one row per person, `column` names the reports. `design` says how people
    were asked. `arm`, `reports` and `sampling` are as for `read_data`.

    `by` estimates groups side by side. It names a column of the table, or is "stratum" for a survey. `pooled` then adds
    approximate estimates of strata, for small ones. Raises FetchError, SourceError, DomainError.
    """
    chosen = Selection(wave, stratum)
    if covariances and (column or by):
        raise SourceError("covariances go with one survey's tally, without column and by.")
    if pooled and (by != STRATUM or column):
        raise SourceError(f"pooled goes with by={STRATUM!r}, and with a survey.")
    if likelihood and (column or by):
        raise SourceError("likelihood goes with one survey's reports, without column and by.")
    if column:
        if survey or token or chosen:
            raise SourceError("column goes with one file, or one data frame, and without survey, wave and stratum.")
        data = read_data(source, column, design, arm=arm, reports=reports, sampling=sampling, by=by)
        return data.estimate_groups(options) if by else data.estimate(options)
    if design or arm or reports or sampling:
        raise SourceError("design, arm, reports and sampling go with a table's column.")
    of = source_of(source, survey, token)
    if isinstance(of, FrameSource):
        raise SourceError("a data frame has one row per person: name the column of the reports with `column`.")
    if by:
        if by != STRATUM or stratum or not of.gives(REPORTS):
            raise SourceError(
                f"by ({by:.40}) must be {STRATUM!r} for a survey, without a stratum, from a collector or from packed "
                "reports. For a table with one row per person it is a column, and goes with column and design."
            )
        return estimate_strata_of(
            of, wave, options or IntervalOptions(), lambda text: warnings.warn(text, stacklevel=6), pooled=pooled
        )
    return estimate_source(
        of,
        of.tally(chosen),
        chosen,
        options or IntervalOptions(),
        covariances=covariances,
        likelihood=likelihood,
    )


def decode(
    source: Given,
    survey: str = "",
    *,
    question: str,
    candidates: Sequence[str],
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    keep_all: bool = False,
    limit: int | None = None,
    options: DecodeOptions | None = None,
) -> Decoded:
    """Find which candidates are common answers to a text question, and their shares.

    `keep_all` also bounds the shares of candidates that were not detected. `limit` is how many texts every form shows,
    the most common first. The rest is as for `estimate`.
    """
    tally = source_of(source, survey, token).tally(Selection(wave, stratum))
    found = decode_tally(tally, question, candidates, options, keep_all=keep_all)
    asked = text_question(tally.survey, question)
    return replace(found, subject=replace(subject_of_tally(tally, asked), stratum=stratum), limit=limit)


def decode_unknown(
    source: Given,
    survey: str = "",
    *,
    question: str,
    alphabet: str = ALPHABET,
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    limit: int | None = None,
    options: DecodeOptions | None = None,
) -> Decoded:
    """Find common answers to a text question without a list of candidates. The question needs `unknown = true`.

    `source` is a tally where devices report beginnings of texts, and packed reports where they report n-grams.
    `alphabet` has the characters that texts may have. The rest is as for `decode`.
    """
    of = source_of(source, survey, token)
    found = decode_unlisted(of, question, Selection(wave, stratum), alphabet, options or DecodeOptions())
    return replace(found, limit=limit)


def decode_rappor(
    params: str | os.PathLike[str],
    counts: str | os.PathLike[str],
    candidates: Sequence[str] | str | os.PathLike[str],
    *,
    keep_all: bool = False,
    limit: int | None = None,
    options: DecodeOptions | None = None,
) -> Decoded:
    """Decode google/rappor's files: parameters (k, h, m, p, q, f) and counts, one row per cohort.

    `candidates` is the file of google/rappor's map. Or it is texts, which are hashed as google/rappor hashes them. The
    rest is as for `decode`. Raises SourceError, which names file and row, DomainError.
    """
    given = Path(candidates) if isinstance(candidates, str | os.PathLike) else candidates
    found = decode_files(Path(params), Path(counts), given, options or DecodeOptions(), keep_all=keep_all)
    return replace(found, limit=limit)


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

    `source` is a collector's URL, a file of packed reports, an archive's folder, or (survey, packed reports).
    `questions` are ids. QUESTION:OPTION names an option of an any-of question. `candidates` has the texts of each text
    question. Only the level of `options` is used. The rest is as for `estimate`.
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
    groups: Groups,
    *,
    question: str = "",
    answer: str = "",
    people: People | None = None,
    by: str = "",
    within: float | None = None,
    not_lower_by: float | None = None,
    not_higher_by: float | None = None,
    fdr: bool = False,
    options: IntervalOptions | None = None,
) -> Tested[Difference] | Tested[MarginTested]:
    """Compare groups with the first of them: differences and ratios with intervals, and a test of equality.

    `groups` are tallies, files that `estimate` takes, or counts, by name. Counts are a `Group`, an `arm`, or several
    arms. Or `groups` is a table with groups: `read_data(.., by=..)`. `question` and `answer` choose one question or
    answer.

    `people` says whether groups have "other" people or may have the "same". The default is "same" for waves of a
    survey, else "other". `by` names what the groups are, such as stratum, where their names don't say it.

    `within` tests whether shares differ by less than these points (equivalence). `not_lower_by` and `not_higher_by`
    test one side (non-inferiority). `fdr` holds the false discovery rate of the rows (Benjamini & Yekutieli).

    `options` may have a level, a target, and simultaneous. The default target is that of the surveys, else the
    population. The method "anytime" makes intervals that stay valid at every look.

    Where counts contradict the design, the verdict, P-value and difference are None, and `warnings` name the groups.
    Raises SourceError, DomainError.
    """
    options = (options or IntervalOptions()).only("a comparison", "level", "target", "simultaneous", "method")
    if options.method not in (IntervalOptions().method, "anytime"):
        raise DomainError(f"method ({options.method!r}) must be anytime, or left out, in a comparison.")
    found = _tested(groups, options.target, by).only(question, answer)
    how = CompareOptions(
        options.level, found.target, options.simultaneous, options.method == "anytime", people or found.people, fdr
    )
    margin = Margin.of(within=within, not_lower_by=not_lower_by, not_higher_by=not_higher_by)
    return found.compared(how, margin)


def share_test(
    source: Given | Group | Arm | Sequence[Arm] | Groups,
    survey: str = "",
    *,
    null: float,
    within: float | None = None,
    alternative: Alternative = "two-sided",
    method: Method = "clopper-pearson",
    question: str = "",
    answer: str = "",
    token: str = "",
    wave: int | None = None,
    stratum: str | None = None,
    people: People | None = None,
    by: str = "",
    fdr: bool = False,
    options: IntervalOptions | None = None,
) -> Tested[ShareTested]:
    """Test whether each share of a population is `null`, exactly, by the number of reports that support it.

    `source` is what `estimate` takes, a table of `read_data`, or counts: a `Group`, an `arm`, or several arms. Or it is
    groups, as for `compare_groups`, with its `people` and `by`. Then each share of each group is tested. `question` and
    `answer` choose one question or answer.

    `alternative` is "two-sided", "greater" or "less". `method` is "clopper-pearson" or "blaker", and says how two tails
    make one P-value. `within` tests instead whether the share is less than these points from `null`.

    `fdr` holds the false discovery rate of the rows. Its method is Benjamini & Hochberg's if each row is a group of
    other people. Else it is Benjamini & Yekutieli's. `options` may have a level and simultaneous.

    The rest is as for `estimate`. Counts that contradict the design are treated as by `compare_groups`. Raises
    SourceError, FetchError, DomainError.
    """
    options = (options or IntervalOptions()).only("a test of a share", "level", "simultaneous")
    chosen = Selection(wave, stratum)
    counts = None if isinstance(source, Data | Mapping) else _counts(source)
    if (survey or token or chosen) and (counts or isinstance(source, Data | Mapping)):
        raise SourceError("survey, token, wave and stratum go with a collector's URL, or with packed reports.")
    if isinstance(source, Data) and source.groups is None:
        found = TestedGroups.of_data(source, "population")
    elif isinstance(source, Data | Mapping):
        found = _tested(source, "population", by)
    else:
        of = counts or source_of(cast("Given", source), survey, token).tally(chosen)
        found = TestedGroups.of({"": of}, "population")
    found = found.only(question, answer)
    how = ShareTestOptions(
        null, alternative, method, options.level, options.simultaneous, within, fdr, people or found.people
    )
    return found.told(shares_tested(found.title, found.groups, how, found.contradictions))


def trend_test(
    groups: Groups,
    *,
    scores: Sequence[float] = (),
    question: str = "",
    answer: str = "",
    people: People | None = None,
    by: str = "",
    fdr: bool = False,
    options: IntervalOptions | None = None,
) -> Tested[Trend]:
    """Test whether a share, or a mean, rises or falls over three or more ordered groups (Cochran-Armitage).

    `scores` are the positions of the groups. The default is the numbers that are a table's groups, else 1, 2, ..
    `options` may have a level, a target and simultaneous. The rest is as for `compare_groups`.
    """
    options = (options or IntervalOptions()).only("a trend test", "level", "target", "simultaneous")
    found = _tested(groups, options.target, by).only(question, answer)
    how = CompareOptions(options.level, found.target, options.simultaneous, people=people or found.people, fdr=fdr)
    places = tuple(scores) or found.scores
    return found.told(trend_of_sides(found.title, found.groups, how, places, found.contradictions))


def _tested(groups: Groups, target: Target | None, by: str = "") -> TestedGroups:
    """Return the groups that a program names. Raises SourceError, DomainError."""
    if isinstance(groups, Data):
        if groups.groups is None:
            raise DomainError("name the column of the groups: read_data(.., by=COLUMN).")
        return TestedGroups.of_data(groups, target)
    read = {name: _counts(of) or source_of(cast("Given", of)).tally(Selection()) for name, of in groups.items()}
    return TestedGroups.of(read, target, by)


def _counts(of: object) -> Group | Sequence[Arm] | None:
    """Return counts, of a channel or of designs; None for a source."""
    if isinstance(of, list | tuple) and of and all(isinstance(one, Arm) for one in of):
        return of
    return of if isinstance(of, Group) else [of] if isinstance(of, Arm) else None


@takes_old_keywords(reach="options")
def plan(
    survey: Survey | str | os.PathLike[str],
    n: int,
    *,
    options: PlanOptions | None = None,
    half_width: float | None = None,
    total_epsilon: Decimal | None = None,
    together: Sequence[str] = (),
    smallest: int | None = None,
) -> SurveyPlan:
    """Return what n respondents will show about each question of a survey or survey file, and what would help.

    The survey says (`about`) whom the plan is about, unless `options` have a target. `half_width` is the target of
    shares whose question has no `want`. `total_epsilon` is the most that a report may take to reach the targets. The
    default is what the report takes now. `together` has the ids of 2 or 3 questions. The plan then also says what they
    show if they are asked together. `smallest` is how many people are in the smallest stratum.

    A compiled survey, such as a published one, never changes. So only an author's file gets help that changes its
    questions. Raises SourceError for a file that is not a survey, DomainError unless n is in [2, 10^12].
    """
    draft = draft_of(survey) if isinstance(survey, Survey) else Draft.read(Path(survey))
    return plan_draft(
        draft, n, (options or PlanOptions()).of(draft.survey), half_width, total_epsilon, together, smallest
    )
