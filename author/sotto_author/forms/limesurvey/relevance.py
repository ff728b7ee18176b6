"""On whose answers an expression of LimeSurvey depends (ExpressionScript), and what only looks like one."""

import re
from collections.abc import Iterator, Mapping

from sotto_author.forms.asking import ELSE

_ALWAYS, _NEVER = ("", "1", "true", "{1}", "{true}"), ("0", "false", "{0}", "{false}")
_LITERAL = re.compile("'[^']*'|\"[^\"]*\"")
_TOKEN = re.compile(r"(\d+X\d+X(\d+)\w*|[A-Za-z_][\w.]*)(\s*\()?")
_WORDS = ("and", "or", "not", "xor", "eq", "ne", "lt", "le", "gt", "ge", "true", "false", "mod")
_PURE = (
    *(
        "is_empty",
        "if",
        "count",
        "countif",
        "countifop",
        "sum",
        "min",
        "max",
        "abs",
        "round",
        "floor",
        "ceil",
        "intval",
    ),
    *("is_numeric", "is_int", "is_float", "is_null", "is_nan", "strlen", "substr", "strpos", "stripos", "trim"),
    *(
        "regexMatch",
        "regexmatch",
        "in_array",
        "join",
        "implode",
        "list",
        "unique",
        "strcmp",
        "strtolower",
        "strtoupper",
    ),
    *("pow", "sqrt", "sumifop", "convert_value", "fixnum", "empty"),
)


def is_always(expression: str) -> bool:
    """Whether an expression is true of everybody."""
    return expression.strip().lower() in _ALWAYS


def is_never(expression: str) -> bool:
    """Whether an expression is true of nobody."""
    return expression.strip().lower() in _NEVER


def depends_on(expression: str, codes: Mapping[str, str]) -> Iterator[str]:
    """Yield the questions whose answers an expression asks, and `ELSE` where it asks something else.

    `codes`: those of the questions, by their codes and by their numbers.

    >>> list(depends_on("q1_a.NAOK == 'Y' and is_empty(12X3X7) or TOKEN == 1", {"q1": "q1", "7": "q7"}))
    ['q1', 'q7', 'what the device works out']
    """
    found = [name for token in _TOKEN.finditer(_LITERAL.sub("", expression)) for name in _named(token, codes)]
    yield from dict.fromkeys(found or [ELSE])


def _named(token: re.Match[str], codes: Mapping[str, str]) -> Iterator[str]:
    if token[2]:
        yield codes.get(token[2], ELSE)
        return
    name = token[1].partition(".")[0]
    if token[3]:
        if name not in _PURE and name not in _WORDS:
            yield ELSE
        return
    parts = name.split("_")
    heads = ("_".join(parts[:n]) for n in range(len(parts), 0, -1))
    code = next((codes[head] for head in heads if head in codes), "")
    if code or name.lower() not in _WORDS:
        yield code or ELSE
