"""A commit whose answer is lost: what it did is done once, and who asked is told what is so."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from sqlalchemy import insert

from collecting import INVITED, INVITED_WAVES, SURVEY, count_here, invite_reports, make_reports, publish_here, tally_of
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.intake.counting import Outcome
from sotto_collector.invitations import count_invitations, hash_invitation, make_invitations
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.schema import invitations, surveys
from sotto_collector.store.timeouts import WatchedConnection
from sotto_collector.tokens import create_token, find_token, has_ended, hash_token, rotate_token
from sotto_protocol import Survey
from sotto_protocol.invitation import parse_invitation


@pytest.fixture
def store(postgres_db: str) -> Iterator[Store]:
    with closing(Store(postgres_db)) as opened:
        yield opened
        check_integrity(opened)


@contextmanager
def unheard() -> Iterator[None]:
    """Lose the connection after the next commit, before its answer; in the block there is one."""
    commits = []

    def commit(self: WatchedConnection) -> None:
        psycopg.Connection.commit(self)
        commits.append(self)
        if len(commits) == 1:
            self.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(WatchedConnection, "commit", commit)
        yield
    assert len(commits) > 1


def test_erasure_whose_commit_was_not_heard_of_is_an_erasure(store: Store) -> None:
    stored, (gone, *kept) = publish_here(store), make_reports(5)
    count_here(store, stored, [gone, *kept])
    with unheard():
        assert store.erase_report(stored, gone.id) is True
    assert store.read_tally(stored) == tally_of(SURVEY, kept)


@pytest.mark.parametrize("survey", [INVITED, INVITED_WAVES], ids=["one wave", "three waves"])
def test_invitations_whose_commit_was_not_heard_of_are_those_that_are_shown(store: Store, survey: Survey) -> None:
    stored = publish_here(store, survey)
    with unheard():
        codes = make_invitations(store, stored, 7)
    assert set(count_invitations(store, stored).values()) == {len(set(codes))} == {7}
    with store.reader() as connection:
        hashes = {bytes(row[0]) for row in connection.execute(invitations.select().with_only_columns(invitations.c[1]))}
    assert hashes == {hash_invitation(parse_invitation(code), survey) for code in codes}


def test_tokens_whose_commit_was_not_heard_of_are_those_that_are_shown(store: Store) -> None:
    table = TokenTable(store)
    with unheard():
        first = create_token(table, "admin")
    with unheard():
        second = rotate_token(table, hash_token(first).hex(), 0)
    assert {token.token_hash for token in table.list()} == {hash_token(first), hash_token(second)}
    assert [has_ended(token) for token in (find_token(table, first), find_token(table, second)) if token] == [
        True,
        False,
    ]


def test_reports_and_invitations_whose_commit_was_not_heard_of_are_counted_once(store: Store) -> None:
    stored = publish_here(store, INVITED)
    reports = invite_reports(store, stored, make_reports(5, INVITED))
    with unheard():
        assert count_here(store, stored, reports) == [Outcome(0, 5, 0)]
    assert store.read_tally(stored) == tally_of(INVITED, reports)
    assert count_invitations(store, stored) == {1: 0}


def test_survey_whose_commit_was_not_heard_of_is_there_once(store: Store) -> None:
    with unheard():
        store.add_survey(SURVEY)
    assert [stored.survey for stored in store.list_surveys()] == [SURVEY]


def test_key_that_is_there_is_no_passing_fault_where_none_is_expected(store: Store) -> None:
    stored, n_tries = publish_here(store), []
    row = {"survey_id": "x", "fingerprint": SURVEY.fingerprint, "definition": b"", "survey_key": stored.key}
    with pytest.raises(StoreUnavailableError, match="duplicate key"):
        store.run(lambda transaction: (n_tries.append(1), transaction.connection.execute(insert(surveys), row)))
    assert len(n_tries) == 1
