"""Plain words before answering: the numbers are bounds, and the words say what the mechanism does."""

import math
import re
from dataclasses import FrozenInstanceError, asdict, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from devices import INVITED, INVITED_PULSE, LUNCH, PULSE, yes_no
from sotto_client import Explanation, explain
from sotto_protocol import Survey, compile_survey, compile_toml
from sotto_protocol.explain import suspicions
from sotto_protocol.words import (
    people_above,
    percent_above,
    percent_below,
    times_above,
    times_below,
    whole_percent_above,
)


def survey_of(*lines: str) -> Survey:
    question = "\n".join(["[[questions]]", 'id = "q"', 'text = "So?"', *lines])
    return compile_toml(f'id = "s"\ntitle = "T"\n{question}')


def test_at_ln_3_a_suspicion_of_a_half_becomes_75_percent_at_most() -> None:
    [question] = explain(survey_of('type = "yes-no"', 'prob_truth = "3/4"')).questions
    half = question.suspicions[2]
    assert half.prior == 0.5
    assert 0.75 <= half.highest < 0.75 + 1e-9
    assert 0.25 - 1e-9 < half.lowest <= 0.25
    assert "Someone who was 50 % sure can become at most 75 % sure." in str(question)


def test_at_epsilon_5_a_suspicion_of_a_tenth_becomes_94_percent() -> None:
    [question] = explain(yes_no("s", "5")).questions
    assert math.floor(question.suspicions[1].highest * 100) == 94
    assert "Someone who was 10 % sure can become at most 95 % sure." in str(question)


@given(st.decimals("0.001", "20", places=12))
def test_the_bounds_are_bayes_theorem_rounded_outward(epsilon: Decimal) -> None:
    odds = math.exp(epsilon)
    for suspicion in suspicions(epsilon):
        prior = suspicion.prior
        highest = prior * odds / (prior * odds + 1 - prior)
        lowest = prior / (prior + (1 - prior) * odds)
        assert highest - 1e-14 <= suspicion.highest < highest + 1e-11
        assert lowest - 1e-11 < suspicion.lowest <= lowest + 1e-14
        assert 0 <= suspicion.lowest < prior < suspicion.highest <= 1


@pytest.mark.parametrize(
    "lines",
    [
        ['type = "yes-no"', "epsilon = 1"],
        ['type = "yes-no"', 'mechanism = "forced-response"', 'prob_truth = "1/2"', 'prob_forced_yes = "1/6"'],
        ['type = "yes-no"', 'mechanism = "forced-response"', 'prob_truth = "1/2"', 'prob_forced_yes = "5/6"'],
    ],
)
def test_no_report_of_a_yes_no_question_moves_a_suspicion_further(lines: list[str]) -> None:
    survey = survey_of(*lines)
    mechanism = survey.questions[0].mechanism
    true, other = Fraction(mechanism.prob_support_if_true), Fraction(mechanism.prob_support_if_other)
    for suspicion in explain(survey).questions[0].suspicions:
        prior = Fraction(str(suspicion.prior))
        for if_yes, if_no in ((true, other), (1 - true, 1 - other)):
            of_yes = prior * if_yes / (prior * if_yes + (1 - prior) * if_no)
            of_no = prior * if_no / (prior * if_no + (1 - prior) * if_yes)
            assert all(suspicion.lowest <= posterior <= suspicion.highest for posterior in (of_yes, of_no))


ONE_STAGE = ['prob_noise = "1/2"']
TWO_STAGES = [*ONE_STAGE, 'prob_if_one = "4/5"', 'prob_if_zero = "1/5"']


