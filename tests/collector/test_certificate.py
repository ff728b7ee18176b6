"""Certificates: given where something is gone, refused where it is not, and each number is what the store counts."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import update

from collecting import COUNTED, INVITED, SMALL, make_reports, prepare, serve, wait_until
from house import House, assert_refused, open_house
from page_reading import password, read_page
from sotto_client.cli import main
from sotto_collector.api.openapi_schemas import describe_bodies
from sotto_collector.certificate import check_certificate
from sotto_collector.errors import CertificateError
from sotto_collector.gateway import Gateway
from sotto_collector.settings import Settings
from sotto_collector.store.gateway import make_keys, read_identity
from sotto_collector.store.retention import erase_due
from sotto_collector.store.schema import inbox, reports
from sotto_collector.store.stock import Stock

pytestmark = pytest.mark.later("postgres", "rare")  # what is certified is read as a tally is

LAST, BEFORE, DAY = "2030-12-31", "2031-01-29", "2031-01-30"
KEPT = replace(SMALL, closes=LAST, erase_after=30)
PATH = "/v1/surveys/small/certificate"


@pytest.fixture
def house(db: str) -> Iterator[House]:
    with open_house(db, KEPT, COUNTED, INVITED) as opened:
        turn(opened, LAST)
        yield opened


def turn(house: House, day: str) -> None:
    """Let it be another day, for whoever asks from now on, and all be erased that is due."""
    house.collector.store.today = lambda: day
    erase_due(house.collector.store, lambda *_: None)
    for survey in (KEPT, COUNTED, INVITED):
        house.collector.forget_survey(survey.id)


def hold_schema(document: dict[str, Any]) -> dict[str, Any]:
    """Hold that a certificate has the members that OpenAPI says, and nothing that could tell a moment."""
    schema = describe_bodies(Settings())["Certificate"]
    assert {*schema["required"]} <= document.keys() <= schema["properties"].keys()
    assert ":" not in json.dumps([value for value in document.values() if isinstance(value, str)])
    return document


def test_reports_that_went_on_their_day_are_certified_from_the_store_itself(house: House) -> None:
    house.collect(KEPT, 12)
    for day in (LAST, BEFORE):
        turn(house, day)
        refused = house.http.get(PATH, headers=house.analyst)
        assert_refused(refused, 409, "not_erased")
        assert refused.get_json(force=True)["detail"].endswith(
            "were not erased; they are due to be erased by 2031-01-30."
        )
    turn(house, DAY)
    house.collector.store.today = lambda: "2031-02-03"
    for token in (house.admin, house.analyst):
        given = hold_schema(house.http.get(PATH, headers=token).get_json())
        nothing = given.pop("says_nothing_of")
        assert "backups" in nothing[0]
        assert given == {
            "format": "sottovoce-erasure-1",
            "what": "reports",
            "survey": "small",
            "fingerprint": KEPT.fingerprint,
            "closes": LAST,
            "erase_after": 30,
            "erased_on": DAY,
            "copies_until": DAY,
            "recounted_on": "2031-02-03",
            "erased": {"reports": 12},
            "left": {"reports": 0, "ids": 12, "tallied": 12, "invitations": 0},
        }
    assert_refused(house.http.get(PATH), 401, "unauthorized")


def test_what_is_still_there_is_not_certified_as_gone(house: House) -> None:
    """However it came back: the store is asked, not what was written down."""
    (first, *_) = house.collect(KEPT, 3)
    turn(house, DAY)
    store = house.collector.store
    with store.transaction() as transaction:
        for table in (inbox, reports):
            transaction.connection.execute(update(table).values(packed=b"1"))
    assert_refused(house.http.get(PATH, headers=house.admin), 409, "not_erased")
    assert_refused(house.http.post(PATH, json={"receipt": first.receipt}), 409, "not_erased")


def test_report_is_certified_to_who_has_its_receipt_and_no_other(house: House) -> None:
    mine, other = house.collect(KEPT, 2)
    assert_refused(house.http.post(PATH, json={"receipt": mine.receipt}), 409, "not_erased")
    house.erase("small", mine.receipt)
    given = hold_schema(house.http.post(PATH, json={"receipt": mine.receipt}).get_json())
    assert (given["what"], given["receipt"], given["erased"], given["left"]) == (
        "report",
        mine.receipt,
        {"reports": 1},
        {"reports": 0, "ids": 1},
    )
    assert other.receipt not in json.dumps(given)
    assert_refused(house.http.post(PATH, json={"receipt": "0" * 32}), 404, "no_such_report")
    assert_refused(house.http.post(PATH, json={"receipt": "0"}), 422, "bad_receipt")
    turn(house, DAY)
    assert house.http.post(PATH, json={"receipt": other.receipt}).get_json()["erased"] == {"reports": 1}


def test_survey_that_keeps_counts_certifies_nothing_and_tells_nobody_who_took_part(house: House) -> None:
    (sent,) = house.collect(COUNTED, 1)
    path = f"/v1/surveys/{COUNTED.id}/certificate"
    for receipt in (sent.receipt, "0" * 32):
        assert_refused(house.http.post(path, json={"receipt": receipt}), 409, "not_kept")
    assert_refused(house.http.get(path, headers=house.analyst), 409, "not_erased")


def test_whole_survey_is_certified_as_it_goes(house: House) -> None:
    house.administer("POST", f"/v1/surveys/{INVITED.id}/invitations", {"count": 5})
    house.collect(KEPT, 7)
    for survey, erased in ((KEPT, Stock(7, 7, 7, 0)), (INVITED, Stock(0, 0, 0, 5))):
        house.administer("POST", f"/v1/surveys/{survey.id}/close")
        given = hold_schema(house.administer("DELETE", f"/v1/surveys/{survey.id}").get_json()["certificate"])
        assert (given["what"], given["fingerprint"]) == ("survey", survey.fingerprint)
        assert Stock(**given["erased"]) == erased
        assert {*given["left"].values()} == {0}
        assert_refused(
            house.http.get(f"/v1/surveys/{survey.id}/certificate", headers=house.admin), 404, "no_such_survey"
        )


def test_everybody_is_told_that_the_reports_are_gone(house: House) -> None:
    house.collect(KEPT, 6)
    assert "Reports are erased on <time" in house.http.get("/s/small").text
    rows = str(read_page(house.http.get("/s", headers=password(house.analyst))).table("3 surveys"))
    assert "reports erased on 2031-01-30" in rows
    turn(house, DAY)
    page = house.http.get("/s/small").text
    assert "Its reports were erased, as promised. Their counts are kept." in page
    assert "erase-button" not in page
    assert "Reports are erased on" not in page
    listed = house.http.get("/v1/surveys", headers=house.analyst).get_json()["surveys"]
    assert {one["id"]: one["erased"] for one in listed} == {"small": True, "counted": False, "invited": False}
    rows = str(read_page(house.http.get("/s", headers=password(house.analyst))).table("3 surveys"))
    assert "reports erased" in rows
    assert "reports erased on" not in rows
    assert house.read_tally(KEPT).get_json()["n_reports"] == 6
    for refused in (
        house.http.get("/v1/surveys/small/records", headers=house.analyst),
        house.erase("small", make_reports(1, KEPT)[0].receipt),
    ):
        assert_refused(refused, 409, "not_kept")
        assert "were erased" in refused.get_json(force=True)["detail"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_commands_print_them_and_write_that_of_a_whole_survey_to_a_new_file(tmp_path: Path) -> None:
    over = replace(SMALL, closes="2020-01-01", erase_after=1)
    db, there = tmp_path / "survey.db", tmp_path / "certificate.json"
    prepare(db, over, going := replace(SMALL, id="going"))
    with serve(db, "--clock-wait-s", "0", survey=over) as served:
        sent = make_reports(2, going)
        assert served.send(sent, going)[0] == 200
        at = (served.url, "going")
        assert run("erase", *at, "--receipt", sent[0].receipt).exit_code == 0
        given = run("certificate", *at, "--receipt", sent[0].receipt.upper())
        assert json.loads(given.stdout)["receipt"] == sent[0].receipt
        with_token = "--token", served.admin
        assert json.loads(run("certificate", served.url, "small", *with_token).stdout)["erased_on"] > "2020"
        said = run("status", served.url, *with_token, "--interval-s", 0).stdout
        assert "closed, reports erased" in said
        assert run("certificate", *at).exit_code == 2
        assert "409 not_erased" in run("certificate", *at, *with_token).stderr
        assert run("erase", *at, "--receipt", "0" * 32, "--certificate", there).exit_code == 2

        erase = "erase", *at, "--all", "--yes", *with_token, "--certificate"
        refused = run(*erase, there)
        assert "survey_open" in refused.stderr
        assert not there.exists()
        run("close", *at, *with_token)
        assert "must be a new file" in run(*erase, db).stderr
        assert "must be a new file" in run(*erase, tmp_path / "no" / "folder").stderr
        assert run("status", served.url, *with_token, "--interval-s", 0).stdout.count("going") == 1
        done = run(*erase, there)
        assert (done.exit_code, done.stdout) == (0, "going  erased\n")
        certificate = json.loads(there.read_text())
        assert certificate["erased"] == {"reports": 1, "ids": 2, "tallied": 1, "invitations": 0}
        assert certificate["left"] == {"reports": 0, "ids": 0, "tallied": 0, "invitations": 0}


@pytest.fixture
def signing(house: House) -> str:
    """Give the collector a key, and return it as pages show it."""
    pytest.importorskip("pyhpke")
    make_keys(house.collector.store)
    with house.collector.store.reader() as connection:
        return (read_identity(connection) or b"").hex()


def test_a_collector_without_a_key_signs_nothing(house: House) -> None:
    house.collect(KEPT, 1)
    turn(house, DAY)
    given = house.http.get(PATH, headers=house.analyst).get_json()
    assert not {"key", "signature"} & {*given}
    with pytest.raises(CertificateError, match=r"signed with another key \(none\)|pip install"):
        check_certificate(given, "0" * 64)


def test_a_certificate_is_signed_with_the_key_on_the_page(house: House, signing: str) -> None:
    """Signed bytes are written out here: sorted names, no blanks, as RFC 8785 has it for such a document."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    (sent,) = house.collect(KEPT, 1)
    house.collector.gateway = Gateway(house.collector.store)  # the other may know for a second what was before
    assert f'<code class="fingerprint" data-signs>{signing}</code>' in house.http.get("/s/small").text
    assert signing not in house.http.get(f"/s/{COUNTED.id}").text  # it keeps no report that could be erased
    house.erase("small", sent.receipt)
    given = hold_schema(house.http.post(PATH, json={"receipt": sent.receipt}).get_json())
    assert given["key"] == signing
    unsigned = {name: given[name] for name in given if name != "signature"}
    text = json.dumps(unsigned, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(signing)).verify(
        bytes.fromhex(given["signature"]), b"sottovoce certificate of erasure 1\n" + text.encode()
    )
    check_certificate(given, signing)
    for changed, message in [
        ({"erased": {"reports": 2}}, "was changed"),
        ({"signature": "zz"}, "was changed"),
        ({"key": "0" * 64}, "signed with another key"),
        ({"signature": None}, "signed with another key"),
    ]:
        with pytest.raises(CertificateError, match=message):
            check_certificate(given | changed, signing)
    with pytest.raises(CertificateError, match="must be 64 hexadecimal digits"):
        check_certificate(given, "0")


