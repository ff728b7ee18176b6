"""`sotto audit` as it is typed."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import starting
from audited import DEVICE, YES_NO
from console import BIN, Console
from node import require_node
from sotto_client.cli import main
from sotto_protocol import __version__, compile_toml
from sotto_rehearsal.audit.design import usual_reports

YES_NO_MORE = '[[questions]]\nid = "q%d"\ntype = "yes-no"\ntext = "?"\nepsilon = 1\n'
ALL_TYPES = """
id = "all-types"
title = "All types"
waves = 3
[[questions]]
id = "paid"
type = "yes-no"
text = "?"
epsilon = 1
skip = "no"
[[questions]]
id = "dish"
type = "one-of"
text = "?"
options = ["soup", "salad", "bread", "fish", "rice"]
epsilon = 0.5
epsilon_forever = 1
[[questions]]
id = "sides"
type = "any-of"
text = "?"
options = ["a", "b", "c"]
epsilon = 1
[[questions]]
id = "age"
type = "number"
text = "?"
minimum = 0
maximum = 12
step = 0.5
epsilon = 1
[[questions]]
id = "place"
type = "text"
text = "?"
epsilon = 2
"""


@pytest.fixture
def survey_file(tmp_path: Path) -> Path:
    path = tmp_path / "survey.toml"
    path.write_text(YES_NO)
    return path


def audit(path: Path, *arguments: Any) -> Result:
    return CliRunner().invoke(main, ["audit", str(path), *map(str, arguments)])


def of_program(fault: str) -> tuple[str, str]:
    return "--program", f"{sys.executable} {DEVICE} {fault}"


@pytest.mark.thorough
def test_the_python_client_gives_away_no_more_than_is_declared(survey_file: Path) -> None:
    result = audit(survey_file, "--client", "python", "--reports", 1000)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"python  (sottovoce {__version__}, Python 3.")
    assert "1,000 reports" in result.stdout
    assert "exact proof, 10 outcomes of the coins" in result.stdout
    assert "No fault was found." in result.stdout


def test_json_has_the_numbers_of_the_table(survey_file: Path) -> None:
    printed = json.loads(audit(survey_file, *of_program("none"), "--reports", 1000, "--json").stdout)
    (made,) = printed["audits"]
    assert (made["program"], made["devices"], made["has_fault"]) == (of_program("none")[1], 1000, False)
    (paid, together) = made["losses"]
    assert (paid["question"], paid["declared"], together["question"]) == ("paid", 1.0, "")
    assert 0 < paid["lower"] < 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("garbage", "report 1 must be a JSON object, alone on its line."),
        ("early", "the program ended with exit code 3 after 0 of 750 reports."),
        ("short", "the program printed 0 lines, where 750 reports were asked for."),
        ("other-survey", "report 1: answers must have exactly the members paid."),
        ("more", "report 1 must have the members id, answers alone: all are sent."),
    ],
)
def test_a_program_that_makes_no_reports_is_refused_in_a_line(survey_file: Path, fault: str, said: str) -> None:
    result = audit(survey_file, *of_program(fault), "--reports", 1000)
    assert (result.exit_code, result.stderr) == (1, f"Error: {said}\n")


def test_a_program_that_hangs_is_ended(survey_file: Path) -> None:
    result = audit(survey_file, *of_program("hang"), "--timeout-s", 1)
    assert result.exit_code == 1
    assert result.stderr == "Error: the program printed nothing for 1 s; see --timeout-s.\n"


def test_a_program_that_is_not_there_is_named(survey_file: Path) -> None:
    result = audit(survey_file, "--program", "no-such-program --at-all")
    assert result.stderr == "Error: no-such-program cannot be started: No such file or directory.\n"


def test_without_node_the_javascript_client_is_not_audited(survey_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = audit(survey_file)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: node is missing")


@pytest.mark.parametrize(
    "arguments",
    [("--client", "python", "--program", "x"), ("--reports", 1), ("--client", "cobol"), ("--json", "--csv")],
)
def test_what_cannot_be_asked_is_a_usage_error(survey_file: Path, arguments: tuple[str, ...]) -> None:
    assert audit(survey_file, *arguments).exit_code == 2


def test_an_empty_program_is_refused(survey_file: Path) -> None:
    for line in ("", "'"):
        result = audit(survey_file, "--program", line)
        assert result.stderr.startswith("Error: --program must be a command line")


@pytest.mark.thorough
def test_the_examples_of_the_documentation_run(tmp_path: Path) -> None:
    Console(tmp_path).run_document(Path(__file__).parents[2] / "docs" / "audit.md")


@pytest.mark.rare  # both clients answer all types in the test below, a part of them on each device
@pytest.mark.parametrize("client", ["python", "js"])
def test_the_installed_clients_pass_in_a_survey_of_all_types(tmp_path: Path, client: str) -> None:
    if client == "js":
        require_node()
    (tmp_path / "survey.toml").write_text(ALL_TYPES)
    result = audit(tmp_path / "survey.toml", "--client", client, "--reports", 900)
    assert result.exit_code == 0, result.stdout
    assert "900 reports of 300 devices, 3 waves" in result.stdout
    assert all(f"{name}, 3 waves" in result.stdout for name in ("paid", "dish", "sides", "age", "place"))


@pytest.mark.rare
@pytest.mark.thorough
def test_both_clients_pass_where_questions_are_drawn_and_people_invited(tmp_path: Path) -> None:
    require_node()
    (tmp_path / "survey.toml").write_text(f"invited = true\ndraw = 2\n{ALL_TYPES}")
    result = audit(tmp_path / "survey.toml", "--reports", 900)
    assert result.exit_code == 0, result.stdout
    assert [line.split()[0] for line in result.stdout.splitlines() if "900 reports" in line] == ["python", "js"]


@pytest.mark.parametrize("wave", [{}, {"wave": 2}])
def test_a_report_of_another_wave_is_refused(tmp_path: Path, wave: dict[str, int]) -> None:
    (tmp_path / "survey.toml").write_text(f"waves = 2\n{YES_NO}")
    program = tmp_path / "program.py"
    sent = {"id": "0" * 32, "answers": {"paid": True}} | wave
    program.write_text(f"import sys\nfor _ in sys.stdin.readlines()[1:]: print({json.dumps(json.dumps(sent))})\n")
    result = audit(tmp_path / "survey.toml", "--program", f"{sys.executable} {program}", "--reports", 100)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: report 1")
    assert "wave" in result.stderr


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("[]", "report 1 must be an object with id and answers."),
        ('{"answers": {"paid": true}}', "report 1: id must be 32 lower-case hexadecimal digits."),
        ('{"id": "%s", "answers": {"paid": "yes"}}' % ("0" * 32), "report 1: answers.paid must be true or false."),
        ('{"id": "%s", "answers": {"paid": true, "x": 1}}' % ("0" * 32), "report 1: answers must have exactly the"),
        ("1" * 5000, "report 1 must be a JSON object"),
        ("[" * 100_000, "report 1 must be a JSON object"),
    ],
    ids=range(6),
)
def test_what_is_no_report_is_named_and_not_quoted(survey_file: Path, tmp_path: Path, sent: str, said: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nfor _ in sys.stdin.readlines()[1:]: print({sent!r})\n")
    result = audit(survey_file, "--program", f"{sys.executable} {program}", "--reports", 100)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {said}")
    assert len(result.stderr) < 200


def test_what_a_program_has_started_ends_with_it(survey_file: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import subprocess, time\n"
        f"child = subprocess.Popen(['sleep', '600'])\nopen({str(tmp_path)!r} + '/' + str(child.pid), 'w').close()\n"
        "time.sleep(600)\n"
    )
    result = audit(survey_file, "--program", f"{sys.executable} {program}", "--timeout-s", 3)
    assert "printed nothing for 3 s" in result.stderr
    children = [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]
    assert children
    while any(is_running(child) for child in children):
        time.sleep(0.01)


CHILD = "import os, subprocess, sys\nopen(sys.argv[1] + '/%d' % subprocess.Popen(['sleep', '600']).pid, 'w').close()\n"


def children_in(folder: Path) -> list[int]:
    """Return the processes that programs of CHILD have started, each of which has left a file of its number."""
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def test_what_a_program_leaves_behind_when_it_ends_well_ends_too(survey_file: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(CHILD + f"sys.argv = ['', 'none']\nexec(open({str(DEVICE)!r}).read())\n")
    result = audit(survey_file, "--program", f"{sys.executable} {program} {tmp_path}", "--reports", 500)
    assert result.exit_code == 0, result.output
    assert len(children_in(tmp_path)) == 2
    while any(is_running(child) for child in children_in(tmp_path)):
        time.sleep(0.01)


def test_a_terminated_audit_ends_its_programs(survey_file: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(CHILD + "import time\ntime.sleep(600)\n")
    line = shlex.join([sys.executable, str(program), str(tmp_path)])
    with starting.Popen([BIN / "sotto", "audit", survey_file, "--program", line], stderr=subprocess.PIPE) as sotto:
        while len(children_in(tmp_path)) < 2:
            assert sotto.poll() is None
            time.sleep(0.01)
        sotto.terminate()
        assert sotto.communicate() == (None, b"")
    assert sotto.returncode == 128 + signal.SIGTERM
    while any(is_running(child) for child in children_in(tmp_path)):
        time.sleep(0.01)


def test_a_program_that_prints_without_end_is_ended_before_the_disk_is_full(survey_file: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import time\nfor _ in range(40): print('y' * 2**20, flush=True)\ntime.sleep(600)\n")
    line = f"{sys.executable} {program}"
    result = audit(survey_file, "--program", line, "--reports", 100, "--timeout-s", 20)
    assert result.stderr == "Error: the program printed more than 150 reports can be.\n"


def test_what_a_program_prints_is_read_once_to_be_counted(
    survey_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def read(file: int, n_bytes: int, position: int, read: Any = os.pread) -> bytes:
        chunk: bytes = read(file, n_bytes, position)
        sizes.append(len(chunk))
        return chunk

    monkeypatch.setattr(os, "pread", read)
    program = tmp_path / "program.py"
    program.write_text(
        "import time\nfor n in range(9): print('y' * 999, flush=True) or time.sleep(0.2)\nraise SystemExit(3)\n"
    )
    result = audit(survey_file, "--program", f"{sys.executable} {program}", "--reports", 100)
    assert result.stderr == "Error: the program ended with exit code 3 after 9 of 75 reports.\n"
    assert 9_000 <= sum(sizes) <= 18_000


def test_no_module_of_the_folder_it_is_typed_in_is_run(
    survey_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "random.py").write_text("raise SystemExit(5)\n")
    monkeypatch.chdir(tmp_path)
    assert audit(survey_file, "--client", "python", "--reports", 100).exit_code == 0


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_many_questions_make_fewer_reports_unless_it_is_said() -> None:
    few, many = compile_toml(YES_NO), compile_toml(YES_NO + "".join(YES_NO_MORE % n for n in range(59)))
    assert usual_reports(few, 20_000) == 20_000
    assert usual_reports(many, 20_000) == 3809
    assert usual_reports(many, 5000) == 2000
