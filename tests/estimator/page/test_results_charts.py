"""The charts' marks stand where the numbers say, as SVG and as PNG; their texts are whole, or say that they are not."""

import io
import math
from collections.abc import Sequence
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matplotlib import image

from page_reading import percent_of
from sotto_estimator import Estimate, IntervalOptions, estimate_tally
from sotto_estimator.results.axis import Axis
from sotto_estimator.results.drawing import MARGIN_PX, WIDTH_PX, Drawing, head_px, shorten
from sotto_estimator.results.forms.png import draw_png
from sotto_estimator.results.largest import MAX_BARS, largest
from sotto_estimator.results.svg import inline_svg, whole_svg
from sotto_estimator.shares.verdict.verdict import of_precision
from sotto_estimator.views.share_section import draw_shares
from sotto_estimator.views.waves import WaveEstimate, WaveSeries, draw_waves
from sotto_protocol import Tally, compile_toml

shares = st.floats(-5, 5, allow_subnormal=False)
FACTS = compile_toml("""
id = "facts"
title = "Facts"
[[questions]]
id = "f"
type = "any-of"
mechanism = "bit-flips"
text = "Which?"
options = ["a", "b", "c"]
epsilon = 2
""")


def rows(*triples: tuple[float, float, float], answer: str = "answer") -> list[Estimate]:
    """Return estimates of these shares, lows and highs."""
    return [
        Estimate("q", f"{answer} {number}", 100, 50, 1.0, share, 0.1, low, high, 0.01, -0.01)
        for number, (share, low, high) in enumerate(triples)
    ]


