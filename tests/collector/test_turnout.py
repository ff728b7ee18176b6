"""How many of those invited took part: told to admins and analysts, in the steps in which results are released."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import INVITED, INVITED_WAVES, SMALL, TIMEOUT_S, count_here, invite_reports, make_reports, publish_here
from house import assert_refused, open_house
from sotto_collector.invitations import make_invitations, revoke_invitations
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.releases import read_released_waves
from sotto_collector.turnout import Turnout, count_turnout
from sotto_protocol import Report

pytestmark = pytest.mark.later("postgres", "thorough")  # it counts what test_store.py stores

STRATIFIED = replace(INVITED, id="stratified", strata=("north", "south"))


def turnout(store: Store, stored: StoredSurvey, stratum: int | None = None) -> list[Turnout]:
    return count_turnout(store, stored, read_released_waves(store, stored, stratum), stratum)


def test_reports_of_each_wave_are_answers_and_invitations_do_not_change_by_them(store: Store) -> None:
    stored = publish_here(store, INVITED_WAVES)
    codes = make_invitations(store, stored, 9)
    assert turnout(store, stored) == [Turnout(wave, 9, 0) for wave in (1, 2, 3)]
    for n_reports, wave in ((5, 1), (2, 3)):
        reports = make_reports(n_reports, INVITED_WAVES, wave)
        count_here(store, stored, _with(reports, codes))
    assert turnout(store, stored) == [Turnout(1, 9, 5), Turnout(2, 9, 0), Turnout(3, 9, 2)]
    revoke_invitations(store, stored, codes[8:])
    assert turnout(store, stored) == [Turnout(1, 8, 5), Turnout(2, 8, 0), Turnout(3, 8, 2)]


def test_survey_with_a_least_number_tells_in_its_steps(store: Store) -> None:
    stored = publish_here(store, replace(INVITED, min_reports=4))
    reports = invite_reports(store, stored, make_reports(10, INVITED))
    said = []
    for report in reports:
        count_here(store, stored, [report])
        said.append(turnout(store, stored))
    assert said == [[Turnout(1, 10, known)] for known in (None, None, None, 4, 4, 4, 4, 8, 8, 8)]


def test_stratum_is_counted_by_itself(store: Store) -> None:
    stored = publish_here(store, STRATIFIED)
    north, south = (make_invitations(store, stored, 6, stratum) for stratum in (1, 2))
    for codes, n_reports in ((north, 4), (south, 1)):
        count_here(store, stored, _with(make_reports(n_reports, STRATIFIED), codes))
    assert turnout(store, stored, 1) == [Turnout(1, 6, 4)]
    assert turnout(store, stored, 2) == [Turnout(1, 6, 1)]
    assert turnout(store, stored) == [Turnout(1, 12, 5)]


@pytest.mark.thorough
def test_invitations_are_as_many_at_every_moment_while_reports_come(db: str, store: Store) -> None:
    """Two collectors. Were both counts not of one state, a report that comes between would show for that moment."""
    stored = publish_here(store, INVITED)
    reports = invite_reports(store, stored, make_reports(60, INVITED))
    is_over = threading.Event()

    def watch(other: Store) -> set[int]:
        seen = set()
        while not is_over.is_set():
            seen |= {wave.invited for wave in turnout(other, stored)}
        return seen

    with closing(Store(db)) as other, ThreadPoolExecutor(3) as pool:
        watching = [pool.submit(watch, other) for _ in range(3)]
        try:
            for report in reports:
                count_here(store, stored, [report])
        finally:
            is_over.set()
        assert set().union(*(task.result(TIMEOUT_S) for task in watching)) <= {60}
    assert turnout(store, stored) == [Turnout(1, 60, 60)]


def test_route_tells_admins_and_analysts(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", INVITED, STRATIFIED, SMALL) as house:
        reports = invite_reports(house.collector.store, house.stored(INVITED), make_reports(7, INVITED))
        assert house.send(INVITED, reports[:3]).status_code == 200
        path = f"/v1/surveys/{INVITED.id}/turnout"
        for headers in (house.admin, house.analyst):
            response = house.http.get(path, headers=headers)
            assert response.get_json() == {"waves": [{"wave": 1, "invited": 7, "n_reports": 3}]}
        assert_refused(house.http.get(path), 401, "unauthorized")
        small = house.http.get("/v1/surveys/small/turnout", headers=house.analyst)
        assert_refused(small, 409, "survey_not_invited")
        nowhere = house.http.get("/v1/surveys/stratified/turnout?stratum=west", headers=house.analyst)
        assert_refused(nowhere, 404, "no_such_stratum")


def _with(reports: list[Report], codes: list[str]) -> list[Report]:
    return [replace(report, invitation=code) for report, code in zip(reports, codes, strict=False)]
