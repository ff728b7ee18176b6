"""`sotto share`: a link to one survey's results, for readers without a token."""

import time
from datetime import UTC, datetime

import click

from sotto_collector.commands.options import token_option
from sotto_collector.errors import RemoteError
from sotto_collector.remote import RemoteCollector, survey_path
from sotto_collector.share_link import DAYS, ROLE, path_of
from sotto_collector.tokens import MAX_SHARED_S, hash_token
from sotto_protocol.words import examples

DAY_S = 86400


@click.command(
    epilog=examples(
        "sotto share http://127.0.0.1:8000 my-survey",
        "sotto share http://127.0.0.1:8000 my-survey --days 14 --label board",
    )
)
@click.argument("url")
@click.argument("survey")
@click.option(
    "--days",
    type=click.IntRange(1, MAX_SHARED_S // DAY_S),
    default=DAYS,
    show_default=True,
    help="Days after which the link stops working.",
)
@click.option("--label", default="", help="Whom the link is for, for sotto token list  [default: empty].")
@token_option
def share(url: str, survey: str, days: int, label: str, token: str) -> None:
    """Print a link that shows a survey's results until it ends.

    URL is the collector's, as readers reach it. SURVEY is the survey's id there. Everybody who has the link sees the
    results page and its files, and nothing else. The link needs no password. It is shown only this once.
    """
    collector = RemoteCollector(url, token)
    published = collector.ask("GET", survey_path(survey))
    sent = {"role": ROLE, "survey": survey, "label": label, "expires_in_s": days * DAY_S}
    made = collector.ask("POST", "/v1/tokens", sent).get("token")
    if not isinstance(made, str):
        raise RemoteError(f"{collector.url} must be a collector; it made no token.")
    last = datetime.fromtimestamp(time.time() + days * DAY_S, UTC).strftime("%Y-%m-%d %H:%M UTC")
    if published.get("min_reports", 1) == 1:
        click.echo(f"Warning: {survey} has no min_reports, so a reload shows what the last report changed.", err=True)
    click.echo(f"{collector.url}{path_of(survey, made)}")
    click.echo(f"It works until {last}. To end it earlier: sotto token revoke {hash_token(made).hex()[:12]}", err=True)
