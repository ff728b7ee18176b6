"""Any-of: a bit per option, any of them true, each flipped by itself."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from numpy.typing import ArrayLike, NDArray

from sotto_protocol.bounds import divide_below
from sotto_protocol.coins import Coins
from sotto_protocol.documents import Fields
from sotto_protocol.language import ENGLISH, Language, mark
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.bits import RAPPOR, OptionBits
from sotto_protocol.mechanisms.checks import check_integer, check_selections
from sotto_protocol.mechanisms.mechanism import Bytes, SelectionMechanism
from sotto_protocol.mechanisms.thresholds import Stages, check_epsilon, symmetric_thresholds
from sotto_protocol.words import times_above, times_below


@dataclass(frozen=True)
class BitFlips(OptionBits, SelectionMechanism):
    """Any-of: a bit per option, at most `max_selected` of them true.

    Answers: zeros and ones, shape (n, n_values). `max_selected` in [1, n_values].
    """

    max_selected: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer("max_selected", self.max_selected, 1, self.n_values)

    def parameters(self) -> dict[str, int]:
        return super().parameters() | {"max_selected": self.max_selected}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        numbers = super().read_parameters(fields, name, n_options)
        return numbers | {"max_selected": fields.integer("max_selected", 1, n_options)}

    @property
    def _max_differences(self) -> list[tuple[int, int]]:
        most = self.max_selected
        fewest = min(most, self.n_values - most)  # options left to gain when `most` others are lost
        return [(most, fewest), (fewest, most)]

    @property
    def n_true(self) -> tuple[int, int]:
        return 0, self.max_selected

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return self._pack(self._flip(rows.ravel(), coins))

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_selections(answers, self.n_values, self.max_selected)

    def what_happens(self, language: Language = ENGLISH) -> str:
        together = mark(
            "Both steps together: for an option you choose, your device sends yes %(true)s. For an option you do "
            "not choose, it sends yes %(other)s."
        )
        if self.name in RAPPOR:
            drawn = mark(
                "First, it makes a lasting yes or no for each at random, only once. For an option you choose, "
                "that is yes %(true)s. For an option you do not choose, it is yes %(other)s."
            )
            return language.text([self._say_each(language), self._say_stages(language, drawn, together)])
        said = language.gettext(
            "For an option you choose, it sends yes %(true)s. For an option you do not choose, it sends yes %(other)s.",
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )
        return language.text([self._say_each(language), said])


def bit_flips(n_options: int, epsilon: Decimal, max_selected: int) -> BitFlips:
    """Return symmetric flips for an any-of question: two answers differ in at most min(2 max_selected, k) bits."""
    check_integer("max_selected", max_selected, 1, n_options)
    per_bit = divide_below(check_epsilon(epsilon), min(2 * max_selected, n_options))
    return BitFlips("bit-flips", n_options, *symmetric_thresholds(per_bit), max_selected=max_selected)


def basic_any_of(n_options: int, max_selected: int, stages: Stages) -> BitFlips:
    """Return basic RAPPOR of an any-of question, of whose options a person may select max_selected."""
    return BitFlips("basic-rappor", n_options, **asdict(stages), max_selected=max_selected)


def basic_in_waves(n_options: int, epsilon: Decimal, epsilon_forever: Decimal, max_selected: int) -> BitFlips:
    """Return basic RAPPOR of an any-of question, of both epsilons."""
    n_differences = min(2 * max_selected, n_options)
    return basic_any_of(n_options, max_selected, Stages.of_epsilons(n_differences, epsilon, epsilon_forever))


def ask_bit_flips(asked: Asked) -> BitFlips:
    """Return the flips that an author asks for, by epsilon and max_selected; all options where that is left out."""
    most = asked.most_selected()
    return bit_flips(asked.n_options, asked.require_epsilon(), most)


def ask_basic_rappor(asked: Asked) -> BitFlips:
    """Return basic RAPPOR as an author asks for it."""
    most = asked.most_selected()
    return basic_any_of(asked.n_options, most, asked.stages(min(2 * most, asked.n_options)))
