"""What a collector of counts says: to who has a receipt, to analysts, operators and respondents."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from collecting import (
    COUNTED,
    COUNTED_INVITED,
    SMALL,
    STRINGS,
    Served,
    count_here,
    make_reports,
    publish_here,
    serve,
    tally_of,
)
from house import House, assert_refused, open_house
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_collector.store import Store
from sotto_protocol import Coins, Report, Survey, Tally, batch_body, compile_toml, stack_records

FEW = replace(COUNTED, id="few", min_reports=10)
WORDS = compile_toml("""
id = "words"
title = "Words"
keep = "counts"
[[questions]]
id = "tree"
type = "text"
mechanism = "rappor"
text = "Which tree?"
n_bits = 32
n_cohorts = 4
epsilon = 6
""")
TOML = 'id = "new"\ntitle = "New"\nkeep = "counts"\n[[questions]]\nid = "a"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'
SAID = "keeps only counts. It has no reports to erase, recount, export or associate."


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", COUNTED, SMALL, FEW, COUNTED_INVITED) as opened:
        yield opened


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served") / "survey.db", survey=COUNTED) as started:
        assert started.send(make_reports(200, COUNTED), COUNTED)[0] == 200
        yield started


def run(*arguments: object, token: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], env={"SOTTO_TOKEN": token})
    return result.exit_code, result.stdout, result.stderr


def publish(served: Served, survey: Survey) -> None:
    assert served.ask("POST", "/v1/surveys", survey.canonical, served.admin)[0] == 201


def test_no_receipt_erases_a_report_and_none_is_told_whether_it_was_counted(house: House) -> None:
    reports = house.collect(COUNTED, 5)
    answers = [house.erase(COUNTED.id, receipt) for receipt in (reports[0].receipt, "0" * 32)]
    for response in answers:
        assert_refused(response, 409, "not_kept")
        assert response.get_json(force=True)["detail"] == f"survey counted {SAID}"
    assert answers[0].data == answers[1].data
    assert_refused(house.erase(COUNTED.id, "none"), 422, "bad_receipt")
    assert Tally.from_json(house.read_tally(COUNTED).data) == tally_of(COUNTED, reports)


@pytest.mark.parametrize("survey", [COUNTED, FEW], ids=lambda survey: str(survey.id))
@pytest.mark.parametrize("query", ["", "?wave=1", "?part=0/4"])
def test_records_are_refused_to_an_analyst_and_the_tally_is_given(house: House, survey: Survey, query: str) -> None:
    reports, path = house.collect(survey, 10), f"/v1/surveys/{survey.id}/records{query}"
    assert_refused(house.http.get(path, headers=house.analyst), 409, "not_kept")
    assert_refused(house.http.get(path), 401, "unauthorized")
    assert Tally.from_json(house.read_tally(survey).data) == tally_of(survey, reports)


def test_repeats_are_answered_and_measured_as_repeats(house: House) -> None:
    (first, other) = make_reports(2, COUNTED)
    while other.record == first.record:
        (other,) = make_reports(1, COUNTED)
    for sent in ([first], [first], [Report(first.id, other.record)]):
        answer = house.send(COUNTED, sent).get_json()
    assert answer == {"counted": 0, "duplicates": 1, "conflicting": 0}
    metrics = house.http.get("/metrics", headers=house.analyst).text
    assert 'sotto_reports_total{outcome="counted"} 1.0' in metrics
    assert 'sotto_reports_total{outcome="duplicate"} 2.0' in metrics
    assert "conflicting" not in re.sub("(?m)^#.*", "", metrics)


def test_surveys_are_listed_with_what_is_kept(house: House) -> None:
    listed = house.http.get("/v1/surveys", headers=house.admin).get_json()["surveys"]
    assert {entry["id"]: entry["keep"] for entry in listed} == {
        "counted": "counts",
        "counted-invited": "counts",
        "few": "counts",
        "small": "reports",
    }


def test_closed_survey_is_erased_as_a_whole(house: House) -> None:
    house.collect(COUNTED, 5)
    house.administer("POST", "/v1/surveys/counted/close")
    assert house.administer("DELETE", "/v1/surveys/counted").status_code == 200
    assert_refused(house.read_tally(COUNTED), 404, "no_such_survey")


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_page_says_that_nothing_can_be_taken_out_and_offers_no_erasure(house: House, is_open: bool) -> None:
    pages = {}
    for survey in (COUNTED, SMALL):
        if not is_open:
            house.administer("POST", f"/v1/surveys/{survey.id}/close")
        pages[survey.id] = " ".join(house.http.get(f"/s/{survey.id}").text.split())
    said = "The collector adds your report to its counts and does not keep it. So nobody can take it out again."
    assert said in pages["counted"]
    assert "The report is added to the counts and not kept, so nobody can take it out again." in pages["counted"]
    assert not re.search("eras", pages["counted"])
    assert said not in pages["small"]
    assert 'id="erasure"' in pages["small"]
    assert "can have the report erased" in pages["small"]
    if is_open:
        assert "But the report is counted and not kept, so nobody can take it out again." in pages["counted"]
        assert "you can have your report erased" in pages["small"]


def test_index_says_of_which_surveys_counts_alone_are_kept(house: House) -> None:
    index = house.http.get("/s", headers=house.admin).text
    assert index.count("counts only") == 3
    assert index.count("<code>small</code>: open, for everybody;") == 1


def test_texts_are_looked_for_on_the_results_page_whether_reports_are_kept_or_not(tmp_path: Path) -> None:
    kept = replace(STRINGS, waves=1)
    surveys = [kept, replace(kept, id="counted", keep="counts")]
    with open_house(tmp_path / "survey.db", *surveys) as house:
        assert all(house.collect(survey, 20) for survey in surveys)
        shown = [house.http.get(f"/s/{survey.id}/results", headers=house.analyst).text for survey in surveys]
    assert all('name="texts"' in page for page in shown)
    assert not any("sotto decode" in page for page in shown)


def test_strings_that_nobody_lists_cannot_be_asked_for_where_no_report_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(TOML.replace('"yes-no"', '"text"') + 'mechanism = "rappor"\nunknown = true\n')
    code, out, err = run("check", path)
    assert (code, out) == (1, "")
    assert err.endswith(
        '$.questions[0].unknown: does not go with keep = "counts": strings that nobody lists are found in the reports '
        "themselves. (question a)\n"
    )


def test_publish_says_what_cannot_be_done(served: Served, tmp_path: Path) -> None:
    (tmp_path / "survey.toml").write_text(TOML)
    code, out, err = run("publish", tmp_path / "survey.toml", served.url, token=served.admin)
    assert (code, len(out.splitlines()), err.count("\n")) == (0, 2, 1)
    assert err.startswith("The collector keeps only counts. It has no reports to erase, recount, export")
    (tmp_path / "survey.toml").write_text(TOML.replace('keep = "counts"', "").replace('"new"', '"usual"'))
    assert run("publish", tmp_path / "survey.toml", served.url, token=served.admin)[2] == ""


def test_status_says_that_counts_alone_are_kept(served: Served) -> None:
    out = run("status", served.url, "--interval-s", 0, token=served.analyst)[1]
    assert re.search(r"(?m)^counted +open, counts only +200 ", out)
    listed = json.loads(run("status", served.url, "--interval-s", 0, "--json", token=served.analyst)[1])["surveys"]
    assert [survey["keep"] for survey in listed if survey["id"] == "counted"] == ["counts"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("erase", "URL", "counted", "--receipt", "0" * 32),
        ("export", "URL", "counted", "--to", "FOLDER"),
        ("associate", "URL", "counted", "affair", "rating"),
        ("decode", "URL", "counted", "affair", "--unknown"),
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_command_that_needs_reports_says_in_a_line_that_there_are_none(
    served: Served, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    known = {"URL": served.url, "FOLDER": str(tmp_path / "archive")}
    code, out, err = run(*[known.get(word, word) for word in arguments], token=served.analyst)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "409 not_kept" in err
    assert f"survey counted {SAID}" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("db", ["sqlite", pytest.param("postgres", marks=pytest.mark.thorough)], indirect=True)
def test_export_of_a_database_says_so_too_and_makes_no_folder(db: str, tmp_path: Path) -> None:
    with closing(Store(db)) as store:
        count_here(store, publish_here(store, COUNTED), make_reports(3, COUNTED))
    code, out, err = run("export", db, "counted", "--to", tmp_path / "archive")
    assert (code, out, err) == (1, "", f"Error: survey counted {SAID}\n")
    assert not (tmp_path / "archive").exists()


def test_recount_counts_ids_and_fixes_nothing(db: str) -> None:
    reports = make_reports(1200, COUNTED)
    with closing(Store(db)) as store:
        stored = publish_here(store, COUNTED)
        count_here(store, stored, reports)
        publish_here(store, SMALL)
    said = "counted  1,200 reports  keeps counts alone: only their ids can be recounted"
    for flags in ((), ("--fix",)):
        assert run("recount", "--db", db, *flags) == (0, f"{said}\nsmall  0 reports  tally = recount\n", "")
    with closing(Store(db)) as store:
        assert store.read_tally(stored) == tally_of(COUNTED, reports)
        with store.transaction() as transaction:
            transaction.connection.execute(text("UPDATE tallies SET n_reports = 1201"))
    said = "counted  1,201 reports  keeps counts alone: only their ids can be recounted; there are 1,200"
    for flags in ((), ("--fix",)):
        assert run("recount", "--db", db, *flags, "counted") == (1, f"{said}\n", "")


def test_estimates_are_those_of_the_reports(served: Served, tmp_path: Path) -> None:
    """The same noisy reports to a survey that keeps them, and to one that does not."""
    both = [replace(SMALL, id=f"both-{keep}", keep=keep) for keep in ("reports", "counts")]
    reports = make_reports(300, SMALL)
    shares = []
    for survey in both:
        publish(served, survey)
        assert served.send(reports, survey)[0] == 200
        printed = json.loads(run("estimate", served.url, survey.id, "--json", token=served.analyst)[1])
        shares.append(printed["estimates"])
        assert (
            run("estimate", served.url, survey.id, "--save-tally", tmp_path / survey.id, token=served.analyst)[0] == 0
        )
    assert shares[0] == shares[1]
    assert json.loads(run("estimate", tmp_path / "both-counts", "--json")[1])["estimates"] == shares[1]


def test_strings_are_decoded_from_the_counts(served: Served, tmp_path: Path) -> None:
    publish(served, WORDS)
    records = WORDS.perturb({"tree": ["oak"] * 3000 + ["elm"] * 1000}, Coins(os.urandom))
    for start in range(0, 4000, 1000):
        batch = [Report(os.urandom(16), record.tobytes()) for record in records[start : start + 1000]]
        assert served.send(batch, WORDS)[0] == 200
    (tmp_path / "trees.txt").write_text("oak\nelm\nash\n")
    arguments = ("decode", served.url, "words", "tree", "--candidates", tmp_path / "trees.txt", "--json")
    code, out, _ = run(*arguments, token=served.analyst)
    assert code == 0
    found = {row["string"]: row["share"] for row in json.loads(out)["strings"]}
    assert abs(found["oak"] - 0.75) < 0.1  # 4,000 reports at epsilon 6: more than six standard errors
    assert Tally.of(WORDS, records).n_reports == json.loads(out)["n_reports"]


def test_device_answers_it_as_any_other(served: Served, tmp_path: Path) -> None:
    survey = replace(COUNTED, id="answered")
    publish(served, survey)
    with SurveyClient(served.url, survey.id, state=tmp_path / "device.db") as device:
        assert device.survey.keep == "counts"
        receipt = device.answer({"affair": True, "rating": "1"})
        assert device.flush(60)
    with closing(Store(served.db)) as store:
        stored = publish_here(store, survey)
        assert store.read_reports(stored) == [(bytes.fromhex(receipt.id), b"")]
        assert store.read_tally(stored).n_reports == 1


def test_receipt_of_a_report_cannot_take_it_out_though_its_id_is_known(served: Served) -> None:
    survey = replace(COUNTED, id="known")
    publish(served, survey)
    (report,) = make_reports(1, survey)
    assert served.send([report], survey)[0] == 200
    assert run("erase", served.url, survey.id, "--receipt", report.receipt)[0] == 1
    assert served.ask("POST", f"/v1/surveys/{survey.id}/reports", batch_body(survey, [report]))[2]["duplicates"] == 1
    tally = served.ask("GET", f"/v1/surveys/{survey.id}/tally", token=served.analyst)[2]
    assert tally == json.loads(Tally.of(survey, stack_records([report.record])).to_json())
