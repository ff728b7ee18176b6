"""Devices in bulk are the very channel that one device is: bit for bit with the same coins, and as often."""

from collections.abc import Callable

import numpy as np
import pytest

from audits import rejects
from devices import LUNCH
from rehearsed import OFFICE, WEEKLY
from sotto_client import os_coins
from sotto_client.permanent import group_coins, permanent_coins, settling_coins
from sotto_client.reporting import report_answer, settle
from sotto_protocol import Coins, Question, Survey, given_bytes
from sotto_protocol.mechanisms.mechanism import PureMechanism
from sotto_rehearsal.simulation.devices import Devices

SECRET = bytes(range(32))
ANSWERS = {"yes-no": True, "number": 7, "text": "fine"}
QUESTIONS = [(survey, question) for survey in (LUNCH, OFFICE, WEEKLY) for question in survey.questions]


def answer_of(question: Question) -> object:
    if question.type == "any-of":
        return [question.options[0]]
    return ANSWERS.get(question.type) or question.options[1]


class Recorded:
    """A source of bytes that remembers what it gave."""

    def __init__(self, take: Callable[[int], bytes]) -> None:
        self._take = take
        self.given = b""

    def __call__(self, n_bytes: int) -> bytes:
        taken = self._take(n_bytes)
        self.given += taken
        return taken


@pytest.mark.parametrize(("survey", "question"), QUESTIONS, ids=[f"{s.id}-{q.id}" for s, q in QUESTIONS])
@pytest.mark.parametrize("n_waves", [1, 3])
def test_a_report_in_bulk_is_bit_for_bit_what_a_device_sends(survey: Survey, question: Question, n_waves: int) -> None:
    encoded = question.encode(answer_of(question))
    fresh = np.random.default_rng(5).bytes(10_000)
    names = (SECRET, survey.fingerprint, question.id)
    mechanism = question.mechanism
    settled = settle(question, encoded, SECRET, survey.fingerprint)
    sources = [group_coins(*names), settling_coins(*names), permanent_coins(*names, settled)]
    recorded = [Recorded(source.take) for source in sources]
    group = mechanism.draw_group(1, Coins(recorded[0]))
    mechanism.respond_permanently(mechanism.settle(encoded, Coins(recorded[1])), group, Coins(recorded[2]))
    stream = b"".join(source.given for source in recorded) + fresh

    bulk = Devices(mechanism, 1, n_waves, Coins(given_bytes(stream)))
    single = Coins(given_bytes(fresh))
    for _ in range(n_waves):
        expected = report_answer(question, encoded, SECRET, survey.fingerprint, single)
        assert np.array_equal(bulk.report(encoded), expected)


def test_an_answer_that_comes_back_has_the_permanent_response_that_it_had() -> None:
    mechanism = LUNCH.questions[1].mechanism  # of one stage: what is permanent is what is reported
    devices = Devices(mechanism, 1000, 3, os_coins())
    first, other = np.zeros(1000, np.intp), np.ones(1000, np.intp)
    reports = [devices.report(answers) for answers in (first, other, first)]
    assert np.array_equal(reports[0], reports[2])
    assert not np.array_equal(reports[0], reports[1])


def test_a_number_is_settled_by_the_same_draw_in_every_wave() -> None:
    mechanism = WEEKLY.questions[3].mechanism
    devices = Devices(mechanism, 1000, 3, os_coins())
    settled = [mechanism.settle(np.full(1000, number), devices._settling()) for number in (5, 5, 6)]
    assert np.array_equal(settled[0], settled[1])
    assert (settled[2] >= settled[0]).all(), "a larger number is never rounded lower by the same draw"


@pytest.mark.parametrize("off_by", [0, 0.02])
def test_bulk_supports_values_with_the_mechanisms_probabilities(off_by: float) -> None:
    """False alarm 1e-9; and a channel that is off by 0.02 is rejected."""
    tests = []
    for question in (*OFFICE.questions[:3], *WEEKLY.questions[:3]):
        mechanism = question.mechanism
        assert isinstance(mechanism, PureMechanism)
        n, answer = 60_000, question.encode(answer_of(question))
        devices = Devices(mechanism, n, 1, os_coins())
        counts = mechanism.count_support(devices.report(np.repeat(answer, n, axis=0)))
        true = answer[0].astype(bool) if mechanism.takes_rows else np.isin(np.arange(len(counts)), answer)
        true = np.array([True]) if question.type == "yes-no" else true
        tests.append((counts[true], n, mechanism.prob_support_if_true - off_by))
        if (~true).any():
            tests.append((counts[~true], n, mechanism.prob_support_if_other + off_by))
    assert rejects(tests, 1e-9) == bool(off_by)
