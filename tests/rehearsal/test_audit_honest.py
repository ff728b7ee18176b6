"""How often an audit accuses reports that are honest: at an inflated level, over many audits of simulated devices.

A test fails by chance with probability 1e-9 at most: audits are independent, and each accuses with LEVEL at most.
"""

import os

import pytest
from scipy import stats

from audited import YES_NO, examine_honest, one_of
from sotto_protocol import Survey, compile_toml
from sotto_rehearsal.audit.shares import FALSE_ALARM, SHARES, share_of

LEVEL, N_AUDITS = 0.3, 150 if os.environ.get("SOTTO_TEST_FULL") else 50
"""Of 50 more than 36 accused fail a test, of 150 more than 80: audits that accuse 9 in 10, or 7, are found out."""
NO_TEXT = (
    YES_NO
    + '[[questions]]\nid = "any"\ntype = "any-of"\ntext = "?"\noptions = ["a", "b", "c"]\nepsilon = 1\n'
    + '[[questions]]\nid = "n"\ntype = "number"\ntext = "?"\nminimum = 0\nmaximum = 9\nepsilon = 1\n'
)
MANY = f'{NO_TEXT}[[questions]]\nid = "place"\ntype = "text"\ntext = "?"\nepsilon = 2\n'
SURVEYS = {
    "yes-no": compile_toml(YES_NO),
    "two stages": one_of("basic-rappor", 3, settings="waves = 3", more="epsilon_forever = 2"),
    "many questions": compile_toml(MANY),
    "drawn questions": compile_toml(f"draw = 2\n{MANY}"),
    "drawn questions without a text": compile_toml(f"draw = 2\n{NO_TEXT}"),
    "drawn waves": compile_toml(f"waves = 5\nasked_in = 2\n{YES_NO}"),
    "skips in many waves": compile_toml(f'waves = 9\n{YES_NO}skip = "no"\n'),
}


def is_accused(survey: Survey, n_reports: int) -> bool:
    """Whether an audit of honest reports finds a fault, at LEVEL."""
    losses, checks = examine_honest(survey, n_reports, LEVEL)
    return any(loss.is_exceeded for loss in losses) or not all(check.passed for check in checks)


RARE = SURVEYS.keys() - {"two stages"}
"""What simulates the questions of another survey again, or texts, of which an audit takes long."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "survey",
    [pytest.param(survey, id=name, marks=[pytest.mark.rare] * (name in RARE)) for name, survey in SURVEYS.items()],
)
def test_honest_reports_are_accused_no_more_often_than_is_said(survey: Survey) -> None:
    n_accused = sum(is_accused(survey, 300) for _ in range(N_AUDITS))
    assert n_accused <= stats.binom.isf(1e-9, N_AUDITS, LEVEL)


@pytest.mark.few(2)
@pytest.mark.parametrize("survey", SURVEYS.values(), ids=SURVEYS)
def test_honest_reports_pass_at_the_level_of_audits(survey: Survey) -> None:
    losses, checks = examine_honest(survey, 1000, 1e-9)
    assert [loss for loss in losses if loss.is_exceeded] == []
    assert [check for check in checks if not check.passed] == []
    assert {loss.question for loss in losses} == {"", *(question.id for question in survey.questions)}


def test_the_parts_of_a_false_alarm_are_all_of_it_and_no_more() -> None:
    assert sum(SHARES.values()) == 1
    assert sum(share_of(group, FALSE_ALARM) for group in SHARES) <= FALSE_ALARM
