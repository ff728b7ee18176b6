"""What is said of the texts of Android's autofill: of each bit, and of the text; as table, JSON, CSV and HTML."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sotto_estimator.contradiction import Contradiction
from sotto_estimator.intervals import IntervalOptions
from sotto_estimator.percents import percent
from sotto_estimator.render import escaped, level_words
from sotto_estimator.result import Result
from sotto_protocol.tables import align
from sotto_protocol.words import counted, epsilon_above

if TYPE_CHECKING:
    from sotto_estimator.panels import Panel

VARIES, OPEN = "varies", "open"
EPSILON_A_BIT = math.log(3)
N_KEPT = 128
_SIGNS = {"1": "1", "0": "0", VARIES: "~", OPEN: "?"}
_MOST_FIELDS = 20


@dataclass(frozen=True, slots=True)
class Bit:
    """Bit `bit` (0 the least) of byte `byte`: of `n_reports` that keep it `n_ones` are 1.

    `share`: of devices with a 1, unbiased; its interval, one of those that hold together. `said`: "1" or "0" where that
    is constant, "varies", or "open": too few reports to say.
    """

    byte: int
    bit: int
    n_reports: int
    n_ones: int
    share: float | None
    low: float
    high: float
    said: str


@dataclass(frozen=True, slots=True)
class AutofillField:
    """One field: how many payloads keep its even bits, or its odd bits, and what is said of its 256 bits.

    `n_none`: payloads that keep no bit, and are left out.
    """

    name: str | None
    n_even: int
    n_odd: int
    n_none: int
    bits: tuple[Bit, ...]

    @property
    def n_reports(self) -> int:
        """How many payloads keep a bit."""
        return self.n_even + self.n_odd

    @property
    def bytes_said(self) -> tuple[int | None, ...]:
        """The value of each byte, None where not all of its bits are constant."""
        found: list[int | None] = []
        for at in range(0, len(self.bits), 8):
            said = [bit.said for bit in self.bits[at : at + 8]]
            is_constant = {*said} <= {"0", "1"}
            found.append(sum(1 << place for place, one in enumerate(said) if one == "1") if is_constant else None)
        return tuple(found)

    @property
    def text(self) -> str | None:
        """The text that devices have in common, where every bit is constant and it is one in UTF-8; else None."""
        values = [value for value in self.bytes_said if value is not None]
        if len(values) < len(self.bytes_said):
            return None
        whole = bytes(values)
        for n_cut in range(4 if whole[-1] else 1):  # of a character that 32 bytes cut
            try:
                return whole[: len(whole) - n_cut].rstrip(b"\0").decode()
            except UnicodeDecodeError:
                continue
        return None

    @property
    def readable(self) -> str:
        """The text as far as it is known: a byte that varies is `~`, one that is open `?`; no zeros at the end."""
        pieces: list[bytes | str] = []
        for value, at in zip(self.bytes_said, range(0, len(self.bits), 8), strict=True):
            if value is None:
                varies = any(bit.said == VARIES for bit in self.bits[at : at + 8])
                pieces.append(_SIGNS[VARIES if varies else OPEN])
            elif pieces and isinstance(pieces[-1], bytes):
                pieces[-1] += bytes([value])
            else:
                pieces.append(bytes([value]))
        if isinstance(pieces[-1], bytes):
            pieces[-1] = pieces[-1].rstrip(b"\0")
        return "".join(one.decode(errors="replace") if isinstance(one, bytes) else one for one in pieces)

    def n_said(self, said: str) -> int:
        """Return of how many bits this is said."""
        return sum(bit.said == said for bit in self.bits)


@dataclass(frozen=True, slots=True)
class AutofillTexts(Result):
    """All fields of some files. `n_needed`: devices for the whole of a constant text, with `power`; None: too many."""

    title: str
    options: IntervalOptions
    by: str | None
    least_share: float
    power: float
    n_needed: int | None
    fields: tuple[AutofillField, ...]
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def n_reports(self) -> int:
        """How many payloads keep a bit."""
        return sum(of.n_reports for of in self.fields)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the payloads."""
        return tuple(contradiction.warning for contradiction in self.contradictions)

    def __str__(self) -> str:
        """Return one line: files, payloads and epsilon."""
        a_bit, whole = epsilon_above(EPSILON_A_BIT), epsilon_above(N_KEPT * EPSILON_A_BIT)
        n = counted(self.n_reports, "payload")
        return f"{self.title}: n = {n}, epsilon {a_bit} a bit, {whole} for the {N_KEPT} bits of a payload"

    @property
    def words(self) -> tuple[str, ...]:
        """What is said of bits, and what it takes."""
        n_none = sum(of.n_none for of in self.fields)
        left_out = f"left out: {counted(n_none, 'payload')} with a mask of 0, which keep no bit: Android could not hash"
        which = "fields" if self.options.simultaneous and len(self.fields) > 1 else "field"
        needed = f"{self.n_needed:,} devices" if self.n_needed else "more devices than can be planned for"
        return (
            f"all that is said of the 256 bits of a {which.removesuffix('s')} is right with probability "
            f"{level_words(self.options.level)}{' for all fields together' if which == 'fields' else ''} "
            "(Clopper-Pearson intervals, Bonferroni), about the population",
            f"1 or 0: more than {percent(self.least_share)} of devices have it, and all may; {_SIGNS[VARIES]} varies; "
            f"{_SIGNS[OPEN]} open: too few payloads to say",
            f"a text that all devices have is decided whole, with probability {self.power:g}, by {needed} a field",
            *([left_out] if n_none else []),
        )

    def as_table(self) -> str:
        """Return what is said of every field, and the bytes of one, or of the first few."""
        shown = self.fields[:_MOST_FIELDS]
        heads = ["field", "n", "even bits", "odd bits", "constant", "varies", "open", "text"]
        rows = [heads, *(_summary(of) for of in shown)]
        rows = rows if self.by else [row[1:] for row in rows]
        parts = ["\n".join([str(self), *self.words, *map(str, self.contradictions)]), align(rows)]
        if len(shown) < len(self.fields):
            parts.append(f"and {len(self.fields) - len(shown):,} more fields: see --csv")
        if len(self.fields) == 1:
            parts.append(_bytes_table(self.fields[0]))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the members of `sotto estimate --json`."""
        heading = {"title": self.title, "format": "android-autofill", "n_reports": self.n_reports}
        heading |= {"epsilon_a_bit": EPSILON_A_BIT, "epsilon": N_KEPT * EPSILON_A_BIT, "by": self.by}
        fields = [_members(of) for of in self.fields]
        return (
            heading
            | self._option_members
            | {
                "n_needed": self.n_needed,
                "contradictions": [asdict(contradiction) for contradiction in self.contradictions],
                "fields": fields,
            }
        )

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each bit of each field."""
        beside = self._option_members | {"epsilon_a_bit": EPSILON_A_BIT, "n_needed": self.n_needed}
        p_values = {one.question: one.p_value for one in reversed(self.contradictions)}
        return [
            {"field": of.name} | asdict(bit) | beside | {"p_contradiction": p_values.get(of.name or "")}
            for of in self.fields
            for bit in of.bits
        ]

    def alarms(self) -> tuple[str, ...]:
        """Return what is wrong with the reports."""
        return self.warnings

    def panels(self) -> "tuple[str, list[Panel]]":
        """Return a picture: of each of the first fields the share of devices with a 1, bit by bit."""
        from sotto_estimator.formats.autofill_picture import bits_panel  # matplotlib takes a second to load

        return f"{self}\n{self.words[0]}", [bits_panel(of) for of in self.fields[:_MOST_FIELDS]]

    @property
    def _option_members(self) -> dict[str, Any]:
        options = self.options
        members = {"level": options.level, "simultaneous": options.simultaneous, "method": "clopper-pearson"}
        return members | {"target": options.about, "least_share": self.least_share, "power": self.power}


