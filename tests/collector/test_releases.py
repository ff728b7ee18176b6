"""Releases: no counts of fewer reports than promised, of a wave or a cohort, and none that differ by fewer."""

import re
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event

from collecting import SMALL, STRINGS, make_reports, tally_of
from house import House, assert_refused, open_house
from sotto_collector.store.releases import read_released_waves
from sotto_protocol import Report, Tally, compile_toml
from sotto_protocol.counted import Counted

HUNDRED = replace(SMALL, id="hundred", min_reports=100)
WAVES = replace(STRINGS, id="waves", questions=STRINGS.questions[:1], min_reports=50)
MANY_WAVES = replace(WAVES, id="many", waves=60, min_reports=2)
COHORTS = compile_toml("""
id = "cohorts"
title = "Two cohorts"
min_reports = 10
[[questions]]
id = "home"
type = "text"
mechanism = "rappor"
text = "Which page do you see first?"
n_bits = 16
n_cohorts = 2
epsilon = 2.0
""")
STAFF = compile_toml("""
id = "staff"
title = "Staff"
min_reports = 50
[[questions]]
id = "harassed"
type = "yes-no"
text = "Were you harassed?"
epsilon = 1
[[questions]]
id = "wish"
type = "text"
mechanism = "rappor"
text = "What should change?"
epsilon = 1
""")
WATCHED = compile_toml("""
id = "watched"
title = "Watched"
min_reports = 5
[[questions]]
id = "affair"
type = "yes-no"
text = "Have you had an affair?"
epsilon = 1
[[questions]]
id = "home"
type = "text"
mechanism = "rappor"
text = "Which page do you see first?"
n_bits = 8
n_cohorts = 2
epsilon = 2
[[questions]]
id = "street"
type = "text"
mechanism = "rappor"
text = "In which street do you live?"
n_bits = 8
n_cohorts = 6
epsilon = 2
""")
COHORT_WAVES = replace(COHORTS, id="cohort-waves", waves=3)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(
        tmp_path / "survey.db", HUNDRED, WAVES, COHORTS, COHORT_WAVES, MANY_WAVES, STAFF, WATCHED
    ) as opened:
        yield opened


def send(house: House, survey: object, reports: list[Report]) -> None:
    assert house.send(survey, reports).status_code == 200  # type: ignore[arg-type]  # a survey


def assert_withheld(house: House, survey: object, query: str = "") -> None:
    response = house.read_tally(survey, query)  # type: ignore[arg-type]  # a survey
    assert_refused(response, 403, "below_minimum")
    said = re.findall("[0-9]+", response.get_json(force=True)["detail"])
    assert said == [str(survey.min_reports)]  # type: ignore[attr-defined]  # and not how many there are
    of_a_wave = "wave" in response.get_json(force=True)["detail"]
    assert of_a_wave == (survey.waves > 1)  # type: ignore[attr-defined]  # a survey, as above


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


def counted(house: House, survey: object, query: str = "") -> tuple[int, int]:
    """Return how many reports a tally has, and of how many the strings of `home` are counted."""
    tally = Tally.from_json(house.read_tally(survey, query).data)  # type: ignore[arg-type]  # a survey
    assert int(tally.support_counts["home"][:, 0].sum()) == tally.counted("home").n_reports
    return tally.n_reports, tally.counted("home").n_reports


def test_strings_are_withheld_while_a_cohort_has_too_few(house: House) -> None:
    by_cohort: dict[int, list[Report]] = {0: [], 1: []}
    while min(map(len, by_cohort.values())) < 30:  # each is in either with probability 1/2
        for report in make_reports(100, COHORTS):
            by_cohort[int(tally_of(COHORTS, [report]).support_counts["home"][1, 0])].append(report)
    send(house, COHORTS, by_cohort[0][:9])
    assert_withheld(house, COHORTS)
    send(house, COHORTS, by_cohort[0][9:30])
    assert counted(house, COHORTS) == (30, 0)
    send(house, COHORTS, by_cohort[1][:9])
    assert counted(house, COHORTS) == (30, 0)
    send(house, COHORTS, by_cohort[1][9:10])
    assert counted(house, COHORTS) == (40, 40)
    send(house, COHORTS, by_cohort[1][10:30])
    assert counted(house, COHORTS) == (60, 40)  # of the first cohort there are none that are new


