"""`sotto associate`, the records that it reads, and the three ways to print what it finds."""

import csv
import errno
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fault_server import FaultServer, Scripted, fault_server
from sotto_estimator import FetchError, SourceError
from sotto_estimator.association.associate import associate as find_association
from sotto_estimator.commands.associate import associate
from sotto_estimator.sources import records
from sotto_estimator.sources.records import fetch_records, read_records, save_records
from sotto_estimator.sources.selection import Selection
from sotto_protocol import Coins, SottoError, Survey, compile_survey
from sotto_protocol.mechanisms.mechanism import Bytes

TOKEN = "analyst-token"  # noqa: S105
FILTER = {"mechanism": "rappor", "n_bits": 16, "n_hashes": 2, "n_cohorts": 4}
QUESTIONS = [
    {"id": "paid", "type": "yes-no", "text": "?", "epsilon": Decimal(3)},
    {"id": "size", "type": "one-of", "text": "?", "options": ["s", "m", "l"], "epsilon": Decimal(3)},
    {"id": "tree", "type": "text", "text": "?", "epsilon": Decimal(5)} | FILTER,
]
SURVEY = compile_survey({"id": "park", "title": "Park", "questions": QUESTIONS})
YEARLY = compile_survey({"id": "park", "title": "Park", "questions": QUESTIONS, "waves": 2})


def collect(survey: Survey, wave: int = 1, n_people: int = 2000) -> Bytes:
    generator = np.random.default_rng(wave)
    size = generator.integers(0, 3, n_people)
    words = np.array(["oak", "elm", "ash"])[size].tolist()
    answers = {"paid": (size == 0).astype(int), "size": size, "tree": words}
    return survey.perturb(answers, Coins(generator.bytes), wave)


def content(survey: Survey, packed: Bytes) -> bytes:
    return survey.canonical + b"\n" + packed.tobytes()


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "park.records"
    save_records(SURVEY, collect(SURVEY), path)
    return path


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "trees.txt"
    path.write_text("oak\nelm\nash\n")
    return path


@pytest.fixture
def collector() -> Iterator[FaultServer]:
    with fault_server(None) as server:
        server.survey_reply = Scripted(200, content(SURVEY, collect(SURVEY)))
        yield server


def run(*arguments: object) -> Result:
    return CliRunner().invoke(associate, [str(argument) for argument in arguments])


def test_a_file_of_records_gives_a_table(kept: Path) -> None:
    result = run(kept, "paid", "size")
    assert result.exit_code == 0, result.output
    assert "n = 2,000 reports, epsilon 6 for paid and size together" in result.stdout
    assert "maximum likelihood, converged in" in result.stdout
    assert "95 % normal intervals" in result.stdout
    assert "independence: chi-square" in result.stdout
    assert sum(line.startswith(("yes ", "no ")) for line in result.stdout.splitlines()) == 6


