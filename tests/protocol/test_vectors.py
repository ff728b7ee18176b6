"""The vectors that every language's client shares: the reference writes them, and the packages agree with them.

Those of mechanisms are checked in test_mechanisms.py, those of the hash in test_bloom.py.
"""

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal, localcontext
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference_device_vectors
import reference_survey_vectors
import reference_together
from reference_refused_members import P, Q, put
from reference_surveys import canonical, expand, of_thresholds
from sotto_client.draws import Seed
from sotto_client.ledger import Entry, epsilon_of_report
from sotto_client.permanent import group_coins
from sotto_client.reporting import check_answers, make_report, mark_answers, noise_secret, respond
from sotto_protocol import AnswerError, Coins, Report, ReportError, Survey, SurveyError, batch_body, given_bytes
from sotto_protocol.documents import decimal_text
from sotto_protocol.drawn import draw_questions
from sotto_protocol.invitation import invitation_text, parse_invitation, with_invitation
from sotto_protocol.record import WAVE

FOLDER = Path(__file__).parents[1] / "vectors"
Vector = dict[str, Any]


def read(name: str) -> dict[str, Any]:
    """Return a file of vectors."""
    document: dict[str, Any] = json.loads((FOLDER / name).read_text())
    return document


SURVEYS, DEVICE, TOGETHER = read("surveys.json"), read("device.json"), read("together.json")


def bytes_of(vector: Vector) -> bytes:
    """Return the bytes of a survey's text, however it is given."""
    if "hex" in vector:
        return bytes.fromhex(vector["hex"])
    return (vector["text"] if "text" in vector else expand(vector["parts"])).encode()


def survey_of(vector: Vector) -> Survey:
    """Return the survey that a vector of a device is about."""
    return Survey.from_canonical(DEVICE["surveys"][vector["survey"]].encode())


@pytest.mark.rare
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("surveys.json", reference_survey_vectors.vectors_text),
        ("device.json", reference_device_vectors.vectors_text),
        ("together.json", reference_together.vectors_text),
    ],
)
def test_the_vectors_are_what_the_reference_writes(name: str, written: Callable[[], str]) -> None:
    assert (FOLDER / name).read_text() == written()


@pytest.mark.parametrize("vector", SURVEYS["surveys"], ids=lambda v: v["about"])
def test_a_survey_is_read_as_the_vectors_say(vector: Vector) -> None:
    survey = Survey.from_canonical(bytes_of(vector))
    assert survey.canonical == bytes_of(vector)
    assert (survey.fingerprint, survey.layout.n_bytes) == (vector["fingerprint"], vector["record_bytes"])
    assert (b'"keep":"counts"' in survey.canonical) is (not survey.keeps_reports)
    assert decimal_text(survey.epsilon) == vector["epsilon"]
    assert decimal_text(survey.epsilon_forever) == vector["epsilon_forever"]
    questions = [
        {"id": q.id, "epsilon": decimal_text(q.epsilon), "epsilon_forever": decimal_text(q.epsilon_forever)}
        for q in survey.questions
    ]
    assert questions == vector.get("questions", questions)


@pytest.mark.parametrize("vector", TOGETHER["surveys"], ids=lambda v: v["about"])
def test_a_survey_of_questions_that_are_asked_together_is_read_as_the_vectors_say(vector: Vector) -> None:
    survey = Survey.from_canonical(bytes_of(vector))
    assert (survey.canonical, survey.fingerprint) == (bytes_of(vector), vector["fingerprint"])
    assert decimal_text(survey.epsilon_forever) == vector["epsilon_forever"]
    assert [item.id for item in survey.items] == vector["items"]
    options = {question.id: list(question.options) for question in survey.questions if len(question.items) > 1}
    assert vector["options"] in ({}, options)


@pytest.mark.parametrize("vectors", [SURVEYS, TOGETHER], ids=["alone", "together"])
def test_every_text_that_is_no_survey_is_refused_where_the_vectors_say(vectors: Vector) -> None:
    found = []
    for vector in vectors["refused"]:
        try:
            Survey.from_canonical(bytes_of(vector))
            where = "nowhere"
        except SurveyError as fault:
            where = fault.where
        found.append((vector["why"], where))
    assert found == [(vector["why"], vector["where"]) for vector in vectors["refused"]]


def test_what_is_put_into_a_survey_is_all_that_is_wrong_with_it() -> None:
    assert Survey.from_canonical(put(P, f"{Q}.text", '"So?"').encode()).questions[0].text == "So?"


