"""What every plan is asked: exact epsilons, and for how many respondents or for which half-width."""

from collections.abc import Sequence
from decimal import Decimal

from sotto_estimator.errors import DomainError


def exact(epsilons: Sequence[float | Decimal]) -> tuple[Decimal, ...]:
    """Return epsilons as they were written, each exact. Raises DomainError where there is none.

    >>> exact([0.1, Decimal("2.5")])
    (Decimal('0.1'), Decimal('2.5'))
    """
    if not epsilons:
        raise DomainError("epsilons must not be empty: a plan is for one epsilon or more.")
    return tuple(exact_one(epsilon) for epsilon in epsilons)


def exact_one(epsilon: float | Decimal) -> Decimal:
    """Return one epsilon as it was written."""
    return epsilon if isinstance(epsilon, Decimal) else Decimal(str(epsilon))


def check_size(n: int | None, half_width: float | None) -> None:
    """Raise DomainError unless one of the two is asked for."""
    if (n is None) == (half_width is None):
        raise DomainError(f"n ({n}) or half_width ({half_width}) must be given, one of the two.")


def size_words(n: int | None, half_width: float | None) -> str:
    """Return for how many respondents, or for which half-width, something is planned."""
    return f"half-width {half_width:g}" if n is None else f"n = {n:,}"
