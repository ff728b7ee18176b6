"""Any-of: some options are drawn on the device, without the answer, and bits say which of these are selected.

Epsilon is shared by the coins of the options that are asked, where flips of all options share it: of one option all is
that one coin's (Warner's spinner). The options are drawn once, as a cohort is, and are sent in clear: they say nothing
of the answer. So each option is reported by some devices only, and a report says little of how options go together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sotto_protocol.coins import COIN_SCALE, Coins
from sotto_protocol.documents import Fields
from sotto_protocol.errors import ReportError
from sotto_protocol.language import ENGLISH, Language
from sotto_protocol.mechanisms.asked import Asked
from sotto_protocol.mechanisms.bit_flips import BitFlips, bit_flips
from sotto_protocol.mechanisms.bits import replace_bits
from sotto_protocol.mechanisms.checks import BadValueError, check_integer, check_selections
from sotto_protocol.mechanisms.columns import NO_YES, LabelledColumn
from sotto_protocol.mechanisms.mechanism import MAX_VALUES, Bytes, Counts, Part, PureMechanism
from sotto_protocol.mechanisms.thresholds import check_epsilon
from sotto_protocol.told_apart import Outcomes
from sotto_protocol.words import times_above, times_below


@dataclass(frozen=True)
class AskedOption(PureMechanism):
    """Any-of: `asked` different options, uniform, and flipped bits, by `BitFlips`, that say which are selected.

    Answers: zeros and ones, shape (n, n_values), at most `max_selected` ones each. Its two probabilities are those of
    reports that ask the value. Packed: the options, ascending, each in the fewest whole bytes, big-endian; then a bit
    for each of them.
    """

    takes_rows: ClassVar[bool] = True

    name: str
    n_values: int
    threshold_if_true: int
    threshold_if_other: int
    max_selected: int = 1
    asked: int = 1

    def __post_init__(self) -> None:
        check_integer("n_values", self.n_values, 1, MAX_VALUES)
        check_integer("max_selected", self.max_selected, 1, self.n_values)
        check_integer("asked", self.asked, 1, self.n_values)
        _ = self.flips  # raises where the thresholds are no coin's

    @cached_property
    def flips(self) -> BitFlips:
        """What the yes or no to each of the options that are asked goes through."""
        most = min(self.asked, self.max_selected)
        return BitFlips(self.name, self.asked, self.threshold_if_true, self.threshold_if_other, max_selected=most)

    @property
    def epsilon(self) -> Decimal:
        """That of the flips: which options are asked does not depend on the answer."""
        return self.flips.epsilon

    def told_apart(self) -> Outcomes:
        return self.flips.told_apart()

    @property
    def prob_support_if_true(self) -> float:
        return self.flips.prob_support_if_true

    @property
    def prob_support_if_other(self) -> float:
        return self.flips.prob_support_if_other

    @property
    def report_variance(self) -> float:
        """The coin's, of one report in `one_in`; and that of who is asked, where the share is the usual one."""
        share, one_in = self.usual_share, float(self.one_in)
        return one_in * super().report_variance + (one_in - 1) * share * (1 - share)

    @property
    def _option_bytes(self) -> int:
        return 1 if self.n_values <= 256 else 2

    @property
    def group_bytes(self) -> int:
        return self.asked * self._option_bytes

    @property
    def n_bytes(self) -> int:
        return self.group_bytes + self.flips.n_bytes

    @property
    def asks_some(self) -> bool:
        return True

    @property
    def n_asked(self) -> int:
        return self.asked

    @property
    def counts_shape(self) -> tuple[int, ...]:
        return (self.n_values, 2)

    @property
    def has_cohorts(self) -> bool:
        """A row an option: the reports that ask it, and those of them that say yes."""
        return True

    def parameters(self) -> dict[str, int]:
        thresholds = {"threshold_if_true": self.threshold_if_true, "threshold_if_other": self.threshold_if_other}
        several = {"asked": self.asked} if self.asked > 1 else {}
        return thresholds | {"max_selected": self.max_selected} | several

    @classmethod
    def read_parameters(cls, fields: Fields, name: str, n_options: int) -> dict[str, int]:
        keys = ("threshold_if_true", "threshold_if_other")
        numbers = {key: fields.integer(key, 1, COIN_SCALE - 1) for key in keys}
        numbers |= {"n_values": n_options, "max_selected": fields.integer("max_selected", 1, n_options)}
        return numbers | ({"asked": fields.integer("asked", 2, n_options)} if fields.has("asked") else {})

    def check_design(self) -> None:
        self.flips.check_design()

    def draw_group(self, n_devices: int, coins: Coins) -> Bytes:
        """Draw the options that n devices are asked, shape (n, group_bytes)."""
        if self.asked == 1:
            drawn = coins.uniform(self.n_values, n_devices).reshape(-1, 1)
        else:
            drawn = np.sort(coins.different(self.n_values, self.asked, n_devices), axis=1)
        return drawn.astype(f">u{self._option_bytes}", order="C").view(np.uint8)

    @property
    def _coins_per_answer(self) -> int:
        return 2 * self.asked

    def _check_answers(self, answers: ArrayLike) -> NDArray[Any]:
        return check_selections(answers, self.n_values, self.max_selected)

    def _place(self, answers: NDArray[Any], group: Bytes) -> NDArray[Any]:
        """Return n rows of the options that are asked, in bytes, and whether each is selected."""
        selected = answers[np.arange(len(answers))[:, None], self.asked_values(group)]
        return np.concatenate([group, selected.view(np.uint8)], axis=1)

    def _respond_rows(self, rows: NDArray[Any], coins: Coins) -> Bytes:
        group, selected = rows[:, : self.group_bytes], rows[:, self.group_bytes :].astype(np.bool_)
        yes = replace_bits(selected.ravel(), self.threshold_if_true, self.threshold_if_other, coins)
        packed = np.packbits(yes.reshape(-1, self.asked), axis=1, bitorder="little")
        return np.concatenate([group, packed], axis=1)

    def asked_values(self, group: Bytes) -> NDArray[np.intp]:
        """Return the options that are asked, by groups or reports, shape (n, asked).

        Raises ReportError for one that there is not, and unless they ascend.
        """
        packed = np.ascontiguousarray(group[:, : self.group_bytes])
        asked = packed.view(f">u{self._option_bytes}").astype(np.intp)
        if asked.size and (asked.max() >= self.n_values or (self.asked > 1 and (asked[:, 1:] <= asked[:, :-1]).any())):
            raise ReportError("$", f"options that are asked must be in [0, {self.n_values - 1}], each once, ascending.")
        return asked

    def _said_yes(self, reports: Bytes) -> NDArray[np.bool_]:
        """Return the bits of reports, shape (n, asked). Raises ReportError where a spare bit is set."""
        bits = np.unpackbits(np.ascontiguousarray(reports[:, self.group_bytes :]), axis=1, bitorder="little")
        if bits[:, self.asked :].any():
            raise ReportError("$", f"packed reports must end in {self.asked} bits, spare bits zero.")
        return bits[:, : self.asked].view(np.bool_)

    def count_support(self, reports: Bytes) -> Counts:
        """Count by option, shape (n_values, 2): the reports that ask it, and those of them that say yes."""
        options, yes = self.asked_values(reports), self._said_yes(reports)
        found = [np.bincount(values, minlength=self.n_values) for values in (options.ravel(), options[yes])]
        return np.column_stack(found).astype(np.int64)

    def check_counts(self, counts: Counts, n_reports: int) -> None:
        if sum(counts[:, 0].tolist()) != self.asked * n_reports:
            total = self.asked * n_reports
            raise ValueError(f"must have reports by option, the first of each row, that add up to {total}.")
        if (counts[:, 0] > n_reports).any():
            raise ValueError(f"must have at most {n_reports} reports of an option, the first of each row.")
        if (counts[:, 1] > counts[:, 0]).any():
            raise ValueError(
                "must have at most as many that say yes, the second of each row, as reports of the option."
            )

    def _pairs(self, report: Bytes) -> list[tuple[int, bool]]:
        """Return each option that a report asks, and whether it says yes."""
        rows = report.reshape(1, -1)
        return list(zip(self.asked_values(rows)[0].tolist(), self._said_yes(rows)[0].tolist(), strict=True))

    def to_wire(self, report: Bytes) -> list[Any]:
        """Return [option, whether the report says yes], of several options one behind the other."""
        return [value for pair in self._pairs(report) for value in pair]

    def longest_report(self) -> Bytes:
        largest = range(self.n_values - self.asked, self.n_values)
        group = b"".join(option.to_bytes(self._option_bytes, "big") for option in largest)
        return np.frombuffer(group + bytes(self.flips.n_bytes), np.uint8)

    def from_wire(self, values: Sequence[Any]) -> Bytes:
        rows = bytearray()
        for index, value in enumerate(values):
            if not self._is_possible(value):
                raise BadValueError(index, self._expected)
            rows += b"".join(option.to_bytes(self._option_bytes, "big") for option in value[::2])
            rows += np.packbits(value[1::2], bitorder="little").tobytes()
        return np.frombuffer(bytes(rows), np.uint8).reshape(-1, self.n_bytes)

    def _is_possible(self, value: Any) -> bool:
        if not (isinstance(value, list) and [*map(type, value)] == [int, bool] * self.asked):
            return False
        limits = [-1, *value[::2], self.n_values]
        return all(low < high for low, high in pairwise(limits))

    @property
    def _expected(self) -> str:
        if self.asked == 1:
            return f"a list of an option in [0, {self.n_values - 1}] and true or false"
        return f"a list of {self.asked} ascending options in [0, {self.n_values - 1}], true or false behind each"

    def supported(self, report: Bytes) -> list[int]:
        return [option for option, is_yes in self._pairs(report) if is_yes]

    def decode(self, report: Bytes, labels: Sequence[str]) -> Any:
        """Return the option that is asked, and whether the report says yes to it; of several those with a yes."""
        said = {labels[option]: is_yes for option, is_yes in self._pairs(report)}
        if self.asked == 1:
            [(asked, is_yes)] = said.items()
            return {"asked": asked, "yes": is_yes}
        return {"asked": [*said], "yes": [option for option, is_yes in said.items() if is_yes]}

    def parts(self) -> list[Part]:
        if self.asked == 1:
            return [Part("option", self.group_bytes, is_number=True), Part("value", 1, is_number=True)]
        options = [Part(f"option{place}", self._option_bytes, is_number=True) for place in range(1, self.asked + 1)]
        return [*options, Part("bits", self.flips.n_bytes, is_number=False)]

    def columns(
        self, key: str, reports: Bytes, labels: tuple[str, ...], ends: tuple[float, float]
    ) -> Iterator[LabelledColumn]:
        """Yield the option that is asked, and the yes or no to it; of several options, one behind the other."""
        options, yes = self.asked_values(reports), self._said_yes(reports).view(np.uint8)
        for place in range(self.asked):
            number = str(place + 1) if self.asked > 1 else ""
            yield LabelledColumn(f"{key}.option{number}", options[:, place].astype(np.uint16), labels)
            yield LabelledColumn(f"{key}.{number}" if number else key, yes[:, place], NO_YES)

    def what_happens(self, language: Language = ENGLISH) -> str:
        said = {"true": times_above(self.prob_support_if_true, language)}
        said["other"] = times_below(self.prob_support_if_other, language)
        if self.asked == 1:
            return language.gettext(
                "Your device picks one of the %(n)s options at random, once and without looking at your answer. It "
                "sends which one, and yes or no for it. If you chose that option, it sends yes %(true)s. If you did "
                "not, it sends yes %(other)s. It sends nothing about the other options.",
                n=self.n_values,
                **said,
            )
        return language.gettext(
            "Your device picks %(asked)s of the %(n)s options at random, once and without looking at your answer. It "
            "sends which ones, and yes or no for each. For an option you chose, it sends yes %(true)s. For an option "
            "you did not choose, it sends yes %(other)s. It sends nothing about the other options.",
            n=self.n_values,
            asked=self.asked,
            **said,
        )

    def in_short(self, language: Language = ENGLISH) -> str:
        lost = times_below(1 - self.prob_support_if_true, language)
        if self.asked == 1:
            return language.gettext(
                "Your device picks one option at random. It sends yes or no for that option only. That is the "
                "opposite of your answer %(lost)s.",
                lost=lost,
            )
        return language.gettext(
            "Your device picks %(asked)s options at random. It sends yes or no for these options only. Each is the "
            "opposite of your answer %(lost)s.",
            asked=self.asked,
            lost=lost,
        )


