"""What is to be said of the rows of a file that estimates are of."""

from dataclasses import dataclass
from typing import Any

from sotto_protocol.words import counted


@dataclass(frozen=True, slots=True)
class FileRows:
    """Rows of a file. `left_out`: how many miss a value that is needed, in words; "" where none does.

    `by`: the column of whose groups these are one. Of a sample that is not simple `made` says how intervals are made,
    which are approximate, with so many `degrees_of_freedom`; `n_effective`: how many people of equal weight would say
    as much (Kish 1965). `no_error`: why a share has no error, "" where each has one. `doubt`: why the weights may not
    be what they are taken for.
    """

    left_out: str = ""
    by: str = ""
    made: str = ""
    degrees_of_freedom: int | None = None
    n_effective: float | None = None
    no_error: str = ""
    doubt: str = ""

    @property
    def lines(self) -> list[str]:
        """What to say beside the numbers, a line each."""
        lines = [self.left_out] if self.left_out else []
        if self.degrees_of_freedom is not None:
            worth = (
                f"; weights differ: as much as {self.n_effective:,.0f} of equal weight (Kish)"
                if self.n_effective
                else ""
            )
            lines.append(f"approximate, with {counted(self.degrees_of_freedom, 'degree')} of freedom{worth}")
        if self.no_error:
            lines.append(f"no standard error where the interval is 0 to 100 %: {self.no_error}")
        return lines

    @property
    def members(self) -> dict[str, Any]:
        """What programs get, of which what does not apply is left out."""
        found: dict[str, Any] = {"left_out": self.left_out} if self.left_out else {}
        if self.made:
            about = {"degrees_of_freedom": self.degrees_of_freedom, "n_effective": self.n_effective}
            found |= {"interval": "approximate"} | about
            found |= {"no_error": self.no_error} if self.no_error else {}
            found |= {"warning": self.doubt} if self.doubt else {}
        return found
