"""Page loads with noisy confidence: the specification's estimates, and intervals that hold, in bounded memory."""

import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from beacons import CHROMIUM_RATE, beacons, write_lines
from sotto_client.cli import main
from sotto_estimator import Channel, IntervalOptions, confidence_interval, read_format
from sotto_estimator.errors import DomainError, NoReportsError, SourceError
from sotto_estimator.formats import timing_cells
from sotto_estimator.formats.figures import Figure, Figures
from sotto_estimator.formats.timing import read_navigation_timing
from sotto_estimator.formats.timing_cells import TimingCells, epsilon_of
from sotto_estimator.formats.timing_strata import WeightedDurations
from sotto_estimator.table.lines import MAX_LINE

MIXED = (0.2, 0.5, 0.8)


def specified_mean(records: list[dict[str, Any]], stratum: str) -> float:
    """Navigation Timing, Level 2: the steps of the debiased mean, record by record."""
    pairs = [(weight(record, stratum), record["duration"]) for record in records]
    return sum(w * d for w, d in pairs) / sum(w for w, _ in pairs)


def weight(record: dict[str, Any], stratum: str) -> float:
    p, said = record["confidence"]["randomizedTriggerRate"], record["confidence"]["value"]
    r = 1 if said == "high" else 0
    return ((r if stratum == "high" else 1 - r) - p / 2) / (1 - p)


def specified_percentile(records: list[dict[str, Any]], stratum: str, percentile: float) -> float:
    """The steps of the debiased percentile."""
    ordered = sorted(records, key=lambda record: record["duration"])
    weights = [weight(record, stratum) for record in ordered]
    durations = [record["duration"] for record in ordered]
    cdf = [sum(w for w, d in zip(weights, durations, strict=True) if d <= at) / sum(weights) for at in durations]
    idx = next((k for k, value in enumerate(cdf) if value >= percentile / 100), None)
    if idx is None:
        return durations[-1]
    if idx == 0 or cdf[idx - 1] == cdf[idx]:
        return durations[idx]
    part = (percentile / 100 - cdf[idx - 1]) / (cdf[idx] - cdf[idx - 1])
    return durations[idx - 1] + (durations[idx] - durations[idx - 1]) * part


def figure(found: Figures, stratum: str, quantity: str, group: str | None = None) -> Figure:
    (one,) = [one for one in found.figures if (one.stratum, one.quantity, one.group) == (stratum, quantity, group)]
    return one


@pytest.mark.parametrize("rates", [(CHROMIUM_RATE,), MIXED, (0.0,)])
@pytest.mark.parametrize("stratum", ["high", "low"])
def test_estimates_are_those_of_the_specification(tmp_path: Path, rates: tuple[float, ...], stratum: str) -> None:
    records = [record | {"duration": round(record["duration"], -1)} for record in beacons(400, rates)]  # with ties
    found = read_navigation_timing([write_lines(tmp_path / "b.ndjson", records)], percentiles=[10, 50, 99.9])
    shares = [weight(record, stratum) for record in records]
    assert figure(found, stratum, "share").estimate == pytest.approx(sum(shares) / len(shares), rel=1e-12)
    assert figure(found, stratum, "mean").estimate == pytest.approx(specified_mean(records, stratum), rel=1e-12)
    for percentile in (10, 50, 99.9):
        expected = specified_percentile(records, stratum, percentile)
        assert figure(found, stratum, f"p{percentile:g}").estimate == pytest.approx(expected, rel=1e-9)


def test_chromiums_rate_is_an_epsilon_of_1_1() -> None:
    assert round(2 / (1 + math.exp(1.1)), 7) == CHROMIUM_RATE  # as Chromium computes and rounds it
    assert epsilon_of(np.array([CHROMIUM_RATE])) == pytest.approx(1.1, abs=1e-7)
    assert epsilon_of(np.array([0.5, 0.0])) == math.inf


