"""What browsers of respondents send, store and let be logged: noise with the right flips, and no answer anywhere."""

import base64
import hashlib
import json
import math
import os
import random
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Playwright
from scipy.stats import binomtest

from asked import CANARIES, HABITS, Answers, stored_reports
from chromium import open_profile
from collecting import Served, serve
from own_site import HERE
from published import support_rates
from sotto_protocol import Question
from sotto_protocol.mechanisms.sketch.hash import bucket, string_number
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from visit import Visit, report_in
from wire import Sent, wire_to

N_PEOPLE = 200 if os.environ.get("SOTTO_TEST_FULL") else 100
FORGET = "if (location.protocol === 'http:') indexedDB.deleteDatabase('sottovoce');"
RESPONDENT = (HERE / "respondent.js").read_text()
MOST_FALSE_ALARMS = 1e-9
"""The probability that right noise fails one of these tests, all comparisons of it together."""
ALARM = MOST_FALSE_ALARMS / 12
"""Of one of the flips' comparisons: two for each of five questions, and one more for each that is symmetric."""
EVERY = 10
"""Of every tenth device all that it stores is looked at: before it sends, and after."""


@dataclass
class Crowd:
    """What the respondents answered, and all that came of it."""

    people: list[Answers]
    url: str = ""
    requests: list[Sent] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    stored: list[tuple[Answers, str]] = field(default_factory=list)
    reports: dict[str, bytes] = field(default_factory=dict)
    logged: tuple[int, str, str] = (1, "", "")
    database: bytes = b""

    @property
    def posts(self) -> list[Sent]:
        """The reports' requests, in the order of the people."""
        return [request for request in self.requests if request.method == "POST"]

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [report_in(post.body.decode()) for post in self.posts]


def draw_people() -> list[Answers]:
    """Draw everybody's answers, and a text that nobody else types; some leave out what they can."""
    drawn = random.Random(5)  # noqa: S311  # answers to be hidden, no secrets
    dish, place, drinks = (HABITS.questions[at].options for at in (1, 2, 3))
    return [
        {
            "paid": drawn.random() < 0.5,
            "dish": drawn.choice([*dish[:3], None]),
            "place": drawn.choice(place),
            "drinks": drawn.sample(drinks, drawn.randrange(3)),
            "word": f"dirigibles {number:03} kaleidoscope" if drawn.random() < 0.9 else None,
        }
        for number in range(N_PEOPLE)
    ]


def answer_all(page: Page, url: str, crowd: Crowd) -> None:
    """Let one after the other answer on the survey page, as a device that was never there before."""
    for number, answers in enumerate(crowd.people):
        Visit(page, url, HABITS).open().fill(answers)
        crowd.stored += [(answers, stored) for stored in page.evaluate(RESPONDENT, number % EVERY == 0)]


