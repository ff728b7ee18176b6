"""`sotto check`, `explain` and `outbox`: what they print, and one line where they cannot."""

import base64
import json
import logging
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from devices import ANSWERS, INVITED, INVITED_PULSE, LUNCH, PULSE, PULSE_CHARGES, WORDS, rows_of
from fault_server import FaultServer, Scripted, fault_server
from sotto_client import SurveyClient, explain
from sotto_client.cli import main
from sotto_client.masking import mask_passwords
from sotto_protocol import Problem, compile_toml
from sotto_protocol.datasheet import letter_render
from sotto_protocol.datasheet.letter import make_letter
from sotto_protocol.datasheet.render import to_html, to_markdown
from sotto_protocol.datasheet.sheet import make_datasheet
from sotto_protocol.language import language

DEFINITION = """
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
prob_truth = "3/4"
"""


@pytest.fixture
def http() -> Iterator[FaultServer]:
    with fault_server(LUNCH) as server:
        yield server


@pytest.fixture
def definition(tmp_path: Path) -> Path:
    path = tmp_path / "lunch.toml"
    path.write_text(DEFINITION)
    return path


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "lunch.json"
    path.write_bytes(LUNCH.canonical + b"\n")
    return path


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_check_and_explain_say_who_may_answer_and_the_smallest_tally(tmp_path: Path) -> None:
    for survey, words in ((INVITED, "invited, one report"), (INVITED_PULSE, "invited, one report a wave")):
        path = tmp_path / "survey.json"
        path.write_bytes(replace(survey, min_reports=100).canonical)
        *lines, fingerprint, _ = sotto("check", path).stdout.splitlines()
        place = lines.index("min_reports 100, no tally of fewer reports is shown")
        assert lines[place - 1] == f"{words} for each invitation"
        assert fingerprint.startswith("fingerprint ")
        printed = json.loads(sotto("explain", "--json", path).stdout)
        assert (printed["invited"], printed["min_reports"]) == (True, 100)


def test_check_and_explain_say_that_counts_alone_are_kept_and_what_cannot_be_done_then(tmp_path: Path) -> None:
    path = tmp_path / "survey.json"
    path.write_bytes(replace(LUNCH, keep="counts").canonical)
    *_, kept, _, _, _, _ = sotto("check", path).stdout.splitlines()
    assert kept == "keep counts, there are no reports to erase, recount, export or associate"
    assert "nobody can take it out again" in " ".join(sotto("explain", path).stdout.split())
    assert json.loads(sotto("explain", "--json", path).stdout)["keep"] == "counts"


def write(folder: Path, text: str) -> Path:
    path = folder / "written.toml"
    path.write_text(text)
    return path


def test_explain_prints_both_epsilons_and_the_waves(tmp_path: Path) -> None:
    (tmp_path / "pulse.json").write_bytes(PULSE.canonical)
    assert sotto("explain", tmp_path / "pulse.json").stdout == f"{explain(PULSE)}\n"
    printed = json.loads(sotto("explain", "--json", tmp_path / "pulse.json").stdout)
    assert (printed["waves"], printed["epsilon"], printed["epsilon_forever"]) == (3, 2.25, 4.850682034774)
    assert printed["questions"][0]["epsilon_forever"] == 2.5
    assert printed["suspicions_forever"][2]["highest"] == explain(PULSE).suspicions_forever[2].highest


@pytest.mark.parametrize("command", ["check", "explain", "outbox"])
def test_first_sentence_of_the_help_is_listed_whole(command: str) -> None:
    (line,) = [line for line in sotto("--help").stdout.splitlines() if line.split()[:1] == [command]]
    assert line.endswith(".")
    assert not line.endswith("...")
    assert line.split(maxsplit=1)[1] in sotto(command, "--help").stdout