@pytest.mark.parametrize("vector", SURVEYS["epsilons"], ids=lambda v: f"{v['type']}-{v['mechanism']['name']}")
def test_thresholds_take_the_epsilon_that_the_vectors_say_and_not_a_unit_less(vector: Vector) -> None:
    """So a question that declares it is accepted, whose mechanism's own bound is at most 1e-12 below it."""
    survey = Survey.from_canonical(canonical(of_thresholds(vector)).encode())
    question = survey.questions[0]
    for declared, taken in (
        (question.epsilon, question.mechanism.epsilon),
        (question.epsilon_forever, question.mechanism.epsilon_forever),
    ):
        assert 0 < declared - taken < Decimal("1e-12")
    assert decimal_text(question.epsilon) == vector["epsilon"]
    assert decimal_text(question.epsilon_forever) == vector["epsilon_forever"]


def test_some_thresholds_take_nearly_a_decimal_from_above_and_from_below() -> None:
    """Within 1e-30 of one: where an epsilon must be rounded up, doubles and quadruple precision would not do."""
    taken = [
        Survey.from_canonical(canonical(of_thresholds(vector)).encode()).questions[0].mechanism.epsilon
        for vector in SURVEYS["epsilons"]
    ]
    with localcontext(prec=60):
        above = [epsilon.scaleb(12) % 1 for epsilon in taken]  # the part of a unit of 1e-12
        for nearly in (above, [1 - rest for rest in above]):
            assert min(nearly) < Decimal("1e-18")
            assert sum(rest < Decimal("1e-6") for rest in nearly) >= 5


@pytest.mark.parametrize("vector", DEVICE["reports"], ids=lambda v: v["about"])
def test_a_device_makes_the_vectors_reports(vector: Vector) -> None:
    survey, secret, wave = survey_of(vector), bytes.fromhex(vector["secret"]), vector["wave"]
    encoded = check_answers(survey, vector["answers"])
    permanent = [
        respond(question, answer, secret, survey.fingerprint)
        for question, answer in zip(survey.questions, encoded, strict=True)
    ]
    assert [response.tobytes().hex() for response in permanent] == vector["permanent"]
    take = given_bytes(bytes.fromhex("".join(vector["coins"])) + b"?")
    marks, record = make_report(survey, encoded, secret, {WAVE: wave}, Coins(take))
    assert take(1) == b"?", "all the coins are used, and no more"
    assert record.hex() == vector["record"]
    assert survey.layout.to_wire(np.frombuffer(record, np.uint8))["answers"] == vector["wire"]
    assert marks.hex() == mark_answers(survey, encoded, secret).hex() == vector["marks"]


@pytest.mark.parametrize("vector", DEVICE["reports"], ids=lambda v: v["about"])
def test_a_device_posts_the_vectors_bodies(vector: Vector) -> None:
    survey, report_id, record = survey_of(vector), bytes.fromhex(vector["id"]), bytes.fromhex(vector["record"])
    body = batch_body(survey, [Report(report_id, record)])
    assert body.decode() == vector["body"]
    if "invitation" in vector:
        admitted = with_invitation(body, parse_invitation(vector["invitation"]))
        assert admitted.decode() == vector["body_with_invitation"]
        assert batch_body(survey, [Report(report_id, record, vector["invitation"])]) == admitted


@pytest.mark.parametrize("vector", DEVICE["reports"], ids=lambda v: v["about"])
def test_a_device_draws_the_vectors_groups(vector: Vector) -> None:
    survey, secret = survey_of(vector), bytes.fromhex(vector["secret"])
    groups: dict[str, list[int]] = {}
    for question in (asked for asked in survey.questions if asked.type == "text"):
        drawn = question.mechanism.draw_group(1, group_coins(secret, survey.fingerprint, question.id))[0].tolist()
        groups |= {question.id: [256 * drawn[0] + drawn[1], *drawn[2:]]} if drawn else {}
    assert groups == vector["groups"]


@pytest.mark.parametrize("vector", DEVICE["charges"], ids=lambda v: v["about"])
def test_reports_take_what_the_vectors_say(vector: Vector) -> None:
    survey, secret, earlier = survey_of(vector), bytes.fromhex(vector["secret"]), list[Entry]()
    for wave, report in enumerate(vector["reports"], 1):
        marks = mark_answers(survey, check_answers(survey, report["answers"]), secret)
        assert marks.hex() == report["marks"]
        epsilon = epsilon_of_report(survey, marks, earlier)
        assert decimal_text(epsilon) == report["epsilon"]
        of_survey = survey.fingerprint, wave, survey.waves, survey.id
        earlier.append(Entry(*of_survey, epsilon, date(2026, 1, 1), f"{wave:032x}", secret, marks))


def test_no_wave_takes_more_than_its_questions_and_all_together_at_most_their_pots() -> None:
    same = next(vector for vector in DEVICE["charges"] if vector["about"] == "the same answers in every wave")
    survey = survey_of(same)
    taken = [Decimal(report["epsilon"]) for report in same["reports"]]
    assert max(taken) <= survey.epsilon
    assert sum(taken) == survey.epsilon_forever


