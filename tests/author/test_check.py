"""`sotto check`: what it prints, and one line where it cannot."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from devices import INVITED_PULSE, LUNCH, PULSE, WIDE
from sotto_client.cli import main

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


def write(folder: Path, text: str) -> Path:
    path = folder / "written.toml"
    path.write_text(text)
    return path


def test_check_prints_a_table_the_total_and_the_fingerprint(published: Path) -> None:
    result = sotto("check", published)
    assert result.exit_code == 0
    heading, *rows, total, limit, period, fingerprint, _ = result.stdout.splitlines()
    assert heading.split() == ["question", "type", "mechanism", "epsilon", "expected"]
    assert rows[0].split() == ["paid", "yes-no", "warner", "1.0987", "True", "or", "False"]
    assert [row.split()[0] for row in rows] == ["paid", "dish", "drinks"]
    assert total.split() == ["total", "3.0987"]
    assert limit == "max_epsilon 8 by default, 4.9013 left after one report"
    assert period == "max_period_epsilon 16 in 30 days by default, 12.9013 left after one report"
    assert fingerprint == f"fingerprint {LUNCH.fingerprint}"
    little, nobody = result.stderr.splitlines()
    assert little.startswith("Warning: All answers together are protected little: ")
    assert nobody.startswith("Warning: nothing says who asks and whom respondents can ask: ")


def test_check_prints_what_answers_take_for_ever_and_in_all_waves(tmp_path: Path) -> None:
    (tmp_path / "pulse.json").write_bytes(PULSE.canonical)
    lines = sotto("check", tmp_path / "pulse.json").stdout.splitlines()
    heading, word, _, well, total, waves, changes, limit, period, fingerprint, _ = lines
    assert heading.split() == ["question", "type", "mechanism", "epsilon", "epsilon_forever", "expected"]
    assert word.split()[:6] == ["word", "text", "rappor", "1", "2.5", "a"]
    assert well.split()[:6] == ["well", "yes-no", "basic-rappor", "0.25", "0.6", "True"]
    assert total.split() == ["total", "2.25"]
    assert waves == "waves 3, the same answers in all take epsilon 4.8507"
    assert changes == (
        "waves 3: a device of which all answers change takes epsilon again. It has too little left for that; then it "
        "sends nothing more, and later waves miss it"
    )
    assert limit == "max_epsilon 8 by default, 3.1493 left after all waves of the same answers"
    assert period == "max_period_epsilon 16 in 30 days by default, 13.75 left after one report"
    assert fingerprint == f"fingerprint {PULSE.fingerprint}"


def test_of_answers_that_may_change_in_every_wave_nothing_is_said(tmp_path: Path) -> None:
    for waves, is_said in ((7, False), (12, True)):
        written = write(tmp_path, DEFINITION.replace("[[", f"waves = {waves}\n[[", 1))
        assert ("a device of which all answers change" in sotto("check", written).stdout) is is_said


def test_check_says_from_how_many_reports_each_question_is_shown(tmp_path: Path) -> None:
    text = '[[questions]]\nid = "wish"\ntype = "text"\ntext = "What?"\nepsilon = 1\n'
    (tmp_path / "survey.toml").write_text(DEFINITION.replace("[[", "min_reports = 50\n[[", 1) + text)
    lines = sotto("check", tmp_path / "survey.toml").stdout.splitlines()
    place = lines.index("min_reports 50, no tally of fewer reports is shown")
    assert lines[place + 1] == "shown from 50 reports: paid"
    assert lines[place + 2].startswith("shown from 3,200 reports at the earliest: wish needs 50 in each of its 64")


def test_check_says_that_options_which_are_asked_one_by_one_have_no_joint_shares(tmp_path: Path) -> None:
    habits = """[[questions]]\nid = "habits"\ntype = "any-of"\ntext = "?"\noptions = ["a", "b", "c"]\nepsilon = 1\n"""
    written = write(tmp_path, DEFINITION + habits)
    assert (
        "\nasked-option habits, each device is asked some options only, so nobody can see how"
        in sotto("check", written).stdout
    )
    bits = write(tmp_path, DEFINITION + habits + 'mechanism = "bit-flips"\n')
    assert "asked-option" not in sotto("check", bits).stdout
    single = write(tmp_path, DEFINITION + habits + 'mechanism = "subset"\nmax_selected = 2\n')
    assert "\nsubset habits, a report has one option or blank, so nobody can see how" in sotto("check", single).stdout


def test_a_last_day_that_is_past_is_a_failure(tmp_path: Path) -> None:
    past = write(tmp_path, DEFINITION.replace("[[", "closes = 2025-02-28\n[[", 1))
    said = "closes (2025-02-28) is past: the survey would accept no reports."
    done = sotto("check", past, "--n", 300)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (1, f"Error: {said}")
    assert sotto("check", past).exit_code == 1
    done = sotto("check", past, "--json")
    assert (done.exit_code, said in json.loads(done.stdout)["warnings"]) == (1, True)
    assert sotto("check", write(tmp_path, past.read_text().replace("2025", "2999"))).exit_code == 0


def test_check_prints_json_for_programs(tmp_path: Path) -> None:
    survey = replace(INVITED_PULSE, min_reports=100)
    (tmp_path / "pulse.json").write_bytes(survey.canonical)
    printed = json.loads(sotto("check", "--json", tmp_path / "pulse.json").stdout)
    assert printed["fingerprint"] == survey.fingerprint
    assert (printed["epsilon"], printed["epsilon_forever"]) == (float(survey.epsilon), float(survey.epsilon_forever))
    assert (printed["invited"], printed["waves"], printed["min_reports"]) == (True, survey.waves, 100)
    for shown, question in zip(printed["questions"], survey.questions, strict=True):
        assert (shown["id"], shown["mechanism"]) == (question.id, question.mechanism.name)
        assert (shown["epsilon"], shown["epsilon_forever"]) == (
            float(question.epsilon),
            float(question.epsilon_forever),
        )
        assert shown["least_reports"] == 100 * (question.mechanism.counts_shape[0] if question.type == "text" else 1)
    assert sotto("check", "--json", "--canonical", tmp_path / "pulse.json").exit_code == 2


def test_check_prints_all_faults_as_json_and_fails(tmp_path: Path) -> None:
    path = write(tmp_path, DEFINITION.replace('title = "Lunch"', "").replace("3/4", "5/4"))
    done = sotto("check", path, "--json")
    faults = json.loads(done.stdout)["faults"]
    assert (done.exit_code, [list(fault) for fault in faults]) == (1, [["where", "problem", "line"]] * 2)
    assert faults[0]["where"] == "$.title"
    assert faults[1]["line"] == next(n for n, line in enumerate(path.read_text().splitlines(), 1) if "5/4" in line)
    first, second = (f"{fault['where']}: {fault['problem']}" for fault in faults)
    said = f"{first}\n  line {faults[1]['line']}, {second}"
    assert done.stderr == f"Error: {path}: {said}\n"
    assert sotto("check", path).stdout == ""
    done = sotto("check", tmp_path / "none.toml", "--json")
    assert (done.exit_code, done.stdout) == (1, "")


def test_check_prints_the_canonical_json_that_it_reads_again(definition: Path, tmp_path: Path) -> None:
    canonical = sotto("check", "--canonical", definition).stdout
    (tmp_path / "canonical.json").write_text(canonical)
    assert sotto("check", "--canonical", tmp_path / "canonical.json").stdout == canonical


def test_check_says_which_of_a_devices_usual_limits_are_too_low(tmp_path: Path) -> None:
    (tmp_path / "wide.json").write_bytes(WIDE.canonical)
    *_, limit, period, _, _ = sotto("check", tmp_path / "wide.json").stdout.splitlines()
    assert limit == "max_epsilon 8 by default, too low for the 16 of one report"
    assert period == "max_period_epsilon 16 in 30 days by default, 0 left after one report"


def test_check_reads_an_authors_json(tmp_path: Path, definition: Path) -> None:
    question = {"id": "paid", "type": "yes-no", "text": "Did you pay?", "prob_truth": "3/4"}
    (tmp_path / "own.json").write_text(json.dumps({"id": "lunch", "title": "Lunch", "questions": [question]}))
    assert sotto("check", tmp_path / "own.json").stdout == sotto("check", definition).stdout


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.toml", b"id = ", "must be TOML"),
        ("x.toml", b"\xff", "must be TOML in UTF-8"),
        ("x.toml", b'id = "x"\nquestions = [{id="q", type="text", text="?", epsilon=1}]', "$.title: is missing"),
        ("x.json", b"{", "must be JSON"),
        ("x.json", b"[]", "must be an object"),
        ("x.json", LUNCH.canonical.replace(b'"epsilon":1,', b'"epsilon":0.9,', 1), "declares 0.9"),
    ],
)
def test_check_names_the_place_in_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    result = sotto("check", tmp_path / name)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert message in result.stderr
    assert re.match(rf"Error: {tmp_path / name}: (line \d, )?\$", result.stderr)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["check", "publish", "preview"])
def test_an_author_is_told_that_answers_are_protected_little(tmp_path: Path, command: str) -> None:
    path = write(tmp_path, DEFINITION.replace('prob_truth = "3/4"', "epsilon = 7"))
    place = {"publish": ["http://127.0.0.1:9", "--token", "t"], "preview": ["--seconds", "1"]}.get(command, [])
    told = sotto(command, path, *place)
    said = "Warning: This answer is protected little: someone who was 10 % sure can become more than 99 % sure."
    assert said in told.stderr
    assert "With epsilon 2.1972 in all, they could become at most 50 % sure." in told.stderr
    mild = write(tmp_path, DEFINITION)
    assert "protected little" not in sotto(command, mild, *place).stderr


def test_check_says_which_languages_respondents_read_in_part_in_english(tmp_path: Path) -> None:
    in_three = 'title.en = "Lunch"\ntitle.de = "Essen"\ntitle.sv = "Lunch"'
    asked = 'text.en = "Paid?"\ntext.de = "Bezahlt?"\ntext.sv = "Betalat?"'
    text = DEFINITION.replace('title = "Lunch"', in_three).replace('text = "Did you pay?"', asked)
    told = sotto("check", write(tmp_path, text))
    assert "languages en, de, sv, of which sottovoce does not speak sv\n" in told.stdout
    assert "Warning: sv: sottovoce does not speak it. There the buttons and explanations are in " in told.stderr
    assert "are in English, or in another language of the browser." in told.stderr.replace("\n", " ")
    members = json.loads(sotto("check", write(tmp_path, text), "--json").stdout)
    assert (members["languages"], members["languages_in_english"]) == (["en", "de", "sv"], ["sv"])
    spoken = sotto("check", write(tmp_path, DEFINITION.replace('title = "', 'lang = "pt-BR"\ntitle = "')))
    assert "languages pt-BR\n" in spoken.stdout
    assert "does not speak" not in spoken.output
    assert "languages" not in sotto("check", write(tmp_path, DEFINITION)).stdout
