"""`sotto intake`: count reports that wait in a queue."""

import signal
from collections.abc import Callable
from contextlib import closing
from typing import Any

import click

from sotto_collector.collector import Collector
from sotto_collector.commands.options import setting_option
from sotto_collector.errors import QueueError
from sotto_collector.logs import log_what_nobody_caught, set_up_logs
from sotto_collector.settings import SETTINGS, Settings
from sotto_protocol.extras import install_command
from sotto_protocol.words import counted, examples

_USED = (
    "db",
    "journal",
    "max_body_bytes",
    "max_batch_reports",
    "max_queued_reports",
    "busy_timeout_ms",
    "clock_wait_s",
    "max_reports_per_minute",
    "log_format",
    "log_time",
)


def _used_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    for row in reversed(SETTINGS):
        command = setting_option(row)(command) if row.name in _USED else command
    return command


@click.command(
    epilog=examples(
        "sotto intake redis://127.0.0.1:6379 --db survey.db",
        "sotto intake rediss://sotto@queue.example.org/0 --stream lunch --db postgresql://db.example.org/survey",
    )
)
@click.argument("queue")
@click.option("--stream", default="sotto", show_default=True, help="Stream of Redis that has the reports.")
@click.option(
    "--idle-s",
    type=click.IntRange(1, 86_400),
    default=60,
    show_default=True,
    help="Seconds after which a message that no reader settled goes to another reader.",
)
@_used_settings
def intake(queue: str, stream: str, idle_s: int, **values: Any) -> None:
    """Count reports that wait in a stream of Redis.

    A message has two fields: survey, its id, and body, the JSON that a device posts. It is counted as a POST is, and
    leaves the stream after its commit. A message that comes again is counted once. One that can never be counted goes
    to the stream STREAM-refused, with the reason. Several of these commands may read one stream, and collectors may
    run.

    Redis 6.2 or newer. If it asks for a password, set REDISCLI_AUTH in the environment. On SIGTERM or SIGINT the
    command settles what it has read, and exits.
    """
    settings = Settings(**values)
    set_up_logs(settings.log_format, settings.log_time)
    log_what_nobody_caught()
    try:
        from sotto_collector.queues.redis_stream import RedisStream
    except ModuleNotFoundError as fault:
        raise QueueError(f"sotto intake needs: {install_command('redis')}") from fault
    from sotto_collector.queues.consumer import Consumer

    with closing(Collector(settings)) as collector, closing(RedisStream(queue, stream, idle_s=idle_s)) as opened:
        consumer = Consumer(collector, opened)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: consumer.stop())
        click.echo(f"sotto intake reads {stream}")
        consumer.run()
    done = consumer.consumed
    click.echo(
        f"{counted(done.n_counted, 'report')} counted, {done.n_duplicates:,} there before, "
        f"{counted(done.n_refused, 'message')} refused"
    )
