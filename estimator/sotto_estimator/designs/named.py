"""Designs by name in place of a channel: what takes a `Channel` takes "warner(prob=3/4)" too."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from sotto_estimator.channel import channel as channels
from sotto_estimator.channel.channel import Channel
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals import fakes, intervals

_Function = TypeVar("_Function", bound=Callable[..., Any])


def channel_of_design(channel: Channel | str) -> Channel:
    """Return a channel, or that of a design that is written as NAME(parameter=value, ..).

    Raises DomainError unless the design has two reports and two answers, and a yes that speaks for yes.

    >>> channel_of_design("warner(prob=3/4)").prob_support_if_true
    0.75
    """
    if isinstance(channel, Channel):
        return channel
    if not isinstance(channel, str):
        raise DomainError(f"channel ({channel!r:.40}) must be a Channel, or a design such as warner(prob=3/4).")
    design = read_design(channel)
    if not design.is_binary:
        raise DomainError(
            f"{design.name} has {len(design.reports)} reports, not 2. Give its counts with `arm` to `estimate_arms`."
        )
    if design.is_opposite:
        raise DomainError(
            f"{design.name}: with these values a yes points to no. Give the complement, and count the no reports."
        )
    return design.channel


def takes_named_design(function: _Function) -> _Function:
    """Let argument `channel` of a function be a design's name with its values."""
    place = [*signature(function).parameters].index("channel")

    @wraps(function)
    def with_name(*arguments: Any, **given: Any) -> Any:
        if "channel" in given:
            given["channel"] = channel_of_design(given["channel"])
        elif len(arguments) > place:
            arguments = (*arguments[:place], channel_of_design(arguments[place]), *arguments[place + 1 :])
        return function(*arguments, **given)

    return with_name  # type: ignore[return-value]  # it has the function's own signature


debias = takes_named_design(channels.debias)
standard_error = takes_named_design(channels.standard_error)
confidence_interval = takes_named_design(intervals.confidence_interval)
allow_for_fakes = takes_named_design(fakes.allow_for_fakes)
