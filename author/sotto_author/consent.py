"""A verdict is repeated before what cannot be taken back, and the author asked where nothing useful can come."""

import sys

import click

from sotto_author.crowd import Crowd
from sotto_author.crowd_words import say_never, say_useless, say_verdicts
from sotto_author.errors import AuthorError
from sotto_client.commands import echo
from sotto_protocol.members import MAX_PEOPLE

people_option = click.option(
    "--n",
    type=click.IntRange(2, MAX_PEOPLE),
    metavar="PEOPLE",
    help="Number of people who will answer, to see what they will show  [default: `people` in the file].",
)
yes_option = click.option(
    "--yes", "is_sure", is_flag=True, help="Do not ask first if the results will be of little use."
)


def repeat(crowd: Crowd) -> None:
    """Say on stderr what a crowd will show."""
    echo(say_verdicts(crowd), is_error=True)
    for line in filter(None, [*say_useless(crowd), say_never(crowd)]):
        echo(f"Warning: {line}", is_error=True)


def agree(crowd: Crowd, question: str, refusal: str, *, is_sure: bool) -> None:
    """Say on stderr what a crowd will show, and ask `question` where something of it is of no use to anybody.

    Raises click.Abort where the answer is no, and AuthorError, `refusal`, where nobody is there to be asked and --yes
    is not given.
    """
    repeat(crowd)
    if not crowd.is_usable:
        confirm(question, refusal, is_sure=is_sure)


def confirm(question: str, refusal: str, *, is_sure: bool) -> None:
    """Ask `question`, unless --yes is given. Raises as `agree` does."""
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise AuthorError(refusal)
    click.confirm(question, abort=True, err=True)
