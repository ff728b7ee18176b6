"""Blind invitations for tests: surveys with keys, and what a device sends for a token, without a network."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from collecting import SMALL, STRINGS, make_reports
from fault_server import FaultServer, Request, Scripted
from house import JSON, House
from sotto_client.blinding import Blinding, draw_random
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.token_keys import TokenKey, make_keys
from sotto_protocol import Report, Survey, batch_body
from sotto_protocol.blind import from_base64url, read_key, report_id_of, to_base64url, token_message
from sotto_protocol.invitation import with_token

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "rfc9474.json").read_text())["vectors"]
RFC_KEY = TokenKey(bytes.fromhex(VECTORS[1]["p"]) + bytes.fromhex(VECTORS[1]["q"]))
"""A key that takes no time to make: of RFC 9474's second vector."""
BLIND = replace(SMALL, id="blind", invited=True, invitations="blind")
BLIND_STRATA = replace(SMALL, id="blind-strata", invited=True, invitations="blind", strata=("north", "south"))
BLIND_WAVES = replace(STRINGS, id="blind-waves", invited=True, invitations="blind")


def with_keys(store: Store, survey: Survey) -> Survey:
    """Return a blind survey with keys that a store has made; the first is RFC 9474's."""
    store.run(lambda transaction: transaction.add_token_keys(survey.id, {1: RFC_KEY.primes}))
    return replace(survey, token_keys=tuple(make_keys(store, survey.id, survey.n_cells)))


def publish_blind(store: Store, survey: Survey = BLIND) -> StoredSurvey:
    """Put a blind survey into a store with its keys, and return it as stored."""
    store.add_survey(with_keys(store, survey))
    stored = store.find_survey(survey.id)
    assert stored is not None
    return stored


@dataclass(frozen=True)
class Wish:
    """A device's wish for a token: what it knows, and what it sends."""

    survey: Survey
    wave: int
    stratum: int
    random: bytes
    blinding: Blinding

    @staticmethod
    def of(survey: Survey, wave: int = 1, stratum: int = 1) -> "Wish":
        return Wish(survey, wave, stratum, draw_random(), Blinding.draw(read_key(survey.token_key(wave, stratum))))

    @property
    def modulus(self) -> int:
        return read_key(self.survey.token_key(self.wave, self.stratum))

    @property
    def message(self) -> bytes:
        return token_message(self.random, self.survey.fingerprint, self.wave)

    @property
    def blinded(self) -> bytes:
        return self.blinding.blind(self.message, self.modulus)

    def sent(self, invitation: str) -> dict[str, object]:
        return {"invitation": invitation, "wave": self.wave, "blinded": to_base64url(self.blinded)}

    def token(self, signature: bytes | str) -> bytes:
        """Return the token of a blind signature."""
        signed = from_base64url(signature) if isinstance(signature, str) else signature
        finished = self.blinding.finish(self.message, signed or b"", self.modulus)
        assert finished is not None
        return self.random + finished

    def body(self, signature: bytes | str) -> bytes:
        """Return the POST of a report that comes with this token."""
        (made,) = make_reports(1, self.survey, self.wave)
        report = Report(report_id_of(self.message), made.record)
        return with_token(batch_body(self.survey, [report]), self.token(signature), self.stratum, self.survey.n_strata)


class BlindServer(FaultServer):
    """A real collector with blind surveys behind a server that misbehaves by script, and writes down what it gets."""

    def __init__(self, house: House, survey: Survey) -> None:
        super().__init__(survey)
        self.house = house

    def next_reply(self, request: Request) -> Scripted:
        with self.lock:
            self.posts.append(request)
            if self.script:
                return self.script.pop(0)
            answer = self.house.http.post(request.path, data=request.body, content_type=JSON)
            return Scripted(answer.status_code, answer.data)

    def sent(self, last: str) -> list[dict[str, object]]:
        """Return what was posted to paths that end so."""
        return [json.loads(post.body) for post in self.posts if post.path.endswith(last)]


@contextmanager
def blind_server(house: House, survey: Survey) -> Iterator[BlindServer]:
    """Serve a survey that is published with its keys."""
    stored = publish_blind(house.collector.store, survey)
    server = BlindServer(house, stored.survey)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        thread.join()
        server.server_close()
