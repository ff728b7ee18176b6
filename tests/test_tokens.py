"""Tokens: shown once, stored as hashes, revoked by the hash's first digits."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sotto_collector.errors import TokenError
from sotto_collector.store import Store
from sotto_collector.tokens import create_token, hash_token, revoke_token


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "survey.db")) as opened:
        yield opened


@pytest.mark.parametrize("role", ["admin", "analyst"])
def test_token_says_its_role_and_the_store_keeps_its_sha256(store: Store, role: str) -> None:
    token = create_token(store, role, "alice")
    assert token.startswith(f"sotto_{role}_")
    (stored,) = store.list_tokens()
    assert (stored.token_hash, stored.role, stored.label) == (hashlib.sha256(token.encode()).digest(), role, "alice")
    assert store.find_role(hash_token(token)) == role


def test_tokens_are_long_and_differ(store: Store) -> None:
    tokens = {create_token(store, "admin") for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= len("sotto_admin_") + 43  # 256 bits in base64


def test_role_outside_the_two_is_refused(store: Store) -> None:
    with pytest.raises(TokenError, match="role"):
        create_token(store, "owner")
    assert store.list_tokens() == []


def test_revoked_token_is_unknown_and_the_others_stay(store: Store) -> None:
    gone, kept = create_token(store, "admin"), create_token(store, "admin")
    revoke_token(store, hash_token(gone).hex()[:12].upper())
    assert store.find_role(hash_token(gone)) is None
    assert store.find_role(hash_token(kept)) == "admin"


@pytest.mark.parametrize(("prefix", "reason"), [("", "at least 6"), ("abc", "at least 6"), ("z" * 12, "of 0")])
def test_prefix_that_names_no_single_token_is_refused(store: Store, prefix: str, reason: str) -> None:
    create_token(store, "admin")
    with pytest.raises(TokenError, match=reason):
        revoke_token(store, prefix)
    assert len(store.list_tokens()) == 1


def test_header_bytes_that_are_not_text_are_no_token(store: Store) -> None:
    assert store.find_role(hash_token("\udcff\udc80")) is None
