"""NAME(parameter=value, ..), as a design and a format are written."""

import re
from typing import NamedTuple

_CALL = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class WrittenCall(NamedTuple):
    """A name, and its parameters in their order; the value of one that is written without = is None."""

    name: str
    parameters: tuple[tuple[str, str | None], ...]


def read_call(text: str) -> WrittenCall | None:
    """Return what is written, without blanks around it; None where it is not written so.

    >>> read_call("kuk(prob_red_if_yes=.8, prob_red_if_no=.2)")
    WrittenCall(name='kuk', parameters=(('prob_red_if_yes', '.8'), ('prob_red_if_no', '.2')))
    """
    if not (found := _CALL.fullmatch(text)):
        return None
    parts = (part.partition("=") for part in (found[2] or "").split(",") if part.strip())
    return WrittenCall(found[1], tuple((key.strip(), value.strip() if sign else None) for key, sign, value in parts))
