"""The three readings of a report: suspicions, accusations and the crowd, beside a channel that is listed."""

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest

import reference
from contract import cases
from devices import PULSE
from sotto_protocol import Question, Survey, compile_survey
from sotto_protocol.bounds import log_ratio_above
from sotto_protocol.explain import QuestionExplanation, explain
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.registry import mechanism_document
from sotto_protocol.readings import LEVELS, PRIORS, suspicions
from sotto_protocol.told_apart import powers
from sotto_protocol.words import of_people, times_above, times_below, whole_percent_above


def question_of(**members: Any) -> Question:
    question = {"id": "q", "text": "So?"} | members
    [compiled] = compile_survey({"id": "s", "title": "S", "questions": [question]}).questions
    return compiled


def explained(**members: Any) -> QuestionExplanation:
    [said] = explain(Survey("s", "S", (question_of(**members),))).questions
    return said


WARNER = explained(type="yes-no", prob_truth="11/20")
FORCED = explained(type="yes-no", mechanism="forced-response", prob_truth="1/2", prob_forced_yes="1/6")
K_ARY = explained(type="one-of", mechanism="k-ary", options=["a", "b", "c"], epsilon=Decimal(1))


def test_of_100_people_who_say_no_45_also_send_yes_by_chance() -> None:
    assert WARNER.crowd.said == "By chance, 45 of every 100 people who say no also send yes."
    assert (WARNER.crowd.prob_if_true, WARNER.crowd.prob_if_other) == pytest.approx((0.55, 0.45), abs=1e-9)


def test_an_accusation_is_said_in_a_sentence_that_is_rounded_up() -> None:
    one = explained(type="yes-no", epsilon=Decimal(1)).accusations[1]
    assert one.say() == (
        "Suppose someone accuses people because of their reports, and wrongs at most 5 of every 100 innocent people. "
        "They would catch at most 14 of every 100 people whose answer really is the one they look for."
    )
    assert 0.135914091 < one.power < 0.135914092


@pytest.mark.parametrize("question", [*cases()])
def test_the_readings_of_every_mechanism_are_said_and_agree(question: Question) -> None:
    mechanism = question.mechanism
    [said] = explain(Survey("s", "S", (question,))).questions
    assert tuple(test.level for test in said.accusations) == LEVELS
    for test, by_epsilon, forever in zip(
        said.accusations, said.accusations_by_epsilon, said.accusations_forever, strict=True
    ):
        [truth] = powers(mechanism.told_apart(), [Fraction(str(test.level))])
        assert test.level < truth <= Fraction(test.power) <= truth + Fraction(1, 2**50)
        assert test.power <= by_epsilon.power <= forever.power
    for position, prior in enumerate(PRIORS):
        bound = said.suspicions[position]
        found = [seen.posteriors[position] for seen in said.seen_reports]
        assert found == sorted(found, reverse=True)
        assert bound.lowest <= found[-1] < prior < found[0] <= bound.highest
    assert sum(seen.prob_if_one for seen in said.seen_reports) == pytest.approx(1)
    assert sum(seen.prob_if_other for seen in said.seen_reports) == pytest.approx(1)
    assert 0 < said.crowd.prob_if_other < said.crowd.prob_if_true < 1
    assert said.crowd.said.startswith("By chance, ")
    assert bool(said.suspicions_of_neighbours) == (question.type == "number")
    assert "{" not in str(said)
    assert "%(" not in str(said)


@pytest.mark.parametrize("more", [{"minimum": 0, "maximum": 9, "step": 1}, {"minimum": 0, "maximum": 1, "step": 1}])
@pytest.mark.parametrize("epsilon", ["0.5", "3"])
def test_the_crowd_of_numbers_is_who_sends_what_the_farthest_number_would_rather_send(
    more: dict[str, int], epsilon: str
) -> None:
    said = explained(type="number", epsilon=Decimal(epsilon), **more)
    published = mechanism_document(question_of(type="number", epsilon=Decimal(epsilon), **more).mechanism)
    least, greatest = (reference.distribution(published, more["maximum"] + 1, at) for at in (0, more["maximum"]))
    speaks = [output for output in least if least[output] > greatest[output]]
    assert said.crowd.prob_if_true == pytest.approx(float(sum(least[output] for output in speaks)))
    assert said.crowd.prob_if_other == pytest.approx(float(sum(greatest[output] for output in speaks)))


