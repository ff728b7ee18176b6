"""The power of a test for a change of a share between two waves, by who is asked in them.

Of other people in each wave it is that of two groups. Of the same people the test is the same, since a collector does
not know who is who: reports of one device are alike rather than unlike, so the counts' difference has less variance
than the test allows for, and its level holds, to the normal approximation. That smaller variance is what is planned
with here.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats, report_variance
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.planning.options import check_share
from sotto_estimator.planning.power import USUAL, Errors, n_of_expected
from sotto_estimator.planning.power_groups import GroupsTest

People = Literal["other", "same", "anew"]
PEOPLE: tuple[People, ...] = get_args(People)


@dataclass(frozen=True, slots=True)
class ChangeTest:
    """A test of a share that becomes `later_share`, of n people in each wave.

    `people`: other ones in each wave; the same, whose devices keep the noise of an unchanged answer (waves of one
    survey); the same with noise drawn anew (two surveys). Of the same ones as few change their answer as the shares
    ask for: from no to yes, or from yes to no, and not both.
    """

    channel: Channel
    share: float
    later_share: float
    people: People = "other"
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        if self.people not in PEOPLE:
            raise DomainError(f"people ({self.people!r}) {one_of(PEOPLE, self.people)}")
        if check_share(self.share) == check_share(self.later_share):
            raise DomainError(f"later_share ({self.later_share!r}) must differ from share ({self.share!r}).")

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the test finds the change; exact of other people, else approximate."""
        if self.people == "other":
            return self._of_groups().powers(n)
        high, low = self._of_groups().reported
        middle = (high + low) / 2
        critical = -float(special.ndtri(self.errors.tail)) * np.sqrt(2 * n * middle * (1 - middle))
        gap = n * (high - low) - 1  # as of two groups: counts are whole
        return np.asarray(special.ndtr((gap - critical) / np.sqrt(n * self.difference_variance())))

    def least_n(self) -> int:
        """Return the least n of which both waves are expected to have enough reports of the rarer kind."""
        if self.people == "other":
            return self._of_groups().least_n()
        middle = sum(self._of_groups().reported) / 2
        return n_of_expected(2 * min(middle, 1 - middle))

    def n_ahead(self, n: int) -> float:
        """Return the sizes over which powers saw."""
        return self._of_groups().n_ahead(n) if self.people == "other" else 0

    def difference_variance(self) -> float:
        """Return the variance of the difference between one person's two reports, over people and noise."""
        shares = self.share, self.later_share
        both = sum(float(report_variance(share, self.channel, "population")) for share in shares)
        if self.people == "other":
            return both
        alike_yes, alike_no = min(shares), 1 - max(shares)
        of_people = self.channel.contrast**2 * (alike_yes - shares[0] * shares[1])
        kept = alike_yes * self.channel.variance_if_true + alike_no * self.channel.variance_if_other
        return both - 2 * (of_people + (kept if self.people == "same" else 0))

    def _of_groups(self) -> GroupsTest:
        return GroupsTest(self.channel, self.share, self.later_share, self.errors)
