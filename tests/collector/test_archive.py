"""An archive holds every report once and nothing else; what is not exactly what was exported is named, not counted."""

import json
import random
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from archiving import LARGE, Heap, export_noise, export_store, noise
from collecting import STRINGS, SURVEY, count_here, make_reports, publish_here
from sotto_collector.archive import files
from sotto_collector.archive.export import count_parts, export
from sotto_collector.archive.folders import LocalFolder
from sotto_collector.archive.layout import Layout
from sotto_collector.archive.manifest import read_manifest, write_manifest
from sotto_collector.archive.recount import Sum, count_file, recount
from sotto_collector.errors import ArchiveError, CollectorError
from sotto_collector.store import Part, Store, records
from sotto_protocol import Report, Survey, Tally, compile_toml, stack_records
from sotto_protocol.archive import MAX_PARTS

pytestmark = pytest.mark.later("postgres", "rare")  # test_store.py reads the records of both

ONE_BIT = compile_toml(
    'id = "one"\ntitle = "One"\nquestions = [{id = "wave", type = "yes-no", text = "?", epsilon = 1}]'
)
"""Reports of one byte, of which many are equal; its question is named as a column that other surveys have."""


def reports_of(survey: Survey, n_reports: int) -> list[Report]:
    return [
        report
        for wave in range(1, survey.waves + 1)
        for report in make_reports(n_reports // survey.waves, survey, wave)
    ]


@pytest.fixture(params=[SURVEY, STRINGS, ONE_BIT], ids=lambda survey: survey.id)
def survey(request: pytest.FixtureRequest) -> Survey:
    found: Survey = request.param
    return found


def test_columns_and_packed_reports_are_the_same_thing(survey: Survey) -> None:
    records = stack_records([report.record for report in reports_of(survey, 300)])
    layout = Layout(survey)
    batch = layout.to_batch(records)
    assert np.array_equal(layout.to_records(batch), records)
    assert np.array_equal(layout.to_records(batch.slice(7, 100)), records[7:107])
    assert layout.to_records(batch.slice(0, 0)).shape == (0, survey.layout.n_bytes)
    assert len(set(batch.schema.names)) == len(batch.schema.names)


def test_columns_say_what_they_hold() -> None:
    shown = {field.name: str(field.type) for field in Layout(STRINGS).schema}
    assert shown == {
        "wave": "uint16",
        "affair.value": "uint8",
        "home.cohort": "uint16",
        "home.bits": "fixed_size_binary[3]",
        "street.cohort": "uint16",
        "street.pair": "uint8",
        "street.bits": "fixed_size_binary[2]",
        "street.gram1": "fixed_size_binary[2]",
        "street.gram2": "fixed_size_binary[2]",
    }
    assert [str(field.type) for field in Layout(SURVEY).schema] == [
        "uint8",
        "uint8",
        "uint16",
        "fixed_size_binary[2]",
        "fixed_size_binary[1]",
    ]


def test_archive_of_a_database_has_the_tally_of_its_reports(db: str, tmp_path: Path, survey: Survey) -> None:
    with closing(Store(db)) as store:
        stored = publish_here(store, survey)
        count_here(store, stored, reports_of(survey, 600))
        count_here(store, publish_here(store, LARGE), make_reports(5, LARGE))  # another survey's are left alone
        export_store(db, survey.id, tmp_path / "archive", 5)
        tally = recount(tmp_path / "archive", n_workers=1)
        assert tally == store.read_tally(stored) == store.recount(stored)
        assert (tally.n_reports, tally.waves) == (600, tuple(range(1, survey.waves + 1)))
        for wave in range(1, survey.waves + 1):
            assert recount(tmp_path / "archive", wave, n_workers=1) == store.read_tally(stored, wave)


def test_erased_report_is_not_exported(db: str, tmp_path: Path) -> None:
    reports = make_reports(30)
    with closing(Store(db)) as store:
        stored = publish_here(store)
        count_here(store, stored, reports)
        store.erase_report(stored, reports[4].id)
        manifest = export_store(db, SURVEY.id, tmp_path / "archive")
        assert manifest.n_reports == 29
        assert recount(tmp_path / "archive", n_workers=1) == store.read_tally(stored)


def test_survey_without_reports_is_an_archive_without_files(db: str, tmp_path: Path) -> None:
    with closing(Store(db)) as store:
        publish_here(store, STRINGS)
    assert export_store(db, STRINGS.id, tmp_path / "archive").files == []
    assert recount(tmp_path / "archive") == Tally.empty(STRINGS)
    assert [path.name for path in (tmp_path / "archive").iterdir()] == ["manifest.json"]


def test_archive_holds_no_ids_and_the_order_says_nothing_of_them(tmp_path: Path) -> None:
    """Ranks of 2,000 random permutations correlate by .2 or more once in 10^18 (Fisher's z, 9 standard errors)."""
    reports = sorted(make_reports(2000, LARGE), key=lambda report: report.id)
    with closing(Store(tmp_path / "survey.db")) as store:
        count_here(store, publish_here(store, LARGE), reports)
    manifest = export_store(tmp_path / "survey.db", LARGE.id, tmp_path / "archive", 1)
    content = b"".join(path.read_bytes() for path in (tmp_path / "archive").iterdir())
    for report in reports:
        assert report.id not in content
        assert report.receipt.encode() not in content
    place = {report.record: index for index, report in enumerate(reports)}
    chunks = [records for _, records in files.read_file(LocalFolder(tmp_path / "archive"), manifest.files[0])]
    order = [place[record.tobytes()] for record in np.concatenate(chunks)]
    assert sorted(order) == list(range(2000))
    assert abs(np.corrcoef(order, range(2000))[0, 1]) < 0.2


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 100, 2)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "archive").iterdir()}
    assert (modes, (tmp_path / "archive").stat().st_mode & 0o777) == ({0o600}, 0o700)