def test_the_share_of_one_rate_is_that_of_a_yes_no_question(tmp_path: Path) -> None:
    records = beacons(500)
    path, n_high = write_lines(tmp_path / "b.ndjson", records), 0
    n_high = sum(record["confidence"]["value"] == "high" for record in records)
    channel = Channel(1 - CHROMIUM_RATE / 2, CHROMIUM_RATE / 2)
    for method, target in [("chernoff", "population"), ("clopper-pearson", "respondents"), ("wilson", "population")]:
        options = IntervalOptions(level=0.9, method=method, target=target)  # type: ignore[arg-type]
        found = read_navigation_timing([path], options=options)
        low, high = confidence_interval(n_high, 500, channel, level=0.9, method=method, target=target)  # type: ignore[arg-type]
        one, other = figure(found, "high", "share"), figure(found, "low", "share")
        assert (one.low, one.high) == pytest.approx((float(low), float(high)))
        assert (other.low, other.high) == pytest.approx((1 - float(high), 1 - float(low)))
        assert one.is_guaranteed is (method != "wilson")


def test_flat_names_a_csv_and_several_files_say_the_same(tmp_path: Path) -> None:
    records = beacons(60, MIXED)
    flat = [{"duration": one["duration"], **one["confidence"]} for one in records]
    rows = "".join(f"{one['duration']},{one['value']},{one['randomizedTriggerRate']}\n" for one in flat)
    (tmp_path / "b.csv").write_text("﻿duration,value,randomizedTriggerRate\n" + rows)
    halves = [write_lines(tmp_path / "1.ndjson", records[:20]), write_lines(tmp_path / "2.ndjson", flat[20:])]
    all_ways = [halves, [tmp_path / "b.csv"], [write_lines(tmp_path / "b.ndjson", records)]]
    first, *others = (read_navigation_timing(paths).figures for paths in all_ways)
    assert all(other == first for other in others)


def test_groups_are_estimated_each_by_itself(tmp_path: Path) -> None:
    records = beacons(300, MIXED)
    found = read_navigation_timing([write_lines(tmp_path / "all.ndjson", records)], by="country")
    of_france = [record for record in records if record["country"] == "fr"]
    alone = read_navigation_timing([write_lines(tmp_path / "fr.ndjson", of_france)])
    assert [one.low for one in found.figures if one.group == "fr"] == [one.low for one in alone.figures]
    assert {one.group for one in found.figures} == {"de", "fr"}


def test_all_together_the_intervals_are_wider(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "b.ndjson", beacons(3000))
    single = read_navigation_timing([path]).figures
    together = read_navigation_timing([path], options=IntervalOptions(simultaneous=True)).figures
    strict = read_navigation_timing([path], options=IntervalOptions(level=1 - 0.05 / 10)).figures  # of ten intervals
    for one, other in zip(together, strict, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high))
    assert all(one.low >= other.low and one.high <= other.high for one, other in zip(single, together, strict=True))


def sums_of(records: list[dict[str, Any]], stratum: str, numbers: list[float], target: str) -> tuple[float, float]:
    """Return sum w y, and the sum of what bounds it, load by load: variance of w y, or a sub-Gaussian proxy."""
    total = spread = 0.0
    for record, y in zip(records, numbers, strict=True):
        p, w = record["confidence"]["randomizedTriggerRate"], weight(record, stratum)
        proxy = (1 - p) / (2 * math.log((2 - p) / p)) / (1 - p) ** 2  # Kearns & Saul, of a coin of 1 - p/2
        total, spread = total + w * y, spread + y**2 * (w**2 if target == "population" else proxy)
    return total, spread


