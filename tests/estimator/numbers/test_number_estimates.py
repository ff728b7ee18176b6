"""A tally with numbers: means and distributions in tables, JSON, CSV and pictures, and what does not go with them."""

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from sotto_client import os_coins
from sotto_client.cli import main
from sotto_estimator import DomainError, Estimates, IntervalOptions, SourceError, estimate_tally
from sotto_estimator.association.axes import read_sides
from sotto_estimator.channel.channel import Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import mean_bounds
from sotto_estimator.results.panels import draw_panel
from sotto_estimator.views.numbers import number_panels
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.segment_design import best_segments
from sotto_protocol.mechanisms.window_design import window

SURVEY = compile_toml("""
id = "people"
title = "People"
[[questions]]
id = "age"
type = "number"
text = "How old are you?"
minimum = 0
maximum = 120
step = 1
unit = "years"
epsilon = 2
distribution = true
[[questions]]
id = "pay"
type = "number"
text = "What do you earn a month?"
minimum = 0
maximum = 10_000
step = 50
unit = "euros"
mechanism = "window"
epsilon = 1
[[questions]]
id = "member"
type = "yes-no"
text = "Are you a member?"
epsilon = 1
""")


def tally_of(survey: Survey, answers: dict[str, Sequence[int]]) -> Tally:
    """Return the tally of answers as mechanisms take them, perturbed."""
    n = len(next(iter(answers.values())))
    counts = {
        question.id: question.mechanism.count_support(question.mechanism.perturb(answers[question.id], os_coins()))
        for question in survey.questions
    }
    return Tally(survey, {1: n}, counts)


@pytest.fixture(scope="module")
def tally() -> Tally:
    generator = np.random.default_rng(3)
    answers = {
        "age": generator.binomial(120, 0.35, 20_000),
        "pay": generator.binomial(200, 0.3, 20_000),
        "member": generator.integers(0, 2, 20_000),
    }
    return tally_of(SURVEY, answers)


@pytest.fixture(scope="module")
def estimates(tally: Tally) -> Estimates:
    return estimate_tally(tally, IntervalOptions(1 - 1e-9))


def test_means_are_in_the_unit_and_their_intervals_hold_the_truth(estimates: Estimates) -> None:
    age, pay = estimates.means
    assert (age.question, age.unit, age.n_reports, age.epsilon) == ("age", "years", 20_000, 2)
    assert (pay.minimum, pay.maximum) == (0, 10_000)
    assert age.low < 42 < age.high < 50
    assert pay.low < 3000 < pay.high < 4000
    assert [row.question for row in estimates.rows] == ["member"]
    assert [of.question for of in estimates.distributions] == ["age"]
    assert "Gaffke's bound" in age.interval
    assert "Gaffke's bound" in pay.interval


def test_simultaneous_intervals_count_means_too(tally: Tally) -> None:
    together = estimate_tally(tally, IntervalOptions(0.9, simultaneous=True))
    alone = estimate_tally(tally, IntervalOptions(1 - 0.1 / 3))
    for one, other in zip(together.means, alone.means, strict=True):
        assert [one.low, one.high] == pytest.approx([other.low, other.high])
    assert together.rows[0].low == pytest.approx(alone.rows[0].low)


def test_table_says_means_with_their_units_and_what_is_approximate(estimates: Estimates) -> None:
    text = estimates.as_table()
    lines = text.splitlines()
    assert any(line.startswith("age ") and line.endswith(" years") for line in lines)
    assert any(line.startswith("pay ") and line.endswith(" euros") for line in lines)
    assert any(line.split()[:2] == ["age", "median"] for line in lines)
    assert "quantiles and densities are approximate" in text
    assert "the interval of the mean of age: by Gaffke's bound" in text
    assert max(map(len, lines)) <= 130


def test_json_has_the_numbers_of_the_estimates(estimates: Estimates) -> None:
    document = json.loads(estimates.as_json())
    assert [mean["mean"] for mean in document["means"]] == [mean.mean for mean in estimates.means]
    assert "consistent_mean" not in document["means"][0]
    (found,) = document["distributions"]
    assert found["interval"] == "approximate"
    assert sum(each["share"] for each in found["bins"]) == pytest.approx(1)
    assert [of["prob"] for of in found["quantiles"]] == [0.1, 0.25, 0.5, 0.75, 0.9]