def test_the_crowd_of_texts_is_who_sends_what_speaks_for_the_bucket_that_the_words_are_of() -> None:
    said = explained(type="text", mechanism="sketch", epsilon=Decimal(2))
    assert f"fits your text's bucket {times_above(said.crowd.prob_if_true)}. It fits" in said.what_happens
    assert f"It fits each other bucket {times_below(said.crowd.prob_if_other)}." in said.what_happens


@pytest.mark.parametrize(
    ("n_hashes", "unknown", "n_bits", "fewest"), [(1, False, 1, 1), (2, False, 2, 2), (2, True, 6, 4)]
)
def test_the_crowd_of_rappors_texts_is_who_sends_more_of_your_bits_than_not(
    n_hashes: int, unknown: bool, n_bits: int, fewest: int
) -> None:
    """Of bits that are ones with 3/4 where they are yours, else with 1/4: those rows with more ones than zeros."""
    said = explained(type="text", mechanism="rappor", n_hashes=n_hashes, unknown=unknown, prob_noise="1/2")
    rows = [row for row in product([0, 1], repeat=n_bits) if sum(row) >= fewest]
    true, other = (sum(math.prod(p if bit else 1 - p for bit in row) for row in rows) for p in (0.75, 0.25))
    assert (said.crowd.prob_if_true, said.crowd.prob_if_other) == pytest.approx((true, other), abs=1e-8)


def test_the_short_words_have_the_figures_of_the_long_ones() -> None:
    coin = question_of(type="yes-no", epsilon=Decimal(1))
    assert coin.in_short == (
        "Your device may change your answer at random. It sends the opposite at least 26 times in 100."
    )
    assert "If you say no, it sends yes at least 26 times in 100." in coin.mechanism.what_happens()


def test_an_even_coins_posterior_is_said_once_by_the_bounds_and_a_forced_responses_for_either_report() -> None:
    assert "Suppose someone" not in WARNER.what_happens
    assert "If they see a yes, they can be 88 % sure that you said yes." in FORCED.what_happens
    assert "If they see a no, they can be 32 % sure of it." in FORCED.what_happens


@pytest.mark.parametrize("name", ["window", "segments"])
@pytest.mark.parametrize(("maximum", "epsilon"), [(1, "1"), (2, "2"), (9, "0.5"), (9, "3"), (10, "6"), (60, "2")])
def test_two_numbers_one_step_apart_are_told_apart_by_no_more_than_is_said(
    maximum: int, epsilon: str, name: str
) -> None:
    asked = {"type": "number", "minimum": 0, "maximum": maximum, "mechanism": name, "epsilon": Decimal(epsilon)}
    question = question_of(**asked)
    mechanism = question.mechanism
    assert isinstance(mechanism, LevelResponse)
    channel = [
        reference.distribution(mechanism_document(mechanism), maximum + 1, number) for number in range(maximum + 1)
    ]
    ratios = [one[y] / other[y] for a, b in pairwise(channel) for one, other in ((a, b), (b, a)) for y in one]
    told = log_ratio_above(*max(ratios).as_integer_ratio())
    assert told <= mechanism.epsilon_of_neighbours <= mechanism.epsilon
    assert told == mechanism.epsilon_of_neighbours or name == "segments"  # of which no output may have the largest odds
    [said] = explain(Survey("s", "S", (question,))).questions
    assert said.suspicions_of_neighbours == suspicions(mechanism.epsilon_of_neighbours)
    neighbours, farthest = (
        whole_percent_above(of[2].highest) for of in (said.suspicions_of_neighbours, said.suspicions)
    )
    is_said = f"There, someone who was 50 % sure can become at most {neighbours} sure."
    assert (is_said in said.others_and_tests()) == ("even harder to tell" in str(said)) == (neighbours != farthest)