def _number(minimum: object, maximum: object, step: object = 1) -> list[str]:
    return ['type = "number"', f"minimum = {minimum}", f"maximum = {maximum}", f"step = {step}"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            ['type = "yes-no"', 'prob_truth = "3/4"'],
            "If you say yes, your device sends yes 3 times in 4. If you say no, it sends yes 1 time in 4.",
        ),
        (
            ['type = "yes-no"', 'mechanism = "forced-response"', 'prob_truth = "1/2"', 'prob_forced_yes = "1/6"'],
            "If you say yes, your device sends yes 7 times in 12. If you say no, it sends yes 1 time in 12. Suppose "
            "someone thinks you are as likely to say yes as no. If they see a yes, they can be 88 % sure that you "
            "said yes. If they see a no, they can be 32 % sure of it.",
        ),
        (
            ['type = "one-of"', 'mechanism = "k-ary"', 'options = ["a", "b", "c"]', "epsilon = 1"],
            "Your device sends the option you choose at most 58 times in 100. Otherwise it sends one of the other 2, "
            "each equally likely.",
        ),
        (
            ['type = "one-of"', 'mechanism = "k-ary"', 'options = ["a", "b"]', "epsilon = 1"],
            "Your device sends the option you choose at most 74 times in 100. Otherwise it sends the other one.",
        ),
        (
            ['type = "one-of"', 'mechanism = "oue"', 'options = ["a", "b", "c"]', "epsilon = 1"],
            "Your device sends yes or no for each of the 3 options. For the option you choose, it sends yes 1 time in "
            "2. For each other option, it sends yes at least 26 times in 100.",
        ),
        (
            ['type = "one-of"', 'mechanism = "sue"', 'options = ["a", "b", "c"]', "epsilon = 2"],
            "Your device sends yes or no for each of the 3 options. For the option you choose, it sends yes at most 74 "
            "times in 100. For each other option, it sends yes at least 26 times in 100.",
        ),
        (
            ['type = "any-of"', 'mechanism = "bit-flips"', 'options = ["a", "b", "c"]', "epsilon = 3"],
            "Your device sends yes or no for each of the 3 options. For an option you choose, it sends yes at most 74 "
            "times in 100. For an option you do not choose, it sends yes at least 26 times in 100.",
        ),
        (
            ['type = "yes-no"', 'mechanism = "basic-rappor"', *ONE_STAGE],
            "First, your device makes a lasting answer at random, only once. If you say yes, the lasting answer is yes "
            "3 times in 4. If you say no, it is yes 1 time in 4. Your device sends just that.",
        ),
        (
            ['type = "yes-no"', 'mechanism = "basic-rappor"', *TWO_STAGES],
            "First, your device makes a lasting answer at random, only once. If you say yes, the lasting answer is yes "
            "3 times in 4. If you say no, it is yes 1 time in 4. Then it may change that at random again, in every "
            "report. It sends yes for a lasting yes 4 times in 5. It sends yes for a lasting no 1 time in 5. Both "
            "steps together: if you say yes, your device sends yes 13 times in 20. If you say no, it sends yes 7 times "
            "in 20.",
        ),
        (
            ['type = "one-of"', 'mechanism = "basic-rappor"', 'options = ["a", "b", "c"]', *TWO_STAGES],
            "Your device sends yes or no for each of the 3 options. First, it makes a lasting yes or no for each at "
            "random, only once. For the option you choose, that is yes 3 times in 4. For each other option, it is yes "
            "1 time in 4. Then it may change that at random again, in every report. It sends yes for a lasting yes 4 "
            "times in 5. It sends yes for a lasting no 1 time in 5. Both steps together: for the option you choose, "
            "your device sends yes 13 times in 20. For each other option, it sends yes 7 times in 20.",
        ),
        (
            ['type = "any-of"', 'mechanism = "basic-rappor"', 'options = ["a", "b", "c"]', *ONE_STAGE],
            "Your device sends yes or no for each of the 3 options. First, it makes a lasting yes or no for each at "
            "random, only once. For an option you choose, that is yes 3 times in 4. For an option you do not choose, "
            "it is yes 1 time in 4. Your device sends just that.",
        ),
        (
            ['type = "text"', 'mechanism = "rappor"', "n_hashes = 2", *TWO_STAGES],
            "Your device turns your text into 128 marks, each yes or no. At most 2 can be yes. Other texts share "
            "them. Your device belongs to one of 64 groups, picked once at random. In each group, a text has different "
            "marks. Your device sends the group's number too. First, your device makes a lasting yes or no for each "
            "mark at random, only once. For a mark that is yes, that is yes 3 times in 4. For a mark that is no, it is "
            "yes 1 time in 4. Then it may change that at random again, in every report. It sends yes for a lasting yes "
            "4 times in 5. It sends yes for a lasting no 1 time in 5. Both steps together: for a mark that is yes, "
            "your device sends yes 13 times in 20. For a mark that is no, it sends yes 7 times in 20.",
        ),
        (
            [
                *('type = "text"', 'mechanism = "rappor"', "n_bits = 32", "n_hashes = 1", "n_cohorts = 1"),
                *("unknown = true", *ONE_STAGE),
            ],
            "Your device turns your text into 32 marks, each yes or no. At most 1 can be yes. Other texts share "
            "them. Your device does the same with two pieces of your text, of up to 2 characters each. It picks two of "
            "4 positions for them at random, once. It sends which two. First, your device makes a lasting yes or no "
            "for each mark at random, only once. For a mark that is yes, that is yes 3 times in 4. For a mark that is "
            "no, it is yes 1 time in 4. Your device sends just that.",
        ),
        (
            [*_number(0, 30), "epsilon = 2"],
            "Your device rounds your number at random to one of 21 evenly spaced numbers from 0 to 30. There are 45 "
            "codes. Each is for up to 17 of these numbers, next to each other. Your device sends a code for the "
            "rounded number at most 83 times in 100. Otherwise it sends one of the other codes.",
        ),
        (
            [*_number(0, 30), "epsilon = 2", 'mechanism = "window"'],
            "Your device rounds your number at random to 0, 15 or 30. It sends the rounded number at most 79 times in "
            "100. Otherwise it sends one of the other 2, each equally likely.",
        ),
        (
            [*_number(-1, "0.5", step="0.5"), "epsilon = 3", "levels = 4"],
            "Your device rounds your number at random to -1, -0.5, 0 or 0.5. It sends the rounded number at most 88 "
            "times in 100. Otherwise it sends one of the other 3, each equally likely.",
        ),
        (
            [*_number(1000, 2000), "epsilon = 3", "levels = 4"],
            "Your device rounds your number at random to one of 4 evenly spaced numbers from 1,000 to 2,000. It sends "
            "the rounded number at most 88 times in 100. Otherwise it sends one of the other 3, each equally likely.",
        ),
        (
            [*_number(0, 5), "epsilon = 1", "levels = 2"],
            "Your device rounds your number at random to 0 or 5. The higher your number, the more often your device "
            "picks 5. It sends the rounded number at most 74 times in 100. Otherwise it sends the other one.",
        ),
        (
            [*_number(0, 100), "epsilon = 1", "levels = 11"],
            "Your device rounds your number at random to one of 11 evenly spaced numbers from 0 to 100. There are 18 "
            "codes. Each is for up to 8 of these numbers, next to each other. Your device sends a code "
            "for the rounded number at most 69 times in 100. Otherwise it sends one of the other codes, each equally "
            "likely.",
        ),
    ],
)
def test_the_words_say_what_happens_to_an_answer(lines: list[str], words: str) -> None:
    assert explain(survey_of(*lines)).questions[0].what_happens == words


