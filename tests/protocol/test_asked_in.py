"""`asked_in` in a survey: what may be written, what a device then tells in all, and what everybody reads of it."""

import itertools
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest

from sotto_protocol import Coins, Survey, SurveyError, compile_toml, given_bytes
from sotto_protocol.curves import curves
from sotto_protocol.datasheet.sheet import make_datasheet
from sotto_protocol.drawn import draw_waves
from sotto_protocol.explain import explain
from sotto_protocol.language import ENGLISH
from sotto_protocol.protection import say_little
from sotto_protocol.readings import accusations_together
from sotto_protocol.told_apart import of_epsilon, powers_together

YES_NO = '[[questions]]\nid = "low"\ntype = "yes-no"\ntext = "Low?"\n'
ONE_OF = '[[questions]]\nid = "job"\ntype = "one-of"\ntext = "Job?"\noptions = ["a", "b", "c"]\n'
TEXT = '[[questions]]\nid = "why"\ntype = "text"\ntext = "Why?"\n'
ONCE = "epsilon = 1\n"
LASTING = "epsilon = 1\nepsilon_forever = 2\n"
MEMO = f'{YES_NO}mechanism = "basic-rappor"\n{LASTING}'


def survey_of(members: str, *questions: str) -> Survey:
    return compile_toml(f'id = "s"\ntitle = "S"\n{members}\n{"".join(questions)}')


@pytest.mark.parametrize(
    ("members", "questions", "said"),
    [
        ("asked_in = 1", [YES_NO + ONCE], "must be left out: there is one wave."),
        ("waves = 3\nasked_in = 3", [YES_NO + ONCE], r"must be in \[1, 2\]: fewer than there are waves."),
        ("waves = 3\nasked_in = 0", [YES_NO + ONCE], r"must be an integer in \[1, W - 1\], of W waves."),
        ("waves = 3\nasked_in = 1", [MEMO], r"does not go with epsilon_forever at 1: .* \(question low\)"),
        ("waves = 3\nasked_in = 2", [MEMO, ONE_OF + ONCE], "in every question or in none: low and others differ."),
    ],
)
def test_what_is_no_asked_in_is_refused_at_its_place(members: str, questions: list[str], said: str) -> None:
    with pytest.raises(SurveyError, match=said) as caught:
        survey_of(members, *questions)
    assert caught.value.where == "$.asked_in"


def test_a_device_that_is_asked_once_tells_one_report_whatever_it_answers() -> None:
    survey = survey_of("waves = 12\nasked_in = 1", YES_NO + ONCE, ONE_OF + ONCE)
    assert (survey.max_reports, survey.keeps_noise) == (1, False)
    assert survey.epsilon == survey.epsilon_forever == 2
    assert Survey.from_canonical(survey.canonical) == survey
    assert b'"asked_in":1' in survey.canonical


def test_epsilons_of_reports_with_noise_of_their_own_add_up() -> None:
    survey = survey_of("waves = 12\nasked_in = 3", YES_NO + ONCE, ONE_OF + "epsilon = 0.5\n")
    assert (survey.max_reports, survey.keeps_noise) == (3, False)
    assert survey.epsilon_forever == 3 * survey.epsilon == Decimal("4.5")
    drawn = survey_of("waves = 12\nasked_in = 3\ndraw = 1", YES_NO + ONCE, ONE_OF + "epsilon = 0.5\n")
    assert drawn.epsilon_forever == 3 * drawn.epsilon == 3


def test_lasting_noise_is_charged_for_as_many_reports_as_a_device_makes() -> None:
    all_waves, three = (survey_of(f"waves = 12{more}", MEMO) for more in ("", "\nasked_in = 3"))
    assert three.keeps_noise
    assert three.questions == all_waves.questions
    assert three.epsilon_forever == three.questions[0].epsilon_of(3) < all_waves.epsilon_forever
    assert three.epsilon < three.epsilon_forever