@pytest.mark.parametrize("stratum", ["high", "low"])
@pytest.mark.parametrize(("target", "factor"), [("population", 1.959964), ("respondents", math.sqrt(2 * math.log(40)))])
def test_at_the_ends_of_a_mean_the_sum_is_at_its_bound(
    tmp_path: Path, stratum: str, target: str, factor: float
) -> None:
    records = beacons(3000, MIXED, share_high=0.5)
    options = IntervalOptions(target=target)  # type: ignore[arg-type]
    one = figure(
        read_navigation_timing([write_lines(tmp_path / "b.ndjson", records)], options=options), stratum, "mean"
    )
    for end, sign in ((one.low, 1), (one.high, -1)):
        total, spread = sums_of(records, stratum, [record["duration"] - end for record in records], target)
        assert sign * total == pytest.approx(factor * math.sqrt(spread), rel=1e-5)


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("stratum", ["high", "low"])
@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("target", ["population", "respondents"])
def test_the_ends_of_a_percentile_are_those_of_every_duration_tried(
    tmp_path: Path, stratum: str, share: float, target: str
) -> None:
    records = [record | {"duration": round(record["duration"], -1)} for record in beacons(300, MIXED, share_high=0.5)]
    path, options = write_lines(tmp_path / "b.ndjson", records), IntervalOptions(target=target)  # type: ignore[arg-type]
    one = figure(
        read_navigation_timing([path], percentiles=[100 * share], options=options), stratum, f"p{100 * share:g}"
    )
    n_stratum = sum(weight(record, stratum) for record in records)
    lows, highs = [], []
    for t in sorted({record["duration"] for record in records}):
        for ends, below in ((lows, lambda d, t=t: d <= t), (highs, lambda d, t=t: d < t)):
            numbers = [below(record["duration"]) - share for record in records]
            total, spread = sums_of(records, stratum, numbers, target)
            bound = math.sqrt(2 * math.log(40) * spread)
            if target == "population":
                rates = [record["confidence"]["randomizedTriggerRate"] for record in records]
                noise = sum(y**2 * p / 2 * (1 - p / 2) / (1 - p) ** 2 for y, p in zip(numbers, rates, strict=True))
                bound = 1.959964 * math.sqrt(noise + n_stratum * share * (1 - share))
            if (ends is lows and total >= -bound) or (ends is highs and total <= bound):
                ends.append(t)
    assert (one.low, one.high) == (min(lows), max(highs))


def test_the_share_of_several_rates_is_narrower_about_these_loads(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "b.ndjson", beacons(2000, MIXED))
    wide = figure(read_navigation_timing([path]), "high", "share")
    options = IntervalOptions(target="respondents")
    narrow = figure(read_navigation_timing([path], options=options), "high", "share")
    assert wide.estimate == narrow.estimate
    assert wide.low < narrow.low < (wide.estimate or 0) < narrow.high < wide.high


def misses(rates: tuple[float, ...], n: int, share_high: float, n_runs: int, target: str) -> np.ndarray:
    """Return how many of n_runs intervals miss: shape (2 strata, mean and two percentiles, 2 ends)."""
    draw = np.random.default_rng(n + len(rates))
    missed = np.zeros((2, 3, 2))
    for _ in range(n_runs):
        rate, is_high = draw.choice(rates, n), draw.random(n) < share_high
        log_ms = np.where(is_high, 7, 8) + 0.5 * draw.standard_normal(n)
        durations = np.round(np.exp(log_ms))
        said = np.where(draw.random(n) < rate, draw.random(n) < 0.5, is_high)
        order = np.argsort(durations)
        cells = TimingCells(durations[order], rate[order], said[order] * 1.0, 1.0 - said[order])
        for place, stratum in enumerate((True, False)):
            found = WeightedDurations.of(cells, is_high=stratum)
            true = np.sort(durations[is_high == stratum])
            middle = 7 if stratum else 8
            expected = [np.exp(middle + 0.125), np.exp(middle), np.exp(middle + 0.5 * 1.6448536)]
            if target == "respondents":
                expected = [true.mean(), *(true[math.ceil(share * len(true)) - 1] for share in (0.5, 0.95))]
            intervals = [found.mean(0.025, target), *(found.percentile(q, 0.025, target) for q in (0.5, 0.95))]
            for kind, (one, truth) in enumerate(zip(intervals, expected, strict=True)):
                missed[place, kind] += [one.low > truth + 1e-6, one.high < truth - 1e-6]
    return missed


@pytest.mark.thorough
@pytest.mark.parametrize("rates", [(CHROMIUM_RATE,), MIXED])
@pytest.mark.parametrize(("n", "share_high"), [(500, 0.95), (2000, 0.5)])
def test_intervals_about_these_loads_hold_and_about_the_population_nearly(
    rates: tuple[float, ...], n: int, share_high: float
) -> None:
    """False alarm of a guarantee: 1e-9 or less a cell, by the binomial tail at a probability of missing of .025."""
    n_runs = 400
    guaranteed = misses(rates, n, share_high, n_runs, "respondents")
    assert guaranteed.max() <= 34  # P(Binomial(400, .025) > 34) = 5e-11
    assert guaranteed.sum(axis=2).max() <= 4  # as docs/formats.md says of these draws: 99 %
    approximate = misses(rates, n, share_high, n_runs, "population").sum(axis=2)
    assert approximate.max() <= 34  # as docs/formats.md says of these draws: 91.5 %
    assert approximate[0].min() >= 2  # and it is not an interval of everything


