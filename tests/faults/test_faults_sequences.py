"""Events in any order, across devices, wire, collector and analyst: Hypothesis writes the sequences.

The promises are the invariants. All parts are real: clients with states on disk, a collector that is killed, backups,
restores with the journal, and a wire that is cut or loses replies.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from collecting import Served, serve
from crowd import FULL, check_stored
from made_file import make_tables
from oblivious_device import with_gateway
from postgres_server import database_of
from sotto_client import AlreadyAnswered, DeliveryError, ParticipationEnded, SurveyClient, SurveyUnavailable
from sotto_client.cli import main
from sotto_client.inventory import Spent, take_inventory
from sotto_client.state import State
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.gateway import make_keys
from sotto_protocol import Tally, compile_toml
from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE
from starting import SOTTO, Popen
from wire import Wire, wire_to

LEAST = 2
SURVEY = compile_toml(f"""
id = "weeks"
title = "Your week"
waves = 3
min_reports = {LEAST}
[[questions]]
id = "well"
type = "yes-no"
text = "Are you well?"
mechanism = "basic-rappor"
epsilon = 0.5
epsilon_forever = 1
""")
FOREVER = 1
"""The question's `epsilon_forever`: the most that all reports of one answer take. Another answer takes as much."""
N_DEVICES = 4
WAVES = st.integers(1, SURVEY.waves)
DEVICES = st.integers(0, N_DEVICES - 1)


@dataclass
class Person:
    """What one respondent knows."""

    path: Path
    receipts: dict[int, str] = field(default_factory=dict)
    """By wave."""
    answers: set[bool] = field(default_factory=set)
    to_erase: set[str] = field(default_factory=set)
    """Receipts of reports that the respondent tried to erase: these may be gone."""
    erased: set[str] = field(default_factory=set)
    """Those that the collector said it erased: these are gone for good."""


def spent_of(ledger: Sequence[Spent]) -> Decimal:
    """Return what a device's reports took: after the last wave each entry has the sum of all."""
    together = max((each.epsilon for each in ledger if each.is_summed), default=Decimal())
    return together + sum((each.epsilon for each in ledger if not each.is_summed), Decimal())


def needs_news(act: Callable[..., None]) -> Callable[..., None]:
    """Let an act happen only where something was sent, or could have been, since it happened last: none in vain."""
    name = act.__name__

    def changed(house: "House", **drawn: Any) -> None:
        house.seen[name] = house.n_acts
        act(house, **drawn)

    changed.__name__ = name
    return precondition(lambda house: house.n_acts > house.seen.get(name, 0))(changed)


