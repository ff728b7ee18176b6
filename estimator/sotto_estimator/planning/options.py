"""What kind of intervals is planned: those of an estimate, at a share that is expected."""

from dataclasses import dataclass, replace

from sotto_estimator.channel.channel import Target
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.assurance import EXPECTED

PLANNED = ("level", "method", "target", "share", "n_candidates", "assurance")
"""The options that a plan has; of the others of an estimate it takes none."""
OF_WIDTHS = ("level", "method", "share", "assurance", "target")
"""Those that half-widths of shares have."""


@dataclass(frozen=True, slots=True)
class PlanOptions(IntervalOptions):
    """The intervals that a plan is for: those of `sotto estimate`, at an expected true share.

    `share` is the expected share, in [0, 1]. Hoeffding's width holds for every share. `n_candidates` is how many texts
    a text question is searched for. `assurance`, in (0, 1), is the probability that a share's half-width about the
    population is reached. `target` says which intervals must reach a goal. Raises DomainError, which names the option.
    """

    share: float = 0.5
    n_candidates: int = 100
    assurance: float = EXPECTED

    def __post_init__(self) -> None:
        IntervalOptions.__post_init__(self)
        self.only("a plan", *PLANNED)
        check_share(self.share)
        if not 0 < self.assurance < 1:
            raise DomainError(f"assurance ({self.assurance!r}) must be in (0, 1).")

    def for_target(self, target: Target) -> "PlanOptions":
        """Return a copy for one target. The respondents' half-width is that of the expected count."""
        return replace(self, target=target, assurance=self.assurance if target == "population" else EXPECTED)

    def members(self, *names: str) -> dict[str, float | str]:
        """Return some of `PLANNED` for JSON, with whom the plan is about."""
        return {name: self.about if name == "target" else getattr(self, name) for name in names}


def check_share(share: float) -> float:
    """Return the share, or raise `DomainError` unless it lies in [0, 1]."""
    if not 0 <= share <= 1:
        raise DomainError(f"share ({share!r}) must be in [0, 1].")
    return share