def test_a_bound_without_the_noise_would_miss() -> None:
    """The same test refuses intervals made as if confidence were without noise."""
    draw = np.random.default_rng(5)
    n_missed = 0
    for _ in range(100):
        is_high = draw.random(1000) < 0.5
        durations = np.round(np.exp(np.where(is_high, 7, 8) + 0.5 * draw.standard_normal(1000)))
        said = np.where(draw.random(1000) < 0.5, draw.random(1000) < 0.5, is_high)
        cells = TimingCells(durations, np.zeros(1000), said * 1.0, 1.0 - said)
        one = WeightedDurations.of(cells, is_high=True).mean(0.025, "population")
        n_missed += not one.low <= np.exp(7.125) <= one.high
    assert n_missed > 34


def test_the_true_quantile_is_covered_where_all_durations_are_equal() -> None:
    cells = TimingCells(np.array([100.0]), np.array([0.5]), np.array([150.0]), np.array([50.0]))
    found = WeightedDurations.of(cells, is_high=True)
    assert found.percentile(0.5, 0.025, "population").value == 100
    for target in ("population", "respondents"):
        assert found.percentile(0.5, 0.025, target).low == 100  # type: ignore[arg-type]
        assert found.percentile(0.5, 0.025, target).high == 100  # type: ignore[arg-type]
        assert found.mean(0.025, target).low == pytest.approx(100)  # type: ignore[arg-type]


def test_a_stratum_that_may_be_empty_has_no_known_end(tmp_path: Path) -> None:
    every = [record for record in beacons(400, share_high=1.0) if record["confidence"]["value"] == "high"]
    records = every[:8]
    found = read_navigation_timing([write_lines(tmp_path / "b.ndjson", records)])
    low = figure(found, "low", "mean")
    assert (low.estimate, low.low, low.high) == (None, 0, math.inf)
    assert json.loads(found.as_json())["figures"][6]["high"] is None
    assert found.as_table().splitlines()[-3].split() == [
        "low",
        "p95",
        "8",
        "1.1",
        "-",
        "-",
        "0.0",
        "ms",
        "-",
        "approximate",
    ]
    assert not found.warnings
    [warning] = read_navigation_timing([write_lines(tmp_path / "all.ndjson", every)]).warnings
    assert "284" in warning  # all say high, where at most three in four are expected
    bounded = read_navigation_timing([tmp_path / "b.ndjson"], options=IntervalOptions(target="respondents"))
    durations = [record["duration"] for record in records]
    assert (figure(bounded, "low", "p50").low, figure(bounded, "low", "p50").high) == (min(durations), max(durations))


def test_counts_that_no_honest_loads_give_are_warned_of_and_others_are_not(tmp_path: Path) -> None:
    assert not read_navigation_timing([write_lines(tmp_path / "b.ndjson", beacons(2000, MIXED))]).warnings
    liars = [record | {"confidence": {"value": "low", "randomizedTriggerRate": 0.5}} for record in beacons(60)]
    found = read_navigation_timing([write_lines(tmp_path / "l.ndjson", liars)])
    (contradiction,) = found.contradictions
    assert contradiction.support_count == 0
    assert contradiction.limit_count == pytest.approx(15)
    assert contradiction.p_value >= 2 * 0.75**60
    mixed = [*liars, liars[0] | {"confidence": {"value": "low", "randomizedTriggerRate": 0.6}}]
    both = [tmp_path / "l.ndjson", write_lines(tmp_path / "m.ndjson", mixed)]
    for path, options in product(both, (IntervalOptions(), IntervalOptions(target="respondents"))):
        shares = [one for one in read_navigation_timing([path], options=options).figures if one.quantity == "share"]
        assert np.isnan([end for one in shares for end in (one.low, one.high)]).all()  # no interval, not [0, 0]
    for figure in json.loads(run(str(both[0]), "--json").stdout)["figures"]:
        assert [figure[name] for name in ("estimate", "standard_error", "low", "high")] == [None] * 4
        assert figure["n_reports"] == 60
    result = run(str(tmp_path / "l.ndjson"))
    assert "the probabilities are not those of the design" in result.stderr
    assert "contradict the design" in result.stdout


