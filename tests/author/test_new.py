"""`sotto new` leads to a survey that can work: of a few answers, or a template."""

import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sotto_author.crowd import judge_definition
from sotto_author.crowd_words import say_points
from sotto_author.design import TOTALS, USUAL, designs_of, proposed
from sotto_author.templates import NAMES, read_template
from sotto_client.cli import main
from sotto_estimator.planning.survey import ROUGH
from sotto_protocol import Survey, compile_toml
from sotto_protocol.minimum import needs_of

HEAD = ["How we work", "The works council", "council@example.org", "300", "y", "y"]
HARASSED = ["Have you been harassed?", "1", "n"]
SOON = [(60, "health"), (1000, "exam")]
"""What is looked at before a commit: questions are left out, or there are people enough."""
LUNCH = ["What do you eat?", "2", "sandwich", "salad", "canteen", "", "n"]


def run(*arguments: object, typed: list[str] | None = None) -> Result:
    text = None if typed is None else "".join(f"{line}\n" for line in typed)
    return CliRunner().invoke(main, ["new", *map(str, arguments)], input=text)


def survey_at(path: Path) -> Survey:
    return compile_toml(path.read_text())


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_template_is_a_survey_that_works_for_its_crowd(tmp_path: Path, name: str) -> None:
    path = tmp_path / "new.toml"
    done = run(path, "--from", name)
    assert (done.exit_code, done.stderr) == (0, "")
    template, survey = read_template(name), survey_at(path)
    assert [question.id for question in survey.questions] == [of["id"] for of in template["questions"]]
    assert survey.people == template["people"]
    assert survey.about == ("respondents" if survey.invited else "population")
    assert f'about = "{survey.about}"' in path.read_text()
    for question in survey.questions:
        left_out = 0 if question.type == "number" else question.options[-1]
        assert question.skip == left_out
        assert left_out in (0, "I'd rather not say")
    checked = CliRunner().invoke(main, ["check", str(path)])
    assert checked.exit_code == 0
    for question in survey.questions:
        assert any(line.split()[0] == question.id and " +- " in line for line in done.stdout.splitlines())
    assert "cannot" not in checked.stdout
    assert "nothing useful" not in checked.stderr
    assert survey.epsilon <= USUAL


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("people", "name"),
    [
        pytest.param(people, name, marks=[pytest.mark.thorough] * ((people, name) not in SOON))
        for people in (60, 1000)
        for name in NAMES
    ],
)
def test_of_any_crowd_a_template_becomes_what_works(tmp_path: Path, people: int, name: str) -> None:
    path = tmp_path / "new.toml"
    assert run(path, "--from", name, "--people", people).exit_code == 0
    checked = CliRunner().invoke(main, ["check", str(path)])
    survey = survey_at(path)
    assert (checked.exit_code, survey.people) == (0, people)
    assert survey.min_reports == 1 or all(2 * need.likely <= people for need in needs_of(survey).values())
    assert "nothing useful" not in checked.stderr


def test_it_is_said_where_so_few_people_are_asked_that_no_least_number_is_set(tmp_path: Path) -> None:
    few, many = tmp_path / "few.toml", tmp_path / "many.toml"
    two = [*HARASSED, "Do you fear it?", "1", "n", "", "n", ""]  # both are kept
    done = run(few, "--people", 8, typed=[*HEAD[:3], "y", "y", *two])
    assert done.exit_code == 0, done.stderr
    assert survey_at(few).min_reports == 1
    said = "Warning: no min_reports is set: if half of 8 people answer, not every question is likely to have 5 reports."
    assert said in done.stderr
    assert "min_reports" not in run(many, "--from", "staff").stderr
    assert survey_at(many).min_reports > 1


def test_the_language_that_goes_without_a_template_is_said_in_help() -> None:
    assert "Templates are in English only." in " ".join(run("--help").stdout.split())


