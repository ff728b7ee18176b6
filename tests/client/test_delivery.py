"""Delivery: every fault on the way ends in exactly the same bytes being sent again, or in a stated refusal."""

import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from devices import rows_of, sent_ids
from fault_server import FaultServer, Scripted, fault_server
from sotto_client.delivery import MAX_DELAY_S, Delivery
from sotto_client.ledger import Entry, Ledger, Limits
from sotto_client.outbox import Outbox, Rejected, WaitingReport
from sotto_client.recording import BACKOFF_CAP_S
from sotto_client.reply import Reply
from sotto_client.state import State
from sotto_client.verdict import Acknowledged, Refused, TryAgain, Unknown, Verdict, judge, read_retry_after
from sotto_protocol import Problem

NOON = 1_790_000_000.0
ACK = b'{"counted": 1, "duplicates": 0}'


@dataclass
class Device:
    """A state with a delivery whose clock stands still until it is moved, and whose jitter is always the longest."""

    path: Path
    now: float = NOON
    jitters: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = State.open(self.path)
        self.restart()

    def restart(self) -> None:
        self.delivery = Delivery(self.state, timeout_s=10, clock=lambda: self.now, uniform=self.longest)

    def longest(self, low: float, high: float) -> float:
        assert low == 0
        self.jitters.append(high)
        return high

    def put(self, url: str, receipt: str, delay_s: float | None = None) -> bytes:
        body = json.dumps({"fingerprint": "f", "reports": [{"id": receipt, "answers": {"q": True}}]}).encode()
        with self.state.write() as connection:
            Outbox(connection).put(receipt, url, "lunch", body, 0.0 if delay_s is None else self.now + delay_s)
        return body

    @property
    def waiting(self) -> list[WaitingReport]:
        with self.state.read() as connection:
            return Outbox(connection).waiting()

    @property
    def rejected(self) -> list[Rejected]:
        with self.state.read() as connection:
            return Outbox(connection).rejected()


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(None) as server:
        yield server


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    device = Device(tmp_path / "device.db")
    yield device
    device.delivery.close(30)
    device.state.close()


# What a reply means.


ACKS = [
    ACK,
    b'{"duplicates":1,"counted":0,"more":"later"}',
    b'{"conflicting":0,"counted":1,"duplicates":0}',
    b'{"conflicting":0,"counted":0,"duplicates":1}',
    b'{"conflicting":1,"counted":0,"duplicates":1}',  # the first of this id stays
]


@pytest.mark.parametrize("body", ACKS)
def test_a_collectors_own_words_are_an_acknowledgement(body: bytes) -> None:
    assert judge(Reply(200, {}, body), NOON) == Acknowledged()


NOT_ACKS = [
    b"",
    b"<html>Welcome to the cafe</html>",
    b"{}",
    b"[1, 0]",
    b'{"counted": 1}',
    b'{"counted": 0, "duplicates": 0}',
    b'{"counted": 1, "duplicates": 1}',
    b'{"counted": 2, "duplicates": -1}',
    b'{"counted": true, "duplicates": 0}',
    b'{"counted": 1.0, "duplicates": 0}',
    b'{"counted": "1", "duplicates": 0}',
    b'{"counted": 1, "duplicates": 0, "conflicting": 1}',
    b'{"counted": 0, "duplicates": 1, "conflicting": 2}',
    b'{"counted": 0, "duplicates": 1, "conflicting": -1}',
    b'{"counted": 0, "duplicates": 1, "conflicting": true}',
    b'{"counted": 0, "duplicates": 1, "conflicting": null}',
    b"[" * 50_000,
    b"\xff\xfe",
]


@pytest.mark.parametrize("body", NOT_ACKS)
def test_a_200_without_them_is_none(body: bytes) -> None:
    assert judge(Reply(200, {}, body), NOON) == TryAgain("HTTP 200")


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 308, 408, 425, 429, 500, 502, 503, 504, 599])
def test_these_statuses_are_tried_again_even_with_an_acknowledgement(status: int) -> None:
    assert judge(Reply(status, {}, ACK), NOON) == TryAgain(f"HTTP {status}")


