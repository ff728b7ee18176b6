"""Old names of keyword arguments, and of a package's names, work with a warning."""

import warnings
from dataclasses import dataclass

import pytest

from sotto_protocol.deprecated import takes_old_keywords
from sotto_protocol.lazy import load_on_demand


@dataclass(frozen=True)
class Size:
    """Two members."""

    width: int = 1
    height: int = 2


@takes_old_keywords({"size": Size}, width="size.width", height="size.height", colour="color")
def draw(name: str, *, size: Size | None = None, color: str = "black") -> tuple[str, Size | None, str]:
    """Return what was given."""
    return name, size, color


def test_new_names_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert draw("a", size=Size(3), color="red") == ("a", Size(3), "red")


def test_old_names_reach_the_new_arguments_and_warn_who_calls() -> None:
    with pytest.warns(DeprecationWarning, match=r"draw: (width|height|colour) is now ") as said:
        found = draw("a", width=3, height=4, colour="red")  # type: ignore[call-arg]
    assert found == ("a", Size(3, 4), "red")
    assert {one.filename for one in said} == {__file__}
    assert "draw: width is now size=Size(width=..). The next version removes the old name" in str(said[0].message)


def test_an_old_name_beside_the_new_one_is_refused() -> None:
    with pytest.raises(TypeError, match=r"draw: width is now size=Size\(width=\.\.\)\. Give one of the two"):
        draw("a", width=3, size=Size())  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour is now color"):
        draw("a", colour="red", color="red")  # type: ignore[call-arg]


def test_an_old_name_of_a_package_is_the_new_one_with_a_warning() -> None:
    load, _, names = load_on_demand("house", {"decimal": "Decimal"}, {"Number": "Decimal"})
    with pytest.warns(DeprecationWarning, match=r"house\.Number is now house\.Decimal"):
        assert load("Number") is load("Decimal")
    assert names == ["Decimal", "__version__"]
    with pytest.raises(AttributeError):
        load("other")
