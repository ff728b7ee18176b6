"""Replicate weights: columns of weights as if the sample had been drawn again, which say how estimates vary.

With estimates theta_r by the weights of replicate r, the variance is the sum of scale_r (theta_r - theta)^2; what the
scales are is said by how the replicates were made (Wolter 2007; Lumley 2010, as R's survey has them, with mse = TRUE).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.spec import read_call
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.microdata.raking import Raked
from sotto_estimator.table.rows import matching

MAX_CELLS = 5 * 10**7
"""Of more rows times replicates the weights would take more than 400 MB."""
_DEPENDENT = 1e-5
"""Of a column's length at most so little is left where the columns before it say the rest."""
_FAR = 2
"""How many times the sample's weights full replicate weights may be on average, or the other way round."""
_MAX_NAMED = 5
_Scale = Callable[[int, float], float]

METHODS: dict[str, _Scale | None] = {
    "brr": lambda n, _: 1 / n,
    "fay": lambda n, rho: 1 / (n * (1 - rho) ** 2),
    "jk1": lambda n, _: (n - 1) / n,
    "jk2": lambda *_: 1.0,
    "jkn": None,
    "bootstrap": lambda n, _: 1 / (n - 1),
    "successive-difference": lambda n, _: 4 / n,
}
"""How replicates are made: the scale of each of n, by Fay's rho; None where it differs and must be given."""


@dataclass(frozen=True, slots=True)
class ReplicateMethod:
    """How replicates were made, `text`: NAME, or fay(rho=X). `scales`: one for all or one for each; () for the usual.

    Raises DomainError for what is neither.
    """

    text: str
    scales: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self._read()
        for scale in self.scales:
            if not 0 < scale < np.inf:
                raise DomainError(f"replicate_scales ({scale:g}) must be finite and > 0.")
        if METHODS[self.name] is None and not self.scales:
            raise DomainError(
                f"replicate_method {self.name} needs replicate_scales: (n - 1)/n of the stratum of each replicate."
            )

    @property
    def name(self) -> str:
        """The method's name."""
        return self._read()[0]

    def of(self, n: int) -> Floats:
        """Return the scale of each of n replicates. Raises DomainError."""
        name, rho = self._read()
        if n < 2:
            raise DomainError(f"replicates ({n}) must be two columns or more.")
        usual = METHODS[name]
        scales = self.scales or ((usual(n, rho),) if usual else ())
        if len(scales) not in (1, n):
            raise DomainError(f"replicate_scales ({len(scales)} numbers) must be one number, or {n}: one a replicate.")
        return np.broadcast_to(np.array(scales, np.float64), n)

    def _read(self) -> tuple[str, float]:
        call = read_call(self.text)
        name = call.name if call else self.text
        if call is None or name not in METHODS:
            raise DomainError(f"replicate_method ({name:.40}) {one_of(METHODS, name)}")
        given = dict(call.parameters)
        if {*given} != ({"rho"} if name == "fay" else set()):
            raise DomainError(f"replicate_method ({self.text:.60}) must be {name}{'(rho=X)' * (name == 'fay')}.")
        try:
            rho = float(given.get("rho") or 0)
        except ValueError:
            rho = np.nan
        if not 0 <= rho < 1:
            raise DomainError(f"rho ({given['rho']}) must be in [0, 1).")
        return name, rho


@dataclass(frozen=True, slots=True, eq=False)
class Replicates:
    """Weights of the rows, 0 or more, a column a replicate, shape (n, n_replicates), and the scale of each.

    `doubt`: why they may not be what they are taken for, "" where nothing says so.
    """

    names: tuple[str, ...]
    weights: Floats
    scales: Floats
    method: str
    doubt: str = ""

    def estimates(
        self, scores: Floats, domain: NDArray[np.bool_] | None, raked: Raked | None
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the shares by each replicate's weights, of those in a domain, and in which anybody is.

        Shape (n_replicates, n_answers). Weights are raked anew in each. Raises SourceError where they cannot be.
        """
        columns = self.weights
        if raked is not None:
            each = zip(self.names, self.weights.T, strict=True)
            columns = np.stack([raked.again(column, f"replicate {name}") for name, column in each], axis=-1)
        inside = columns if domain is None else columns[domain]
        totals = inside.sum(axis=0)
        found = inside.T @ (scores if domain is None else scores[domain])
        has_any = totals > 0
        return np.divide(found, totals[:, None], where=has_any[:, None], out=np.zeros_like(found)), has_any

    def lacking(self, has_any: NDArray[np.bool_]) -> str:
        """Return in words which replicates have nobody, "" where all have: of many the first ones."""
        names = [name for name, has in zip(self.names, has_any, strict=True) if not has]
        rest = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
        return f"all of them have weight 0 in {', '.join(names[:_MAX_NAMED])}{rest}" if names else ""

    def degrees(self, domain: NDArray[np.bool_] | None) -> int:
        """Return the rank of the weights of the rows in a domain, less 1, as `degf` of R's survey."""
        return _rank(self.weights if domain is None else self.weights[domain]) - 1


def doubt_of(weights: Floats, replicates: Floats, *, are_factors: bool) -> str:
    """Return why columns may not be what they are taken for; "" where nothing says so. `replicates`: full weights.

    Full weights are about the sample's weights on average, and follow them: a row's mean replicate weight is nearer to
    its own weight than to that of all rows. If `are_factors`, `replicates` are the products.
    """
    of_rows = replicates.mean(axis=1)
    part = float(of_rows.mean() / weights.mean())
    is_far = not 1 / _FAR <= part <= _FAR
    if are_factors:
        said = f"times the weights, the replicates are {part:.3g} times as large as these on average"
        return f"{said}. If they are full weights, leave out replicate_factors." if is_far else ""
    if is_far:
        said = f"the replicate weights are {part:.3g} times as large as the weights on average"
    elif _spread(of_rows) < (follows := _spread(of_rows / weights)) / 2 and follows > _DEPENDENT:
        said = "the replicate weights do not follow the weights from row to row"
    else:
        return ""
    return f"{said}. If they are factors, the errors are wrong: give replicate_factors."


def _spread(numbers: Floats) -> float:
    """Return the squared coefficient of variation."""
    return float(numbers.var() / numbers.mean() ** 2)


def _rank(columns: Floats) -> int:
    """Return how many columns are not said by those before them, up to 1e-5, as R's `qr(.., tol = 1e-5)$rank`."""
    basis: list[Floats] = []
    triangle = np.asarray(np.linalg.qr(columns, mode="r"), np.float64)
    for column in triangle.T:
        rest = column
        for _ in range(2):  # the second time for what rounding leaves
            for of in basis:
                rest = rest - (of @ rest) * of
        length = float(np.linalg.norm(rest))
        if length > _DEPENDENT * np.linalg.norm(column):
            basis.append(rest / length)
    return len(basis)


def names_of(columns: Sequence[str], wanted: Sequence[str], weights: str) -> tuple[str, ...]:
    """Return which columns are replicates: those that are named, and those that a name with * stands for.

    The column of the sample's own weights is none. Raises DomainError for one that is named twice.
    """
    found = [name for of in wanted for name in matching(columns, of) if name != weights or "*" not in of]
    if len({*found}) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise DomainError(f"replicates name the column {twice:.80} twice.")
    return tuple(found)