@pytest.mark.parametrize(
    ("title", "survey_id"),
    [
        ("كيف نعمل", "survey"),
        ("年龄", "survey"),
        ("Âge", "age"),
        ("Overtime, undocumented, unreasonable", "overtime-undocumented-unreasonable"),
    ],
)
def test_an_address_is_of_letters_or_is_survey(tmp_path: Path, title: str, survey_id: str) -> None:
    path = tmp_path / "new.toml"
    assert run(path, typed=[title, *HEAD[1:], *HARASSED, "", ""]).exit_code == 0
    assert survey_at(path).id == survey_id
    assert re.match(rf"id = \"{survey_id}\" +# the page's address is ", path.read_text().splitlines()[3])


def test_too_few_people_get_no_file(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    done = run(path, "--from", "staff", "--people", 3)
    assert (done.exit_code, path.exists()) == (1, False)
    assert "Error: 3 people are too few. workload: too imprecise to use " in done.stderr


def test_what_was_typed_for_too_few_people_is_written_and_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    done = run(path, typed=[*HEAD[:3], "3", "y", "y", *HARASSED, "", ""])
    assert done.exit_code == 0, done.stderr
    assert survey_at(path).people == 3
    assert "Warning: 3 people are too few to show anything useful about have-you-been." in done.stderr


@pytest.mark.parametrize("place", ["nowhere/new.toml", "file/new.toml", "there.toml", "dangling.toml"])
def test_where_no_file_can_be_made_nothing_is_asked(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "there.toml").write_text("mine")
    (tmp_path / "dangling.toml").symlink_to("nothing")
    done = run(tmp_path / place, typed=[])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"Error: survey file ({tmp_path / place}) must be ")
    assert (tmp_path / "there.toml").read_text() == "mine"


