"""A survey file as its author wrote it, TOML or JSON: what stands in it, and on which line."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sotto_protocol.documents import load_json, parse_decimal
from sotto_protocol.errors import Fault, SurveyError
from sotto_protocol.source_lines import SourceLines
from sotto_protocol.syntax_faults import WRITE_LESS, say_json_fault, say_toml_fault

MAX_FILE_BYTES = 2**22
"""Of a survey file: what is published of it has a quarter of that at most. More is refused before it is read."""
_BYTE_ORDER_MARK = "\ufeff"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class SurveySource:
    """The text of a survey file; `is_json`: whether it is JSON, else TOML."""

    text: str
    is_json: bool

    @staticmethod
    def of(text: str, *, is_json: bool) -> "SurveySource":
        """Return a text without the byte order mark that some editors write."""
        return SurveySource(text.removeprefix(_BYTE_ORDER_MARK), is_json)

    @staticmethod
    def read(content: bytes, *, is_json: bool) -> "SurveySource":
        """Return the text in a file's bytes. Raises SurveyError."""
        if len(content) > MAX_FILE_BYTES:
            raise SurveyError("$", f"must have at most {MAX_FILE_BYTES:,} bytes: {WRITE_LESS}")
        what = "JSON" if is_json else "TOML"
        try:
            return SurveySource.of(content.decode("utf-8"), is_json=is_json)
        except UnicodeDecodeError as fault:
            is_utf_16 = content.startswith(_UTF_16)
            line = content.count(b"\n", 0, fault.start) + 1
            found = (
                "It is UTF-16" if is_utf_16 else f"Line {line} has the byte 0x{content[fault.start]:02X}, which is not"
            )
            problem = f"must be {what} in UTF-8. {found}: save it as UTF-8 in your editor."
            raise SurveyError("$", problem) from None

    @cached_property
    def document(self) -> Any:
        """What stands in it, decimals kept exact. Raises SurveyError in plain words, with the line."""
        return self._load_json() if self.is_json else self._load_toml()

    @contextmanager
    def located(self) -> Iterator[None]:
        """Give every SurveyError of what is done meanwhile with the document the lines of its faults."""
        try:
            yield
        except SurveyError as fault:
            raise fault.with_lines(self.lines.line_of) from None

    @cached_property
    def lines(self) -> SourceLines:
        """Where its members stand."""
        return SourceLines(self.text, is_json=self.is_json)

    def _load_json(self) -> Any:
        try:
            return load_json(self.text, SurveyError)
        except SurveyError as fault:
            raise _of_line(say_json_fault(fault.problem, self.text, self.lines)) from None

    def _load_toml(self) -> dict[str, Any]:
        try:
            document = tomllib.loads(self.text, parse_float=parse_decimal)
        except (ValueError, RecursionError) as fault:
            raise _of_line(say_toml_fault(fault, self.text, self.lines)) from None
        closes: Any = document.get("closes")
        return document | ({"closes": closes.isoformat()} if hasattr(closes, "isoformat") else {})  # TOML has days


def load_toml(text: str) -> Any:
    """Return what stands in a survey file, decimals kept exact. Raises SurveyError."""
    return SurveySource.of(text, is_json=False).document


def _of_line(fault: Fault) -> SurveyError:
    return SurveyError(fault.where, fault.problem).with_lines(lambda _: fault.line)
