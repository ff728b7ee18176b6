"""`sotto serve`: run the collector."""

import signal
from typing import Any

import click

from sotto_collector.collector import Collector
from sotto_collector.commands.options import all_settings
from sotto_collector.logs import log_what_nobody_caught, set_up_logs
from sotto_collector.memory import share_heaps
from sotto_collector.metrics import metrics_folder
from sotto_collector.pages.results import load_results
from sotto_collector.serving.server import listen, say_url
from sotto_collector.serving.worker import serve_on
from sotto_collector.serving.workers import Workers
from sotto_collector.settings import Settings
from sotto_collector.slot import ALONE
from sotto_collector.store import Store
from sotto_protocol.words import examples


@click.command(
    epilog=examples(
        "sotto serve --db survey.db --port 8000", "sotto serve --db survey.db --workers 2 --log-format json"
    )
)
@all_settings
@click.option("--create", is_flag=True, help="Make the database if there is none.")
def serve(create: bool, **values: Any) -> None:
    """Run the collector.

    The database must exist: make it with `sotto db init`, or give --create. Without --create, a collector whose disk is
    not mounted yet stops. It does not begin with an empty database, and tell devices that there is no such survey.

    On SIGTERM or SIGINT the collector finishes the requests that it has begun, and exits. On SIGHUP it replaces its
    workers one after the other, and loses no request. With one worker SIGHUP does nothing.
    """
    settings = Settings(**values)
    set_up_logs(settings.log_format, settings.log_time)
    log_what_nobody_caught()
    listening = listen(settings)
    url = say_url(listening)
    share_heaps()
    if create:
        Store(settings.db, busy_timeout_ms=settings.busy_timeout_ms).close()

    def announce() -> None:
        click.echo(f"sotto collector listening on {url}")

    if settings.workers == 1:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        serve_on(listening, settings, ALONE, announce)
        return
    load_results()
    with metrics_folder() as folder:
        Workers(settings, listening, folder).run(announce)
    Collector(settings).close()  # alone now: it may rewrite the database in the order of the ids
