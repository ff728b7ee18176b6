"""A record's layout: a head of public numbers, a column a question, every byte of it accounted for."""

import numpy as np
import pytest

from collecting import SMALL, STRINGS, SURVEY, make_reports
from sotto_protocol import ReportError, Survey, stack_records
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.record import STRATUM, WAVE, RecordLayout

SURVEYS = [SURVEY, SMALL, STRINGS]


def records_of(survey: Survey, n_reports: int, wave: int = 1) -> Bytes:
    return stack_records([report.record for report in make_reports(n_reports, survey, wave)])


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.id)
def test_what_is_cut_is_joined_again(survey: Survey) -> None:
    records = records_of(survey, 20, survey.waves)
    layout = survey.layout
    assert layout.n_bytes == records.shape[1] == layout.head_bytes + sum(q.mechanism.n_bytes for q in survey.questions)
    numbers = {field.name: layout.numbers(records, field.name).tolist() for field in layout.head}
    assert numbers == ({WAVE: [survey.waves] * 20} if survey.waves > 1 else {})
    assert layout.join([part for _, part in layout.cut(records)], numbers).tolist() == records.tolist()


def test_another_number_of_the_head_is_joined_cut_sent_and_checked_like_the_wave() -> None:
    layout = RecordLayout(STRINGS.questions, {WAVE: STRINGS.waves, "site": 7})
    columns = [part for _, part in STRINGS.layout.cut(records_of(STRINGS, 3))]
    records = layout.join(columns, {WAVE: [1, 2, 3], "site": [7, 1, 4]})
    assert records.shape == (3, STRINGS.layout.n_bytes + 2)
    assert [layout.numbers(records, field.name).tolist() for field in layout.head] == [[1, 2, 3], [7, 1, 4]]
    assert [part.tolist() for _, part in layout.cut(records)] == [column.tolist() for column in columns]
    sent = [layout.to_wire(record) for record in records]
    assert [(one[WAVE], one["site"]) for one in sent] == [(1, 7), (2, 1), (3, 4)]
    answers = [one["answers"] for one in sent]
    assert layout.from_wire(answers, "$", {WAVE: [1, 2, 3], "site": [7, 1, 4]}).tolist() == records.tolist()
    with pytest.raises(ReportError, match=r"\$\[2\].site: must be an integer in \[1, 7\]"):
        layout.from_wire(answers, "$", {WAVE: [1, 2, 3], "site": [7, 1, 8]})
    records = records.copy()
    records[1, 3] = 8
    with pytest.raises(ReportError, match=r"sites in \[1, 7\]"):
        layout.numbers(records, "site")


def test_a_stratum_stands_in_the_head_and_is_never_sent_but_filled_in() -> None:
    layout = RecordLayout(STRINGS.questions, {WAVE: STRINGS.waves, STRATUM: 300})
    columns = [part for _, part in STRINGS.layout.cut(records_of(STRINGS, 3))]
    records = layout.join(columns, {WAVE: [3, 1, 2]})
    assert records[:, 2:4].tolist() == [[0, 0]] * 3  # as a device has it
    with pytest.raises(ReportError, match=r"stratums in \[1, 300\]"):
        layout.numbers(records, STRATUM)
    sent = [layout.to_wire(record) for record in records]
    assert all(one.keys() == {WAVE, "answers"} for one in sent)
    waves, answers = [one[WAVE] for one in sent], [one["answers"] for one in sent]
    assert layout.from_wire(answers, "$", {WAVE: waves}).tolist() == records.tolist()
    with pytest.raises(ReportError, match=r"\$\[0\].stratum: must not be given"):
        layout.from_wire(answers, "$", {WAVE: waves, STRATUM: [1, 1, 1]})
    filled = layout.put(records, STRATUM, [1, 258, 300])
    assert filled[:, 2:4].tolist() == [[0, 1], [1, 2], [1, 44]]
    assert layout.numbers(filled, STRATUM).tolist() == [1, 258, 300]
    assert layout.numbers(filled, WAVE).tolist() == [3, 1, 2]
    assert layout.cells(filled).tolist() == [3, 1 + 3 * 257, 2 + 3 * 299]
    assert (filled[:, 4:] == records[:, 4:]).all()
    assert not records[:, 2:4].any()  # the caller's array stays as it was


def test_a_number_that_the_survey_has_not_is_refused() -> None:
    answers = [SMALL.layout.to_wire(np.frombuffer(make_reports(1, SMALL)[0].record, np.uint8))["answers"]]
    with pytest.raises(ReportError, match=r"\$\[0\].wave: must not be given: the survey has one wave"):
        SMALL.layout.from_wire(answers, "$", {WAVE: [1]})
