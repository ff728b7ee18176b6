"""`sotto export` and `sotto tally`: from a collector or its database to a tally, whenever they are killed."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

import starting
from archiving import LARGE, Heap, noise
from collecting import SOTTO, STRINGS, SURVEY, TIMEOUT_S, Served, count_here, make_reports, publish_here, serve
from sotto_client.cli import main
from sotto_collector.archive.export import export
from sotto_collector.archive.folders import LocalFolder
from sotto_collector.archive.manifest import read_manifest
from sotto_collector.archive.recount import recount
from sotto_collector.errors import ArchiveError
from sotto_collector.store import Store
from sotto_protocol import Tally, compile_toml

NOTICE = "Receipts are not exported. If a report is erased later, it stays in what you export now.\n"
N_KILLS = 20 if "SOTTO_TEST_FULL" in os.environ else 2
GUARDED = compile_toml(
    'id = "guarded"\ntitle = "G"\nmin_reports = 100\nquestions = [{id = "a", type = "yes-no", text = "?", epsilon = 1}]'
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    db = tmp_path_factory.mktemp("served") / "survey.db"
    with closing(Store(db)) as store:
        publish_here(store, GUARDED)
        count_here(store, publish_here(store, GUARDED), make_reports(150, GUARDED))
        stored = publish_here(store, STRINGS)
        for wave in (1, 3):
            count_here(store, stored, make_reports(500, STRINGS, wave))
    with serve(db) as started:
        yield started


def run(*arguments: object, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], env=env)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("source", ["collector", "database"])
def test_exported_archive_gives_the_collectors_tally(served: Served, tmp_path: Path, source: str) -> None:
    given = served.url if source == "collector" else served.db
    archive, saved = tmp_path / "archive", tmp_path / "tally.json"
    env = {"SOTTO_TOKEN": served.analyst}
    said = f"1,000 reports in {archive}: 8 parts"
    assert run("export", given, "strings", "--to", archive, "--parts", 8, env=env) == (0, f"{said}\n", NOTICE)
    assert run("export", given, "strings", "--to", archive, env=env)[1] == f"{said}, 8 of them there already\n"
    expected = served.fetch("GET", "/v1/surveys/strings/tally", token=served.analyst)[2]
    assert run("tally", archive, "--workers", 1) == (0, expected.decode() + "\n", "")
    assert run("tally", archive, "--workers", 1, "--save", saved) == (0, f"1,000 reports counted into {saved}\n", "")
    assert saved.read_bytes() == expected
    code, out, err = run("tally", archive, "--wave", 1, "--save", saved)
    assert (code, out, err) == (1, "", f"Error: {saved} must be a new file; there is one already.\n")
    assert saved.read_bytes() == expected
    third = served.fetch("GET", "/v1/surveys/strings/tally?wave=3", token=served.analyst)[2]
    assert run("tally", archive, "--workers", 1, "--wave", 3)[1] == third.decode() + "\n"


def test_saved_tally_is_estimated(served: Served, tmp_path: Path) -> None:
    assert run("export", served.db, "strings", "--to", tmp_path / "archive")[0] == 0
    assert run("tally", tmp_path / "archive", "--wave", 1, "--save", tmp_path / "tally.json")[0] == 0
    code, out, _ = run("estimate", tmp_path / "tally.json")
    assert code == 0
    assert "n = 500 reports" in out


def test_export_without_parts_chooses_them(served: Served, tmp_path: Path) -> None:
    assert run("export", served.db, "strings", "--to", tmp_path / "archive")[1].endswith(": 1 part\n")


def test_reports_in_the_surveys_words_are_one_new_file(served: Served, tmp_path: Path) -> None:
    target = tmp_path / "reports.parquet"
    arguments = ("export", served.url, "strings", "--token", served.analyst, "--labels", "--to", target)
    code, out, err = run(*arguments)
    assert (code, out) == (0, f"1,000 reports in {target}: in the survey's words\n")
    assert err.startswith("The columns reported_.. are noisy")
    assert err.endswith(NOTICE)
    assert run(*arguments) == (1, "", f"Error: {target} must be a new file; there is one already.\n")
    assert run(*arguments, "--parts", 3)[0] == 2
    assert run("export", served.db, "strings", "--to", target)[1:] == (
        "",
        f"Error: {target} must be a folder; --labels writes a file.\n",
    )
    assert (
        "counts of 100 reports or more are shown. This file has every single report"
        in run("export", served.db, "guarded", "--labels", "--to", tmp_path / "guarded.parquet")[2]
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("export", "DB", "strings", "--labels", "--to", "NEW.ods"),
            "must end in .parquet, .csv, .arrow, .feather, .dta, .sav or .xlsx",
        ),
        (("export", "DB", "strings", "--to", "NEW.csv"), "would be a folder: give it another name, or add --labels"),
        (("tally", "NEW", "--save", "NEW.csv"), "--save (NEW.csv) must end in .json: no other form is written."),
    ],
)
def test_a_name_that_says_another_form_is_refused(
    served: Served, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    new, typed = str(tmp_path / "new"), [word.replace("DB", str(served.db)) for word in arguments]
    code, out, err = run(*[word.replace("NEW", new) for word in typed])
    assert (code, out) == (1, "")
    assert said.replace("NEW", new) in err
    assert [*tmp_path.iterdir()] == []


def test_an_archive_that_is_called_like_a_file_is_gone_on_with(served: Served, tmp_path: Path) -> None:
    (archive := tmp_path / "archive.csv").mkdir()
    assert run("export", served.db, "strings", "--to", archive)[0] == 0


def test_survey_with_a_minimum_is_refused_in_the_collectors_words(served: Served, tmp_path: Path) -> None:
    code, out, err = run("export", served.url, "guarded", "--to", tmp_path / "archive", "--token", served.analyst)
    assert (code, out) == (1, "")
    assert "refused (403 below_minimum): the survey promises" in err
    assert not (tmp_path / "archive").exists()


def test_operator_of_a_survey_with_a_minimum_is_warned(served: Served, tmp_path: Path) -> None:
    code, _, err = run("export", served.db, "guarded", "--to", tmp_path / "archive")
    assert code == 0
    assert "The survey promises that only counts of 100 reports or more are shown." in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "URL", "strings", "--to", "NEW", "--token", "wrong"), "refused (401 unauthorized)"),
        (("export", "URL", "nobody", "--to", "NEW", "--token", "ANALYST"), "refused (404 no_such_survey)"),
        (("export", "URL", "strings", "--to", "NEW", "--token", "ADMIN"), "refused (403 forbidden)"),
        (("export", "http://127.0.0.1:1", "strings", "--to", "NEW", "--token", "x"), "could not be reached"),
        (("export", "DB", "nobody", "--to", "NEW"), "has no survey nobody."),
        (("export", "missing.db", "strings", "--to", "NEW"), "must be a collector's database; there is none"),
        (("export", "", "strings", "--to", "NEW"), "it is empty"),
        (("tally", "NEW"), "must be an archive"),
        (("tally", "ARCHIVE", "--wave", "4"), "wave (4) must be in [1, 3], the survey's."),
        (("tally", "ARCHIVE", "--scheduler", "nonsense"), '--scheduler (nonsense) must be "local", or an address'),
        (("tally", "ARCHIVE", "--save", "NEW/no/such.json"), "cannot be written: No such file or directory."),
    ],
)
def test_failure_is_one_line_and_exit_code_1(
    served: Served, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert run("export", served.db, "strings", "--to", tmp_path / "archive")[0] == 0
    known = {"URL": served.url, "DB": str(served.db), "ADMIN": served.admin, "ANALYST": served.analyst}
    known |= {"ARCHIVE": str(tmp_path / "archive")}
    code, out, err = run(*[known.get(word, word.replace("NEW", str(tmp_path / "new"))) for word in arguments])
    assert (code, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "http://127.0.0.1:1", "x", "--to", "y"), "needs an analyst's token: give --token"),
        (("tally", "x", "--scheduler", "tcp://a:1", "--workers", "2"), "--workers is for this machine"),
        (("export", "a.db", "x", "--to", "y", "--parts", "4097"), "1<=x<=4096"),
    ],
)
def test_misuse_is_exit_code_2(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out, said in err) == (2, "", True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("missing", "command", "more", "extra"),
    [
        ("pyarrow,distributed", "export", ["a.db", "x", "--to", "b"], "scale"),
        ("distributed", "tally --scheduler", ["b", "--scheduler", "local"], "cluster"),
        pytest.param("pyspark,py4j", "tally --spark", ["b", "--spark", "local"], "spark", marks=pytest.mark.rare),
        pytest.param("pyarrow", "tally", ["b"], "scale", marks=pytest.mark.rare),
        pytest.param("pyarrow,distributed", "tally", ["b"], "scale", marks=pytest.mark.rare),
    ],
)
def test_libraries_are_loaded_when_they_are_needed_and_named_when_they_are_missing(
    tmp_path: Path, missing: str, command: str, more: list[str], extra: str
) -> None:
    code = (
        "import sys; import sotto_collector.commands.archive, sotto_collector.app; "
        "assert not {'pyarrow', 'distributed', 'dask'} & {*sys.modules}; "
        "sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(','))); "
        "from sotto_client.cli import main; sys.argv = ['sotto', *sys.argv[1:]]; main()"
    )
    arguments = [missing, command.split()[0], *more]
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S
    )
    assert ended.stderr == f"Error: sotto {command} needs: pip install 'sottovoce[{extra}]'\n"
    assert ended.returncode == 1


class Answering(ThreadingHTTPServer):
    """Has what its handlers answer with: a body, and the length that they say it has."""

    records: tuple[bytes, int | None]


class Untrue(BaseHTTPRequestHandler):
    """A collector that says it has 10 reports of a survey, and answers with what the server was given."""

    def do_GET(self) -> None:
        if "/records" not in self.path:
            body = b'{"surveys":[{"id":"large","n_reports":10}]}'
            self.answer(body, len(body))
        elif self.path.endswith("/4096"):  # before anything is read
            head = LARGE.canonical + b"\n"
            self.answer(head, len(head))
        else:
            assert isinstance(self.server, Answering)
            self.answer(*self.server.records)

    def answer(self, body: bytes, length: int | None) -> None:
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


HEAD = LARGE.canonical + b"\n"
RECORDS = noise(10).tobytes()


@pytest.mark.parametrize(
    ("body", "length", "said"),
    [
        (HEAD + RECORDS[:18], len(HEAD) + 180, "could not be reached"),
        (HEAD + RECORDS[:17], len(HEAD) + 17, "must be of 18 bytes each"),
        (HEAD + RECORDS, None, "does not say how long its response is"),
        (STRINGS.canonical + b"\n" + RECORDS, len(STRINGS.canonical) + 181, "another survey's records"),
        (b"\n", 1, "another survey's records"),
        (b"", 0, "another survey's records"),
    ],
    ids=range(6),  # a body is noise, and every process has its own
)
def test_answer_that_is_cut_or_anothers_is_not_exported(
    tmp_path: Path, body: bytes, length: int | None, said: str
) -> None:
    with Answering(("127.0.0.1", 0), Untrue) as server:
        server.records = (body, length)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        code, out, err = run("export", url, "large", "--to", tmp_path / "archive", "--token", "x")
        server.shutdown()
        thread.join(TIMEOUT_S)
    assert (code, out, said in err, err.count("\n")) == (1, "", True, 1), err
    assert read_manifest(LocalFolder(tmp_path / "archive")).files == []


@pytest.mark.thorough
def test_killed_export_is_never_counted_and_goes_on(tmp_path: Path) -> None:
    """kill -9 at random moments, again and again into the same folder; what was finished stays as it is."""
    db, archive, n_parts = tmp_path / "survey.db", tmp_path / "archive", 6 * N_KILLS
    with closing(Store(db)) as store:
        stored = publish_here(store, SURVEY)
        count_here(store, stored, make_reports(40 * n_parts))
        expected = store.recount(stored)
    chance = random.Random(26)  # noqa: S311  # when to kill, no secret
    finished: dict[str, int] = {}
    for _ in range(N_KILLS):
        kill_export(db, archive, n_parts, chance)
        manifest = read_manifest(LocalFolder(archive))
        with pytest.raises(ArchiveError, match="its export was cut short"):
            recount(archive)
        there = {file.name: (archive / file.name).stat().st_ino for file in manifest.files}
        assert finished.items() <= there.items()
        assert len(there) > len(finished)
        finished = there
    code, out, _ = run("export", db, "habits", "--to", archive)
    assert (code, out) == (
        0,
        f"{expected.n_reports:,} reports in {archive}: {n_parts} parts, {len(finished)} of them there already\n",
    )
    assert recount(archive, n_workers=1) == expected
    assert not list(archive.glob("*.tmp"))


def kill_export(db: Path, archive: Path, n_parts: int, chance: random.Random) -> None:
    """Kill an export somewhere in its first parts, seen by what it shows on a terminal."""
    terminal, its_end = os.openpty()
    command = [SOTTO, "export", db, "habits", "--to", archive, "--parts", str(n_parts)]
    process = starting.Popen(command, stdout=subprocess.DEVNULL, stderr=its_end)
    os.close(its_end)
    shown, n_wanted = b"", chance.randint(2, 4)  # the first is what was there
    while shown.count(b"part ") < n_wanted:
        read = os.read(terminal, 1000)
        assert read
        shown += read
    time.sleep(chance.random() * 0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait(TIMEOUT_S) == -signal.SIGKILL
    os.close(terminal)


@pytest.mark.rare
@pytest.mark.thorough
def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    """A process that counts has one file in memory, however many there are; getrusage would tell the parent's peak."""
    export(Heap(LARGE, noise(250_000)), tmp_path / "one", 1)
    heap = Heap(LARGE, noise(2_000_000))
    export(heap, tmp_path / "eight", 8)
    code = (
        "import re, sys; from pathlib import Path; from sotto_collector.archive.recount import recount; "
        "tally = recount(Path(sys.argv[1]), n_workers=1); Path(sys.argv[2]).write_bytes(tally.to_json()); "
        "print(re.search('VmHWM:\\s+(\\d+) kB', Path('/proc/self/status').read_text())[1])"
    )

    def count(name: str) -> int:
        command = [sys.executable, "-c", code, tmp_path / name, tmp_path / "tally.json"]
        return int(subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S).stdout)

    one_kib, eight_kib = count("one"), count("eight")
    assert Tally.from_json((tmp_path / "tally.json").read_bytes()) == heap.tally
    assert eight_kib < 300 * 1024
    assert eight_kib - one_kib < 16 * 1024, "the reports of eight files take 35 MB"
