"""Pictures of groups, plans and other programs' reports show the numbers of their tables."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes

from autofill import payloads
from beacons import beacons, write_lines
from newtab import clicks
from sotto_estimator import plan, read_data, read_format
from sotto_estimator.formats.autofill_texts import AutofillTexts
from sotto_estimator.formats.figures import Figures
from sotto_estimator.formats.shares import FormatShares
from sotto_protocol import compile_toml

SURVEY = """
id = "staff"
title = "Staff"
[[questions]]
id = "stay"
type = "yes-no"
text = "?"
epsilon = 1
[[questions]]
id = "hours"
type = "number"
text = "?"
minimum = 0
maximum = 20
unit = "hours"
epsilon = 1
[[questions]]
id = "home"
type = "text"
text = "?"
epsilon = 4
"""


def labels(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def whiskers(axes: Axes) -> list[list[float]]:
    """Return the ends of the intervals that are drawn, from top to bottom."""
    drawn = [path for container in axes.containers for path in segments(container) if len(path)]
    return [[path[0][0], path[1][0]] for path in drawn]


def segments(container: object) -> list[np.ndarray]:
    lines = getattr(container, "lines", None)
    return [segment for collection in lines[2] for segment in collection.get_segments()] if lines else []


def test_groups_are_bars_of_their_shares_beside_one_another(tmp_path: Path) -> None:
    rows = [f"{['north', 'south'][place % 2]},{int(place % 5 < 2 + place % 2)}" for place in range(600)]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["region,paid", *rows, ""]))
    found = read_data(path, "paid", "crosswise(prob=1/6)", by="region").estimate_groups()
    (axes,) = found.plot().axes
    rows_of = [one.rows[0] for one in found.estimates]
    assert labels(axes) == ["paid: yes, north", "paid: yes, south"]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([100 * row.share for row in rows_of])
    assert np.ravel(whiskers(axes)) == pytest.approx([100 * end for row in rows_of for end in (row.low, row.high)])


def test_groups_of_counts_that_no_share_explains_have_no_bar(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("\n".join(["of,paid", *["a,1"] * 300, *["b,1", "b,0"] * 150, ""]))
    found = read_data(tmp_path / "p.csv", "paid", "warner(prob=.6)", by="of").estimate_groups()
    (axes,) = found.plot().axes
    (_, other) = (one.rows[0] for one in found.estimates)
    assert labels(axes) == ["paid: yes, b"]
    assert whiskers(axes) == [pytest.approx([100 * other.low, 100 * other.high])]


def test_a_plan_shows_how_far_each_interval_reaches(tmp_path: Path) -> None:
    planned = plan(compile_toml(SURVEY), 1000)
    shares, hours, texts = planned.plot().axes
    of = {one.question.id: one for one in planned.questions}
    assert np.ravel(whiskers(shares)) == pytest.approx([-100 * of["stay"].width, 100 * of["stay"].width])
    assert np.ravel(whiskers(hours)) == pytest.approx([-of["hours"].width, of["hours"].width])
    assert "hours" in hours.get_xlabel()
    (point,) = [line.get_xdata()[0] for line in texts.lines if line.get_marker() == "o"]
    assert point == pytest.approx(100 * of["home"].of("population").smallest_share)


def test_figures_are_points_by_unit(tmp_path: Path) -> None:
    found = read_format("navigation-timing", [write_lines(tmp_path / "b.ndjson", beacons(2000))])
    assert isinstance(found, Figures)
    shares, times = found.plot().axes
    assert (shares.get_xlabel(), times.get_xlabel()) == ("%", "ms")
    assert len(labels(shares)) + len(labels(times)) == len(found.figures)
    of_shares = [of for of in found.figures if not of.unit]
    assert np.ravel(whiskers(shares)) == pytest.approx([100 * end for of in of_shares for end in (of.low, of.high)])


def test_shares_of_another_program_are_drawn_as_a_surveys(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.ndjson", clicks(300, 10, 0.5))
    found = read_format("firefox-clicks(items=10, epsilon=1)", [path])
    assert isinstance(found, FormatShares)
    (axes,) = found.plot().axes
    assert [bar.get_width() for bar in axes.patches] == [max(0, 100 * row.share) for row in found.estimates.rows]


@pytest.mark.thorough
def test_the_bits_of_a_field_are_drawn_from_the_first_to_the_last(tmp_path: Path) -> None:
    found = read_format("android-autofill", [write_lines(tmp_path / "p.ndjson", payloads(["Country"] * 300))])
    assert isinstance(found, AutofillTexts)
    (axes,) = found.plot().axes
    drawn = [segment for container in axes.containers for segment in segments(container)]
    bits = found.fields[0].bits
    assert len(drawn) == len(bits) == 256
    for place in (0, 5, 255):
        assert drawn[place][:, 0].tolist() == [place, place]
        assert drawn[place][:, 1] == pytest.approx([100 * bits[place].low, 100 * bits[place].high])