def test_mechanisms_are_those_of_one_wave_as_each_report_has_noise_of_its_own() -> None:
    once = survey_of("", ONE_OF + ONCE, TEXT + ONCE)
    asked = survey_of("waves = 4\nasked_in = 2", ONE_OF + ONCE, TEXT + ONCE)
    assert asked.questions == once.questions
    assert asked.questions[1].mechanism.name == "sketch"


def test_text_questions_have_no_more_cohorts_than_the_people_of_a_wave_fill() -> None:
    members = "people = 1200\nmin_reports = 10"
    hundred = survey_of("people = 100\nmin_reports = 10", TEXT + ONCE)
    assert survey_of(f"{members}\nwaves = 12\nasked_in = 1", TEXT + ONCE).questions == hundred.questions
    assert survey_of(members, TEXT + ONCE).questions != hundred.questions


@pytest.mark.parametrize(("n_waves", "n_asked"), [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_every_set_of_waves_is_as_likely(n_waves: int, n_asked: int) -> None:
    """By enumeration of the first byte of each coin: rejected bytes are as rare for each set, so they are left out."""
    found: Counter[tuple[bool, ...]] = Counter()
    values = [round(65536 * Fraction(2 * i + 1, 24)) for i in range(12)]  # twelfths, in their middle: none is rejected
    for coins in itertools.product(values, repeat=n_asked):
        stream = b"".join(value.to_bytes(2, "big") for value in coins)
        found[tuple(draw_waves(n_waves, n_asked, Coins(given_bytes(stream)))[0].tolist())] += 1
    assert len(set(found.values())) == 1
    assert all(sum(waves) == n_asked for waves in found)


def test_respondents_read_that_they_are_asked_in_some_waves_and_no_condition_on_their_answers() -> None:
    said = str(explain(survey_of("waves = 12\nasked_in = 1", YES_NO + ONCE))).replace("\n", " ")
    assert "Your device asks you in only 1 of the 12 waves, picked at random." in said
    assert "Your device makes the report only once." in said
    for wrong in (
        "if your answers stay the same",
        "No epsilon hides whether you changed",
        "in each wave",
        "all 12 waves",
    ):
        assert wrong not in said
    several = str(explain(survey_of("waves = 12\nasked_in = 3", YES_NO + ONCE))).replace("\n", " ")
    assert "from all 3 reports that your device sends (epsilon at most 3):" in several
    assert "makes at most one report in each wave" in several
    assert "if your answers stay the same" not in several
    lasting = str(explain(survey_of("waves = 12\nasked_in = 3", MEMO))).replace("\n", " ")
    assert "No epsilon hides whether you changed" in lasting


def test_bounds_are_of_all_reports_of_a_device() -> None:
    survey = survey_of("waves = 12\nasked_in = 3", YES_NO + ONCE)
    together = accusations_together(survey, in_all_waves=True)
    bound = powers_together([of_epsilon(Decimal(3))], [test.level for test in together]).tolist()
    assert [test.power for test in together] == bound
    assert [curve.epsilon for curve in curves(survey)] == [1, 3]
    once = survey_of("waves = 12\nasked_in = 1", YES_NO + ONCE)
    assert [curve.epsilon for curve in curves(once)] == [1]
    assert accusations_together(once, in_all_waves=True) == accusations_together(once)
    little = survey_of("waves = 12\nasked_in = 3", YES_NO + ONCE)
    assert say_little(little, ENGLISH).startswith("Your reports of all waves together are protected little.")
    assert say_little(once, ENGLISH) == ""


def test_a_datasheet_says_what_can_be_seen_and_what_adds_up() -> None:
    sheet = make_datasheet(survey_of("waves = 12\nasked_in = 3", YES_NO + ONCE))
    said = " ".join(line for section in sheet.sections for line in section.statements)
    assert "A device is asked in 3 of 12 waves, picked at random" in said
    assert "All 3 reports together have epsilon 3." in said
    assert "In which wave a device sends a report can be seen." in said
    assert "some noise stays the same" not in said
    assert "A changed answer" not in said
