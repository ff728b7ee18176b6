"""What every figure that is estimated of a question is, of whatever kind, and what it is estimated of."""

from typing import Any, ClassVar, Protocol

from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.contradiction import QuestionCounts


class FoundFigure(Protocol):
    """A figure of a question, a frozen dataclass: its members are those of its JSON. `kind`: its row of `FIGURES`.

    One of which something may be said (`is_told`) has `voided()`, which returns what was counted. One that stands
    beside no other has an `answer`, `n_reports`, `epsilon`, `value`, `standard_error`, `low`, `high`, a `unit`, and, in
    words, how its `interval` is made, where not by the options' method alone. One in a unit has a `minimum` and a
    `maximum`, and says whether it `has_interval` and `is_outside` of these.
    """

    kind: ClassVar[Any]
    is_told: ClassVar[Any]

    @property
    def question(self) -> str: ...


class FigureCounts(Protocol):
    """The counts that figures of a question are estimated of. `sample`: what is held against the design.

    `n_figures`: how many figures are made of them, each with an interval.
    """

    @property
    def n_reports(self) -> int: ...
    @property
    def n_figures(self) -> int: ...
    @property
    def devices(self) -> Devices: ...
    @property
    def sample(self) -> QuestionCounts: ...
