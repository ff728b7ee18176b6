"""Diarists: devices of the product itself, each with a state that lasts; some keep what they delivered, for a while."""

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from collecting import TIMEOUT_S
from sotto_client import DeliveryError, SurveyClient, SurveyUnavailable
from sotto_client.outbox import Outbox
from sotto_client.state import State
from sotto_protocol import compile_toml
from wire import Wire

WEEKS = compile_toml("""
id = "weeks"
title = "Your week"
invited = true
waves = 900
[[questions]]
id = "well"
type = "yes-no"
text = "Are you well?"
mechanism = "basic-rappor"
epsilon = 0.25
epsilon_forever = 0.6
""")
MOST_EPSILON = 1000


class Diarist:
    """A device, and what its respondent knows: which reports were made, acknowledged, erased, and perhaps erased."""

    def __init__(self, path: Path, resend_days: int) -> None:
        self.invitation = ""
        self.keeps = resend_days > 0
        self.made: list[bytes] = []
        self.delivered: set[bytes] = set()
        self.erased: set[bytes] = set()
        self.perhaps_erased: set[bytes] = set()
        self.lost: set[bytes] = set()
        """Acknowledged reports that a restore lost, and that nobody kept."""
        self._path, self._resend_days = path, resend_days

    def open(self, url: str) -> SurveyClient:
        return SurveyClient(
            url,
            WEEKS.id,
            state=self._path,
            max_epsilon=MOST_EPSILON,
            max_period_epsilon=MOST_EPSILON,
            invitation=self.invitation,
            resend_days=self._resend_days,
            on_delivered=lambda receipt: self.delivered.add(bytes.fromhex(receipt.id)),
        )

    def waiting(self) -> set[bytes]:
        """Return what waits in the state, which no client has open."""
        with closing(State.open(self._path)) as state, state.read() as connection:
            return {bytes.fromhex(report.receipt) for report in Outbox(connection).waiting()}

    def write(self, url: str, chance: random.Random, stopping: threading.Event) -> None:
        """Answer week after week, and now and then have a report erased."""
        with closing(self.open(url)) as device, suppress(SurveyUnavailable):
            while not stopping.is_set():
                receipt = device.answer({"well": chance.random() < 0.5}, wave=len(self.made) + 1)
                self.made.append(bytes.fromhex(receipt.id))
                while not device.flush(0.2) and not stopping.wait(0.05):
                    pass
                if chance.random() < 0.1 and not stopping.is_set():
                    self._erase(device, chance)
                stopping.wait(chance.uniform(0, 0.4))

    def _erase(self, device: SurveyClient, chance: random.Random) -> None:
        if left := sorted(self.delivered - self.erased - self.perhaps_erased):
            chosen = chance.choice(left)
            self.perhaps_erased.add(chosen)
            with suppress(DeliveryError):
                if device.erase(chosen.hex()):
                    self.erased.add(chosen)

    def visit(self, url: str) -> None:
        """Look at the survey, as an app that is started does, and deliver what waits then."""
        with closing(self.open(url)) as device:
            assert device.survey == WEEKS
            assert device.flush(TIMEOUT_S)
            assert not device.rejected

    def owed(self, there: set[bytes], waiting: set[bytes]) -> set[bytes]:
        """Return what a restored store has of this device's once it was there: all, or what nobody had to keep."""
        made = set(self.made)
        return (made if self.keeps else (made & there) | waiting) - self.erased


class Diarists:
    """All of them, behind a wire that goes to whichever collector there is now."""

    def __init__(self, folder: Path, wire: Wire, chance: random.Random, *, n_each: int = 4) -> None:
        self.everybody = [Diarist(folder / f"device-{n}.db", 30 if n % 2 else 0) for n in range(2 * n_each)]
        self.n_saved = 0
        """Acknowledged reports that a restore lost, and that came again."""
        self._wire, self._chance = wire, chance

    @contextmanager
    def at_work(self, port: int) -> Iterator[None]:
        """Let everybody answer until the block ends; raise what went wrong."""
        self._wire.port = port
        stopping = threading.Event()
        with ThreadPoolExecutor(len(self.everybody)) as pool:
            seeds = [random.Random(self._chance.random()) for _ in self.everybody]  # noqa: S311  # no secret
            at_work = [
                pool.submit(each.write, self._wire.url, seed, stopping)
                for each, seed in zip(self.everybody, seeds, strict=True)
            ]
            try:
                yield
            finally:
                stopping.set()
            for each in at_work:
                each.result(TIMEOUT_S)

    def check_restored(self, there: set[bytes], kept: set[bytes]) -> None:
        """Hold that a restored store has what its backup had, less what was erased."""
        erased = {report for each in self.everybody for report in each.erased}
        perhaps = {report for each in self.everybody for report in each.perhaps_erased}
        assert kept - perhaps <= there <= kept - erased

    def visit(self, port: int, there: set[bytes], *, everybody: bool) -> list[tuple[Diarist, set[bytes]]]:
        """Let some of the devices come, or all; return what the store has of each device's then."""
        self._wire.port = port
        owed = []
        for each in self.everybody:
            if everybody or self._chance.random() < 0.7:
                waiting, lost = each.waiting(), each.delivered - there - each.perhaps_erased
                owed.append((each, each.owed(there, waiting)))
                each.visit(self._wire.url)
                self.n_saved += len(lost) if each.keeps else 0
                each.lost |= set() if each.keeps else lost - waiting
            else:
                owed.append((each, set(each.made) & there - each.erased))
        return owed

    def check(self, stored: dict[bytes, bytes], owed: list[tuple[Diarist, set[bytes]]]) -> None:
        """Hold that a store has of each device's reports what it is owed, as it was sent, and nothing else."""
        now = {report for report, packed in stored.items() if packed}
        for each, expected in owed:
            assert expected - each.perhaps_erased <= now & set(each.made) <= expected
        assert now <= {report for each in self.everybody for report in each.made}
        sent = self._sent()
        assert all(sent[report] == stored[report] for report in now)

    def say(self) -> str:
        """Return the figures."""
        made, lost, erased = (
            sum(len(reports) for reports in column)
            for column in zip(*((each.made, each.lost, each.erased) for each in self.everybody), strict=True)
        )
        return f"devices made {made}, {self.n_saved} lost ones came again, {lost} did not, {erased} were erased"

    def _sent(self) -> dict[bytes, bytes]:
        """Return every record that went over the wire, by id: each was sent with the same bytes every time."""
        found: dict[bytes, bytes] = {}
        for post in self._wire.posts():
            if post.target.endswith("/reports"):
                [report] = json.loads(post.body)["reports"]
                [record] = WEEKS.layout.from_wire([report["answers"]], "$", {"wave": [report["wave"]]})
                assert found.setdefault(bytes.fromhex(report["id"]), record.tobytes()) == record.tobytes()
        return found
