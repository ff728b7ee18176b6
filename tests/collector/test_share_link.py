"""A share link shows one survey's results, as if they were public, to everybody who has the link, until it ends."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from click.testing import CliRunner, Result
from werkzeug.test import TestResponse

from collecting import SMALL, STRINGS, serve
from house import House, assert_refused, bearer, open_house
from page_reading import Page, password, read_page
from sotto_client.cli import main
from sotto_collector.errors import TokenError
from sotto_collector.share_link import path_of
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.facts import read_facts
from sotto_collector.store.upgrade import HEAD
from sotto_collector.tokens import create_token, hash_token, revoke_token, rotate_token

LEAST = replace(SMALL, id="least", min_reports=100)
FILES = [".csv", ".json", "/rating/shares.svg", "/rating/shares.png"]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SMALL, LEAST, STRINGS) as opened:
        opened.collect(SMALL, 20)
        yield opened


def make(house: House, survey_id: str = "small") -> str:
    return create_token(house.collector.tokens, "reader", "board", survey_id=survey_id, expires_in_s=60)


def see(house: House, token: str, rest: str = "", survey_id: str = "small") -> TestResponse:
    return house.http.get(path_of(survey_id, token) + rest, headers={"Accept": "text/html"})


def end(house: House, token: str) -> None:
    table = house.collector.tokens
    row = table.find(hash_token(token))
    assert row is not None
    table.remove(row.token_hash)
    table.add(replace(row, expires_s=1_765_532_040))  # 12 December 2025


def test_link_shows_the_page_and_its_files_without_a_password(house: House) -> None:
    token = make(house)
    response = see(house, token)
    assert (response.status_code, "WWW-Authenticate" in response.headers) == (200, False)
    linked = read_page(response)
    signed_in = read_page(house.http.get("/s/small/results", headers=password(house.analyst)))
    assert linked.table("Estimates of the shares rating") == signed_in.table("Estimates of the shares rating")
    for rest in FILES:
        found = see(house, token, rest)
        assert found.status_code == 200
        assert found.data == house.http.get(f"/s/small/results{rest}", headers=house.analyst).data
    kept = response.headers
    assert (kept["Cache-Control"], kept["Referrer-Policy"], kept["X-Robots-Tag"]) == (
        "no-store",
        "no-referrer",
        "noindex",
    )


def test_every_address_of_a_linked_page_is_there(house: House) -> None:
    """Relative addresses start one folder deeper than those of the page for analysts, which is cached beside it."""
    token = make(house)
    for path in ("/s/small/results", path_of("small", token)):
        text = house.http.get(path, headers=password(house.analyst)).text
        found = [address.replace("&amp;", "&") for address in re.findall(r'(?:href|src)="([^"#]+)"', text)]
        assert any("static/results/results.css" in address for address in found)
        for address in found:
            response = house.http.get(urljoin(path, address), headers=password(house.analyst))
            assert response.status_code == 200, address


@pytest.mark.parametrize("lang", ["en", "de", "ar"])
def test_ended_link_says_so_and_nothing_of_the_survey(house: House, lang: str) -> None:
    token = make(house)
    end(house, token)
    response = house.http.get(path_of("small", token), headers={"Accept": "text/html", "Accept-Language": lang})
    assert response.status_code == 410
    words = Page(response.text).words
    said = {
        "en": "The link ended on 2025-12-12 at 09:34 (UTC).",
        "de": "Der Link galt bis 2025-12-12, 09:34 Uhr (UTC).",
    }
    assert said.get(lang, "2025-12-12") in words
    assert lang == "en" or "The link ended" not in words
    title = {"en": "This link does not work any more", "de": "Dieser Link funktioniert nicht mehr"}.get(lang)
    assert title is None or title in words
    assert SMALL.title not in words
    assert token not in response.text
    for rest in FILES:
        assert see(house, token, rest).status_code == 410


def test_revoked_link_is_as_one_that_never_was(house: House) -> None:
    token = make(house)
    assert see(house, token).status_code == 200
    revoke_token(house.collector.tokens, hash_token(token).hex()[:12])
    revoked, unknown = see(house, token), see(house, f"{token[:-2]}xx")
    assert (revoked.status_code, revoked.text) == (404, unknown.text)
    assert "This link does not work" in Page(revoked.text).words
    assert_refused(house.http.get(path_of("small", token) + ".json"), 404, "no_such_link")


def test_link_is_for_one_survey_and_other_tokens_are_no_links(house: House) -> None:
    token = make(house)
    assert see(house, token, survey_id="least").status_code == 404
    ended = make(house)
    end(house, ended)
    assert see(house, ended, survey_id="least").status_code == 404  # not 410: it was never of this survey
    for other in (house.analyst, house.admin):
        assert see(house, other["Authorization"].split()[1]).status_code == 404
    assert see(house, token, survey_id="nothing").status_code == 404


def test_link_tells_no_more_than_public_results(house: House) -> None:
    house.collect(LEAST, 37)
    shown = read_page(see(house, make(house, "least"), survey_id="least")).root.one("div", id="results")
    assert re.findall("[0-9][0-9.]*", shown.text) == ["100"]  # not how many came: that tells when each did
    house.collect(STRINGS, 20)
    token = make(house, STRINGS.id)
    page = read_page(see(house, token, survey_id=STRINGS.id))
    assert page.all("textarea") == []
    sent = {"question": "home", "texts": "a"}
    assert house.http.post(path_of(STRINGS.id, token), data=sent).status_code == 405


def test_reader_token_opens_no_other_route(house: House) -> None:
    """Of every route of the app, whether its rule is known to this test or not."""
    token = make(house)

    def fill(value: re.Match[str]) -> str:
        return value[1] or {"survey_id": "small", "question_id": "rating"}.get(value[2], "x")

    rules = list(house.app.url_map.iter_rules())
    assert len(rules) > 40
    for rule in rules:
        path = re.sub(r"<(?:any\('?([\w.-]+)[^)]*\):|\w+:)?(\w+)>", fill, rule.rule)
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            asked: dict[str, Any] = {"method": method, "data": b"[]", "content_type": "application/json"}
            bare = house.http.open(path, **asked).status_code
            for headers in (bearer(token), password(bearer(token))):
                assert house.http.open(path, headers=headers, **asked).status_code in (bare, 401, 403), path


def test_link_that_ends_soon_alerts_nobody(house: House) -> None:
    """A token of a program must be rotated before it ends; a link is to end."""
    with house.collector.store.reader() as connection:
        before = read_facts(connection, HEAD, "2026-01-01").token_ends
    make(house)
    with house.collector.store.reader() as connection:
        assert read_facts(connection, HEAD, "2026-01-01").token_ends == before


def test_link_goes_with_its_survey(house: House) -> None:
    make(house)
    house.collector.store.close_survey(house.stored(SMALL).key)
    assert house.administer("DELETE", "/v1/surveys/small").status_code == 200
    assert [row for row in house.collector.tokens.list() if row.role == "reader"] == []


@pytest.mark.parametrize(
    ("survey_id", "life_s", "said"),
    [
        (None, 60, "must be for one survey"),
        ("small", None, "must end within 366 days"),
        ("small", 367 * 86400, "must end within 366 days"),
    ],
)
def test_reader_token_is_of_one_survey_and_ends(
    house: House, survey_id: str | None, life_s: int | None, said: str
) -> None:
    with pytest.raises(TokenError, match=said):
        create_token(house.collector.tokens, "reader", survey_id=survey_id, expires_in_s=life_s)
    sent = {"role": "reader", "survey": survey_id, "expires_in_s": life_s}
    assert_refused(house.administer("POST", "/v1/tokens", sent), 422, "bad_token")


def test_rotated_link_ends_with_the_old_one(house: House) -> None:
    token = make(house)
    ends = [row.expires_s for row in house.collector.tokens.list() if row.role == "reader"]
    renewed = rotate_token(house.collector.tokens, hash_token(token).hex()[:12], 0)
    assert see(house, token).status_code == 410
    assert see(house, renewed).status_code == 200
    row = house.collector.tokens.find(hash_token(renewed))
    assert row is not None
    assert [row.expires_s] == ends


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), env={"COLUMNS": "120"})


def test_command_prints_a_link_that_works_and_how_to_end_it(tmp_path: Path) -> None:
    """On a real server, whose database, log and standard output hold the link's token nowhere."""
    db = tmp_path / "survey.db"
    with serve(db, survey=SMALL) as served:
        shared = run("share", served.url, "small", "--days", "14", "--label", "board", "--token", served.admin)
        assert shared.exit_code == 0, shared.output
        link, said = shared.stdout.strip(), shared.stderr
        assert "Warning: small has no min_reports" in said
        token = link.split("/")[-2]
        assert link == f"{served.url}{path_of('small', token)}"
        path = link.removeprefix(served.url)
        assert served.fetch("GET", path)[0] == 200
        found = re.search("sotto token revoke ([0-9a-f]{12})", said)
        assert found is not None
        listed = run("token", "list", "--db", str(db)).output
        assert re.search(f"{found[1]}  reader   small  until 2.* UTC  board", listed)
        assert run("token", "revoke", found[1], "--db", str(db)).exit_code == 0
        assert served.fetch("GET", path)[0] == 404
        for survey, given, refused in (
            ("none", served.admin, "no_such_survey"),
            ("small", served.analyst, "forbidden"),
        ):
            result = run("share", served.url, survey, "--token", given)
            assert (result.exit_code, result.stdout) == (1, "")
            assert refused in result.stderr
        _, out, err = served.stop()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert token not in out + err
    assert token.split("_", 2)[2].encode() not in content


def test_revoked_link_stays_revoked_after_a_restore(tmp_path: Path) -> None:
    """As every token: the journal has its end (tests/collector/test_restore.py holds the rest)."""
    db = tmp_path / "survey.db"
    with open_house(db, SMALL):
        pass
    with closing(Store(db, create=False)) as store:
        token = create_token(TokenTable(store), "reader", survey_id="small", expires_in_s=86400)
    backup, journal, back = (str(tmp_path / name) for name in ("backup.db", "journal.jsonl", "back.db"))
    assert run("backup", "--db", str(db), "--to", backup).exit_code == 0
    revoked = run("token", "revoke", hash_token(token).hex()[:12], "--db", str(db), "--journal", journal)
    assert revoked.exit_code == 0, revoked.output
    restored = run("db", "restore", "--from", backup, "--db", back, "--journal", journal, "--yes")
    assert restored.exit_code == 0, restored.output
    with closing(Store(back, create=False)) as store:
        assert TokenTable(store).find(hash_token(token)) is None