def test_a_few_answers_become_a_survey_with_all_that_they_say(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    number = ["Hours unpaid?", "4", "0", "20", "hours", ""]
    several = ["Which do you use?", "3", "gym", "canteen", "", "1"]
    done = run(path, typed=[*HEAD, *HARASSED, *LUNCH, *number, *several, "", ""])
    assert done.exit_code == 0, done.stderr
    survey = survey_at(path)
    assert (survey.id, survey.title, survey.people, survey.invited) == ("how-we-work", "How we work", 300, True)
    assert (survey.controller, survey.contact) == ("The works council", "council@example.org")
    assert [question.type for question in survey.questions] == ["yes-no", "one-of", "number", "any-of"]
    assert survey.questions[1].options == ("sandwich", "salad", "canteen")
    assert survey.epsilon <= USUAL
    assert re.search("\nmin_reports = [0-9]+ +# no results of fewer reports\n", path.read_text())


def test_the_precision_that_a_choice_shows_is_that_of_the_file(tmp_path: Path) -> None:
    for place, total in enumerate(TOTALS, 1):
        path = tmp_path / f"{place}.toml"
        done = run(path, typed=[*HEAD, *HARASSED, "", str(place)])
        assert done.exit_code == 0
        assert survey_at(path).epsilon == total
    row = next(line for line in done.stderr.splitlines() if line.startswith("6  "))
    checked = json.loads(CliRunner().invoke(main, ["check", str(path), "--json"]).stdout)
    assert f"+- {say_points(checked['questions'][0]['half_width'])}" in row
    assert checked["target"] == checked["about"] == "respondents"


def test_what_so_many_people_cannot_show_is_left_out_if_its_author_agrees(tmp_path: Path) -> None:
    wish, head = ["What should change?", "5", "n"], [*HEAD[:3], "120", "y", "y"]
    for answer, ids in (("y", ["have-you-been"]), ("n", ["have-you-been", "what-should-change"])):
        path = tmp_path / f"{answer}.toml"
        done = run(path, typed=[*head, *HARASSED, *wish, "", answer, ""])
        assert done.exit_code == 0, done.stderr
        assert [question.id for question in survey_at(path).questions] == ids
        of_what = r"what-should-change: too imprecise to use \(.*\), with 120 people and epsilon 2 a report\. "
        assert re.search(rf"{of_what}Leave it out\?", done.stderr)
        assert re.search(r"\n +a suspicion of 10 % becomes at most +the least precise question", done.stderr)


def test_what_cannot_be_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    head = ["x" * 2001, *HEAD[:3], "1", "many", "300", "y", "y"]
    alone = ["Which?", "2", "one", "", "2", "same", "same", "", "2", "a", "b", "", "n"]
    done = run(path, typed=[*head, "", *alone, "", ""])
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count("That does not work: ") == 3
    (question,) = survey_at(path).questions
    assert question.options == ("a", "b")


def test_an_answer_that_is_none_is_told_what_one_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    head = [*HEAD[:3], "abc", "1", "300", "banana", " YES ", ""]
    done = run(path, typed=[*head, *HARASSED, "", "9", ""])
    assert done.exit_code == 0, done.stderr
    said = [line.partition("Error: ")[2] for line in done.stderr.splitlines() if "Error: " in line]
    of_people = "a whole number is needed, from 2 to 1000000000."
    assert said == [of_people, of_people, "y or n is needed.", f"a whole number is needed, from 1 to {len(TOTALS)}."]
    assert (survey_at(path).people, survey_at(path).invited) == (300, True)


def test_questions_that_begin_alike_have_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    done = run(
        path, typed=[*HEAD, *HARASSED, "Have you been ill?", "1", "n", "年龄?", "1", "n", "!!", "1", "n", "", ""]
    )
    assert done.exit_code == 0, done.stderr
    assert [question.id for question in survey_at(path).questions] == [
        "have-you-been",
        "have-you-been-2",
        "u5e74-u9f84",
        "q4",
    ]


def test_nothing_is_written_over_and_nothing_is_asked_before(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    path.write_text("precious")
    for arguments in ((), ("--from", "staff")):
        done = run(path, *arguments, typed=[])
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr == f"Error: survey file ({path}) must be a new file.\n"
    assert path.read_text() == "precious"


def test_who_stops_answering_has_no_file(tmp_path: Path) -> None:
    assert run(tmp_path / "new.toml", typed=HEAD).exit_code == 1
    assert not (tmp_path / "new.toml").exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = run(tmp_path / "none" / "new.toml", "--from", "page")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.endswith("must be in a folder that is there, and can be written to.\n")


@pytest.mark.parametrize(
    "arguments",
    [("--from", "nothing"), ("--people", "1"), ("--lang", "English"), ("--from", "staff", "--lang", "de")],
)
def test_what_makes_no_sense_is_exit_code_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert run(tmp_path / "new.toml", *arguments).exit_code == 2
    assert not (tmp_path / "new.toml").exists()


def test_a_survey_of_several_waves_is_written_as_asked_for(tmp_path: Path) -> None:
    path, usual = tmp_path / "monthly.toml", tmp_path / "once.toml"
    done = run(path, "--from", "exam", "--people", 5000, "--waves", 12, "--asked-in", 1)
    assert done.exit_code == 0, done.stderr
    survey = survey_at(path)
    assert (survey.waves, survey.asked_in) == (12, 1)
    assert "asked_in = 1            # each device is asked in this many of the waves" in path.read_text()
    run(usual, "--from", "exam", "--people", 5000 // 12)
    assert survey.min_reports == survey_at(usual).min_reports
    assert survey.epsilon == survey_at(usual).epsilon
    run(tmp_path / "kept.toml", "--from", "exam", "--people", 5000, "--waves", 12)
    assert (survey_at(tmp_path / "kept.toml").waves, survey_at(tmp_path / "kept.toml").asked_in) == (12, 0)


@pytest.mark.parametrize("arguments", [("--asked-in", 1), ("--waves", 3, "--asked-in", 3), ("--waves", 1)])
def test_waves_that_make_no_sense_are_exit_code_2(tmp_path: Path, arguments: tuple[object, ...]) -> None:
    assert run(tmp_path / "new.toml", "--from", "exam", *arguments).exit_code == 2
    assert not (tmp_path / "new.toml").exists()


def test_a_class_gets_little_epsilon_and_results_about_itself(tmp_path: Path) -> None:
    path = tmp_path / "class.toml"
    done = run(path, "--from", "exam", "--people", 40)
    assert done.exit_code == 0, done.stderr
    survey = survey_at(path)
    assert (survey.epsilon, survey.about, survey.n_drawn) == (2, "respondents", 1)
    assert "protected little" not in done.stderr
    assert "about these respondents" in " ".join(done.stdout.split())
    plain = tmp_path / "plain.toml"
    done = run(plain, "--from", "exam", "--people", 40, "--no-skip")
    assert "copied    rough: +- 25 points" in done.stdout
    assert [of.type for of in survey_at(plain).questions] == ["yes-no", "yes-no"]


def test_more_than_two_is_taken_only_where_it_is_asked_for_and_said_to_protect_little(tmp_path: Path) -> None:
    few = run(tmp_path / "few.toml", "--from", "exam", "--people", 30)
    assert (few.exit_code, (tmp_path / "few.toml").exists()) == (1, False)
    assert "You can ask more people, let nobody skip questions (--no-skip), or " in few.stderr
    assert "let a report tell more (--epsilon, above 2)." in few.stderr
    alone = run(tmp_path / "few.toml", "--from", "exam", "--people", 30, "--about", "population")
    assert "ask about these people alone (--about respondents)" in alone.stderr
    more = run(tmp_path / "more.toml", "--from", "exam", "--people", 30, "--epsilon", 3)
    assert more.exit_code == 0, more.stderr
    assert survey_at(tmp_path / "more.toml").epsilon == 3
    assert (
        "Warning: Each answer is protected little: someone who was 10 % sure can become more than 50 % sure."
        in more.stderr
    )
    typed = run(tmp_path / "typed.toml", typed=[*HEAD, *HARASSED, "", "6"])
    assert "Respondents read this before they answer. With epsilon 2.1972 in all," in typed.stderr


@pytest.mark.parametrize(
    ("invited", "answer", "about"),
    [("y", "", "respondents"), ("y", "n", "population"), ("n", "", "population"), ("n", "y", "respondents")],
)
def test_it_is_asked_whom_the_results_are_about(tmp_path: Path, invited: str, answer: str, about: str) -> None:
    path = tmp_path / "new.toml"
    done = run(path, typed=[*HEAD[:4], invited, answer, *HARASSED, "", ""])
    assert done.exit_code == 0, done.stderr
    assert f'about = "{about}"' in path.read_text()
    assert survey_at(path).about == about
    told = run(tmp_path / "told.toml", "--about", about, typed=[*HEAD[:4], invited, *HARASSED, "", ""])
    assert (told.exit_code, survey_at(tmp_path / "told.toml").about) == (0, about)
    asked = "Are these all the people whom the results are about?"
    assert (asked in done.stderr, asked in told.stderr) == (True, False)


def test_questions_can_be_left_out_where_their_author_agrees(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    number = ["Hours unpaid?", "4", "0", "20", "hours"]
    skipped = [*number, "many", "21", "0", *number, ""]
    done = run(path, typed=[*HEAD, *HARASSED[:2], "", *LUNCH[:-1], "y", *skipped, "", ""])
    assert done.exit_code == 0, done.stderr
    refusal = "I'd rather not say"
    harassed, lunch, hours, again = survey_at(path).questions
    assert (harassed.type, harassed.options, harassed.skip) == ("one-of", ("Yes", "No", refusal), refusal)
    assert (lunch.options[-1], lunch.skip, hours.skip, again.skip) == (refusal, refusal, 0, None)
    assert done.stderr.count("Error: a whole number is needed, from 0 to 20.") == 2
    assert path.read_text().count("# If people leave it out, `skip` counts. That moves the mean.") == 1
    none = run(tmp_path / "b", "--no-skip", typed=[*HEAD, *HARASSED[:2], *number, "", ""]).stderr
    assert "leave it out" not in none
    assert [question.skip for question in survey_at(tmp_path / "b").questions] == [None, None]
    assert run(tmp_path / "c", "--skip", typed=[*HEAD, *HARASSED[:2], *number, "", "", ""]).exit_code == 0
    assert [question.skip for question in survey_at(tmp_path / "c").questions] == [refusal, 0]


@pytest.mark.parametrize(("lang", "skip"), [("en", "(no answer)"), ("de", "(keine Antwort)")])
def test_a_text_that_is_left_out_counts_as_no_answer(tmp_path: Path, lang: str, skip: str) -> None:
    path = tmp_path / "new.toml"
    done = run(path, "--lang", lang, "--people", 50_000, typed=[*HEAD[:3], "y", "y", "What?", "5", "", "", "", ""])
    assert done.exit_code == 0, done.stderr
    (what,) = survey_at(path).questions
    assert (what.type, what.skip) == ("text", skip)


def test_a_template_s_numbers_must_be_answered_where_nothing_may_be_left_out(tmp_path: Path) -> None:
    assert run(tmp_path / "new.toml", "--from", "staff", "--people", 1000, "--no-skip").exit_code == 0
    assert "skip" not in (tmp_path / "new.toml").read_text()


@pytest.mark.parametrize("written", ["I'd rather not say", "I’d rather not say", "I'd Rather Not Say."])
def test_an_option_by_which_people_leave_it_out_is_not_added_again(tmp_path: Path, written: str) -> None:
    """Else all that was typed would be lost: two options may not be the same."""
    path = tmp_path / "new.toml"
    done = run(path, typed=[*HEAD, *LUNCH[:-2], written, "", "y", "", ""])
    assert done.exit_code == 0, done.stderr
    (lunch,) = survey_at(path).questions
    assert (lunch.options, lunch.skip) == (("sandwich", "salad", "canteen", written), written)


def test_a_survey_is_in_the_language_that_it_is_written_in(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    assert (
        run(
            path, "--lang", "de", "--people", 300, typed=["Arbeit", "", "", "y", "", "Bezahlt?", "1", "y", "", ""]
        ).exit_code
        == 0
    )
    assert survey_at(path).lang == "de"
    assert survey_at(path).questions[0].options == ("Ja", "Nein", "Das möchte ich nicht sagen")
    assert '# controller = ".."' in path.read_text()


@pytest.mark.parametrize(
    "people", [pytest.param(50, marks=pytest.mark.thorough), 300, pytest.param(5000, marks=pytest.mark.thorough)]
)
def test_a_proposal_is_the_least_that_is_of_use_or_the_best_that_is_usual(people: int) -> None:
    designs = designs_of(read_template("staff"), people)
    assert [one.total for one in designs] == list(TOTALS)
    chosen = proposed(designs)
    assert chosen.total <= USUAL
    of_use = [one for one in designs if one.total <= USUAL and one.is_usable]
    assert chosen == (of_use[0] if of_use else next(one for one in designs if one.total == USUAL))
    for one in designs:
        crowd = judge_definition(one.definition, people)
        assert crowd.survey.epsilon <= one.total < crowd.survey.epsilon + Decimal("0.05")
        assert one.widest == pytest.approx(max(outlook.part_unknown for outlook in crowd.outlooks))
        assert one.is_usable is (one.widest <= ROUGH)


def test_without_the_estimator_there_is_a_file_and_a_line_that_says_what_is_missing(tmp_path: Path) -> None:
    script = "import sys; sys.modules['scipy'] = None; from sotto_client.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", script, "new", str(tmp_path / "new.toml"), "--from", "staff"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "pip install 'sottovoce[estimator]'" in done.stdout
    assert 0 < survey_at(tmp_path / "new.toml").epsilon <= USUAL
