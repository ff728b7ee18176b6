"""The day that it is, in UTC: on the one after its last day a survey is closed."""

from collections.abc import Callable
from datetime import UTC, datetime

from sotto_collector.errors import SurveyClosedError
from sotto_protocol import Survey

Today = Callable[[], str]
"""Says which day it is, such as 2026-12-31."""


def today_utc() -> str:
    """Return the day that this machine's clock says it is, in UTC."""
    return datetime.now(UTC).date().isoformat()


def is_over(survey: Survey, today: str) -> bool:
    """Whether a survey's last day is over. Days are compared as they are written: all of them have ten characters."""
    return bool(survey.closes) and survey.closes < today


def refuse_report(survey: Survey, today: str) -> SurveyClosedError:
    """Return the error of a report that comes too late; it says which day was the last, if that is why."""
    when = f": its last day was {survey.closes}, in UTC" if is_over(survey, today) else ""
    return SurveyClosedError(f"the survey takes no more reports{when}.")
