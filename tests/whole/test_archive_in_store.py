"""An archive in an S3-compatible store: at a real server, whose uploads break and whose clients die."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing

import pytest
from click.testing import CliRunner
from pyarrow.fs import FileSelector

from archiving import LARGE, Heap, noise
from collecting import SOTTO, STRINGS, TIMEOUT_S, count_here, make_reports, publish_here
from object_store import BUCKET, KEY, SECRET, ObjectStore, object_store
from sotto_client.cli import main
from sotto_collector.archive.export import export
from sotto_collector.archive.recount import recount
from sotto_collector.errors import ArchiveError
from sotto_collector.store import Store
from sotto_estimator import read_archive
from sotto_protocol import Tally

pytestmark = pytest.mark.thorough  # a server; test_archive.py holds what both kinds of folder share


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectStore]:
    with object_store() as served:
        yield served


@pytest.fixture
def store(server: ObjectStore) -> Iterator[ObjectStore]:
    yield server
    server.on_request = lambda *_: 0


@pytest.fixture
def address(store: ObjectStore, request: pytest.FixtureRequest) -> str:
    return store.address(f"archives/{request.node.name}")


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Tally]:
    """A database of 600 reports, and their tally."""
    db = tmp_path_factory.mktemp("db") / "survey.db"
    with closing(Store(db)) as store:
        stored = publish_here(store, STRINGS)
        for wave in (1, 2):
            count_here(store, stored, make_reports(300, STRINGS, wave))
        return str(db), store.recount(stored)


def heap(n_reports: int = 3000) -> Heap:
    return Heap(LARGE, noise(n_reports))


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.stdout, result.stderr


def names(store: ObjectStore, address: str) -> set[str]:
    path = address.removeprefix("s3://").partition("?")[0]
    return {found.base_name for found in store.files.get_file_info(FileSelector(path, allow_not_found=True))}


def test_archive_in_a_store_is_what_a_folders_is(store: ObjectStore, address: str) -> None:
    reports = heap()
    manifest, n_kept = export(reports, address, 4)
    assert (manifest.n_reports, n_kept) == (3000, 0)
    assert names(store, address) == {"manifest.json", *(file.name for file in manifest.files)}
    assert recount(address, n_workers=1) == recount(address, n_workers=2) == reports.tally
    n_before = len(store.seen)
    assert export(reports, address)[1] == 4
    assert {method for method, _ in store.seen[n_before:]} == {"HEAD", "GET"}
    assert len(read_archive(address, parts=[1])) == 750


def test_commands_write_count_and_estimate_it(address: str, counted: tuple[str, Tally]) -> None:
    db, tally = counted
    place = address.partition("?")[0]
    assert run("export", db, "strings", "--to", address, "--parts", "3")[:2] == (
        0,
        f"600 reports in {place}: 3 parts\n",
    )
    assert run("tally", address, "--workers", "1")[1] == tally.to_json().decode() + "\n"
    assert "n = 300 reports" in run("estimate", address, "--wave", "1")[1]
    assert run("estimate", address, address)[0] == 2
    assert run("export", db, "strings", "--to", address, "--labels")[0] == 2


def test_broken_upload_leaves_nothing_that_counts(store: ObjectStore, address: str) -> None:
    reports, uploads = heap(400_000), list[str]()  # 7 MB: an object of several pieces

    def fail_second(method: str, path: str) -> int:
        if method == "PUT":
            uploads.append(path)
        return 403 if len(uploads) == 3 else 0  # the manifest was the first

    store.on_request = fail_second
    with pytest.raises(ArchiveError, match="cannot be written: the store says access denied"):
        export(reports, address, 1)
    store.on_request = lambda *_: 0
    with pytest.raises(ArchiveError, match="has 0 of 1 parts: its export was cut short"):
        recount(address)
    assert export(reports, address)[0].n_reports == 400_000
    assert recount(address) == reports.tally


def test_export_that_is_killed_goes_on_and_counts_nothing_twice(
    store: ObjectStore, address: str, counted: tuple[str, Tally]
) -> None:
    db, tally = counted
    command = [str(SOTTO), "export", db, "strings", "--to", address, "--parts", "6"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(method: str, path: str) -> int:
        if method == "PUT" and "part-0003" in path:
            process.send_signal(signal.SIGKILL)
        return 0

    store.on_request = kill
    assert process.wait(TIMEOUT_S) == -signal.SIGKILL
    store.on_request = lambda *_: 0
    assert run("tally", address)[2].startswith(f"Error: {address.partition('?')[0]} has 3 of 6 parts")
    assert "6 parts, 3 of them there already" in run("export", db, "strings", "--to", address)[1]
    assert recount(address, n_workers=1) == tally


def test_two_exports_at_once_count_every_report_once(address: str) -> None:
    """The second begins and ends in the middle of the first: nothing locks a prefix."""
    reports, has_begun = heap(), list[int]()

    def export_too(manifest: object) -> None:
        has_begun.append(1)
        if len(has_begun) == 2:
            export(reports, address)

    export(reports, address, 3, export_too)
    assert recount(address, n_workers=1) == reports.tally


def test_object_of_another_export_is_named_and_mended(store: ObjectStore, address: str) -> None:
    reports = heap()
    name = export(reports, address, 2)[0].files[1].name
    path = address.removeprefix("s3://").partition("?")[0]
    store.files.copy_file(f"{path}/{name.replace('0001-of', '0000-of')}", f"{path}/{name}")
    with pytest.raises(ArchiveError, match=f"{name} is not what was exported"):
        recount(address, n_workers=1)
    code, _, said = run("estimate", address)
    assert (code, f"{name} is not what was exported" in said) == (1, True)
    assert export(reports, address)[1] == 1
    assert recount(address, n_workers=1) == reports.tally


@pytest.mark.parametrize(
    ("status", "reason"), [(403, "access denied"), (404, "the store has no such file"), (400, "the store says")]
)
def test_refusals_are_named_without_credentials(store: ObjectStore, status: int, reason: str) -> None:
    store.on_request = lambda *_: status
    address = store.address("refused")
    for command in (["tally", address], ["estimate", address]):
        code, _, said = run(*command)
        assert (code, said.count("\n")) == (1, 1)
        assert f"s3://{BUCKET}/refused" in said
        assert reason in said
        assert KEY not in said
        assert SECRET not in said


def test_store_that_is_not_there_is_named(store: ObjectStore) -> None:
    said = run("tally", f"s3://{BUCKET}/x?endpoint_override=127.0.0.1:1&scheme=http&region=us-east-1")[2]
    assert said.endswith("x must be an archive, but manifest.json cannot be read: the store says network connection.\n")
