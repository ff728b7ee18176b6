"""A format with its parameters, as typed: NAME or NAME(parameter=value, ..)."""

from collections.abc import Callable, Mapping
from typing import Any

from sotto_estimator.designs.spec import read_call
from sotto_estimator.errors import DomainError, meant


def read_spec(text: str) -> tuple[str, dict[str, str]]:
    """Return name and parameters, as texts. Raises `DomainError` for what is not written so.

    >>> read_spec("firefox-clicks(items=100, epsilon=1)")
    ('firefox-clicks', {'items': '100', 'epsilon': '1'})
    """
    if not (found := read_call(text)):
        raise DomainError(f"format ({text!r:.80}) must be NAME or NAME(parameter=value, ..).")
    given: dict[str, str] = {}
    for key, value in found.parameters:
        if not (key and value) or key in given:
            raise DomainError(f"format ({text!r:.80}): {key!r} must be parameter=value, and given once.")
        given[key] = value
    return found.name, given


def convert(name: str, given: Mapping[str, str], kinds: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    """Return the parameters of a format as values. Raises `DomainError` for one that it has not, or cannot read."""
    values = {}
    for key, text in given.items():
        if key not in kinds:
            known = ", ".join(kinds) or "none"
            raise DomainError(f"{name} has no parameter {key}; it has {known}.{meant(kinds, key)}")
        try:
            values[key] = kinds[key](text)
        except ValueError as fault:
            kind = _words(kinds[key])
            raise DomainError(f"{key} ({text!r:.60}) of {name} cannot be read: it must be {kind}.") from fault
    return values


def numbers(text: str) -> tuple[float, ...]:
    """Return numbers with blanks or slashes between them, such as 50 75 95."""
    return tuple(float(part) for part in text.replace("/", " ").split())


def _words(kind: Callable[[str], Any]) -> str:
    return {int: "a whole number", float: "a number", numbers: "numbers with blanks between them"}.get(kind, "valid")
