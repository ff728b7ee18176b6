"""Releases: no tally of fewer reports than promised, of a wave or a cohort, and none that differs by fewer."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import SMALL, STRINGS, make_reports, tally_of
from house import House, assert_refused, open_house
from sotto_protocol import Report, Tally, compile_toml

HUNDRED = replace(SMALL, id="hundred", min_reports=100)
WAVES = replace(STRINGS, id="waves", questions=STRINGS.questions[:1], min_reports=50)
COHORTS = compile_toml("""
id = "cohorts"
title = "Two cohorts"
min_reports = 10
[[questions]]
id = "home"
type = "text"
text = "Which page do you see first?"
n_bits = 16
n_cohorts = 2
epsilon = 2.0
""")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", HUNDRED, WAVES, COHORTS) as opened:
        yield opened


def send(house: House, survey: object, reports: list[Report]) -> None:
    assert house.send(survey, reports).status_code == 200  # type: ignore[arg-type]  # a survey


def assert_withheld(house: House, survey: object, query: str = "") -> None:
    response = house.read_tally(survey, query)  # type: ignore[arg-type]  # a survey
    assert_refused(response, 403, "below_minimum")
    said = re.findall("[0-9]+", response.get_json(force=True)["detail"])
    assert said == [str(survey.min_reports)]  # type: ignore[attr-defined]  # and not how many there are


def test_tally_is_withheld_until_there_are_enough(house: House) -> None:
    reports = make_reports(100, HUNDRED)
    assert_withheld(house, HUNDRED)
    send(house, HUNDRED, reports[:99])
    assert_withheld(house, HUNDRED)
    send(house, HUNDRED, reports[99:])
    assert Tally.from_json(house.read_tally(HUNDRED).data) == tally_of(HUNDRED, reports)


def test_no_two_tallies_differ_by_fewer_than_the_minimum(house: House) -> None:
    reports = make_reports(350, HUNDRED)
    seen = []
    for start in range(0, 350, 10):
        send(house, HUNDRED, reports[start : start + 10])
        response = house.read_tally(HUNDRED)
        if response.status_code == 200:
            seen.append(Tally.from_json(response.data))
    sizes = [tally.n_reports for tally in seen]
    assert sorted(set(sizes)) == [100, 200, 300]
    for tally in seen:
        assert tally == tally_of(HUNDRED, reports[: tally.n_reports])


def test_asking_seldom_gives_the_newest_and_asking_again_the_same(house: House) -> None:
    reports = make_reports(260, HUNDRED)
    send(house, HUNDRED, reports[:170])
    assert house.read_tally(HUNDRED).get_json()["n_reports"] == 170
    send(house, HUNDRED, reports[170:])
    assert house.read_tally(HUNDRED).get_json()["n_reports"] == 170
    send(house, HUNDRED, make_reports(10, HUNDRED))
    assert house.read_tally(HUNDRED).get_json()["n_reports"] == 270


def test_released_tally_stays_as_it_is_when_the_collector_is_started_again(house: House, tmp_path: Path) -> None:
    reports = make_reports(160, HUNDRED)
    send(house, HUNDRED, reports[:110])
    first = house.read_tally(HUNDRED).data
    house.collector.close()
    with open_house(tmp_path / "survey.db", HUNDRED) as again:
        send(again, HUNDRED, reports[110:])
        assert again.read_tally(HUNDRED).data == first


def test_erased_reports_do_not_single_out_anybody(house: House) -> None:
    """Whoever erases one of the reports cannot see by two answers what it said."""
    reports = make_reports(199, HUNDRED)
    send(house, HUNDRED, reports[:100])
    first = house.read_tally(HUNDRED).data
    assert house.collector.store.erase_report(house.stored(HUNDRED), reports[0].id)
    assert house.read_tally(HUNDRED).data == first
    send(house, HUNDRED, reports[100:])  # 198 now, 98 more than were given
    assert house.read_tally(HUNDRED).data == first
    send(house, HUNDRED, make_reports(2, HUNDRED))
    assert house.read_tally(HUNDRED).get_json()["n_reports"] == 200


def test_each_wave_is_withheld_by_itself_and_together_they_tell_no_more(house: House) -> None:
    by_wave = {wave: make_reports(n, WAVES, wave) for wave, n in ((1, 60), (2, 49))}
    for reports in by_wave.values():
        send(house, WAVES, reports)
    assert_withheld(house, WAVES, "?wave=2")
    assert_withheld(house, WAVES, "?wave=3")
    assert Tally.from_json(house.read_tally(WAVES).data) == tally_of(WAVES, by_wave[1])  # the second's are left out
    assert Tally.from_json(house.read_tally(WAVES, "?wave=1").data) == tally_of(WAVES, by_wave[1])
    (last,) = make_reports(1, WAVES, 2)
    send(house, WAVES, [last, *make_reports(49, WAVES, 1)])
    everything = tally_of(WAVES, [*by_wave[1], *by_wave[2], last])
    assert Tally.from_json(house.read_tally(WAVES).data) == everything
    assert Tally.from_json(house.read_tally(WAVES, "?wave=2").data) == tally_of(WAVES, [*by_wave[2], last])
    assert house.read_tally(WAVES, "?wave=1").get_json()["n_reports"] == 60


def test_tally_is_withheld_while_a_cohort_has_too_few(house: House) -> None:
    by_cohort: dict[int, list[Report]] = {0: [], 1: []}
    while min(map(len, by_cohort.values())) < 30:  # each is in either with probability 1/2
        for report in make_reports(100, COHORTS):
            by_cohort[int(tally_of(COHORTS, [report]).support_counts["home"][1, 0])].append(report)
    send(house, COHORTS, by_cohort[0][:30])
    assert_withheld(house, COHORTS)
    send(house, COHORTS, by_cohort[1][:9])
    assert_withheld(house, COHORTS)
    send(house, COHORTS, by_cohort[1][9:10])
    assert house.read_tally(COHORTS).get_json()["n_reports"] == 40
    send(house, COHORTS, by_cohort[1][10:30])
    assert house.read_tally(COHORTS).get_json()["n_reports"] == 40  # of the first cohort there are none that are new


@pytest.mark.parametrize("query", ["", "?wave=1", "?part=0/16"])
def test_single_reports_are_not_given_at_all(house: House, query: str) -> None:
    send(house, HUNDRED, make_reports(150, HUNDRED))
    response = house.http.get(f"/v1/surveys/hundred/records{query}", headers=house.analyst)
    assert_refused(response, 403, "below_minimum")


def test_admin_is_told_how_many_there_are(house: House) -> None:
    send(house, HUNDRED, make_reports(7, HUNDRED))
    listed = house.http.get("/v1/surveys", headers=house.admin).get_json()["surveys"]
    assert {row["id"]: (row["min_reports"], row["n_reports"]) for row in listed}["hundred"] == (100, 7)