def test_csv_has_a_row_a_share_a_mean_a_quantile_and_a_bin(estimates: Estimates) -> None:
    rows = list(csv.DictReader(io.StringIO(estimates.as_csv())))
    of_age = [row for row in rows if row["question"] == "age"]
    assert [row["mean"] != "" for row in rows].count(True) == 2
    assert float(of_age[0]["mean"]) == estimates.means[0].mean
    assert of_age[0]["share"] == of_age[0]["answer"] == ""
    quantiles = [row for row in of_age if row["quantile"]]
    assert [float(row["value"]) for row in quantiles] == [of.value for of in estimates.distributions[0].quantiles]
    assert {row["interval"] for row in quantiles} == {"approximate"}
    bins = [row for row in of_age if row["from"]]
    assert sum(float(row["share"]) for row in bins) == pytest.approx(1)
    assert {row["level"] for row in rows} == {str(1 - 1e-9)}


def test_csv_of_shares_alone_has_no_columns_of_numbers() -> None:
    shares = compile_toml('id="s"\ntitle="S"\n[[questions]]\nid="a"\ntype="yes-no"\ntext="?"\nepsilon=1\n')
    header = estimate_tally(Tally(shares, {1: 9}, {"a": np.array([4])})).as_csv().splitlines()[0]
    assert "mean" not in header
    assert "unit" not in header


def test_picture_has_means_beside_shares(estimates: Estimates, tmp_path: Path) -> None:
    path = tmp_path / "people.svg"
    estimates.plot(path)
    texts = path.read_text()
    for said in ("age", "mean and quantiles (years)", "mean (euros)", "member: yes"):
        assert f"<!-- {said} -->" in texts, said


def test_picture_has_the_quantiles_and_the_density_of_a_distribution(estimates: Estimates) -> None:
    (age,), mean = estimates.distributions, estimates.means[0]
    figure = Figure()
    rows, density = figure.subplots(2)
    for axes, panel in zip((rows, density), number_panels(mean, age), strict=True):
        draw_panel(axes, panel)
    assert [label.get_text() for label in rows.get_yticklabels()] == ["age", "10 %", "25 %", "median", "75 %", "90 %"]
    values = [float(line.get_xdata()[0]) for line in rows.lines if line.get_marker() == "o"]
    assert values == [mean.mean, *(quantile.value for quantile in age.quantiles)]
    drawn = [part for each in rows.containers for part in each.lines[2][0].get_segments()]
    whiskers = [part[:, 0].tolist() for part in drawn]
    ends = [(each.low, each.high) for each in (mean, *age.quantiles)]
    assert np.allclose(whiskers, ends, atol=1e-9)
    areas = [bar.get_width() * bar.get_height() for bar in density.patches]
    assert np.allclose(areas, [each.share for each in age.bins])
    assert np.allclose([bar.get_x() for bar in density.patches], [start for start, _, _ in age.bars])
    assert rows.get_xlim() == density.get_xlim()
    assert len(number_panels(estimates.means[1], None)) == 1


@pytest.mark.rare
def test_picture_of_very_many_is_no_higher_than_programs_can_show(estimates: Estimates, tmp_path: Path) -> None:
    rows = [replace(estimates.rows[0], answer=str(number), share=number / 2000) for number in range(1000)]
    many = replace(estimates, figures=(*rows, *estimates.means * 30, *estimates.distributions))
    path = tmp_path / "many.svg"
    many.plot(path)
    texts = path.read_text()
    assert "<!-- the largest 200 of 1,000 shares are drawn -->" in texts
    assert f"<!-- the first 20 of {len(many.means)} questions for a number are drawn -->" in texts
    assert "<!-- member: 800 -->" in texts
    assert "<!-- member: 799 -->" not in texts
    height_px = float(re.search(r'height="([\d.]+)pt"', texts)[1]) / 72 * 120  # type: ignore[index]
    assert height_px < 2**15


