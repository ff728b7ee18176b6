"""Texts that are pasted on the results page: found as `sotto decode` finds them, by who may, and kept nowhere."""

import csv
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from collecting import STRINGS, count_here, make_reports
from house import House, open_house
from page_reading import Page, password, read_page
from sotto_collector.invitations import make_invitations
from sotto_estimator.page import texts
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.errors import ChoiceError
from sotto_estimator.page.release import Release
from sotto_estimator.page.texts import MAX_FORM_BYTES, MAX_TEXTS, most_texts, search
from sotto_estimator.strings.question import decode_tally
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.language import LANGUAGES, language

LUNCH = compile_toml("""
id = "lunch"
title = "Lunch"
public_results = true
[[questions]]
id = "place"
type = "text"
text = "Where?"
epsilon = 4
""")
SKETCHED = compile_toml(
    'id = "sketched"\ntitle = "Sketched"\nwaves = 2\n[[questions]]\nid = "place"\ntype = "text"\ntext = "Where?"\n'
    'mechanism = "sketch"\nepsilon = 4\n'
)
GROUPED = replace(LUNCH, id="grouped", invited=True, strata=("north", "south"))
TYPED = "\u00e1\n  \nbistro\r\ne\u0301t\u00e9\n"
"""Everybody answers the first one."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", LUNCH, GROUPED, STRINGS) as opened:
        yield opened


def ask(house: House, survey: Survey, query: str = "", reader: dict[str, str] | None = None, **form: str) -> Any:
    headers = password(house.analyst) if reader is None else reader
    data = {"question": "place", "texts": TYPED} | form
    return house.http.post(f"/s/{survey.id}/results{query}", data=data, headers=headers)


def release_of(survey: Survey, n_reports: int, waves: tuple[int, ...] = (1,)) -> Release:
    records = {wave: [report.record for report in make_reports(n_reports, survey, wave)] for wave in waves}
    tallies = {
        wave: Tally.of(survey, np.array([np.frombuffer(record, np.uint8) for record in listed]))
        for wave, listed in records.items()
    }
    return Release(survey, True, tallies)


def test_texts_that_are_pasted_are_found_as_the_estimator_finds_them(house: House) -> None:
    house.collect(LUNCH, 2000)
    response = ask(house, LUNCH)
    page = read_page(response)
    found = decode_tally(
        Tally.from_json(house.read_tally(LUNCH).data), "place", ["\u00e1", "bistro", "\u00e9t\u00e9"], keep_all=True
    )
    assert page.table("Texts that were found place") == [
        [row.string, row.share, row.low, row.high] for row in found.rows
    ]
    others = page.table("Texts that were not found: rare, or in no answer place")
    assert others == [[row.string, row.high] for row in found.undetected or ()]
    assert f"{len(found.rows)} of 3 texts were found." in page.words
    assert "On average, at most 5 % of the texts found are mistakes" in page.words
    assert page.root.one("textarea").text == " ".join(TYPED.replace("\u0301", "\u0301").split())
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_what_was_found_is_a_file_too(house: House, kind: str) -> None:
    house.collect(LUNCH, 2000)
    response = ask(house, LUNCH, **{"as": kind})
    assert response.headers["Content-Disposition"] == f'attachment; filename="lunch-place-texts.{kind}"'
    rows = json.loads(response.text)["strings"] if kind == "json" else [*csv.DictReader(response.text.splitlines())]
    assert rows[0]["string"] == "\u00e1"


def test_what_is_pasted_stays_nowhere(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the database, nor in logs, nor in the page that the next reader gets, whatever went wrong."""
    house.collect(LUNCH, 300)
    secret, headers = "c4nd1d4te", password(house.analyst)
    with caplog.at_level(logging.DEBUG):
        assert secret in ask(house, LUNCH, texts=f"\u00e1\n{secret}").text
        assert secret in ask(house, LUNCH, texts=f"{secret}\n\x00").text
        assert secret not in ask(house, LUNCH, texts=secret, question=secret).text
        assert secret not in house.http.get("/s/lunch/results", headers=headers).text
    assert secret not in caplog.text
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Write at least one text."),
        (" \n\t\n", "Write at least one text."),
        ("\n".join(map(str, range(MAX_TEXTS + 1))), "These are 201 texts. At most 200 can be looked for at once."),
        ("ok\n" + "x" * 5000, "Text 2 cannot be an answer: it is too long, or has characters that no answer has."),
    ],
)
def test_what_cannot_be_looked_for_is_said_beside_the_form(house: House, typed: str, said: str) -> None:
    house.collect(LUNCH, 50)
    response = ask(house, LUNCH, texts=typed)
    assert response.status_code == 400
    page = Page(response.text)
    assert said in page.words
    assert page.root.one("textarea").attributes["aria-invalid"] == "true"
    assert not [caption for caption in page.tables if caption.startswith("Texts")]


