"""P-values of several tests that hold together: Holm's method, which finds all that Bonferroni's does, and more."""

from collections.abc import Sequence

HOLM = "; P-values valid together by Holm's method, which may find what an interval does not rule out"


def holm(p_values: Sequence[float]) -> list[float]:
    """Return P-values that all hold together, however the tests depend on one another (Holm 1979), in their order.

    Those at most alpha are of tests of which, with probability 1 - alpha at least, none finds what is not there.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, least = [0.0] * len(p_values), 0.0
    for n_before, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        least = max(least, min(1.0, (len(p_values) - n_before) * p_values[place]))
        found[place] = least
    return found