@pytest.mark.parametrize(("output", "name"), [(0, "shift_down"), (1, "shift_up")])
def test_fakes_that_say_what_all_say_move_nothing(output: int, name: str) -> None:
    """In JSON as in the table: where they did in the last digit, they were said to move the mean by -1.89e-16."""
    for most in range(2, 40):
        number = f'type="number"\nmechanism="window"\ntext="?"\nminimum=0\nmaximum={most}\nepsilon=0.7\n'
        survey = compile_toml(f'id="n"\ntitle="N"\n[[questions]]\nid="k"\n{number}')
        counts = np.zeros(2, np.int64)
        counts[output] = most
        found = estimate_tally(Tally(survey, {1: most}, {"k": counts}), is_held=False)
        assert getattr(found.means[0], name) == 0
        assert re.search(r"e-1|-0 ", found.as_table()) is None


def test_one_report_is_one_report(tally: Tally) -> None:
    alone = Tally(
        SURVEY, {1: 1}, {key: np.eye(1, len(counts), dtype=np.int64)[0] for key, counts in tally.support_counts.items()}
    )
    assert estimate_tally(alone).as_table().startswith("People: n = 1 report, epsilon 4 a report\n")


def test_outputs_that_no_honest_crowd_gives_contradict_the_design(tally: Tally) -> None:
    assert not estimate_tally(tally).contradictions
    n = 20_000
    for question, output in (("age", 0), ("age", 99), ("pay", 1)):
        counts = dict(tally.support_counts)
        counts[question] = np.zeros_like(counts[question])
        counts[question][output] = n
        estimates = estimate_tally(Tally(SURVEY, {1: n}, counts))
        (found,) = estimates.contradictions
        assert (found.question, found.answer) == (question, f"output {output}")
    (mean,) = estimates["pay"]
    assert mean.mean is mean.low is mean.high is None
    assert re.search(r"\npay +20,000 +\S+ +- +- +- +- +- +- ", estimates.as_table())
    (member,) = (of for of in json.loads(estimates.as_json())["means"] if of["question"] == "pay")
    assert (member["low"], member["high"]) == (None, None)


def test_a_survey_of_numbers_alone_has_a_table(tally: Tally) -> None:
    alone = compile_toml(
        'id="n"\ntitle="N"\n[[questions]]\nid="k"\ntype="number"\ntext="?"\nminimum=0\nmaximum=9\nstep=1\nepsilon=1\n'
        'mechanism="window"\n'
    )
    counts = np.array([30, 70])
    found = estimate_tally(Tally(alone, {1: 100}, {"k": counts}), IntervalOptions(method="clopper-pearson"))
    assert "fakes high" in found.as_table()
    assert "share" not in found.as_table()
    assert found.as_csv().startswith("question,unit,")
    with pytest.raises(SourceError, match="no reports"):
        estimate_tally(Tally.empty(alone))


def test_numbers_have_no_joint_table() -> None:
    with pytest.raises(DomainError, match=r"pay asks for numbers\. A joint table takes yes-no"):
        read_sides(SURVEY, ["member", "pay"], {})


