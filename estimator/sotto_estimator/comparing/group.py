"""A group: the counts of its reports, and the channel that they went through."""

from dataclasses import dataclass

from sotto_estimator.channel.channel import Channel, check_counts, check_n, shares_of
from sotto_estimator.designs.named import channel_of_design


@dataclass(frozen=True, slots=True)
class Group:
    """Independent reports of one group: `support_count` of its `n` reports support the answer.

    Every report went through `channel`, which may be a design's name, "warner(prob=3/4)". Raises `DomainError` unless
    the counts are integers, 0 <= support_count <= n and n in [1, 10^12].
    """

    support_count: int
    n: int
    channel: Channel

    def __post_init__(self) -> None:
        object.__setattr__(self, "channel", channel_of_design(self.channel))
        check_counts([self.support_count], check_n(self.n))

    @property
    def share(self) -> float:
        """The unbiased share; it may lie outside of [0, 1]."""
        return float(shares_of(self.support_count, self.n, self.channel))
