"""Old names of keyword arguments: they work for one more version, with a DeprecationWarning."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def takes_old_keywords(kinds: dict[str, type] | None = None, /, **old: str) -> Callable[[_Function], _Function]:
    """Let a function take keyword arguments by their old names too. `old`: by the old name the new one.

    A new name `options.level` is member `level` of argument `options`, whose class `kinds` says; with `=text` behind
    it, it is that text where the old one is true. An old name and the new one together raise TypeError.

    >>> @takes_old_keywords(weight="mass")
    ... def density(mass: float, volume: float) -> float:
    ...     return mass / volume
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     density(weight=6, volume=2)
    3.0
    """

    def decorate(function: _Function) -> _Function:
        @wraps(function)
        def with_old(*arguments: Any, **given: Any) -> Any:
            if not given.keys() & old.keys():
                return function(*arguments, **given)
            made: dict[str, dict[str, Any]] = {}
            for name in [name for name in given if name in old]:
                new, _, member = old[name].partition(".")
                if new in given:
                    raise TypeError(
                        f"{function.__name__}: {name} is now {_words(old[name], kinds)}. Give one of the two."
                    )
                value = given.pop(name)
                member, sign, instead = member.partition("=")
                if not sign or value:
                    made.setdefault(new, {})[member] = instead if sign else value
                warnings.warn(
                    f"{function.__name__}: {name} is now {_words(old[name], kinds)}. The next version removes "
                    "the old name.",
                    DeprecationWarning,
                    stacklevel=2,
                )
            whole = {new: (kinds or {})[new](**of) if "" not in of else of[""] for new, of in made.items()}
            return function(*arguments, **given, **whole)

        return with_old  # type: ignore[return-value]  # it has the function's own signature, and old names beside

    return decorate


def _words(new: str, kinds: dict[str, type] | None) -> str:
    name, dot, member = new.partition(".")
    member, sign, instead = member.partition("=")
    return (
        f"{name}={(kinds or {})[name].__name__}({member}={instead!r})"
        if sign
        else (f"{name}={(kinds or {})[name].__name__}({member}=..)" if dot else name)
    )


def warn_of_old(old: str, new: str) -> None:
    """Warn a caller that a name of a package has another one now."""
    warnings.warn(f"{old} is now {new}. The next version removes the old name.", DeprecationWarning, stacklevel=3)
