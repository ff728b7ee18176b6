"""What a check of an audit comes to, in words."""

from typing import NamedTuple


class Check(NamedTuple):
    """What was looked at, whether it is as it should be, and what was seen; of which question, if of one."""

    name: str
    passed: bool
    said: str
    question: str = ""
