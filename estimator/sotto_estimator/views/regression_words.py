"""What a regression found, in sentences: which columns go with more of the outcome, and which show no effect."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from sotto_estimator.regression.result import Coefficient, Regression

_CATEGORY = re.compile(r"(?:C\()?([^\[\](),:]+)(?:,[^\[\]]*)?\)?\[(?:T\.)?([^\]]+)\]|hidden\((.+)\) = (.+)")
"""A column of categories and one of them, as coefficients name them: region[T.south], C(half)[T.2], smokes[yes]."""
_NUMBER = re.compile(r"[^\[\](){}:]+")
_INTERCEPT = "Intercept"
_MOST_HELD = 3
"""So many other columns are named in one sentence."""
_CAUTION = "This is approximate, and does not show what causes what."


def known_words(found: Regression) -> list[str]:
    """Return what is known of each column that stands alone in the formula; nothing where nothing was fitted."""
    if found.contradictions or not found.quality.converged:
        return []
    tested = [of for of in found.coefficients if of.name != _INTERCEPT and of.p_value == of.p_value]
    several = Counter(of.equation.partition(" = ")[0] for of in {of.equation: of for of in tested}.values())
    said = [
        sentence
        for equation, group in groupby(tested, key=lambda of: of.equation)
        for sentence in _sentences(found, [*group], is_one_of_several=several[equation.partition(" = ")[0]] > 1)
    ]
    said += [_compared(found, of) for of in found.contrasts]
    return [*said, _CAUTION] if said else []


def _compared(found: Regression, of: Coefficient) -> str:
    one, _, other = of.name.partition(" vs ")
    if not of.p_value <= 1 - found.level:
        return f"No difference in {of.equation} between {one} and {other} is shown."
    return f"{of.equation} is {'more' if of.estimate > 0 else 'less'} likely if {one} than if {other}."


def _sentences(found: Regression, coefficients: Sequence[Coefficient], *, is_one_of_several: bool) -> Iterator[str]:
    columns = list(dict.fromkeys(_column(part) for of in coefficients for part in of.name.split(":")))
    together = {_column(part) for of in coefficients for part in of.name.split(":") if ":" in of.name}
    for of in coefficients:
        column = _column(of.name)
        if ":" in of.name or column in together or not (_CATEGORY.fullmatch(of.name) or _NUMBER.fullmatch(of.name)):
            continue
        held = _held([other for other in columns if other != column])
        against = ", compared with the reference answer" * is_one_of_several
        yield f"{_said(found, of, column)}{against}{held}."


def _said(found: Regression, of: Coefficient, column: str) -> str:
    """Return what one coefficient says, without what is held equal."""
    category = _CATEGORY.fullmatch(of.name)
    named = f"{column} = {category[2] or category[4]}" if category else column
    if of.p_value > 1 - found.level:
        return f"No effect of {named} on {of.equation} is shown"
    if " = " in of.equation:
        change = "more likely" if of.estimate > 0 else "less likely"
    else:
        change = "higher" if of.estimate > 0 else "lower"
    if not category:
        return f"With higher {column}, {of.equation} is {change}"
    reference = found.references.get(column)
    other = f"{column} = {reference}" if reference else f"the reference category of {column}"
    return f"{of.equation} is {change} for {named} than for {other}"


def _column(name: str) -> str:
    category = _CATEGORY.fullmatch(name)
    return (category[1] or category[3]).strip() if category else name


def _held(others: Sequence[str]) -> str:
    if not others:
        return ""
    if len(others) > _MOST_HELD:
        return ", if all other columns are the same"
    return f", for the same {' and '.join(others)}" if len(others) < 3 else f", for the same {', '.join(others)}"
