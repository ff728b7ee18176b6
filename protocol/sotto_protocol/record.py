"""A record: one packed report of a whole survey. In front its public numbers, the head; then a column a question.

Each part begins at a whole byte. Of the head there is the wave, where a survey has several, and the stratum, where it
has strata: of that a device says nothing, and the collector fills it in as its invitation has it. Another public number
of a report is another item of `HEAD`. Where a survey has `draw`, which questions were drawn stands between head and
columns (`sotto_protocol.drawn`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import canonical_json
from sotto_protocol.drawn import Drawn, longest_of, pack_drawn, spread, unpack_drawn, width_of
from sotto_protocol.errors import ReportError
from sotto_protocol.mechanisms.checks import BadValueError
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.questions.question import Question

WAVE = "wave"
STRATUM = "stratum"
HEAD = {WAVE: "waves", STRATUM: "n_strata"}
"""The public numbers of a record, in their order: the member of a survey that says how many there are of each."""
_NOT_SENT = frozenset({STRATUM})
"""They are 0 in what comes from a device."""
_KIND = ">u2"
NOTHING_SENT: Mapping[str, Sequence[None]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class HeadField:
    """A public number in front of a record: an integer in [1, most], of `n_bytes`, big-endian, from byte `start` on."""

    name: str
    start: int
    most: int
    n_bytes: ClassVar[int] = 2

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.start + self.n_bytes

    @property
    def is_sent(self) -> bool:
        """Whether devices send it."""
        return self.name not in _NOT_SENT


@dataclass(frozen=True)
class RecordLayout:
    """Where everything stands in a survey's records, and how they are joined, cut, sent and read.

    `most`: how many there are of each number of the head, by name; where there is one only, nothing is written. Numbers
    of the head are given by name, a sequence of n each. `n_drawn`: how many questions each report answers; 0, all.
    """

    questions: tuple[Question, ...]
    most: Mapping[str, int]
    n_drawn: int = 0

    @cached_property
    def head(self) -> tuple[HeadField, ...]:
        """The fields of the head, in their order."""
        several = [(name, most) for name, most in self.most.items() if most > 1]
        return tuple(HeadField(name, HeadField.n_bytes * index, most) for index, (name, most) in enumerate(several))

    @property
    def sent_head(self) -> tuple[HeadField, ...]:
        """Those fields of the head that devices send."""
        return tuple(field for field in self.head if field.is_sent)

    @cached_property
    def head_bytes(self) -> int:
        """The width of the head."""
        return self.head[-1].end if self.head else 0

    @cached_property
    def columns_start(self) -> int:
        """The byte from which on the columns stand."""
        return self.head_bytes + (width_of(len(self.questions)) if self.n_drawn else 0)

    @cached_property
    def n_bytes(self) -> int:
        """The width of a record."""
        return self.columns_start + sum(question.mechanism.n_bytes for question in self.questions)

    def join(self, columns: Sequence[Bytes], numbers: Mapping[str, Sequence[int]], drawn: Drawn | None = None) -> Bytes:
        """Join every question's part, shape (n, n_bytes), of n reports, and the numbers of their heads.

        `drawn`, of a survey with `draw`: which questions each answers; parts are then of those that do. Of the numbers
        those that are not sent may be left out.
        """
        head = [_head_bytes(field, numbers, len(drawn if drawn is not None else columns[0])) for field in self.head]
        if drawn is not None:
            columns = [pack_drawn(drawn), *map(spread, columns, drawn.T)]
        return np.concatenate([*head, *columns], axis=1)

    def cut(self, records: Bytes) -> list[tuple[Question, Bytes]]:
        """Cut records into each question's part, shape (n, n_bytes), of those reports that answer it.

        Raises ReportError, as `check` and `drawn` do.
        """
        columns = self._columns(self.check(records))
        if self.n_drawn:
            columns = [column[has] for column, has in zip(columns, self.drawn(records).T, strict=True)]
        return list(zip(self.questions, columns, strict=True))

    def drawn(self, records: Bytes) -> Drawn:
        """Return which questions each of n reports answers, shape (n, n_questions).

        Raises ReportError where that are not `n_drawn`, and where there is a word of one that is not answered.
        """
        records = self.check(records)
        if not self.n_drawn:
            return np.ones((len(records), len(self.questions)), np.bool_)
        try:
            drawn = unpack_drawn(records[:, self.head_bytes : self.columns_start], len(self.questions), self.n_drawn)
        except ValueError as fault:
            raise ReportError("$", str(fault)) from None
        if any(column[~has].any() for column, has in zip(self._columns(records), drawn.T, strict=True)):
            raise ReportError("$", "packed reports must be zero where a question was not drawn.")
        return drawn

    def _columns(self, records: Bytes) -> list[Bytes]:
        starts = np.cumsum([self.columns_start] + [question.mechanism.n_bytes for question in self.questions])
        return np.split(records, starts[:-1], axis=1)[1:]

    def numbers(self, records: Bytes, name: str) -> NDArray[np.intp]:
        """Return a number of each head, shape (n,): one where the head has not this number.

        Raises ReportError where one is outside [1, most].
        """
        field = next((field for field in self.head if field.name == name), None)
        if field is None:
            return np.ones(len(self.check(records)), np.intp)
        part = np.ascontiguousarray(self.check(records)[:, field.start : field.end])
        numbers: NDArray[np.intp] = part.view(_KIND).ravel().astype(np.intp)
        if numbers.size and not 1 <= numbers.min() <= numbers.max() <= field.most:
            raise ReportError("$", f"packed reports must be of {field.name}s in [1, {field.most}].")
        return numbers

    def put(self, records: Bytes, name: str, numbers: Sequence[int]) -> Bytes:
        """Return records with these numbers, n of them, in their heads: of `name`, which the head has."""
        field = next(field for field in self.head if field.name == name)
        filled = self.check(records).copy()
        filled[:, field.start : field.end] = _head_bytes(field, {name: numbers}, len(filled))
        return filled

    def cells(self, records: Bytes) -> NDArray[np.intp]:
        """Return the cell of each record, shape (n,): see `Survey.cells`. Raises ReportError as `numbers` does."""
        cells: NDArray[np.intp] = self.numbers(records, WAVE) + self.most[WAVE] * (self.numbers(records, STRATUM) - 1)
        return cells

    def check(self, records: Bytes) -> Bytes:
        """Return records, shape (n, n_bytes). Raises ReportError where they have another width, if there are any."""
        if not len(records):
            records = np.empty((0, self.n_bytes), np.uint8)
        if records.shape[1:] != (self.n_bytes,) or records.dtype != np.uint8:
            raise ReportError("$", f"packed reports must be bytes, shape (n, {self.n_bytes}).")
        return records

    def to_wire(self, record: Bytes) -> dict[str, Any]:
        """Return one record, shape (n_bytes,), as the members that are sent: the head's numbers, and `answers`."""
        records = record.reshape(1, -1)
        numbers = {field.name: int(self.numbers(records, field.name)[0]) for field in self.sent_head}
        answers = {question.id: question.mechanism.to_wire(row) for question, part in self.cut(records) for row in part}
        return numbers | {"answers": answers}

    def from_wire(
        self,
        answers: Sequence[Mapping[str, Any]],
        where: str = "$",
        numbers: Mapping[str, Sequence[int | None]] = NOTHING_SENT,
    ) -> Bytes:
        """Pack n sent answers, shape (n, n_bytes), and what was sent of `numbers`, by name; None where nothing was.

        Raises ReportError at `where[i].answers.question`, or at `where[i]` and the number's name.
        """
        n_members = self.n_drawn or len(self._ids)
        for index, sent in enumerate(answers):
            if len(sent) != n_members or not sent.keys() <= self._ids:
                raise ReportError(f"{where}[{index}].answers", f"must have {self.members}.")
        checked = self._read_numbers(numbers, len(answers), where)
        columns = []
        for question in self.questions:
            key = question.id
            try:
                columns.append(question.mechanism.from_wire([sent[key] for sent in answers if key in sent]))
            except BadValueError as bad:
                place = [index for index, sent in enumerate(answers) if key in sent][bad.index]
                path = f"{where}[{place}].answers.{key}"
                raise ReportError(path, f"must be {bad.expected}.") from None
        return self.join(columns, checked, self._drawn_of(answers) if self.n_drawn else None)

    def _drawn_of(self, answers: Sequence[Mapping[str, Any]]) -> Drawn:
        has = [[question.id in sent for question in self.questions] for sent in answers]
        return np.array(has, np.bool_).reshape(len(answers), len(self.questions))

    def _read_numbers(
        self, numbers: Mapping[str, Sequence[int | None]], n_reports: int, where: str
    ) -> dict[str, list[int]]:
        known = {field.name: field for field in self.sent_head}
        checked: dict[str, list[int]] = {}
        for name, given in ({name: [None] * n_reports for name in known} | dict(numbers)).items():
            field, checked[name] = known.get(name), []
            for index, number in enumerate(given):
                if field is None and number is not None:
                    raise ReportError(f"{where}[{index}].{name}", f"must not be given: the survey has one {name}.")
                if field is not None and (type(number) is not int or not 1 <= number <= field.most):
                    raise ReportError(f"{where}[{index}].{name}", f"must be an integer in [1, {field.most}].")
                checked[name].append(number or 1)
        return checked

    @cached_property
    def longest(self) -> bytes:
        """A record that no other one is longer than as JSON."""
        columns = [question.mechanism.longest_report().reshape(1, -1) for question in self.questions]
        numbers = {field.name: [field.most] for field in self.sent_head}
        if not self.n_drawn:
            return self.join(columns, numbers).tobytes()
        sent = [
            canonical_json({question.id: question.mechanism.to_wire(column[0])})
            for question, column in zip(self.questions, columns, strict=True)
        ]
        drawn = np.zeros((1, len(columns)), np.bool_)
        drawn[0, longest_of(sent, self.n_drawn)] = True
        kept = [column[has] for column, has in zip(columns, drawn.T, strict=True)]
        return self.join(kept, numbers, drawn).tobytes()

    @property
    def members(self) -> str:
        """In words, the members that a report's answers must have."""
        number = f"{self.n_drawn} of " if self.n_drawn else ""
        return f"exactly {number}the members " + ", ".join(question.id for question in self.questions)

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(question.id for question in self.questions)


def _head_bytes(field: HeadField, numbers: Mapping[str, Sequence[int]], n_reports: int) -> Bytes:
    """Return a field of n heads, shape (n, n_bytes): zeros where it is not given, and not sent."""
    given = numbers[field.name] if field.is_sent or field.name in numbers else [0] * n_reports
    return np.array(given, _KIND).view(np.uint8).reshape(-1, field.n_bytes)
