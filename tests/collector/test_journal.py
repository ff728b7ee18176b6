"""The journal: whole lines, on the disk before they are acknowledged, refused where they are damaged."""

import fcntl
import os
import re
import resource
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import starting
from collecting import INVITED, SMALL, TIMEOUT_S, check_store, count_here, invite_reports, make_reports, publish_here
from old_journals import old_line, write_old_journal
from sotto_collector.errors import JournalError, StoreUnavailableError
from sotto_collector.invitations import make_invitations, revoke_invitations
from sotto_collector.journal import EndedToken, ErasedReport, Journal, RevokedInvitations, read_journal
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.journaling import keep_journal
from sotto_collector.tokens import create_token, hash_token, revoke_token, rotate_token

STORE = bytes(range(16))


def act_of(number: int) -> ErasedReport:
    return ErasedReport(survey="small", fingerprint="0" * 64, key=5, receipt=f"{number:032x}")


def receipts_in(path: Path) -> list[int]:
    acts = read_journal(path).acts
    assert all(isinstance(act, ErasedReport) for act in acts)
    return [int(act.receipt, 16) for act in acts if isinstance(act, ErasedReport)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "acts.journal"


def test_what_was_written_is_read_and_goes_on_where_it_was(path: Path) -> None:
    journal = Journal(path, STORE)
    for number in range(3):
        journal.write(act_of(number))
    journal.close()
    again = Journal(path, STORE)
    again.write(act_of(3))
    assert (again.head, receipts_in(path)) == (journal.head, [0, 1, 2, 3])
    assert path.stat().st_mode & 0o777 == 0o600
    assert not re.search(r"20\d\d-|time|1[67]\d{8}\b", path.read_text())  # no time


def test_torn_last_line_is_passed_over_and_cut_by_the_next(path: Path) -> None:
    journal = Journal(path, STORE)
    for number in range(3):
        journal.write(act_of(number))
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for kept in range(1, last):
        path.write_bytes(whole[:-kept])
        assert receipts_in(path) == [0, 1]
    journal.write(act_of(7))
    assert receipts_in(path) == [0, 1, 7]
    path.write_bytes(whole[:9])  # a head that was torn: no act can have followed
    Journal(path, STORE).write(act_of(1))
    assert receipts_in(path) == [1]


def test_every_other_damage_is_refused_by_its_line(path: Path) -> None:
    journal = Journal(path, STORE)
    for number in range(4):
        journal.write(act_of(number))
    lines = path.read_bytes().splitlines(keepends=True)
    for at, line in enumerate(lines):
        for place in range(len(line) - 1):
            damaged = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
            path.write_bytes(b"".join([*lines[:at], damaged, *lines[at + 1 :]]))
            with pytest.raises(JournalError, match=rf"journal \({re.escape(str(path))}\), line {at + 1}: is damaged"):
                read_journal(path)


def test_lines_that_are_missing_doubled_swapped_or_of_another_journal_are_refused_by_their_line(path: Path) -> None:
    """Each of these lines is whole by itself."""
    journal = Journal(path, STORE)
    for number in range(5):
        journal.write(act_of(number))
    head, *acts = path.read_bytes().splitlines(keepends=True)
    for at in range(4):  # of a last line that is missing only somebody else knows
        assert_refused(path, [head, *acts[:at], *acts[at + 1 :]], rf"line {at + 2}: is act {at + 2}, but act {at + 1} ")
    for at in range(5):
        assert_refused(path, [head, *acts[: at + 1], *acts[at:]], rf"line {at + 3}: is act {at + 1}, but act {at + 2} ")
    for at in range(4):
        swapped = [*acts[:at], acts[at + 1], acts[at], *acts[at + 2 :]]
        assert_refused(path, [head, *swapped], rf"line {at + 2}: is act {at + 2}, but act {at + 1} belongs")
    path.write_bytes(b"".join([head, *acts[:2]]))
    for number in (7, 8, 9):  # the same journal, cut back and written on
        journal.write(act_of(number))
    others = path.read_bytes().splitlines(keepends=True)[1:]
    assert receipts_in(path) == [0, 1, 7, 8, 9]
    assert_refused(path, [head, *others[:3], *acts[3:]], "line 5: was written after another line than line 4")
    assert_refused(path, [head, *acts[:3], *others[3:]], "line 5: was written after another line than line 4")


def assert_refused(path: Path, lines: list[bytes], said: str) -> None:
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=said):
        read_journal(path)


