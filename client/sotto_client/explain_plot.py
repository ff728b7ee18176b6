"""The curves of an explanation as a picture: SVG, written by hand, so that a device needs no program to draw it."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from textwrap import shorten

from sotto_protocol import Survey
from sotto_protocol.curves import Curve, curves
from sotto_protocol.words import epsilon_above, printable, whole_percent_above

_SIDE, _LEFT, _TOP, _GAP, _LEGEND = 320, 70, 64, 100, 22
"""Of a panel, and what is around it: all in pixels."""
_WIDTH = _LEFT + 2 * _SIDE + _GAP + 30
_STYLES = [("#0b5d66", ""), ("#a33b20", "7 4"), ("#6a4a9c", "2 3")]
"""The colour and the dashes of each line: to be told apart without colours too."""
_MAX_TITLE = 70
_TICKS = [0, 0.25, 0.5, 0.75, 1]

Points = Iterable[tuple[float, float]]


def draw_explanation(survey: Survey) -> str:
    """Return both curves as SVG: of the answer that tells most, of all together, and of all waves."""
    drawn = _choose(curves(survey), len(survey.questions))
    title = f"What a report of “{shorten(survey.title, _MAX_TITLE, placeholder=' ..')}” tells"
    height = _TOP + _SIDE + 70 + _LEGEND * len(drawn)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
            f'height="{height}" role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="13">',
            f'<title id="title">{_clean(title)}</title>',
            f'<desc id="desc">{_clean(" ".join(map(_describe, drawn)))}</desc>',
            '<rect width="100%" height="100%" fill="#fff"/>',
            _text(_WIDTH / 2, 24, title, size=16),
            *_panel(0, "suspicion before", "suspicion after", "A suspicion", drawn, _posteriors),
            *_panel(1, "false accusations", "true ones caught", "The best test of an answer", drawn, _powers),
            *_legend(drawn),
            "</svg>\n",
        ]
    )


def _choose(found: Sequence[Curve], n_questions: int) -> list[Curve]:
    """Return the question that takes most, and what is of more than one answer."""
    return [max(found[:n_questions], key=lambda curve: curve.epsilon), *found[n_questions:]]


def _posteriors(curve: Curve) -> list[Points]:
    """Return the curve of the highest and that of the lowest."""
    return [[(s.prior, s.highest) for s in curve.suspicions], [(s.prior, s.lowest) for s in curve.suspicions]]


def _powers(curve: Curve) -> list[Points]:
    return [[(test.level, test.power) for test in curve.accusations]]


def _panel(
    place: int, across: str, up: str, name: str, drawn: Sequence[Curve], lines: Callable[[Curve], list[Points]]
) -> list[str]:
    left = _LEFT + place * (_SIDE + _GAP)
    parts = [_text(left + _SIDE / 2, _TOP - 12, name, size=14)]
    for tick in _TICKS:
        x, y = left + tick * _SIDE, _TOP + (1 - tick) * _SIDE
        parts += [_line([(tick, 0), (tick, 1)], left, "#ddd"), _line([(0, tick), (1, tick)], left, "#ddd")]
        parts += [_text(x, _TOP + _SIDE + 18, f"{tick:.0%}"), _text(left - 8, y + 4, f"{tick:.0%}", anchor="end")]
    parts.append(_line([(0, 0), (1, 1)], left, "#999", "1 4"))
    for curve, style in zip(drawn, _STYLES, strict=False):
        parts += [_line(points, left, *style, width=2) for points in lines(curve)]
    middle = f"rotate(-90 {left - 48} {_TOP + _SIDE / 2})"
    parts.append(_text(left + _SIDE / 2, _TOP + _SIDE + 38, across))
    parts.append(_text(left - 48, _TOP + _SIDE / 2, up, more=f' transform="{middle}"'))
    return parts


def _legend(drawn: Sequence[Curve]) -> list[str]:
    parts = []
    for row, (curve, (colour, dashes)) in enumerate(zip(drawn, _STYLES, strict=False)):
        y = _TOP + _SIDE + 66 + row * _LEGEND
        parts.append(
            f'<path d="M{_LEFT} {y - 4}h40" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes or "none"}"/>'
        )
        parts.append(_text(_LEFT + 50, y, f"{curve.of}: epsilon {epsilon_above(curve.epsilon)}", anchor="start"))
    return parts


def _describe(curve: Curve) -> str:
    """Return a curve in words, for who does not see it."""
    tenth = next(suspicion for suspicion in curve.suspicions if suspicion.prior == 0.1)
    test = next(test for test in curve.accusations if test.level == 0.05)
    return f"{curve.of}: someone who was 10 % sure can become at most {whole_percent_above(tenth.highest)} sure. {test}"


def _line(points: Points, left: float, colour: str, dashes: str = "", width: float = 1) -> str:
    path = " ".join(f"{left + x * _SIDE:.1f},{_TOP + (1 - y) * _SIDE:.1f}" for x, y in points)
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-dasharray="{dashes or "none"}"/>'
    )


def _text(x: float, y: float, words: str, *, size: int = 13, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{more}>{_clean(words)}</text>'


def _clean(words: str) -> str:
    """Return words as XML takes them: a survey's texts are not trusted."""
    return escape(printable(words))
