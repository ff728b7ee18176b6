"""What a form shows for a question, whatever its type: choices to pick one from, or some; or what to write."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class Choice(NamedTuple):
    """What can be picked: the answer that it stands for, as JSON has it, and the words for it."""

    answer: Any
    label: str


@dataclass(frozen=True, slots=True)
class PickOne:
    """Pick one: radio buttons, or a list. `is_scale`: they stand in the order of a scale."""

    choices: tuple[Choice, ...]
    is_scale: bool = False


@dataclass(frozen=True, slots=True)
class PickSome:
    """Pick some, or none, which is an answer too: check boxes."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """Write a line; `hint` says in a sentence what it may be."""

    hint: str


@dataclass(frozen=True, slots=True)
class NumberField:
    """Write a number from `minimum` to `maximum`, in steps, all as plain decimals; `unit` may be empty."""

    minimum: str
    maximum: str
    step: str
    unit: str

    @property
    def keyboard(self) -> str:
        """The keyboard that a phone shows, as HTML's `inputmode`: nothing where a sign is needed, which few have."""
        if self.minimum.startswith("-"):
            return ""
        return "numeric" if self.is_whole else "decimal"

    @property
    def is_whole(self) -> bool:
        """Whether it takes whole numbers alone."""
        return "." not in self.minimum + self.step


Control = PickOne | PickSome | Line | NumberField


def pick_text(options: tuple[str, ...]) -> tuple[Choice, ...]:
    """Return choices whose answers are the words for them."""
    return tuple(Choice(option, option) for option in options)
