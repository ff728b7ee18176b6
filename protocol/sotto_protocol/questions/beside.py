"""What any question may have beside what it asks: an answer for who skips it, an aim, a section that begins with it."""

from decimal import Decimal
from typing import Any

from sotto_protocol.documents import MAX_DECIMALS, Fields, decimal_text, is_decimal
from sotto_protocol.members import LENGTHS
from sotto_protocol.questions.question_type import QuestionType


def read_skip(fields: Fields, kind: QuestionType) -> Any:
    """Return the answer that no answer stands for; None where there must be one."""
    return kind.read_skip(fields) if fields.has("skip") else None


def read_want(fields: Fields, kind: QuestionType) -> Decimal | None:
    """Return the half-width that a plan is to reach, above 0; None where it is left out."""
    if not fields.has("want"):
        return None
    most = kind.most_wanted
    expected = f"a number above 0, at most {decimal_text(most)}{kind.wanted}, of at most {MAX_DECIMALS} decimals"
    return Decimal(fields.take("want", expected, lambda v: is_decimal(v, Decimal(0), most) and v > 0))


def read_section(fields: Fields) -> str:
    """Return the title of the section that begins with the question, "" where it is left out."""
    return fields.text("section", LENGTHS["section"]) if fields.has("section") else ""
