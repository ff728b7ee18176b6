"""Strata in outputs: which `sotto estimate --by-stratum` leaves out, what is said of each, and whose a result is."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote_plus

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fault_server import FaultServer, Scripted, fault_server
from sotto_client.cli import main
from sotto_estimator import IntervalOptions, confidence_interval, estimate
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.verdict.compare import order_groups
from sotto_protocol import Coins, Problem, Survey, Tally, compile_toml, hmac_bytes
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import STRATUM
from strata_surveys import strata_toml

WISH = """[[questions]]
id = "wish"
type = "text"
mechanism = "rappor"
text = "What should change?"
n_bits = 16
n_cohorts = 2
epsilon = 2
"""
YEARLY = compile_toml(strata_toml("yearly", ["north", "south", "east side"], WISH, settings="waves = 3"))
ONCE = replace(YEARLY, id="once", waves=1)
STYLES = ((), ("--json",), ("--csv",))
BELOW = Scripted(403, Problem(403, "below_minimum", "there are fewer reports of a stratum than the 50.").to_json())
REFUSALS = {
    "unavailable": Scripted(503, Problem(503, "unavailable", "Later.").to_json()),
    "unauthorised": Scripted(401, Problem(401, "unauthorized", "No.").to_json()),
    "forbidden": Scripted(403, Problem(403, "forbidden", "This token may not read tallies.").to_json()),
    "of another status": Scripted(404, Problem(404, "below_minimum", "No.").to_json()),
    "hung up": Scripted(drop=True),
    "no tally": Scripted(200, b"{}"),
}


@pytest.fixture
def collector() -> Iterator[FaultServer]:
    with fault_server(None) as server:
        yield server


def tally_of(survey: Survey, n: int, *waves: int) -> Tally:
    """Return the tally of so many devices, each with a report in each of these waves."""
    tally = Tally.empty(survey)
    for wave in waves:
        tally += Tally.of(survey, records_of(survey, n, wave))
    return tally


def records_of(survey: Survey, n: int, wave: int = 1) -> Bytes:
    answers = {"paid": np.zeros(n, np.intp), "wish": ["parking"] * n}
    return survey.perturb(answers, Coins(hmac_bytes(bytes(32), b"%d %d" % (n, wave))), wave)  # type: ignore[arg-type]  # answers


def serve(collector: FaultServer, survey: Survey, strata: Mapping[str, Tally | Scripted]) -> None:
    """Answer with these tallies of strata; of all, with the empty one's survey."""
    collector.survey_reply = Scripted(200, Tally.empty(survey).to_json())
    for name, of in strata.items():
        reply = Scripted(200, of.to_json()) if isinstance(of, Tally) else of
        collector.by_address[f"/v1/surveys/{survey.id}/tally?stratum={quote_plus(name)}"] = reply


def by_stratum(collector: FaultServer, survey: Survey, *options: str) -> Result:
    command = ["estimate", collector.url, survey.id, "--by-stratum", *options]
    return CliRunner().invoke(main, command, env={"SOTTO_TOKEN": "analyst-token"})


def captioned(result: Result) -> list[str]:
    """Return the lines from the one on that says how many reports there are."""
    lines = result.stdout.splitlines()
    return lines[next(place for place, line in enumerate(lines) if "n by stratum:" in line) :]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_stratum_that_could_not_be_fetched_is_an_error_and_no_empty_one(
    collector: FaultServer, refusal: str, style: tuple[str, ...]
) -> None:
    serve(collector, ONCE, {"north": tally_of(ONCE, 60, 1), "south": REFUSALS[refusal], "east side": BELOW})
    result = by_stratum(collector, ONCE, *style)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: the collector at ")


@pytest.mark.parametrize("style", STYLES)
def test_strata_with_too_few_reports_or_none_are_left_out_with_a_warning(
    collector: FaultServer, style: tuple[str, ...]
) -> None:
    serve(collector, ONCE, {"north": tally_of(ONCE, 60, 1), "south": BELOW, "east side": Tally.empty(ONCE)})
    result = by_stratum(collector, ONCE, *style)
    assert result.exit_code == 0
    assert "Warning: nothing of stratum south: the collector at" in result.stderr
    assert "Warning: nothing of stratum east side: the tally holds no reports" in result.stderr
    assert ("north" in result.stdout, "east side" in result.stdout) == (True, False)