class House(RuleBasedStateMachine):
    """Four devices, one collector, one analyst."""

    new_place: Any
    """Makes the address of a new, empty place for a database; the folder is this run's own."""

    @initialize()
    def begin(self) -> None:
        self.stack = ExitStack()
        self.folder = Path(self.stack.enter_context(TemporaryDirectory()))
        self.wire: Wire = self.stack.enter_context(wire_to(0))
        self.db = self.new_place(self.folder, self.stack)
        self.people = [Person(self.folder / f"device-{number}.db") for number in range(N_DEVICES)]
        self.backup: Path | None = None
        self.n_backups = self.n_acts = 0
        self.seen: dict[str, int] = {}
        self.given: dict[int, list[bytes]] = {wave: [] for wave in range(1, SURVEY.waves + 1)}
        self.survey = SURVEY
        self.prepare()
        self.start()

    def prepare(self) -> None:
        """Do what is done once, before the collector is there."""

    def start(self) -> None:
        self.collector = ExitStack()
        journal = str(self.folder / "acts")
        self.served: Served = self.collector.enter_context(serve(self.db, "--journal", journal, survey=self.survey))
        self.connect()

    def connect(self) -> None:
        """Lead the wire to the collector, which has a port of its own after each start."""
        self.wire.port = self.served.port

    @property
    def patience_s(self) -> float:
        """How long a device is waited for: where the wire is whole, until it has delivered."""
        return 0.1 if self.wire.is_cut or self.wire.is_mute else 10

    def open(self, person: Person) -> SurveyClient:
        return SurveyClient(self.wire.url, self.survey.id, state=person.path, resend_days=30, timeout_s=5)

    @rule(numbers=st.lists(DEVICES, min_size=1, unique=True), wave=WAVES, is_well=st.booleans())
    def answer(self, numbers: list[int], wave: int, is_well: bool) -> None:
        """Some respondents answer, perhaps again and otherwise; a report is sent at once if it can be."""
        self.n_acts += 1
        for number in numbers:
            self.let_answer(self.people[number], wave, is_well)

    def let_answer(self, person: Person, wave: int, is_well: bool) -> None:
        with closing(self.open(person)) as device:
            try:
                receipt = device.answer({"well": is_well}, wave=wave).id
                person.answers.add(is_well)
            except AlreadyAnswered as fault:
                receipt = fault.receipt.id
            except ParticipationEnded:
                assert SURVEY.waves in person.receipts
                return
            except SurveyUnavailable:
                assert self.wire.is_cut or self.wire.is_mute
                return
            assert person.receipts.setdefault(wave, receipt) == receipt
            device.flush(self.patience_s)

    @rule(number=DEVICES)
    @needs_news
    def try_again(self, number: int) -> None:
        """A device is switched on: it asks for the survey, and sends what waits."""
        if self.people[number].receipts:
            self.visit(self.people[number], self.patience_s)

    def visit(self, person: Person, timeout_s: float) -> bool:
        with closing(self.open(person)) as device:
            try:
                assert device.survey == self.survey
            except SurveyUnavailable:
                assert self.wire.is_cut or self.wire.is_mute
            return device.flush(timeout_s)

    @precondition(lambda self: self.n_acts > 0)
    @rule(number=DEVICES, wave=WAVES)
    def erase(self, number: int, wave: int) -> None:
        """A respondent has a report erased; one that the collector does not have it keeps, if it comes later."""
        person = self.people[number]
        if receipt := person.receipts.get(wave):
            self.n_acts += 1
            person.to_erase.add(receipt)
            with closing(self.open(person)) as device:
                try:
                    if device.erase(receipt):
                        person.erased.add(receipt)
                except DeliveryError:
                    assert self.wire.is_cut or self.wire.is_mute

    @rule(fault=st.sampled_from(["cut", "mute"]))
    @needs_news
    def break_or_mend(self, fault: str) -> None:
        """The wire is cut, or loses replies; the next time it is whole again."""
        if self.wire.is_cut or self.wire.is_mute:
            self.wire.mend()
        else:
            getattr(self.wire, fault)()

    @rule(is_killed=st.booleans())
    @needs_news
    def restart(self, is_killed: bool) -> None:
        if is_killed:
            self.served.kill()
        else:
            assert self.served.stop()[0] == 0
        self.collector.close()
        self.start()

    @rule()
    @needs_news
    def back_up(self) -> None:
        self.n_backups += 1
        self.backup = self.folder / f"backup-{self.n_backups}.db"
        with closing(Store(self.db, busy_timeout_ms=60_000)) as store:  # a busy machine
            copy_store(store, str(self.backup))

    @precondition(lambda self: self.backup is not None)
    @rule()
    @needs_news
    def lose_the_database(self) -> None:
        """The collector dies with its database: the last backup takes its place, with the journal."""
        self.served.kill()
        self.collector.close()
        self.db = self.new_place(self.folder, self.stack)
        words = ["--from", str(self.backup), "--db", self.db, "--journal", str(self.folder / "acts"), "--yes"]
        restored = CliRunner().invoke(main, ["db", "restore", *words])
        assert restored.exit_code == 0, restored.output
        self.start()

    @rule(wave=WAVES)
    @needs_news
    def look(self, wave: int) -> None:
        """The analyst reads a tally: the same as one before, or of at least LEAST reports more than any."""
        status, _, body = self.served.fetch(
            "GET", f"/v1/surveys/{self.survey.id}/tally?wave={wave}", token=self.served.analyst
        )
        if status == 403:
            return
        assert status == 200, body
        given = self.given[wave]
        if body not in given:
            n_reports = Tally.from_json(body).n_reports
            assert n_reports >= max((Tally.from_json(before).n_reports for before in given), default=0) + LEAST
            given.append(body)

    @invariant()
    def nobody_sends_two_reports_of_one_answer(self) -> None:
        """What is sent under a receipt is the same bytes each time, and all receipts are known to who made them."""
        sent: dict[str, Any] = {}
        known = {receipt for person in self.people for receipt in person.receipts.values()}
        for post in self.wire.posts():
            if post.target.endswith("/reports"):
                for report in json.loads(post.body)["reports"]:
                    assert sent.setdefault(report["id"], report) == report
                    assert report["id"] in known

    def teardown(self) -> None:
        """In the end all is well: what was answered counts once, and what was erased does not count."""
        if not hasattr(self, "served"):
            return
        with self.stack, self.collector:
            self.wire.mend()
            self.connect()
            for person in self.people:
                if person.receipts:
                    assert self.visit(person, 60)
                    with closing(State.open(person.path)) as state:
                        spent = spent_of(take_inventory(state).ledger)
                    assert spent <= FOREVER * len(person.answers)
            assert self.served.stop()[0] == 0
            counted = {key.hex() for key, packed in check_stored(self.db, self.survey).items() if packed}
            made = {receipt for person in self.people for receipt in person.receipts.values()}
            to_erase = {receipt for person in self.people for receipt in person.to_erase}
            erased = {receipt for person in self.people for receipt in person.erased}
            assert made - to_erase <= counted <= made - erased


