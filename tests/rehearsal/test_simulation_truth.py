"""What truth.toml says of people: their shares are drawn as they stand, and what cannot be is refused at its place."""

import numpy as np
import pytest

from audits import rejects
from rehearsed import OFFICE, WORD, office
from sotto_protocol import Survey, compile_toml
from sotto_rehearsal.simulation.answers import Floats
from sotto_rehearsal.simulation.errors import TruthError
from sotto_rehearsal.simulation.question_truth import QuestionTruth
from sotto_rehearsal.simulation.truth import assume_truth, read_truth

N = 100_000
ALL_LUNCH = "[questions.lunch]\nshares = {desk = 0.5, canteen = 0.3, out = 0.2}\n"

BAD = {
    "not TOML": ("questions = [", "$: must be TOML"),
    "a list": ("questions = []", "$.questions: must be a table"),
    "an unknown member": ("[question.lunch]", "$: has an unknown member 'question'; is it 'questions'?"),
    "an unknown question": ("[questions.lunhc]", "$.questions: has an unknown member 'lunhc'; is it 'lunch'?"),
    "an unknown option": (
        "[questions.lunch]\nshares = {desk = 0.5, cantine = 0.5}",
        "$.questions.lunch.shares: has an unknown member 'cantine'; is it 'canteen'?",
    ),
    "a sum below 1": ("[questions.lunch]\nshares = {desk = 0.5}", "$.questions.lunch.shares: must add up to 1, not to"),
    "a sum above 1": (
        "[questions.lunch]\nshares = {desk = 0.5, out = 0.500000002}",
        "$.questions.lunch.shares: must add up to 1, not to 1.000000002",
    ),
    "NaN": ("[questions.expensed]\nshare = nan", "$.questions.expensed.share: must be a share in [0, 1]"),
    "infinity": ("[questions.expensed]\nshare = inf", "$.questions.expensed.share: must be a share in [0, 1]"),
    "a negative share": ("[questions.expensed]\nshare = -0.1", "$.questions.expensed.share: must be a share in [0, 1]"),
    "a negative option": (
        "[questions.lunch]\nshares = {desk = 1.1, out = -0.1}",
        "$.questions.lunch.shares.desk: must be a share in [0, 1]",
    ),
    "a truth for a share": ("[questions.expensed]\nshare = true", "$.questions.expensed.share: must be a share"),
    "no share": ("[questions.expensed]", "$.questions.expensed.share: is missing"),
    "shares of yes-no": (
        "[questions.expensed]\nshares = {yes = 1}",
        "$.questions.expensed.shares: does not go with a question of type yes-no: say `share`.",
    ),
    "a mean outside": (
        "[questions.hours]\nmean = 81\ndeviation = 1",
        "$.questions.hours.mean: must be a number in [0, 80]",
    ),
    "no deviation": ("[questions.hours]\nmean = 41", "$.questions.hours.deviation: is missing"),
    "a deviation of 0": (
        "[questions.hours]\nmean = 41\ndeviation = 0",
        "$.questions.hours.deviation: must be a number above 0",
    ),
    "an unknown shape": ("[questions.hours]\nshape = 'pear'", "$.questions.hours.shape: must be one of uniform"),
    "a number outside": (
        "[questions.hours]\nshares = {81 = 1}",
        "$.questions.hours.shares: must be of numbers that may be answered, an integer in [0, 80]",
    ),
    "no number": ("[questions.hours]\nshares = {many = 1}", "$.questions.hours.shares: must be of numbers"),
    "a selection of none of these": (
        "[questions.perks]\nselections = [{of = ['pool'], share = 1}]",
        "$.questions.perks.selections[0].of: must be a list of at most 3",
    ),
    "selections that do not add up": (
        "[questions.perks]\nselections = [{of = [], share = 0.5}]",
        "$.questions.perks.selections: must add up to 1, not to 0.5",
    ),
    "no selections": (
        "[questions.perks]\nselections = []",
        "$.questions.perks.selections: must be a list of selections",
    ),
    "a desired answer that is none": (
        ALL_LUNCH + "desired = 'home'",
        "$.questions.lunch.desired: must be one of these texts",
    ),
    "a fake for no answer": (ALL_LUNCH + "fake = 'home'", "$.questions.lunch.fake: must be one of desk"),
    "someone leaves for no answer": (ALL_LUNCH + "leave = {home = 1}", "$.questions.lunch.leave: has an unknown"),
    "someone leaves for a number": (
        "[questions.hours]\nshape = 'bell'\nleave = {41 = 1}",
        "$.questions.hours.leave: does not go with a number",
    ),
    "another truth that is none": (
        ALL_LUNCH + "then = {shares = {desk = 0.5}}",
        "$.questions.lunch.then.shares: must add up to 1, not to 0.5",
    ),
    "another truth with trouble": (
        "[questions.expensed]\nshare = 0.1\nthen = {share = 0.2, desired = true}",
        "$.questions.expensed.then: has an unknown member 'desired'",
    ),
    "yes by another name": (
        "[questions.expensed]\nshare = 0.5\nleave = {true = 0.3}",
        "$.questions.expensed.leave: must be of yes and no, by these names.",
    ),
    "a share of options": (
        "[questions.lunch]\nshare = 0.5",
        "$.questions.lunch.share: does not go with a question of type one-of: say `shares`.",
    ),
    "an unknown trouble": ("[trouble]\nliers = 0.1", "$.trouble: has an unknown member 'liers'; is it 'liars'?"),
    "too much trouble": ("[trouble]\nliars = 1.1", "$.trouble.liars: must be a share in [0, 1]"),
    "one device": ("[trouble]\ndevices = 1", "$.trouble.devices: must be an integer in [2, 100]"),
    "more fakes than devices": ("[trouble]\nclumsy_fakes = 0.6\nclever_fakes = 0.5", "$.trouble: must have at most"),
}
BAD_STRINGS = {
    "none": ("[questions.word]", "$.questions.word.strings: is missing"),
    "an empty table": ("[questions.word]\nstrings = {}", "$.questions.word.strings: must have at least one string"),
    "more than all": ("[questions.word]\nstrings = {a = 0.6, b = 0.5}", "must add up to at most 1, not to 1.1"),
    "the same twice": ('[questions.word]\nstrings = {a = 0.6, " a" = 0.1}', "must differ from one another"),
    "others later": (
        "[questions.word]\nstrings = {a = 0.6}\nthen = {strings = {b = 0.6}}",
        "$.questions.word.then: must have the same strings",
    ),
    "no answer": ('[questions.word]\nstrings = {"\\u0007" = 0.6}', "must each be a text of 1 to 200 characters"),
}