def test_what_is_said_of_one_stratum_is_not_said_of_another(collector: FaultServer) -> None:
    one, all_waves, last = tally_of(YEARLY, 60, 1), tally_of(YEARLY, 70, 1, 2, 3), tally_of(YEARLY, 80, 3)
    serve(collector, YEARLY, {"north": one, "south": all_waves, "east side": last})
    lines = captioned(by_stratum(collector, YEARLY))
    assert lines[0] == "Yearly: n by stratum: north 60, south 210, east side 80 reports"
    assert lines[2:7] == [
        "not shown: wish (text; see `sotto decode`)",
        "stratum north: wave 1",
        "stratum south: waves 1, 2, 3 pooled: one device may have reported in several of them, and the "
        "intervals allow for that",
        "stratum east side: wave 3",
        "",
    ]


def test_what_is_said_of_every_stratum_is_said_once(collector: FaultServer) -> None:
    survey = replace(YEARLY, draw=1)
    tallies = {name: tally_of(survey, 60, 1) for name in survey.strata}
    serve(collector, survey, tallies)
    lines = captioned(by_stratum(collector, survey))
    assert lines[2:6] == [
        "wave 1",
        "draw: each device answers 1 of 2 questions; n counts the reports that answer this one",
        "not shown: wish (text; see `sotto decode`)",
        "",
    ]


def test_it_begins_with_what_is_known_of_every_stratum_and_which_is_surely_above_another(
    collector: FaultServer,
) -> None:
    survey = replace(ONCE, questions=ONCE.questions[:1])
    counts = {"north": 30 * 27, "south": 30 * 72, "east side": 30 * 70}
    tallies = {name: Tally(survey, {1: 3000}, {"paid": np.array([count])}) for name, count in counts.items()}
    serve(collector, survey, tallies)
    lines = by_stratum(collector, survey).stdout.splitlines()
    assert lines[:5] == [
        "paid  yes  north      at most 6 %, best estimate 0 %; could be zero",
        "paid  yes  south      at least 92 %, best estimate 98 %; could be 100 %",
        "paid  yes  east side  between 88 and 99 %, best estimate 93 %",
        "",
        "paid, yes, ranking of strata from the highest: south, east side > north.",
    ]
    known = json.loads(by_stratum(collector, survey, "--json").stdout)
    order = [["south", "east side"], ["north"]]
    assert known["comparisons"] == [{"question": "paid", "answer": "yes", "order": order}]
    assert [of["verdicts"][0]["question"] for of in known["strata"]] == ["paid"] * 3


def test_strata_are_compared_by_intervals_that_hold_together_over_all_of_them() -> None:
    survey = replace(ONCE, questions=ONCE.questions[:1], strata=())
    channel = channel_of(survey.questions[0])

    def groups(n_more: int) -> int:
        counts = {"a": 500, "b": 500 + n_more, "c": 500}
        tallies = {name: Tally(survey, {1: 1000}, {"paid": np.array([count])}) for name, count in counts.items()}
        (found,) = order_groups(tallies, IntervalOptions())
        return len(found.order.groups)

    def are_apart(n_more: int, n_intervals: int) -> bool:
        low, high = confidence_interval([500, 500 + n_more], 1000, channel, n_intervals=n_intervals)
        return bool(high[0] < low[1])

    assert [groups(n) > 1 for n in range(60, 140)] == [are_apart(n, 3) for n in range(60, 140)]
    assert any(groups(n) == 1 and are_apart(n, 1) for n in range(60, 140))