def test_any_parquet_reader_finds_columns_and_survey(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 1000, 1)
    table = pq.read_table(tmp_path / "archive" / "part-0000-of-0001-0.parquet")
    assert table.schema.metadata[b"sottovoce.survey"] == LARGE.canonical
    assert (table.column_names, len(table)) == (["page.cohort", "page.bits"], 1000)
    assert table["page.cohort"].to_pylist() == sorted(table["page.cohort"].to_pylist())


def test_part_that_is_too_large_for_one_file_has_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.archive.export.MAX_FILE_BYTES", 18 * 300 + 5)
    heap = export_noise(tmp_path / "archive", 1500, 2)
    names = [file.name for file in read_manifest(LocalFolder(tmp_path / "archive")).files]
    assert names == [f"part-{part:04}-of-0002-{number}.parquet" for part in (0, 1) for number in (0, 1, 2)]
    assert recount(tmp_path / "archive", n_workers=1) == heap.tally


def test_archive_has_at_most_as_many_parts_as_a_store_gives() -> None:
    assert MAX_PARTS == records.MAX_PARTS


def test_parts_are_as_many_as_the_size_asks_for() -> None:
    heap = Heap(LARGE, noise(1))
    counted = []
    for n_reports in (0, 1, 10**6, 10**8, 10**12):
        heap.n_reports = n_reports
        counted.append(count_parts(heap))
    assert counted == [1, 1, 2, 108, 4096]


@pytest.mark.thorough
def test_several_processes_count_the_same(tmp_path: Path) -> None:
    heap = export_noise(tmp_path / "archive", 30_000, 7)
    seen: list[tuple[int, int]] = []
    counted = recount(tmp_path / "archive", n_workers=2, progress=lambda *done: seen.append(done))
    assert counted == heap.tally == recount(tmp_path / "archive", n_workers=1)
    assert seen == [(number, 7) for number in range(1, 8)]


def test_files_that_are_equal_in_content_count_each(tmp_path: Path) -> None:
    """Reports of one byte, a part each: what they hold is equal, and they are different reports."""
    heap = Heap(ONE_BIT, np.ones((6, 1), np.uint8))
    export(heap, tmp_path / "archive", 6)
    assert recount(tmp_path / "archive", n_workers=1).support_counts["wave"].tolist() == [6]


def test_file_that_the_manifest_has_not_is_never_counted(tmp_path: Path) -> None:
    heap = export_noise(tmp_path / "archive", 500, 2)
    stray = export_noise(tmp_path / "other", 500, 3)
    for index in (0, 1, 2):
        name = f"part-000{index}-of-0003-0.parquet"
        (tmp_path / "other" / name).rename(tmp_path / "archive" / name)
    content = (tmp_path / "archive" / "part-0000-of-0002-0.parquet").read_bytes()
    (tmp_path / "archive" / "part-0000-of-0002-1.parquet").write_bytes(content)
    (tmp_path / "archive" / "part-0000-of-0002-0.parquet.tmp").write_bytes(content)
    assert recount(tmp_path / "archive", n_workers=1) == heap.tally != stray.tally


