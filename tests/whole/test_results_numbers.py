"""The results page of numbers: mean, quantiles and density in words, tables and charts, and wave by wave."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from collecting import tally_of
from house import House, open_house
from page_reading import password, percent_of, read_page
from sotto_estimator import IntervalOptions, estimate_tally
from sotto_estimator.numbers.distribution import Bin, Distribution, Quantile
from sotto_estimator.numbers.mean import MeanEstimate
from sotto_estimator.results.drawing import Drawing
from sotto_estimator.results.forms.png import draw_png
from sotto_estimator.results.svg import inline_svg
from sotto_estimator.views.number_section import draw_number
from sotto_protocol import Survey, compile_toml
from sotto_protocol.language import language

NUMBER = """
type = "number"
minimum = 0
maximum = 50
step = 1
unit = "<years>"
"""
PEOPLE = compile_toml(f"""
id = "people"
title = "People"
[[questions]]
id = "married"
text = "How long are you married?"
epsilon = 2
distribution = true
{NUMBER}
[[questions]]
id = "service"
text = "How long have you worked here?"
mechanism = "window"
epsilon = 1
{NUMBER}
""")
WAVES = compile_toml(f"""
id = "yearly"
title = "Every year"
waves = 3
[[questions]]
id = "service"
text = "How long have you worked here?"
epsilon = 1
epsilon_forever = 2
{NUMBER}
[[questions]]
id = "member"
type = "yes-no"
text = "Are you a member?"
epsilon = 1
""")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", PEOPLE, WAVES) as opened:
        yield opened


def see(house: House, survey: Survey, rest: str = "") -> Any:
    return house.http.get(f"/s/{survey.id}/results{rest}", headers=password(house.analyst))


def test_tables_hold_the_numbers_of_the_estimator(house: House) -> None:
    tally = tally_of(PEOPLE, house.collect(PEOPLE, 400))
    found = estimate_tally(tally, IntervalOptions(0.9))
    page = read_page(see(house, PEOPLE, "?level=0.9"))
    for mean in found.means:
        (row,) = page.table(f"Estimates of the mean (<years>) {mean.question}")
        (more,) = page.table(f"Errors, and what fakes would add {mean.question}")
        assert row[1:] == [mean.mean, mean.low, mean.high]
        assert more[1:] == [mean.standard_error, mean.shift_up, mean.shift_down]
        assert f"90 % confidence in each range, for the population (method: {mean.interval})" in page.words
    (distribution,) = found.distributions
    quantiles = page.table("Quantiles, approximate (<years>) married")
    assert [row[1:] for row in quantiles] == [[of.value, of.low, of.high] for of in distribution.quantiles]
    assert [row[0] for row in quantiles] == ["10 %", "25 %", "Median", "75 %", "90 %"]
    shares = page.table("Density, bin by bin, approximate (<years>) married")
    assert [row[2] for row in shares] == [each.share for each in distribution.bins]
    assert "Approximate: the density of" in page.words
    assert "<years>" not in page.text


def test_files_hold_means_and_charts_are_found(house: House) -> None:
    house.collect(PEOPLE, 50)
    assert [mean["question"] for mean in json.loads(see(house, PEOPLE, ".json").text)["means"]] == [
        "married",
        "service",
    ]
    for kind, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        response = see(house, PEOPLE, f"/service/mean.{kind}")
        assert (response.status_code, response.data[: len(begin)]) == (200, begin)
    assert see(house, PEOPLE, "/service/shares.svg").status_code == 404
    page = read_page(see(house, PEOPLE))
    links = [link["href"] for link in page.all("a") if "married" in link.get("href", "")]
    assert links == ["results/married/mean.svg", "results/married/mean.png"]


def test_waves_of_means_stand_beside_each_other(house: House) -> None:
    tallies = {wave: tally_of(WAVES, house.collect(WAVES, 60 * wave, wave)) for wave in (1, 2)}
    page = read_page(see(house, WAVES))
    means = {wave: estimate_tally(tally).means[0] for wave, tally in tallies.items()}
    rows = page.table("Wave by wave: Mean service")
    ends = {wave: [of.low, of.high] if of.has_interval else ["–", "–"] for wave, of in means.items()}
    assert rows == [[str(wave), f"{of.n_reports:,}", of.mean, *ends[wave]] for wave, of in means.items()]
    pooled, last = page.table("Estimates of the mean (<years>) service")
    assert pooled[1] == estimate_tally(tallies[1] + tallies[2]).means[0].mean
    assert last[:2] == ["the last wave", means[2].mean]
    assert see(house, WAVES, "/service/waves.svg").status_code == 200


def test_a_mean_that_a_method_does_not_know_says_by_which_its_interval_is(house: House) -> None:
    house.collect(PEOPLE, 50)
    response = see(house, PEOPLE, "?method=wilson")
    assert response.status_code == 200
    words = read_page(response).words
    assert "by Gaffke's bound (Dirichlet weights), as wilson knows no mean of more" in words
    chart = see(house, PEOPLE, "/married/mean.svg?method=wilson").text
    assert "as wilson knows no mean" in " ".join(ElementTree.fromstring(chart).itertext())  # noqa: S314  # our own


MEAN = MeanEstimate("q", "years", 0, 50, 100, 1.0, 20.0, 1.5, 15.0, 30.0, 0.5, -0.2, "by bets")
DISTRIBUTION = Distribution(
    "q",
    "years",
    100,
    2.0,
    (Bin(0, 19, 0.2), Bin(20, 39, 0.6), Bin(40, 50, 0.2)),
    (Quantile(0.5, 25, 22, 28),),
)


def chart_of(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(inline_svg(drawing, "x"))  # noqa: S314  # our own


def test_marks_stand_where_the_numbers_say() -> None:
    chart = chart_of(draw_number("Which?", MEAN, DISTRIBUTION))
    faint = [mark.text or "" for mark in chart if mark.get("class") == "faint"]
    ticks = [float(words.split()[0]) for words in faint if words[0].isdigit()]
    lines = percent_of(chart, "grid", "x1")

    def places(*values: float) -> list[float]:
        return [pytest.approx(np.interp(value, ticks, lines), abs=1e-2) for value in values]

    assert percent_of(chart, "dot", "cx") == places(20, 25)
    assert percent_of(chart, "whisker", "x1")[::3] == places(15, 22)
    assert percent_of(chart, "whisker", "x2")[::3] == places(30, 28)
    assert percent_of(chart, "bar", "x") == places(0, 20, 40)
    heights = [float(mark.attrib["height"]) for mark in chart if mark.get("class") == "bar"]
    assert heights == pytest.approx([heights[1] / 3, heights[1], heights[1] / 3 * 20 / 11], abs=0.02)
    assert draw_png(draw_number("Which?", MEAN, DISTRIBUTION), [])[:4] == b"\x89PNG"


def test_the_chart_is_described_for_who_cannot_see_it() -> None:
    words = draw_number("Which?", MEAN, DISTRIBUTION).description
    assert words == "Mean: 20, from 15 to 30. Median: 25, about 22 to 28. The table has all numbers."
    spoken = draw_number("Which?", MEAN, None, language("en"), "Jahre")
    assert spoken.description == "Mean (Jahre): 20, from 15 to 30."


@pytest.mark.parametrize("mean", [-30.0, 80.0])
def test_a_mean_outside_of_the_range_stays_on_the_chart(mean: float) -> None:
    outside = MeanEstimate("q", "", 0, 50, 3, 1.0, mean, 40.0, 0.0, 50.0, 0.5, -0.2, "by bets")
    (place,) = percent_of(chart_of(draw_number("Which?", outside, None)), "dot", "cx")
    assert 0 <= place <= 100