def test_intervals_of_all_strata_hold_together_where_that_is_asked(collector: FaultServer) -> None:
    tallies = {"north": tally_of(ONCE, 60, 1), "south": tally_of(ONCE, 400, 1), "east side": BELOW}
    serve(collector, ONCE, tallies)
    result = by_stratum(collector, ONCE, "--simultaneous")
    assert "about the population, all valid together over every stratum" in result.stdout
    found = json.loads(by_stratum(collector, ONCE, "--simultaneous", "--json").stdout)["strata"]
    narrow = IntervalOptions(level=1 - 0.05 / 3)  # one answer, and three strata, of which one has nothing to show
    for one, tally in zip(found, (tallies["north"], tallies["south"]), strict=True):
        assert isinstance(tally, Tally)
        (row,), (expected,) = one["estimates"], estimate_tally(tally, narrow).rows
        assert (row["low"], row["high"]) == (pytest.approx(expected.low), pytest.approx(expected.high))
    alone = json.loads(by_stratum(collector, ONCE, "--json").stdout)["strata"]
    assert all(
        one["estimates"][0]["high"] > other["estimates"][0]["high"] for one, other in zip(found, alone, strict=True)
    )


@pytest.mark.parametrize("style", STYLES)
def test_warnings_name_the_stratum(collector: FaultServer, style: tuple[str, ...]) -> None:
    survey = replace(ONCE, min_reports=20)
    seen, none = tally_of(survey, 200, 1), Tally.empty(survey)
    held = tally_of(survey, 30, 1).hold_back(["wish"], none)
    serve(collector, survey, {"north": held, "south": seen, "east side": held})
    result = by_stratum(collector, survey, *style)
    said = "wish: withheld until each of its 2 cohorts has 20 reports of a stratum"
    warned = [f"Warning: stratum {name}: {said}." for name in ("north", "east side")]
    assert result.stderr.splitlines() == warned
    if not style:
        lines = captioned(result)
        assert lines[2:4] == [
            f"stratum north, east side: {said}",
            "stratum south: not shown: wish (text; see `sotto decode`)",
        ]


@pytest.mark.parametrize("command", ["decode", "associate"])
@pytest.mark.parametrize("stratum", ["east side", None])
def test_every_output_says_of_which_stratum_a_result_is(
    collector: FaultServer, tmp_path: Path, command: str, stratum: str | None
) -> None:
    records = ONCE.layout.put(records_of(ONCE, 300), STRATUM, [3] * 300)
    query = "?stratum=east+side" if stratum else ""
    packed = ONCE.canonical + b"\n" + records.tobytes()
    of_tally = Scripted(200, Tally.of(ONCE, records).to_json())
    collector.by_address[f"/v1/surveys/once/tally{query}"] = of_tally
    collector.by_address[f"/v1/surveys/once/records{query}"] = Scripted(200, packed)
    (tmp_path / "list.txt").write_text("parking\ncanteen\n")
    asked = ["wish", "--candidates", f"{tmp_path}/list.txt"]
    if command == "associate":
        asked = ["paid", "wish", "--candidates", f"wish={tmp_path}/list.txt"]
    asked += ["--stratum", stratum] if stratum else []

    def say(*style: str) -> str:
        result = CliRunner().invoke(main, [command, collector.url, "once", *asked, *style], env={"SOTTO_TOKEN": "x"})
        assert result.exit_code == 0, result.output
        return result.stdout

    assert (", stratum east side" in say(), "stratum" in say()) == (bool(stratum), bool(stratum))
    assert json.loads(say("--json")).get("stratum") == stratum
    assert {row.get("stratum") for row in csv.DictReader(say("--csv").splitlines())} == {stratum}


def test_programs_get_strata_side_by_side_as_the_command_prints_them(
    collector: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(collector, ONCE, {"north": tally_of(ONCE, 60, 1), "south": BELOW, "east side": tally_of(ONCE, 50, 1)})
    monkeypatch.setenv("SOTTO_TOKEN", "analyst-token")
    with pytest.warns(UserWarning, match="nothing of stratum south: the collector at") as said:
        found = estimate(collector.url, ONCE.id, by="stratum")
    assert f"{found.as_table()}\n" == by_stratum(collector, ONCE).stdout
    assert [one.filename for one in said] == [__file__]
