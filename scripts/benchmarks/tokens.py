"""Blind invitations: how many are traded for tokens a second of one core, and what tokens cost a batch of reports."""

import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bars import Bar, compare

from sotto_client.blinding import Blinding, draw_random
from sotto_collector.intake.parsing import parse_batch
from sotto_collector.invitations import make_invitations, trade_invitation
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.token_keys import is_signed_by, key_of, make_keys
from sotto_protocol import Report, batch_body, compile_toml
from sotto_protocol.blind import read_key, report_id_of, token_message
from sotto_protocol.invitation import with_token

N_TRADES = 100
SURVEY = compile_toml("""
id = "tokens"
title = "Tokens"
invited = true
invitations = "blind"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
""")


def publish(store: Store) -> StoredSurvey:
    store.add_survey(replace(SURVEY, token_keys=tuple(make_keys(store, SURVEY.id, 1))))
    stored = store.find_survey(SURVEY.id)
    assert stored is not None
    return stored


def trade(store: Store, stored: StoredSurvey) -> float:
    """Return how many invitations a second of processor time are traded, each in a transaction of its own."""
    modulus = read_key(stored.survey.token_keys[0])
    message = token_message(draw_random(), stored.survey.fingerprint, 1)
    codes = make_invitations(store, stored, N_TRADES)
    blinded = Blinding.draw(modulus).blind(message, modulus)
    began = time.process_time()
    for code in codes:
        assert trade_invitation(store, stored, code, 1, blinded) is not None
    return N_TRADES / (time.process_time() - began)


def check_report(store: Store, stored: StoredSurvey) -> float:
    """Return how many single reports with a token are parsed and checked a second of processor time."""
    modulus = read_key(stored.survey.token_keys[0])
    random, blinding = draw_random(), Blinding.draw(modulus)
    message = token_message(random, stored.survey.fingerprint, 1)
    signed = key_of(store, stored.survey, 1).sign(int.from_bytes(blinding.blind(message, modulus)))
    finished = blinding.finish(message, signed.to_bytes(256), modulus)
    assert finished is not None
    report = Report(report_id_of(message), bytes(stored.survey.layout.n_bytes))
    body = with_token(batch_body(stored.survey, [report]), random + finished, 1, 1)
    began = time.process_time()
    for _ in range(N_TRADES):
        parse_batch(body, stored, 1)
    return N_TRADES / (time.process_time() - began)


def take_powers(store: Store, stored: StoredSurvey) -> float:
    """Return how often a second the two powers of a private key are taken: no signature can be made without them."""
    key = key_of(store, stored.survey, 1)
    began = time.process_time()
    for _ in range(N_TRADES):
        key._take_root(3)
    return N_TRADES / (time.process_time() - began)


def verify(store: Store, stored: StoredSurvey) -> float:
    """Return how many signatures a second are verified, and nothing else is done."""
    key, message = stored.survey.token_keys[0], bytes(66)
    began = time.process_time()
    for _ in range(N_TRADES):
        is_signed_by(key, message, bytes(255) + b"\3")
    return N_TRADES / (time.process_time() - began)


def measure() -> list[Bar]:
    with tempfile.TemporaryDirectory() as folder, closing(Store(Path(folder) / "survey.db")) as store:
        stored = publish(store)
        traded = compare(
            "trade blind invitations, a core",
            lambda: trade(store, stored),
            lambda: take_powers(store, stored),
            least=0.4,
            reference="powers alone",
            rounds=3,
        )
        checked = compare(
            "check reports with tokens, a core",
            lambda: check_report(store, stored),
            lambda: verify(store, stored),
            least=0.25,
            reference="RSA alone",
            rounds=3,
        )
        return [traded, checked]
