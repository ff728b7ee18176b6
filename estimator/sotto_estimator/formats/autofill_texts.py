"""What is found of the texts of Android's autofill: of each bit, and of the text."""

import math
from dataclasses import dataclass, replace
from typing import Self

from sotto_estimator.intervals.contradiction import Contradiction
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.results.result import Result
from sotto_protocol.words import counted, epsilon_above

VARIES, OPEN, VOID = "varies", "open", "void"
EPSILON_A_BIT = math.log(3)
N_KEPT = 128
SIGNS = {"1": "1", "0": "0", VARIES: "~", OPEN: "?", VOID: "-"}


@dataclass(frozen=True, slots=True)
class Bit:
    """Bit `bit` (0 the least) of byte `byte`: of `n_reports` that keep it `n_ones` are 1.

    `share`: of devices with a 1, unbiased; its interval, one of those that hold together. `said`: "1" or "0" where that
    is constant, "varies", or "open": too few reports to say. "void": the counts
    contradict how payloads are made; nothing is told but what was counted.
    """

    byte: int
    bit: int
    n_reports: int
    n_ones: int
    share: float | None
    low: float | None
    high: float | None
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
    def is_void(self) -> bool:
        """Whether the counts contradict how payloads are made."""
        return any(bit.said == VOID for bit in self.bits)

    @property
    def voided(self) -> Self:
        """The same with nothing told of the bits but what was counted."""
        bits = tuple(replace(bit, share=None, low=None, high=None, said=VOID) for bit in self.bits)
        return replace(self, bits=bits)

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
                pieces.append(SIGNS[VOID if self.is_void else VARIES if varies else OPEN])
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
