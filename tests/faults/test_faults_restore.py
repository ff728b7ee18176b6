"""The bad day, as a drill: a backup, further reports and acts, the loss of the database, a restore, devices that send
again. No report counts twice, none is invented, and what is lost is what docs/restore.md says.

A crowd makes the load, and sends again by hand; the diarists are real clients, which send again by themselves.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from collecting import INVITED, SMALL, Served, make_reports, serve
from crowd import FULL, Crowd, check_stored
from diarists import WEEKS, Diarists
from postgres_server import database_of
from sotto_client.cli import main
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_protocol import Report, Survey, Tally, stack_records
from wire import wire_to

CHANCE = random.Random(16)  # noqa: S311  # when what happens, no secret
LEAST = 40
DRILLED = replace(SMALL, id="drilled", min_reports=LEAST)
GUESTS = replace(INVITED, id="guests")
N_GUESTS = 12


@dataclass
class World:
    """What the people outside know: what they sent, did and saw."""

    crowd: Crowd
    erased: set[bytes] = field(default_factory=set)
    perhaps_erased: set[bytes] = field(default_factory=set)
    guests: list[Report] = field(default_factory=list)
    counted_guests: set[bytes] = field(default_factory=set)
    uninvited: set[bytes] = field(default_factory=set)
    revoked: list[str] = field(default_factory=list)
    given: list[bytes] = field(default_factory=list)
    marks: list[str] = field(default_factory=lambda: ["0"])

    def see(self, served: Served) -> None:
        """Read the tally as an analyst: the same as one before, or of so many more reports than any."""
        status, _, body = served.fetch("GET", f"/v1/surveys/{DRILLED.id}/tally", token=served.analyst)
        if status == 403:  # nothing since the start, or the backup's and not enough yet
            return
        assert status == 200, body
        largest = max((Tally.from_json(before).n_reports for before in self.given), default=0)
        if body not in self.given:
            assert Tally.from_json(body).n_reports >= largest + LEAST
            self.given.append(body)

    def erase(self, served: Served) -> None:
        """Erase an acknowledged report by its receipt."""
        if left := sorted(self.crowd.acknowledged - self.erased - self.perhaps_erased):
            receipt = CHANCE.choice(left)
            self.perhaps_erased.add(receipt)
            sent = json.dumps({"receipt": receipt.hex()}).encode()
            status = served.ask("POST", f"/v1/surveys/{DRILLED.id}/erase", sent)[0]
            if status == 200:
                self.erased.add(receipt)
            assert status in (200, 404)  # one that is lost

    def revoke(self, served: Served) -> None:
        """Make a token, and revoke it: it is revoked once that is acknowledged."""
        made = json.dumps({"role": "monitor"}).encode()
        token = served.ask("POST", "/v1/tokens", made, served.admin)[2]["token"]
        tokens = served.ask("GET", "/v1/tokens", token=served.admin)[2]["tokens"]
        prefix = CHANCE.choice([row["hash_prefix"] for row in tokens if row["role"] == "monitor"])
        status, _, document = served.ask("DELETE", f"/v1/tokens/{prefix}", token=served.admin)
        assert (status, document["hash_prefix"]) == (200, prefix)
        if served.ask("GET", "/metrics", token=token)[0] == 401:
            self.revoked.append(token)

    def welcome(self, served: Served) -> None:
        """Let a guest answer, or revoke a guest's invitation."""
        guest = CHANCE.choice(self.guests)
        if CHANCE.random() < 0.7:
            if served.send([guest], GUESTS)[0] == 200:
                self.counted_guests.add(guest.id)
        elif guest.id not in self.counted_guests:
            sent = json.dumps({"invitations": [guest.invitation]}).encode()
            path = f"/v1/surveys/{GUESTS.id}/invitations/revoke"
            if served.ask("POST", path, sent, served.admin)[2]["revoked"]:
                self.uninvited.add(guest.id)


def invite(served: Served, world: World, diarists: Diarists) -> None:
    """Publish the invited surveys, and make invitations."""
    codes = make_codes(served, GUESTS, N_GUESTS)
    world.guests = [
        replace(report, invitation=code) for report, code in zip(make_reports(N_GUESTS, GUESTS), codes, strict=True)
    ]
    everybody = diarists.everybody
    for each, code in zip(everybody, make_codes(served, WEEKS, len(everybody)), strict=True):
        each.invitation = code


def make_codes(served: Served, survey: Survey, n_invitations: int) -> list[str]:
    """Publish an invited survey; return so many invitations."""
    assert served.ask("POST", "/v1/surveys", survey.canonical, served.admin)[0] == 201
    sent = json.dumps({"count": n_invitations}).encode()
    made = served.fetch("POST", f"/v1/surveys/{survey.id}/invitations", sent, served.admin)[2]
    return made.decode().split()[1:]


def live(db: str | Path, survey: Survey) -> set[bytes]:
    """Return the ids of the reports that count; the store is sound."""
    return {report_id for report_id, packed in check_stored(db, survey).items() if packed}