def run(*words: str, name: str = "navigation-timing") -> Result:
    return CliRunner().invoke(main, ["estimate", "--format", name, *words])


def test_table_json_and_csv_have_the_same_numbers(tmp_path: Path) -> None:
    path = str(write_lines(tmp_path / "b.ndjson", beacons(500, MIXED)))
    members = json.loads(run(path, "--json").stdout)
    header, *rows = run(path, "--csv").stdout.splitlines()
    for row, one in zip(rows, members["figures"], strict=True):
        cells = dict(zip(header.split(","), row.split(","), strict=True))
        assert float(cells["low"]) == one["low"]
        assert (cells["n_reports"], cells["level"], cells["method"]) == ("500", "0.95", one["method"])
    share = members["figures"][0]
    line = next(line for line in run(path).stdout.splitlines() if line.startswith("high"))
    assert line.split()[4] == f"{100 * share['estimate']:.2f}"
    assert line.endswith("guaranteed")


def test_it_becomes_a_frame_a_dictionary_and_html(tmp_path: Path) -> None:
    records = [record | {"country": "<b>"} for record in beacons(50)]
    found = read_navigation_timing([write_lines(tmp_path / "b.ndjson", records)], by="country")
    frame = found.to_frame()
    assert frame["low"].tolist() == [one.low for one in found.figures]
    assert found.to_dict()["n_reports"] == 50
    assert "<td>&lt;b&gt;</td>" in found._repr_html_()


GOOD = '{"duration": 1, "value": "low", "randomizedTriggerRate": 0.5}\n'
BAD = {
    "(1.0) must be in [0, 0.999999]: at 1": '{"duration": 1, "value": "low", "randomizedTriggerRate": 1}',
    "randomizedTriggerRate (-0.1) must be": '{"duration": 1, "value": "low", "randomizedTriggerRate": -0.1}',
    "('true') must be a finite number": '{"duration": "true", "value": "low", "randomizedTriggerRate": 0.5}',
    "duration (True) must be a finite number": '{"duration": true, "value": "low", "randomizedTriggerRate": 0.5}',
    "duration (inf) must be a finite": '{"duration": 1e999, "value": "low", "randomizedTriggerRate": 0.5}',
    "duration (1e+155) must be from 0 to 1,000,000,000 ms": GOOD.replace("1,", "1e155,"),
    "duration (1000000000.5) must be from 0": GOOD.replace("1,", "1000000000.5,"),
    "duration (-1.0) must be from 0": '{"duration": -1, "value": "low", "randomizedTriggerRate": 0.5}',
    "duration is missing": '{"value": "low", "randomizedTriggerRate": 0.5}',
    "confidence.randomizedTriggerRate is missing": '{"duration": 1, "confidence": {"value": "low"}}',
    "confidence.value ('medium') must be high or low": '{"duration": 1, "value": "medium"}',
    "confidence.value is missing": '{"duration": 1}',
    "confidence.value is missing.": "{}",
    "must be a whole JSON object": '{"duration": NaN}',
    "JSON object; the file ends in it": '{"duration": 1, "val',
    "must be a whole JSON object.": "[1]\n",
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_record_is_refused_with_its_line(tmp_path: Path, message: str) -> None:
    path = tmp_path / "b.ndjson"
    path.write_text(GOOD + "\n" + BAD[message])
    result = run(str(path))
    assert result.exit_code == 1
    assert f"{path}, line 3: " in result.stderr
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no records"),
        ("duration,duration\n1,2\n", "line 1: names a column twice"),
        ("duration,value\n1\n", "line 2: has 1 cells, the header has 2"),
        ('duration,value\n"1,2\n', "is not CSV"),
        ("duration,value\n\xff,2\n", "line 2, byte 1: 0xff is not UTF-8"),
    ],
)
def test_a_bad_csv_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "b.csv").write_bytes(text.encode("latin-1"))
    result = run(str(tmp_path / "b.csv"))
    assert (result.exit_code, message in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--yes", "4", "--n", "9", "--truth", "1/2"], "--yes does not go with --format"),
        (["x.ndjson", "--consistent"], "--consistent does not go with --format"),
        ([], "--format goes with files"),
        (["x.ndjson", "--token", "t"], "--token goes with a collector's URL"),
    ],
)
def test_options_that_say_nothing_of_files_are_refused(words: list[str], message: str) -> None:
    result = run(*words)
    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("beacons", "must be one of navigation-timing"),
        ("navigation-timing(", "must be NAME or NAME(parameter=value"),
        ("navigation-timing(p=1)", "has no parameter p; it has percentiles"),
        ("navigation-timing(percentiles)", "must be parameter=value"),
        ("navigation-timing(percentiles=x)", "must be numbers"),
        ("navigation-timing(percentiles=100)", "must be in (0, 100)"),
    ],
)
def test_a_format_that_there_is_not_is_refused(tmp_path: Path, name: str, message: str) -> None:
    result = run(str(write_lines(tmp_path / "b.ndjson", beacons(3))), name=name)
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_where_rates_differ_other_methods_are_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "b.ndjson", beacons(30, MIXED))
    with pytest.raises(DomainError, match="must be chernoff where"):
        read_navigation_timing([path], options=IntervalOptions(method="wilson"))
    with pytest.raises(DomainError, match="population_size must not be given"):
        read_navigation_timing([path], options=IntervalOptions(population_size=1000))


