"""Names of a package that are loaded when they are first asked for (PEP 562): a device need not load all of it."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from sotto_protocol.deprecated import warn_of_old


def load_on_demand(
    package: str, homes: Mapping[str, str], old: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package. `homes`: its modules, each with the names that it has, after blanks.

    `old`: names that were, by the new ones; they come with a DeprecationWarning.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if old and name in old:
            warn_of_old(f"{package}.{name}", f"{package}.{old[name]}")
            name = old[name]
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        return getattr(import_module(home_of[name]), name)

    return load
