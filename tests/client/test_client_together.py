"""Questions asked together on a device: answered one by one, reported and charged as one, named by their own ids."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devices import AWAY, HABITS, PAIRS, habits, habits_over_waves, rows_of, sent
from fault_server import FaultServer, fault_server
from sotto_client import AlreadyAnswered, AnswerError, SurveyClient
from sotto_client.cli import main
from sotto_protocol import Survey
from sotto_protocol.questions.joint import Joint

CERTAIN = habits('mechanism = "k-ary"\nepsilon = 18')
"""The report of the two is their answer, but for a chance of 8e-8."""
DRAWN = habits(of_survey="draw = 1")
"""Either both of the two are asked, or the third."""
SPENDS: dict[str, Any] = {"max_epsilon": 20, "max_period_epsilon": 20}
ALL: dict[str, Any] = {"smokes": True, "age": False, "region": "south"}


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(HABITS) as server:
        yield server


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "device.db"


def client(http: FaultServer, state: Path | str = ":memory:", **settings: Any) -> SurveyClient:
    return SurveyClient(http.url, "health", state=state, **settings)


def cell_of(survey: Survey, said: Any) -> dict[str, Any]:
    """Return the answers by item that a report of the first question by k-ary stands for."""
    kind = survey.questions[0].kind
    assert isinstance(kind, Joint)
    return kind.split(said)


def test_questions_are_asked_one_by_one_and_reported_as_one(http: FaultServer) -> None:
    with client(http) as device:
        assert [item.id for item in device.questions] == ["smokes", "region", "age"]
        assert [item.type for item in device.questions] == ["yes-no", "one-of", "yes-no"]
        receipt = device.answer(ALL)
        assert device.flush(5)
    assert receipt.epsilon == Decimal("1.5")
    [report] = sent(http)
    assert set(report["answers"]) == {"habits", "age"}


@pytest.mark.parametrize(("smokes", "region"), [*product([False, True], ["north", "south", "secret", None])])
def test_a_report_speaks_for_the_combination_that_was_answered(smokes: bool, region: str | None) -> None:
    with fault_server(CERTAIN) as http:
        with client(http, **SPENDS) as device:
            given = {} if region is None else {"region": region}
            device.answer({"smokes": smokes, "age": True} | given)
            assert device.flush(5)
        [report] = sent(http)
    assert cell_of(CERTAIN, report["answers"]["habits"]) == {"smokes": smokes, "region": region or "secret"}


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"age": True}, r"Missing: smokes\."),
        ({"age": True, "region": "secret"}, r"Missing: smokes\."),
        (ALL | {"smokes": None}, "^smokes: an answer is missing"),
        (ALL | {"smokes": "secret"}, "^smokes: the answer must be"),
        (ALL | {"region": "secrets"}, "^region: the answer must be one of"),
        (ALL | {"secrets": 1}, "1 unknown question id"),
        ({"habits": {"smokes": True, "region": "secrets"}, "age": True}, "Missing: smokes"),
        (ALL | {"habits": {"smokes": True, "region": "secrets"}}, r"1 unknown .* smokes, region, age\."),
    ],
)
def test_a_wrong_answer_is_named_by_its_question_and_quoted_nowhere(
    http: FaultServer, state: Path, answers: dict[str, Any], said: str
) -> None:
    with closing(client(http, state)) as device, pytest.raises(AnswerError, match=said) as fault:
        device.answer(answers)
    assert "secrets" not in str(fault.value)
    assert "'" not in str(fault.value)
    assert rows_of(state, "ledger") == rows_of(state, "outbox") == []


def test_the_same_answers_are_known_again_and_another_answer_to_one_of_them_is_not() -> None:
    with fault_server(CERTAIN) as http, closing(client(http, **SPENDS)) as device:
        receipt = device.answer(ALL)
        assert device.answer(dict(reversed(ALL.items()))) == receipt
        for other in ({"smokes": False}, {"region": "north"}):
            with pytest.raises(AlreadyAnswered):
                device.answer(ALL | other)


def test_a_group_is_drawn_as_one(state: Path) -> None:
    asked: Counter[Sequence[str]] = Counter()
    with fault_server(DRAWN) as http:
        for _ in range(40):  # one of two is missing with a probability of 2e-12
            with client(http) as device:
                ids = tuple(item.id for item in device.questions)
                asked[ids] += 1
                with pytest.raises(AnswerError, match="region: the answer must be one of"):
                    device.answer(ALL | {"region": "nowhere"})
                device.answer(ALL)
                assert device.flush(5)
            assert [*sent(http)[-1]["answers"]] == (["habits"] if len(ids) == 2 else ["age"])
    assert set(asked) == {("smokes", "region"), ("age",)}


def test_a_device_is_asked_one_pair_and_only_its_two_questions_need_answers(state: Path) -> None:
    with fault_server(PAIRS) as http:
        with closing(client(http, state)) as device:
            asked = [item.id for item in device.questions]
            with pytest.raises(AnswerError, match=f"Missing: {asked[1]}"):
                device.answer({asked[0]: True})
            receipt = device.answer(dict.fromkeys(asked, True))
            assert device.flush(5)
        assert (len(asked), receipt.epsilon) == (2, Decimal(1))
        assert [*sent(http)[0]["answers"]] == ["--".join(asked)]
        with closing(client(http, state)) as device:
            assert [item.id for item in device.questions] == asked


@pytest.mark.parametrize("mechanism", ["k-ary", "oue"])
def test_an_answer_that_stays_costs_less_in_later_waves_and_a_change_of_one_part_is_a_new_answer(
    state: Path, mechanism: str
) -> None:
    survey = habits_over_waves(mechanism)
    answers = {"smokes": True, "region": "south"}
    [question] = survey.questions
    with fault_server(survey) as http, closing(client(http, state)) as device:
        taken = [device.answer(answers, wave).epsilon for wave in (1, 2)]
        changed = device.answer({"smokes": False, "region": "south"}, 3).epsilon
        assert device.flush(5)
    assert taken[0] == changed == 1
    assert sum(taken) == question.epsilon_of(2) < 2
    assert sorted([report["wave"], *report["answers"]] for report in sent(http)) == [
        [wave, "habits"] for wave in (1, 2, 3)
    ]


def test_outbox_names_questions_by_their_own_ids(state: Path) -> None:
    with fault_server(PAIRS) as http:
        http.script = [AWAY] * 20
        with closing(client(http, state)) as device:
            asked = [item.id for item in device.questions]
            device.answer(dict.fromkeys(asked, True))
    lines = CliRunner().invoke(main, ["outbox", str(state)]).stdout.splitlines()
    assert f"asked: health  {', '.join(asked)}" in lines
    name, said = lines[-1].split(": reported ")
    assert name == f"  {' and '.join(asked)}"
    assert set(said.split(" | ")) <= {"no, no", "no, yes", "yes, no", "yes, yes"}
    printed = json.loads(CliRunner().invoke(main, ["outbox", "--json", str(state)]).stdout)
    [kept] = printed["waiting"]
    assert kept["together"] == {"--".join(asked): asked}
    assert [*kept["reported"]] == [*kept["together"]]
