"""Names of a package that are loaded when they are first asked for (PEP 562): a device need not load all of it."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from sotto_protocol.deprecated import warn_of_old


class LazyNames(NamedTuple):
    """The `__getattr__`, `__dir__` and `__all__` of a package."""

    load: Callable[[str], Any]
    list_names: Callable[[], list[str]]
    names: list[str]


def load_on_demand(package: str, homes: Mapping[str, str], old: Mapping[str, str] | None = None) -> LazyNames:
    """Return how a package hands out its public names. `homes`: their modules, each with its names, after blanks.

    The package also imports each name under TYPE_CHECKING, `as` itself: type checkers and editors see that. `old`:
    names that were, by the new ones; they come with a DeprecationWarning.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if old and name in old:
            warn_of_old(f"{package}.{name}", f"{package}.{old[name]}")
            name = old[name]
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        return getattr(import_module(home_of[name]), name)

    names = sorted([*home_of, "__version__"])
    return LazyNames(load, lambda: names, names)