def test_each_wave_goes_its_own_steps_where_there_are_cohorts(house: House) -> None:
    for wave, n_reports in ((1, 400), (2, 9), (3, 15)):  # of 400 each cohort has ten, but for one time in 10^90
        send(house, COHORT_WAVES, make_reports(n_reports, COHORT_WAVES, wave))  # of 15 one has fewer
    assert counted(house, COHORT_WAVES, "?wave=1") == (400, 400)
    assert_withheld(house, COHORT_WAVES, "?wave=2")
    assert counted(house, COHORT_WAVES, "?wave=3") == (15, 0)
    pooled = Tally.from_json(house.read_tally(COHORT_WAVES).data)
    assert (pooled.waves, pooled.counted("home")) == ((1, 3), Counted({1: 400}))
    send(house, COHORT_WAVES, make_reports(400, COHORT_WAVES, 3))
    stored = house.stored(COHORT_WAVES)
    given = read_released_waves(house.collector.store, stored)
    assert {wave: tally.n_reports for wave, tally in given.items()} == {1: 400, 3: 415}
    assert given[3] == house.collector.store.read_tally(stored, 3)


def test_steps_of_one_survey_leave_those_of_another_alone(house: House) -> None:
    """Of two surveys in one store, each with its reports in the same cell, each goes its own steps in turn."""
    for survey, n_more, n_given in (
        (HUNDRED, 100, 100),
        (STAFF, 100, 100),
        (HUNDRED, 1, 100),
        (STAFF, 49, 100),
        (STAFF, 301, 450),  # far more than the other survey has
        (HUNDRED, 98, 100),
        (HUNDRED, 1, 200),
        (STAFF, 49, 450),
        (HUNDRED, 1, 200),
    ):
        send(house, survey, make_reports(n_more, survey))
        assert Tally.from_json(house.read_tally(survey).data).n_reports == n_given


def test_other_questions_do_not_wait_for_cohorts_that_can_never_fill(house: House) -> None:
    """Of 300 invited, 64 cohorts of 50 can never be: the strings stay unseen, the yes-no question does not."""
    send(house, STAFF, make_reports(260, STAFF))
    tally = Tally.from_json(house.read_tally(STAFF).data)
    assert tally.n_reports == tally.counted("harassed").n_reports == 260
    assert tally.counted("wish") == Counted()
    assert not tally.support_counts["wish"].any()
    assert tally.implausible["wish"] == 0


@pytest.mark.thorough
@pytest.mark.parametrize("has_erasures", [pytest.param(False, marks=pytest.mark.rare), True])
def test_who_looks_after_every_report_sees_no_fewer_than_the_minimum_of_any_cohort(
    house: House, has_erasures: bool
) -> None:
    """What an attacker can subtract are two counts of one question: nothing else is a sum over the same reports."""
    rng = np.random.default_rng(8 + has_erasures)
    live: dict[bytes, Report] = {}
    seen: dict[str, tuple[bytes, frozenset[bytes]]] = {}
    n_steps = Counter[str]()
    for report in make_reports(150, WATCHED):
        send(house, WATCHED, [report])
        live[report.id] = report
        if has_erasures and rng.random() < 0.2:
            gone = list(live)[int(rng.integers(len(live)))]
            assert house.collector.store.erase_report(house.stored(WATCHED), live.pop(gone).id)
        response = house.read_tally(WATCHED)
        if response.status_code == 403:
            continue
        given, now = Tally.from_json(response.data), tally_of(WATCHED, list(live.values()))
        for question in WATCHED.questions:
            counts = given.support_counts[question.id].tobytes()
            before = seen.get(question.id, (np.zeros_like(given.support_counts[question.id]).tobytes(), frozenset()))
            if counts != before[0]:
                assert counts == now.support_counts[question.id].tobytes()
                fresh = tally_of(WATCHED, [live[key] for key in live.keys() - before[1]]).support_counts[question.id]
                n_fresh = fresh[:, 0].min() if fresh.ndim > 1 else len(live.keys() - before[1])
                assert n_fresh >= WATCHED.min_reports
                assert given.counted(question.id).n_reports == len(live)
                seen[question.id] = counts, frozenset(live)
                n_steps[question.id] += 1
    assert n_steps["affair"] > n_steps["home"] > n_steps["street"] >= 1