def endless() -> Iterator[bytes]:
    for number in range(6000):
        yield b'{"duration": %d.%d, "value": "low", "randomizedTriggerRate": 0.5}\n' % (number % 3000, number % 7)


def test_many_durations_are_rounded_and_the_intervals_allow_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.ndjson"
    path.write_bytes(b"".join(endless()))
    exact = read_navigation_timing([path])
    monkeypatch.setattr(timing_cells, "MAX_CELLS", 1000)
    monkeypatch.setattr(timing_cells, "_CHUNK", 500)
    rounded = read_navigation_timing([path])
    assert any("rounded by up to 3.2 ms" in note for note in rounded.notes)
    for one, other in zip(exact.figures, rounded.figures, strict=True):
        if one.unit and one.estimate is not None and math.isfinite(one.high):
            assert other.estimate == pytest.approx(one.estimate, abs=3.2)
            assert other.low <= one.low + 3.2
            assert other.high >= one.high - 3.2
    monkeypatch.setattr(timing_cells, "MAX_CELLS", 2)
    with pytest.raises(SourceError, match="more than 2 different pairs"):
        read_navigation_timing([path])


def test_too_many_groups_are_refused_with_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing_cells, "MAX_GROUPS", 1)
    path = write_lines(tmp_path / "b.ndjson", beacons(30))
    with pytest.raises(SourceError, match=r"line [2-9]: country must name at most 1 groups"):
        read_navigation_timing([path], by="country")


def test_progress_hears_of_every_byte(tmp_path: Path) -> None:
    path, heard = write_lines(tmp_path / "b.ndjson", beacons(200)), []
    assert read_format("navigation-timing", [path, path], progress=heard.append).warnings == ()
    assert sum(heard) == 2 * path.stat().st_size


def test_a_line_without_an_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "b.ndjson"
    path.write_bytes(b"[" * (3 * MAX_LINE))
    with pytest.raises(SourceError, match="line 1: the line has more than"):
        read_navigation_timing([path])


def test_loads_of_browsers_without_confidence_are_left_out_and_counted(tmp_path: Path) -> None:
    made = beacons(200)
    without = [{"duration": 5, "confidence": of, "country": "de"} for of in (None, {}, {"value": None})]
    without.append({"duration": 5, "value": None, "randomizedTriggerRate": None})
    found = read_navigation_timing([write_lines(tmp_path / "b.ndjson", [*made, *without])])
    assert found.figures == read_navigation_timing([write_lines(tmp_path / "c.ndjson", made)]).figures
    assert any("left out: 4 loads of which the browser gives no confidence" in note for note in found.notes)
    with pytest.raises(NoReportsError, match="no loads with confidence"):
        read_navigation_timing([write_lines(tmp_path / "n.ndjson", without)])
    (tmp_path / "b.csv").write_text("duration,value,randomizedTriggerRate\n7,high,.5\n8,low,.5\n9,,\n")
    assert read_navigation_timing([tmp_path / "b.csv"]).n_reports == 2
    half = write_lines(tmp_path / "h.ndjson", [*made, {"duration": 5, "confidence": {"randomizedTriggerRate": 0.5}}])
    with pytest.raises(SourceError, match=r"line 201: confidence.value .* must be high or low"):
        read_navigation_timing([half])
