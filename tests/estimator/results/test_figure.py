"""One description of a figure: SVG and matplotlib show the same of it, whatever shapes it has."""

import math
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from sotto_estimator import Channel, estimate_counts
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.figure import (
    Bar,
    Box,
    Panel,
    Point,
    RowLabel,
    Scale,
    Spot,
    Whisker,
    bar_panels,
    bits_panel,
    curve_panel,
    density_panel,
    point_panel,
)
from sotto_estimator.results.layout import lay_out
from sotto_estimator.results.panels import draw_panel
from sotto_estimator.results.svg import inline_svg

NEW = Panel(
    [Box(2, 6, 0.65, 1.35, 3), Whisker(3, 8, 1), Spot(4, 0), Whisker(math.nan, math.nan, 0), Spot(5, 0, is_truth=True)],
    Scale("a new kind", 0, 10),
    rows=[RowLabel("<first>", "said"), RowLabel("second")],
)
"""A kind of figure that nobody has made yet: it is described, and nothing else."""
FIGURES = {
    "new": [NEW],
    "bars": bar_panels([Bar("a", 0.4, 0.3, 0.5, 1, 0.45), Bar("b", -0.1, 0, 0.1)], "title")[1],
    "dots": bar_panels([Bar("a", 0.4, 0.1, 0.9), Bar("b", 0.2, 0.1, 0.3)], "title")[1],
    "points": [point_panel([Point("a", 2, -1, 3), Point("b", math.nan, math.nan, math.nan, is_faint=True)], "years")],
    "one point": [point_panel([Point("a", 5, math.nan, math.nan)], "years", (5, 5))],
    "curves": [curve_panel({"<x>": [(10, 0.5), (1000, 0.1)], "none": []}, "n", "half-width")],
    "no curve": [curve_panel({}, "n", "half-width")],
    "density": [density_panel([(0, 1, 0.25), (1, 3, 0.75)], Scale("density", 0, 3))],
    "bits": [bits_panel([(10, 30), (math.nan, math.nan)], "bits")],
    "nothing": [],
}


def svg_of(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(inline_svg(drawing, "x"))  # noqa: S314  # our own


@pytest.mark.parametrize("panels", FIGURES.values(), ids=FIGURES)
def test_every_figure_is_drawn_in_both_forms(panels: list[Panel]) -> None:
    drawing = lay_out("<title>", "described", panels)
    chart = svg_of(drawing)
    assert "nan" not in inline_svg(drawing, "x")
    assert chart[0].text == "<title>"
    for mark in chart:
        places = [mark.get(name, "0%").removesuffix("%") for name in ("x", "x1", "x2", "cx")]
        assert all(-1 <= float(place) <= 101 for place in places)
        heights = [float(mark.get(name, "0")) for name in ("y1", "y2", "cy") if "%" not in mark.get(name, "0")]
        assert all(-1 <= height <= drawing.height + 1 for height in heights)
    for panel in panels:
        figure = Figure()
        draw_panel(figure.subplots(), panel)
        figure.canvas.draw()


def test_a_new_kind_of_figure_is_at_the_same_numbers_in_both() -> None:
    chart = svg_of(lay_out("new", "", [NEW]))
    (box,) = [mark for mark in chart if mark.get("class") == "bar3"]
    assert (box.get("x"), box.get("width")) == ("20%", "40%")
    whiskers = [(mark.get("x1"), mark.get("x2")) for mark in chart if mark.get("class") == "whisker"]
    assert whiskers == [("30%", "80%"), ("30%", "30%"), ("80%", "80%")]
    assert [mark.get("cx") for mark in chart if mark.get("class") == "dot"] == ["40%"]
    assert [mark.text for mark in chart if mark.text in ("<first>", "second", "said", "a new kind", "◆")] == [
        *("a new kind", "<first>", "said", "◆", "second")
    ]
    axes = Figure().subplots()
    draw_panel(axes, NEW)
    (patch,) = axes.patches
    assert (patch.get_x(), patch.get_width()) == (2, 4)  # type: ignore[attr-defined]  # a rectangle
    assert [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() in ("o", "D")] == [4, 5]  # type: ignore[index]  # a list
    assert [label.get_text() for label in axes.get_yticklabels()] == ["<first>", "second"]
    assert (axes.get_xlim(), axes.get_xlabel()) == ((0, 10), "a new kind")


def test_lines_that_are_drawn_have_a_name_and_a_place_on_a_logarithmic_axis() -> None:
    chart = svg_of(lay_out("", "", [curve_panel({"x": [(10, 0.5), (100, 0.2), (1000, 0.1)]}, "n", "half-width")]))
    dots = [float((mark.get("cx") or "").removesuffix("%")) for mark in chart if mark.tag == "circle"]
    assert dots[1] - dots[0] == pytest.approx(dots[2] - dots[1])
    assert "x" in [mark.text for mark in chart]


def test_a_report_with_its_picture_needs_no_matplotlib() -> None:
    code = """
import sys
from sotto_estimator import Channel, estimate_counts
print(estimate_counts(831, 2435, Channel.warner(2 / 3)).to_html().count("<svg"), "matplotlib" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "1 False\n", done.stderr


def test_a_report_follows_the_reader_s_scheme_and_is_light_on_paper() -> None:
    html = estimate_counts(831, 2435, Channel.warner(2 / 3)).to_html()
    assert "color-scheme: light dark" in html
    assert "@media screen and (prefers-color-scheme: dark)" in html  # not in print
    assert 'class="chart"' in html
