"""A margin: what is to be shown of a difference of shares, that it is smaller than so many points."""

from dataclasses import dataclass
from typing import Literal, get_args

from sotto_estimator.errors import DomainError

Kind = Literal["within", "not_lower_by", "not_higher_by"]
MARGINS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Margin:
    """What is to be shown of differences: that they are smaller than these points, above 0 and below 100."""

    kind: Kind
    points: float

    def __post_init__(self) -> None:
        if not 0 < self.points < 100:
            raise DomainError(f"{self.kind} ({self.points:g}) must be above 0 and below 100, in points.")

    @classmethod
    def of(cls, **given: float | None) -> "Margin | None":
        """Return the one that is given, by its kind; None where none is. Raises DomainError where several are."""
        named = {kind: points for kind, points in given.items() if points is not None}
        if len(named) > 1:
            raise DomainError(f"{' and '.join(named)} do not go together: give one margin.")
        return next((cls(kind, float(points)) for kind, points in named.items()), None)  # type: ignore[arg-type]

    @property
    def share(self) -> float:
        """The same as a fraction."""
        return self.points / 100

    def holds(self, low: float, high: float) -> bool:
        """Return whether an interval of a difference lies in what is to be shown."""
        is_above, is_below = low > -self.share, high < self.share
        return {"within": is_above and is_below, "not_lower_by": is_above, "not_higher_by": is_below}[self.kind]

    def larger(self, of_lower: float, of_higher: float) -> float:
        """Return the P-value, by those of a difference that is lower, or higher, by the margin or more."""
        return {"within": max(of_lower, of_higher), "not_lower_by": of_lower, "not_higher_by": of_higher}[self.kind]


def margin_around(null: float, within: float) -> Margin:
    """Return what shows that a share is this near to `null`. Raises DomainError for one that every share is within."""
    margin = Margin("within", float(within))
    if margin.points >= (farthest := 100 * max(null, 1 - null)):
        raise DomainError(f"within ({margin.points:g}) must be below {farthest:g} points: no share is farther.")
    return margin
