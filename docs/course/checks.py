"""What the course's notebooks check with."""

from collections.abc import Callable


def right(is_right: Callable[[], object], hint: str) -> bool:
    """Say whether what you wrote is right, or what to think about. A cell with `...` in it is not right yet."""
    try:
        found = bool(is_right())
    except Exception:  # whatever an unfinished cell raises
        found = False
    print("Right." if found else f"Not yet. {hint}")
    return found
