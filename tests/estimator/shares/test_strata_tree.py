"""A tree of strata: what a parent's figures are of, what is said of strata that are not in it, and what counts it."""

import csv
import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fault_server import FaultServer, Scripted, fault_server
from sotto_client.cli import main
from sotto_estimator import IntervalOptions, estimate
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_protocol import Problem, Survey, Tally, compile_toml
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import STRATUM
from strata_surveys import strata_toml

STRATA = ("north/sales", "south", "north/it/web", "north/it/ops")
FIRM = compile_toml(strata_toml("firm", STRATA, settings="min_reports = 30"))
COUNTS = {"south": (300, 150), "north/it/web": (80, 50), "north/it/ops": (60, 20)}
BELOW = Scripted(403, Problem(403, "below_minimum", "there are fewer reports of a stratum than the 30.").to_json())
UNKNOWN = Scripted(404, Problem(404, "no_such_stratum", "stratum must be one of the survey's.").to_json())


def tally_of(n: int, n_yes: int, survey: Survey = FIRM, wave: int = 1) -> Tally:
    return Tally(survey, {wave: n}, {"paid": np.array([n_yes])})


TALLIES = {name: tally_of(*counts) for name, counts in COUNTS.items()}


def side_of(tallies: dict[str, Tally], options: IntervalOptions | None = None, *, pooled: bool = False) -> SideBySide:
    found = estimate_strata(tallies, options or IntervalOptions(), len(STRATA), pooled=pooled)
    assert found is not None
    return found


@pytest.fixture
def collector() -> Iterator[FaultServer]:
    """Serve three strata; of north/sales nothing is shown, and no parent is known."""
    with fault_server(None) as server:
        total = tally_of(440, 220)
        replies = {"": total, **{f"?stratum={name.replace('/', '%2F')}": of for name, of in TALLIES.items()}}
        server.by_address = {f"/v1/surveys/firm/tally{of}": Scripted(200, one.to_json()) for of, one in replies.items()}
        server.by_address["/v1/surveys/firm/tally?stratum=north%2Fsales"] = BELOW
        for parent in ("north", "north%2Fit", "nort"):
            server.by_address[f"/v1/surveys/firm/tally?stratum={parent}"] = UNKNOWN
        yield server


def ask(collector: FaultServer, *options: str) -> Result:
    return CliRunner().invoke(main, ["estimate", collector.url, "firm", *options], env={"SOTTO_TOKEN": "x"})


def test_a_parent_has_the_figures_of_its_shown_strata_together() -> None:
    side = side_of(TALLIES)
    assert [one.stratum for one in side.estimates] == ["north", "north/it", "north/it/web", "north/it/ops", "south"]
    assert [one.n_reports for one in side.estimates] == [140, 140, 80, 60, 300]
    (row,) = side.estimates[0].rows
    (expected,) = estimate_tally(tally_of(140, 70)).rows
    assert row == expected
    assert str(side).endswith("n by stratum: north/it/web 80, north/it/ops 60, south 300 reports")


def test_what_is_not_shown_of_a_parent_is_named() -> None:
    north, of_it, *_ = side_of(TALLIES).estimates
    assert north.parent is not None
    assert (north.parent.shown, north.parent.missing) == (("north/it/web", "north/it/ops"), ("north/sales",))
    said = "counts 2 of 3 strata; north/sales is too small to be shown alone, and not counted here"
    assert str(north.parent) == said
    assert str(of_it.parent) == "2 strata together"