def asked_option(n_options: int, epsilon: Decimal, max_selected: int, asked: int | None = None) -> AskedOption:
    """Return the mechanism that asks so many options, by default as many as have the least `report_variance`."""
    n_asked = best_asked(n_options, epsilon, max_selected) if asked is None else asked
    flips = bit_flips(n_asked, epsilon, min(n_asked, max_selected))
    return AskedOption(
        "asked-option", n_options, flips.threshold_if_true, flips.threshold_if_other, max_selected, n_asked
    )


def best_asked(n_options: int, epsilon: Decimal, max_selected: int) -> int:
    """Return how many options to ask so that `report_variance` is the least; not all, of which there is `bit_flips`."""
    n_asked = np.arange(1, max(2, n_options))
    coin = np.exp(float(check_epsilon(epsilon)) / np.minimum(2 * max_selected, n_asked))
    one_in, share = n_options / n_asked, max_selected / (2 * n_options)
    return int(n_asked[np.argmin(one_in * coin / (coin - 1) ** 2 + (one_in - 1) * share * (1 - share))])


def ask_asked_option(asked: Asked) -> AskedOption:
    """Return it as an author asks for it; any number of options may be selected unless `max_selected` is given."""
    epsilon, most = asked.require_epsilon(), asked.most_selected()
    n_asked = asked.fields.integer("asked", 1, asked.n_options) if asked.has("asked") else None
    return asked_option(asked.n_options, epsilon, most, n_asked)
