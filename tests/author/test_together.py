"""What authors are told of questions that are asked together: each by its id, and the combination once."""

import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from sotto_author.made_up import made_up_records
from sotto_author.promises import find_promises
from sotto_client.cli import main
from sotto_protocol import Tally, compile_toml

HEAD = 'id = "health"\ntitle = "Health"\npeople = 400\n'
GROUP = '[[together]]\nquestions = ["smokes", "region"]\nepsilon = 2\n'
SMOKES = '[[questions]]\nid = "smokes"\ntype = "yes-no"\ntext = "Do you smoke?"\n'
REGION = '[[questions]]\nid = "region"\ntype = "one-of"\ntext = "Where?"\noptions = ["north", "south"]\n'
WHOLE = HEAD + GROUP + SMOKES + REGION


def check(tmp_path: Path, text: str, *options: str) -> tuple[int, str]:
    """Return the exit code of `sotto check`, and all it says."""
    path = tmp_path / "health.toml"
    path.write_text(text)
    done = CliRunner().invoke(main, ["check", str(path), *options])
    return done.exit_code, done.output


def test_check_says_what_is_answered_to_each_question_and_what_is_reported_of_all(tmp_path: Path) -> None:
    code, said = check(tmp_path, WHOLE)
    assert code == 0
    rows = [line.split(maxsplit=1) for line in said.splitlines()]
    assert ["smokes-region", "joint   k-ary      2        smokes and region"] in rows
    assert ["smokes", "yes-no                      True or False"] in rows


def test_members_of_check_have_each_item_below_its_combination(tmp_path: Path) -> None:
    code, said = check(tmp_path, WHOLE, "--json")
    assert code == 0
    (joint,) = json.loads(said[said.index("{") : said.rindex("}") + 1])["questions"]
    assert (joint["id"], joint["verdict"]) == ("smokes-region", "rough")
    assert [(item["id"], item["type"], item["verdict"]) for item in joint["items"]] == [
        ("smokes", "yes-no", "rough"),
        ("region", "one-of", "rough"),
    ]


def test_what_can_never_be_shown_has_its_ways_once(tmp_path: Path) -> None:
    code, said = check(tmp_path, WHOLE.replace("people = 400", "people = 40\nmin_reports = 50"))
    assert code == 1
    assert said.count("ways to show it") == 1
    assert "min_reports = 40 instead of 50" in said


def test_a_text_is_found_in_the_question_that_has_it_and_in_no_combination() -> None:
    anonymous = WHOLE.replace("title", "invited = true\ntitle").replace("Where?", "Where? This is anonymous.")
    said = [one.partition(" promises anonymity")[0] for one in find_promises(compile_toml(anonymous))]
    assert said[0] == "region"
    assert not any("smokes-region" in one for one in said)


def test_a_preview_has_made_up_answers_to_questions_that_are_asked_together() -> None:
    survey = compile_toml(WHOLE)
    records = made_up_records(survey, 300)
    assert np.asarray(Tally.of(survey, records).support_counts["smokes-region"]).sum() == 300