@pytest.mark.parametrize("vector", DEVICE["draw_coins"], ids=lambda v: f"{v['n_drawn']} of {v['n_questions']}")
def test_coins_draw_the_questions_that_the_vectors_say(vector: Vector) -> None:
    take = given_bytes(bytes.fromhex(vector["coins"]) + b"?")
    (row,) = draw_questions(vector["n_questions"], vector["n_drawn"], Coins(take))
    assert np.flatnonzero(row).tolist() == vector["drawn"]
    assert take(1) == b"?"


@pytest.mark.parametrize("vector", DEVICE["draws"], ids=lambda v: f"{v['about']} {v['wave']}")
def test_a_device_draws_and_reports_what_the_vectors_say(vector: Vector) -> None:
    survey, secret = survey_of(vector), bytes.fromhex(vector["secret"])
    drawn = Seed(survey.fingerprint, survey.id, bytes.fromhex(vector["seed"])).drawn(survey)
    assert [question.id for question in compress(survey.questions, drawn)] == vector["drawn"]
    encoded = check_answers(survey, vector["answers"], drawn)
    take = given_bytes(bytes.fromhex("".join(vector["coins"])) + b"?")
    marks, record = make_report(survey, encoded, secret, {WAVE: vector["wave"]}, Coins(take))
    assert take(1) == b"?"
    assert (marks.hex(), record.hex()) == (vector["marks"], vector["record"])
    assert survey.layout.to_wire(np.frombuffer(record, np.uint8))["answers"] == vector["wire"]
    numbers = {WAVE: [vector["wave"]]} if survey.waves > 1 else {}
    assert survey.layout.from_wire([vector["wire"]], "$", numbers).tobytes() == record
    assert batch_body(survey, [Report(bytes.fromhex(vector["id"]), record)]).decode() == vector["body"]
    earlier: list[Entry] = []
    while len(earlier) < vector["n_earlier"]:
        taken = epsilon_of_report(survey, marks, earlier, drawn)
        earlier.append(Entry(survey.fingerprint, 1, survey.waves, survey.id, taken, date.min, "", secret, marks))
    assert decimal_text(epsilon_of_report(survey, marks, earlier, drawn)) == vector["epsilon"]


@pytest.mark.parametrize("vector", DEVICE["asked_in"], ids=lambda v: v["about"])
def test_a_device_draws_its_waves_and_reports_in_them_what_the_vectors_say(vector: Vector) -> None:
    survey, secret = survey_of(vector), bytes.fromhex(vector["secret"])
    waves = Seed(survey.fingerprint, survey.id, bytes.fromhex(vector["seed"])).waves(survey)
    assert [*waves] == vector["waves"]
    assert len(waves) == survey.asked_in == survey.max_reports
    encoded, earlier = check_answers(survey, vector["answers"]), list[Entry]()
    for report in vector["reports"]:
        take = given_bytes(bytes.fromhex("".join(report["coins"])) + b"?")
        noise = noise_secret(survey, secret, report["wave"])
        marks, record = make_report(survey, encoded, noise, {WAVE: report["wave"]}, Coins(take))
        assert take(1) == b"?"
        assert (marks.hex(), record.hex()) == (report["marks"], report["record"])
        assert marks == mark_answers(survey, encoded, noise)
        assert survey.layout.to_wire(np.frombuffer(record, np.uint8))["answers"] == report["wire"]
        assert batch_body(survey, [Report(bytes.fromhex(report["id"]), record)]).decode() == report["body"]
        taken = epsilon_of_report(survey, marks, earlier)
        assert decimal_text(taken) == report["epsilon"]
        of_wave = survey.fingerprint, report["wave"], waves[-1], survey.id
        earlier.append(Entry(*of_wave, taken, date.min, "", secret, marks))
    if not survey.keeps_noise:
        assert sum(entry.epsilon for entry in earlier) == survey.epsilon_forever
        assert len({entry.marks for entry in earlier}) == len(earlier), "each wave has noise of its own"


@pytest.mark.parametrize("number", range(len(DEVICE["refused"])))
def test_what_is_no_answer_is_refused_where_the_vectors_say(number: int) -> None:
    vector = DEVICE["refused"][number]
    with pytest.raises(AnswerError) as caught:
        check_answers(survey_of(vector), vector["answers"])
    assert caught.value.where == vector["where"]


@pytest.mark.parametrize("number", range(len(DEVICE["invitations"])))
def test_invitations_are_read_as_the_vectors_say(number: int) -> None:
    vector = DEVICE["invitations"][number]
    if vector["bytes"] is None:
        with pytest.raises(ReportError):
            parse_invitation(vector["text"])
        return
    code = parse_invitation(vector["text"])
    assert code.hex() == vector["bytes"]
    assert parse_invitation(invitation_text(code)) == code
