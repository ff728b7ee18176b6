"""The survey page: everything that a respondent has to know stands in it, and nothing that could send an answer."""

import base64
import csv
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.test import TestResponse

from collecting import INVITED, INVITED_WAVES, STRINGS, SURVEY, publish_here, serve
from house import House, assert_refused, open_house
from reading_html import Element, read_html
from sotto_client.cli import main
from sotto_collector.pages import survey as pages
from sotto_collector.pages.alone import page_headers
from sotto_collector.pages.asked import MAX_RADIOS
from sotto_collector.pages.release import STATIC, find_client_js
from sotto_protocol import Survey, compile_survey, compile_toml
from sotto_protocol.explain import explain
from sotto_protocol.words import percent_above

CANARY = "c4n4ry"
HOSTILE = "</title><script>alert('1')</script>\"'><img src=x onerror=alert(1)>&amp;"
WRITTEN = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
EVIL = compile_toml(f"""
id = "evil"
title = "{WRITTEN}"
public_results = true
min_reports = 250
[[questions]]
id = "coin"
type = "yes-no"
text = "{WRITTEN}"
epsilon = 1
[[questions]]
id = "pick"
type = "one-of"
text = "Pick"
options = ["{WRITTEN}", " two  blanks ", "no answer"]
skip = "no answer"
epsilon = 1
[[questions]]
id = "boxes"
type = "any-of"
mechanism = "bit-flips"
text = "Boxes"
options = ["{WRITTEN}", "b", "c"]
max_selected = 2
epsilon = 1
[[questions]]
id = "note"
type = "text"
text = "Note"
skip = "{WRITTEN}"
epsilon = 2
""")
DRAWN = replace(SURVEY, id="drawn", draw=2)
SURVEYS = (SURVEY, STRINGS, INVITED, INVITED_WAVES, EVIL, DRAWN)
PAGES = (*(f"/s/{survey.id}" for survey in SURVEYS), "/s/strings?wave=3", "/s/nobody", "/s/habits?wave=2", "/s/a/b/c")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("pages") / "survey.db", *SURVEYS) as opened:
        yield opened


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, EVIL) as opened:
        for survey in (SURVEY, EVIL):
            assert opened.administer("POST", f"/v1/surveys/{survey.id}/close").status_code == 200
        yield opened


def page_of(house: House, survey: Survey, query: str = "") -> Element:
    response = house.http.get(f"/s/{survey.id}{query}")
    assert response.status_code == 200
    return read_html(response.text)


def policy_of(html: str) -> str:
    """Return the policy of a page: its one style sheet, where that stands in it, is known by its hash alone."""
    styles = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in styles]
    return POLICY.replace("style-src 'self'", f"style-src 'sha256-{hashes[0]}'") if hashes else POLICY


def question_of(page: Element, question_id: str) -> Element:
    return page.one(data_question=question_id)


def assert_page(response: TestResponse, status: int) -> Element:
    """Hold that an answer is a page of this status, and return it."""
    assert (response.status_code, response.content_type) == (status, "text/html; charset=utf-8")
    return read_html(response.text)


@pytest.mark.parametrize("path", PAGES)
def test_page_allows_the_browser_nothing_but_its_own_files(house: House, path: str) -> None:
    response = house.http.get(path)
    headers = response.headers
    assert headers["Content-Security-Policy"] == policy_of(response.text)
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-cache"
    assert "Set-Cookie" not in headers
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("path", PAGES)
def test_page_holds_no_script_style_handler_or_address_of_elsewhere(house: House, path: str) -> None:
    page = read_html(house.http.get(path).text)
    data = page.find("script", type_="application/json")  # no program
    assert [json.loads(element.text)["lang"] for element in data] == ["en"] * len(data)
    for script in page.find("script"):
        assert script in data or (script.text == "" and script.attributes["src"].startswith("../"))
    for element in page.inner:
        assert not [name for name in element.attributes if name == "style" or name.startswith("on")]
        for name in ("src", "href"):
            address = element.attributes.get(name, "./")
            assert address.startswith(("./", "../")), address