PROBLEM = {"content-type": "application/problem+json"}
REFUSALS = [
    (400, "bad_json"),
    (422, "bad_report"),
    (403, "invitation_required"),
    (403, "invitation_invalid"),
    (409, "survey_closed"),
]


@pytest.mark.parametrize(("status", "code"), REFUSALS)
@pytest.mark.parametrize("content_type", ["application/problem+json", "Application/Problem+JSON; charset=utf-8"])
def test_a_problem_of_the_collectors_with_this_report_is_final(status: int, code: str, content_type: str) -> None:
    problem = Problem(status, code, "No.", "$.reports[0]")
    assert judge(Reply(status, {"content-type": content_type}, problem.to_json()), NOON) == Refused(problem)


@pytest.mark.parametrize(("status", "code"), [(404, "no_such_survey"), (409, "wrong_fingerprint")])
def test_a_collector_that_does_not_know_the_survey_is_doubted(status: int, code: str) -> None:
    problem = Problem(status, code, "No.")
    assert judge(Reply(status, PROBLEM, problem.to_json()), NOON) == Unknown(problem)
    assert judge(Reply(status, PROBLEM | {"retry-after": "60"}, problem.to_json()), NOON) == Unknown(problem, 60.0)


OF_OTHERS = [
    ("application/json", b'{"code": "blocked", "detail": "By your firewall."}'),
    ("application/json", Problem(422, "bad_report", "No.").to_json()),
    ("application/problem+json", b'{"code": "bad_report", "detail": "No."}'),
    ("application/problem+json", b'{"code": "bad_report", "type": "about:blank"}'),
    ("application/problem+json", b'{"code": "bad_report", "type": "https://firewall.example/problems/bad_report"}'),
    ("application/problem+json", b'{"code": "bad_report", "type": "urn:sottovoce:problem:survey_closed"}'),
    ("application/problem+json", b'{"code": "bad_report", "type": ["urn:sottovoce:problem:bad_report"]}'),
    ("application/problem+json", b'{"code": "new_in_2031", "type": "urn:sottovoce:problem:new_in_2031"}'),
    ("text/html", Problem(404, "no_such_survey", "No.").to_json()),
    ("", Problem(409, "survey_closed", "No.").to_json()),
]


@pytest.mark.parametrize("status", [400, 403, 404, 409, 413, 422, 451])
@pytest.mark.parametrize(("content_type", "body"), OF_OTHERS)
def test_what_others_say_in_json_is_not_the_collectors_word(status: int, content_type: str, body: bytes) -> None:
    assert judge(Reply(status, {"content-type": content_type}, body), NOON) == TryAgain(f"HTTP {status}")


OF_SETTINGS = [
    (400, "bad_request"),
    (401, "unauthorized"),
    (403, "forbidden"),
    (404, "not_found"),
    (405, "method_not_allowed"),
    (411, "length_required"),
    (413, "body_too_large"),
    (415, "unsupported_media"),
    (422, "batch_over_rate"),
    (429, "too_many_reports"),
    (431, "headers_too_large"),
    (500, "bad_report"),
    (503, "survey_closed"),
]


@pytest.mark.parametrize(("status", "code"), OF_SETTINGS)
def test_what_a_collector_says_of_its_settings_or_of_the_way_is_tried_again(status: int, code: str) -> None:
    assert judge(Reply(status, PROBLEM, Problem(status, code, "No.").to_json()), NOON) == TryAgain(f"HTTP {status}")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 451])
