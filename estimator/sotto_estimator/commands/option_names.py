"""Messages of Python's functions as a command says them: where these name an argument, it names the option.

A message names an argument of several words anywhere (`replicate_method`), for no sentence has such a word. One of a
single word may be a word of the sentence, so its place tells: at the head before its value or a verb (`within (0) must
be ..`, `simultaneous and fdr do not go together`), or after a phrase such as "go with" or "leave out".
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

from sotto_estimator.errors import EstimatorError

_NAMES = r"[a-z_]+(?:, [a-z_]+)*(?:,? (?:and|or) [a-z_]+)?"
_VERBS = "go|goes|do|does|must|need|needs|take|takes|is|are|name|leave"
_HEAD = re.compile(rf"\A{_NAMES}(?= (?:{_VERBS})\b)")
_VALUE = re.compile(r"(?:\A|(?<=above )|(?<=below )|(?<=from )|(?<=and ))[a-z]+(?= \()")
_AFTER = re.compile(
    rf"\b((?:goes|go) with(?:out)?|take the place of|leave out|take no|beside|give) ({_NAMES})", re.IGNORECASE
)
_LONG = re.compile(r"(?<![\w'\".=-])[a-z]+(?:_[a-z]+)+(?![\w'\"])")
_WORD = re.compile(r"[a-z]+(?:_[a-z]+)*")


def with_options(text: str, context: click.Context) -> str:
    """Return a message in which arguments that are options of the command that runs have the options' names."""
    names = {
        spelling.removeprefix("--").replace("-", "_"): parameter
        for parameter in context.command.params
        for spelling in parameter.opts
        if spelling.startswith("--")
    }

    def renamed(words: str) -> str:
        found = _WORD.findall(words)
        known = [word for word in found if word in names]
        return _WORD.sub(lambda word: _option(word[0]) if word[0] in known else word[0], words)

    said = _HEAD.sub(lambda found: renamed(found[0]), text)
    said = _VALUE.sub(lambda found: renamed(found[0]) if _has_value(names.get(found[0]), context) else found[0], said)
    said = _AFTER.sub(lambda found: f"{found[1]} {renamed(found[2])}", said)
    return _LONG.sub(lambda found: renamed(found[0]), said)


@contextmanager
def naming_options(context: click.Context) -> Iterator[None]:
    """Let errors of the estimator, and refusals that quote errors, name the options of the command that runs."""
    try:
        yield
    except EstimatorError as fault:
        fault.args = (with_options(str(fault), context), *fault.args[1:])
        raise
    except click.ClickException as fault:
        if fault.__cause__:
            vars(fault).update(message=with_options(fault.message, context))
        raise


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _has_value(parameter: click.Parameter | None, context: click.Context) -> bool:
    """Return whether an option has a value that a message can be about: typed, or its default."""
    value = context.params.get(str(parameter.name)) if parameter else None
    return value not in (None, "", ())
