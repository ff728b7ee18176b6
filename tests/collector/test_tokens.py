"""Tokens: shown once, stored as hashes, revoked by the hash's first digits."""

import hashlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sotto_collector.errors import TokenError
from sotto_collector.store import Store, TokenTable
from sotto_collector.tokens import (
    MAX_LIFE_S,
    ONE_SURVEY_ONLY,
    ROLES,
    create_token,
    find_token,
    has_ended,
    hash_token,
    revoke_token,
    rotate_token,
)

OF_ONE: dict[str, Any] = {"survey_id": "habits", "expires_in_s": 60}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TokenTable]:
    with closing(Store(tmp_path / "survey.db")) as store:
        yield TokenTable(store)


@pytest.mark.parametrize("role", ROLES)
def test_token_says_its_role_and_the_store_keeps_its_sha256(table: TokenTable, role: str) -> None:
    token = create_token(table, role, "alice", **(OF_ONE if role in ONE_SURVEY_ONLY else {}))
    assert token.startswith(f"sotto_{role}_")
    (stored,) = table.list()
    assert (stored.token_hash, stored.role, stored.label) == (hashlib.sha256(token.encode()).digest(), role, "alice")
    assert find_token(table, token) == stored


def test_tokens_are_long_and_differ(table: TokenTable) -> None:
    tokens = {create_token(table, "admin") for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= len("sotto_admin_") + 43  # 256 bits in base64


def test_role_that_is_none_is_refused(table: TokenTable) -> None:
    with pytest.raises(TokenError, match="role"):
        create_token(table, "owner")
    assert table.list() == []


def test_revoked_token_is_unknown_and_the_others_stay(table: TokenTable) -> None:
    gone, kept = create_token(table, "admin"), create_token(table, "admin")
    revoke_token(table, hash_token(gone).hex()[:12].upper())
    assert find_token(table, gone) is None
    assert find_token(table, kept) is not None


@pytest.mark.parametrize(("prefix", "reason"), [("", "at least 6"), ("abc", "at least 6"), ("z" * 12, "it matches 0")])
def test_prefix_that_names_no_single_token_is_refused(table: TokenTable, prefix: str, reason: str) -> None:
    create_token(table, "admin")
    with pytest.raises(TokenError, match=reason):
        revoke_token(table, prefix)
    assert len(table.list()) == 1


def test_header_bytes_that_are_not_text_are_no_token(table: TokenTable) -> None:
    assert find_token(table, "\udcff\udc80") is None


def test_token_is_good_until_it_ends(table: TokenTable, monkeypatch: pytest.MonkeyPatch) -> None:
    token = create_token(table, "analyst", survey_id="habits", expires_in_s=60)
    known = find_token(table, token)
    assert known is not None
    assert (known.survey_id, has_ended(known)) == ("habits", False)
    assert known.expires_s is not None
    for now, is_good in ((known.expires_s - 1, True), (known.expires_s, False), (known.expires_s + 86400, False)):
        monkeypatch.setattr("sotto_collector.tokens.time.time", lambda now=now: now)
        assert has_ended(known) is not is_good
        assert find_token(table, token) == known


@pytest.mark.parametrize("life_s", [0, -1, MAX_LIFE_S + 1])
def test_life_outside_its_domain_is_refused(table: TokenTable, life_s: int) -> None:
    with pytest.raises(TokenError, match="life of a token"):
        create_token(table, "admin", expires_in_s=life_s)
    assert table.list() == []


def test_rotated_token_allows_what_the_old_did_and_the_old_ends(table: TokenTable) -> None:
    old = create_token(table, "analyst", "bob", survey_id="habits", expires_in_s=1000)
    before = find_token(table, old)
    new = rotate_token(table, hash_token(old).hex()[:12], 0)
    after = find_token(table, new)
    assert before is not None
    assert after is not None
    assert (after.role, after.label, after.survey_id, after.expires_s) == (
        before.role,
        before.label,
        before.survey_id,
        before.expires_s,
    )
    assert new != old
    ended = find_token(table, old)
    assert ended is not None
    assert has_ended(ended)
    with pytest.raises(TokenError, match=r"the token has ended, .* create a new one"):
        rotate_token(table, hash_token(old).hex()[:12], 0)


def test_overlap_never_lengthens_a_tokens_life(table: TokenTable) -> None:
    old = create_token(table, "analyst", expires_in_s=100)
    before = find_token(table, old)
    rotate_token(table, hash_token(old).hex()[:12], 5000)
    assert find_token(table, old) == before


@pytest.mark.parametrize("overlap_s", [-1, MAX_LIFE_S + 1])
def test_overlap_outside_its_domain_is_refused(table: TokenTable, overlap_s: int) -> None:
    token = create_token(table, "admin")
    with pytest.raises(TokenError, match="overlap"):
        rotate_token(table, hash_token(token).hex()[:12], overlap_s)
    assert len(table.list()) == 1