def work_until_lost(served: Served, world: World, backup: Path) -> None:
    """Do this and that, make a backup, do more, until the collector is killed at a random moment."""
    acts: list[Callable[[Served], None]] = [world.see, world.see, world.erase, world.revoke, world.welcome]
    world.crowd.wait_for(CHANCE.randint(2, 20))
    if not world.revoked:  # no run is without one
        world.revoke(served)
    for act in CHANCE.choices(acts, k=CHANCE.randint(0, 6)):
        act(served)
    with closing(Store(served.db)) as store:
        copy_store(store, str(backup))
    world.crowd.wait_for(CHANCE.randint(0, 20))
    killer = threading.Timer(CHANCE.uniform(0.02, 1.0), served.kill)
    killer.start()
    with suppress(OSError, HTTPException, json.JSONDecodeError):
        while True:
            CHANCE.choice(acts)(served)
    killer.join()


def check_restored(db: str, backup: Path, world: World, said: dict[str, Any]) -> set[bytes]:
    """Hold that the store has what the backup has, less what was erased since, and nothing else; return its ids."""
    there, kept = live(db, DRILLED), live(backup, DRILLED)
    world.erased |= world.perhaps_erased & (kept - there)  # a line was written whose response was lost
    assert there == kept - world.erased
    rows = {row["survey"]: row["n_reports"] for row in said["surveys"]}
    assert rows[DRILLED.id] == len(there)
    return there


def send_again(served: Served, world: World, there: set[bytes]) -> None:
    """Let some devices send again what they kept, and look at all."""
    crowd = world.crowd
    asked = [crowd.sent[key] for key in sorted(crowd.acknowledged) if CHANCE.random() < CHANCE.choice([0.5, 1])]
    for start in range(0, len(asked), 500):
        assert served.send(asked[start : start + 500], DRILLED)[0] == 200
    expected = (there | {report.id for report in asked}) - world.erased
    now = live(served.db, DRILLED)
    assert expected - world.perhaps_erased <= now <= expected
    world.erased |= world.perhaps_erased - now
    with closing(Store(served.db)) as store:
        stored = store.find_survey(DRILLED.id)
        assert stored is not None
        assert store.read_tally(stored) == Tally.of(DRILLED, stack_records([crowd.sent[key].record for key in now]))
    crowd.acknowledged &= now
    for guest in world.guests:
        status = served.send([guest], GUESTS)[0] if guest.id in world.counted_guests | world.uninvited else 0
        assert guest.id in world.uninvited or status in (0, 200)
    assert live(served.db, GUESTS) <= {guest.id for guest in world.guests} - (world.uninvited - world.counted_guests)
    for token in world.revoked:
        assert served.fetch("GET", "/metrics", token=token)[0] == 401
    mark = served.fetch("GET", f"/v1/surveys/{DRILLED.id}")[1]["Sottovoce-Restored"]
    assert mark not in world.marks
    world.marks.append(mark)


@contextmanager
def places(kind: str, url: str, folder: Path) -> Iterator[Callable[[], str]]:
    """Yield what makes a new place for a database."""
    with ExitStack() as made:
        names = iter(range(1000))
        if kind == "postgres":
            yield lambda: made.enter_context(database_of(url))
        else:
            yield lambda: str(folder / f"db-{next(names)}.db")


def lose(db: str) -> None:
    if not db.startswith("postgresql:"):
        for suffix in ("", "-wal", "-shm"):
            Path(f"{db}{suffix}").unlink(missing_ok=True)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.rare)])
def test_what_is_lost_is_what_the_page_says(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
    world, journal, began = World(Crowd(DRILLED, pause_s=0.02)), tmp_path / "acts", time.monotonic()
    n_lost, n_rounds = 0, 20 if FULL else 2
    with places(kind, url, tmp_path) as new_place, wire_to(0) as wire:
        db, diarists = new_place(), Diarists(tmp_path, wire, CHANCE)
        for number in range(n_rounds):
            backup = tmp_path / f"backup-{number}.db"
            with serve(db, "--journal", str(journal), survey=DRILLED) as served:
                if not world.guests:
                    invite(served, world, diarists)
                with world.crowd.at_work(served), diarists.at_work(served.port):
                    work_until_lost(served, world, backup)
            lose(db)
            db = new_place()
            words = ["--from", str(backup)]
            if kind == "postgres" and number % 2:  # brought back by its own tools
                with closing(Store(backup)) as store:
                    copy_store(store, db)
                words = ["--in-place"]
            words += ["--db", db, "--journal", str(journal), "--json"]
            result = CliRunner().invoke(main, ["db", "restore", *words])
            assert result.exit_code == 0, result.output
            there = check_restored(db, backup, world, json.loads(result.stdout))
            n_lost += len(world.crowd.acknowledged - there - world.erased)
            diaries = live(db, WEEKS)
            diarists.check_restored(diaries, live(backup, WEEKS))
            with serve(db, "--journal", str(journal), survey=DRILLED) as served:
                world.see(served)
                send_again(served, world, there)
                owed = diarists.visit(served.port, diaries, everybody=number == n_rounds - 1)
                diarists.check(check_stored(served.db, WEEKS), owed)
                world.see(served)
                assert served.stop()[0] == 0
    assert world.revoked
    print(
        f"{kind}: {n_rounds} rounds, {len(world.crowd.sent):,} reports sent, {n_lost:,} lost with a database, "
        f"{len(world.erased)} erased, {len(world.revoked)} tokens revoked, {len(world.given)} releases; "
        f"{diarists.say()}; {time.monotonic() - began:.0f} s"
    )
