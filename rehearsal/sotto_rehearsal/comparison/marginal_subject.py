"""The share of one answer to a question that is asked together with others: of all combinations that have it."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.channel.sums import sum_share
from sotto_estimator.inference.marginal import Marginal
from sotto_estimator.inference.unions import groups_of
from sotto_estimator.planning.outlook import FigureOutlook, outlook_of
from sotto_protocol.coins import Coins
from sotto_rehearsal.comparison.share_subject import ShareSubject


@dataclass(frozen=True)
class MarginalSubject(ShareSubject):
    """A `Marginal`: devices report combinations, of one joint question or, as each draws, of one of several."""

    @property
    def _outlook(self) -> FigureOutlook:
        return outlook_of(self.question)

    def local_deviation(self, target: Target) -> float:
        return self._outlook.error(self.n, self._plan(target), target)

    def local_half_width(self) -> float:
        return self._outlook.width(self.n, self._plan(self.options.about), self.options.about)

    def reported(self, answers: NDArray[Any], coins: Coins) -> Floats:
        """Return the same by joint reports; what people answer to the other questions makes no difference to it."""
        marginal = cast(Marginal, self.question)
        asked = coins.uniform(len(marginal.places), len(answers)).astype(np.int64)
        named, n_asked = [], np.bincount(asked, minlength=len(marginal.places))
        for number, (joint, place) in enumerate(marginal.places):
            sizes = [len(item.kind.answers) for item in joint.items]
            told = answers[asked == number]
            cells = np.ravel_multi_index([told if at == place else 0 * told for at in range(len(sizes))], sizes)
            support = joint.mechanism.count_support(joint.mechanism.perturb(cells, coins))
            named.append([int(support[of].sum()) for of in marginal.cells(joint, place)])
        return np.array(
            [self._share(label, np.array(named)[:, label], n_asked) for label in range(len(marginal.labels))]
        )

    def _share(self, label: int, named: NDArray[Any], n_asked: NDArray[Any]) -> float:
        groups = groups_of(cast(Marginal, self.question), label)
        counted = [replace(of, number=float(n)) for of, n in zip(groups, n_asked, strict=True)]
        return sum_share(sum(of.factor * count for of, count in zip(groups, named.tolist(), strict=True)), counted)

    def _devices_needed(self, wanted: float) -> int:
        return self._outlook.answers_needed(wanted, self._plan(self.options.about))
