"""What a crowd will show is said before anybody is asked, and what can never be shown, or of use, is stopped."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import starting
from collecting import Served, serve
from sotto_author.crowd import judge_published
from sotto_client.cli import main
from sotto_client.ledger import MAX_EPSILON
from sotto_estimator.channel.channel import Channel
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.planning.remedies import MAX_TAKEN
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_protocol import Tally, compile_toml
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.minimum import needs_of

HEAD = 'id = "staff"\ntitle = "How we work"\ninvited = true\n'
HARASSED = '[[questions]]\nid = "harassed"\ntype = "yes-no"\ntext = "Were you harassed?"\nepsilon = {}\n'
PERKS = '[[questions]]\nid = "perks"\ntype = "any-of"\ntext = "Which?"\noptions = ["a", "b", "c", "d", "e", "f"]\n'
PERKS += 'epsilon = 1\nmechanism = "bit-flips"\n'
WISH = '[[questions]]\nid = "wish"\ntype = "text"\ntext = "What first?"\nepsilon = 1\n'
REAL_CASE = HEAD + "min_reports = 50\n" + HARASSED.format(3) + WISH
"""Fifty reports in each of 64 cohorts, of 300 people: no result of the text can ever come."""


def run(*arguments: object, **environment: str) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=environment)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def written(text: str) -> Path:
        path = tmp_path / "staff.toml"
        path.write_text(text)
        return path

    return written


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served") / "survey.db") as started:
        yield started


def verdicts(result: Result) -> dict[str, str]:
    """Return what is said of each question."""
    rows = result.stdout.partition("question  verdict\n")[2].partition("\n\n")[0].splitlines()
    return {row.split(maxsplit=1)[0]: row.split(maxsplit=1)[1] for row in rows}


def test_each_question_has_a_plain_verdict(write: Callable[[str], Path]) -> None:
    path = write(HEAD + HARASSED.format(3) + PERKS + WISH)
    result = run("check", path, "--n", 300)
    assert result.exit_code == 0
    said = verdicts(result)
    assert said["harassed"] == "good to +- 8.6 points"
    assert said["perks"].startswith("too imprecise to use (+- ")
    assert said["wish"].startswith("too imprecise to use (finds answers that ")
    assert "Warning: 300 people are too few to show anything useful about perks, wish." in result.stderr
    assert "about the population (sotto estimate --target population --method chernoff)" in " ".join(
        result.stdout.split()
    )


def test_a_verdict_is_the_width_of_the_interval_that_is_estimated(write: Callable[[str], Path]) -> None:
    """At the count that is expected at a share of one half, of 300 people, by the estimator itself."""
    survey = compile_toml(HEAD + HARASSED.format(3))
    channel = channel_of(survey.questions[0])
    assert isinstance(channel, Channel)
    count = round(300 * (channel.prob_support_if_true + channel.prob_support_if_other) / 2)
    low, high = share_bounds(np.array([count]), 300, channel, level=0.95, method="chernoff", target="population")
    (outlook,) = judge_published(survey, 300).outlooks
    assert outlook.plan is not None
    assert outlook.plan.width == pytest.approx(float(high[0] - low[0]) / 2, abs=1 / 300)


@pytest.mark.parametrize("is_invited", [True, False])
def test_the_verdict_is_about_the_population_unless_another_target_is_given(
    write: Callable[[str], Path], is_invited: bool
) -> None:
    path = write(HEAD.replace("invited = true\n", "invited = true\n" * is_invited) + HARASSED.format(3))
    of_all, of_these = run("check", path, "--n", 300), run("check", path, "--n", 300, "--target", "respondents")
    assert "(sotto estimate --target population --method chernoff)" in of_all.stdout
    assert "(sotto estimate --target respondents --method chernoff)" in of_these.stdout
    assert verdicts(of_all)["harassed"] == "good to +- 8.6 points"
    assert verdicts(of_these)["harassed"] == "good to +- 3.67 points"


HOURS = '[[questions]]\nid = "hours"\ntype = "number"\ntext = "How many?"\nminimum = 0\nmaximum = 20\nunit = "hours"\n'
HOURS += "epsilon = {}\n"


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["window", "segments"])
@pytest.mark.parametrize("draw", ["", "draw = 1\n"])
def test_check_plan_and_estimate_say_the_same_number_of_people(
    write: Callable[[str], Path], draw: str, name: str
) -> None:
    """As each person sends one report, of all questions or of one that is drawn."""
    path = write(HEAD + draw + HARASSED.format(1) + HOURS.format(1) + f'mechanism = "{name}"\n')
    n_answers = 20 if draw else 40
    checked = json.loads(run("check", path, "--n", 40, "--json").stdout)["helps"]
    planned = run("plan", path, "--n", 40).stdout
    survey = compile_toml(path.read_text())
    mechanism = survey.questions[1].mechanism
    assert isinstance(mechanism, LevelResponse)
    halves = n_answers * mechanism.channel[:, [0, -1]].mean(axis=1).cumsum()  # at either end
    outputs = np.diff(np.rint(halves).astype(np.int64), prepend=0)
    counts = {"harassed": np.array([n_answers // 2]), "hours": outputs}
    tally = Tally(survey, {1: 40}, counts, behind=dict.fromkeys(counts, Counted({1: n_answers})))
    verdicts = with_verdicts(estimate_tally(tally), tally).verdicts
    aims = {verdict.question: verdict.aim.n_needed for verdict in verdicts if verdict.aim}
    assert aims == {of["questions"][0]: of["respondents_needed"] for of in checked}
    assert len(aims) == 2
    for n_needed in aims.values():
        assert f"more respondents: {n_needed:,} instead of 40" in planned


def test_no_verdict_is_wider_than_what_can_be(write: Callable[[str], Path]) -> None:
    path = write(HEAD + HARASSED.format(0.1) + HOURS.format(0.1))
    most = "; any result stays possible"
    assert verdicts(run("check", path, "--n", 300)) == {
        "harassed": f"too imprecise to use (+- 50 points or more{most})",
        "hours": f"too imprecise to use (+- 10 hours or more{most})",
    }


def test_what_is_wanted_is_what_a_verdict_is_held_against(write: Callable[[str], Path]) -> None:
    path = write(HEAD + HARASSED.format(3) + "want = 0.02\n")
    assert verdicts(run("check", path, "--n", 300)) == {"harassed": "rough: +- 8.6 points"}


def test_check_fails_where_something_can_never_be_shown_and_says_what_would_help(write: Callable[[str], Path]) -> None:
    result = run("check", write(REAL_CASE), "--n", 300)
    assert result.exit_code == 1
    assert result.stderr.endswith("Error: 300 people are too few ever to show wish.\n")
    never = "can never be shown: it needs 3,200 reports (50 in each of its 64 cohorts), and there are 300 people"
    assert verdicts(result)["wish"] == never
    assert verdicts(result)["harassed"].startswith("good to ")
    _, _, helps = result.stdout.partition("wish: ways to show it:\n")
    first, second, third, *_ = helps.splitlines()
    assert (first, third) == ("  - without min_reports", "  - n_cohorts = 4 instead of 64")
    assert second.startswith("  - people = 300 in the file: ")


@pytest.mark.thorough
def test_what_is_said_to_help_does(write: Callable[[str], Path]) -> None:
    for helped in (
        REAL_CASE.replace("min_reports = 50\n", ""),
        REAL_CASE.replace("min_reports", "people = 300\nmin_reports"),
        REAL_CASE + "n_cohorts = 4\n",
    ):
        assert run("check", write(helped), "--n", 300).exit_code == 0
    assert run("check", write(REAL_CASE + "n_cohorts = 8\n"), "--n", 300).exit_code == 1


def test_what_may_stay_hidden_is_said(write: Callable[[str], Path]) -> None:
    survey = compile_toml(REAL_CASE + "n_cohorts = 4\n")
    need = needs_of(survey)["wish"]
    assert need.least == 200
    for n, is_said in ((need.likely - 1, True), (need.likely, False)):
        said = verdicts(run("check", write(REAL_CASE + "n_cohorts = 4\n"), "--n", n))["wish"]
        assert ("; it may stay hidden with fewer than" in said) is is_said


def test_of_strata_each_must_be_shown(write: Callable[[str], Path]) -> None:
    text = HEAD + 'strata = ["north", "south"]\nmin_reports = 50\n' + HARASSED.format(3)
    for n, is_said in ((99, True), (100, False)):
        said = verdicts(run("check", write(text), "--n", n))["harassed"]
        assert ("; it may stay hidden in a stratum with fewer than 50 reports" in said) is is_said


def test_what_small_strata_do_not_show_is_a_warning_and_stops_publish(
    served: Served, write: Callable[[str], Path]
) -> None:
    """As one question in two is drawn, a team of 30 has 15 answers to each; of 44 it has 22."""
    teams = 'strata = ["north", "south"]\nmin_reports = 20\ndraw = 1\nabout = "respondents"\n'
    path = write(
        HEAD.replace('"staff"', '"few"') + teams + HARASSED.format(3) + HARASSED.replace("harassed", "left").format(3)
    )
    warning = "Warning: a stratum of 30 people most likely shows nothing of harassed, left: too few of them answer it"
    few, more = (run("check", path, "--n", n).stderr for n in (60, 88))
    assert (warning in few, "shows nothing of" in more) == (True, False)
    refused = run("publish", path, served.url, "--n", 60, SOTTO_TOKEN=served.admin)
    assert (refused.exit_code, warning in refused.stderr) == (1, True)
    assert "few is not published: 60 people are too few for its strata. Mend it" in refused.stderr
    assert run("publish", path, served.url, "--n", 60, "--yes", SOTTO_TOKEN=served.admin).exit_code == 0


def test_what_devices_take_by_default_is_what_clients_take() -> None:
    assert MAX_TAKEN == MAX_EPSILON


def test_what_is_said_to_help_is_not_more_than_devices_take(write: Callable[[str], Path]) -> None:
    """Nine questions of epsilon 1 are 9 in all: drawing stays within 8, and of more epsilon it is said."""
    path = write(HEAD + "".join(HARASSED.replace("harassed", f"q{n}").format(1) for n in range(9)))
    said = run("check", path, "--n", 300).stdout
    assert "draw = 4 of the 9 questions, at epsilon 8 per report: " in said
    assert "This question then has\n    epsilon 2 instead of 1" in said
    assert " in all; devices refuse more than 8 by default" in " ".join(said.split())
    drawn = "waves = 6\nasked_in = 3\n" + HARASSED.format(1) + HARASSED.replace("harassed", "left").format(1)
    said = " ".join(run("check", write(HEAD + drawn), "--n", 700).stdout.split())  # three reports, of 2.823 each
    assert "more epsilon: 1.823 instead of 1." in said
    assert "That is 8.469 in all; devices refuse more than 8 by default" in said
    teams = 'strata = ["north", "south"]\nmin_reports = 20\nabout = "respondents"\n'
    two = HARASSED.format(0.5) + HARASSED.replace("harassed", "left").format(0.5)
    shown = {n: "draw = 1 of the 2" in run("check", write(HEAD + teams + two), "--n", n).stdout for n in (60, 100)}
    assert shown == {60: False, 100: True}  # of 30 people in a stratum, 15 answer each question


def test_a_mean_score_has_a_width_of_its_own_and_says_of_which_scores_it_is(write: Callable[[str], Path]) -> None:
    mood = '[[questions]]\nid = "mood"\ntype = "likert"\ntext = "Well?"\noptions = ["bad", "good", "-"]\nskip = "-"\n'
    path = write(HEAD + mood + "epsilon = 2\n")
    [width] = re.findall(r"^mood +mean +1 to 2 +300 +(\S+)$", run("plan", path, "--n", 300).stdout, re.MULTILINE)
    said = f"mood: mean +- {width} on a scale from 1 to 2 (bad: 1, good: 2, -: no score)"
    assert said in run("check", path, "--n", 300).stdout.splitlines()


def test_programs_read_the_same_verdicts(write: Callable[[str], Path]) -> None:
    result = run("check", write(REAL_CASE), "--n", 300, "--json")
    assert result.exit_code == 1
    printed = json.loads(result.stdout)
    assert (printed["people"], printed["method"], printed["target"]) == (300, "chernoff", "population")
    harassed, wish = printed["questions"]
    assert (harassed["verdict"], wish["verdict"]) == ("good", "never")
    assert harassed["half_width"] == pytest.approx(0.08603, abs=1e-4)
    assert wish["smallest_share"] > 0.3
    assert printed["helps"][0]["questions"] == ["wish"]
    assert any("wish" in warning for warning in printed["warnings"])


def test_without_a_number_of_people_check_says_how_to_get_a_verdict(write: Callable[[str], Path]) -> None:
    result = run("check", write(REAL_CASE))
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "\nwhat will it show? sotto check --n PEOPLE says how precise each question will be with that many people\n"
    )


@pytest.mark.parametrize("arguments", [("--n", 1), ("--n", "many"), ("--target", "population"), ("--target", "all")])
def test_what_makes_no_sense_is_exit_code_2(write: Callable[[str], Path], arguments: tuple[object, ...]) -> None:
    assert run("check", write(REAL_CASE), *arguments).exit_code == 2


def test_publish_refuses_what_can_never_be_shown_where_nobody_is_asked(
    served: Served, write: Callable[[str], Path]
) -> None:
    path = write(REAL_CASE.replace('"staff"', '"refused"'))
    result = run("publish", path, served.url, "--n", 300, SOTTO_TOKEN=served.admin)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "Warning: 300 people are too few ever to show wish." in result.stderr
    assert result.stderr.endswith("Mend it (sotto check), or give --yes to publish it anyway.\n")
    assert served.ask("GET", "/v1/surveys/refused")[0] == 404
    assert run("publish", path, served.url, "--n", 300, "--yes", SOTTO_TOKEN=served.admin).exit_code == 0
    assert served.ask("GET", "/v1/surveys/refused")[0] == 200


def test_publish_says_the_verdict_and_goes_on_where_it_is_of_use(served: Served, write: Callable[[str], Path]) -> None:
    path = write(HEAD.replace('"staff"', '"useful"') + HARASSED.format(3))
    result = run("publish", path, served.url, "--n", 300, SOTTO_TOKEN=served.admin)
    assert result.exit_code == 0
    assert "harassed  good to +- 8.6 points" in result.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(("typed", "is_done"), [("n", False), ("y", True)])
def test_at_a_terminal_publish_asks(served: Served, write: Callable[[str], Path], typed: str, is_done: bool) -> None:
    survey_id = f"asked-{typed}"
    path = write(REAL_CASE.replace('"staff"', f'"{survey_id}"'))
    ours, theirs = pty.openpty()
    command = [starting.SOTTO, "publish", path, served.url, "--n", "300"]
    environment = os.environ | {"SOTTO_TOKEN": served.admin}
    process = starting.Popen(command, stdin=theirs, stderr=subprocess.PIPE, env=environment)
    os.close(theirs)
    with closing(os.fdopen(ours, "wb", buffering=0)) as terminal:
        terminal.write(f"{typed}\n".encode())
        _, said = process.communicate(timeout=60)
    assert f"Publish {survey_id} anyway? [y/N]:" in said.decode()
    assert process.returncode == (0 if is_done else 1)
    assert served.ask("GET", f"/v1/surveys/{survey_id}")[0] == (200 if is_done else 404)


def test_a_stratum_is_judged_by_itself() -> None:
    survey = replace(compile_toml(REAL_CASE), strata=("north", "south"))
    said = judge_published(survey, 300, "north")
    assert [one.grade for one in said.outlooks] == ["good", "never"]


def test_without_the_estimator_what_can_never_be_shown_is_stopped_all_the_same(write: Callable[[str], Path]) -> None:
    script = "import sys; sys.modules['scipy'] = None; from sotto_client.cli import main; main(sys.argv[1:])"
    for text, code, verdict in (
        (REAL_CASE, 1, "can never be shown"),
        (HEAD + HARASSED.format(3), 0, "if all of them answer\nhow precise"),
    ):
        command = [sys.executable, "-c", script, "check", str(write(text)), "--n", "300"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert verdict in done.stdout
        assert (
            "how precise it will be is unknown without the estimator: pip install 'sottovoce[estimator]'" in done.stdout
        )


def test_every_stratum_is_invited_in_one_go(served: Served, write: Callable[[str], Path], tmp_path: Path) -> None:
    text = HEAD.replace('"staff"', '"teams"') + 'strata = ["north", "south, east"]\n'
    assert run("publish", write(text + HARASSED.format(3)), served.url, SOTTO_TOKEN=served.admin).exit_code == 0
    file = tmp_path / "all.csv"
    command = ["invite", "create", served.url, "teams", "--count", 30, "--each-stratum", "--to", file]
    result = run(*command, "--page", "--yes", SOTTO_TOKEN=served.admin)
    assert result.stdout == f"60 invitations, 30 for each of 2 strata, in {file}\n"
    assert result.stderr.count("\nquestion  verdict\n") == 1  # both at once: they are as large
    assert "in each of the strata north, south, east" in " ".join(result.stderr.split())
    with file.open(newline="") as opened:
        rows = [*csv.DictReader(opened)]
    assert [row["stratum"] for row in rows] == ["north"] * 30 + ["south, east"] * 30
    assert all(row["page"].endswith(f"/s/teams#{row['invitation']}") for row in rows)
    counted = run("invite", "count", served.url, "teams", "--stratum", "south, east", SOTTO_TOKEN=served.admin)
    assert counted.stdout == "30 unused\n"
    both = run(*command[:-1], tmp_path / "b.csv", "--stratum", "north", SOTTO_TOKEN=served.admin)
    assert (both.exit_code, "--stratum or --each-stratum, not both" in both.stderr) == (2, True)
    none = run(
        *[word for word in command if word != "--each-stratum"][:-1], tmp_path / "none.csv", SOTTO_TOKEN=served.admin
    )
    assert none.stderr == "Error: teams has strata: give --each-stratum, or --stratum with one of north, south, east.\n"


def test_each_stratum_goes_with_strata(served: Served, write: Callable[[str], Path], tmp_path: Path) -> None:
    text = HEAD.replace('"staff"', '"alone"')
    assert run("publish", write(text + HARASSED.format(3)), served.url, SOTTO_TOKEN=served.admin).exit_code == 0
    command = ["invite", "create", served.url, "alone", "--count", 30, "--each-stratum", "--to", tmp_path / "a.csv"]
    result = run(*command, SOTTO_TOKEN=served.admin)
    assert (result.exit_code, result.stderr) == (1, "Error: alone has no strata: leave out --each-stratum.\n")
    assert not (tmp_path / "a.csv").exists()
