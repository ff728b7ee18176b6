"""Oblivious delivery: posts through a gateway a second, and what a message takes of a device's processor."""

import subprocess
import tempfile
import time
from pathlib import Path

import requests
from bars import Bar, compare
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from ingest import SOTTO, make_bodies, ours, server, small_survey
from load import Load, send_all

from sotto_client.sealing import seal
from sotto_collector.gateway import _load, _open
from sotto_collector.store.gateway import GatewayKey, _draw
from sotto_protocol.gateway_keys import X25519, KeyConfiguration, SignedKeys, read_keys
from sotto_protocol.oblivious import GATEWAY_PATH, LEAST_BYTES, REQUEST_TYPE, SIGNED_PATH, inner_post

N_ROUNDS = 3
N_POSTS, N_CONNECTIONS = 4000, 256
N_MESSAGES = 1000
REPORTS = "/v1/surveys/bench/reports"


def sealed(n_posts: int) -> list[bytes]:
    """Return encapsulated posts of one report each, for a gateway that `through_gateway` starts."""
    return [
        inner_post("collector.example", REPORTS, body).to_bytes(LEAST_BYTES)
        for body in make_bodies(small_survey(), n_posts, 1)
    ]


def through_gateway(messages: list[bytes], n_connections: int) -> Load:
    """Seal messages for a collector of its own, send them all, and return how that went."""
    survey = small_survey()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "collector.db")
        told = subprocess.run([SOTTO, "db", "init", "--db", database], check=True, capture_output=True, text=True)
        subprocess.run([SOTTO, "gateway", "key", "new", "--db", database], check=True, capture_output=True)
        with server([SOTTO, "serve", "--db", database, "--port", "0", "--workers", "2"]) as url:
            headers = {"Authorization": f"Bearer {told.stdout.strip()}", "Content-Type": "application/json"}
            requests.post(f"{url}/v1/surveys", survey.canonical, headers=headers, timeout=10).raise_for_status()
            keys = SignedKeys.from_json(requests.get(url + SIGNED_PATH, timeout=10).content)
            configuration = read_keys(keys.keys)[0]
            bodies = [seal(configuration, message).message for message in messages]
            return send_all(url, GATEWAY_PATH, bodies, n_connections, REQUEST_TYPE)


def message_ms() -> float:
    """Return the milliseconds of processor that a device takes for a request and its response, keys known."""
    private, public = _draw(X25519)
    key = GatewayKey(1, X25519, private, public, 1, "", "", "")
    configuration, loaded = KeyConfiguration(1, X25519, public), _load(key)
    taken = 0.0
    for message in sealed(N_MESSAGES):
        began = time.process_time()
        request = seal(configuration, message)
        taken += time.process_time() - began
        opened = _open(X25519, loaded, request.message)
        assert opened is not None
        response = opened.seal(bytes(LEAST_BYTES))
        began = time.process_time()
        request.open(response)
        taken += time.process_time() - began
    return 1000 * taken / N_MESSAGES


def bare_ms() -> float:
    """Return the milliseconds of the cryptography alone: a key, an exchange, a text encrypted and one decrypted."""
    gateway, text = X25519PrivateKey.generate().public_key(), bytes(LEAST_BYTES)
    began = time.process_time()
    for _ in range(N_MESSAGES):
        cipher = AESGCM(X25519PrivateKey.generate().exchange(gateway)[:16])
        cipher.decrypt(bytes(12), cipher.encrypt(bytes(12), text, None), None)
    return 1000 * (time.process_time() - began) / N_MESSAGES


def measure() -> list[Bar]:
    messages, direct = sealed(N_POSTS), make_bodies(small_survey(), N_POSTS, 1)
    return [
        compare(
            "oblivious single posts, two workers",
            lambda: through_gateway(messages, N_CONNECTIONS).requests_per_s,
            lambda: ours(small_survey(), direct, N_CONNECTIONS).requests_per_s,
            least=0.3,
            reference="direct posts, one worker",
            rounds=N_ROUNDS,
        ),
        compare(
            "sealing a request and opening its response",
            message_ms,
            bare_ms,
            least=0.2,
            reference="X25519 and AES-GCM alone",
            unit="ms",
            rounds=N_ROUNDS,
        ),
    ]
