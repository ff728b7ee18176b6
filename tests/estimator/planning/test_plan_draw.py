"""`sotto plan --questions`: what each question of a survey gets, if so many of them are drawn on a device."""

import json
from decimal import Decimal

import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.channel.channel import Channel
from sotto_estimator.planning.of_least_noise import of_least_noise
from sotto_estimator.planning.question_sampling import rows_by_number_drawn
from sotto_estimator.planning.table import QuestionShape
from sotto_estimator.planning.widths import half_width, respondents_needed
from sotto_protocol.mechanisms.registry import best_of


def test_rows_are_of_one_two_four_and_all_questions() -> None:
    rows = rows_by_number_drawn(QuestionShape(16), 10, [Decimal(1)], 10_000, None)
    assert [row.mechanism.split(",")[0] for row in rows] == [
        "draw 1 of 10",
        "draw 2 of 10",
        "draw 4 of 10",
        "draw 8 of 10",
        "all 10",
    ]
    assert [row.n_reports for row in rows] == [10_000] * 5
    one = best_of("one-of", 16, Decimal(1))
    channel = Channel(one.prob_support_if_true, one.prob_support_if_other)
    assert rows[0].half_width == half_width(1000, channel)
    part = best_of("one-of", 16, Decimal("0.1"))
    assert [rows[0].of_least_noise, rows[-1].of_least_noise] == [
        of_least_noise(one, Decimal(1)),
        of_least_noise(part, Decimal("0.1")),
    ]
    assert rows[-1].half_width == half_width(10_000, Channel(part.prob_support_if_true, part.prob_support_if_other))


def test_respondents_are_all_of_whom_a_part_answers_each_question() -> None:
    [drawn, all_of_them] = rows_by_number_drawn(QuestionShape(), 2, [Decimal(1)], None, 0.05)
    channel = Channel.warner_of_epsilon(1.0)
    assert drawn.n_reports == pytest.approx(2 * respondents_needed(0.05, channel), abs=2)
    assert drawn.n_reports < all_of_them.n_reports


def test_at_a_large_epsilon_it_is_better_to_draw_more() -> None:
    rows = rows_by_number_drawn(QuestionShape(16), 10, [Decimal(8)], 10_000, None)
    assert min(rows, key=lambda row: row.standard_deviation).mechanism == "draw 2 of 10, k-ary"


def test_the_command_prints_it_and_says_what_n_and_epsilon_are_of() -> None:
    asked = ["plan", "--epsilon", "1", "--questions", "5", "--n", "1000"]
    shown = CliRunner().invoke(main, asked)
    assert shown.exit_code == 0, shown.output
    assert "draw 1 of 5, warner" in shown.output
    assert "Epsilon is that of a whole report, n all respondents: a question has its part of either." in shown.output
    document = json.loads(CliRunner().invoke(main, [*asked, "--json"]).output)
    assert (document["n_questions"], len(document["plan"])) == (5, 4)


@pytest.mark.parametrize("more", [["--text"], ["--epsilon-forever", "2"], ["--questions", "1"], ["--questions", "201"]])
def test_what_does_not_go_with_it_is_a_usage_error(more: list[str]) -> None:
    asked = ["plan", "--epsilon", "1", "--questions", "5", "--n", "1000", *more]
    assert CliRunner().invoke(main, asked).exit_code == 2
