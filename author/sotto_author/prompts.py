"""Questions at the terminal that say, where an answer is none, what one looks like."""

from collections.abc import Callable

import click


def ask_whether(said: str, *, is_usual: bool = True) -> bool:
    """Return whether the answer is yes, as it is by default unless it `is_usual` not. Raises click.Abort at the end."""
    choice, usual = ("[Y/n]", "y") if is_usual else ("[y/N]", "n")
    return bool(click.prompt(f"{said} {choice}", usual, show_default=False, err=True, value_proc=_read_whether))


def ask_whole(said: str, usual: int, least: int, most: int) -> int:
    """Return a whole number in [least, most]. Raises click.Abort at the end of the input."""
    return int(click.prompt(said, usual, err=True, value_proc=_whole_reader(least, most)))


def ask_whole_or_none(said: str, least: int, most: int) -> int | None:
    """Return a whole number in [least, most]; None for an empty answer. Raises click.Abort at the end of the input."""
    read = _whole_reader(least, most)
    number: int | None = click.prompt(
        said, "", show_default=False, err=True, value_proc=lambda answer: read(answer) if answer.strip() else None
    )
    return number


def _whole_reader(least: int, most: int) -> Callable[[str], int]:
    def read(answer: str) -> int:
        try:
            number = int(answer)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise click.UsageError(f"a whole number is needed, from {least} to {most}.")
        return number

    return read


def _read_whether(answer: str) -> bool:
    word = answer.strip().lower()
    if word not in ("y", "yes", "n", "no"):
        raise click.UsageError("y or n is needed.")
    return word[0] == "y"