def test_journal_of_before_lines_had_numbers_is_read_and_goes_on_with_numbers(path: Path) -> None:
    head, *acts = write_old_journal(path, STORE, *map(act_of, range(3)))
    read = read_journal(path)
    assert (receipts_in(path), read.n_unchained, read.reach.n_acts) == ([0, 1, 2], 3, 3)
    journal = Journal(path, STORE)
    assert journal.write(act_of(3), act_of(4)) == read_journal(path).reach
    assert (receipts_in(path), read_journal(path).n_unchained) == ([0, 1, 2, 3, 4], 3)
    new = path.read_bytes().splitlines(keepends=True)[4:]
    assert_refused(path, [head, *acts[:2], *new], "line 4: is act 4, but act 3 belongs")
    assert_refused(path, [head, *acts, *new, acts[0]], "line 7: has no number, and must have one")


def test_line_without_a_number_is_refused_in_a_journal_that_began_with_numbers(path: Path) -> None:
    Journal(path, STORE)
    assert_refused(path, [path.read_bytes(), old_line(act_of(1))], "line 2: has no number, and must have one")


def test_act_behind_a_damaged_line_is_refused(path: Path) -> None:
    journal = Journal(path, STORE)
    journal.write(act_of(0))
    whole = path.read_bytes()
    path.write_bytes(whole[:-3] + b"x}\n")
    with pytest.raises(StoreUnavailableError, match="its last line is damaged"):
        journal.write(act_of(1))
    assert len(path.read_bytes()) == len(whole)


def test_line_that_is_longer_than_what_is_read_at_once_is_found_and_cut(path: Path) -> None:
    journal = Journal(path, STORE)
    many = RevokedInvitations(survey="s", fingerprint="0" * 64, key=5, hashes=[f"{n:064x}" for n in range(3000)])
    journal.write(many)
    with path.open("ab") as file:
        file.write(bytes(200_000))
    assert journal.write(act_of(1), many) == read_journal(path).reach
    assert read_journal(path).acts == (many, act_of(1), many)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}\n", b"SQLite format 3\0\n", b'{"did":{},"check":"44136fa355b3678a"}\n']
)
def test_what_is_no_journal_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"line 1: is damaged, or not a journal's\.$"):
        read_journal(path)


def test_journal_of_another_store_or_that_cannot_be_made_is_refused(path: Path, tmp_path: Path) -> None:
    Journal(path, STORE)
    with pytest.raises(JournalError, match=r"must be this database's; it is of another collector's\.$"):
        Journal(path, STORE[::-1])
    for bad in (tmp_path, tmp_path / "none" / "acts", Path("/dev/full")):
        with pytest.raises(JournalError, match=r"must be a file that can be written: "):
            Journal(bad, STORE)
    with pytest.raises(JournalError, match="must be a file that can be read"):
        read_journal(tmp_path / "missing")


