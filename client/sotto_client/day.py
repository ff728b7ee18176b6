"""The device's day, in UTC."""

import time
from datetime import UTC, date, datetime


def day_of(moment: float) -> date:
    """Return the day of a moment in seconds since 1970."""
    return datetime.fromtimestamp(moment, UTC).date()


def today() -> date:
    """Return the day that this device's clock says it is."""
    return day_of(time.time())
