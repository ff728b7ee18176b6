"""What a command is pointed at: URL SURVEY or FILE .., as they are typed."""

from collections.abc import Sequence
from pathlib import Path

import click

from sotto_estimator.commands.options import refuse_token, warn
from sotto_estimator.sources.kinds import REPORTS
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import CollectorSource, FileSource, Source, names_collector, source_in_store
from sotto_protocol import Tally
from sotto_protocol.store_address import names_store


def read_source(words: Sequence[str], token: str, *, then: str = "") -> Source:
    """Return what URL SURVEY, or one FILE or more, stand for. `then`: what follows them, for the words of a refusal.

    Raises UsageError for a collector that cannot be asked, and for a token that was typed where none is.
    """
    if not names_collector(words):
        refuse_token()
        if any(map(names_store, words)):
            if len(words) > 1:
                raise click.UsageError("An archive in a store is read alone. Count it with sotto tally, then merge.")
            return source_in_store(words[0])
        return FileSource(tuple(Path(word) for word in words), warn)
    if len(words) != 2:
        raise click.UsageError(f"A collector's URL is followed by one survey's id{then}.")
    if not token:
        raise click.UsageError("A collector answers only analysts: give --token, or set SOTTO_TOKEN.")
    return CollectorSource(words[0], words[1], token, warn)


def tally_of(source: Source, chosen: Selection) -> Tally:
    """Return a source's tally of these reports. Raises UsageError where a part of a tally is meant, else as `tally`."""
    check_chosen(source, chosen)
    return source.tally(chosen)


def check_chosen(source: Source, chosen: Selection) -> None:
    """Raise UsageError where a part is meant of what has none."""
    if chosen and not source.gives(REPORTS):
        option = "--stratum" if chosen.wave is None else "--wave"
        raise click.UsageError(f"{option} goes with a collector's URL, or with packed reports.")
