"""What is said beside decoded strings: what was not found, what cannot be told apart, where the model fits badly."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from sotto_estimator.results.percents import percent
from sotto_estimator.strings.background import CONFOUNDED
from sotto_protocol.words import escaped

Origin = Literal["list", "n-grams", "beginnings"]
"""Where the strings that are tested come from: somebody's list of candidates, or reported n-grams or beginnings."""

MISFIT_P_VALUE = 1e-3
"""Below it the residuals are more than noise."""
_N_NAMED = 6
_FAR_OFF = 6.0  # deviations of the mean of all bits
_FAR_OFF_SHARE = 0.02  # of a random string's density of bits
_FEW_CELLS = 200  # below, what was simulated has more false discoveries than was asked, and fewer intervals hold
_ONE: dict[Origin, str] = {
    "list": "candidate",
    "n-grams": "string made of n-grams",
    "beginnings": "string that beginnings lead to",
}
_MANY: dict[Origin, str] = {
    "list": "candidates",
    "n-grams": "strings made of n-grams",
    "beginnings": "strings that beginnings lead to",
}


@dataclass(frozen=True, slots=True)
class GoodnessOfFit:
    """How far the counts lie from the model: chi_square over degrees is 1 where only noise is left.

    `p_value`: P(chi-square is as large or larger | only noise); 1 where no degrees of freedom are left to tell.
    """

    chi_square: float
    degrees: int
    p_value: float

    @property
    def ratio(self) -> float:
        """chi_square / degrees; 1 without degrees of freedom."""
        return self.chi_square / self.degrees if self.degrees else 1.0


