"""On what it depends, in an XLSForm, whether a row is asked: `relevant` of the row and of the groups around it."""

import re
from collections.abc import Collection

from sotto_author.forms.asking import ELSE
from sotto_author.forms.xlsform.form import Row

_ALWAYS, _NEVER = ("true()", "yes", "true", "1"), ("false()", "no", "false", "0")
_NAMED = re.compile(r"\$\{([^{}]*)\}")
_LITERAL = re.compile("'[^']*'|\"[^\"]*\"")
_CALLED = re.compile(r"(?<![\w:.-])([a-zA-Z][\w:.-]*+)\s*+\(")
_PURE = re.compile(
    "and|or|not|true|false|selected|count-selected|string-length|contains|starts-with|ends-with|regex|number|int|round|"
    "string|if|coalesce|min|max"
)
"""Functions that depend on what they are given alone."""


def is_never_asked(row: Row) -> bool:
    """Whether a condition of the row is a plain no."""
    return any(said.strip().lower() in _NEVER for said in row.conditions)


def is_conditional(row: Row) -> bool:
    """Whether some may not be asked."""
    return any(said.strip().lower() not in _ALWAYS for said in row.conditions)


def secrets(row: Row, public: Collection[str]) -> list[str]:
    """Return on whose answers it depends whether a row is asked, but for those that are public."""
    found: dict[str, None] = {}
    for said in row.conditions:
        found |= dict.fromkeys(name for each in _NAMED.findall(said) if (name := each.strip()) not in public)
        rest = _LITERAL.sub("", _NAMED.sub("", said))
        if "/" in rest or any(not _PURE.fullmatch(name) for name in _CALLED.findall(rest)):
            found[ELSE] = None
    return list(found)
