"""Reports as an audit looks at them: each question's packed rows, wave by wave, device by device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import ReportError, Survey, parse_report_id
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import WAVE
from sotto_rehearsal.audit.design import Design
from sotto_rehearsal.audit.errors import AuditError

WAVES = "waves"
"""The member of a printed report that says in which waves its device is asked, where a survey has `asked_in`."""


@dataclass(frozen=True)
class Sample:
    """What was reported. `waves[wave][question]`: packed rows of all devices, zeros where one was not drawn.

    `has`: which questions each device answers, shape (n_devices, n_questions). `ids`: of every report, in the order in
    which they were asked for, shape (n_reports, 16); empty where reports were made without any. `asked`: in which waves
    each device says that it is asked, shape (n_devices, n_waves); None where it does not say.
    """

    waves: tuple[tuple[Bytes, ...], ...]
    has: NDArray[np.bool_]
    ids: Bytes
    asked: NDArray[np.bool_] | None = None
    spoken: dict[tuple[int, int], NDArray[np.bool_]] = field(default_factory=dict, compare=False, repr=False)
    """What text reports speak for, by question and wave, once it was asked for: it takes long (`counting.by_value`)."""

    def rows(self, question: int, chosen: NDArray[np.bool_], wave: int = 0) -> Bytes:
        """Return the rows of a question of the devices that are chosen, and were drawn for it."""
        return self.waves[wave][question][chosen & self.has[:, question]]

    def side_by_side(self, question: int, chosen: NDArray[np.bool_]) -> list[Bytes]:
        """Return the rows of those devices, wave by wave."""
        return [self.rows(question, chosen, wave) for wave in range(len(self.waves))]


@dataclass(frozen=True)
class Reports:
    """All that a program printed, line by line: `ids`, shape (n, 16), packed records, and `asked` as in `Sample`."""

    survey: Survey
    ids: Bytes
    records: Bytes
    asked: NDArray[np.bool_] | None

    def of(self, design: Design, places: NDArray[np.intp]) -> Sample:
        """Return the reports of a design's devices, which stand at these places, wave by wave of each device.

        Raises AuditError where a device answers other questions in another wave.
        """
        records = self.records[places]
        by_wave = [records[wave :: design.n_waves] for wave in range(design.n_waves)]
        has = [self.survey.layout.drawn(of_wave) for of_wave in by_wave]
        if any((drawn != has[0]).any() for drawn in has):
            raise AuditError("a device answers other questions in another wave: what is drawn for it must stay.")
        waves = tuple(_columns(self.survey, of_wave) for of_wave in by_wave)
        asked = None if self.asked is None else self.asked[places][:: design.n_waves]
        return Sample(waves, has[0], self.ids[places], asked)


def read_reports(survey: Survey, reports: Sequence[Any], waves: Sequence[int]) -> Reports:
    """Return the reports of a program, JSON values in the order in which they were printed, of these waves.

    Raises AuditError where one is none of the survey; it says which.
    """
    members = ["id", "answers", *[WAVE] * (survey.waves > 1), *["invitation"] * survey.spends_invitations]
    members += ["token", "stratum"] * survey.is_blind
    members += [WAVES] * bool(survey.asked_in)
    for number, report in enumerate(reports, 1):
        if not isinstance(report, Mapping) or not isinstance(report.get("answers"), Mapping):
            raise AuditError(f"report {number} must be an object with id and answers.")
        if report.keys() - set(members):
            raise AuditError(f"report {number} must have the members {', '.join(members)} alone: all are sent.")
    try:
        ids = [parse_report_id(report.get("id"), f"$[{number}].id") for number, report in enumerate(reports)]
        sent = [report.get(WAVE) for report in reports]
        records = survey.layout.from_wire([report["answers"] for report in reports], "$", {WAVE: sent})
    except ReportError as fault:
        raise AuditError(_say_line(fault)) from None
    if survey.waves > 1:
        for number, (wave, asked) in enumerate(zip(sent, waves, strict=True), 1):
            if wave != asked:
                raise AuditError(f"report {number} must have wave {asked}.")
    return Reports(survey, np.frombuffer(b"".join(ids), np.uint8).reshape(-1, 16), records, _asked_of(survey, reports))


def _asked_of(survey: Survey, reports: Sequence[Mapping[str, Any]]) -> NDArray[np.bool_] | None:
    """Return in which waves each report's device says that it is asked. Raises AuditError where one says no such."""
    if not any(WAVES in report for report in reports):
        return None
    asked = np.zeros((len(reports), survey.waves), np.bool_)
    for number, report in enumerate(reports, 1):
        given, known = report.get(WAVES), range(1, survey.waves + 1)
        said = given if isinstance(given, list) else []
        is_known = all(type(wave) is int and wave in known for wave in said)
        if not is_known or not len({*said}) == len(said) == survey.asked_in:
            raise AuditError(f"report {number} must have waves, a list of {survey.asked_in} of 1 to {survey.waves}.")
        asked[number - 1, np.array(said) - 1] = True
    return asked


def _columns(survey: Survey, records: Bytes) -> tuple[Bytes, ...]:
    """Cut records into questions' rows, and leave the zeros of questions that were not drawn."""
    widths = np.cumsum([survey.layout.columns_start, *(question.mechanism.n_bytes for question in survey.questions)])
    return tuple(np.ascontiguousarray(records[:, start:end]) for start, end in pairwise(widths))


def _say_line(fault: ReportError) -> str:
    """Return which report is none, and what was expected: `$[6].answers.paid` is in the seventh."""
    place, _, member = fault.where.removeprefix("$[").partition("].")
    return f"report {int(place) + 1}: {member} {fault.problem}"
