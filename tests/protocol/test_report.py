"""Reports: readable on the wire, packed at rest, the same in both, and impossible ones refused where they stand."""

import base64
import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from published import ANY_OF, ONE_HOT, ONE_OF, WIDE, YES_NO, records_of, survey_of, surveys
from sotto_protocol import Report, ReportError, Survey, batch_body, parse_report_id, stack_records
from sotto_protocol.documents import canonical_json
from sotto_protocol.invitation import invitation_text, with_invitation
from sotto_protocol.record import WAVE

ID = bytes(range(16))
SURVEY = survey_of(
    YES_NO,
    ONE_OF | {"mechanism": "k-ary"},
    WIDE,
    ONE_HOT,  # 3 bits
    ANY_OF,  # 9 bits
    ONE_HOT | {"options": list("abcdefgh")},  # 8 bits: no spare
)
GOOD: dict[str, Any] = {"q0": True, "q1": 2, "q2": 299, "q3": "BQ==", "q4": "/wE=", "q5": "gA=="}
PACKED = bytes.fromhex("01 02 012b 05 ff01 80")

report_ids = st.binary(min_size=16, max_size=16)


def test_a_report_is_readable_on_the_wire_and_packed_at_rest() -> None:
    report = Report(ID, PACKED)
    assert report.receipt == "000102030405060708090a0b0c0d0e0f"
    assert report.to_wire(SURVEY) == {"id": report.receipt, "answers": GOOD}
    assert SURVEY.layout.from_wire([GOOD]).tobytes() == PACKED


def test_a_batch_is_canonical_json_under_the_surveys_fingerprint() -> None:
    body = batch_body(SURVEY, [Report(ID, PACKED)])
    assert body.decode() == (
        '{"fingerprint":"' + SURVEY.fingerprint + '","reports":[{"answers":{"q0":true,"q1":2,"q2":299,"q3":"BQ==",'
        '"q4":"/wE=","q5":"gA=="},"id":"000102030405060708090a0b0c0d0e0f"}]} '  # as long as with false
    )


INVITED = dataclasses.replace(SURVEY, invited=True, waves=3)
CODE = bytes(range(100, 116))


def test_a_report_of_an_invited_survey_carries_its_invitation() -> None:
    report = Report(ID, b"\x00\x02" + PACKED, invitation_text(CODE))
    assert report.to_wire(INVITED) == {
        "id": report.receipt,
        "wave": 2,
        "invitation": report.invitation,
        "answers": GOOD,
    }
    assert report.invitation not in repr(report)


def test_an_invitation_that_is_added_later_gives_the_same_bytes() -> None:
    """A device keeps the two apart until it sends them."""
    reports = [Report(bytes([n]) * 16, b"\x00\x02" + PACKED) for n in range(3)]
    together = batch_body(INVITED, [dataclasses.replace(one, invitation=invitation_text(CODE)) for one in reports])
    assert with_invitation(batch_body(INVITED, reports), CODE) == together
    assert b"invitation" not in batch_body(INVITED, reports)


@settings(max_examples=40)
@given(surveys, st.data(), st.booleans())
def test_the_length_of_a_batch_tells_the_number_of_its_reports_alone(
    survey: Survey, data: st.DataObject, is_invited: bool
) -> None:
    invitation = invitation_text(CODE) if is_invited else ""
    records = data.draw(records_of(survey))
    longest = Report(ID, survey.layout.longest, invitation)
    for reports in ([Report(ID, record.tobytes(), invitation) for record in records], [longest]):
        body = batch_body(survey, reports)
        assert len(body) == len(batch_body(survey, [longest] * len(reports)))
        assert body.rstrip() == canonical_json(json.loads(body))
    assert batch_body(survey, [longest]) == batch_body(survey, [longest]).rstrip()


@settings(max_examples=40)
@given(surveys, st.data())
def test_reports_are_unchanged_by_the_wire(survey: Survey, data: st.DataObject) -> None:
    records = data.draw(records_of(survey))
    drawn_ids = data.draw(st.lists(report_ids, min_size=len(records), max_size=len(records)))
    reports = [Report(id_, record.tobytes()) for id_, record in zip(drawn_ids, records, strict=True)]
    body = batch_body(survey, reports)
    assert body == batch_body(survey, reports)
    sent = json.loads(body)
    assert sent["fingerprint"] == survey.fingerprint
    waves = [report.get("wave") for report in sent["reports"]]
    packed = survey.layout.from_wire([report["answers"] for report in sent["reports"]], "$.reports", {WAVE: waves})
    assert packed.dtype == np.uint8
    assert packed.tolist() == records.tolist()
    again = [
        Report(parse_report_id(report["id"], "$"), record.tobytes())
        for report, record in zip(sent["reports"], packed, strict=True)
    ]
    assert again == reports


