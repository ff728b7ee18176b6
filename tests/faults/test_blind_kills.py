"""Collectors that are killed while invitations are traded: one token each, one report a token, whatever was lost."""

import json
import random
import threading
from contextlib import closing
from http.client import HTTPException
from pathlib import Path

import pytest
from sqlalchemy import func, select

from blind import BLIND, Wish, publish_blind
from collecting import Served, check_store, serve
from sotto_collector.invitations import count_invitations, make_invitations
from sotto_collector.store import Store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.schema import issued_tokens

N_PEOPLE = 24
CHANCE = random.SystemRandom()


class Device(threading.Thread):
    """Trades an invitation and sends its report, each until it is acknowledged, again and again the same bytes."""

    def __init__(self, wish: Wish, code: str) -> None:
        super().__init__(daemon=True)
        self.wish, self.code = wish, code
        self.served: Served | None = None
        self.signatures: set[str] = set()
        self.is_done = False

    def run(self) -> None:
        body = None
        while not self.is_done:
            path = f"/v1/surveys/{BLIND.id}/" + ("reports" if body else "invitations/token")
            sent = body or json.dumps(self.wish.sent(self.code)).encode()
            try:
                assert self.served is not None
                status, _, answer = self.served.ask("POST", path, sent)
            except (OSError, HTTPException, ValueError):
                continue  # it was killed; another one comes
            if status == 200 and body is None:
                self.signatures.add(answer["signature"])
                if CHANCE.random() < 0.5:  # as if the reply was lost now and then
                    body = self.wish.body(answer["signature"])
            elif status == 200:
                self.is_done = True


@pytest.mark.slow
@pytest.mark.thorough
def test_killed_collectors_sign_once_and_count_once(db: str, tmp_path: Path) -> None:
    journal = tmp_path / "acts"
    with closing(Store(db)) as store:
        keep_journal(store, str(journal), begins=True)
        stored = publish_blind(store)
        devices = [Device(Wish.of(stored.survey), code) for code in make_invitations(store, stored, N_PEOPLE)]
    for last in (False, False, False, True):
        with serve(db, "--journal", str(journal), survey=stored.survey) as served:
            for device in devices:
                device.served = served
                if not device.is_alive() and not device.is_done and not device.ident:
                    device.start()
            for device in devices:
                device.join(60 if last else CHANCE.uniform(0, 0.02))
            if not last:
                served.kill()
    assert all(device.is_done for device in devices)
    assert all(len(device.signatures) == 1 for device in devices)
    with closing(Store(db)) as store:
        keep_journal(store, str(journal))
        assert store.count_tallied(stored.key) == N_PEOPLE
        assert count_invitations(store, stored) == {1: 0}
        with store.reader() as connection:
            assert connection.scalar(select(func.count()).select_from(issued_tokens)) == N_PEOPLE
    check_store(db)
