"""Audits of surveys whose questions are asked together: what devices are asked is what their reports are counted as."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from audited import examine_honest
from devices import HABITS, PAIRS, habits_over_waves
from node import require_node
from sotto_client.cli import main
from sotto_protocol import Survey
from sotto_rehearsal.audit.design import Design, make_design, make_movers
from sotto_rehearsal.audit.tried import N_FAR

SURVEYS = {"a group": HABITS, "pairs": PAIRS, "waves": habits_over_waves("k-ary")}


def designs(survey: Survey) -> list[Design]:
    """Return the devices that are asked, those that change their answers among them."""
    main_design = make_design(survey, 60)
    movers = make_movers(main_design)
    return [main_design, *([movers] if movers else [])]


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS)
def test_a_device_is_asked_for_the_answers_that_its_reports_are_counted_under(survey: Survey) -> None:
    for design in designs(survey):
        encoded = [design.encoded(index) for index in range(len(survey.questions))]
        for device, wave, answers in design.lines(range(design.n_devices)):
            choices = design.choices_at(design.waves.index(wave))[device]
            for question, rows, choice in zip(survey.questions, encoded, choices, strict=True):
                assert question.encode(question.answer_in(answers)).tolist() == rows[choice : choice + 1].tolist()


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS)
def test_every_combination_is_tried_and_the_first_two_share_no_answer(survey: Survey) -> None:
    design = make_design(survey, 60)
    for index, question in enumerate(survey.questions):
        assert set(design.encoded(index).tolist()) == set(range(len(question.options) or 2))
        first, second = (design.answers[index][far] for far in range(N_FAR))
        if len(question.items) > 1:
            assert all(first[item.id] != second[item.id] for item in question.items)


@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS)
def test_honest_reports_pass(survey: Survey) -> None:
    losses, checks = examine_honest(survey, 600, 1e-9)
    assert [loss for loss in losses if loss.is_exceeded] == []
    assert [check for check in checks if not check.passed] == []


@pytest.mark.thorough
@pytest.mark.parametrize("survey", [HABITS, pytest.param(PAIRS, marks=pytest.mark.rare)], ids=["a group", "pairs"])
def test_both_clients_pass(tmp_path: Path, survey: Survey) -> None:
    require_node()
    (tmp_path / "survey.json").write_bytes(survey.canonical)
    result = CliRunner().invoke(main, ["audit", str(tmp_path / "survey.json"), "--reports", "600"])
    assert result.exit_code == 0, result.stdout
    assert [line.split()[0] for line in result.stdout.splitlines() if "600 reports" in line] == ["python", "js"]
