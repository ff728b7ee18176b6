"""Nobody joins invitations to reports by what is stored or sent: joiners that have all of it do no better than chance.

A real collector serves everybody. Each joiner has every byte of its database and journal, what it logged, every request
and response with its time, and the private key. It matches each report to an invitation. Its hits are compared with
those of chance: of a choice among the requests that the drawn delay allows, or, of those who go by order alone, of the
same order under delays that are drawn anew.
"""

import hashlib
import json
import logging
import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

import pytest

from blind import BLIND, Wish, publish_blind
from collecting import SMALL
from house import JSON, open_house
from sotto_collector.invitations import hash_invitation, make_invitations
from sotto_collector.token_keys import key_of
from sotto_protocol.blind import from_base64url
from sotto_protocol.invitation import parse_invitation

DAY_S = 86_400.0
DELAY_S = 6 * 3600.0
"""People fetch their tokens over a day, and each report waits for a drawn time of at most six hours after that."""
N_QUOTIENTS = 100
"""Of so many reports a run is the factor computed that each invitation would need: it is slow."""
CHANCE = random.SystemRandom()


@dataclass(frozen=True)
class Person:
    """What is seen of one person: the request for a token and its response, and the report."""

    code_hash: bytes
    blinded: int
    signed: int
    fetched_s: float
    report_id: bytes
    signature: int
    reported_s: float


@dataclass(frozen=True)
class Seen:
    """All that is there after a run. `files`: the database's bytes and the journal's; `log`: what was logged."""

    people: list[Person]
    modulus: int
    files: bytes
    journal: bytes
    log: str

    def in_order(self, content: bytes, keys: Sequence[bytes]) -> list[int]:
        """Return whose key comes first, second, .. in some bytes."""
        places = [content.find(key) for key in keys]
        assert min(places) >= 0
        return sorted(range(len(keys)), key=places.__getitem__)


def run_collector(folder: Path, n_people: int, caplog: pytest.LogCaptureFixture) -> Seen:
    """Let a collector serve people in the order of their times, and return all that is there then."""
    folder.mkdir()
    journal = folder / "acts"
    caplog.clear()
    with open_house(folder / "survey.db", SMALL, journal=str(journal)) as house, caplog.at_level(logging.DEBUG):
        store = house.collector.store
        stored = publish_blind(store)
        path = f"/v1/surveys/{BLIND.id}/"
        codes = make_invitations(store, stored, n_people)
        fetched = [CHANCE.uniform(0, DAY_S) for _ in codes]
        reported = [start + CHANCE.uniform(0, DELAY_S) for start in fetched]
        wishes = [Wish.of(stored.survey) for _ in codes]
        bodies: dict[int, bytes] = {}
        signed: dict[int, int] = {}
        steps = [(time_s, False, index) for index, time_s in enumerate(fetched)]
        steps += [(time_s, True, index) for index, time_s in enumerate(reported)]
        for _, is_report, index in sorted(steps):
            if is_report:
                said = house.http.post(path + "reports", data=bodies[index], content_type=JSON)
                assert said.get_json()["counted"] == 1
            else:
                said = house.http.post(path + "invitations/token", json=wishes[index].sent(codes[index]))
                signature = from_base64url(said.get_json()["signature"])
                assert signature is not None
                bodies[index], signed[index] = wishes[index].body(signature), int.from_bytes(signature)
        modulus = key_of(store, stored.survey, 1).modulus
    people = []
    for index, code in enumerate(codes):
        report = json.loads(bodies[index])["reports"][0]
        token = from_base64url(report["token"])
        assert token is not None
        code_hash = hash_invitation(parse_invitation(code), stored.survey)
        blinded = int.from_bytes(wishes[index].blinded)
        sent = bytes.fromhex(report["id"]), int.from_bytes(token[32:])
        people.append(Person(code_hash, blinded, signed[index], fetched[index], *sent, reported[index]))
    files = b"".join(found.read_bytes() for found in sorted(folder.glob("survey.db*")))
    CHANCE.shuffle(people)
    return Seen(people, modulus, files, journal.read_bytes(), caplog.text)


def bits(left: int, right: int) -> int:
    return (left ^ right).bit_count()


@dataclass
class Score:
    """Hits of a joiner, and what chance gives: expectation and variance."""

    hits: int = 0
    expected: float = 0.0
    variance: float = 0.0

    def add(self, hits: int, expected: float, variance: float) -> None:
        self.hits += hits
        self.expected += expected
        self.variance += variance

    @property
    def z(self) -> float:
        return (self.hits - self.expected) / math.sqrt(self.variance)


