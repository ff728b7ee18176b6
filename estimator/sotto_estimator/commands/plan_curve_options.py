"""The options of `sotto plan --plot`, and what it prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from sotto_estimator.commands.options import grouped, is_typed, plan_error
from sotto_estimator.planning.table import QuestionShape
from sotto_estimator.planning.width_curves import AGAINST, Against, CurvePoint, curve_lines, curve_points
from sotto_estimator.views.plan_curves import curve_csv, curve_json, curve_table
from sotto_estimator.views.plan_table import half_width_words

_OPTIONS = (
    click.option(
        "--plot",
        "plot_path",
        type=click.Path(path_type=Path),
        help="Draw half-widths as curves into this PNG, PDF or SVG file, and print their points.",
    ),
    click.option(
        "--against",
        type=click.Choice(AGAINST),
        default=None,
        help="With --plot: what the half-widths are drawn against  [default: n].",
    ),
)
_AXES = {"n": "n, respondents", "epsilon": "epsilon", "options": "options"}
_NEVER_CURVES = {
    "n_questions": "--questions",
    "is_text": "--text",
    "minimum": "--minimum",
    "epsilon_forever": "--epsilon-forever",
}


@dataclass(frozen=True, slots=True)
class CurveAsk:
    """Which curves are asked for, None where none are."""

    plot_path: Path | None
    against: Against | None


def curve_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --plot and --against; the command gets `curve`."""
    return grouped("curve", CurveAsk, *_OPTIONS)(command)


def check_curve_options(curve: CurveAsk) -> None:
    """Raise UsageError for an option that was typed and does not go with --plot, or goes only with it."""
    if curve.against and not curve.plot_path:
        raise click.UsageError("--against goes with --plot.")
    for name, flag in _NEVER_CURVES.items():
        if is_typed(name) and curve.plot_path:
            raise click.UsageError(f"--plot does not go with {flag}.")


def curve_output(
    style: str,
    curve: CurveAsk,
    design: QuestionShape,
    epsilons: Sequence[Decimal],
    n: int | None,
    wanted: float | None,
    options: dict[str, Any],
) -> str:
    """Draw the curves, and return their points as text, JSON or CSV. Raises UsageError."""
    against = curve.against or "n"
    try:
        points = curve_points(against, design, epsilons, n, wanted, **options)
    except ValueError as fault:
        raise plan_error(fault) from None
    if curve.plot_path:
        _draw(curve.plot_path, points, against, half_width_words(options))
    return {"json": curve_json, "csv": curve_csv}.get(style, curve_table)(points, {"against": against, **options})


def _draw(path: Path, points: Sequence[CurvePoint], against: Against, title: str) -> None:
    from sotto_estimator.views.curves import draw_curves  # matplotlib takes a second to load

    draw_curves(curve_lines(points, against), (_AXES[against], "half-width"), title, path)
