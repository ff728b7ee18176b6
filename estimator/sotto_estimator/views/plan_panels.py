"""A picture of a survey's plan: how far to either side of an estimate its interval will reach."""

from sotto_estimator.channel.channel import Target
from sotto_estimator.inference.registry import figure_of, is_text
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.planning.survey import PlannedSurvey, QuestionPlan
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.words import method_words
from sotto_estimator.strings.plan import POWER
from sotto_estimator.views.plan_table import width_words

_NAN = float("nan")


def plan_panels(plan: PlannedSurvey) -> tuple[str, list[Panel]]:
    """Return a title; a panel of the shares, one of each number in its unit, and one of the texts' smallest shares."""
    options, texts = plan.options, [one for _, one in plan.rows if is_text(one.question)]
    estimated = [(one, outlook_of(one.question).is_in_points) for _, one in plan.rows if not is_text(one.question)]
    shares = [_reach(one, 100) for one, is_in_points in estimated if is_in_points]
    parts = [("points to both sides of the estimated share (%)", shares)]
    for one in (one for one, is_in_points in estimated if not is_in_points):
        words = f"{getattr(one.question.kind, 'unit', '')} to both sides of the estimated {figure_of(one.question)}"
        parts.append((words.strip(), [_reach(one, 1)]))
    told = f"the smallest share that is found with a probability of {100 * POWER:g} % (%)"
    parts.append((told, [_found(one, options.about) for one in texts]))
    how = f"{method_words(options.level, options.method, options.about)}, each valid on its own"
    title = f"{plan}\n{how}, at a true share of {100 * options.share:g} %"
    return title, [point_panel(points, words) for words, points in parts if points]


def _reach(one: QuestionPlan, scale: float) -> Point:
    half = scale * one.width
    return Point(f"{one.question.id}: ±{half:.2g}", 0, -half, half)


def _found(one: QuestionPlan, target: Target) -> Point:
    share = one.of(target).smallest_share
    if share is None:
        return Point(f"{one.question.id}: none", _NAN, _NAN, _NAN)
    return Point(f"{one.question.id}: {width_words(share)}", 100 * share, _NAN, _NAN)