@pytest.mark.thorough
def test_respondents_check_a_served_collectors_certificate_with_the_key_that_its_page_shows(tmp_path: Path) -> None:
    """Keys are made as `sotto serve` runs: it has the page say so, and signs."""
    db = tmp_path / "survey.db"
    run = CliRunner().invoke
    with serve(db, survey=KEPT) as served:
        (sent,) = made = make_reports(1, KEPT)
        assert served.send(made, KEPT)[0] == 200
        assert run(main, ["gateway", "key", "new", "--db", str(db)]).exit_code == 0
        wait_until(lambda: b"data-signs" in served.fetch("GET", "/s/small")[2])
        found = re.search(rb"data-signs>([0-9a-f]{64})<", served.fetch("GET", "/s/small")[2])
        assert found
        assert run(main, ["erase", served.url, "small", "--receipt", sent.receipt, "--yes"]).exit_code == 0
        for key, status in ((found[1].decode(), 0), ("0" * 64, 1)):
            done = run(main, ["certificate", served.url, "small", "--receipt", sent.receipt, "--key", key])
            assert (done.exit_code, "signed with another key" in done.output) == (status, bool(status)), done.output


def test_the_command_checks_a_file_and_asks_nobody(house: House, signing: str, tmp_path: Path) -> None:
    house.collect(KEPT, 1)
    turn(house, DAY)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(house.http.get(PATH, headers=house.analyst).get_json()))
    run = CliRunner(env={"SOTTO_TOKEN": ""}).invoke
    done = run(main, ["certificate", "--check", str(file), "--key", f" {signing.upper()}\n"])
    assert (done.exit_code, json.loads(done.stdout)["survey"]) == (0, "small")
    file.write_text(file.read_text().replace('"reports": 1', '"reports": 2'))
    for words, status, message in [
        (["--check", str(file), "--key", signing], 1, "the certificate was changed"),
        (["--check", str(tmp_path / "none"), "--key", signing], 1, "must be a file that can be read"),
        (["--check", str(file)], 2, "--check FILE goes with --key"),
        ([], 2, "Give URL and SURVEY"),
    ]:
        done = run(main, ["certificate", *words])
        assert done.exit_code == status
        assert message in " ".join(done.stderr.split())