def test_the_three_styles_hold_the_same_numbers(kept: Path, trees: Path) -> None:
    arguments = (kept, "tree", "paid", "--candidates", f"tree={trees}", "--level", "0.9")
    document = json.loads(run(*arguments, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--csv").stdout)))
    page = trees.with_name("out.html")
    table = run(*arguments, "--report", page, "--title", "Trees & <pay>").stdout
    written = page.read_text(encoding="utf-8")
    assert json.loads(written.partition('id="estimates">')[2].partition("</script>")[0]) == document | {
        "title": "Trees & <pay>"
    }
    assert "Trees &amp; &lt;pay&gt;" in written
    assert "<pay>" not in written
    assert written.count("<svg") == 1
    assert "must end in .html" in str(run(*arguments, "--report", trees.with_name("out.txt")).exception)
    assert document["level"] == 0.9
    assert len(rows) == len(document["cells"]) == 8
    for row, cell in zip(rows, document["cells"], strict=True):
        assert [row["answer to tree"], row["answer to paid"]] == cell["answers"]
        assert float(row["share"]) == cell["share"]
        assert float(row["high"]) == cell["high"]
        assert f"{100 * cell['share']:.2f} %" in table
    assert float(rows[0]["p_independence"]) == document["independence"]["p_value"]
    assert rows[0]["converged"] == str(document["convergence"]["converged"]) == "True"
    assert [cell["answer"] for cell in document["marginals"]["paid"]] == ["yes", "no"]


def test_a_collector_is_asked_with_the_token_and_its_records_can_be_kept(
    collector: FaultServer, tmp_path: Path
) -> None:
    path = tmp_path / "kept"
    asked = run(collector.url, "park", "paid", "size", "--token", TOKEN, "--save-records", path)
    assert asked.exit_code == 0, asked.output
    [request] = collector.gets
    assert request.path == "/v1/surveys/park/records"
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert run(path, "paid", "size").stdout == asked.stdout


@pytest.mark.parametrize(
    ("questions", "options"),
    [(("paid", "nobody"), ()), (("paid", "paid"), ()), (("paid", "tree"), ("--candidates", "tree=none.txt"))],
)
def test_a_refused_association_leaves_no_records_behind(
    collector: FaultServer, tmp_path: Path, questions: tuple[str, ...], options: tuple[str, ...]
) -> None:
    path = tmp_path / "kept"
    asked = run(collector.url, "park", *questions, *options, "--token", TOKEN, "--save-records", path)
    assert isinstance(asked.exception, SottoError)
    assert not path.exists()


def test_one_wave_is_asked_for_and_taken(collector: FaultServer, tmp_path: Path) -> None:
    both = np.concatenate([collect(YEARLY), collect(YEARLY, 2)])
    path = tmp_path / "kept"
    save_records(YEARLY, both, path)
    assert "2 waves" in str(run(path, "paid", "size").exception)
    of_file = run(path, "paid", "size", "--wave", 2)
    assert "n = 2,000" in of_file.stdout
    collector.survey_reply = Scripted(200, content(YEARLY, collect(YEARLY, 2)))
    of_url = run(collector.url, "park", "paid", "size", "--wave", 2, "--token", TOKEN)
    assert of_url.stdout == of_file.stdout
    assert collector.gets[0].path == "/v1/surveys/park/records?wave=2"
    with pytest.raises(SourceError, match=r"wave \(3\) must be in \[1, 2\]"):
        Selection(3).of(YEARLY, both)


def test_a_warning_goes_to_the_error_stream(kept: Path, trees: Path) -> None:
    trees.write_text("elm\n")
    result = run(kept, "tree", "paid", "--candidates", f"tree={trees}", "--json")
    [warning] = json.loads(result.stdout)["warnings"]
    assert f"Warning: {warning}" in result.stderr


@pytest.mark.parametrize("name", ["bogus", "size", "tree"])
def test_candidates_of_a_question_that_takes_none_are_not_passed_over(kept: Path, trees: Path, name: str) -> None:
    result = run(kept, "paid", "size", "--candidates", f"{name}={trees}")
    assert result.exit_code == 1
    assert f"candidates are given for {name}, which is not a text question of this table" in str(result.exception)


def test_a_token_in_the_environment_is_no_option_that_was_typed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTO_TOKEN", TOKEN)
    assert run(kept, "paid", "size").exit_code == 0


def test_what_could_move_a_terminal_is_escaped_in_the_table_and_exact_for_programs() -> None:
    found = find_association(SURVEY, collect(SURVEY), ["paid", "tree"], {"tree": ["oak", "e\x1b[2J\u202em"]})
    text = found.as_table()
    assert "e\\x1b[2J\\u202em" in text
    assert not {"\x1b", "\u202e"} & set(text)
    assert "e\x1b[2J\u202em" in found.as_csv()
    assert "e\x1b[2J\u202em" in [cell["answers"][1] for cell in json.loads(found.as_json())["cells"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give a collector's URL"),
        (["FILE", "paid"], "two or three questions"),
        (["http://127.0.0.1:9", "park", "paid"], "two or three questions"),
        (["http://127.0.0.1:9", "park", "paid", "size"], "give --token, or set SOTTO_TOKEN"),
        (["FILE", "paid", "size", "--candidates", "tree"], "takes QUESTION=FILE"),
        (["FILE", "paid", "size", "--candidates", "tree="], "takes QUESTION=FILE"),
        (["FILE", "paid", "tree", "--candidates", "tree=TREES", "--candidates", "tree=TREES"], "given twice for tree"),
        (["FILE", "paid", "tree", "--candidates", "=TREES"], "takes QUESTION=FILE"),
        (["FILE", "paid", "size", "--level", "1"], "--level"),
        (["FILE", "paid", "size", "--json", "--csv"], "Give --json or --csv, one of the two."),
        (["FILE", "paid", "size", "--token", "t"], "--token goes with a collector's URL."),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(kept: Path, trees: Path, arguments: list[str], message: str) -> None:
    named = [text.replace("FILE", str(kept)).replace("TREES", str(trees)) for text in arguments]
    result = run(*named)
    assert result.exit_code == 2
    assert message in result.stderr


def test_saved_records_come_back_and_replace_records_and_nothing_else(kept: Path, trees: Path) -> None:
    survey, packed = read_records(kept)
    assert survey == SURVEY
    assert np.array_equal(packed, collect(SURVEY))
    save_records(SURVEY, packed[:5], kept)
    assert len(read_records(kept)[1]) == 5
    with pytest.raises(SourceError, match=r"trees\.txt is a text file, and will not be replaced"):
        save_records(SURVEY, packed, trees)
    assert trees.read_text() == "oak\nelm\nash\n"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda good: b"", "is empty"),
        (lambda good: b"{}\n", "is a JSON file, not packed reports"),
        (lambda good: good[:-1], "bytes each"),
        (lambda good: good.replace(b"\n", b"", 1), "is a JSON file, not packed reports"),
    ],
)
def test_a_file_that_holds_no_records_is_refused(kept: Path, spoil: object, message: str) -> None:
    assert callable(spoil)
    kept.write_bytes(spoil(content(SURVEY, collect(SURVEY))))
    with pytest.raises(SourceError, match=message):
        read_records(kept)


def test_a_file_in_a_closed_folder_is_refused_by_name(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", deny)
    with pytest.raises(SourceError, match=r"park\.records cannot be read: Permission denied\.$"):
        read_records(kept)


def test_a_missing_file_and_a_large_one_are_refused(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="begins with http"):
        read_records(kept.with_name("none"))
    monkeypatch.setattr(records, "MAX_BYTES", kept.stat().st_size - 1)
    with pytest.raises(SourceError, match="must have at most"):
        read_records(kept)


def test_what_a_collector_should_not_answer_is_refused(collector: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FetchError, match="records of another survey"):
        fetch_records(collector.url, "dinner", TOKEN)
    with pytest.raises(FetchError, match="visible ASCII"):
        fetch_records(collector.url, "park", "a b")
    collector.survey_reply = Scripted(200, b"<html>")
    with pytest.raises(FetchError, match="did not answer with packed reports"):
        fetch_records(collector.url, "park", TOKEN)
    monkeypatch.setattr(records, "MAX_BYTES", 3)
    with pytest.raises(FetchError, match="more than 3 bytes"):
        fetch_records(collector.url, "park", TOKEN)