@pytest.mark.parametrize("path", PAGES)
def test_every_field_has_a_label_and_every_id_is_one_of_its_own(house: House, path: str) -> None:
    page = read_html(house.http.get(path).text)
    ids = [element.attributes["id"] for element in page.inner if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    for element in page.inner:
        for name in ("for", "aria-describedby", "aria-labelledby", "headers"):
            assert set(element.attributes.get(name, "").split()) <= set(ids)
    labelled = {label.attributes.get("for") for label in page.find("label") if label.text}
    wrapped = {field.attributes.get("id") for label in page.find("label") for field in label.inner if label.text}
    fields = [element for tag in ("input", "select", "textarea") for element in page.find(tag)]
    assert {field.attributes["id"] for field in fields} <= labelled | wrapped
    assert all(group.find("legend") for group in page.find("fieldset") if group.attributes.get("role") != "none")
    assert all(table.find("caption")[0].text for table in page.find("table"))
    assert len(page.find("h1")) == 1


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_nothing_in_the_page_can_send_an_answer(house: House, survey: Survey) -> None:
    page = page_of(house, survey)
    (form,) = page.find("form")
    assert form.attributes == {"method": "dialog", "autocomplete": "off", "novalidate": ""}  # and so it has no address
    assert all(button.attributes["type"] == "button" for button in page.find("button"))
    for element in page.inner:
        assert not {"action", "formaction", "formmethod", "ping", "target"} & element.attributes.keys()
    fields = form.one("fieldset", id="fields")
    assert "disabled" in fields.attributes  # until the script is there
    asked = [element for tag in ("input", "select") for element in fields.find(tag)]
    assert asked
    assert all(element.attributes["autocomplete"] == "off" for element in asked)
    assert "needs JavaScript" in page.one("noscript").text


def test_words_of_the_survey_are_words_in_the_page(house: House) -> None:
    page = page_of(house, EVIL)
    assert page.one("title").text == HOSTILE
    assert page.one("h1").text == HOSTILE
    assert question_of(page, "coin").one("span", class_="asked").text == HOSTILE
    picked = question_of(page, "pick").find("input")
    assert [json.loads(field.attributes["value"]) for field in picked] == [HOSTILE, " two  blanks ", "no answer"]
    assert [label.text for label in question_of(page, "boxes").find("label")] == [HOSTILE, "b", "c"]
    assert question_of(page, "note").attributes["data-skip"] == HOSTILE
    assert not page.find("img")
    assert len(page.find("script")) == 3


def test_yes_no_is_two_buttons_of_which_one_is_needed(house: House) -> None:
    question = question_of(page_of(house, SURVEY), "affair")
    fields = question.find("input", type_="radio")
    assert [(field.attributes["value"], "required" in field.attributes) for field in fields] == [
        ("true", True),
        ("false", True),
    ]
    assert len({field.attributes["name"] for field in fields}) == 1
    assert "data-skip" not in question.attributes
    assert question.one(id="q1-hint").text == "Please choose one."


def test_one_of_few_is_buttons_and_one_of_many_a_list(house: House) -> None:
    page = page_of(house, SURVEY)
    assert len(question_of(page, "colour").find("input", type_="radio")) == MAX_RADIOS
    options = question_of(page, "town").one("select").find("option")
    assert [option.attributes["value"] for option in options] == ["", *(f'"town {number}"' for number in range(300))]


def test_what_no_answer_stands_for_is_said_and_nothing_is_required(house: House) -> None:
    for question_id, skip in (("pick", "no answer"), ("note", HOSTILE)):
        question = question_of(page_of(house, EVIL), question_id)
        assert question.attributes["data-skip"] == skip
        assert question.one("bdi").text == " ".join(skip.split())
        assert "Optional. Skipping counts as" in question.text
        assert not [field for field in question.find("input") if "required" in field.attributes]


def test_boxes_say_how_many_may_be_chosen(house: House) -> None:
    some = question_of(page_of(house, EVIL), "boxes")
    assert (some.attributes["data-most"], len(some.find("input", type_="checkbox"))) == ("2", 3)
    assert "at most 2. None is an answer too." in some.text
    every = question_of(page_of(house, SURVEY), "drugs")
    assert every.attributes["data-most"] == "3"
    assert "all that apply. None is an answer too." in every.text


def test_text_is_typed_where_no_browser_keeps_or_sends_it(house: House) -> None:
    field = question_of(page_of(house, STRINGS), "home").one("input")
    assert (field.attributes["type"], field.attributes["autocomplete"], "required" in field.attributes) == (
        "text",
        "off",
        True,
    )
    assert "name" not in field.attributes


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_above_every_question_a_line_opens_into_what_explain_says(house: House, survey: Survey) -> None:
    page, published = page_of(house, survey), house.stored(survey).survey
    explanation = explain(published)
    for question, explained in zip(published.questions, explanation.questions, strict=True):
        details = question_of(page, question.id).one("details")
        assert details.one("summary").text == explained.in_short
        assert explained.what_happens in details.text
        assert all(reading in details.text for reading in explained.readings())
        tables = details.find("table")
        assert f"(epsilon {explained.epsilon:f}):" in tables[0].one("caption").text
        bounds = [percent_above(suspicion.highest) for suspicion in explained.suspicions]
        assert [row.find("td")[0].text for row in tables[0].find("tr")[1:]] == bounds
        assert len(tables) == (1 if explained.epsilon == explained.epsilon_forever else 2)
        assert len(tables) == 1 or explained.accusations_forever[1].say() in details.text


def marks_in(path: Element) -> int:
    """Return how many marks are drawn by lines of round dashes, ten units from one to the next."""
    lengths = re.findall(r"M5 \d+h(\d+)", path.attributes["d"])
    return sum(int(length) // 10 + 1 for length in lengths)


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_those_of_100_others_who_send_as_much_by_chance_are_drawn_as_marks(house: House, survey: Survey) -> None:
    page = page_of(house, survey)
    for question, explained in zip(survey.questions, explain(survey).questions, strict=True):
        figure = question_of(page, question.id).one("figure")
        assert figure.one("figcaption").text == explained.crowd.said
        n = int(100 * explained.crowd.prob_if_other)
        pictures = figure.find("svg")
        assert [picture.attributes["aria-label"] for picture in pictures] == [f"{n} of 100"] * bool(n)
        assert [marks_in(path) for path in figure.find("path")] == [100, n] * bool(n)


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_the_whole_survey_is_explained_with_its_promises_and_its_fingerprint(house: House, survey: Survey) -> None:
    explanation = explain(house.stored(survey).survey)
    whole = page_of(house, survey).one("details", class_="whole")
    assert explanation.accusations[1].say() in whole.text
    assert survey.waves == 1 or explanation.accusations_forever[1].say() in whole.text
    assert all(promise in whole.text for promise in [explanation.changes, *explanation.promises()])
    assert f"(epsilon {'at most ' * bool(survey.draw)}{explanation.epsilon:f}):" in whole.text
    assert whole.one("code").text == survey.fingerprint
    links = [link.attributes["href"] for link in whole.find("a")]
    assert links == ([f"../s/{survey.id}/results"] if survey.public_results else [])


def test_a_page_that_draws_says_so_and_shows_no_question_before_it_has_drawn(house: House) -> None:
    page = page_of(house, DRAWN)
    assert f"Your device asks you only 2 of these {len(DRAWN.questions)} questions" in page.text
    hidden = ["hidden" in question_of(page, question.id).attributes for question in DRAWN.questions]
    assert hidden == [True] * len(DRAWN.questions)
    plain = page_of(house, SURVEY)
    assert "asks you only" not in plain.text
    assert not any("hidden" in question_of(plain, question.id).attributes for question in SURVEY.questions)


def test_script_is_told_the_survey_its_fingerprint_and_the_wave(house: House) -> None:
    told = page_of(house, INVITED_WAVES, "?wave=2").one("main").attributes
    assert told["data-survey"] == INVITED_WAVES.id
    assert told["data-fingerprint"] == INVITED_WAVES.fingerprint
    assert told["data-wave"] == "2"
    assert "data-invited" in told
    assert "data-invited" not in page_of(house, STRINGS).one("main").attributes


def test_wave_is_the_first_unless_another_is_asked_for(house: House) -> None:
    assert page_of(house, STRINGS).one("main").attributes["data-wave"] == "1"
    assert "Wave 3 of 3" in page_of(house, STRINGS, "?wave=3").text
    assert "Wave" not in page_of(house, SURVEY, "?wave=1").one("header").text


@pytest.mark.parametrize("query", ["wave=4", "wave=0", "wave=01", "wave=", "wave=two", "wave=1&wave=1", "wave=%D9%A1"])
def test_wave_that_the_survey_has_not_is_a_page_that_says_which_there_are(house: House, query: str) -> None:
    page = assert_page(house.http.get(f"/s/strings?{query}"), 404)
    assert page.one("h1").text == "The survey has no such wave"
    assert "an integer in [1, 3]" in page.text


@pytest.mark.parametrize("survey", [INVITED, INVITED_WAVES], ids=lambda survey: survey.id)
def test_only_an_invited_survey_asks_for_an_invitation(house: House, survey: Survey) -> None:
    assert page_of(house, survey).one("input", id="invitation").attributes["autocomplete"] == "off"
    assert not page_of(house, SURVEY).find("input", id="invitation")
    assert "with your invitation" in page_of(house, survey).one("section", id="review").text


def test_a_page_that_has_an_invitation_checked_does_not_say_that_nothing_is_sent(house: House) -> None:
    words = page_of(house, INVITED).text
    assert "This page sends it now for a check, and later with your report." in words
    assert "None of your answers has been sent yet." in words
    assert "Nothing is sent yet." not in words


def test_closed_survey_says_so_and_still_shows_receipts(closed: House) -> None:
    page = assert_page(closed.http.get("/s/habits"), 200)
    assert "This survey is over" in page.text
    assert not page.find(data_question="affair")
    assert page.find("section", id="receipt")
    assert page.find("script")
    assert not [link for link in page.find("a") if "results" in link.attributes["href"]]
    public = assert_page(closed.http.get("/s/evil"), 200)
    assert next(link.attributes["href"] for link in public.find("a")) == "../s/evil/results"


def test_unknown_survey_is_a_page_and_a_problem_below_v1(house: House) -> None:
    for path in ("/s/nobody", "/s/%3Cscript%3E", "/s/HABITS", "/s/habits/", "/s/a/b/c"):
        page = assert_page(house.http.get(path), 404)
        assert (
            page.one("link", rel="stylesheet").attributes["href"] == "../" * (path.count("/") - 1) + "static/page.css"
        )
    assert "There is no such survey here" in house.http.get("/s/nobody").text
    assert_refused(house.http.get("/v1/surveys/nobody"), 404, "no_such_survey")


def test_page_can_only_be_read(house: House) -> None:
    response = house.http.post("/s/habits", data={"affair": "yes"})
    assert "You can only read this page" in assert_page(response, 405).text
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert house.http.head("/s/habits").status_code == 200


def test_fault_is_a_page_that_quotes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(survey: Survey) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(pages, "explain", fail)
    with open_house(tmp_path / "survey.db", INVITED_WAVES) as house:
        response = house.http.get(f"/s/{INVITED_WAVES.id}?wave=3")
        page = assert_page(response, 500)
        assert response.headers["Content-Security-Policy"] == POLICY
    assert "This can't be shown now" in page.text
    assert CANARY not in response.text + "".join(capfd.readouterr())


def test_page_is_fetched_again_only_when_it_has_changed(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", STRINGS) as house:
        first = house.http.get("/s/strings")
        known = {"If-None-Match": first.headers["ETag"]}
        again = house.http.get("/s/strings", headers=known)
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["Content-Security-Policy"] == policy_of(first.text)
        assert house.http.get("/s/strings?wave=2", headers=known).status_code == 200
        assert house.administer("POST", "/v1/surveys/strings/close").status_code == 200
        assert "is over" in house.http.get("/s/strings", headers=known).text


def test_many_waves_keep_few_pages(house: House) -> None:
    for survey in SURVEYS:
        for wave in range(1, survey.waves + 1):
            page_of(house, survey, f"?wave={wave}")
    assert len(pages._kept) <= pages.N_PAGES_KEPT


def test_the_page_that_was_asked_for_least_lately_makes_room(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "N_PAGES_KEPT", 3)
    for wave in (1, 2, 3, 1):
        page_of(house, STRINGS, f"?wave={wave}")
    page_of(house, SURVEY)
    assert [(key[0], key[3]) for key in pages._kept] == [
        (STRINGS.fingerprint, 3),
        (STRINGS.fingerprint, 1),
        (SURVEY.fingerprint, 1),
    ]


def test_nothing_is_written_of_who_reads_a_page(house: House, capfd: pytest.CaptureFixture[str]) -> None:
    headers = {"User-Agent": CANARY, "Referer": f"http://{CANARY}/", "Cookie": f"a={CANARY}", "From": CANARY}
    for path in PAGES:
        sign = "&" if "?" in path else "?"
        response = house.http.get(
            f"{path}{sign}q={CANARY}", headers=headers, environ_base={"REMOTE_ADDR": "203.0.113.7"}
        )
        assert CANARY not in response.text + str(response.headers)
    assert capfd.readouterr() == ("", "")
    metrics = house.http.get("/metrics", headers=house.analyst).text
    assert CANARY not in metrics
    assert 'route="/s/<survey_id>"' in metrics


@pytest.mark.parametrize(
    "path",
    sorted([*STATIC.glob("[a-z]*[!n].js"), *(find_client_js() / "form").glob("*.js")]),
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_script_writes_texts_only_and_keeps_and_tells_nothing(path: Path) -> None:
    source = path.read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|setAttribute\(.on", source
    )
    assert not re.search(r"localStorage|sessionStorage|indexedDB|document\.cookie|console\.|sendBeacon|XMLHttp", source)
    assert not re.search(r"fetch\(`", source)  # the client alone asks the collector: obliviously, if the survey says so
    assert "https:" not in source
    assert "http:" not in source


def test_the_page_of_an_oblivious_survey_reaches_its_relay_too(house: House) -> None:
    relay = "https://relay.example:8443/below"
    survey = replace(INVITED, id="oblivious", delivery="oblivious", relay=relay, gateway_key="ab" * 32)
    publish_here(house.collector.store, survey)
    response = house.http.get("/s/oblivious")
    assert response.headers["Content-Security-Policy"] == page_headers(survey)["Content-Security-Policy"]
    assert "; connect-src 'self' https://relay.example:8443;" in response.headers["Content-Security-Policy"]
    assert "<bdi>relay.example:8443</bdi>" in response.text
    assert 'href="../js/oblivious.min.js"' in response.text


def test_commands_print_the_address_and_write_it_beside_every_invitation(tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", survey=INVITED) as served:
        env = {"SOTTO_TOKEN": served.admin}
        (tmp_path / "survey.json").write_bytes(INVITED.canonical)
        said = CliRunner().invoke(main, ["publish", str(tmp_path / "survey.json"), f"{served.url}/"], env=env)
        address = f"{served.url}/s/{INVITED.id}"
        assert said.stdout.splitlines() == [f"{INVITED.id}  {INVITED.fingerprint}", address]
        words = [
            "invite",
            "create",
            served.url,
            INVITED.id,
            "--count",
            "30",
            "--yes",
            "--to",
            str(tmp_path / "a.csv"),
            "--page",
        ]
        assert CliRunner().invoke(main, words, env=env).exit_code == 0
        with (tmp_path / "a.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 30
        assert all(row == {"invitation": row["invitation"], "page": f"{address}#{row['invitation']}"} for row in rows)
        assert served.fetch("GET", f"/s/{INVITED.id}")[0] == 200
        revoke = ["invite", "revoke", served.url, INVITED.id, "--from", str(tmp_path / "a.csv")]
        assert CliRunner().invoke(main, revoke, env=env).stdout == "30 revoked\n"


@pytest.mark.parametrize(
    ("minimum", "maximum", "step", "expected"),
    [
        ("30", "200", "1", "A whole number from 30 to 200."),
        ("-20", "100", "5", "A whole number from -20 to 100, in steps of 5."),
        ("0.5", "9.5", "1", "A number from 0.5 to 9.5, in steps of 1."),
        ("0", "1", "0.25", "A number from 0 to 1, in steps of 0.25."),
    ],
)
def test_page_asks_for_a_whole_number_where_no_other_is_taken(
    tmp_path: Path, minimum: str, maximum: str, step: str, expected: str
) -> None:
    ends = {"minimum": Decimal(minimum), "maximum": Decimal(maximum), "step": Decimal(step)}
    question = {"id": "q", "type": "number", "text": "?", "epsilon": 1} | ends
    survey = compile_survey({"id": "numbers", "title": "Numbers", "questions": [question]})
    with open_house(tmp_path / "survey.db", survey) as opened:
        asked = question_of(page_of(opened, survey), "q")
    assert asked.attributes["data-expected"] == expected
    assert asked.one(id="q1-hint").text == expected
