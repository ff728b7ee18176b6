"""What a side needs beside the client, and the extra of sottovoce that brings it."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from sotto_protocol.errors import SottoError

DISTRIBUTION = "sottovoce"
"""The name at PyPI, which nobody owns yet: `scripts/release name` changes it here, and wherever else it is."""
EXTRAS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "sotto_collector": (
            "collector",
            ("flask", "waitress", "msgspec", "sqlalchemy", "alembic", "prometheus_client", "cryptography"),
        ),
        "sotto_estimator": ("estimator", ("scipy", "matplotlib", "tomlkit")),
        "sotto_rehearsal": ("estimator", ("scipy", "matplotlib", "tomlkit")),
        "sotto_relay": ("relay", ("aiohttp",)),
        "sotto_author.forms.xlsform": ("forms", ("pyxform", "openpyxl")),
    }
)
"""By a side's package: its extra, and the modules that come with that. The other sides need the client's alone."""


def install_command(*extras: str, version: str = "") -> str:
    """Return the command that brings extras.

    >>> install_command("collector", "estimator")
    "pip install 'sottovoce[collector,estimator]'"
    """
    return f"pip install '{DISTRIBUTION}[{','.join(extras)}]{version and '=='}{version}'"


class MissingExtra(SottoError, ModuleNotFoundError):  # noqa: N818  # reads as what it is
    """A side is imported that needs more than is installed: what `extra` brings. It is an ImportError."""

    def __init__(self, package: str, extra: str, module: str) -> None:
        super().__init__(f"{package} needs: {install_command(extra)} ({module} is not there).", name=module)
        self.extra = extra


def require_extra(package: str) -> None:
    """Raise MissingExtra unless all is there that a side's package needs."""
    extra, modules = EXTRAS[package]
    for module in modules:
        if find_spec(module) is None:
            raise MissingExtra(package, extra, module)