@pytest.fixture(scope="module")
def crowd(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    """Everybody has answered, all that the browser sends to anybody goes over one wire, and the collector has ended."""
    database = tmp_path_factory.mktemp("collector") / "survey.db"
    crowd = Crowd(draw_people())
    with ExitStack() as stack:
        served: Served = stack.enter_context(serve(database, "--log-time", "second", survey=HABITS))
        wire = stack.enter_context(wire_to(served.port))
        everything: Any = {"server": wire.url, "bypass": "<-loopback>"}
        context = stack.enter_context(browser.new_context(proxy=everything))
        context.on("console", lambda message: crowd.complaints.append(message.text))
        context.on("weberror", lambda fault: crowd.complaints.append(str(fault.error)))
        context.add_init_script(FORGET)  # before any script of the page
        answer_all(context.new_page(), served.url, crowd)
        crowd.url, crowd.requests, crowd.received = served.url, wire.requests(), wire.received()
        crowd.reports = stored_reports(served, HABITS)
        crowd.logged = served.stop()
    crowd.database = b"".join(path.read_bytes() for path in sorted(database.parent.iterdir()))
    return crowd


def forms_of(text: str) -> Iterator[bytes]:
    """Give what a text looks like as it stands, escaped, encoded and hashed; a piece of it, where that can be told."""
    raw = text.encode()
    digest = hashlib.sha256(raw)
    yield from (raw, raw.upper(), raw[::-1], text.encode("utf-16-le"), raw.hex().encode(), raw.hex().upper().encode())
    yield from (urllib.parse.quote(text).encode(), urllib.parse.quote_plus(text).encode(), json.dumps(text).encode())
    yield from (digest.digest(), digest.hexdigest().encode(), base64.b64encode(digest.digest()))
    yield from (part for shift in range(3) if len(part := base64.b64encode(bytes(shift) + raw)[4:-4]) > 7)
    yield from (hashlib.md5(raw).hexdigest().encode(), hashlib.sha1(raw).hexdigest().encode())  # noqa: S324  # a leak's


def find_answers(content: bytes, people: list[Answers]) -> list[bytes]:
    """Return what of the people's answers in words stands in some bytes, in whatever form."""
    typed = [answers["word"] for answers in people if answers["word"]]
    return [form for text in (*CANARIES, *typed) for form in forms_of(text) if form in content]


@pytest.mark.rare
def test_an_answer_would_be_found_in_every_form(crowd: Crowd) -> None:
    word = next(answers["word"] for answers in crowd.people if answers["word"])
    for form in forms_of(word):
        assert find_answers(b"x" + form + b"y", crowd.people)


def test_nobody_else_is_asked_and_nothing_goes_wrong(crowd: Crowd) -> None:
    assert crowd.complaints == []
    assert len(crowd.posts) == N_PEOPLE
    assert [request.target for request in crowd.requests if not request.target.startswith(f"{crowd.url}/")] == []
    assert sum(len(request.head) + 4 + len(request.body) for request in crowd.requests) == sum(map(len, crowd.received))


def test_no_answer_stands_in_what_was_sent(crowd: Crowd) -> None:
    assert find_answers(b"\n".join(crowd.received), crowd.people) == []


def test_a_request_says_nothing_but_the_report(crowd: Crowd) -> None:
    """Whoever sends it: the same address, the same headers, the same members. What varies is the noise and the id."""
    assert {post.target for post in crowd.posts} == {f"{crowd.url}/v1/surveys/{HABITS.id}/reports"}
    kept = Counter(
        tuple(sorted((name, value) for name, value in post.headers.items() if name != "content-length"))
        for post in crowd.posts
    )
    (headers,) = map(dict, kept)
    assert not {"cookie", "authorization", "referer"} & set(headers)
    members = [question.id for question in HABITS.questions]
    for post, report in zip(crowd.posts, crowd.sent, strict=True):
        assert sorted(json.loads(post.body)) == ["fingerprint", "reports"]
        assert sorted(report) == ["answers", "id"]
        assert sorted(report["answers"]) == sorted(members)
    assert len({report["id"] for report in crowd.sent}) == N_PEOPLE
    others = {(request.target, request.body) for request in crowd.requests if request.method != "POST"}
    assert {body for _, body in others} == {b""}
    assert not [target for target, _ in others if "?" in target]


def test_the_collector_has_these_reports_and_no_answer(crowd: Crowd) -> None:
    records = {report["id"]: HABITS.layout.from_wire([report["answers"]])[0].tobytes() for report in crowd.sent}
    assert crowd.reports == records
    definition = HABITS.canonical
    assert find_answers(crowd.database.replace(definition, b""), crowd.people) == []


def test_no_answer_stands_in_the_log(crowd: Crowd) -> None:
    assert crowd.logged == (0, "", "")


def test_no_answer_stands_in_the_browsers_storage(crowd: Crowd) -> None:
    """Nor while it is reviewed, nor once it is sent; and no key can be read by a script."""
    assert len(crowd.stored) == 2 * N_PEOPLE / EVERY
    for answers, stored in crowd.stored:
        names, _, address = json.loads(stored)
        assert (names.pop("local"), names.pop("session"), names.pop("cookies"), names.pop("caches")) == ({}, {}, "", [])
        stores = ["draws", "gateways", "ledger", "outbox", "secrets", "sent", "surveys"]
        assert sorted(names) == [f"sottovoce {store}" for store in stores]
        assert address == f"{crowd.url}/s/{HABITS.id}"
        (definition,) = [survey["canonical"] for survey in names["sottovoce surveys"][1]]
        assert bytes.fromhex(definition) == HABITS.canonical
        assert find_answers(stored.replace(definition, "").encode(), [answers]) == []
        assert "extractable: true" not in stored


def support_rows(question: Question, crowd: Crowd) -> Iterator[tuple[bool, bool]]:
    """Give, of every person and every value of a question: whether it is true, and whether the report supports it."""
    for answers, report in zip(crowd.people, crowd.sent, strict=True):
        record = question.mechanism.from_wire([report["answers"][question.id]])[0]
        true, reported = _true_values(question, answers[question.id], record), _reported_values(question, record)
        yield from ((value in true, value in reported) for value in range(question.mechanism.n_values))


def _reported_values(question: Question, record: Any) -> list[int]:
    mechanism = question.mechanism
    if isinstance(mechanism, SketchResponse):
        return mechanism.geometry.supported(mechanism.points(record[None, :])[0])
    return mechanism.supported(record)


def _true_values(question: Question, answer: Any, record: Any) -> set[int]:
    given = question.skip if answer is None else answer
    if isinstance(question.mechanism, SketchResponse):
        cohort = int(question.mechanism.cohorts(record[None, :])[0])
        return {bucket(string_number(given.encode()), cohort, question.mechanism.n_values)}
    if question.type == "yes-no":
        return {0} if given else set()
    return {question.options.index(option) for option in ([given] if question.type == "one-of" else given)}


class Row(NamedTuple):
    """How many reports support a value, and how many do not."""

    n_supported: int
    n_left: int

    @property
    def n(self) -> int:
        return self.n_supported + self.n_left

    def p_value(self, probability: float) -> float:
        return p_value(self.n_supported, self.n, probability)


def p_value(n_supported: int, n: int, probability: float) -> float:
    return float(binomtest(n_supported, n, probability).pvalue)


@pytest.mark.parametrize("question", HABITS.questions, ids=lambda question: question.id)
def test_the_flip_rates_are_the_published_ones(question: Question, crowd: Crowd) -> None:
    """Both ways; and these people are enough to tell the right noise from none, and from nothing but noise."""
    counts = Counter(support_rows(question, crowd))
    kept, gained = support_rates(question.mechanism)
    trues, falses = (Row(counts[is_true, True], counts[is_true, False]) for is_true in (True, False))
    for row, probability, other in ((trues, kept, gained), (falses, gained, kept)):
        assert row.p_value(probability) > ALARM
        if question.epsilon > 1:
            assert p_value(round(row.n * other), row.n, probability) < ALARM
    if math.isclose(kept + gained, 1):  # a true yes and a true no stay as they are alike, and tell more together
        agreeing = Row(trues.n_supported + falses.n_left, trues.n_left + falses.n_supported)
        assert agreeing.p_value(kept) > ALARM
        assert p_value(agreeing.n, agreeing.n, kept) < ALARM
    else:
        assert p_value(trues.n, trues.n, kept) < ALARM
        assert p_value(0, falses.n, gained) < ALARM


def test_the_id_tells_nothing_of_the_answers(crowd: Crowd) -> None:
    """Every bit of it agrees with a true answer half of the time, and is a one half of the time."""
    numbers = [int(report["id"], 16) for report in crowd.sent]
    truths = [answers["paid"] for answers in crowd.people], [answers["drinks"] == [] for answers in crowd.people]
    for bit in range(128):
        ones = [bool(number >> bit & 1) for number in numbers]
        for truth in (*truths, [True] * N_PEOPLE):
            n_alike = sum(one == true for one, true in zip(ones, truth, strict=True))
            assert p_value(n_alike, N_PEOPLE, 0.5) > MOST_FALSE_ALARMS / (3 * 128)


def test_nothing_of_an_answer_stays_on_the_disk_of_the_device(
    collector: Served, playwright: Playwright, tmp_path: Path
) -> None:
    """Not in the state, nor in what the browser keeps of pages and forms, to restore them."""
    answers = draw_people()[0] | {"word": "dirigibles over the greenhouse"}
    with open_profile(playwright, tmp_path) as context:
        visit = Visit(context.pages[0], collector.url, HABITS).open()
        visit.answer(answers)
        visit.review()
        context.new_page().goto("about:blank")
        visit.page.bring_to_front()
        visit.send()
        visit.expect_delivered()
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(b"sottovoce" in content for content in files.values())
    found = {str(path) for path, content in files.items() if any(form in content for form in forms_of(answers["word"]))}
    assert found == set()
