"""Firefox New Tab's clicks: the item that was clicked, or, by chance, any of the feed's.

With the probability `keep` the item is sent as it is; else any of the k items of the feed, the clicked one among them,
is drawn: so it is sent with keep + (1 - keep) / k, and any other with (1 - keep) / k. Firefox sets
keep = e^epsilon / (e^epsilon + k - 1), which would realise epsilon if one of the others were drawn; as it is, it
realises ln(1 + k keep / (1 - keep)): 1.32 of an epsilon of 1 at 100 items.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Self

from sotto_estimator.channel.channel import Channel, check_epsilon
from sotto_estimator.errors import DomainError, NoReportsError
from sotto_estimator.formats.records import Progress, Record, ignore, read_records
from sotto_estimator.formats.shares import FormatShares
from sotto_estimator.intervals.contradiction import QuestionCounts
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.of_tally import estimate_samples
from sotto_protocol.bounds import float_above, log_ratio_above
from sotto_protocol.words import counted, epsilon_above, ordinal

LEAST_ITEMS = 10
"""Of fewer, Firefox sends clicks as they are."""
MAX_ITEMS = 100_000
_ITEM = "corpus_item_id"
_CHOSEN = (
    "an interval holds by itself for an item that was named beforehand, not for one that has a row because it came: "
    "simultaneous intervals do"
)


@dataclass(frozen=True, slots=True)
class ReplaceWithAny:
    """`n_items` in the feed, in [10, 100 000]; `keep` in (0, 1): the truth is kept, else any of the items is sent."""

    n_items: int
    keep: float

    def __post_init__(self) -> None:
        if not LEAST_ITEMS <= self.n_items <= MAX_ITEMS:
            raise DomainError(f"items ({self.n_items}) must be in [{LEAST_ITEMS}, {MAX_ITEMS:,}], as those with noise.")
        if not 0 < self.keep < 1:
            raise DomainError(f"keep ({self.keep!r}) must be in (0, 1).")

    @classmethod
    def of_setting(cls, n_items: int, epsilon: float) -> Self:
        """Return what Firefox does where its setting is this epsilon."""
        check_epsilon(epsilon)
        return cls(n_items, 1 / (1 + (n_items - 1) * math.exp(-epsilon)))

    @property
    def channel(self) -> Channel:
        """What a report says of an item."""
        other = (1 - self.keep) / self.n_items
        return Channel(self.keep + other, other)

    @property
    def epsilon(self) -> float:
        """What it realises, in nats, rounded up.

        >>> round(ReplaceWithAny.of_setting(100, 1).epsilon, 4)
        1.3206
        """
        keep = Fraction(self.keep)
        odds = 1 + self.n_items * keep / (1 - keep)
        return float_above(log_ratio_above(odds.numerator, odds.denominator))


def read_firefox_clicks(
    paths: Sequence[Path | str],
    *,
    items: int,
    epsilon: float | None = None,
    keep: float | None = None,
    by: str | None = None,
    options: IntervalOptions | None = None,
    progress: Progress = ignore,
) -> FormatShares:
    """Estimate what share of clicks each item truly has.

    A record has `corpus_item_id`; one whose `is_sponsored` is true is left out, as it has no noise. `items`: how many
    the feed has; `epsilon`: Firefox's setting, or `keep`: the probability that the truth is kept. Raises SourceError
    with the line where more items are reported than there are; `DomainError` for parameters outside of their domains.
    """
    if by is not None:
        raise DomainError("by must not be given: firefox-clicks is estimated as a whole.")
    if (epsilon is None) == (keep is None):
        raise DomainError("epsilon, Firefox's setting, or keep must be given: one of the two.")
    noise = ReplaceWithAny(items, keep) if keep is not None else ReplaceWithAny.of_setting(items, float(epsilon or 0))
    files = [Path(path) for path in paths]
    counts, n_sponsored = _count(read_records(files, progress), items)
    if not counts:
        raise NoReportsError("the files hold no clicks with noise; an estimate needs at least one.")
    unreported = [f"unreported {number}" for number in range(items - len(counts))]
    labels = [*(item for item, _ in counts.most_common()), *unreported]
    sample = QuestionCounts("item", labels, [counts[label] for label in labels], noise.channel)
    found = estimate_samples(", ".join(map(str, files)), [sample], counts.total(), [noise.epsilon], options)
    notes = _notes(noise, epsilon, len(unreported), n_sponsored)
    if unreported and not found.options.simultaneous:
        notes += (_CHOSEN,)
    return FormatShares(replace(found, figures=found.rows[: len(counts)]), notes)


def _count(records: Iterable[Record], n_items: int) -> tuple[Counter[str], int]:
    counts: Counter[str] = Counter()
    n_sponsored = 0
    for record in records:
        if record.members.get("is_sponsored") in (True, "true"):
            n_sponsored += 1
            continue
        counts[record.group(_ITEM)] += 1
        if len(counts) > n_items:
            record.refuse(f"{_ITEM} is the {ordinal(len(counts))} that is reported, of {n_items} items.")
    return counts, n_sponsored


def _notes(noise: ReplaceWithAny, epsilon: float | None, n_unreported: int, n_sponsored: int) -> tuple[str, ...]:
    realised = epsilon_above(noise.epsilon)
    said = [
        f"{noise.n_items} items; the clicked one is kept with probability {noise.keep:.6f}, else any is sent: that is "
        f"epsilon {realised}" + (f", where the setting is {epsilon:g}" if epsilon is not None else "")
    ]
    said += [f"{counted(n_unreported, 'item')} never reported, without a row"] * bool(n_unreported)
    said += [f"{counted(n_sponsored, 'sponsored click')} left out: they have no noise"] * bool(n_sponsored)
    return tuple(said)