@pytest.mark.parametrize("command", ["check", "explain"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, command: str) -> None:
    result = sotto(command, tmp_path / "none.toml")
    assert result.exit_code == 1
    assert "none.toml: No such file" in result.stderr


WITH_USER = "http://me:s3cr@t@collector.example"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", WITH_USER], "http:/***@collector.example: No such file"),
        (["check", "x.toml", WITH_USER], "unexpected extra argument (http://***@collector.example)"),
        (["explain", WITH_USER], "SOURCE is a collector's URL: give the survey's id after it."),
        (["explain", WITH_USER.upper()], "SOURCE is a collector's URL: give the survey's id after it."),
        (["explain", WITH_USER, "lunch"], "url must be http:// or https://, a host, and no user, password"),
        (["outbox", WITH_USER], "http:/***@collector.example must be a file that is there"),
        (["outbox", "--timeout-s", WITH_USER], "'http://***@collector.example' is not a valid"),
        ([WITH_USER], "No such command 'http://***@collector.example'"),
    ],
)
def test_an_address_with_a_password_is_refused_and_the_password_is_not_repeated(
    arguments: list[str], message: str
) -> None:
    result = sotto(*arguments)
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert not [part for part in ("s3cr", "t@", "me:") if part in result.output.lower()]


def test_addresses_without_a_password_are_left_as_they_are() -> None:
    for text in ("https://collector.example/x: no", "me@example.org", "a: b@c", "http://a is not\nfrom b@c"):
        assert mask_passwords(text) == text


def test_explain_says_the_same_of_a_file_and_of_a_collector(published: Path, http: FaultServer) -> None:
    from_file, from_url = sotto("explain", published), sotto("explain", http.url, "lunch")
    assert from_file.exit_code == from_url.exit_code == 0
    assert from_file.stdout == from_url.stdout == f"{explain(LUNCH)}\n"


def test_explain_prints_the_same_numbers_as_json(published: Path) -> None:
    printed = json.loads(sotto("explain", "--json", published).stdout)
    assert printed["fingerprint"] == LUNCH.fingerprint
    assert printed["epsilon"] == float(LUNCH.epsilon)
    assert printed["suspicions"][2]["highest"] == explain(LUNCH).suspicions[2].highest


def test_a_datasheet_is_the_same_of_a_file_and_of_a_collector(published: Path, http: FaultServer) -> None:
    from_file, from_url = sotto("explain", published, "--datasheet"), sotto("explain", http.url, "lunch", "--datasheet")
    assert from_file.exit_code == from_url.exit_code == 0
    assert from_file.stdout == from_url.stdout == to_markdown(make_datasheet(LUNCH))


def test_a_datasheet_is_written_by_how_the_files_name_ends_and_printed_as_json(published: Path) -> None:
    folder, sheet = published.parent, make_datasheet(LUNCH)
    for name, expected in (("sheet.md", to_markdown(sheet)), ("sheet.HTML", to_html(sheet))):
        result = sotto("explain", published, "--datasheet", "--to", folder / name)
        assert (result.exit_code, result.output) == (0, "")
        assert (folder / name).read_text(encoding="utf-8") == expected
    printed = json.loads(sotto("explain", published, "--datasheet", "--json").stdout)
    assert (printed["format"], printed["epsilon"]) == ("sottovoce-datasheet-1", float(LUNCH.epsilon))
    assert {blank["answer"] for blank in printed["to_be_filled_in"]} == {None}


def test_a_letter_is_written_in_the_language_that_is_asked_for(published: Path) -> None:
    folder, german = published.parent, make_letter(LUNCH, language("de"))
    assert sotto("explain", published, "--letter", "--lang", "de").stdout == letter_render.to_markdown(german)
    done = sotto("explain", published, "--letter", "--lang", "de-AT", "--to", folder / "letter.html")
    assert (done.exit_code, done.output) == (0, "")
    assert (folder / "letter.html").read_text(encoding="utf-8") == letter_render.to_html(german)
    printed = json.loads(sotto("explain", published, "--letter", "--json", "--lang", "ar").stdout)
    assert (printed["format"], printed["spoken"], printed["direction"]) == ("sottovoce-letter-1", "ar", "rtl")
    assert "sottovoce does not speak sw." in sotto("explain", published, "--letter", "--lang", "sw").stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--datasheet", "--to", "sheet.pdf"], "--to (sheet.pdf) must end in .md or .html."),
        (["--to", "sheet.md"], "--to needs --datasheet or --letter, and does not go with --json."),
        (
            ["--letter", "--json", "--to", "sheet.md"],
            "--to needs --datasheet or --letter, and does not go with --json.",
        ),
        (["--letter", "--datasheet"], "--datasheet does not go with --letter"),
    ],
)
def test_a_datasheet_that_would_not_be_written_is_refused(published: Path, options: list[str], message: str) -> None:
    result = sotto("explain", published, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize("options", [[], ["--datasheet"], ["--json"]])
def test_what_is_no_survey_or_no_collector_is_one_line(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "image.toml").write_bytes(b"\x89PNG\r\n")
    no_survey = sotto("explain", tmp_path / "image.toml", *options)
    nobody = sotto("explain", "http://127.0.0.1:9", "lunch", *options)
    for result in (no_survey, nobody):
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1


def test_explain_of_a_survey_that_is_not_there_is_one_line(http: FaultServer) -> None:
    http.survey_reply = Scripted(404, Problem(404, "no_such_survey", "No.").to_json())
    result = sotto("explain", http.url, "supper")
    assert result.exit_code == 1
    assert result.stderr == "Error: survey supper: the collector says HTTP 404 (no_such_survey).\n"
    assert sotto("explain", "nowhere", "supper").exit_code == 2
    assert sotto("explain", http.url, "../x").exit_code == 2


def test_a_surveys_text_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(DEFINITION.replace("Did you pay?", "Pay\u200b?"))
    assert "Pay??" in sotto("explain", tmp_path / "x.toml").stdout
    (tmp_path / "x.toml").write_text(DEFINITION.replace("Did you pay?", "Pay\u202e?"))
    assert "$.questions[0].text: must be a text" in sotto("explain", tmp_path / "x.toml").stderr


@pytest.fixture
def state(http: FaultServer, tmp_path: Path) -> Path:
    """A device with one report that waits."""
    path = tmp_path / "device.db"
    http.script = [Scripted(503)] * 100
    with closing(SurveyClient(http.url, "lunch", state=path)) as device:
        device.answer(ANSWERS)
    http.script = []
    return path


def test_outbox_shows_what_was_spent_and_what_waits_in_words(state: Path, http: FaultServer) -> None:
    result = sotto("outbox", state)
    receipt = rows_of(state, "outbox")[0][0]
    assert result.exit_code == 0
    heading, spent, waiting, *reported = result.stdout.splitlines()
    assert heading.split() == ["answered", "survey", "wave", "epsilon", "receipt"]
    assert spent.split()[1:] == ["lunch", "1", "3.0987", receipt]
    assert waiting.startswith(f"waiting: {receipt}  lunch wave 1  {http.url}  attempts ")
    assert [line.split(": reported ")[0].strip() for line in reported] == ["paid", "dish", "drinks"]
    assert reported[0].split()[-1] in ("yes", "no")
    words = {"soup", "salad", "leftovers", "tea", "coffee", "wine", "nothing"}
    assert all(set(line.split(": reported ")[1].split(" | ")) <= words for line in reported[1:])


def test_outbox_takes_the_state_by_its_name_too(state: Path, http: FaultServer) -> None:
    assert sotto("outbox", "--state", state).stdout == sotto("outbox", state).stdout != ""
    both = sotto("outbox", state, "--state", state)
    assert (both.exit_code, "Give STATE or --state, not both." in both.stderr) == (2, True)


def test_outbox_shows_a_report_of_an_unknown_survey_as_it_is_sent(state: Path, http: FaultServer) -> None:
    """The cached survey was replaced by another version: its words no longer fit the report."""
    body = json.loads(rows_of(state, "outbox")[0][3])
    http.survey_reply = Scripted(200, LUNCH.canonical.replace(b'"title":"Lunch"', b'"title":"Lunch 2"'))
    http.script = [Scripted(503)] * 100
    with closing(SurveyClient(http.url, "lunch", state=state)) as device:
        assert device.survey.title == "Lunch 2"
    [waiting] = json.loads(sotto("outbox", "--json", state).stdout)["waiting"]
    assert waiting["reported"] == body["reports"][0]["answers"]


def test_outbox_shows_every_wave_and_a_texts_noise(http: FaultServer, tmp_path: Path) -> None:
    http.survey_reply = Scripted(200, PULSE.canonical)
    http.script = [Scripted(503)] * 100
    path = tmp_path / "device.db"
    with closing(SurveyClient(http.url, "pulse", state=path)) as device:
        receipts = [device.answer(WORDS, wave) for wave in (1, 2)]
    lines = sotto("outbox", path).stdout.splitlines()
    assert [line.split()[1:] for line in lines[1:3]] == [
        ["pulse", str(receipt.wave), shown, receipt.id]
        for receipt, shown in zip(receipts, ("2.25", "1.6611"), strict=True)
    ]
    for receipt in receipts:
        start = next(index for index, line in enumerate(lines) if line.startswith(f"waiting: {receipt.id}"))
        assert f"  pulse wave {receipt.wave}  {http.url}" in lines[start]
        assert re.fullmatch(r"  word: reported \d+ bits set in cohort \d+", lines[start + 1])
    printed = json.loads(sotto("outbox", "--json", path).stdout)
    assert [spent["wave"] for spent in printed["ledger"]] == [1, 2]
    assert sorted(kept["wave"] for kept in printed["waiting"]) == [1, 2]
    bodies = {row[0]: json.loads(row[3])["reports"][0]["answers"] for row in rows_of(path, "outbox")}
    for kept in printed["waiting"]:
        cohort, text = bodies[kept["receipt"]]["word"]
        ones = np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), bitorder="little").nonzero()[0].tolist()
        assert kept["reported"]["word"] == {"cohort": cohort, "bits": ones}
    assert "kaleidoscope" not in json.dumps(printed)


def test_outbox_names_the_positions_of_a_texts_pieces(http: FaultServer, tmp_path: Path) -> None:
    survey = compile_toml(DEFINITION.split("[[")[0] + UNKNOWN)
    http.survey_reply = Scripted(200, survey.canonical)
    http.script = [Scripted(503)] * 100
    with closing(SurveyClient(http.url, "lunch", state=tmp_path / "device.db")) as device:
        device.answer({"word": "kaleidoscope"})
    [kept] = json.loads(sotto("outbox", "--json", tmp_path / "device.db").stdout)["waiting"]
    first, second = kept["reported"]["word"]["positions"]
    assert 1 <= first < second <= 4
    assert [set(bits) <= set(range(32)) for bits in kept["reported"]["word"]["gram_bits"]] == [True, True]


UNKNOWN = """
[[questions]]
id = "word"
type = "text"
mechanism = "rappor"
text = "A word?"
epsilon = 6
n_bits = 32
unknown = true
"""


def test_outbox_sends_on_request(state: Path, http: FaultServer) -> None:
    result = sotto("outbox", "--send", state)
    assert result.exit_code == 0
    assert result.stderr == "no report waits\n"
    assert "waiting" not in result.stdout
    assert len(http.seen) == 1


def test_outbox_says_when_sending_did_not_work(
    state: Path, http: FaultServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "sottovoce")
    http.script = [Scripted(503, headers={"Retry-After": "3600"})]
    result = sotto("outbox", "--send", state)
    assert result.exit_code == 0
    assert "some reports still wait" in result.stderr
    assert "waiting: " in result.stdout


def test_outbox_shows_refused_reports_with_the_reason(state: Path, http: FaultServer) -> None:
    http.script = [Scripted(409, Problem(409, "survey_closed", "Closed.\u200bX").to_json())]
    sotto("outbox", "--send", state)
    result = sotto("outbox", state)
    [refused] = [line for line in result.stdout.splitlines() if line.startswith("refused: ")]
    assert refused.endswith("survey_closed: Closed.?X")
    printed = json.loads(sotto("outbox", "--json", state).stdout)
    assert printed["rejected"][0]["reason"].startswith("survey_closed")
    assert printed["ledger"][0]["epsilon"] == "3.098612288669"
    assert "secret" not in printed


def test_outbox_says_of_a_forgotten_survey_what_all_its_waves_took(http: FaultServer, tmp_path: Path) -> None:
    http.survey_reply = Scripted(200, PULSE.canonical)
    with SurveyClient(http.url, "pulse", state=tmp_path / "device.db") as device:
        for wave in (1, 3):
            device.answer(WORDS, wave)
        assert device.flush(30)
    _, *rows = sotto("outbox", tmp_path / "device.db").stdout.splitlines()
    assert [re.split(r"\s{2,}", row)[1:4] for row in rows] == [["pulse", wave, "3.9111 in all waves"] for wave in "13"]
    printed = json.loads(sotto("outbox", "--json", tmp_path / "device.db").stdout)
    assert [(spent["epsilon"], spent["is_summed"]) for spent in printed["ledger"]] == [
        (str(sum(PULSE_CHARGES[:2])), True)
    ] * 2


def test_outbox_of_a_new_device_is_empty(tmp_path: Path) -> None:
    with closing(SurveyClient("http://127.0.0.1", "lunch", state=tmp_path / "device.db")):
        pass
    assert sotto("outbox", tmp_path / "device.db").stdout == "nothing answered\n"


def test_outbox_makes_no_state_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    result = sotto("outbox")
    assert result.exit_code == 1
    assert result.stderr == f"Error: state {tmp_path}/sottovoce/device.db must be a file that is there.\n"
    assert list(tmp_path.iterdir()) == []