def test_intervals_that_are_valid_together_count_parents() -> None:
    (row,) = side_of(TALLIES, IntervalOptions(simultaneous=True)).estimates[-1].rows
    (expected,) = estimate_tally(TALLIES["south"], IntervalOptions(level=1 - 0.05 / 6)).rows  # four strata, two parents
    assert (row.low, row.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_parents_are_neither_pooled_nor_compared_with_their_strata() -> None:
    side = side_of(TALLIES, pooled=True)
    assert side.pooled is not None
    assert {one.stratum for one in side.pooled[0].strata} == {*TALLIES}
    assert {name for group in side.comparisons[0].order.groups for name in group} == {*TALLIES}


def test_groups_of_the_first_level_are_ranked_by_the_intervals_of_their_reports_together() -> None:
    """Two intervals hold together if each misses in 2.5 % of the cases: they are ranked where these do not overlap."""
    half, ranked = IntervalOptions(level=1 - 0.05 / 2), set()
    for n_south in (130, 150, 170):
        tallies = {
            "south": tally_of(300, n_south),
            "north/it/web": tally_of(240, 170),
            "north/it/ops": tally_of(240, 160),
        }
        side = side_of(tallies)
        ((north,), (south,)) = (estimate_tally(of, half).rows for of in (tally_of(480, 330), tallies["south"]))
        is_ranked = north.low > south.high
        order = side.parent_comparisons[0].order.groups
        assert order == ((("north",), ("south",)) if is_ranked else (("north", "south"),))
        ranked.add(is_ranked)
    assert ranked == {True, False}
    tallies["south"] = tally_of(300, 130)
    side = side_of(tallies)
    assert "paid, yes, ranking of groups of the first level from the highest: north > south." in side.as_table()
    assert side.to_dict()["parent_comparisons"][0]["order"] == [["north"], ["south"]]
    assert side_of({"south": tallies["south"]}).parent_comparisons == ()
    void = side_of(tallies | {"north/it/web": tally_of(80, 80)})
    assert void.parent_comparisons == (), "north has no figures, and the south alone is not ranked"


def test_a_parent_of_a_stratum_whose_counts_contradict_the_design_has_no_figures(collector: FaultServer) -> None:
    void = tally_of(80, 80)
    side = side_of(TALLIES | {"north/it/web": void})
    assert [one.stratum for one in side.estimates if not one.told_rows] == ["north", "north/it", "north/it/web"]
    assert len(side.alarms()) == 1
    assert not estimate_tally(tally_of(380, 230)).contradictions  # as the sum alone would be
    collector.by_address["/v1/surveys/firm/tally?stratum=north%2Fit%2Fweb"] = Scripted(200, void.to_json())
    alone = ask(collector, "--stratum", "north/it", "--json")
    assert json.loads(alone.stdout)["estimates"][0]["share"] is None


def test_waves_of_a_parent_are_pooled_as_those_of_all() -> None:
    survey = replace(FIRM, waves=2)
    tallies = {
        "north/it/web": tally_of(80, 50, survey) + tally_of(70, 30, survey, 2),
        "north/it/ops": tally_of(60, 20, survey, 2),
    }
    north = side_of(tallies).estimates[0]
    assert north.waves == (1, 2)
    assert north.rows == estimate_tally(tallies["north/it/web"] + tallies["north/it/ops"]).rows


def test_the_command_shows_parents_in_every_form(collector: FaultServer) -> None:
    result = ask(collector, "--by-stratum")
    assert "stratum north: counts 2 of 3 strata; north/sales is too small" in result.stdout
    given = json.loads(ask(collector, "--by-stratum", "--json").stdout)["strata"]
    assert [(of["stratum"], of["tree_level"], of["is_parent"]) for of in given][:3] == [
        ("north", 1, True),
        ("north/it", 2, True),
        ("north/it/web", 3, False),
    ]
    assert given[0]["missing"] == ["north/sales"]
    rows = list(csv.DictReader(ask(collector, "--by-stratum", "--csv").stdout.splitlines()))
    assert sum(int(row["n_reports"]) for row in rows if row["is_parent"] == "False") == 440


def test_a_parent_alone_is_asked_for_by_its_name(collector: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    result = ask(collector, "--stratum", "north")
    assert "n = 140 reports" in result.stdout
    assert "counts 2 of 3 strata; north/sales is" in result.stdout
    assert "Warning: nothing of stratum north/sales is in north" in result.stderr
    monkeypatch.setenv("SOTTO_TOKEN", "x")
    assert estimate(collector.url, "firm", stratum="north").rows == side_of(TALLIES).estimates[0].rows
    assert "no_such_stratum" in ask(collector, "--stratum", "nort").stderr


def test_groups_that_share_people_are_not_tested(collector: FaultServer) -> None:
    def test(*strata: str) -> Result:
        named = [word for name in strata for word in ("--stratum", name)]
        return CliRunner().invoke(
            main, ["test", "groups", collector.url, "firm", "--question", "paid", *named], env={"SOTTO_TOKEN": "x"}
        )

    assert test("north", "south").exit_code == 0
    assert "--stratum north and --stratum north/it share people" in test("north", "north/it").stderr


def test_packed_reports_of_a_parent_are_those_of_its_strata() -> None:
    survey = replace(FIRM, min_reports=1)
    made: Bytes = np.zeros((9, survey.layout.n_bytes), np.uint8)
    records = survey.layout.put(made, STRATUM, [1, 2, 3, 4, 4, 3, 2, 1, 1])
    assert estimate((survey, records), stratum="north").n_reports == 7
    assert estimate((survey, records), stratum="north/it").n_reports == 4