@pytest.mark.parametrize(("text", "problem"), BAD.values(), ids=BAD.keys())
def test_what_no_people_can_be_is_refused_at_its_place(text: str, problem: str) -> None:
    with pytest.raises(TruthError) as refused:
        read_truth(text, OFFICE)
    assert str(refused.value).startswith(problem)


@pytest.mark.parametrize(("text", "problem"), BAD_STRINGS.values(), ids=BAD_STRINGS.keys())
def test_strings_that_nobody_can_answer_are_refused(text: str, problem: str) -> None:
    with pytest.raises(TruthError) as refused:
        read_truth(text, WORD)
    assert problem in str(refused.value)
    assert "$.questions.word" in str(refused.value)


def test_a_text_question_needs_strings() -> None:
    for make in (lambda: read_truth("", WORD), lambda: assume_truth(WORD)):
        with pytest.raises(TruthError, match=r"\$.questions.word: must say which strings people answer"):
            make()


def test_thirds_add_up_to_one() -> None:
    third = "0.333333333333"
    truth = read_truth(f"[questions.lunch]\nshares = {{desk = {third}, canteen = {third}, out = {third}}}", OFFICE)
    assert truth.questions[1].answers.expected.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)


def test_of_a_question_that_is_left_out_every_answer_is_as_likely() -> None:
    truth = assume_truth(OFFICE)
    shares = [of.answers.expected.tolist() for of in truth.questions]
    assert shares == [[0.5], [0.25] * 4, [0.5] * 3, [1 / 81] * 81]
    assert truth.assumed == ("expensed", "lunch", "perks", "hours")
    assert office().assumed == ()


@pytest.mark.parametrize("is_off", [False, True])
def test_people_have_the_shares_that_are_said(is_off: bool) -> None:
    """False alarm 1e-9; and a share that is off by 0.02 is rejected."""
    truth, people = office(), np.random.default_rng()
    selected = read_truth(
        "[questions.perks]\nselections = [{of = ['gym', 'car'], share = 0.3}, {of = [], share = 0.7}]", OFFICE
    )
    tests = []
    for of in (*truth.questions[:3], selected.questions[2]):
        counts = of.answers.add_up(of.answers.draw(N, people))
        tests += [
            (count, N, share + 0.02 * is_off) for count, share in zip(counts, of.answers.expected.tolist(), strict=True)
        ]
    assert rejects(tests, 1e-9) == is_off


def test_a_selection_is_drawn_whole() -> None:
    text = "[questions.perks]\nselections = [{of = ['gym', 'car'], share = 0.3}, {of = [], share = 0.7}]"
    drawn = read_truth(text, OFFICE).questions[2].answers.draw(1000, np.random.default_rng())
    assert {tuple(row) for row in drawn.tolist()} == {(False, True, True), (False, False, False)}