def test_a_forced_response_gives_away_more_by_one_report_than_by_the_other() -> None:
    """Boruch 1971 with 1/2 and 1/6: yes with 7/12 and 1/12, so a suspicion of 1/2 becomes 7/8, or 5/16."""
    yes, no = FORCED.seen_reports
    assert (yes.prob_if_one, yes.prob_if_other) == pytest.approx((7 / 12, 1 / 12), abs=1e-9)
    assert (yes.posteriors[2], no.posteriors[2]) == pytest.approx((7 / 8, 5 / 16), abs=1e-8)


def test_a_third_option_leaves_a_suspicion_as_it_was() -> None:
    yours, third, other = K_ARY.seen_reports
    assert third.posteriors == pytest.approx(PRIORS)
    assert third.prob_if_one == third.prob_if_other
    assert (yours.prob_if_one, other.prob_if_one) == (other.prob_if_other, yours.prob_if_other)


def test_waves_and_questions_together_are_told_apart_better_than_one_and_never_certainly() -> None:
    one, all_waves = explain(PULSE).accusations, explain(PULSE).accusations_forever
    first = explain(PULSE).questions[0].accusations
    assert [test.level for test in one] == [test.level for test in all_waves] == list(LEVELS)
    assert all(a.power < b.power < c.power < 1 for a, b, c in zip(first, one, all_waves, strict=True))
    text = " ".join(str(explain(PULSE)).split())
    assert all(tests[1].say() in text for tests in (first, one, all_waves))


def test_what_hides_hardly_anything_is_explained_too() -> None:
    """Bits that are hardly ever flipped, so many that the probability of all of them is no float."""
    bits = {"n_hashes": 8, "n_bits": 64, "unknown": True, "prob_noise": "0.000000001"}
    said = explained(type="text", mechanism="rappor", **bits)
    assert said.epsilon > 1000
    assert said.crowd.said == (
        "By chance, 0 of every 1,000,000 people with a different answer look as if they had given yours."
    )
    assert all(test.power == 1 for test in said.accusations)
    survey = Survey("s", "S", (question_of(type="text", mechanism="rappor", **bits),))
    assert all(test.power == 1 for test in explain(survey).accusations)


def test_all_answers_together_are_tested_no_better_than_is_said() -> None:
    """All pairs of all that one may answer, all reports of them, by the dual program: at most a thousandth less."""
    questions = [
        question_of(type="yes-no", epsilon=Decimal("0.5")),
        question_of(type="one-of", mechanism="k-ary", options=["a", "b", "c"], epsilon=Decimal(1)),
        question_of(type="any-of", mechanism="bit-flips", options=["a", "b"], epsilon=Decimal(1), max_selected=1),
    ]
    survey = Survey("s", "S", tuple(replace(one, id=f"q{at}") for at, one in enumerate(questions)))
    listed = [(mechanism_document(one.mechanism), one.mechanism.n_values) for one in questions]
    channels = [
        [[*reference.distribution(published, n, answer).values()] for answer in reference.every_answer(published, n)]
        for published, n in listed
    ]
    wholes = [[math.prod(probs) for probs in product(*columns)] for columns in product(*channels)]
    for test in explain(survey).accusations:
        best = max(_dual(one, other, Fraction(str(test.level))) for one, other in permutations(wholes, 2))
        assert best <= test.power <= best + 0.001


def _dual(one: list[Fraction], other: list[Fraction], level: Fraction) -> float:
    """The power of the best test: the least of t a + the sum of max(0, P - t Q), t a ratio (see test_told_apart)."""
    p, q = np.array(one, float), np.array(other, float)
    ratios = np.append(0.0, p / q)
    return float((ratios * float(level) + np.maximum(0, p - ratios[:, None] * q).sum(axis=1)).min())


@pytest.mark.parametrize(
    ("prob", "n", "n_people"),
    [
        *[(0.45, 45, 100), (0.999, 99, 100), (0.1, 10, 100), (0.0999, 99, 1000)],
        *[(0.00002, 20, 10**6), (2**-32, 0, 10**6), (0.0, 0, 10**6)],
    ],
)
def test_people_are_counted_down_with_two_digits(prob: float, n: int, n_people: int) -> None:
    assert of_people(prob) == (n, n_people)
