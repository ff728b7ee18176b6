"""A survey's plan as a table for people, as JSON and CSV for programs: the same numbers in all three."""

from dataclasses import asdict
from typing import Any

from sotto_estimator.channel import TARGETS, Target
from sotto_estimator.numbers.counts import is_number
from sotto_estimator.planning.outlook import Figures
from sotto_estimator.planning.survey import QuestionPlan, SurveyPlan
from sotto_estimator.planning.survey_words import amount, sentences, wrapped
from sotto_estimator.planning.table import width_words
from sotto_estimator.render import csv_text, json_text, method_words
from sotto_estimator.strings.plan import ERROR_RATE, POWER
from sotto_protocol.tables import align
from sotto_protocol.words import epsilon_above

_COLUMNS = ["half-width", "from none", "two groups"]


def survey_table(plan: SurveyPlan) -> str:
    """Return the figures of every question, two rows each, what they mean, and sentences."""
    head = ["question", "about", "mechanism", "epsilon", "n", *_COLUMNS, *(f"{name}, all" for name in _COLUMNS)]
    rows = [_cells(one, target) for one in plan.questions for target in TARGETS]
    return "\n\n".join([_caption(plan), align([head, *rows], n_left=3), sentences(plan)])


def _caption(plan: SurveyPlan) -> str:
    survey, reach = plan.survey, plan.reach
    of_draw = f", each of {survey.draw} of the {len(survey.questions)} questions" if survey.draw else ""
    of_wave = " a wave" if survey.waves > 1 else ""
    how = method_words(reach.level, reach.method, reach.target).rpartition(", about")[0]
    return "\n".join(
        [
            f"{survey.title}: n = {plan.n:,} respondents{of_wave}{of_draw}, epsilon {epsilon_above(survey.epsilon)} a "
            "report",
            f"{how}, at a true share of {100 * reach.share:g} %; all: if all {plan.n_intervals} intervals are to hold "
            "at once",
            wrapped(
                f"from none: the smallest share whose interval lies above 0 with a probability of {100 * POWER:g} %; "
                f"two groups: the smallest difference between two halves whose intervals then do not meet, about "
                f"{100 * POWER:g} times in 100; of text the smallest share that is found, at a false discovery rate of "
                f"{100 * ERROR_RATE:g} % among {reach.n_candidates:,} strings",
                "",
            ),
        ]
    )


def _cells(one: QuestionPlan, target: Target) -> list[str]:
    named = [one.question.id, target, one.question.mechanism.name, epsilon_above(one.question.epsilon)]
    named[0] = named[0] if target == TARGETS[0] else ""
    alone, together = one.of(target), one.of(target, is_together=True)
    return [*named, f"{one.n_answers:,}", *_figures(alone, one), *_figures(together, one)]


def _figures(figures: Figures, one: QuestionPlan) -> list[str]:
    say = amount if is_number(one.question) else lambda width, _: width_words(width)
    listed = (figures.half_width, figures.smallest_share, figures.smallest_difference)
    return ["-" if figure is None else say(figure, one) for figure in listed]


def survey_json(plan: SurveyPlan) -> str:
    """Return the plan as a JSON object; shares as fractions, a number's figures in its unit."""
    return json_text(_members(plan) | {"questions": [_question_members(one) for one in plan.questions]})


def survey_csv(plan: SurveyPlan) -> str:
    """Return the plan as CSV, a row for each question, target, and one at a time or all together."""
    rows = []
    for one in plan.questions:
        members = _question_members(one)
        figures = members.pop("figures")
        rows += [members | of_target | _members(plan) for of_target in figures]
    return csv_text(rows)


def _members(plan: SurveyPlan) -> dict[str, Any]:
    survey = plan.survey
    said = {"survey": survey.id, "n": plan.n, "epsilon_total": float(survey.epsilon), "draw": survey.n_drawn}
    reach = asdict(plan.reach)
    reach["want_target"] = reach.pop("target")
    return said | reach | {"n_intervals": plan.n_intervals, "power": POWER}


def _question_members(one: QuestionPlan) -> dict[str, Any]:
    question = one.question
    return {
        "question": question.id,
        "type": question.type,
        "mechanism": question.mechanism.name,
        "epsilon": float(question.epsilon),
        "n_answers": one.n_answers,
        "unit": getattr(question.kind, "unit", ""),
        "want": one.want,
        "figures": [asdict(figures) for figures in one.figures],
    }