def limited(most: int) -> Survey:
    return compile_toml(f"""
id = "limited"
title = "Limited"
[[questions]]
id = "perks"
type = "any-of"
text = "Which?"
options = ["a", "b", "c", "d", "e"]
max_selected = {most}
epsilon = 1
""")


@pytest.mark.parametrize("is_off", [False, True])
def test_nobody_selects_more_than_may_be_and_the_shares_stay(is_off: bool) -> None:
    """False alarm 1e-9; and a share that is off by 0.02 is rejected."""
    text = "[questions.perks]\nshares = {a = 0.9, b = 0.5, c = 0.3, d = 0.2, e = 0.1}"
    answers = read_truth(text, limited(2)).questions[0].answers
    drawn = answers.draw(N, np.random.default_rng())
    assert drawn.sum(axis=1).max() == 2
    tests = [(c, N, s + 0.02 * is_off) for c, s in zip(drawn.sum(axis=0), answers.expected.tolist(), strict=True)]
    assert rejects(tests, 1e-9) == is_off


def test_shares_that_would_have_people_select_too_many_are_refused() -> None:
    with pytest.raises(TruthError, match="must add up to at most 1: nobody may select more"):
        read_truth("[questions.perks]\nshares = {a = 0.9, b = 0.2}", limited(1))


def mean_of(of: QuestionTruth, shares: Floats | None = None) -> float:
    """Return the mean of people who answer in these shares; by default of the population."""
    return float(of.figure.truth(of.question, of.answers.expected if shares is None else shares)[0])


def test_numbers_have_the_mean_and_deviation_that_are_said_where_the_range_leaves_room() -> None:
    hours = office().questions[3]
    assert mean_of(hours) == pytest.approx(41, abs=1e-3)
    drawn = hours.answers.draw(N, np.random.default_rng())
    assert abs(mean_of(hours, hours.answers.add_up(drawn) / N) - 41) < 6.1 * 8 / N**0.5  # 1e-9, two-sided


def test_a_bell_that_is_cut_by_the_range_has_the_mean_of_what_is_left() -> None:
    cut = read_truth("[questions.hours]\nmean = 0\ndeviation = 8", OFFICE).questions[3]
    numbers = np.arange(81)
    weights = np.exp(-((numbers / 8) ** 2) / 2)
    assert mean_of(cut) == pytest.approx(float((weights * numbers).sum() / weights.sum()))
    assert mean_of(cut) > 6


def test_listed_numbers_are_drawn_alone() -> None:
    hours = read_truth("[questions.hours]\nshares = {20 = 0.25, 40 = 0.75}", OFFICE).questions[3]
    assert mean_of(hours) == 35
    assert {*hours.answers.draw(1000, np.random.default_rng()).tolist()} == {20, 40}


def test_listed_numbers_may_have_decimals() -> None:
    survey = compile_toml(
        'id = "s"\ntitle = "S"\n[[questions]]\nid = "rest"\ntype = "number"\ntext = "?"\nepsilon = 1\n'
        "minimum = 0\nmaximum = 1\nstep = 0.25"
    )
    assert mean_of(read_truth('[questions.rest]\nshares = {"0.25" = 0.5, "1" = 0.5}', survey).questions[0]) == 0.625
    with pytest.raises(TruthError, match=r"\$.questions.rest.shares: must be of numbers that may be answered"):
        read_truth('[questions.rest]\nshares = {"0.2" = 1}', survey)


@pytest.mark.parametrize(
    "word", ["1", "'x'", "[]", "[1]", "{}", "{a = []}", "1979-05-27", "nan", "true", "1e999999999"]
)
@pytest.mark.parametrize(
    "member", ["share", "shares", "selections", "mean", "shape", "desired", "fake", "leave", "then", "strings"]
)
def test_garbage_is_refused_and_never_crashes(member: str, word: str) -> None:
    for survey, question in (
        (OFFICE, "expensed"),
        (OFFICE, "lunch"),
        (OFFICE, "perks"),
        (OFFICE, "hours"),
        (WORD, "word"),
    ):
        with pytest.raises(TruthError):
            read_truth(f"[questions.{question}]\n{member} = {word}\nunknown = 1", survey)


def test_strings_that_nobody_shares_are_all_different() -> None:
    answers = read_truth("[questions.word]\nstrings = {fine = 0.4}", WORD).questions[0].answers
    drawn = answers.draw(10_000, np.random.default_rng()).tolist()
    assert len({*drawn}) == 1 + sum(answer != "fine" for answer in drawn)
    assert not rejects([(drawn.count("fine"), 10_000, 0.4)], 1e-9)
