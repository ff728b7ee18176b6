"""What PromQL expressions name: metrics, labels and the labels' values; read without Prometheus."""

import re
from collections import defaultdict

FUNCTIONS = {"rate", "increase", "delta", "histogram_quantile"}
AGGREGATIONS = {"sum", "count", "max", "min"}
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = {"and", "or", "unless", "bool"}
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*")|(?P<duration>\[[0-9]+[smhd]\])|(?P<number>[0-9.]+(?:e[0-9]+)?)"""
    r"""|(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?P<sign>=~|!~|!=|==|>=|<=|[-+*/<>=(){},]))"""
)
Named = dict[str, dict[str, set[str]]]
"""By metric, its labels that an expression names, each with the values that it is held against, `|` taken apart."""


def named_in(expression: str) -> tuple[Named, set[str]]:
    """Return the metrics that an expression names, with their matchers, and the labels that it groups by.

    Raises ValueError where it has something that is not known here.

    >>> named_in('sum by (le) (rate(sotto_x_bucket{code=~"a|b"}[5m])) > 1') == (
    ...     {"sotto_x_bucket": {"code": {"a", "b"}}},
    ...     {"le"},
    ... )
    True
    """
    tokens = _split(expression)
    metrics: Named = {}
    groups: set[str] = set()
    place = 0
    while place < len(tokens):
        kind, word = tokens[place]
        after = tokens[place + 1][1] if place + 1 < len(tokens) else ""
        place += 1
        if kind != "name" or word in WORDS or word in AGGREGATIONS:
            continue
        if word in GROUPING:
            end = tokens.index(("sign", ")"), place)
            groups |= {label for found, label in tokens[place:end] if found == "name"}
            place = end
        elif after == "(":
            if word not in FUNCTIONS:
                raise ValueError(f"{word} is no function that is known here: {expression}")
        else:
            matchers: dict[str, set[str]] = defaultdict(set)
            if after == "{":
                end = tokens.index(("sign", "}"), place)
                inside = tokens[place + 1 : end]
                for label, _, value in zip(inside[::4], inside[1::4], inside[2::4], strict=True):
                    matchers[label[1]] |= {*value[1].strip('"').split("|")}
                place = end
            metrics[word] = dict(matchers)
    return metrics, groups


def _split(expression: str) -> list[tuple[str, str]]:
    found, place = [], 0
    while place < len(expression.rstrip()):
        match = TOKEN.match(expression, place)
        if match is None or match.lastgroup is None:
            raise ValueError(f"it cannot be read from {expression[place : place + 20]!r} on: {expression}")
        found.append((match.lastgroup, match[match.lastgroup]))
        place = match.end()
    return found