@pytest.mark.parametrize(
    ("changes", "found_out", "sent", "later"),
    [
        (
            {},
            "Someone who was 10 % sure can become at most 24 % sure (rounded up).",
            "these changes, and a random number.",
            "erased",
        ),
        (
            {"waves": 2},
            "can become at most 24 % sure (rounded up), if your answers stay the same.",
            "a random number.",
            "erased",
        ),
        ({"invited": True}, "24 % sure (rounded up).", "these changes, a random number and your invitation.", "erased"),
        ({"keep": "counts"}, "24 % sure (rounded up).", "a random number.", "nobody can take it out again"),
    ],
    ids=["one wave", "waves", "invited", "counts"],
)
def test_four_short_answers_come_first(changes: dict[str, Any], found_out: str, sent: str, later: str) -> None:
    explanation = explain(replace(yes_no("s", "1"), **changes))
    happens, learnt, device, afterwards = explanation.in_short()
    assert happens[1] == "Your device changes your answers at random before it sends anything."
    limit = " This is true as long as your device runs the published program."
    assert learnt[1].removesuffix(limit).endswith(found_out)
    assert learnt[1].endswith(limit)
    assert (sent in device[1], later in afterwards[1]) == (True, True)
    text = " ".join(str(explanation).split())
    places = [text.index(f"{asked} {told}") for asked, told in explanation.in_short()]
    assert sorted(places) == places
    assert places[-1] < text.index("q: ") < text.index("How sure somebody can become")


def test_a_whole_survey_is_bounded_by_its_total_epsilon() -> None:
    explanation = explain(LUNCH)
    assert explanation.epsilon == LUNCH.epsilon == sum(question.epsilon for question in explanation.questions)
    assert explanation.suspicions == suspicions(LUNCH.epsilon)
    text = str(explanation)
    assert text.startswith(
        "Lunch\n\nYour answers together are protected little. Someone who was 10 % sure of them can become"
    )
    assert "\n\npaid: Did you pay?\n" in text
    assert "How sure somebody can become from all answers together (epsilon 3.0987):" in text
    assert max(map(len, text.splitlines())) <= 110