def test_a_form_of_too_many_bytes_is_refused_unread(house: House) -> None:
    house.collect(LUNCH, 50)
    response = ask(house, LUNCH, reader=house.analyst, texts="x" * MAX_FORM_BYTES)
    assert (response.status_code, f"at most {MAX_FORM_BYTES:,} bytes" in response.text) == (400, True)


def test_only_an_analyst_may_look_for_texts_of_public_results(house: House) -> None:
    house.collect(LUNCH, 50)
    stranger = read_page(house.http.get("/s/lunch/results"))
    assert "Analysts of the survey can look for texts here." in stranger.words
    assert stranger.all("textarea") == []
    assert ask(house, LUNCH, reader={}).status_code == 401
    assert ask(house, LUNCH, reader=house.admin).status_code == 403
    assert read_page(house.http.get("/s/lunch/results", headers=password(house.analyst))).all("textarea")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, 200),
        ({"Origin": "http://["}, 403),
        ({"Origin": "null"}, 200),  # a browser says so over plain HTTP, of a page that tells nobody its address
    ],
)
def test_no_page_of_another_site_may_send_the_form(house: House, headers: dict[str, str], status: int) -> None:
    house.collect(LUNCH, 50)
    response = ask(house, LUNCH, reader=password(house.analyst) | headers)
    assert response.status_code == status
    assert ("only the results page itself may send this form" in response.text.lower()) == (status == 403)


def test_texts_of_one_stratum_are_looked_for_in_its_reports_alone(house: House) -> None:
    store, stored = house.collector.store, house.stored(GROUPED)
    for stratum, n_reports in ((1, 1000), (2, 1000)):
        reports = make_reports(n_reports, GROUPED)
        codes = make_invitations(store, stored, n_reports, stratum)
        count_here(store, stored, [replace(one, invitation=code) for one, code in zip(reports, codes, strict=True)])
    given = json.loads(ask(house, GROUPED, "?stratum=2", **{"as": "json"}).text)
    assert (given["stratum"], given["n_reports"]) == ("south", 1000)
    each = ask(house, GROUPED, "?stratum=each")
    assert (each.status_code, "Choose one group, or all groups together" in each.text) == (400, True)


def test_of_a_sketch_one_wave_is_chosen_first() -> None:
    release = release_of(SKETCHED, 50, (1, 2))
    assert search(release, Choices(), "place", "a").fault == "Choose one wave to look for texts."
    assert search(release, Choices(wave=1), "place", "a").decoded


@pytest.mark.parametrize("question", ["", "affair", "c4n4ry"])
def test_a_question_without_texts_is_refused_by_those_that_have(question: str) -> None:
    with pytest.raises(ChoiceError, match=r"text questions: home, street\.$"):
        search(Release(STRINGS, True), Choices(), question, "a")


def test_nothing_is_looked_for_where_nothing_is_counted() -> None:
    with pytest.raises(ChoiceError, match="no reports"):
        search(Release(LUNCH, True), Choices(), "place", "a")


def test_as_many_texts_can_be_looked_for_as_their_counts_take_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    (sketch,), (_, home, street) = LUNCH.questions, STRINGS.questions
    assert [most_texts(question) for question in (sketch, home, street)] == [200, 200, 200]
    monkeypatch.setattr(texts, "MAX_CELLS", 20 * 5 * 10)
    assert [most_texts(question) for question in (sketch, home, street)] == [200, 9, 1]


@pytest.mark.parametrize("tag", [tag for tag in LANGUAGES if tag != "en"])
def test_what_is_said_is_translated(tag: str) -> None:
    release = replace(release_of(LUNCH, 20), language=language(tag))
    for typed in ("", "\n".join(map(str, range(MAX_TEXTS + 1))), "x" * 5000):
        said = search(release, Choices(), "place", typed).fault
        assert said != search(replace(release, language=language("en")), Choices(), "place", typed).fault
        assert "%(" not in said
