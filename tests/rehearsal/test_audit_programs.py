"""Audits of real programs: those without a fault pass, and each fault that is planted is found at a stated size.

A test that must pass fails by chance with probability 1e-9 at most, a fault is missed by chance with 1e-6 at most.
"""

import pytest

from audited import YES_NO, audit_fault, one_of
from sotto_protocol import Survey, compile_toml

HONEST = {
    "yes-no": compile_toml(YES_NO),
    "k-ary": one_of("k-ary", 5),
    "unary": one_of("sue", 9),
    "two stages": one_of("basic-rappor", 3, settings="waves = 3", more="epsilon_forever = 2"),
}


@pytest.mark.parametrize("survey", HONEST.values(), ids=HONEST)
def test_a_program_without_a_fault_has_none(survey: Survey) -> None:
    audit = audit_fault(survey, "none", 2000, false_alarm=1e-9)
    assert not audit.has_fault
    assert {loss.question for loss in audit.losses} == {survey.questions[0].id, ""}


@pytest.mark.parametrize(
    ("survey", "fault", "n_reports"),
    [(one_of("sue", 8), "true-one", 2000), (one_of("sue", 8), "last-bit", 2000), (one_of("k-ary", 8), "any", 30_000)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_that_gives_more_away_is_found(survey: Survey, fault: str, n_reports: int) -> None:
    audit = audit_fault(survey, fault, n_reports)
    assert audit.losses[0].is_exceeded
    assert audit.has_fault