def test_an_answer_with_two_stages_has_bounds_for_one_report_and_for_all() -> None:
    [word, _, well] = explain(PULSE).questions
    assert (word.epsilon, word.epsilon_forever) == (1, Decimal("2.5"))
    assert (word.suspicions, word.suspicions_forever) == (suspicions(Decimal(1)), suspicions(Decimal("2.5")))
    assert "  How sure somebody can become from one report (epsilon 1):\n" in str(word)
    assert "  How sure somebody can become from all reports of one answer (epsilon 2.5):\n" in str(word)
    assert str(well).count(" sure can become at most ") == 6
    [once] = explain(yes_no("s", "1")).questions
    assert (once.epsilon_forever, once.suspicions_forever) == (1, once.suspicions)
    assert "from one report" not in str(once)


def test_all_waves_together_are_bounded_by_what_they_take_for_ever() -> None:
    explanation = explain(PULSE)
    assert (explanation.waves, explanation.epsilon, explanation.epsilon_forever) == (
        3,
        Decimal("2.25"),
        Decimal("4.850682034774"),
    )
    assert explanation.suspicions == suspicions(Decimal("2.25"))
    assert explanation.suspicions_forever == suspicions(explanation.epsilon_forever)
    text = str(explanation)
    assert "How sure somebody can become from all answers of one wave (epsilon 2.25):" in text
    assert "from all 3 waves, if your answers stay the same (epsilon 4.8507):\n" in text
    assert max(map(len, text.splitlines())) <= 110
    of_one = explain(LUNCH)
    assert (of_one.waves, of_one.epsilon_forever) == (1, LUNCH.epsilon)
    assert "wave" not in str(of_one)


@pytest.mark.parametrize("survey", [PULSE, INVITED_PULSE, replace(LUNCH, waves=2)])
def test_of_several_waves_it_says_that_no_epsilon_hides_whether_and_when_an_answer_changed(survey: Survey) -> None:
    explanation = explain(survey)
    text = " ".join(str(explanation).split())
    assert explanation.changes in text
    assert "No epsilon hides whether you changed an answer, or in which wave." in text
    assert "a changed answer uses up its epsilon once more" in text
    assert "as much again" not in text
    assert asdict(explanation)["changes"] == explanation.changes
    assert explain(LUNCH).changes == ""


def test_who_may_answer_and_the_smallest_tally_are_said_as_promises_of_the_collector() -> None:
    open_to_all, invited = explain(LUNCH), explain(replace(INVITED_PULSE, min_reports=1500))
    assert (open_to_all.invited, open_to_all.min_reports) == (False, 1)
    assert (invited.invited, invited.min_reports) == (True, 1500)
    assert not any(word in str(open_to_all) for word in ("invit", "promise", "fewer"))
    text = " ".join(str(invited).split())
    assert (
        "Your device sends your invitation beside the report, the same one in every wave. The collector promises to"
        in text
    )
    assert "Nobody can check that from outside" in text
    assert "even if the people who store the reports are dishonest. The people who serve the page or the app" in text
    assert "The collector promises to give out no counts of fewer than 1,500 reports. New counts that it" in text
    assert "your invitation beside the report. The collector promises to keep" in " ".join(
        str(explain(INVITED)).split()
    )
    assert max(map(len, str(invited).splitlines())) <= 110


@pytest.mark.parametrize(
    "changes",
    [
        {"invited": True},
        {"invited": True, "strata": ("north", "south")},
        {"keep": "counts"},
        {"closes": "2027-01-31", "erase_after": 30},
    ],
    ids=lambda changes: list(changes)[-1],
)
def test_noise_that_hides_little_is_not_said_to_protect(changes: dict[str, Any]) -> None:
    comfort = "Even so, the noise protects your answers"
    for epsilon, is_little in (("2", False), ("7", True)):
        explanation = explain(replace(yes_no("s", epsilon), **changes))
        promises = explanation.promises()
        assert bool(explanation.protected_little) is is_little
        assert [comfort in promise for promise in promises] == [not is_little] * len(promises)


def test_that_counts_alone_are_kept_is_said_in_plain_words_as_a_promise_of_the_collector() -> None:
    said = "The collector adds your report to its counts and does not keep it. So nobody can take it out again."
    explanation = explain(replace(LUNCH, keep="counts"))
    (promise,) = explanation.promises()
    assert promise.startswith(said)
    assert "Nobody can check it from outside" in promise
    assert said in " ".join(str(explanation).split())
    assert (asdict(explanation)["keep"], explain(LUNCH).keep) == ("counts", "reports")
    assert "its counts" not in str(explain(LUNCH))


def test_an_explanation_is_a_frozen_value_of_numbers() -> None:
    explanation = explain(LUNCH)
    assert explanation == explain(Survey.from_canonical(LUNCH.canonical))
    assert isinstance(explanation, Explanation)
    with pytest.raises(FrozenInstanceError):
        explanation.epsilon = Decimal(0)  # type: ignore[misc]  # on purpose
    assert asdict(explanation)["questions"][0]["suspicions"][2]["prior"] == 0.5


