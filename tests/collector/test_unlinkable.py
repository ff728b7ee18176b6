"""Who reads the raw database finds nothing that links an invitation to the report that it was used for."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from collecting import INVITED, count_here, make_reports, publish_here, serve
from raw_database import correlate_ranks, read_hidden
from sotto_collector.intake.writer import Writer
from sotto_collector.invitations import hash_invitation, make_invitations
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_protocol import Report
from sotto_protocol.invitation import parse_invitation


def redeem_in_order(store: Store, n_reports: int) -> tuple[list[str], list[Report]]:
    """Make invitations and redeem them one by one, in the order in which they were made."""
    stored = publish_here(store, INVITED)
    codes = make_invitations(store, stored, n_reports)
    reports = [
        replace(report, invitation=code) for report, code in zip(make_reports(n_reports, INVITED), codes, strict=True)
    ]
    for start in range(0, n_reports, 25):
        assert count_here(store, stored, reports[start : start + 25]) != []
    return codes, reports


def test_file_of_a_stopped_collector_holds_no_invitation_and_no_link_to_one(tmp_path: Path) -> None:
    db = tmp_path / "survey.db"
    with serve(db, survey=INVITED) as served:
        asked = served.fetch("POST", f"/v1/surveys/{INVITED.id}/invitations", b'{"count":120}', served.admin)
        codes = asked[2].decode().split()[1:]
        reports = [replace(r, invitation=code) for r, code in zip(make_reports(100, INVITED), codes, strict=False)]
        for start in range(0, 100, 5):
            assert served.send(reports[start : start + 5], INVITED)[0] == 200
        assert served.stop() == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["survey.db"]
    content = db.read_bytes()
    hashes = [hash_invitation(parse_invitation(code), INVITED) for code in codes]
    assert all(code_hash in content for code_hash in hashes[100:])  # the search does find what is there
    assert not any(code_hash in content for code_hash in hashes[:100])
    for code in codes:
        assert code.encode() not in content
        assert code.upper().encode() not in content
        assert parse_invitation(code) not in content
    places = [content.index(report.id) for report in reports]
    assert content.count(reports[0].id) == 1
    assert len(set(places)) == 100
    with closing(Store(db)) as store:
        stored = store.read_reports(publish_here(store, INVITED))
    assert [key for key, _ in stored] == sorted(report.id for report in reports)


def test_file_places_of_reports_tell_nothing_of_the_order_in_which_invitations_were_made(tmp_path: Path) -> None:
    """Spearman's correlation of 1,000 places: one of random ranks exceeds .16 with a probability of 4e-7."""
    db = tmp_path / "survey.db"
    with closing(Store(db)) as store:
        _, reports = redeem_in_order(store, 1000)
        with closing(Writer(store, max_queued_reports=1000)) as writer:
            writer.tidy()
    content = db.read_bytes()
    places = [content.index(report.id) for report in reports]
    assert abs(correlate_ranks(places, list(range(1000)))) < 0.16


@pytest.mark.thorough
def test_hidden_columns_of_postgresql_tell_nothing_of_which_invitation_was_used_for_a_report(
    postgres_db: str,
) -> None:
    """As above; and no transaction's number is both a report's and another row's."""
    with closing(Store(postgres_db)) as store:
        codes, reports = redeem_in_order(store, 1000)
        stored = publish_here(store, INVITED)
        make_invitations(store, stored, 50)
        made = {report.id: number for number, report in enumerate(reports)}
        before = {xmin for _, xmin, _ in read_hidden(postgres_db, "inbox", "report_id")}
        assert len(before) == 40  # the check can fail: each batch has a transaction of its own
        with closing(Writer(store, max_queued_reports=1000)) as writer:
            writer.tidy()
        check_integrity(store)
    rows = read_hidden(postgres_db, "reports", "report_id")
    assert read_hidden(postgres_db, "inbox", "report_id") == []
    assert len({xmin for _, xmin, _ in rows}) == 1
    assert abs(correlate_ranks([made[key] for key, _, _ in rows], list(range(1000)))) < 0.16
    left = read_hidden(postgres_db, "invitations", "code_hash")
    used = {hash_invitation(parse_invitation(code), INVITED) for code in codes}
    assert len(left) == 50
    assert not used & {key for key, _, _ in left}
    others = {xmin for _, xmin, _ in left} | {xmin for _, xmin, _ in read_hidden(postgres_db, "tallies", "counts")}
    assert not others & {xmin for _, xmin, _ in rows}
    assert not find_in_database(postgres_db, [*codes, *map(parse_invitation, codes), *used])


def find_in_database(url: str, secrets: list[str | bytes]) -> list[str]:
    """Return the columns of any table that hold one of these values."""
    wanted, found = {value.encode() if isinstance(value, str) else bytes(value) for value in secrets}, []
    columns = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    with psycopg.connect(url) as connection:
        for table, column in connection.execute(columns.encode()).fetchall():
            rows = connection.execute(f"SELECT {column} FROM {table}".encode()).fetchall()  # noqa: S608  # a test's
            values = {value.encode() if isinstance(value, str) else value for (value,) in rows}
            found += [f"{table}.{column}"] * bool(wanted & values)
    return found