def test_file_that_is_no_journal_of_this_store_is_refused_and_keeps_its_bytes(path: Path, tmp_path: Path) -> None:
    """Of the head every torn beginning is taken, as no act can have followed it, and nothing that is not one."""
    for store in (STORE, STORE[::-1]):
        Journal(tmp_path / f"{store[0]}", store).write(act_of(1))
    whole, other = ((tmp_path / f"{store[0]}").read_bytes() for store in (STORE, STORE[::-1]))
    head = whole.splitlines(keepends=True)[0]
    damaged = head.replace(b"1", b"2")
    bad = [b"some_key", b"\n", b"{}", b"SQLite format 3\0\n\0\0" + bytes(10**5), bytes(10**5), other, other + b"torn"]
    bad += [head[:-1] + b" ", head[:60] + b"\0", other[:-5], damaged, damaged[:-1], damaged + b"torn", b"x" + whole]
    bad += [other[:cut] for cut in range(head.index(b'"store":"') + 11, len(head), 7)]
    for content in bad:
        path.write_bytes(content)
        with pytest.raises(JournalError, match=r"line 1: (is damaged|must be of the format)|another collector's"):
            Journal(path, STORE)
        assert path.read_bytes() == content
    for cut in range(0, len(head), 7):
        path.write_bytes(head[:cut])
        Journal(path, STORE).write(act_of(cut))
        assert receipts_in(path) == [cut]


def test_database_that_is_named_as_the_journal_stays_whole(tmp_path: Path) -> None:
    named = tmp_path / "mine.db"
    with closing(Store(named)) as mine:
        count_here(mine, publish_here(mine, SMALL), make_reports(5, SMALL))
        with pytest.raises(JournalError, match="is damaged, or not a journal's"):
            keep_journal(mine, str(named))
    check_store(named)


def test_journal_whose_first_line_has_become_another_refuses_the_act(path: Path) -> None:
    journal = Journal(path, STORE)
    for content in (b"", b"minutes of the meeting"):
        path.write_bytes(content)
        with pytest.raises(StoreUnavailableError, match="its first line has changed"):
            journal.write(act_of(1))
        assert path.read_bytes() == content