@dataclass(frozen=True, slots=True)
class Remarks:
    """Remarks on the decoding of these strings; each method returns those that are due, () where all is well."""

    strings: Sequence[str]
    origin: Origin

    def on_finding(self, n_found: int) -> tuple[str, ...]:
        if n_found:
            return ()
        return (f"no {_ONE[self.origin]} was found: none stands out from the noise and the other strings.",)

    def on_few_cells(self, n_cells: int, n_found: int) -> tuple[str, ...]:
        """`n_cells`: bits of all cohorts with reports."""
        if not n_found or n_cells >= _FEW_CELLS:
            return ()
        return (
            f"there are only {n_cells} cells, and there should be at least {_FEW_CELLS}: a few more of the strings "
            "that were found may be false than the rate says, and a few more intervals may miss than the level says.",
        )

    def on_fit(self, fit: GoodnessOfFit, level: tuple[float, float], density: float) -> tuple[str, ...]:
        """`level`: the constant that strings leave over, and its deviations. `density`: of a random string's bits."""
        said = []
        if fit.p_value < MISFIT_P_VALUE:
            said.append(
                f"the model fits badly: residual chi-square / df = {fit.ratio:.3g} ({fit.degrees} df); either "
                f"common strings are missing among the {_MANY[self.origin]}, or the parameters are not the devices'. "
                "Intervals are widened for it."
            )
        offset, deviations = level
        if abs(deviations) > _FAR_OFF and abs(offset) > _FAR_OFF_SHARE * density:
            said.append(
                f"bits are set {'more' if offset > 0 else 'less'} often than strings can explain: by {abs(offset):.3g} "
                "of devices per bit, on average; either the parameters are not the devices', or some reports are "
                "fake."
            )
        if not fit.degrees:
            said.append("there are as many strings as cells, so nothing shows whether the model fits.")
        return tuple(said)

    def on_confounding(self, times: float) -> tuple[str, ...]:
        """`times`: how much larger the shares' variance is because others set bits too."""
        if times < CONFOUNDED:
            return ()
        together = f"all {_MANY[self.origin]} together set"
        if math.isinf(times):
            return (
                f"{together} every bit equally often, as strings on no list do. Shares may be too low, each by as much "
                "as the shares of strings that are not reported.",
            )
        return (
            f"{together} nearly every bit equally often, as strings on no list do. This makes the variance of shares "
            f"{times:.3g} times as large.",
        )

    def on_twins(self, twins: Sequence[Sequence[int]], alike: str = "set the same bits") -> tuple[str, ...]:
        """`twins`: groups of the strings' numbers, each of those that are `alike`."""
        said = [
            f"{self._names(group)} {alike} in every cohort with reports. Reports cannot distinguish them, so they are "
            "not shown."
            for group in twins[:_N_NAMED]
        ]
        if len(twins) > _N_NAMED:
            more = len(twins) - _N_NAMED
            said.append(f"{more} more groups of {_MANY[self.origin]} {alike} and are not shown.")
        return tuple(said)

    def on_dropped(self, dropped: Sequence[int]) -> tuple[str, ...]:
        """`dropped`: the numbers of strings whose bits others make up."""
        if not dropped:
            return ()
        others = f"combinations of other {_MANY[self.origin]}"
        return (f"reports cannot distinguish {self._names(dropped)} from {others}, so they are not shown.",)

    def on_cohorts(self, n_silent: int, n_cohorts: int) -> tuple[str, ...]:
        """`n_silent`: how many cohorts have no reports."""
        if not n_silent:
            return ()
        return (
            f"{n_silent} of {n_cohorts} cohorts have no reports. So rare strings are missed more often. Intervals "
            "allow for that.",
        )

    def on_unlisted(self, fit: GoodnessOfFit, squares: float) -> tuple[str, ...]:
        """`squares`: of a sketch, the sum of squared shares of strings that were not found."""
        if fit.p_value >= MISFIT_P_VALUE or squares <= 0:
            return ()
        return (
            f"the counts show strings that were not found: the squares of their shares add up to {squares:.3g}. That "
            f"is as much as one string of {percent(min(1.0, math.sqrt(squares)))}, which may be missing among the "
            f"{_MANY[self.origin]}. Intervals are widened for it.",
        )

    def on_length(self, filling: Sequence[str], length: int) -> tuple[str, ...]:
        """`filling`: strings that were found and are as long as the longest beginning that devices report."""
        if not filling:
            return ()
        return (
            f"as long as the longest beginning that devices report ({length} characters): {names(filling)}. Longer "
            "answers with the same beginning are counted with them.",
        )

    def _names(self, numbers: Sequence[int]) -> str:
        return names([self.strings[number] for number in numbers])


class Missed(NamedTuple):
    """How many strings of a list were not found, and the first of them."""

    n: int
    first: tuple[str, ...]

    def __str__(self) -> str:
        """Return a sentence that names them."""
        more = f" and {self.n - len(self.first):,} more" if self.n > len(self.first) else ""
        return f"Not detected: {', '.join(map(escaped, self.first))}{more}. They may be rare, not absent."


NONE_MISSED = Missed(0, ())


def missed_of(strings: Sequence[str], known: Collection[int], origin: Origin) -> Missed:
    """Return which strings of somebody's list are not among those whose numbers are known."""
    if origin != "list":
        return NONE_MISSED
    told = set(map(int, known))
    first = islice((text for number, text in enumerate(strings) if number not in told), _N_NAMED)
    return Missed(len(strings) - len(told), tuple(first))


def counted_words(n_strings: int, origin: Origin) -> str:
    """Return how many strings were tested, in words.

    >>> counted_words(1000, "list"), counted_words(1, "n-grams")
    ('1,000 candidates', '1 string made of n-grams')
    """
    return f"{n_strings:,} {(_ONE if n_strings == 1 else _MANY)[origin]}"


def names(strings: Sequence[str]) -> str:
    """Return the first of some strings, quoted, and how many more there are.

    >>> names(["fig", "plum"])
    "'fig', 'plum'"
    """
    shown = ", ".join(map(repr, strings[:_N_NAMED]))
    return shown + (f" and {len(strings) - _N_NAMED} more" if len(strings) > _N_NAMED else "")
