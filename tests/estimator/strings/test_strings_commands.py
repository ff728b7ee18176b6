"""`sotto decode` and `sotto plan --text` as a person types them."""

import csv
import json
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from fault_server import Scripted, fault_server
from sotto_client.cli import main
from sotto_estimator import DomainError, decode_rappor, write_rappor
from sotto_estimator.sources.records import save_records
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.question import decode_tally
from sotto_protocol import Coins, Tally, compile_survey, compile_toml, hmac_bytes
from sotto_protocol.mechanisms.bloom.hash import BloomDesign
from sotto_protocol.mechanisms.bloom.response import BloomResponse

SHARES = {"🍐 pear": 0.5, "apple, red": 0.3, "quince": 0.2}
ABSENT = ["fig", "plum"]
PER_COHORT = 100_000
GOOGLE = BloomDesign(16, 2, 32)
FILTER = {"mechanism": "rappor", "n_bits": 16, "n_hashes": 2, "n_cohorts": 32}
SURVEY = compile_survey(
    {
        "id": "fruit",
        "title": "Fruit",
        "questions": [
            {"id": "liked", "type": "text", "text": "Which?", "epsilon": Decimal(4)} | FILTER,
            {"id": "paid", "type": "yes-no", "text": "Did you pay?", "epsilon": Decimal(1)},
        ],
    }
)


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def expected_counts(
    mapped: CandidateMap, if_true: float, if_other: float, parts: Mapping[str, float] = SHARES
) -> NDArray[np.int64]:
    """Return the counts of a tally without a deviation: what the strings' shares lead to on average, rounded."""
    design = mapped.design
    bits = mapped.bits(0, len(mapped))
    is_set = (bits[..., None] == np.arange(design.n_bits)).any(axis=2)
    shares = np.tensordot(list(parts.values()), is_set, axes=1)
    counts = np.rint(PER_COHORT * (if_other + (if_true - if_other) * shares)).astype(np.int64)
    return np.concatenate([np.full((design.n_cohorts, 1), PER_COHORT), counts], axis=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Google's files, a tally, and candidates as lines and as a column, of the same answers."""
    mapped = CandidateMap.of(SHARES, GOOGLE, "google")
    counts = expected_counts(mapped, 0.625, 0.375)
    write(tmp_path / "counts.csv", counts.tolist())
    (tmp_path / "params.csv").write_text("k,h,m,p,q,f\n16,2,32,0.25,0.75,0.5\n")
    every = CandidateMap.of([*SHARES, *ABSENT], GOOGLE, "google")
    numbers = every.bits(0, 5).reshape(5, -1) + 1 + 16 * np.repeat(np.arange(32), 2)
    write(tmp_path / "map.csv", [[text, *row] for text, row in zip(every.strings, numbers.tolist(), strict=True)])
    (tmp_path / "list.txt").write_text("\n".join(every.strings), encoding="utf-8")
    write(tmp_path / "list.csv", [["n", "fruit"], *([index, text] for index, text in enumerate(every.strings))])
    (tmp_path / "tally.json").write_bytes(tally().to_json())
    return tmp_path


def write(path: Path, rows: list[list[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def tally() -> Tally:
    mechanism = SURVEY.questions[0].mechanism
    assert isinstance(mechanism, BloomResponse)
    mapped = CandidateMap.of(SHARES, mechanism.design)
    counts = expected_counts(mapped, mechanism.prob_one_if_one, mechanism.prob_one_if_zero)
    n = 32 * PER_COHORT
    return Tally(SURVEY, {1: n}, {"liked": counts, "paid": np.array([n // 2])})


def google_files(folder: Path) -> list[object]:
    return ["--params", folder / "params.csv", "--counts", folder / "counts.csv"]


def check(result: Result) -> None:
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert [row["string"] for row in document["strings"]] == list(SHARES)
    for row in document["strings"]:
        assert row["share"] == pytest.approx(SHARES[row["string"]], abs=2e-3)
        assert row["low"] < SHARES[row["string"]] < row["high"]
    assert document["n_candidates"] == 5
    assert document["n_reports"] == 32 * PER_COHORT
    assert document["other_share"] == pytest.approx(0, abs=5e-3)


def test_googles_files_are_decoded_with_their_map(folder: Path) -> None:
    check(sotto("decode", *google_files(folder), "--map", folder / "map.csv", "--json"))


def test_googles_files_are_decoded_with_candidates_that_are_hashed_as_there(folder: Path) -> None:
    check(sotto("decode", *google_files(folder), "--candidates", folder / "list.txt", "--json"))


SPELLINGS = ("e\u0301clair", "\u00e9clair", "a\tb", "pe\u202ear", 300 * "x")


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("given", ["--map", "--candidates"])
def test_googles_strings_keep_their_bytes_and_know_no_rules_for_answers(
    folder: Path, given: str, spelling: str
) -> None:
    """The hash is over bytes: devices there reported this spelling, and nobody another."""
    every = CandidateMap.of([*SPELLINGS, *ABSENT], GOOGLE, "google")
    counts = expected_counts(CandidateMap.of([spelling], GOOGLE, "google"), 0.625, 0.375, {spelling: 1.0})
    write(folder / "counts.csv", counts.tolist())
    numbers = every.bits(0, len(every)).reshape(len(every), -1) + 1 + 16 * np.repeat(np.arange(32), 2)
    write(folder / "map", [[text, *row] for text, row in zip(every.strings, numbers.tolist(), strict=True)])
    (folder / "candidates").write_bytes("\n".join(every.strings).encode())
    result = sotto("decode", *google_files(folder), given, folder / given.strip("-"), "--json")
    assert result.exit_code == 0, result.stderr
    assert [row["string"] for row in json.loads(result.stdout)["strings"]] == [spelling]
    shown = sotto("decode", *google_files(folder), given, folder / given.strip("-")).stdout
    assert not {"\t", "\u202e"} & set(shown)


def test_a_surveys_candidates_are_brought_to_the_normal_form_that_devices_report(folder: Path) -> None:
    mechanism = SURVEY.questions[0].mechanism
    assert isinstance(mechanism, BloomResponse)
    answer = CandidateMap.of(["\u00e9clair"], mechanism.design)
    counts = expected_counts(answer, mechanism.prob_one_if_one, mechanism.prob_one_if_zero, {"\u00e9clair": 1.0})
    n = 32 * PER_COHORT
    eclairs = Tally(SURVEY, {1: n}, {"liked": counts, "paid": np.array([n // 2])})
    (folder / "tally.json").write_bytes(eclairs.to_json())
    (folder / "list.txt").write_bytes("e\u0301clair\nfig\n".encode())
    command = sotto("decode", folder / "tally.json", "liked", "--candidates", folder / "list.txt", "--json")
    library = decode_tally(eclairs, "liked", ["e\u0301clair", "fig"])
    assert [row["string"] for row in json.loads(command.stdout)["strings"]] == ["\u00e9clair"]
    assert [row.string for row in library.rows] == ["\u00e9clair"]
    with pytest.raises(DomainError, match="differ"):
        decode_tally(eclairs, "liked", ["e\u0301clair", "\u00e9clair"])


def test_a_tally_file_is_decoded_with_the_hash_of_surveys(folder: Path) -> None:
    lines = sotto("decode", folder / "tally.json", "liked", "--candidates", folder / "list.txt", "--json")
    check(lines)
    document = json.loads(lines.stdout)
    assert (document["title"], document["question"]) == ("Fruit", "liked")
    assert document["epsilon"] == document["epsilon_forever"] == 4
    column = ("--candidates", folder / "list.csv", "--column", "fruit")
    assert sotto("decode", folder / "tally.json", "liked", *column, "--json").stdout == lines.stdout


def test_a_collectors_tally_is_fetched_with_the_token(folder: Path) -> None:
    with fault_server(None) as server:
        server.survey_reply = Scripted(200, tally().to_json())
        source = (server.url, "fruit", "liked", "--candidates", folder / "list.txt")
        check(sotto("decode", *source, "--token", "secret", "--json"))
        sotto("decode", *source, "--token", "secret", "--wave", 1)
        assert [request.path for request in server.gets] == [
            "/v1/surveys/fruit/tally",
            "/v1/surveys/fruit/tally?wave=1",
        ]
        assert server.gets[0].headers["Authorization"] == "Bearer secret"


def test_tally_files_are_merged(folder: Path) -> None:
    (folder / "again.json").write_bytes(tally().to_json())
    merged = sotto("decode", folder / "tally.json", folder / "again.json", "liked", "--candidates", folder / "list.txt")
    assert f"n = {64 * PER_COHORT:,} reports" in merged.stdout
    assert "again.json has the same tally as" in merged.stderr


def test_the_table_the_csv_and_the_json_say_the_same(folder: Path) -> None:
    source = ("decode", folder / "tally.json", "liked", "--candidates", folder / "list.txt", "--limit", 2)
    document = json.loads(sotto(*source, "--json").stdout)
    rows = list(csv.DictReader(sotto(*source, "--csv").stdout.splitlines()))
    text = sotto(*source).stdout
    assert len(rows) == len(document["strings"]) == 2
    for row, member in zip(rows, document["strings"], strict=True):
        assert {key: float(row[key]) for key in ("share", "low", "high")} == {
            key: member[key] for key in ("share", "low", "high")
        }
        assert f"{100 * member['share']:.2f} %" in text
    assert "detected 3 of 5 candidates (2 shown)" in text
    assert "quince" not in text


def test_all_candidates_are_shown_with_bounds_of_those_that_were_not_detected(folder: Path) -> None:
    source = ("decode", folder / "tally.json", "liked", "--candidates", folder / "list.txt")
    document = json.loads(sotto(*source, "--all", "--json").stdout)
    assert json.loads(sotto(*source, "--json").stdout) == document | {"not_detected": None}
    assert len(document["strings"]) == 3
    assert len(document["not_detected"]) == 2
    assert all(0 <= row["share"] <= row["high"] < 0.1 for row in document["not_detected"])
    rows = list(csv.DictReader(sotto(*source, "--all", "--csv").stdout.splitlines()))
    assert [row["detected"] for row in rows] == ["True", "True", "True", "False", "False"]
    assert [row["string"] for row in rows[3:]] == [row["string"] for row in document["not_detected"]]
    text = sotto(*source, "--all").stdout
    assert text.count("not detected  ") == 2
    assert (
        "the share is at most the value under high; 95 % bounds by the normal approximation, all valid together" in text
    )


def test_the_columns_of_google_rappor_are_written(folder: Path) -> None:
    path = folder / "results.csv"
    result = sotto("decode", *google_files(folder), "--map", folder / "map.csv", "--rappor-csv", path)
    assert result.exit_code == 0
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [row["string"] for row in rows] == list(SHARES)
    for row in rows:
        assert int(row["estimate"]) == round(32 * PER_COHORT * float(row["proportion"]))
    files = [folder / name for name in ("params.csv", "counts.csv", "map.csv")]
    write_rappor(decode_rappor(*files), str(folder / "again.csv"))
    assert (folder / "again.csv").read_bytes() == path.read_bytes()


def test_a_plot_is_drawn_of_emoji_too_and_a_report_holds_it_with_the_json(folder: Path) -> None:
    path, page = folder / "plot.svg", folder / "out.html"
    source = (folder / "tally.json", "liked", "--candidates", folder / "list.txt")
    assert sotto("decode", *source, "--plot", path, "--report", page, "--title", "Fruit").exit_code == 0
    assert "<svg" in path.read_text()
    written = page.read_text(encoding="utf-8")
    document = json.loads(sotto("decode", *source, "--title", "Fruit", "--json").stdout)
    assert document["title"] == "Fruit"
    assert json.loads(written.partition('id="estimates">')[2].partition("</script>")[0]) == document
    assert written.count("<svg") == 1
    assert "must end in .html" in sotto("decode", *source, "--report", folder / "out.txt").stderr


def test_options_change_what_is_decoded(folder: Path) -> None:
    source = ("decode", *google_files(folder), "--map", folder / "map.csv", "--json")

    def width(*options: object) -> float:
        row = json.loads(sotto(*source, *options).stdout)["strings"][0]
        return row["high"] - row["low"]

    usual = width()
    assert width("--level", "0.5") < usual
    assert width("--method", "chernoff") > usual
    assert width("--simultaneous") > usual
    document = json.loads(sotto(*source, "--correction", "bonferroni", "--fdr", "0.01").stdout)
    assert (document["correction"], document["fdr"]) == ("bonferroni", 0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Give URL, SURVEY and QUESTION, or tally files and QUESTION, and --candidates."),
        (["tally.json", "liked"], "and --candidates."),
        (["tally.json", "--candidates", "list.txt"], "Give URL, SURVEY and QUESTION"),
        (["--params", "params.csv"], "need --params, --counts, and one of --map and --candidates"),
        (["--params", "params.csv", "--counts", "counts.csv"], "and one of --map and --candidates"),
        (["--counts", "counts.csv", "--map", "map.csv"], "need --params, --counts"),
        (
            ["--params", "p.csv", "--counts", "c.csv", "--map", "m.csv", "--candidates", "list.txt"],
            "one of --map and --candidates",
        ),
        (["tally.json", "liked", "--map", "map.csv"], "one of the three"),
        (["--params", "p.csv", "--counts", "c.csv", "--map", "m.csv", "--wave", "1"], "one of the three"),
        (["tally.json", "liked", "--column", "fruit"], "--column goes with --candidates."),
        (
            ["tally.json", "liked", "--candidates", "list.txt", "--wave", "1"],
            "--wave goes with a collector",
        ),
        (["http://127.0.0.1:9", "fruit", "--candidates", "list.txt"], "by one survey's id and one question's"),
        (["http://127.0.0.1:9", "fruit", "liked", "--candidates", "list.txt"], "give --token, or set SOTTO_TOKEN"),
        (["--rappor-csv", "r.csv", "--level", "0.9"], "--rappor-csv has columns of level 0.95"),
        (["tally.json", "liked", "--alphabet", "ab"], "--alphabet goes with --unknown."),
        (
            ["reports", "liked", "--unknown", "--candidates", "list.txt"],
            "--unknown goes without --candidates",
        ),
        (["reports", "liked", "--unknown", "--all"], "--all goes with a list of candidates"),
        (["reports", "--unknown"], "or a file of packed reports and QUESTION."),
        (["one", "two", "liked", "--unknown"], "--unknown takes one file of packed reports."),
        (["http://127.0.0.1:9", "fruit", "liked", "--unknown"], "give --token, or set SOTTO_TOKEN"),
        (["tally.json", "liked", "--json", "--csv"], "Give --json or --csv, one of the two."),
        (["tally.json", "liked", "--candidates", "list.txt", "--token", "t"], "--token goes with a collector's URL."),
        (["reports", "liked", "--unknown", "--token", "t"], "--token goes with a collector's URL."),
        (["--params", "p.csv", "--counts", "c.csv", "--map", "m.csv", "--token", "t"], "--token goes with"),
        (["--level", "1"], "--level"),
        (["--fdr", "0"], "--fdr"),
        (["--limit", "0"], "--limit"),
        (["--method", "wald"], "--method"),
    ],
)
def test_a_wrong_call_is_a_usage_error(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOTTO_TOKEN", raising=False)
    result = sotto("decode", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json", "liked", "--candidates", "list.txt"], "none.json cannot be read"),
        (["tally.json", "paid", "--candidates", "list.txt"], "'paid' is not a text question of the survey"),
        (["tally.json", "colour", "--candidates", "list.txt"], "its text questions: liked."),
        (["tally.json", "liked", "--candidates", "none.txt"], "none.txt cannot be read"),
        (["tally.json", "liked", "--candidates", "twice.txt"], "line 2: 'fig' is already on line 1."),
        (["tally.json", "liked", "--candidates", "list.txt", "--column", "x"], "has no column 'x'; it has "),
        (["tally.json", "liked", "--candidates", "list.txt", "--plot", "plot.exe"], "must end in .png"),
        (["tally.json", "liked", "--candidates", "list.txt", "--rappor-csv", "list.txt"], "has something else in it"),
        (["http://127.0.0.1:9", "fruit", "liked", "--candidates", "list.txt", "--token", "t"], "not be reached"),
        (["--params", "params.csv", "--counts", "map.csv", "--map", "map.csv"], "map.csv, row 1"),
        (["--params", "params.csv", "--counts", "none.csv", "--map", "map.csv"], "none.csv cannot be read"),
        (["--params", "counts.csv", "--counts", "counts.csv", "--map", "map.csv"], "must have the header k,h,m,p,q,f"),
        (["--params", "params.csv", "--counts", "counts.csv", "--map", "counts.csv"], "counts.csv, row 1"),
    ],
)
def test_a_bad_value_is_one_line_and_exit_code_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    Path("twice.txt").write_text("fig\nfig\n")
    result = sotto("decode", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_counts_that_the_candidates_do_not_explain_are_warned_of_beside_the_result(folder: Path) -> None:
    (folder / "few.txt").write_text("fig\nplum\n")
    result = sotto("decode", folder / "tally.json", "liked", "--candidates", folder / "few.txt")
    assert result.exit_code == 0
    assert "detected 0 of 2 candidates" in result.stdout
    assert "Warning: " in result.stderr


UNKNOWN = compile_survey(
    {
        "id": "words",
        "title": "Words",
        "questions": [
            {
                "id": "word",
                "type": "text",
                "text": "Which?",
                "epsilon": Decimal(20),
                "mechanism": "rappor",
                "n_bits": 32,
                "n_hashes": 2,
                "n_cohorts": 8,
                "unknown": True,
                "max_length": 4,
                "gram_length": 2,
            }
        ],
    }
)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Packed reports of two words that nobody lists; coins from a fixed key."""
    [question] = UNKNOWN.questions
    answers = 1200 * ["abba"] + 800 * ["cab"]
    coins = Coins(hmac_bytes(bytes(32), b"words"))
    path = tmp_path / "words.records"
    save_records(UNKNOWN, question.mechanism.perturb(answers, coins), path)
    return path


def test_strings_that_nobody_listed_are_found_from_packed_reports(records: Path) -> None:
    result = sotto("decode", records, "word", "--unknown", "--alphabet", "abc", "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert [row["string"] for row in document["strings"]] == ["abba", "cab"]
    for row, share in zip(document["strings"], (0.6, 0.4), strict=True):
        assert row["low"] <= share <= row["high"]


def test_an_alphabet_that_the_strings_are_not_made_of_finds_none_which_is_a_result(records: Path) -> None:
    source = ("decode", records, "word", "--unknown", "--alphabet", "xyz")
    result = sotto(*source)
    assert result.exit_code == 0
    assert "detected 0 of 0 strings made of n-grams" in result.stdout
    assert "Warning: no string was found from n-grams.\n" in result.stderr
    assert "no n-gram stands out from the noise at position 1" in result.stderr
    assert "candidate" not in result.output
    assert json.loads(sotto(*source, "--json").stdout)["strings"] == []
    assert sotto(*source, "--csv").stdout.startswith("string,share,")


PLAN = ("plan", "--text", "--epsilon", 2, "--n", 1_000_000, "--candidates-n", 1000)


def test_a_text_plan_is_ready_for_the_survey_file() -> None:
    result = sotto(*PLAN, "--epsilon-forever", 5)
    assert result.exit_code == 0, result.stderr
    members = result.stdout.rpartition("\n\n")[2]
    survey = compile_toml(f'id = "a"\ntitle = "A"\n[[questions]]\nid = "b"\ntext = "C?"\n{members}')
    [question] = survey.questions
    assert isinstance(question.mechanism, BloomResponse)
    assert (question.epsilon, question.epsilon_forever) == (2, 5)
    best = json.loads(sotto(*PLAN, "--epsilon-forever", 5, "--json").stdout)["plan"][0]
    assert best["is_best"]
    assert question.mechanism.design == BloomDesign(best["n_buckets"], best["n_hashes"], best["n_cohorts"])
    assert tomllib.loads(members)["n_bits"] == best["n_buckets"]


def test_a_text_plan_is_the_same_in_json_and_csv_and_keeps_to_what_is_given() -> None:
    given = (*PLAN, "--epsilon", 3, "--bits", 32, "--hashes", 2, "--cohorts", 16)
    plan = json.loads(sotto(*given, "--json").stdout)["plan"]
    rows = list(csv.DictReader(sotto(*given, "--csv").stdout.splitlines()))
    assert [float(row["epsilon"]) for row in rows] == [2, 3]
    for row, member in zip(rows, plan, strict=True):
        assert (member["n_buckets"], member["n_hashes"], member["n_cohorts"]) == (32, 2, 16)
        assert float(row["smallest_share"]) == member["smallest_share"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--text"], "--text needs --n and --candidates-n."),
        (["--text", "--n", "1000"], "--text needs --n and --candidates-n."),
        (["--text", "--n", "1000", "--candidates-n", "0"], "n_candidates (0) must be in [1, 1000000000]."),
        (["--text", "--n", "1000", "--candidates-n", "9", "--options", "3"], "--options does not go with --text."),
        (["--text", "--n", "1000", "--candidates-n", "9", "--level", "0.9"], "--level does not go with --text."),
        (["--text", "--n", "1000", "--candidates-n", "9", "--epsilon-forever", "0.5"], "must be above --epsilon"),
        (["--text", "--n", "1000", "--candidates-n", "9", "--bits", "2", "--hashes", "3"], "n_hashes (3) must be"),
        (["--n", "1000", "--candidates-n", "9"], "--candidates-n goes with --text."),
        (["--n", "1000", "--bits", "9"], "--bits goes with --text."),
        (["--n", "1000", "--power", "0.9"], "--power goes with --text."),
        (["--text", "--n", "1000", "--candidates-n", "9", "--power", "1"], "--power"),
        (["--n", "1000", "--json", "--csv"], "Give --json or --csv, one of the two."),
    ],
)
def test_an_impossible_text_plan_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = sotto("plan", "--epsilon", "1", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
