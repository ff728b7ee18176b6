"""`draw` in a collector: reports of some questions are taken, counted by question, released, recounted and archived."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sqlalchemy import update

from archiving import Heap
from collecting import STRINGS, SURVEY, count_here, make_reports, publish_here, tally_of
from house import House, assert_refused, open_house
from sotto_collector.archive.export import export
from sotto_collector.archive.folders import LocalFolder
from sotto_collector.archive.layout import Layout
from sotto_collector.archive.manifest import read_manifest
from sotto_collector.archive.recount import recount
from sotto_collector.store import Store
from sotto_collector.store.recount import recount_survey
from sotto_collector.store.schema import tallies
from sotto_collector.store.transaction import pack_counts
from sotto_protocol import Report, Survey, Tally, batch_body, compile_toml, stack_records

TWO = replace(SURVEY, id="two", draw=2)
WAVES = replace(STRINGS, id="waves-two", draw=2)
QUESTIONS = [f'[[questions]]\nid = "q{i}"\ntype = "yes-no"\ntext = "Q?"\nepsilon = 1\n' for i in range(4)]
LEAST = compile_toml('id = "least"\ntitle = "Least"\nmin_reports = 20\ndraw = 1\n' + "".join(QUESTIONS))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", TWO, WAVES, LEAST) as opened:
        yield opened


def answering(question: int, n_reports: int) -> list[Report]:
    """Return so many reports of LEAST that answer one question."""
    made: list[Report] = []
    while len(made) < n_reports:
        reports = make_reports(40, LEAST)
        has = LEAST.layout.drawn(stack_records([report.record for report in reports]))[:, question]
        made += [report for report, is_drawn in zip(reports, has, strict=True) if is_drawn]
    return made[:n_reports]


@pytest.mark.parametrize("survey", [TWO, WAVES], ids=["one wave", "waves"])
def test_reports_are_taken_counted_by_question_and_recounted(house: House, survey: Survey) -> None:
    reports = [report for wave in range(1, survey.waves + 1) for report in house.collect(survey, 30, wave)]
    tally = Tally.from_json(house.read_tally(survey).data)
    assert tally == tally_of(survey, reports)
    drawn = survey.layout.drawn(stack_records([report.record for report in reports]))
    assert [tally.counted(question.id).n_reports for question in survey.questions] == drawn.sum(axis=0).tolist()
    assert house.send(survey, reports[:7]).json["duplicates"] == 7
    stored = house.stored(survey)
    assert recount_survey(house.collector.store, stored) == []
    assert house.erase(survey.id, reports[0].receipt).status_code == 200
    assert house.collector.store.read_tally(stored) == tally_of(survey, reports[1:])
    assert recount_survey(house.collector.store, stored) == []


def test_a_tally_whose_numbers_by_question_are_wrong_is_said_to_be(store: Store) -> None:
    stored = publish_here(store, TWO)
    reports = make_reports(30, TWO)
    count_here(store, stored, reports)
    counts = tally_of(TWO, reports).pack().counts
    counts[-1] += 1
    with store.transaction() as transaction:
        transaction.connection.execute(update(tallies).values(counts=pack_counts(counts)))
    assert [(found.n_tallied, found.n_stored, found.n_counts) for found in recount_survey(store, stored)] == [
        (30, 30, 1)
    ]
    assert len(recount_survey(store, stored, fix=True)) == 1
    assert store.read_tally(stored) == tally_of(TWO, reports)


@pytest.mark.parametrize("members", [["affair"], ["affair", "rating", "colour"], ["affair", "job"], []])
def test_members_that_are_not_exactly_as_many_as_drawn_are_refused_at_their_place(
    house: House, members: list[str]
) -> None:
    body = json.loads(batch_body(TWO, make_reports(3, TWO)))
    values = {"affair": True, "rating": 2, "colour": "AAA=", "job": 1}
    body["reports"][1]["answers"] = {key: values[key] for key in members}
    refused = house.http.post(f"/v1/surveys/{TWO.id}/reports", json=body)
    assert_refused(refused, 422, "bad_report")
    assert refused.json["where"] == "$.reports[1].answers"
    assert refused.json["detail"].startswith("must have exactly 2 of the members affair, rating, town")
    assert Tally.from_json(house.read_tally(TWO).data).n_reports == 0


@pytest.mark.parametrize("n_more", [1, 3])  # with 3 there are as many members as questions
def test_a_member_that_stands_twice_is_refused(house: House, n_more: int) -> None:
    body = batch_body(TWO, make_reports(1, TWO)).rstrip()
    before, answers = body.rsplit(b'"answers":{', 1)
    first = answers.split(b",")[0]
    twice = before + b'"answers":{' + (first + b",") * n_more + answers
    refused = house.http.post(f"/v1/surveys/{TWO.id}/reports", data=twice, content_type="application/json")
    assert_refused(refused, 422, "bad_report")


def test_nothing_of_a_question_is_released_before_so_many_answer_it_and_in_such_steps(house: House) -> None:
    """Three questions of 19 answers and one of 20: only that one is seen; each goes steps of its own."""
    for question, n in enumerate([20, 19, 19, 19]):
        assert house.send(LEAST, answering(question, n)).status_code == 200
    tally = Tally.from_json(house.read_tally(LEAST).data)
    assert (tally.n_reports, [tally.counted(f"q{i}").n_reports for i in range(4)]) == (77, [20, 0, 0, 0])
    assert [int(tally.support_counts[f"q{i}"].sum()) for i in range(1, 4)] == [0, 0, 0]
    assert house.send(LEAST, answering(1, 1)).status_code == 200
    assert Tally.from_json(house.read_tally(LEAST).data) == tally, "no step of the whole is due"
    assert house.send(LEAST, answering(0, 19)).status_code == 200
    tally = Tally.from_json(house.read_tally(LEAST).data)
    assert (tally.n_reports, [tally.counted(f"q{i}").n_reports for i in range(4)]) == (97, [20, 20, 0, 0])
    assert house.send(LEAST, answering(0, 20)).status_code == 200
    tally = Tally.from_json(house.read_tally(LEAST).data)
    assert [tally.counted(f"q{i}").n_reports for i in range(4)] == [59, 20, 0, 0]


def test_an_erased_report_keeps_no_results_from_anybody(house: House) -> None:
    """What was given of a question is more than there is, until so many more answer it."""

    def given() -> list[int]:
        tally = Tally.from_json(house.read_tally(LEAST).data)
        return [tally.counted(key).n_reports for key in ("q0", "q1")]

    first, erased = answering(0, 20), answering(1, 20)
    house.send(LEAST, first + erased)
    assert given() == [20, 20]
    for report in erased[:3]:
        assert house.erase("least", report.receipt).status_code == 200
    house.send(LEAST, answering(0, 23))
    assert given() == [43, 20]
    house.send(LEAST, answering(1, 23))
    assert given() == [43, 40]


@pytest.mark.parametrize("survey", [TWO, WAVES], ids=["one wave", "waves"])
def test_an_archive_has_what_was_drawn_and_is_recounted(survey: Survey, tmp_path: Path) -> None:
    records = np.concatenate(
        [
            stack_records([report.record for report in make_reports(50, survey, wave)])
            for wave in range(1, survey.waves + 1)
        ]
    )
    layout = Layout(survey)
    assert layout.to_records(layout.to_batch(records)).tolist() == records.tolist()
    heap = Heap(survey, records)
    export(heap, tmp_path / "archive", 3)
    assert recount(tmp_path / "archive", n_workers=1) == heap.tally
    assert recount(tmp_path / "archive", survey.waves, n_workers=1) == Tally.by_wave(survey, records)[survey.waves]
    [name, *_] = [file.name for file in read_manifest(LocalFolder(tmp_path / "archive")).files]
    assert "drawn" in pq.read_table(tmp_path / "archive" / name).column_names
