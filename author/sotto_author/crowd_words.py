"""What a survey will show of a crowd, in words for an author who has never heard of epsilon."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from sotto_author.crowd import Crowd, Outlook
from sotto_protocol import Question, Survey
from sotto_protocol.cohorts import likely_reports
from sotto_protocol.extras import install_command
from sotto_protocol.minimum import needs_of, which_of
from sotto_protocol.tables import align

_UNKNOWN = f"how precise it will be is unknown without the estimator: {install_command('estimator')}"
_USELESS = "too imprecise to use"


def say_crowd(crowd: Crowd) -> str:
    """Return the verdicts, and what would help where it is needed."""
    helps = [*_helps_of_shown(crowd), *_helps_of_hidden(crowd)]
    strata = [_say_strata(crowd)] if crowd.strata else []
    return "\n\n".join([say_verdicts(crowd), *strata, *(["\n".join(helps)] if helps else [])])


def _say_strata(crowd: Crowd) -> str:
    """Return what the smallest stratum shows, by itself and pooled."""
    from sotto_estimator.results.document import Part
    from sotto_estimator.results.forms.text import text_of
    from sotto_estimator.views.plan_strata_words import strata_blocks

    assert crowd.plan is not None  # noqa: S101  # strata are planned by it
    return text_of([Part("In the smallest stratum", strata_blocks(crowd.strata, crowd.plan))])


def say_verdicts(crowd: Crowd) -> str:
    """Return a verdict on each question, and about whom they are."""
    known = [[one.question.id, say_outlook(one, crowd)] for one in crowd.outlooks if one.grade != "unknown"]
    table = [align([["question", "verdict"], *known])] if known else []
    return "\n".join([say_about(crowd), *table, *_say_scores(crowd), *([] if crowd.plan else [_UNKNOWN])])


def _say_scores(crowd: Crowd) -> list[str]:
    """Return how precise each mean score will be, and of which scores it is."""
    if crowd.plan is None:
        return []
    from sotto_estimator.planning.score_plan import plan_scores

    by_id = {question.id: question for question in crowd.survey.questions}
    return [
        f"{one.question}: {one.score} +- {one.half_width:.3g} on a scale from {one.minimum:g} to {one.maximum:g}"
        f" ({_scores(by_id[one.question])})"
        for one in plan_scores(crowd.plan)
    ]


def _scores(question: Question) -> str:
    from sotto_estimator.inference.registry import scores_of

    scored = zip(question.options, scores_of(question), strict=True)
    return ", ".join(f"{option}: {'no score' if score is None else f'{score:g}'}" for option, score in scored)


def say_about(crowd: Crowd) -> str:
    """Return whom the verdicts are about, and by which intervals."""
    of_wave = " of a wave" if crowd.survey.waves > 1 else ""
    of_strata = ", in all strata together: each has fewer" if crowd.survey.strata else ""
    named = ", ".join(crowd.within)
    where = f", in {'each of the strata' if len(crowd.within) > 1 else 'stratum'} {named}" if named else of_strata
    said = f"What {crowd.n:,} people will show{of_wave}, if all of them answer{where}"
    if crowd.plan is None:
        return said
    from sotto_estimator.results.forms.text import wrapped
    from sotto_estimator.results.words import method_words
    from sotto_estimator.views.plan_words import of_asked

    options = crowd.plan.options
    how = method_words(options.level, options.method, options.about)
    asked = f"sotto estimate --target {options.about} --method {options.method}"
    return wrapped(f"{said}; {how}{of_asked(crowd.plan)} ({asked})", "")


def say_outlook(one: Outlook, crowd: Crowd) -> str:
    """Return the verdict on one question in words, unless it is not known."""
    if one.grade == "never":
        return f"can never be shown: {_needed(one, crowd.survey)}, and there are {crowd.n:,} people"
    return _say_width(one) + _say_risk(one, crowd)


def _say_width(one: Outlook) -> str:
    from sotto_estimator.inference.registry import figure_of, is_text
    from sotto_estimator.views.plan_table import width_words
    from sotto_estimator.views.plan_words import amount, within

    plan = one.plan
    assert plan is not None  # noqa: S101  # it is said only of what was planned
    if is_text(one.question):
        found = f"finds answers that {width_words(plan.width)} or more of all give"
        nothing = "not even what everybody writes is found" if plan.width >= 1 else found
        return {"good": found, "rough": f"rough: {found}"}.get(one.grade, f"{_USELESS} ({nothing})")
    if plan.is_hopeless:
        how = f"{within(plan.width, one.question)}; any result stays possible"
    elif figure_of(one.question) == "share":
        how = f"+- {say_points(plan.width)}"
    else:
        how = f"+- {amount(plan.width, one.question)}"
    return {"good": f"good to {how}", "rough": f"rough: {how}"}.get(one.grade, f"{_USELESS} ({how})")


def say_points(width: float) -> str:
    """Return the half-width of a share in points, as `sotto plan` says it; of one that leaves every share possible so.

    >>> say_points(0.0267), say_points(1.66)
    ('2.67 points', '50 points or more')
    """
    from sotto_estimator.views.plan_words import points

    return "50 points or more" if width >= 0.5 else points(width)


def _say_risk(one: Outlook, crowd: Crowd) -> str:
    """Return that a question may stay hidden, though there are people enough for it."""
    n_groups = 1 if crowd.within else crowd.survey.n_strata
    if crowd.n_reports >= n_groups * one.need.likely or crowd.survey.min_reports == 1:
        return ""
    where = " in a stratum" * (n_groups > 1)
    return f"; it may stay hidden{where} with fewer than {one.need.likely:,} reports"


def _needed(one: Outlook, survey: Survey) -> str:
    each = which_of(survey, one.need)
    return f"it needs {one.need.least:,} reports" + f" ({survey.min_reports:,}{each})" * bool(each)


def _helps_of_shown(crowd: Crowd) -> list[str]:
    """Return what would help the questions that are shown, and are not good."""
    hidden = {one.question.id for one in crowd.of("never")}
    helps = [one for one in crowd.helps if not hidden & {of.question.id for of in one.questions}]
    if crowd.plan is None or not helps:
        return []
    from sotto_estimator.results.document import Lines, Part
    from sotto_estimator.results.forms.text import text_of
    from sotto_estimator.views.plan_help_words import help_lines

    return [text_of([Part("What would help", [Lines(help_lines(helps, crowd.plan), "  ")])])]


def _helps_of_hidden(crowd: Crowd) -> Iterator[str]:
    """Yield what would let the questions be seen that never are."""
    ids = {question.id for question in crowd.survey.questions}
    for one in crowd.of("never"):
        if one.question.id not in ids:  # asked together with others: the same ways, once
            continue
        yield f"{one.question.id}: ways to show it:"
        yield from (f"  - {way}" for way in _ways(one, crowd))


def _ways(one: Outlook, crowd: Crowd) -> Iterator[str]:
    survey, n = crowd.survey, crowd.n_reports
    if (most := _most_min_reports(survey, one.question.id, n)) > 0:
        yield f"min_reports = {most} instead of {survey.min_reports}" if most > 1 else "without min_reports"
    if one.question.type == "text" and survey.people is None:
        yield f"people = {crowd.n} in the file: a text question then has no more cohorts than these people fill"
    if one.question.type == "text" and (cohorts := _most_cohorts(one, survey, n)):
        yield f"n_cohorts = {cohorts} instead of {one.need.n_cohorts}"
    if one.question.type == "text":
        yield "a one-of question, with the answers that you expect as its options"
    yield f"more people: {-(-one.need.likely * survey.waves // survey.max_reports):,}"


def _most_min_reports(survey: Survey, question_id: str, n: int) -> int:
    """Return the largest min_reports with which a question is likely to be shown of n people; 0 if none is."""

    def is_likely(min_reports: int) -> bool:
        return needs_of(replace(survey, min_reports=min_reports))[question_id].likely <= n

    return max((k for k in range(1, survey.min_reports) if is_likely(k)), default=0)


def _most_cohorts(one: Outlook, survey: Survey, n: int) -> int:
    """Return the most cohorts, a power of two, each of which n people are likely to fill; 0 if not even two are."""
    part = Fraction(survey.n_drawn, len(survey.questions))
    tried = [2**power for power in range(1, one.need.n_cohorts.bit_length()) if 2**power < one.need.n_cohorts]
    return max((k for k in tried if likely_reports(k, survey.min_reports, part) <= n), default=0)


def say_never(crowd: Crowd) -> str:
    """Return what can never be shown of so many people; "" where all can."""
    names = ", ".join(one.question.id for one in crowd.of("never"))
    return names and f"{crowd.n:,} people are too few ever to show {names}."


def say_useless(crowd: Crowd) -> list[str]:
    """Return what nobody could use of what so many people show; none where all is of use."""
    names = ", ".join(one.question.id for one in crowd.of("useless"))
    said = [f"{crowd.n:,} people are too few to show anything useful about {names}."] if names else []
    return [*said, *_say_useless_strata(crowd)]


def _say_useless_strata(crowd: Crowd) -> Iterator[str]:
    """Yield what the smallest stratum does not show, or nobody could use."""
    n = crowd.strata[0].n if crowd.strata else 0
    if names := ", ".join(crowd.of_strata("hidden")):
        yield (
            f"a stratum of {n:,} people most likely shows nothing of {names}: too few of them answer it "
            f"(min_reports {crowd.survey.min_reports:,}). Then it is not in the results of all strata together either."
        )
    if names := ", ".join(crowd.of_strata("useless")):
        yield f"{n:,} people in a stratum are too few to show anything useful about {names} there."
