"""What was compared, and what differs."""

from dataclasses import asdict, dataclass, field
from typing import Any

SAME, DIFFERS, NOT_FETCHED = "same", "differs", "not fetched"
CONTENT = "content"
"""What is compared of most: all bytes."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One thing that was fetched from one place: SHA-256 in hexadecimal, or a header's values, as expected and got."""

    path: str
    what: str
    place: str
    verdict: str
    expected: str = ""
    got: str = ""
    body: bytes = field(default=b"", repr=False, compare=False)

    @property
    def members(self) -> dict[str, str]:
        """What JSON has of it: all but the body."""
        return {name: value for name, value in asdict(self).items() if name != "body"}


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` has found: `compared`, and in `notes` what it can't tell, or what only the operator has chosen.

    `fingerprint` is that of the survey which the collector serves, "" where none was asked for or it could not be read.
    `is_pinned`: whether it was said which one it should be.
    """

    url: str
    survey: str
    version: str
    fingerprint: str
    compared: tuple[Compared, ...]
    notes: tuple[str, ...] = ()
    is_pinned: bool = False

    @property
    def differing(self) -> tuple[Compared, ...]:
        """What differs."""
        return tuple(each for each in self.compared if each.verdict == DIFFERS)

    @property
    def not_fetched(self) -> tuple[Compared, ...]:
        """What could not be fetched."""
        return tuple(each for each in self.compared if each.verdict == NOT_FETCHED)

    @property
    def status(self) -> int:
        """0 if all is the same, 1 if anything differs, else 2: something could not be fetched."""
        return 1 if self.differing else 2 if self.not_fetched else 0

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "url": self.url,
            "survey": self.survey,
            "version": self.version,
            "fingerprint": self.fingerprint,
            "status": self.status,
            "compared": [each.members for each in self.compared],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join([*self._lines(), *self.notes, self.summary])

    def _lines(self) -> list[str]:
        lines = []
        for each in self.compared:
            about = f"  {each.what}" * (each.what != CONTENT)
            place = f"  from {each.place}" * (len({one.place for one in self.compared}) > 1)
            lines.append(f"{each.verdict:<11}  {each.path}{about}{place}")
            if each.verdict == DIFFERS:
                lines += [f"  expected  {each.expected or 'none'}", f"  got       {each.got or 'none'}"]
            elif each.verdict == NOT_FETCHED:
                lines.append(f"  {each.got}")
        return lines

    @property
    def summary(self) -> str:
        """All of it in a line."""
        n, n_places = len(self.compared), len({each.place for each in self.compared})
        of = f" of {n:,} comparisons" + f" from {n_places} places" * (n_places > 1)
        if self.differing:
            return f"DIFFERS: {len(self.differing):,}{of}."
        if self.not_fetched:
            return f"Not fetched: {len(self.not_fetched):,}{of}. Nothing that was fetched differs."
        unknown = " Which survey it should be was not checked." * (not self.is_pinned)
        return f"All the same: {n:,}{of}.{unknown}"
