"""Rendered: a result all of whose forms a module of its own makes, which is loaded when one is asked for."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from sotto_estimator.result import Result

if TYPE_CHECKING:
    from sotto_estimator.panels import Panel

Found = TypeVar("Found", contravariant=True)


class Renderer(Protocol[Found]):
    """A module with these functions of one kind of result."""

    def table(self, found: Found, /) -> str: ...
    def members(self, found: Found, /) -> dict[str, Any]: ...
    def records(self, found: Found, /) -> list[dict[str, Any]]: ...
    def html_parts(self, found: Found, /) -> Sequence[str]: ...
    def panels(self, found: Found, /) -> "tuple[str, Sequence[Panel]]": ...


class Rendered(Result):
    """A result, and `renderer`, the module that makes its forms."""

    __slots__ = ()

    @abstractmethod
    def renderer(self) -> Renderer[Self]:
        """Return the module, imported here and not above, for it renders what is defined beside this."""

    def as_table(self) -> str:
        """Return what the numbers mean, and aligned numbers."""
        return self.renderer().table(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the members of its JSON object, by name."""
        return self.renderer().members(self)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of its CSV, all of the same members."""
        return self.renderer().records(self)

    def html_parts(self) -> Sequence[str]:
        """Return what a notebook shows, in pieces of HTML."""
        return self.renderer().html_parts(self)

    def panels(self) -> "tuple[str, Sequence[Panel]]":
        """Return a picture's title, and its parts from top to bottom."""
        return self.renderer().panels(self)