def test_nothing_is_locked_or_written_unless_a_step_is_due(house: House) -> None:
    """Another holds the survey, and the whole database: who had to wait for it would be refused."""
    send(house, HUNDRED, make_reports(110, HUNDRED))
    first = house.read_tally(HUNDRED).data
    send(house, HUNDRED, make_reports(99, HUNDRED))
    stored = house.stored(HUNDRED)
    with house.collector.store.transaction() as transaction:
        transaction.lock_survey(stored.key, alone=True)
        assert house.read_tally(HUNDRED).data == first
        assert read_released_waves(house.collector.store, stored)[1] == Tally.from_json(first)
    send(house, HUNDRED, make_reports(1, HUNDRED))
    assert house.read_tally(HUNDRED).get_json()["n_reports"] == 210


def test_many_waves_are_read_in_as_few_queries_as_one(house: House) -> None:
    asked: list[str] = []
    store, stored = house.collector.store, house.stored(MANY_WAVES)
    for engine in (store.dialect.read_engine, store.dialect.write_engine):
        event.listen(engine, "before_cursor_execute", lambda *given: asked.append(given[2]))

    def count() -> int:
        asked.clear()
        read_released_waves(store, stored)
        return sum("tallies.cell" in text or "releases" in text for text in list(asked))

    send(house, MANY_WAVES, make_reports(2, MANY_WAVES, 1))
    of_one = count(), count()  # the first takes a step
    for wave in range(1, 61):
        send(house, MANY_WAVES, make_reports(2, MANY_WAVES, wave))
    assert (count(), count()) == of_one
    assert of_one[1] == 2
    assert len(read_released_waves(store, stored)) == 60


@pytest.mark.thorough
def test_no_two_tallies_differ_by_fewer_however_many_look_while_reports_come(house: House) -> None:
    stored, is_over = house.stored(WAVES), threading.Event()

    def look() -> list[dict[int, Tally]]:
        seen = []
        while not is_over.is_set():
            seen.append(read_released_waves(house.collector.store, stored))
        return [*seen, read_released_waves(house.collector.store, stored)]

    with ThreadPoolExecutor(3) as pool:
        looking = [pool.submit(look) for _ in range(3)]
        for number in range(30):
            send(house, WAVES, make_reports(14, WAVES, 1 + number % 2))
        is_over.set()
        seen = [tallies for one in looking for tallies in one.result()]
    for wave in (1, 2):
        given = [tallies[wave] for tallies in seen if wave in tallies]
        by_size = {tally.n_reports: tally for tally in given}
        assert all(by_size[tally.n_reports] == tally for tally in given)
        assert all(more - fewer >= 50 for fewer, more in pairwise([0, *sorted(by_size)]))
        assert max(by_size) > 210 - 50


def test_steps_are_the_same_on_postgresql(postgres_empty: str) -> None:
    with open_house(postgres_empty, HUNDRED, COHORT_WAVES) as house:
        test_asking_seldom_gives_the_newest_and_asking_again_the_same(house)
        test_each_wave_goes_its_own_steps_where_there_are_cohorts(house)


@pytest.mark.parametrize("query", ["", "?wave=1", "?part=0/16"])
def test_single_reports_are_not_given_at_all(house: House, query: str) -> None:
    send(house, HUNDRED, make_reports(150, HUNDRED))
    response = house.http.get(f"/v1/surveys/hundred/records{query}", headers=house.analyst)
    assert_refused(response, 403, "below_minimum")


def test_admin_is_told_how_many_there_are(house: House) -> None:
    send(house, HUNDRED, make_reports(7, HUNDRED))
    listed = house.http.get("/v1/surveys", headers=house.admin).get_json()["surveys"]
    assert {row["id"]: (row["min_reports"], row["n_reports"]) for row in listed}["hundred"] == (100, 7)