@pytest.mark.parametrize("body", [b"<html>Log in</html>", b"", b"{}", b'{"error": "no"}', b'"code"'])
def test_a_client_error_without_a_problem_document_is_not_the_collectors_word(status: int, body: bytes) -> None:
    assert judge(Reply(status, {}, body), NOON) == TryAgain(f"HTTP {status}")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("86400", 86_400.0),
        ("86401", 86_400.0),
        ("9" * 5000, 86_400.0),
        ("Mon, 21 Sep 2026 14:14:20 GMT", 60.0),  # NOON is 14:13:20
        ("Mon, 21 Sep 2026 14:14:20 -0000", 60.0),
        ("Mon, 21 Sep 2020 14:14:20 GMT", 0.0),
        ("Mon, 21 Sep 2099 14:14:20 GMT", 86_400.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("²", None),
        ("Mon, 99 Sep 2026 99:14:20 GMT", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_a_day_at_most(text: str | None, seconds: float | None) -> None:
    assert read_retry_after(text, NOON) == seconds


def test_retry_after_counts_for_every_reply_that_is_tried_again() -> None:
    for status in (200, 302, 429, 503):
        verdict: Verdict = judge(Reply(status, {"retry-after": "7"}, b""), NOON)
        assert verdict == TryAgain(f"HTTP {status}", 7.0)


# One round at a time, by a clock that stands still.


@pytest.mark.parametrize(
    "fault",
    [
        Scripted(drop=True),
        Scripted(200, b"<html>"),
        Scripted(200, ACK, {"Content-Length": "5000"}),  # cut off
        Scripted(200, b" " * 70_000 + ACK),  # endless, as far as a device cares
        Scripted(302, b"", {"Location": "/v1/surveys/lunch/reports"}),
        Scripted(403, b"<html>Log in</html>"),  # the portal of a network in between
        Scripted(429),
        Scripted(503, Problem(503, "busy", "Later.").to_json()),
    ],
)
def test_after_any_fault_the_same_bytes_are_sent_until_acknowledged(
    device: Device, http: FaultServer, fault: Scripted
) -> None:
    body = device.put(http.url, "aa")
    http.script = [fault] * 3
    delays = []
    for _ in range(3):
        delay_s = device.delivery.attempt_due()
        assert delay_s is not None
        delays.append(delay_s)
        assert [report.receipt for report in device.waiting] == ["aa"]
        device.now += delay_s
        device.restart()  # attempts and times survive a restart
    assert device.delivery.attempt_due() is None
    assert [post.body for post in http.posts] == [body] * 4
    assert delays == device.jitters == [1, 2, 4]
    assert device.waiting == []


def test_a_lost_acknowledgement_is_counted_once(device: Device, http: FaultServer) -> None:
    """The reply is lost after the report was counted; the repeat is a duplicate, and that acknowledges it."""
    device.put(http.url, "aa")
    http.script = [Scripted(drop=True)]
    http.seen.add("aa")
    device.delivery.attempt_due()
    assert device.delivery.attempt_due(eager=True) is None
    assert sent_ids([post.body for post in http.posts]) == ["aa", "aa"]
    assert http.seen == {"aa"}


def test_nobody_listening_and_nobody_answering_are_faults_like_others(tmp_path: Path) -> None:
    with fault_server(None) as server:
        server.script = [Scripted(stall=True)]
        device = Device(tmp_path / "device.db")
        device.delivery = Delivery(device.state, timeout_s=0.05, clock=lambda: NOON, uniform=device.longest)
        device.put(server.url, "aa")
        assert device.delivery.attempt_due() == 1
    assert device.delivery.attempt_due(eager=True) == 2
    assert device.waiting[0].n_attempts == 2
    device.state.close()


def test_nothing_is_sent_before_its_time(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [Scripted(503)]
    assert device.delivery.attempt_due() == 1
    device.now += 0.4
    assert device.delivery.attempt_due() == pytest.approx(0.6)
    assert len(http.posts) == 1


def test_back_off_doubles_up_to_five_minutes(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [Scripted(503)] * 12
    for _ in range(12):
        device.delivery.attempt_due(eager=True)
    assert device.jitters == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


def test_jitter_is_drawn_from_the_whole_range(device: Device, http: FaultServer) -> None:
    delivery = Delivery(device.state, timeout_s=10, clock=lambda: 0.0)  # beside NOON two delays of 35 may round to one
    device.put(http.url, "aa")
    http.script = [Scripted(503)] * 45
    delays = [delivery.attempt_due(eager=True) or 0.0 for _ in range(45)][10:]
    assert all(0 <= delay <= BACKOFF_CAP_S for delay in delays)
    assert len(set(delays)) == 35
    assert min(delays) < 150 < max(delays)  # 35 fair coins alike: 6e-11


def test_retry_after_holds_even_an_eager_round(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [Scripted(503, headers={"Retry-After": "60"})]
    assert device.delivery.attempt_due(eager=True) == 61
    device.restart()
    device.now += 60.5
    assert device.delivery.attempt_due(eager=True) == 0.5
    assert len(http.posts) == 1
    device.now += 0.5
    assert device.delivery.attempt_due() is None
    assert len(http.posts) == 2


def test_retry_after_holds_all_reports_to_that_collector_and_no_others(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    device.put(http.url, "bb")
    http.script = [Scripted(429, headers={"Retry-After": "60"})]
    device.delivery.attempt_due()
    device.put(http.url, "cc")
    with fault_server(None) as other:
        device.put(other.url, "dd")
        device.delivery.attempt_due(eager=True)
        assert sent_ids([post.body for post in other.posts]) == ["dd"]
    assert sent_ids([post.body for post in http.posts]) == ["aa"]
    device.now += 61
    assert device.delivery.attempt_due() is None
    assert sorted(sent_ids([post.body for post in http.posts])) == ["aa", "aa", "bb", "cc"]


def test_a_report_that_always_fails_does_not_keep_others_back(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    device.put(http.url, "bb")
    http.script = [Scripted(500), Scripted(200, ACK), Scripted(500)]
    for _ in range(2):
        device.delivery.attempt_due(eager=True)
    assert sent_ids([post.body for post in http.posts]) == ["aa", "bb", "aa"]
    assert [report.receipt for report in device.waiting] == ["aa"]


def test_a_refused_report_is_kept_with_its_problem_and_never_sent_again(device: Device, http: FaultServer) -> None:
    problem = Problem(422, "bad_report", "must be true or false.", "$.reports[0].answers.q")
    body = device.put(http.url, "aa")
    http.script = [Scripted(422, problem.to_json())]
    assert device.delivery.attempt_due() is None
    assert device.delivery.attempt_due(eager=True) is None
    assert len(http.posts) == 1
    assert device.rejected == [Rejected("aa", http.url, "lunch", body, 1, problem)]


@pytest.mark.parametrize("status", [200, 422])
def test_what_is_settled_is_forgotten_and_what_waits_is_not(device: Device, http: FaultServer, status: int) -> None:
    made = Entry("f", 1, 1, "lunch", Decimal(1), date(2026, 1, 1), "aa", b"s" * 32, b"r")
    with device.state.write() as connection:
        Ledger(connection).charge(made, Limits.of(8, 8, 1))
    device.put(http.url, "aa")
    http.script = [Scripted(503), Scripted(status, ACK if status == 200 else Problem(422, "bad_report", "y").to_json())]
    for expected in (made, replace(made, secret=None, marks=None)):
        device.delivery.attempt_due(eager=True)
        with device.state.read() as connection:
            assert Ledger(connection).entries() == [expected]
    assert device.waiting == []


def test_a_time_that_only_a_wrong_clock_can_have_written_is_ignored(device: Device, http: FaultServer) -> None:
    device.now += 10 * 365 * 86_400  # ten years ahead
    device.put(http.url, "aa")
    http.script = [Scripted(503, headers={"Retry-After": "60"})]
    device.delivery.attempt_due()
    device.now = NOON
    assert device.delivery.attempt_due() is None
    assert len(http.posts) == 2


def test_a_crash_after_the_acknowledgement_only_repeats_it(device: Device, http: FaultServer) -> None:
    body = device.put(http.url, "aa")
    device.delivery.attempt_due()
    device.put(http.url, "aa")  # as if the deletion had never reached the disk
    assert device.delivery.attempt_due() is None
    assert [post.body for post in http.posts] == [body, body]
    assert http.seen == {"aa"}


# A collector that does not know the survey.

DAY_S = 86_400.0
NO_SUCH_SURVEY = Problem(404, "no_such_survey", "No.")
UNKNOWN = Scripted(404, NO_SUCH_SURVEY.to_json())


def doubt_for(device: Device, http: FaultServer, days: int, per_day: int = 4) -> None:
    """Let it be asked some times a day, by restarted clients, and always say that it has no such survey."""
    for _ in range(days * per_day):
        http.script = [UNKNOWN]
        device.restart()
        device.delivery.attempt_due(eager=True)
        device.now += DAY_S / per_day


def test_a_survey_that_is_not_known_for_a_week_is_refused_for_good_and_no_sooner(
    device: Device, http: FaultServer
) -> None:
    device.put(http.url, "aa")
    doubt_for(device, http, 7)
    for before_s in (1, 0):
        device.now -= before_s
        doubt_for(device, http, 1, per_day=1)
        device.now -= DAY_S - before_s
        assert [report.receipt for report in device.waiting] == ["aa"] * before_s
    assert [rejected.problem for rejected in device.rejected] == [NO_SUCH_SURVEY]
    assert len({post.body for post in http.posts}) == 1


@pytest.mark.few(2)
@pytest.mark.parametrize("between", [None, Scripted(503), Scripted(403, b"<html>"), Scripted(429)])
def test_what_else_it_says_begins_the_week_anew_and_silence_does_not(
    device: Device, http: FaultServer, between: Scripted | None
) -> None:
    device.put(http.url, "aa")
    doubt_for(device, http, 6)
    http.script = [between or Scripted(drop=True)]
    device.delivery.attempt_due(eager=True)
    doubt_for(device, http, 3)
    assert len(device.rejected) == (between is None)
    doubt_for(device, http, 5)
    assert len(device.rejected) == 1


@pytest.mark.few(2)
@pytest.mark.parametrize("step_days", [-3000, -30, -1, 1, 8, 400, 3000])
def test_a_clock_that_is_stepped_makes_no_week_of_a_moment(device: Device, http: FaultServer, step_days: int) -> None:
    """A step counts for a day at most: so six steps forward leave it waiting, and a step back takes nothing away."""
    device.put(http.url, "aa")
    doubt_for(device, http, 1)
    for _ in range(2):
        device.now += step_days * DAY_S
        doubt_for(device, http, 1)
    assert [report.receipt for report in device.waiting] == ["aa"]
    assert device.waiting[0].unknown_s <= 5 * DAY_S
    doubt_for(device, http, 7)
    assert len(device.rejected) == 1


def test_a_device_that_sleeps_for_a_month_asks_again_for_days(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    for _ in range(7):
        http.script = [UNKNOWN]
        device.delivery.attempt_due(eager=True)
        device.now += 30 * DAY_S
    assert len(device.waiting) == 1


def test_a_collector_that_finds_its_database_again_counts_the_report(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    doubt_for(device, http, 6)
    assert device.delivery.attempt_due(eager=True) is None
    assert (http.seen, device.waiting, device.rejected) == ({"aa"}, [], [])


def test_an_unknown_survey_is_asked_for_less_and_less(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [UNKNOWN] * 14
    for _ in range(14):
        delay_s = device.delivery.attempt_due()
        assert delay_s is not None
        device.now += delay_s
    assert device.jitters == [min(2.0**n, 3600.0) for n in range(14)]


def test_a_days_hold_and_the_longest_back_off_after_it_are_no_clock_that_was_ahead(
    device: Device, http: FaultServer
) -> None:
    device.put(http.url, "aa")
    http.script = [UNKNOWN] * 12 + [Scripted(404, NO_SUCH_SURVEY.to_json(), {"Retry-After": "86400"})]
    for _ in range(13):
        device.delivery.attempt_due(eager=True)
    assert device.delivery.attempt_due() == 90_000
    assert len(http.posts) == 13


def test_an_unknown_survey_holds_no_other_report_to_its_collector_back(device: Device, http: FaultServer) -> None:
    for receipt in ("aa", "bb"):
        device.put(http.url, receipt)
    http.script = [UNKNOWN]
    assert device.delivery.attempt_due() == 1
    assert http.seen == {"bb"}
    device.put(http.url, "cc")
    assert device.delivery.attempt_due() == 1
    assert http.seen == {"bb", "cc"}


def test_an_unknown_survey_leaves_a_collector_alone_that_asks_for_it(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [Scripted(404, NO_SUCH_SURVEY.to_json(), {"Retry-After": "60"})]
    assert device.delivery.attempt_due(eager=True) == 61
    device.put(http.url, "bb")
    assert device.delivery.attempt_due(eager=True) == 61
    assert len(http.posts) == 1


# Random delays.


def test_a_delayed_report_is_not_sent_before_its_time_not_even_eagerly_or_after_a_restart(
    device: Device, http: FaultServer
) -> None:
    device.put(http.url, "aa", 3600)
    for elapsed in (0, 3000, 599):
        device.now += elapsed
        device.restart()
        assert device.delivery.attempt_due(eager=True) == device.delivery.attempt_due()
    assert device.delivery.attempt_due() == pytest.approx(1)
    assert http.posts == []
    device.now += 1.5
    assert device.delivery.attempt_due() is None
    assert http.seen == {"aa"}


def test_a_delay_holds_one_report_and_no_other(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa", 3600)
    device.put(http.url, "bb")
    http.script = [Scripted(503)]
    assert device.delivery.attempt_due() == 1
    device.now += 1
    device.put(http.url, "cc", 60)
    assert device.delivery.attempt_due() == 60
    assert sent_ids([post.body for post in http.posts]) == ["bb", "bb"]
    device.now += 61
    assert device.delivery.attempt_due() == 3600 - 62
    assert http.seen == {"bb", "cc"}


def test_a_delay_is_over_with_the_first_attempt(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa", 3600)
    http.script = [Scripted(503)] * 2
    assert device.delivery.attempt_due(skip_delay=True) == 1
    device.now += 1
    assert device.delivery.attempt_due() == 2
    assert device.delivery.attempt_due(eager=True) is None
    assert len(http.posts) == 3


def test_a_delay_and_a_wait_that_the_collector_asked_for_both_hold(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    device.put(http.url, "bb", 30)
    device.put(http.url, "cc", 90)
    http.script = [Scripted(503, headers={"Retry-After": "60"})]
    assert device.delivery.attempt_due() == 61
    device.now += 31
    assert device.delivery.attempt_due(eager=True, skip_delay=True) == 30
    assert len(http.posts) == 1
    device.now += 30
    assert device.delivery.attempt_due() == 29
    assert http.seen == {"aa", "bb"}


def test_a_delay_that_only_a_wrong_clock_can_have_written_is_ignored(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa", MAX_DELAY_S)
    device.put(http.url, "bb", MAX_DELAY_S + 1)
    assert device.delivery.attempt_due() == MAX_DELAY_S
    assert http.seen == {"bb"}


def test_flush_skips_delays_only_when_it_is_told_to(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa", 3600)
    assert not device.delivery.flush(600)  # at once: nothing is due in time
    assert http.posts == []
    assert device.delivery.flush(30, skip_delay=True)
    assert http.seen == {"aa"}


def test_flush_waits_for_a_delay_that_ends_in_time(device: Device, http: FaultServer) -> None:
    device.delivery = Delivery(device.state, timeout_s=10)
    device.now = time.time()
    device.put(http.url, "aa", 0.3)
    assert device.delivery.flush(60)
    assert http.seen == {"aa"}


# The thread.


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "sottovoce-delivery"]


def test_a_woken_delivery_sends_and_its_thread_ends_by_itself(device: Device, http: FaultServer) -> None:
    for receipt in ("aa", "bb"):
        device.put(http.url, receipt)
        device.delivery.wake()
        assert device.delivery.flush(30)
        for thread in threads():
            assert thread.daemon
            thread.join(300)
        assert threads() == []
    assert sent_ids([post.body for post in http.posts]) == ["aa", "bb"]


def test_flush_of_an_empty_outbox_needs_no_thread(device: Device) -> None:
    assert device.delivery.flush(0)
    assert threads() == []


def test_flush_waits_through_faults(device: Device, http: FaultServer) -> None:
    device.delivery = Delivery(device.state, timeout_s=10, uniform=lambda low, high: 0.0)
    device.put(http.url, "aa")
    http.script = [Scripted(503), Scripted(drop=True), Scripted(200, b"<html>"), Scripted(302)]
    assert device.delivery.flush(30)
    assert len(http.posts) == 5
    assert len({post.body for post in http.posts}) == 1


def test_flush_comes_back_early_when_no_attempt_is_due_in_time(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [Scripted(503, headers={"Retry-After": "3600"})]
    started = time.monotonic()
    assert not device.delivery.flush(600)
    assert not device.delivery.flush(600)
    assert time.monotonic() - started < 600  # it would be twice as long
    assert len(http.posts) == 1


def test_flush_cuts_back_off_short(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    device.delivery = Delivery(device.state, timeout_s=10, uniform=lambda low, high: 200.0)
    http.script = [Scripted(503)]
    assert not device.delivery.flush(100)
    assert device.delivery.flush(30)
    assert len(http.posts) == 2


def test_closing_ends_a_thread_that_waits_and_keeps_the_report(device: Device, http: FaultServer) -> None:
    device.put(http.url, "aa")
    http.script = [Scripted(503, headers={"Retry-After": "3600"})]
    assert not device.delivery.flush(30)
    assert len(threads()) == 1
    device.delivery.close(30)
    assert threads() == []
    assert not device.delivery.flush(30)  # at once: nobody will send it
    assert len(device.waiting) == 1


def test_a_state_that_breaks_is_logged_by_name_only_and_tried_again_later(
    device: Device, http: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    device.put(http.url, "aa")
    with device.state.write() as connection:
        connection.execute("ALTER TABLE outbox RENAME TO lost")
    assert [device.delivery._safely(device.delivery.attempt_due) for _ in range(3)] == [1, 2, 4]
    assert {record.getMessage() for record in caplog.records} == {"Reports wait: delivery failed (StateError)."}
    with device.state.write() as connection:
        connection.execute("ALTER TABLE lost RENAME TO outbox")
    assert device.delivery._safely(device.delivery.attempt_due) is None
    assert http.seen == {"aa"}


def test_a_fault_in_the_thread_is_survived_and_delivery_goes_on(
    device: Device, http: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    faults = [ZeroDivisionError("secret detail")]

    def clock() -> float:
        if faults:
            raise faults.pop()
        return NOON

    device.delivery = Delivery(device.state, timeout_s=10, clock=clock, uniform=lambda low, high: 0.0)
    device.put(http.url, "aa")
    assert device.delivery.flush(30)
    assert "Reports wait: delivery failed (ZeroDivisionError)." in caplog.text
    assert "secret" not in caplog.text


def test_logs_hold_no_body_no_receipt_and_no_address(
    device: Device, http: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "sottovoce")
    receipt = "c0ffee" * 5 + "00"
    device.put(http.url, receipt)
    http.script = [Scripted(503), Scripted(drop=True), Scripted(422, Problem(422, "bad_report", "canary").to_json())]
    for _ in range(3):
        device.delivery.attempt_due(eager=True)
    lines = [record.getMessage() for record in caplog.records if record.name == "sottovoce"]
    assert len(lines) == 6  # each attempt, and what came of it
    for line in lines:
        assert not any(word in line for word in (receipt, "canary", "answers", "127.0.0.1", "lunch"))


def test_a_storm_of_faults_from_two_deliveries_counts_each_report_once(tmp_path: Path, http: FaultServer) -> None:
    """Two processes may share a state: each report may be sent twice, is counted once, and ends acknowledged."""
    first, second = Device(tmp_path / "device.db"), Device(tmp_path / "device.db")
    receipts = [f"{number:032x}" for number in range(20)]
    bodies = {first.put(http.url, receipt) for receipt in receipts}
    http.script = [Scripted(503), Scripted(drop=True), Scripted(200, b"<html>")] * 8
    deliveries = [Delivery(device.state, timeout_s=10, uniform=lambda low, high: 0.0) for device in (first, second)]
    for delivery in deliveries:
        delivery.wake()
    for delivery in deliveries:
        assert delivery.flush(60)
        delivery.close(30)
    for device in (first, second):
        device.state.close()
    assert http.seen == set(receipts)
    assert {post.body for post in http.posts} == bodies
    assert rows_of(tmp_path / "device.db", "outbox") == []