def read(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(inline_svg(drawing, "x"))  # noqa: S314  # our own


def axis_of(chart: ElementTree.Element) -> tuple[float, float]:
    """Return the shares at which the axis begins and ends, as its ticks say."""
    ticks = [mark.text or "" for mark in chart if mark.get("class") == "faint"]
    return float(ticks[0].split()[0]) / 100, float(ticks[-1].split()[0]) / 100


def places(chart: ElementTree.Element, values: Sequence[float]) -> list[float]:
    """Return where shares must stand, in per cent across."""
    low, high = axis_of(chart)
    return [pytest.approx(100 * (value - low) / (high - low), abs=1e-3) for value in values]


@pytest.mark.parametrize(
    "triples",
    [
        [(0.35, 0.32, 0.38), (0.02, 0.0, 0.05), (0.63, 0.6, 0.66)],
        [(-0.4, 0.0, 0.0), (1.4, 0.9, 1.0)],
        [(0.0, 0.0, 0.001)],
        [(1.0, 0.97, 1.0)],
        [(0.123456, 0.1, 0.15)],
    ],
)
def test_bars_and_whiskers_stand_where_the_numbers_say(triples: list[tuple[float, float, float]]) -> None:
    chart = read(draw_shares("Which?", rows(*triples)))
    (zero,) = places(chart, [0])
    starts, widths = percent_of(chart, "bar", "x"), percent_of(chart, "bar", "width")
    likely = places(chart, [min(max(share, 0), 1) for share, _, _ in triples])
    for place, start, width in zip(likely, starts, widths, strict=True):
        assert (start, start + width) == (zero, place)
    across = list(zip(percent_of(chart, "whisker", "x1"), percent_of(chart, "whisker", "x2"), strict=True))
    spans = [of_precision(share, (low, high), (0, 1)) for share, low, high in triples]
    for (low, high), (body, at_low, at_high) in zip(spans, zip(*[iter(across)] * 3, strict=True), strict=True):
        assert [*body] == places(chart, [low, high])
        assert [*at_low, *at_high] == places(chart, [low, low, high, high])


def test_chart_of_a_tally_is_of_the_estimator_s_numbers() -> None:
    tally = Tally(FACTS, {1: 1000}, {"f": np.array([300, 500, 650])})
    estimated = estimate_tally(tally, IntervalOptions(level=0.99)).rows
    chart = read(draw_shares("Which?", estimated))
    spans = [of_precision(row.share, (row.low, row.high), (0, 1)) for row in estimated]
    assert percent_of(chart, "whisker", "x1")[::3] == places(chart, [low for low, _ in spans])
    assert percent_of(chart, "whisker", "x2")[::3] == places(chart, [high for _, high in spans])


def test_where_one_interval_is_too_wide_no_answer_has_a_bar() -> None:
    chart = read(draw_shares("Which?", rows((0.9, 0, 1), (0.2, 0.1, 0.3))))
    assert not percent_of(chart, "bar", "x")
    assert percent_of(chart, "dot", "cx") == places(chart, [0.9, 0.2])
    assert percent_of(chart, "whisker", "x1")[::3] == places(chart, [0, 0.1])
    assert [mark.text for mark in chart if mark.get("text-anchor") == "end"][-2:] == ["0 % – 100 %", "10 % – 30 %"]
    (said,) = [mark.text or "" for mark in chart if mark.tag == "desc"]
    assert said.startswith("A dot on its range for each answer.")


def test_points_of_the_waves_stand_where_the_numbers_say() -> None:
    points = tuple(
        WaveEstimate(wave, 100, share, 0.1, share - 0.1, share + 0.1) for wave, share in ((1, 0.2), (2, 0.5), (5, 0.3))
    )
    chart = read(draw_waves("Which?", [WaveSeries("yes", points), WaveSeries("no", points[:1])]))
    dots = [mark for mark in chart if mark.tag == "circle"]
    across, down = percent_of(chart, "dot", "cx"), [float(dot.attrib["cy"]) for dot in dots]
    assert (across[1] - across[0]) * 3 == pytest.approx(across[2] - across[1], abs=1e-3)  # as the waves lie apart
    assert (down[0] - down[1]) / (down[2] - down[1]) == pytest.approx(0.3 / 0.2, abs=1e-2)
    assert down[3] - down[0] == pytest.approx(132)  # the next panel has the same axis
    whiskers = [
        (float(mark.attrib["y1"]), float(mark.attrib["y2"])) for mark in chart if mark.get("class") == "whisker"
    ]
    for low, high in whiskers:
        assert low - high == pytest.approx(2 * (down[0] - down[1]) / 3, abs=1e-1)


def test_chart_is_described_for_who_cannot_see_it() -> None:
    chart = read(draw_shares("Which?", rows((0.35, 0.32, 0.38))))
    assert chart.attrib["role"] == "img"
    texts = {mark.attrib["id"]: mark.text for mark in chart if "id" in mark.attrib}
    assert chart.attrib["aria-labelledby"].split() == list(texts)
    assert list(texts.values()) == [
        "Which?",
        "A bar with its range for each answer. answer 0: between 32 and 38 %, best estimate 35 %.",
    ]


def test_largest_of_very_many_shares_are_drawn_in_their_order() -> None:
    many = rows(*[(number % 7 / 100, 0, 0.1) for number in range(300)])
    drawn = largest(many, MAX_BARS)
    assert len(drawn) == MAX_BARS
    assert drawn == sorted(drawn, key=many.index)
    assert min(row.share for row in drawn) >= max(row.share for row in many if row not in drawn)
    drawing = draw_shares("Which?", many)
    assert len(percent_of(read(drawing), "bar", "x")) == MAX_BARS
    assert "The chart shows the largest 200 of 300." in drawing.description


@pytest.mark.parametrize("answer", ["x" * 200, "\u6f22" * 200, "<&\"'>", "\U0001f468\u200d\U0001f469\u200d\U0001f467"])
def test_texts_of_any_kind_are_drawn(answer: str) -> None:
    drawing = draw_shares(answer, rows((0.35, 0.32, 0.38), answer=answer))
    file = ElementTree.fromstring(whole_svg(drawing, ["n = 100 reports", "caption"]))  # noqa: S314  # our own
    texts = [mark for mark in file.iter() if mark.tag.endswith("text")]
    whole = ["".join(text.itertext()) for text in texts]
    assert any(text.startswith(f"{answer} 0"[:20]) for text in whole)
    assert draw_png(drawing, ["n = 100 reports"]).startswith(b"\x89PNG")


def test_what_no_xml_may_hold_is_left_out() -> None:
    answer = "a\ufffe b\uffff c\x0b d\ud800 \U0001f469"
    drawing = draw_shares(answer, rows((0.35, 0.32, 0.38), answer=answer))
    for svg in (whole_svg(drawing, [answer]), inline_svg(drawing, "x").encode()):
        title = ElementTree.fromstring(svg)[0]  # noqa: S314  # our own
        assert title.text == "a b c d \U0001f469"


def test_picture_shows_what_the_svg_does() -> None:
    drawing = draw_shares("Which?", rows((0.8, 0.8, 0.8), (0.4, 0.4, 0.4)))
    pixels = image.imread(io.BytesIO(draw_png(drawing, ["n = 100 reports"])))
    height = head_px(["n = 100 reports"]) + drawing.height + MARGIN_PX
    assert pixels.shape[:2] == (round(2 * height), 2 * WIDTH_PX)
    is_bar = (abs(pixels[:, :, :3] - [0x5F / 255, 0x8F / 255, 0xC9 / 255]) < 0.02).all(axis=2)
    lengths = [length for length in is_bar.sum(axis=1) if length]
    chart = read(drawing)
    expected = [width / 100 * (WIDTH_PX - 2 * MARGIN_PX) * 2 for width in percent_of(chart, "bar", "width")]
    assert [max(lengths), min(lengths)] == [pytest.approx(each, abs=12) for each in expected]


@pytest.mark.thorough
def test_picture_of_very_many_bars_is_no_larger_than_programs_take() -> None:
    content = draw_png(draw_shares("Which?", rows(*[(0.5, 0.4, 0.6)] * 250)), [])
    height, width = image.imread(io.BytesIO(content)).shape[:2]
    assert width == WIDTH_PX
    assert height < 10_000


@given(st.lists(shares, max_size=20))
def test_axis_holds_zero_and_all_values_with_few_round_ticks(values: list[float]) -> None:
    axis = Axis.over(values)
    assert axis.low <= min([0, *values]) + 1e-9
    assert axis.high >= max([0, *values]) - 1e-9
    assert 2 <= len(axis.ticks) <= 6
    assert 0.0 in axis.ticks
    steps = [after - before for before, after in pairwise(axis.ticks)]
    assert steps == [pytest.approx(steps[0])] * len(steps)
    mantissa = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
    assert min(abs(mantissa - nice) for nice in (1, 2, 2.5, 5)) < 1e-6
    for value in values:
        assert -1e-6 <= axis.place(value) <= 1 + 1e-6


@given(st.text(max_size=60), st.integers(2, 40))
def test_shortened_text_fits_and_begins_as_the_whole(text: str, n_columns: int) -> None:
    short = shorten(text, n_columns)
    assert short == text or (short.endswith("\u2026") and text.startswith(short[:-1]))
    assert len(short) <= n_columns
