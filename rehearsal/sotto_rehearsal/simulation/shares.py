"""Shares as a truth writes them: exact decimals, by name."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any

from sotto_protocol.documents import Fields, is_decimal
from sotto_rehearsal.simulation.errors import TruthError

EXPECTED = "a share in [0, 1], of at most 12 decimals"
_ROUNDING = Decimal("1e-9")
"""Shares add up to 1 but for so much: thirds have no exact decimals."""


def is_share(value: Any) -> bool:
    """Whether value is an integer or a Decimal in [0, 1]."""
    return is_decimal(value, Decimal(0), Decimal(1))


def take_share(fields: Fields, key: str) -> float:
    """Take a member that is a share. Raises the fields' error."""
    return float(fields.take(key, EXPECTED, is_share))


def read_shares(fields: Fields, key: str, names: Collection[str] | None, *, adds_up: bool) -> dict[str, float]:
    """Take a table of shares by name; a name that is left out has none. `names`: those that there are, None: any.

    `adds_up`: to 1, else there is no such limit. Raises TruthError at the name.
    """
    given = fields.take(key, "a table of shares", lambda v: isinstance(v, dict))
    table = Fields(given, fields.at(key), TruthError)
    known = [name for name in (given if names is None else names) if table.has(name)]
    if names is not None and "yes" in names and {"true", "false"} & given.keys():
        raise fields.fail(key, "must be of yes and no, by these names.")
    shares = {name: table.take(name, EXPECTED, is_share) for name in known}
    table.finish()
    if adds_up:
        check_sum(fields, key, [*shares.values()])
    return {name: float(share) for name, share in shares.items()}


def check_sum(fields: Fields, key: str, shares: Collection[Decimal | int]) -> None:
    """Raise TruthError unless shares add up to 1."""
    total = Decimal(sum(shares))
    if abs(total - 1) > _ROUNDING:
        raise fields.fail(key, f"must add up to 1, not to {total:f}.")
