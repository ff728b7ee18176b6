"""A device's numbers: rounded by one draw for good, the same noise for each level, and charged by level."""

import itertools
import math
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import answer, sent
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_client.reporting import check_answers, mark_answers, respond, settle
from sotto_protocol import COIN_SCALE, compile_survey
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.mechanisms.window_design import two_stage_bit

N_DEVICES = 4000
STEPS = {"id": "steps", "type": "number", "text": "?", "minimum": 0, "maximum": 20_000, "step": 1}
TWO = STEPS | {"epsilon": Decimal(1), "epsilon_forever": Decimal(2)}
FEW = STEPS | {"id": "few", "epsilon": Decimal(3)}
SURVEY = compile_survey({"id": "walks", "title": "Walks", "waves": 8, "questions": [TWO]})
LEVELS = compile_survey({"id": "levels", "title": "Levels", "waves": 8, "questions": [FEW]})


def secret_of(device: int) -> bytes:
    return device.to_bytes(32, "big")


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(SURVEY) as server:
        yield server


def level_of(survey: Any, steps: int, device: int) -> int:
    [question] = survey.questions
    return int(settle(question, question.encode(steps), secret_of(device), survey.fingerprint)[0])


@pytest.mark.parametrize("survey", [SURVEY, LEVELS], ids=["one bit", "six levels"])
def test_all_numbers_of_one_level_have_the_same_bytes_and_the_same_marks(survey: Any) -> None:
    """Of a device that gives 40 numbers there are as many responses as levels, at most."""
    [question] = survey.questions
    assert isinstance(question.mechanism, WindowResponse)
    for device in range(20):
        seen: dict[int, set[tuple[bytes, bytes]]] = {}
        levels = []
        for steps in range(0, 20_001, 500):
            encoded = check_answers(survey, {question.id: steps})
            given = encoded[0]
            assert given is not None
            made = respond(question, given, secret_of(device), survey.fingerprint).tobytes()
            marks = mark_answers(survey, encoded, secret_of(device))
            levels.append(level_of(survey, steps, device))
            seen.setdefault(levels[-1], set()).add((made, marks))
        assert all(len(made) == 1 for made in seen.values())
        assert len({marks for ((_, marks),) in seen.values()}) == len(seen) <= question.mechanism.levels
        assert levels == sorted(levels)  # one draw rounds all: a larger number is never at a lower level


def test_devices_round_a_number_up_as_often_as_it_is_far() -> None:
    """5 standard deviations: 6e-7."""
    up = sum(level_of(SURVEY, 6000, device) for device in range(N_DEVICES))
    assert abs(up / N_DEVICES - 0.3) < 5 * math.sqrt(0.3 * 0.7 / N_DEVICES)


@pytest.mark.thorough
def test_a_number_that_drifts_within_a_level_is_charged_as_one_answer(http: FaultServer, tmp_path: Path) -> None:
    """Eight waves take what eight reports of one level take, wherever the number does not come to the other level."""
    charges, (question,) = [], SURVEY.questions
    for device in range(8):
        state = tmp_path / f"{device}.db"
        taken = [answer(http, state, {"steps": 9000 + 300 * wave}, wave).epsilon for wave in range(1, 9)]
        charges.append(sum(taken))
        assert taken[0] == 1
    alone = question.epsilon_of(8)
    assert min(charges) == alone < 2  # of 8 devices, each of which crosses with a probability of 1 in 10
    apart = {question.epsilon_of(n) + question.epsilon_of(8 - n) for n in range(1, 8)}
    assert {*charges} <= {alone, *apart}
    told = [report["answers"]["steps"] for report in sent(http)]
    assert {*told} == {0, 1}
    assert len(told) == 64


def test_the_outbox_says_of_which_numbers_a_report_speaks(http: FaultServer, tmp_path: Path) -> None:
    http.script = [Scripted(503)] * 20
    state = tmp_path / "device.db"
    with closing(SurveyClient(http.url, "walks", state=state)) as device:
        device.answer({"steps": 20_000}, 1)
    said = CliRunner().invoke(main, ["outbox", str(state)])
    assert said.exit_code == 0, said.output
    [line] = [line for line in said.output.splitlines() if "steps: reported" in line]
    ends = {"0": "0 to 0", "1": "20000 to 20000"}
    output = line.split()[2].rstrip(",")
    assert line == f"  steps: reported {output}, sent most often for numbers from {ends[output]}"


def test_reports_of_one_level_add_up_to_what_they_are_charged_and_never_more_than_for_ever() -> None:
    """Every sequence of up to 6 reports, exactly."""
    made = two_stage_bit(100, Decimal(1), Decimal(2))
    lasting, repeated = (Fraction(t, COIN_SCALE) for t in (made.threshold_if_true, made.report_if_true))
    for n in range(1, 7):
        ratio = Fraction(0)
        for reports in itertools.product((0, 1), repeat=n):
            likely = [math.prod(repeated if report == kept else 1 - repeated for report in reports) for kept in (0, 1)]
            ifs = [lasting * likely[level] + (1 - lasting) * likely[1 - level] for level in (0, 1)]
            ratio = max(ratio, ifs[0] / ifs[1])
        taken = Decimal(math.log(ratio))
        assert taken <= min(n * made.epsilon, made.epsilon_forever) + Decimal("1e-12")
