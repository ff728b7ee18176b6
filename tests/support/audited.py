"""Audits of planted programs: `faulty_device.py`, run as somebody's own program is; and of honest reports in bulk."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from sotto_protocol import Survey, compile_toml
from sotto_rehearsal.audit.audit import Audit, audit_program, examine
from sotto_rehearsal.audit.checks import Check
from sotto_rehearsal.audit.design import Design, make_design
from sotto_rehearsal.audit.losses import Loss
from sotto_rehearsal.audit.programs import Program
from sotto_rehearsal.audit.reference import make_reference
from sotto_rehearsal.audit.sample import Sample
from sotto_rehearsal.audit.script import Samples, Script
from sotto_rehearsal.audit.shares import FALSE_ALARM

DEVICE = Path(__file__).with_name("faulty_device.py")
YES_NO = 'id = "audited"\ntitle = "Audited"\n[[questions]]\nid = "paid"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'


def one_of(mechanism: str, n_options: int, epsilon: float = 1, settings: str = "", more: str = "") -> Survey:
    """Return a survey of one question; `settings` are the survey's, `more` the question's."""
    options = [f"option {number}" for number in range(n_options)]
    asked = (
        f'id = "q"\ntype = "one-of"\ntext = "?"\noptions = {options}\nmechanism = "{mechanism}"\nepsilon = {epsilon}'
    )
    return compile_toml(f'id = "audited"\ntitle = "Audited"\n{settings}\n[[questions]]\n{asked}\n{more}\n')


def faulty(fault: str, device: str = DEVICE.name) -> Program:
    """Return the program that has this fault."""
    return Program(fault, (sys.executable, str(DEVICE.with_name(device)), fault), "planted", 20_000)


def audit_fault(
    survey: Survey, fault: str, n_reports: int, false_alarm: float = FALSE_ALARM, device: str = DEVICE.name
) -> Audit:
    """Return the audit of so many reports of the program that has this fault."""
    program = faulty(fault, device)
    return audit_program(
        survey, program, n_reports, timeout_s=60, false_alarm=false_alarm, progress=lambda n_done, n_all: None
    )


def draw_ids(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return ids as devices draw them, shape (n, 16)."""
    return np.frombuffer(os.urandom(16 * n), np.uint8).reshape(-1, 16)


def honest_samples(script: Script) -> Samples:
    """Return reports as they should be, with ids as devices draw them."""

    def of(design: Design) -> Sample:
        return replace(make_reference(design), ids=draw_ids(design.n_devices * design.n_waves))

    movers = of(script.movers) if script.movers else None
    n_lines = [sum(block.n_lines for block in share) for share in script.shares()]
    return Samples(
        of(script.main), (of(script.twins), of(script.twins)), movers, (draw_ids(n_lines[0]), draw_ids(n_lines[1]))
    )


def examine_honest(survey: Survey, n_reports: int, false_alarm: float) -> tuple[list[Loss], list[Check]]:
    """Return what an audit says of so many honest reports."""
    script = Script.of(make_design(survey, n_reports))
    return examine(script, honest_samples(script), false_alarm)