MEASURES = {
    "signatures' bits": lambda one, other: bits(one.signature, other.signed),
    "blinded bits": lambda one, other: bits(one.signature, other.blinded),
    "hashes' bits": lambda one, other: bits(int.from_bytes(one.report_id), int.from_bytes(other.code_hash[:16])),
    "blinded hash": lambda one, other: bits(
        int.from_bytes(one.report_id), int.from_bytes(hashlib.sha256(other.blinded.to_bytes(256)).digest()[:16])
    ),
    "latest": lambda one, other: one.reported_s - other.fetched_s,
}
"""How far a report is from a request for a token: joiners take the nearest."""


def join_by_measures(seen: Seen, scores: dict[str, Score]) -> None:
    """Match each report to a request within the delay; a hit is that person's own."""
    by_fetch = sorted(seen.people, key=attrgetter("fetched_s"))
    starts = [person.fetched_s for person in by_fetch]
    for place, one in enumerate(seen.people):
        low, high = bisect_left(starts, one.reported_s - DELAY_S), bisect_left(starts, one.reported_s)
        among = by_fetch[low:high]
        chance = 1 / len(among)
        found = {
            name: min(among, key=lambda other, far=far: far(one, other)) for name, far in MEASURES.items()
        }  # used at once
        if place < N_QUOTIENTS:  # the factor that joins the two: there is one for every pair
            unsigned = pow(one.signature, -1, seen.modulus)
            found["factors"] = min(among, key=lambda other: other.signed * unsigned % seen.modulus)
        for name, other in found.items():
            scores[name].add(other is one, chance, chance * (1 - chance))


def join_by_order(seen: Seen, scores: dict[str, Score]) -> None:
    """Match the first report to the first invitation, and so on: by time, and by where they lie in files."""
    people = seen.people
    starts = sorted(person.fetched_s for person in people)
    hashes, ids = [person.code_hash for person in people], [person.report_id for person in people]
    indices = range(len(people))
    fetched = sorted(indices, key=lambda index: people[index].fetched_s)
    reported = sorted(indices, key=lambda index: people[index].reported_s)
    traded, counted = seen.in_order(seen.files, hashes), seen.in_order(seen.files, ids)
    noted = seen.in_order(seen.journal, [code_hash.hex().encode() for code_hash in hashes])
    assert noted == fetched  # so a journal tells no more than the times
    pairs = {
        "order in files": (traded, counted),
        "order in journal and file": (noted, counted),
        "order of reports and of trades in files": (traded, reported),
    }
    for name, (left, right) in pairs.items():
        scores[name].add(sum(map(int.__eq__, left, right)), 1, 1)  # of a random permutation
    scores["order of arrival"].add(sum(map(int.__eq__, fetched, reported)), *expect_in_order(starts))


def expect_in_order(starts: list[float], n_draws: int = 40) -> tuple[float, float]:
    """Return mean and variance of the hits of who goes by order, under delays that are drawn anew."""
    found = []
    for _ in range(n_draws):
        ends = [start + CHANCE.uniform(0, DELAY_S) for start in starts]
        order = sorted(range(len(ends)), key=ends.__getitem__)
        found.append(sum(place == index for place, index in enumerate(order)))
    mean = sum(found) / n_draws
    return mean, sum((each - mean) ** 2 for each in found) / (n_draws - 1) * (1 + 1 / n_draws)


def count_shared(seen: Seen) -> int:
    """Return of how many people the token's signature, or what was blinded, is in what is stored or logged."""
    stored = seen.files + seen.journal + seen.log.encode()
    in_any = ([person.signature.to_bytes(256), person.blinded.to_bytes(256)] for person in seen.people)
    return sum(any(secret in stored or secret.hex().encode() in stored for secret in secrets) for secrets in in_any)


def join(folder: Path, n_people: int, n_runs: int, caplog: pytest.LogCaptureFixture) -> dict[str, Score]:
    names = [*MEASURES, "factors", "order in files", "order in journal and file"]
    names += ["order of reports and of trades in files", "order of arrival"]
    scores = {name: Score() for name in names}
    for run in range(n_runs):
        seen = run_collector(folder / str(run), n_people, caplog)
        assert count_shared(seen) == 0
        join_by_measures(seen, scores)
        join_by_order(seen, scores)
    return scores


@pytest.mark.rare
def test_whoever_has_all_that_is_stored_and_sent_joins_no_better_than_chance(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At six sigma, of ten joiners. With 2,000 people and 20 runs none had three."""
    for name, score in join(tmp_path, 200, 3, caplog).items():
        assert score.z < 6, f"{name}: {score.hits} hits, {score.expected:.1f} expected"


@pytest.mark.thorough
def test_a_joiner_finds_everybody_where_a_device_blinds_with_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """So the measures would see a leak."""
    seen = run_collector(tmp_path / "run", 20, caplog)
    leaked = replace(seen, people=[replace(person, signed=person.signature) for person in seen.people])
    scores = {name: Score() for name in [*MEASURES, "factors"]}
    join_by_measures(leaked, scores)
    assert scores["signatures' bits"].hits == 20