class ObliviousHouse(House):
    """The same with a second operator between: devices know the relay alone, and the gateway's keys change."""

    def prepare(self) -> None:
        make_tables(self.db)
        with closing(Store(self.db, busy_timeout_ms=60_000)) as store:
            self.survey = with_gateway(store, SURVEY, self.wire.url)
        self.behind: Wire = self.stack.enter_context(wire_to(0))
        self.relay: Popen | None = None
        self.stack.callback(self.stop_relay)

    def stop_relay(self) -> None:
        if self.relay is not None:
            self.relay.kill()
            self.relay.communicate()

    @property
    def patience_s(self) -> float:
        return 0.2

    def connect(self) -> None:
        """Kill the relay, which has nothing to lose, and start another: it asks for the gateway's keys anew."""
        self.behind.port = self.served.port
        self.stop_relay()
        words = ["relay", "--gateway", self.behind.url, "--port", "0", "--batch", "2", "--wait", "0.02"]
        self.relay = Popen([SOTTO, *words], stdout=PIPE, stderr=DEVNULL, text=True)
        assert self.relay.stdout
        self.wire.port = int(self.relay.stdout.readline().rpartition(":")[2])

    def open(self, person: Person) -> SurveyClient:
        """Return a device that is told of no collector that it could reach, only of the relay."""
        relay = self.wire.url
        return SurveyClient(
            "http://127.0.0.1:9", self.survey.id, state=person.path, relay_url=relay, resend_days=30, timeout_s=5
        )

    @rule()
    @needs_news
    def lose_the_relay(self) -> None:
        self.connect()

    @rule()
    @needs_news
    def change_keys(self) -> None:
        with closing(Store(self.db, busy_timeout_ms=60_000)) as store:
            make_keys(store)

    @invariant()
    def all_that_is_sent_looks_alike(self) -> None:
        """Reports, reading, erasing: requests of one length, to one place, of which none can be read."""
        sent = self.wire.posts()
        assert {post.target for post in sent} <= {GATEWAY_PATH}
        assert len({len(post.body) for post in sent if post.headers["content-type"] == REQUEST_TYPE}) <= 2


@pytest.mark.parametrize("house", [House, ObliviousHouse])
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_promises_hold_whatever_happens_in_whatever_order(
    kind: str, house: type[House], request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""

    class Here(house):  # type: ignore[misc, valid-type]
        def new_place(self, folder: Path, stack: ExitStack) -> str:
            if kind == "postgres":
                return str(stack.enter_context(database_of(url)))
            return str(folder / f"db-{len(list(folder.iterdir()))}.db")

    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=200 if FULL else 15 if kind == "sqlite" else 3,
            stateful_step_count=30,
            deadline=None,
            derandomize=not FULL,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],  # to shrink a sequence takes minutes
            report_multiple_bugs=False,
        ),
    )
