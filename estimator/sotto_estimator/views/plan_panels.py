"""A picture of a survey's plan: how far to either side of an estimate its interval will reach."""

from sotto_estimator.channel.channel import Target
from sotto_estimator.inference.registry import Figure, figure_of
from sotto_estimator.planning.survey import PlannedSurvey, QuestionPlan
from sotto_estimator.results.figure import Panel, Point, point_panel
from sotto_estimator.results.words import method_words
from sotto_estimator.strings.plan import POWER
from sotto_estimator.views.plan_table import width_words

_NAN = float("nan")


def plan_panels(plan: PlannedSurvey) -> tuple[str, list[Panel]]:
    """Return a title; a panel of the shares, one of each number in its unit, and one of the texts' smallest shares."""
    options = plan.options

    def of(figure: Figure) -> list[QuestionPlan]:
        return [one for one in plan.questions if figure_of(one.question) == figure]

    parts = [("points to both sides of the estimated share (%)", [_reach(one, 100) for one in of("share")])]
    for one in of("mean"):
        unit = getattr(one.question.kind, "unit", "")
        parts.append((f"{unit} to both sides of the estimated mean".strip(), [_reach(one, 1)]))
    told = f"the smallest share that is found with a probability of {100 * POWER:g} % (%)"
    parts.append((told, [_found(one, options.about) for one in of("string")]))
    how = f"{method_words(options.level, options.method, options.about)}, each by itself"
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
