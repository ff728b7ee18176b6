"""`sotto gateway`: the keys of the gateway for oblivious delivery, on the machine that has the database."""

from contextlib import closing

import click

from sotto_collector.commands.options import db_option
from sotto_collector.store import Store
from sotto_collector.store.gateway import GatewayKey, erase_keys, make_keys, read_identity, read_keys, sign_keys, usable
from sotto_protocol.words import counted, examples


@click.group(epilog=examples("sotto gateway key new --db survey.db", "sotto gateway key list --db survey.db"))
def gateway() -> None:
    """Make and erase the keys of the gateway for oblivious surveys."""


@gateway.group(epilog=examples("sotto gateway key new --db survey.db", "sotto gateway key list --db survey.db"))
def key() -> None:
    """Make, list and erase the gateway's keys."""


@key.command(
    epilog=examples(
        "sotto gateway key new --db survey.db", "sotto gateway key new --db postgresql://db.example.org/survey"
    )
)
@db_option
def new(db: str) -> None:
    """Make new keys, which devices use from now on.

    Devices encrypt with them for 30 days. The collector erases the private keys 16 days after that. Run this command
    every week. The first time, it also makes the key that signs the others. Surveys name that key, so it stays.
    Collectors may run meanwhile.
    """
    with closing(Store(db, create=False)) as store:
        made = make_keys(store)
        click.echo(f"epoch {made[0].epoch}, used until {made[0].used_until}, erased on {made[0].erase_on}")


@key.command(
    "list",
    epilog=examples(
        "sotto gateway key list --db survey.db", "sotto gateway key list --db postgresql://db.example.org/survey"
    ),
)
@db_option
def list_keys(db: str) -> None:
    """List the keys, the newest first.

    The first line has the key that surveys name, as `gateway_key`. The next lines have an epoch each: its days, and for
    the epoch in use the hash that devices show.
    """
    with closing(Store(db, create=False)) as store, store.reader() as connection:
        identity, keys = read_identity(connection), read_keys(connection)
        newest = usable(keys, store.today())
        digest = sign_keys(connection, newest).digest if newest else ""
        click.echo(f"gateway_key  {identity.hex()}" if identity else "no keys: make some with sotto gateway key new")
        for epoch in sorted({one.epoch for one in keys}, reverse=True):
            of_epoch = [one for one in keys if one.epoch == epoch]
            click.echo(_say(of_epoch, digest if of_epoch == newest else ""))


def _say(keys: list[GatewayKey], digest: str) -> str:
    first = keys[0]
    end = f"erased on {first.erase_on}" if any(one.private for one in keys) else "erased"
    used = f"in use, keys {digest[:16]}" if digest else "not in use"
    return f"epoch {first.epoch}  made {first.made_on}  until {first.used_until}  {end}  {used}"


@key.command(epilog=examples("sotto gateway key erase --db survey.db", "sotto gateway key erase --db survey.db --all"))
@db_option
@click.option(
    "--all", "is_all", is_flag=True, help="Erase the newest keys too: nobody can send until you make new ones."
)
def erase(db: str, is_all: bool) -> None:
    """Erase all private keys but the newest now, not on their day.

    Do so if a key was stolen, after `sotto gateway key new`. Devices that still use an old key learn of the new one and
    send again.
    """
    with closing(Store(db, create=False)) as store:
        with store.reader() as connection:
            newest = max((one.epoch for one in read_keys(connection)), default=0)
        n_keys = store.run(lambda transaction: erase_keys(transaction, older_than=newest + is_all))
    click.echo(f"erased {counted(n_keys, 'private key')}")
