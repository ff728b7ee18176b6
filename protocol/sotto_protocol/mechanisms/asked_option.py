"""Any-of: one option is drawn on the device, without the answer, and whether it is selected goes through Warner's coin.

All of epsilon is that one coin's, where flips of all options share it. The option is drawn once, as a cohort is, and is
sent in clear: it says nothing of the answer. So each option is reported by one device in so many as there are options,
and no report says how options go together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.checks import BadValueError, check_integer, check_selections
from sotto_protocol.mechanisms.columns import NO_YES, LabelledColumn, checked_bits, numbers_of
from sotto_protocol.mechanisms.mechanism import MAX_VALUES, Bytes, Counts, Part, PureMechanism
from sotto_protocol.mechanisms.warner import BinaryResponse, warner
from sotto_protocol.told_apart import Outcomes
from sotto_protocol.words import times_above, times_below


@dataclass(frozen=True)
class AskedOption(PureMechanism):
    """Any-of: an option, uniform, and whether it is selected, through a coin by the thresholds of `BinaryResponse`.

    Answers: zeros and ones, shape (n, n_values), at most `max_selected` ones each. Its two probabilities are those of
    reports that ask the value. Packed: the option in the fewest whole bytes, big-endian; then a byte, 1 for yes.
    """

    takes_rows: ClassVar[bool] = True

    name: str
    n_values: int
    threshold_if_true: int
    threshold_if_other: int
    max_selected: int = 1

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, 1, MAX_VALUES)
        check_integer("max_selected", self.max_selected, 1, self.n_values)
        _ = self.coin  # raises where the thresholds are no coin's

    @cached_property
    def coin(self) -> BinaryResponse:
        """What the one option's yes or no goes through."""
        return BinaryResponse(self.name, 1, self.threshold_if_true, self.threshold_if_other)

    @property
    def epsilon(self) -> Decimal:
        """That of the coin: the option does not depend on the answer."""
        return self.coin.epsilon

    def told_apart(self) -> Outcomes:
        return self.coin.told_apart()

    @property
    def prob_support_if_true(self) -> float:
        return self.coin.prob_support_if_true

    @property
    def prob_support_if_other(self) -> float:
        return self.coin.prob_support_if_other

    @property
    def report_variance(self) -> float:
        """The coin's, of one report in n_values; and that of who is asked, of a share of one half, the most there is.

        So what has more variance than this has more for shares of every size.
        """
        return self.n_values * self.coin.report_variance + (self.n_values - 1) / 4

    @property
    def group_bytes(self) -> int:
        return 1 if self.n_values <= 256 else 2

    @property
    def n_bytes(self) -> int:
        return self.group_bytes + 1

    @property
    def asks_one(self) -> bool:
        return True

    @property
    def counts_shape(self) -> tuple[int, ...]:
        return (self.n_values, 2)

    @property
    def has_cohorts(self) -> bool:
        """A row an option: the reports that ask it, and those of them that say yes."""
        return True

    def parameters(self) -> dict[str, int]:
        thresholds = {"threshold_if_true": self.threshold_if_true, "threshold_if_other": self.threshold_if_other}
        return thresholds | {"max_selected": self.max_selected}

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        keys = ("threshold_if_true", "threshold_if_other")
        numbers = {key: fields.integer(key, 1, COIN_SCALE - 1) for key in keys}
        return numbers | {"n_values": n_options, "max_selected": fields.integer("max_selected", 1, n_options)}

    def check_design(self) -> None:
        self.coin.check_design()

    def draw_group(self, n_devices: int, coins: Coins) -> Bytes:
        """Draw the options that n devices are asked, shape (n, group_bytes)."""
        drawn = coins.uniform(self.n_values, n_devices).astype(f">u{self.group_bytes}")
        return drawn.view(np.uint8).reshape(n_devices, self.group_bytes)

    @property
    def _coins_per_answer(self) -> int:
        return 2

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_selections(answers, self.n_values, self.max_selected)

    def _place(self, answers: NDArray[Any], group: Bytes) -> NDArray[Any]:
        """Return n rows of the option that is asked, in bytes, and whether it is selected."""
        selected = answers[np.arange(len(answers)), self.asked_values(group)]
        return np.column_stack([group, selected.astype(np.uint8)])

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        return np.concatenate([rows[:, :-1], self.coin.perturb(rows[:, -1], coins)], axis=1)

    def asked_values(self, group: Bytes) -> NDArray[np.intp]:
        """Return the options that are asked, by groups or reports. Raises ReportError for one that there is not."""
        asked = np.ascontiguousarray(group[:, : self.group_bytes]).view(f">u{self.group_bytes}").ravel()
        if asked.size and asked.max() >= self.n_values:
            raise ReportError("$", f"options that are asked must be in [0, {self.n_values - 1}].")
        return asked.astype(np.intp)

    def count_support(self, reports: Bytes) -> Counts:
        """Count by option, shape (n_values, 2): the reports that ask it, and those of them that say yes."""
        options, yes = self.asked_values(reports), reports[:, -1]
        if (yes > 1).any():
            raise ReportError("$", "packed reports must end in 0 or 1.")
        asked = np.bincount(options, minlength=self.n_values)
        return np.column_stack([asked, np.bincount(options[yes == 1], minlength=self.n_values)]).astype(np.int64)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        if sum(counts[:, 0].tolist()) != n_reports:
            raise ValueError(f"must have reports by option, the first of each row, that add up to {n_reports}.")
        if (counts[:, 1] > counts[:, 0]).any():
            raise ValueError(
                "must have at most as many that say yes, the second of each row, as reports of the option."
            )

    def to_wire(self, report: Bytes) -> list[Any]:
        """Return [option, whether the report says yes]."""
        return [int.from_bytes(report[:-1].tobytes(), "big"), bool(report[-1])]

    def longest_report(self) -> Bytes:
        return np.frombuffer((self.n_values - 1).to_bytes(self.group_bytes, "big") + bytes(1), np.uint8)

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        rows = bytearray()
        for index, value in enumerate(values):
            if not (isinstance(value, list) and [*map(type, value)] == [int, bool] and 0 <= value[0] < self.n_values):
                raise BadValueError(index, f"a list of an option in [0, {self.n_values - 1}] and true or false")
            rows += value[0].to_bytes(self.group_bytes, "big") + bytes(value[1:])
        return np.frombuffer(bytes(rows), np.uint8).reshape(-1, self.n_bytes)

    def supported(self, report: Bytes) -> list[int]:
        option, is_yes = self.to_wire(report)
        return [option] * is_yes

    def decode(self, report: Bytes, labels: Sequence[str]) -> dict[str, Any]:
        """Return the option that is asked, and whether the report says yes to it."""
        option, is_yes = self.to_wire(report)
        return {"asked": labels[option], "yes": is_yes}

    def parts(self) -> list[Part]:
        return [Part("option", self.group_bytes, is_number=True), Part("value", 1, is_number=True)]

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield the option that is asked, and the yes or no to it."""
        yield LabelledColumn(f"{key}.option", numbers_of(reports[:, :-1]), labels)
        yield LabelledColumn(key, checked_bits(reports[:, -1]), NO_YES)

    def what_happens(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device picks one of the %(n)s options at random, once and without looking at your answer. It "
            "sends which one, and yes or no for it. If you chose that option, it sends yes %(true)s. If you did "
            "not, it sends yes %(other)s. It sends nothing about the other options.",
            n=self.n_values,
            true=times_above(self.prob_support_if_true, language),
            other=times_below(self.prob_support_if_other, language),
        )

    def in_short(self, language: Language = ENGLISH) -> str:
        return language.gettext(
            "Your device picks one option at random. It sends yes or no for that option only. That is the "
            "opposite of your answer %(lost)s.",
            lost=times_below(1 - self.prob_support_if_true, language),
        )


def asked_option(n_options: int, epsilon: Decimal, max_selected: int) -> AskedOption:
    """Return the mechanism that asks one option by Warner's spinner, with all of epsilon."""
    coin = warner(epsilon)
    return AskedOption("asked-option", n_options, coin.threshold_if_true, coin.threshold_if_other, max_selected)


def ask_asked_option(asked: Asked) -> AskedOption:
    """Return it as an author asks for it; any number of options may be selected unless `max_selected` is given."""
    most = asked.most_selected()
    return asked_option(asked.n_options, asked.require_epsilon(), most)
