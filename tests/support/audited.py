"""Audits of planted programs: `faulty_device.py`, run as somebody's own program is."""

import sys
from pathlib import Path

from sotto_protocol import Survey, compile_toml
from sotto_rehearsal.audit.audit import FALSE_ALARM, Audit, audit_program
from sotto_rehearsal.audit.programs import Program

DEVICE = Path(__file__).with_name("faulty_device.py")
YES_NO = 'id = "audited"\ntitle = "Audited"\n[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'


def one_of(mechanism: str, n_options: int, epsilon: float = 1, settings: str = "", more: str = "") -> Survey:
    """Return a survey of one question; `settings` are the survey's, `more` the question's."""
    options = [f"option {number}" for number in range(n_options)]
    asked = (
        f'id = "q"\ntype = "one-of"\ntext = "?"\noptions = {options}\nmechanism = "{mechanism}"\nepsilon = {epsilon}'
    )
    return compile_toml(f'id = "audited"\ntitle = "Audited"\n{settings}\n[[questions]]\n{asked}\n{more}\n')


def faulty(fault: str) -> Program:
    """Return the program that has this fault."""
    return Program(fault, (sys.executable, str(DEVICE), fault), "planted", 20_000)


def audit_fault(survey: Survey, fault: str, n_reports: int, false_alarm: float = FALSE_ALARM) -> Audit:
    """Return the audit of so many reports of the program that has this fault."""
    program = faulty(fault)
    return audit_program(
        survey, program, n_reports, timeout_s=60, false_alarm=false_alarm, progress=lambda n_done, n_all: None
    )