@pytest.mark.parametrize("n_workers", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_file_with_one_flipped_bit_is_named_and_refused(tmp_path: Path, n_workers: int) -> None:
    export_noise(tmp_path / "archive", 3000, 3)
    path = tmp_path / "archive" / "part-0001-of-0003-0.parquet"
    whole = path.read_bytes()
    chance = random.Random(26)  # noqa: S311  # where to damage, no secret
    places = [0, 8 * len(whole) - 1, *(chance.randrange(8 * len(whole)) for _ in range(30))]
    for place in places if n_workers == 1 else places[-1:]:
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(ArchiveError, match=r"part-0001-of-0003-0\.parquet is not what was exported"):
            recount(tmp_path / "archive", n_workers=n_workers)


@pytest.mark.parametrize("n_bytes", [0, 10, -1])
def test_truncated_file_is_named_and_refused(tmp_path: Path, n_bytes: int) -> None:
    export_noise(tmp_path / "archive", 300, 3)
    path = tmp_path / "archive" / "part-0002-of-0003-0.parquet"
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(ArchiveError, match=r"part-0002-of-0003-0\.parquet is not what was exported"):
        recount(tmp_path / "archive", n_workers=1)


def test_lengthened_file_is_named_and_refused(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 300, 1)
    with (tmp_path / "archive" / "part-0000-of-0001-0.parquet").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ArchiveError, match=r"part-0000-of-0001-0\.parquet is not what was exported"):
        recount(tmp_path / "archive")


def test_missing_file_is_named(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 300, 3)
    (tmp_path / "archive" / "part-0002-of-0003-0.parquet").unlink()
    with pytest.raises(ArchiveError, match=r"part-0002-of-0003-0\.parquet cannot be read: No such file"):
        recount(tmp_path / "archive", n_workers=1)


def test_file_in_anothers_place_is_refused(tmp_path: Path) -> None:
    manifest = export(Heap(LARGE, noise(300)), tmp_path / "archive", 3)[0]
    first, second = (tmp_path / "archive" / file.name for file in manifest.files[:2])
    first.write_bytes(second.read_bytes())
    with pytest.raises(ArchiveError, match="part-0000-of-0003-0"):
        recount(tmp_path / "archive", n_workers=1)


def test_manifest_that_names_a_file_twice_is_refused(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 300, 3)
    path = tmp_path / "archive" / "manifest.json"
    document = json.loads(path.read_bytes())
    document["parts"][1] = document["parts"][0]
    path.write_text(json.dumps(document))
    with pytest.raises(ArchiveError, match="must not have a part twice"):
        recount(tmp_path / "archive")
    document["parts"][1] = {"files": document["parts"][0]["files"], "part": 1}
    path.write_text(json.dumps(document))
    with pytest.raises(ArchiveError, match=r"\$\.parts\[1\]\.files\[0\]\.file: must be one of part-0001-of-0003-0"):
        recount(tmp_path / "archive")


def test_manifest_that_counts_otherwise_is_refused(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 300, 1)
    path = tmp_path / "archive" / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"n_reports":300', b'"n_reports":299'))
    with pytest.raises(ArchiveError, match="must hold 299 reports; it holds 300"):
        recount(tmp_path / "archive")


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"format": "x"}', b"\xff", b"[" * 10_000])
def test_manifest_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ArchiveError, match="manifest"):
        recount(tmp_path)


def test_folder_without_a_manifest_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="must be an archive"):
        recount(tmp_path)


class Breaking(Heap):
    """A source that fails after some parts."""

    def __init__(self, n_good: int, records: np.ndarray) -> None:
        super().__init__(LARGE, records)
        self._n_left = n_good

    def read(self, part: Part):  # type: ignore[no-untyped-def]
        if not self._n_left:
            raise CollectorError("gone")
        self._n_left -= 1
        return super().read(part)


