"""A survey's plan as a table for people, as JSON and CSV for programs: the same numbers in all three."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotto_estimator.inference.registry import is_text
from sotto_estimator.planning.assurance import EXPECTED
from sotto_estimator.planning.options import PLANNED, PlanOptions
from sotto_estimator.planning.outlook import Precision, outlook_of
from sotto_estimator.planning.score_plan import ScorePlan
from sotto_estimator.planning.survey import QuestionPlan
from sotto_estimator.planning.survey_plan import SurveyPlan
from sotto_estimator.results.document import Block, Cell, Column, Lines, Part, Table
from sotto_estimator.results.view import View
from sotto_estimator.results.words import method_words, target_words
from sotto_estimator.strings.plan import ERROR_RATE, POWER
from sotto_estimator.views.plan_help_words import help_lines, help_members, one_wave_lines, one_wave_members
from sotto_estimator.views.plan_panels import plan_panels
from sotto_estimator.views.plan_strata_words import strata_blocks
from sotto_estimator.views.plan_table import noise_words, width_words
from sotto_estimator.views.plan_together_words import together_hint, together_lines, together_members
from sotto_estimator.views.plan_waves_words import waves_blocks, waves_members
from sotto_estimator.views.plan_wish_words import (
    verdict_lines,
    verdict_members,
    wish_members,
    wish_table,
)
from sotto_estimator.views.plan_words import amount, of_asked, sentences
from sotto_protocol import Question
from sotto_protocol.words import epsilon_above

_OF_WISH = ("respondents_needed", "least_epsilon", "planned_epsilon")
_NOISE = "noise"
_OF_NOISE = (
    "noise: how far the variance of a report's noise is above the least that any mechanism of its epsilon can have"
)
_COLUMNS = [
    *map(Column, ("question", "about", "mechanism")),
    *(Column(name, "word") for name in ("epsilon", _NOISE, "n", "half-width", "least share", "least difference")),
]


def parts(plan: SurveyPlan) -> list[Part]:
    """Return the figures of every question, what they mean, what would help, and whether what is wished is reached."""
    is_known = any(one.of_least_noise for one in plan.questions)
    rows = [_cells(one, figures, is_known=is_known) for _, one in plan.rows for figures in one.figures]
    columns = [column for column in _COLUMNS if is_known or column.name != _NOISE]
    about = f"The lines below are about {target_words(plan.options.about)}{of_asked(plan)}."
    reached: list[Block] = []
    if plan.verdict:
        said = Lines(verdict_lines(plan.verdict, plan.wishes, plan), "  ")
        reached = [Lines([wanted_line(plan.options)], ""), wish_table(plan.wishes), said]
    return [
        Part("What the survey will show", [Lines(_caption(plan), ""), Table(columns, rows), Lines([about])]),
        Part("Question by question", [Lines(sentences(plan), "  ")]),
        Part("Mean scores", score_blocks(plan.scores)),
        Part("What would help", [Lines(help_lines(plan.helps, plan), "  ")]),
        Part("One wave", [Lines(one_wave_lines(plan, plan.one_waves), "  ")]),
        Part("Asked together", _together(plan)),
        Part("Asked in waves", waves_blocks(plan.waves, plan.survey.waves)),
        Part("In the smallest stratum", strata_blocks(plan.strata, plan)),
        Part("What is wanted", reached),
    ]


def score_blocks(scores: Sequence[ScorePlan]) -> list[Block]:
    """Return how precise each mean score will be; nothing of a survey without scores."""
    if not scores:
        return []
    columns = [*map(Column, ("question", "score", "scale")), Column("n", "count"), Column("half-width", "word")]
    rows: list[list[Cell]] = [
        [of.question, of.score, f"{of.minimum:g} to {of.maximum:g}", of.n_answers, f"{of.half_width:.3g}"]
        for of in scores
    ]
    return [Table(columns, rows), Lines(["half-width: if all options are equally common"])]


def _together(plan: SurveyPlan) -> list[Block]:
    if plan.together:
        return [Lines(together_lines(plan.together), "  ")]
    return [Lines([together_hint(plan.joinable)], "  ")] if plan.joinable else []


def wanted_line(options: PlanOptions) -> str:
    """Return what kind of intervals is meant by what is wished."""
    how = method_words(options.level, options.method, options.about)
    return f"Wanted: {how}, each valid on its own, at a true share of {100 * options.share:g} %"


def _caption(plan: SurveyPlan) -> list[str]:
    survey, options = plan.survey, plan.options
    of_draw = f", each of {survey.draw} of the {len(survey.questions)} questions" if survey.draw else ""
    of_wave = " a wave" if survey.waves > 1 else ""
    if survey.asked_in:
        of_wave = f", each asked in {survey.asked_in} of the {survey.waves} waves"
    how = method_words(options.level, options.method, options.about).rpartition(", about")[0]
    return [
        f"{plan.named}: n = {plan.n:,} respondents{of_wave}{of_draw}, epsilon {epsilon_above(survey.epsilon)} a report",
        f"{how}, at a true share of {100 * options.share:g} %; all: if all {plan.n_intervals} intervals must "
        f"be right at once{_assured(plan)}",
        _told(plan),
        *[_OF_NOISE] * any(one.of_least_noise for one in plan.questions),
    ]


def _told(plan: SurveyPlan) -> str:
    """Return what it means that a share is told from none, and groups from each other."""
    of_text = (
        f"; of a text, the smallest share that is found, at a false discovery rate of {100 * ERROR_RATE:g} % among "
        f"{plan.options.n_candidates:,} strings"
    )
    return (
        f"least share: its interval lies above 0 in {100 * POWER:g} of 100 surveys; least difference: between "
        f"two halves with shares about 50 %, whose intervals then do not overlap in about {100 * POWER:g} of 100 "
        f"surveys{of_text * any(is_text(question) for question in plan.survey.questions)}"
    )


def _assured(plan: SurveyPlan) -> str:
    assurance = plan.options.assurance
    if assurance == EXPECTED:
        return ""
    is_chance = any(one.n_answers < plan.n for one in plan.questions)
    of_answers = ", if as many are asked it as expected" * is_chance
    of_share = f"; for a share of the population, as narrow or narrower in {100 * assurance:g} of 100 surveys"
    return of_share + of_answers


def _cells(one: QuestionPlan, figures: Precision, *, is_known: bool) -> list[Cell]:
    question = one.question
    about = "all" if figures.is_together else figures.target
    if figures is not one.figures[0]:
        return ["", about, "", "", *[""] * is_known, "", *_figures(figures, question)]
    noise = [noise_words(one.of_least_noise)] * is_known
    known = [question.mechanism.name, epsilon_above(question.epsilon), *noise, f"{one.n_answers:,}"]
    return [question.id, about, *known, *_figures(figures, question)]


def _figures(figures: Precision, question: Question) -> list[str]:
    say = (lambda width, _: width_words(width)) if outlook_of(question).is_in_points else amount
    listed = (figures.half_width, figures.smallest_share, figures.smallest_difference)
    return ["-" if figure is None else say(figure, question) for figure in listed]


def survey_members(plan: SurveyPlan) -> dict[str, Any]:
    """Return the members of a plan's JSON object; shares as fractions, a number's figures in its unit."""
    document = _members(plan) | {"questions": [_question_members(one) for _, one in plan.rows]}
    document["helps"] = [help_members(one) for one in plan.helps]
    if plan.one_waves:
        document["one_wave"] = [one_wave_members(one) for one in plan.one_waves]
    if plan.together:
        document["together"] = together_members(plan.together)
    if plan.strata:
        document["strata"] = [asdict(one) for one in plan.strata]
    if plan.scores:
        document["scores"] = [asdict(one) for one in plan.scores]
    if plan.waves:
        document["waves"] = [waves_members(one) for one in plan.waves]
    if plan.verdict:
        document["wishes"] = [wish_members(wish) for wish in plan.wishes]
        document["verdict"] = verdict_members(plan.verdict)
    return document


def survey_records(plan: SurveyPlan) -> list[dict[str, Any]]:
    """Return the rows of CSV, one for each question, target, and one at a time or all together."""
    wished = {wish.question.id: wish_members(wish) for wish in plan.wishes}
    rows = []
    for _, one in plan.rows:
        members = _question_members(one)
        figures = members.pop("figures")
        members |= wished.get(one.question.id, dict.fromkeys(_OF_WISH))
        rows += [members | of_target | _members(plan) for of_target in figures]
    return rows


def _members(plan: SurveyPlan) -> dict[str, Any]:
    survey = plan.survey
    said = {"survey": survey.id, "n": plan.n, "epsilon_total": float(survey.epsilon), "draw": survey.n_drawn}
    return said | reach_members(plan.options) | {"n_intervals": plan.n_intervals, "power": POWER}


def reach_members(options: PlanOptions) -> dict[str, Any]:
    """Return what kind of intervals is planned."""
    members = options.members(*PLANNED)
    members["want_target"] = members.pop("target")
    return members


def _question_members(one: QuestionPlan) -> dict[str, Any]:
    question = one.question
    return {
        "question": question.id,
        "type": question.type,
        "mechanism": question.mechanism.name,
        "epsilon": float(question.epsilon),
        "n_answers": one.n_answers,
        "width": one.width,
        "unit": getattr(question.kind, "unit", ""),
        "want": one.want,
        "of_least_noise": one.of_least_noise,
        "figures": [asdict(figures) for figures in one.figures],
    }


VIEW: View[SurveyPlan] = View(parts=parts, members=survey_members, records=survey_records, panels=plan_panels)