def test_by_a_method_that_knows_no_means_the_command_prints_them_by_the_default(tally: Tally, tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    path.write_bytes(tally.to_json())
    shown = CliRunner().invoke(main, ["estimate", str(path)])
    assert shown.exit_code == 0
    assert "median" in shown.stdout
    by_wilson = CliRunner().invoke(main, ["estimate", str(path), "--method", "wilson"])
    assert by_wilson.exit_code == 0, by_wilson.stderr
    made = "by Gaffke's bound (Dirichlet weights), as wilson knows no mean of more than two outputs"
    assert f"the interval of the mean of age: {made}\n" in by_wilson.stdout
    wilson, usual = (estimate_tally(tally, IntervalOptions(method=method)) for method in ("wilson", "chernoff"))
    assert wilson.means[0].low == usual.means[0].low
    assert wilson.means[1].low > usual.means[1].low  # of two outputs: Wilson's
    assert wilson.rows[0].low > usual.rows[0].low


def measured(mechanism: LevelResponse, step: int, n: int) -> np.ndarray:
    """Return the places that n perturbed reports of a number say, each by itself."""
    channel = NumberChannel.of(mechanism)
    outputs = mechanism.numbers(mechanism.perturb(np.full(n, step), os_coins()))
    return channel.place_of(channel.outputs[outputs])


@pytest.mark.parametrize("design", [window, best_segments])
@pytest.mark.parametrize(("epsilon", "step"), [("1", 50), ("3", 0), ("3", 41), ("6", 77)])
def test_reports_vary_as_much_as_the_channel_says(
    epsilon: str, step: int, design: Callable[[int, Decimal], LevelResponse]
) -> None:
    """Within seven standard errors; and never more than the worst variance that plans go by."""
    mechanism = design(100, Decimal(epsilon))
    channel, at = NumberChannel.of(mechanism), step / 100 * (mechanism.levels - 1)
    output = channel.matrix @ np.maximum(0, 1 - np.abs(at - np.arange(mechanism.levels)))
    places = channel.place_of(channel.outputs)
    exact = output @ places**2 - (output @ places) ** 2
    assert exact <= mechanism.worst_variance * (1 + 1e-9)
    said = measured(mechanism, step, 200_000)
    fourth = output @ (places - output @ places) ** 4
    error = (max(0, fourth - exact**2) / 200_000) ** 0.5
    of_the_mean = 7**2 * exact / 200_000  # the sample's variance is less by its mean's error squared
    assert float(said.var()) == pytest.approx(exact, abs=7 * error + of_the_mean)
    assert float(said.mean()) == pytest.approx(step / 100, abs=7 * (exact / 200_000) ** 0.5)


NORMAL = 1.9599639845


@pytest.mark.parametrize(
    ("epsilon", "n"),
    [
        *((epsilon, 300) for epsilon in ("0.5", "2", "4")),
        *((epsilon, 10_000) for epsilon in ("0.5", "4")),
        *(pytest.param(epsilon, 300, marks=pytest.mark.thorough) for epsilon in ("1", "1.5", "3")),
        *(pytest.param(epsilon, 10_000, marks=pytest.mark.rare) for epsilon in ("1", "1.5", "2", "3")),
    ],
)
def test_intervals_are_at_most_1_2_times_as_wide_as_normal_ones_and_1_4_about_respondents_who_differ(
    epsilon: str, n: int
) -> None:
    """Of the counts that are expected, of numbers that are spread as ages, incomes and worse.

    Those who are all alike have less noise than others of their mean.
    """
    widest: dict[Target, float] = {"population": 1.19 if n < 1000 else 1.03, "respondents": 1.37}
    steps = np.arange(1001) / 1000
    spreads = {
        "even": np.ones(1001),
        "ages": steps**2 * (1 - steps) ** 3,
        "incomes": steps**0.5 * (1 - steps) ** 5 + 0.0001 * (steps == 1),
        "two camps": (steps == 0) + 1.0 * (steps == 1),
        "all alike": 1.0 * (steps == 0.5),
        "all none": 1.0 * (steps == 0),
    }
    asked = Decimal(epsilon)
    for mechanism in (window(1000, asked), window(1000, asked, 64), best_segments(1000, asked)):
        channel = NumberChannel.of(mechanism)
        at = steps * (channel.n_levels - 1)
        rounded = np.maximum(0, 1 - np.abs(at[:, None] - np.arange(channel.n_levels)))
        for name, spread in spreads.items():
            shares = channel.matrix @ (spread / spread.sum() @ rounded)
            outputs = np.array(channel.scores) / float(channel.slope)
            error = np.sqrt((shares @ outputs**2 - (shares @ outputs) ** 2) / n)
            for target, most in widest.items():
                options = IntervalOptions(target=target)
                low, high = mean_bounds(n * shares, channel, Devices.alike(n, 1), options, 1)
                allowed = 1.83 if name == "all alike" and target == "respondents" else most
                assert float(high - low) / 2 <= allowed * NORMAL * error, (name, mechanism.name, channel.n_levels)