def test_export_goes_on_where_it_was_cut_short_and_keeps_what_is_there(tmp_path: Path) -> None:
    heap = Heap(LARGE, noise(1000))
    with pytest.raises(CollectorError, match="gone"):
        export(Breaking(3, heap._records), tmp_path / "archive", 5)
    with pytest.raises(ArchiveError, match="has 3 of 5 parts: its export was cut short"):
        recount(tmp_path / "archive")
    before = {path.name: path.stat().st_ino for path in (tmp_path / "archive").glob("part-*")}
    manifest, n_kept = export(heap, tmp_path / "archive")
    assert (len(before), n_kept, len(manifest.files)) == (3, 3, 5)
    after = {path.name: path.stat().st_ino for path in (tmp_path / "archive").glob("part-*")}
    assert before.items() <= after.items()
    assert recount(tmp_path / "archive", n_workers=1) == heap.tally


def test_part_that_was_damaged_meanwhile_is_exported_again(tmp_path: Path) -> None:
    heap = export_noise(tmp_path / "archive", 1000, 4)
    (tmp_path / "archive" / "part-0001-of-0004-0.parquet").write_bytes(b"PAR1")
    (tmp_path / "archive" / "part-0002-of-0004-0.parquet").unlink()
    assert export(heap, tmp_path / "archive")[1] == 2
    assert recount(tmp_path / "archive", n_workers=1) == heap.tally


def test_finished_export_is_left_as_it_is(tmp_path: Path) -> None:
    heap = export_noise(tmp_path / "archive", 1000, 4)
    more = Heap(LARGE, noise(2000))
    assert export(more, tmp_path / "archive")[1] == 4
    assert recount(tmp_path / "archive", n_workers=1) == heap.tally


def test_folder_of_something_else_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(ArchiveError, match="must be a new or empty folder"):
        export(Heap(LARGE, noise(5)), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_archive_of_another_survey_is_not_written_into(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 10, 1)
    with pytest.raises(ArchiveError, match="is the archive of another survey, large"):
        export(Heap(ONE_BIT, np.ones((3, 1), np.uint8)), tmp_path / "archive")
    with pytest.raises(ArchiveError, match=r"--parts \(\d+\) must be 1, as .* was begun, or left out"):
        export(Heap(LARGE, noise(5)), tmp_path / "archive", 2)


def test_two_exports_do_not_write_one_folder(tmp_path: Path) -> None:
    with LocalFolder(tmp_path).writing(), pytest.raises(ArchiveError, match="is being written by another export"):
        export(Heap(LARGE, noise(5)), tmp_path)


def test_source_that_ends_within_a_report_is_refused(tmp_path: Path) -> None:
    heap = Heap(LARGE, noise(5)[:, :17])
    with pytest.raises(ArchiveError, match="must be of 18 bytes each"):
        export(heap, tmp_path / "archive", 1)


def test_one_file_counts_by_itself(tmp_path: Path) -> None:
    heap = export_noise(tmp_path / "archive", 100, 1)
    manifest = read_manifest(LocalFolder(tmp_path / "archive"))
    counted = count_file(LocalFolder(tmp_path / "archive"), manifest.files[0])
    assert {wave: packed.n_reports for wave, packed in counted.packed.items()} == {1: 100}
    assert counted.packed[1].counts.tolist() == heap.tally.pack().counts.tolist()


def test_file_that_is_counted_twice_counts_once_and_one_that_is_not_counted_is_missed(tmp_path: Path) -> None:
    heap = export_noise(tmp_path / "archive", 400, 4)
    manifest = read_manifest(LocalFolder(tmp_path / "archive"))
    counted = [count_file(LocalFolder(tmp_path / "archive"), file) for file in manifest.files]
    total = Sum(manifest, lambda *_: None)
    for one in counted[:3] + counted[1:3]:
        total.add(one)
    with pytest.raises(ArchiveError, match=r"part-0003-of-0004-0\.parquet was not counted"):
        total.tally()
    total.add(counted[3])
    assert total.tally() == heap.tally


def test_file_of_another_survey_is_refused_even_with_a_digest(tmp_path: Path) -> None:
    manifest = export(Heap(ONE_BIT, np.ones((3, 1), np.uint8)), tmp_path / "archive", 1)[0]
    manifest.survey = LARGE
    write_manifest(manifest, LocalFolder(tmp_path / "archive"))
    with pytest.raises(ArchiveError, match=r"part-0000-of-0001-0\.parquet holds reports of another survey"):
        recount(tmp_path / "archive")
