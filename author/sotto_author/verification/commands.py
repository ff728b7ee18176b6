"""`sotto verify`: the command."""

import json
import re
import time
from itertools import count
from pathlib import Path
from random import SystemRandom

import click

from sotto_author.errors import AuthorError
from sotto_author.verification.verification import verify as verify_now
from sotto_author.verification.verified import Verified
from sotto_author.verification.visitor import DIRECT
from sotto_client.commands import echo
from sotto_client.masking import displayed
from sotto_protocol.words import examples

_chance = SystemRandom()
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Period(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on, and we take 8.2
    """A length of time, such as 30s, 10m, 2h, 1d; in seconds."""

    name = "period"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return it in seconds."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"([1-9]\d{0,5})([smhd])", str(value))
        return float(int(found[1]) * _UNITS[found[2]]) if found else self.fail("it must be such as 30s, 10m, 2h or 1d.")


@click.command(
    epilog=examples(
        "sotto verify http://127.0.0.1:8000 my-survey",
        "sotto verify http://127.0.0.1:8000/s/my-survey --every 10m --times 1 --json",
    )
)
@click.argument("url")
@click.argument("survey", default="")
@click.option("--fingerprint", default="", help="Survey's fingerprint, from an invitation or poster  [default: none].")
@click.option(
    "--manifest", default="", help="File or address of the hashes that the release published  [default: none]."
)
@click.option(
    "--from",
    "places",
    multiple=True,
    metavar="PROXY",
    help="Proxy to fetch through, such as socks5h://127.0.0.1:9050. Can be repeated  [default: direct].",
)
@click.option("--whole", "is_whole", is_flag=True, help="Compare every file of the release, also what no page loads.")
@click.option("--every", type=Period(), help="Do it again and again, after this time on average, such as 10m.")
@click.option("--times", type=click.IntRange(1), help="With --every, end after this many times  [default: never].")
@click.option(
    "--save", type=click.Path(path_type=Path), help="Save what differs to this new folder, as proof  [default: none]."
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
def verify(
    url: str,
    survey: str,
    fingerprint: str,
    manifest: str,
    places: tuple[str, ...],
    is_whole: bool,
    every: float | None,
    times: int | None,
    save: Path | None,
    is_json: bool,
) -> None:
    """Compare what a collector serves with its release, byte by byte.

    URL is the collector's, and SURVEY the survey's id there. URL can also be the address of the survey's page. The
    command opens the page as a visitor does, with no token. It makes the same page itself, in each language and wave,
    from the survey and this release. It compares the pages, their headers, the scripts and the survey.

    The exit status is 0 if all is the same, and 1 if anything differs. It is 2 if nothing differs and something could
    not be fetched, or an option is wrong. It is 3 if nothing was compared. With --every the command goes on until
    something differs.

    A collector can serve one person another page than you get. It can choose by address, browser, invitation or moment.
    You can make that riskier, with --every at times that nobody can predict, and with --from. You can never exclude it.
    This program must also come from somewhere that you trust.
    """
    if times is not None and every is None:
        raise click.UsageError("--times goes with --every.")
    for turn in count(1):
        try:
            found = verify_now(
                url,
                survey,
                fingerprint=fingerprint,
                places=places or (DIRECT,),
                manifest=manifest,
                is_whole=is_whole,
            )
        except AuthorError as fault:
            raise _NotComparedError(displayed(str(fault))) from fault
        if is_json:
            click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=None if every else 2))
        else:
            echo(found.summary if turn > 1 and not found.status else str(found))
        if every is None or found.differing or turn == times:
            break
        time.sleep(every * _chance.uniform(0.5, 1.5))
    if save is not None and found.differing:
        _save(found, save)
    click.get_current_context().exit(found.status)


class _NotComparedError(click.ClickException):
    """What was asked cannot be compared: no sign that anything differs, so the exit status is another."""

    exit_code = 3


def _save(found: Verified, folder: Path) -> None:
    """Write the bodies that differ to a new folder, with what was compared. Raises AuthorError."""
    try:
        folder.mkdir()
        (folder / "verified.json").write_text(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
        for number, each in enumerate(found.differing, 1):
            (folder / f"{number}.bin").write_bytes(each.body)
    except OSError as fault:
        raise AuthorError(f"--save ({folder}) must be a new folder that can be written: {fault.strerror}.") from fault
    click.echo(f"What differs is in {folder}: verified.json, and what was served as 1.bin, 2.bin, ..", err=True)
