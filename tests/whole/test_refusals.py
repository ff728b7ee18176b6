"""What a real collector says to a real device, and what the device makes of it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from collecting import SMALL, STRINGS, Served, make_reports, serve
from sotto_client.exchange import post_report
from sotto_client.verdict import Acknowledged, Refused, TryAgain, Unknown, Verdict, judge
from sotto_protocol import Survey, batch_body


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served") / "survey.db", "--max-body-bytes", "2000", survey=SMALL) as started:
        yield started


def post(served: Served, survey: Survey, body: bytes = b"") -> Verdict:
    sent = body or batch_body(survey, make_reports(1, survey))
    return judge(post_report(served.url, survey.id, sent, timeout_s=300).result(), 0.0)


def code_of(verdict: Verdict) -> str:
    assert isinstance(verdict, Refused | Unknown)
    return verdict.problem.code


def test_a_report_is_acknowledged(served: Served) -> None:
    assert isinstance(post(served, SMALL), Acknowledged)


def test_a_report_of_a_survey_or_a_version_that_is_not_there_may_yet_be_taken(served: Served) -> None:
    for survey, code in ((STRINGS, "no_such_survey"), (replace(SMALL, title="Another"), "wrong_fingerprint")):
        verdict = post(served, survey)
        assert isinstance(verdict, Unknown)
        assert code_of(verdict) == code


def test_a_report_that_can_never_be_right_is_refused(served: Served) -> None:
    good = batch_body(SMALL, make_reports(1, SMALL))
    for body, code in ((b"{", "bad_json"), (good.replace(b'"answers"', b'"Answers"'), "bad_report")):
        verdict = post(served, SMALL, body)
        assert isinstance(verdict, Refused)
        assert code_of(verdict) == code


def test_a_limit_of_the_collectors_is_no_word_on_the_report(served: Served) -> None:
    assert post(served, SMALL, batch_body(SMALL, make_reports(1, SMALL)) + b" " * 2000) == TryAgain("HTTP 413")


def test_a_closed_survey_refuses_this_version_and_does_not_know_another(served: Served) -> None:
    """So `survey_closed` is the word of a collector that has the survey, and can be final at once."""
    assert served.ask("POST", f"/v1/surveys/{SMALL.id}/close", token=served.admin)[0] == 200
    closed = post(served, SMALL)
    assert isinstance(closed, Refused)
    assert (code_of(closed), closed.ends_survey) == ("survey_closed", True)
    assert code_of(post(served, replace(SMALL, title="Another"))) == "wrong_fingerprint"
