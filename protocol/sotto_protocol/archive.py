"""An archive of reports, but for its files: which they are (the manifest), and which columns each has.

A survey of several waves has a column `wave`, one with strata `stratum`, one with `draw` a column `drawn`: bit i says
whether question i was drawn, and the columns of one that was not are zero. A question has `ID.value` (yes-no, k-ary:
the number that is reported), or `ID.bits`; in front of a text's bits stand `ID.cohort` and, where unknown strings can
be found, `ID.pair`, and behind them the n-grams' `ID.gram1` and `ID.gram2`. Bits are packed as in a report at rest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.documents import Fields, canonical_json, load_json
from sotto_protocol.errors import LocatedError, SurveyError
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.survey import Survey
from sotto_protocol.tally_document import MAX_REPORTS

FORMAT = "sottovoce-archive-1"
MANIFEST = "manifest.json"
MAX_PARTS = 4096
DIGEST = "sha512"  # where processors have no instructions for either, twice as fast as sha256, and half of a recount
SURVEY_KEY = b"sottovoce.survey"
"""Of each file's metadata: the survey that its reports are of, as canonical JSON."""
_DRAWN = "drawn"
_DIGITS = re.compile(r"[0-9a-f]{128}")


class ManifestError(LocatedError):
    """A member of a manifest is not as it must be."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `width` bytes of a packed report from byte `start` on; a number, big-endian, or bits."""

    name: str
    start: int
    width: int
    is_number: bool

    def place(self, records: Bytes) -> NDArray[np.generic]:
        """Return a view of it, shape (n,), an item a row: numpy copies items whole, and columns byte by byte."""
        kind = {1: "u1", 2: ">u2"}[self.width] if self.is_number else f"V{self.width}"
        view: NDArray[np.generic] = records[:, self.start : self.start + self.width].view(kind)[:, 0]
        return view


def columns_of(survey: Survey) -> Iterator[Column]:
    """Yield the columns of a survey's archive, in the order of the packed report's bytes."""
    for head in survey.layout.head:
        yield Column(head.name, head.start, head.n_bytes, is_number=True)
    start = survey.layout.columns_start
    if survey.draw:
        yield Column(_DRAWN, survey.layout.head_bytes, start - survey.layout.head_bytes, is_number=False)
    for question in survey.questions:
        for part in question.mechanism.parts():
            yield Column(f"{question.id}.{part.name}", start, part.n_bytes, part.is_number)
            start += part.n_bytes


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of an archive."""

    name: str
    n_reports: int
    digest: str


@dataclass
class Manifest:
    """The content of an archive: `parts[index]` are the files of a finished part, which may be none."""

    survey: Survey
    n_parts: int
    parts: dict[int, tuple[ArchiveFile, ...]] = field(default_factory=dict)

    @property
    def files(self) -> list[ArchiveFile]:
        """All files of finished parts."""
        return [file for index in sorted(self.parts) for file in self.parts[index]]

    @property
    def n_reports(self) -> int:
        """How many reports all files hold."""
        return sum(file.n_reports for file in self.files)

    @property
    def missing(self) -> list[int]:
        """The parts that are not finished."""
        return [index for index in range(self.n_parts) if index not in self.parts]

    def to_json(self) -> bytes:
        """Return it as canonical JSON."""
        return canonical_json(
            {
                "format": FORMAT,
                "n_parts": self.n_parts,
                "parts": [
                    {"files": [_file_document(file) for file in self.parts[index]], "part": index}
                    for index in sorted(self.parts)
                ],
                "survey": load_json(self.survey.canonical, SurveyError),
            }
        )

    @staticmethod
    def from_json(content: bytes) -> "Manifest":
        """Read what `to_json` wrote, strictly. Raises ManifestError, and SurveyError."""
        return _read_manifest(load_json(content, ManifestError))


def file_name(part: int, n_parts: int, number: int) -> str:
    """Return the name of a part's file; most parts have one, number 0."""
    return f"part-{part:04}-of-{n_parts:04}-{number}.parquet"


def _file_document(file: ArchiveFile) -> dict[str, Any]:
    return {"file": file.name, "n_reports": file.n_reports, DIGEST: file.digest}


def _read_manifest(document: Any) -> Manifest:
    fields = Fields(document, "$", ManifestError)
    fields.one_of("format", [FORMAT])
    n_parts = fields.integer("n_parts", 1, MAX_PARTS)
    stated = fields.take("survey", "an object", lambda v: isinstance(v, dict))
    survey = Survey.from_canonical(canonical_json(stated))
    listed = fields.take("parts", "a list", lambda v: isinstance(v, list))
    fields.finish()
    parts = dict(_read_part(part, n_parts, f"$.parts[{place}]") for place, part in enumerate(listed))
    if len(parts) < len(listed):
        raise ManifestError("$.parts", "must not have a part twice.")
    return Manifest(survey, n_parts, parts)


def _read_part(document: Any, n_parts: int, where: str) -> tuple[int, tuple[ArchiveFile, ...]]:
    fields = Fields(document, where, ManifestError)
    index = fields.integer("part", 0, n_parts - 1)
    listed = fields.take("files", "a list", lambda v: isinstance(v, list))
    fields.finish()
    files = [
        _read_file(file, file_name(index, n_parts, number), f"{where}.files[{number}]")
        for number, file in enumerate(listed)
    ]
    return index, tuple(files)


def _read_file(document: Any, name: str, where: str) -> ArchiveFile:
    fields = Fields(document, where, ManifestError)
    fields.one_of("file", [name])
    n_reports = fields.integer("n_reports", 1, MAX_REPORTS)
    digest = fields.take(
        DIGEST, "128 hexadecimal digits", lambda v: isinstance(v, str) and _DIGITS.fullmatch(v) is not None
    )
    fields.finish()
    return ArchiveFile(name, n_reports, digest)