@pytest.mark.parametrize("kind", [fcntl.LOCK_SH, fcntl.LOCK_EX])
def test_lock_of_another_program_refuses_the_act_and_holds_up_nothing(
    path: Path, store: Store, kind: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sotto_collector.journal.LOCK_S", 0.05)
    keep_journal(store, str(path))
    stored, reports = publish_here(store, SMALL), make_reports(5, SMALL)
    count_here(store, stored, reports[:3])
    with path.open() as other:
        fcntl.flock(other, kind)
        for act in (lambda: store.erase_report(stored, reports[0].id), lambda: Journal(path, STORE)):
            with pytest.raises(StoreUnavailableError, match="another program holds its lock"):
                act()
        count_here(store, stored, reports[3:])
        assert store.read_tally(stored).n_reports == 5
    assert store.erase_report(stored, reports[0].id)
    assert len(read_journal(path).acts) == 1


@contextmanager
def files_of_at_most(n_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_disk_without_room_refuses_the_act_and_leaves_whole_lines(path: Path) -> None:
    journal = Journal(path, STORE)
    journal.write(act_of(0))
    with files_of_at_most(path.stat().st_size + 20), pytest.raises(StoreUnavailableError, match="journal cannot be"):
        journal.write(act_of(1))
    assert path.read_bytes().endswith(b"\n")
    journal.write(act_of(2))
    assert receipts_in(path) == [0, 2]


def test_journal_that_was_moved_or_removed_refuses_the_act(path: Path) -> None:
    journal = Journal(path, STORE)
    path.rename(path.with_suffix(".1"))
    with pytest.raises(StoreUnavailableError, match="journal cannot be written now: No such file"):
        journal.write(act_of(1))
    Journal(path, STORE)
    with pytest.raises(StoreUnavailableError, match="was moved or replaced"):
        journal.write(act_of(1))
    assert receipts_in(path) == receipts_in(path.with_suffix(".1")) == []


WRITE = """
import sys
from pathlib import Path
from sotto_collector import journal as module
from sotto_collector.journal import ErasedReport, Journal
module.LOCK_S = 60
journal = Journal(Path(sys.argv[1]), bytes(range(16)))
for number in range(int(sys.argv[2]), int(sys.argv[2]) + 100):
    journal.write(ErasedReport(survey="s", fingerprint="0" * 64, key=5, receipt=f"{number:032x}"))
"""


def test_processes_and_threads_share_a_journal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes and two threads of this one, each 100 lines: none is lost, torn or mixed."""
    monkeypatch.setattr("sotto_collector.journal.LOCK_S", TIMEOUT_S)
    others = [starting.Popen([sys.executable, "-c", WRITE, path, str(start)]) for start in (0, 100)]
    journal = Journal(path, STORE)
    threads = [
        threading.Thread(target=lambda start=start: [journal.write(act_of(n)) for n in range(start, start + 100)])  # type: ignore[misc]
        for start in (200, 300)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert [other.wait(TIMEOUT_S) for other in others] == [0, 0]
    found = receipts_in(path)
    assert sorted(found) == list(range(400))
    for start in range(0, 400, 100):
        assert [number for number in found if start <= number < start + 100] == list(range(start, start + 100))


def test_operator_s_acts_are_written_and_respondents_are_not(store: Store, path: Path) -> None:
    keep_journal(store, str(path))
    small, invited = publish_here(store, SMALL), publish_here(store, INVITED)
    reports = make_reports(5, SMALL)
    count_here(store, small, reports)
    codes = make_invitations(store, invited, 3)
    count_here(store, invited, invite_reports(store, invited, make_reports(4, INVITED)))
    assert read_journal(path).acts == ()  # nothing that respondents do, nor what is given to them
    table = TokenTable(store)
    gone, leaving = create_token(table, "admin", "x"), create_token(table, "analyst", "y")
    revoke_token(table, hash_token(gone).hex()[:12])
    rotate_token(table, hash_token(leaving).hex()[:12], 50)
    assert store.erase_report(small, reports[1].id)
    assert not store.erase_report(small, os.urandom(16))
    count_here(store, invited, [replace(make_reports(1, INVITED)[0], invitation=codes[2])])
    assert revoke_invitations(store, invited, [codes[0], codes[2]]) == 1  # the other one was used
    assert revoke_invitations(store, invited, None) == 1
    store.close_survey(invited.key)
    store.erase_survey(invited.key)
    acts = read_journal(path).acts
    said = [type(act).__name__ for act in acts]
    revoked = ["RevokedInvitations"] * 2
    assert said == ["EndedToken", "EndedToken", "ErasedReport", *revoked, "ClosedSurvey", "ErasedSurvey"]
    tokens = [act for act in acts if isinstance(act, EndedToken)]
    assert [act.hash for act in tokens] == [hash_token(gone).hex(), hash_token(leaving).hex()]
    assert [act.expires_s is None for act in tokens] == [True, False]
    assert [len(act.hashes) for act in acts if isinstance(act, RevokedInvitations)] == [1, 1]
    written = path.read_bytes()
    assert all(report.id.hex().encode() not in written for report in reports if report is not reports[1])


def test_database_that_has_a_journal_goes_on_with_one(store: Store, path: Path, tmp_path: Path) -> None:
    keep_journal(store, "")
    keep_journal(store, str(path))
    with pytest.raises(JournalError, match=r"journal must be given \(--journal FILE\): this database has one"):
        keep_journal(store, "")
    other = tmp_path / "another.journal"
    for content in (None, b""):
        if content is not None:
            other.write_bytes(content)
        with pytest.raises(
            JournalError,
            match=r"does not exist, but this database has a journal.*begin another with `sotto db journal ",
        ):
            keep_journal(store, str(other))
    keep_journal(store, str(other), begins=True)  # a second collector's
    keep_journal(store, str(other))


def test_act_whose_line_cannot_be_written_is_not_done(store: Store, path: Path) -> None:
    keep_journal(store, str(path))
    small, reports = publish_here(store, SMALL), make_reports(3, SMALL)
    count_here(store, small, reports)
    path.unlink()
    with pytest.raises(StoreUnavailableError, match="the journal cannot be written now"):
        store.erase_report(small, reports[0].id)
    assert store.read_tally(small).n_reports == 3
    assert all(packed for _, packed in store.read_reports(small))