def _members(of: AutofillField) -> dict[str, Any]:
    members: dict[str, Any] = {"field": of.name, "n_reports": of.n_reports}
    members |= {"n_even": of.n_even, "n_odd": of.n_odd, "n_none": of.n_none}
    return members | {"text": of.text, "readable": of.readable, "bits": [asdict(bit) for bit in of.bits]}


def _summary(of: AutofillField) -> list[str]:
    numbers = [of.n_reports, of.n_even, of.n_odd, of.n_said("0") + of.n_said("1"), of.n_said(VARIES), of.n_said(OPEN)]
    text = of.readable if of.text is None else of.text
    return [escaped(of.name or ""), *(f"{number:,}" for number in numbers), f'"{escaped(text)}"']


def _bytes_table(of: AutofillField) -> str:
    """Return the bytes up to the last that is not zero: their bits, the most significant first."""
    values = list(of.bytes_said)
    while len(values) > 1 and values[-1] == 0:
        values.pop()
    rows = [["byte", "bits", "value"]]
    for place, value in enumerate(values):
        bits = "".join(_SIGNS[bit.said] for bit in reversed(of.bits[8 * place : 8 * place + 8]))
        rows.append([str(place), bits, "" if value is None else f"0x{value:02X}"])
    zeros = len(of.bytes_said) - len(values)
    return align(rows) + (f"\nand {counted(zeros, 'byte')} of zeros" if zeros else "")