@pytest.mark.parametrize(
    ("prob", "below", "above"),
    [
        (0.5, "1 time in 2", "1 time in 2"),
        (1 / 3, "1 time in 3", "1 time in 3"),
        (19 / 20, "19 times in 20", "19 times in 20"),
        (0.12345, "at least 12 times in 100", "at most 13 times in 100"),
        (0.73106, "at least 73 times in 100", "at most 74 times in 100"),
        (0.0123, "at least 12 times in 1,000", "at most 13 times in 1,000"),
        (0.98765, "at least 98 times in 100", "at most 988 times in 1,000"),
        (1e-8, "hardly ever", "at most 1 time in 1,000,000"),
        (1 - 1e-8, "at least 99 times in 100", "nearly always"),
    ],
)
def test_a_probability_is_said_as_a_frequency_that_is_rounded_to_one_side(prob: float, below: str, above: str) -> None:
    assert (times_below(prob), times_above(prob)) == (below, above)


@given(st.floats(0, 1))
def test_what_is_said_at_least_and_at_most_of_a_probability_is_true(prob: float) -> None:
    for words, sign in ((times_below(prob), 1), (times_above(prob), -1)):
        found = re.search(r"([\d,]+) times? in ([\d,]+)", words)
        if found:
            n, of = (int(number.replace(",", "")) for number in found.groups())
            slack = 1e-8 if "at " not in words else 0
            assert sign * (prob - n / of) >= -slack - 1e-15
            assert abs(prob - n / of) <= 0.01
        else:
            assert (words, min(prob, 1 - prob) < 1e-6) in [("hardly ever", True), ("nearly always", True)]


@given(st.floats(0.0001, 0.9999))
def test_percents_are_rounded_outward(share: float) -> None:
    above, below = (float(words.removesuffix(" %")) / 100 for words in (percent_above(share), percent_below(share)))
    assert below - 2e-9 <= share <= above + 2e-9
    assert above - below <= 0.001 + 2e-9


@given(st.floats(0.0001, 1))
def test_whole_percents_and_people_are_rounded_up(share: float) -> None:
    percent = float(whole_percent_above(share).removesuffix(" %")) / 100
    n, n_people = people_above(share)
    for above in (percent, n / n_people):
        assert share - 2e-9 <= above < share + 0.01 + 2e-9
        assert (above == 1) == (share > 1 - 1e-6) or above < 1


def test_a_share_near_the_ends_keeps_its_digits() -> None:
    assert percent_above(0.99996) == "99.996 %"
    assert percent_below(0.00004) == "0.004 %"
    assert percent_above(1.0) == "100 %"
    assert percent_below(0.0) == "0 %"


@pytest.mark.parametrize(
    ("invited", "min_reports", "told"),
    [
        (False, 1, "If someone looks again after every report, they can see each single report"),
        (False, 50, "Someone who can send their own reports may still see another person's"),
        (True, 50, ""),
    ],
)
def test_public_results_are_explained_with_what_they_can_show(invited: bool, min_reports: int, told: str) -> None:
    survey = replace(LUNCH, public_results=True, invited=invited, min_reports=min_reports)
    public = explain(survey).promises()[-1]
    assert public.startswith("Everybody may see the estimates of all answers together")
    assert (told in public) if told else ("as noisy as" not in public)


def test_respondents_are_told_how_seldom_it_shows_that_a_number_moved_a_little() -> None:
    number = {"type": "number", "minimum": 0, "maximum": 40, "step": Decimal("0.5"), "unit": "hours"}
    others: list[dict[str, Any]] = [{"type": "yes-no"}, number, number | {"levels": 9}, number | {"levels": 81}]
    asked = [{"id": "q", "text": "So?", "epsilon": Decimal(1)} | question for question in others]
    surveys = [compile_survey({"id": "s", "title": "S", "questions": [question], "waves": 2}) for question in asked]
    same, *said = [explain(survey).changes for survey in surveys]
    assert "number" not in same
    assert [each.removeprefix(same).strip() for each in said] == [
        "For “So?”, suppose your numbers stay within 4 hours of each other. Then your reports show a change with a "
        "chance of at most 10 %. They show larger changes more often.",
        "For “So?”, suppose your numbers stay within 0.5 hours of each other. Then your reports show a change with a "
        "chance of at most 10 %. They show larger changes more often.",
        "No epsilon limits what people can see of how far a number moved. The farther it moved, the more likely the "
        "change shows.",
    ]
    assert explain(replace(surveys[1], waves=1)).changes == ""