NO_BOOLEANS: list[Any] = [0, 1, 1.0, "true", "1", None, [], -1, 10**400, float("nan")]
NO_NUMBERS: list[Any] = [
    1.0,
    True,
    "1",
    -1,
    65536,
    10**400,
    float("nan"),
    float("inf"),
    None,
    [1],
    {"a": 1},
    1e300,
    "\x00",
    b"1",
]
NO_BITS: list[Any] = [
    "",  # short
    "BQ",  # unpadded
    "BQ=",
    "BQ===",
    "BR==",  # trailing bits
    "BQ==\n",
    " BQ==",
    "B Q==",
    "BQ==BQ==",
    "BQUF",  # too long
    "====",
    "CA==",  # a spare bit
    "_w==",  # url-safe
    "é===",
    "\x00Q==",
    "\ud800",
    *(5, True, None, b"BQ==", ["BQ=="], float("nan"), 10**400),
]
BAD_VALUES: list[tuple[str, Any, str]] = [
    *[("q0", value, "must be true or false") for value in NO_BOOLEANS],
    *[("q1", value, "must be an integer in [0, 2]") for value in (*NO_NUMBERS, 3)],
    *[("q2", value, "must be an integer in [0, 299]") for value in (*NO_NUMBERS, 300)],
    *[("q3", value, "must be canonical base64 of 3 bits in 1 bytes, spare bits zero") for value in NO_BITS],
    *[
        ("q4", value, "must be canonical base64 of 9 bits")
        for value in ("/wI=", "/w==", "/wEA", "_wE=", "//E=", "/wF=")
    ],
    *[("q5", value, "must be canonical base64 of 8 bits") for value in ("", "gAA=", "gB==", "gA")],
]


@pytest.mark.parametrize(("question", "value", "message"), BAD_VALUES, ids=range(len(BAD_VALUES)))
def test_a_value_that_no_mechanism_makes_is_refused_where_it_stands(question: str, value: Any, message: str) -> None:
    with pytest.raises(ReportError) as caught:
        SURVEY.layout.from_wire([GOOD, GOOD, GOOD | {question: value}, GOOD], "$.reports")
    assert caught.value.where == f"$.reports[2].answers.{question}"
    assert caught.value.problem.startswith(message)
    assert type(caught.value) is ReportError
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("value", ["CANARY", ["CANARY"], {"CANARY": 1}])
@pytest.mark.parametrize("question", GOOD)
def test_messages_never_show_a_submitted_value(question: str, value: Any) -> None:
    with pytest.raises(ReportError) as caught:
        SURVEY.layout.from_wire([GOOD | {question: value}])
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("answers", [{}, GOOD | {"CANARY": 1}, {key: GOOD[key] for key in list(GOOD)[1:]}])
def test_reports_have_exactly_the_surveys_questions(answers: dict[str, Any]) -> None:
    with pytest.raises(ReportError) as caught:
        SURVEY.layout.from_wire([GOOD, answers], "$.reports")
    assert caught.value.where == "$.reports[1].answers"
    assert caught.value.problem == "must have exactly the members q0, q1, q2, q3, q4, q5."


@given(st.text(), st.sampled_from(["q3", "q4", "q5"]))
def test_any_text_is_the_one_base64_of_its_bits_or_refused(text: str, question: str) -> None:
    try:
        packed = SURVEY.layout.from_wire([GOOD | {question: text}])
    except ReportError as error:
        where = error.where
    else:
        where = f"$[0].answers.{question}"
        assert SURVEY.layout.to_wire(packed[0])["answers"][question] == text
    assert where == f"$[0].answers.{question}"


def test_every_base64_of_one_byte_but_one_is_refused() -> None:
    """Of the four-letter texts that decode to a byte, only the canonical is read: one text for one report."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    accepted = []
    for text in (first + second + "==" for first in letters for second in letters):
        try:
            accepted.append(int(SURVEY.layout.from_wire([GOOD | {"q5": text}])[0, -1]))
        except ReportError:
            assert base64.b64encode(base64.b64decode(text)).decode() != text
    assert sorted(accepted) == list(range(256))


def test_no_reports_are_no_records() -> None:
    assert SURVEY.layout.from_wire([]).shape == (0, SURVEY.layout.n_bytes)


@pytest.mark.parametrize(
    "text",
    ["", "0" * 31, "0" * 33, "A" * 32, "g" * 32, "0" * 32 + "\n", " " + "0" * 31, "٠" * 32, 0, None, b"0" * 32, []],
)
def test_an_id_that_is_not_32_hexadecimal_digits_is_refused(text: Any) -> None:
    with pytest.raises(ReportError, match="must be 32 lower-case hexadecimal digits") as caught:
        parse_report_id(text, "$.reports[7].id")
    assert caught.value.where == "$.reports[7].id"


@given(report_ids)
def test_ids_read_back(report_id: bytes) -> None:
    assert parse_report_id(Report(report_id, b"").receipt, "$") == report_id


@settings(max_examples=40)
@given(surveys, st.data())
def test_records_stack_to_an_array(survey: Survey, data: st.DataObject) -> None:
    records = data.draw(records_of(survey))
    stacked = stack_records([record.tobytes() for record in records])
    assert stacked.tolist() == records.tolist()
    assert len(survey.layout.cut(stacked)) == len(survey.questions), "of no records too"


@pytest.mark.parametrize("records", [[b"a", b"bbb"], [b"", b"a"], [b"ab", b"ab", b"a"]])
def test_records_of_different_lengths_do_not_stack(records: list[bytes]) -> None:
    with pytest.raises(ReportError, match="must be equally long"):
        stack_records(records)
