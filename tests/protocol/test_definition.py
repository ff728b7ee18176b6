"""What an author may write, in TOML and in JSON, and what is said, and where, when it is wrong."""

import json
import math
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from published import ANY_OF, ONE_OF, TEXT, TWO_STAGES, YES_NO, definitions, survey_of
from sotto_protocol import Survey, SurveyError, compile_json, compile_survey, compile_toml, read_survey
from sotto_protocol.documents import canonical_json
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.kary import KaryResponse
from sotto_protocol.mechanisms.unary import UnaryEncoding
from sotto_protocol.mechanisms.warner import BinaryResponse
from sotto_protocol.members import MAX_QUESTIONS

TOML = """
id = "health-2026"
title = "Health"

[[questions]]
id = "smokes"
type = "yes-no"
text = "Do you smoke?"
epsilon = 1.5

[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
mechanism = "forced-response"
prob_truth = "2/3"
prob_forced_yes = 0.25

[[questions]]
id = "mood"
type = "one-of"
text = "How are you?"
options = ["well", "so-so", "ill", "no answer"]
epsilon = 2

[[questions]]
id = "drugs"
type = "any-of"
mechanism = "bit-flips"
text = "Which have you taken?"
options = ["a", "b", "c"]
max_selected = 2
epsilon = 1
"""

JSON = """{"id": "health-2026", "title": "Health", "questions": [
  {"id": "smokes", "type": "yes-no", "text": "Do you smoke?", "epsilon": 1.50},
  {"text": "Did you pay?", "type": "yes-no", "id": "paid",
   "mechanism": "forced-response", "prob_truth": "2/3", "prob_forced_yes": "1/4"},
  {"id": "mood", "type": "one-of", "text": "How are you?", "epsilon": 2,
   "options": ["well", "so-so", "ill", "no answer"], "mechanism": "auto"},
  {"id": "drugs", "type": "any-of", "text": "Which have you taken?", "epsilon": 1.0,
   "options": ["a", "b", "c"], "max_selected": 2, "mechanism": "bit-flips"}
]}"""


def test_toml_and_json_compile_to_the_same_survey() -> None:
    survey = compile_toml(TOML)
    assert survey == compile_json(JSON) == compile_json(JSON.encode())
    assert survey.canonical == compile_json(JSON).canonical


def test_a_survey_is_what_its_author_wrote() -> None:
    survey = compile_toml(TOML)
    assert (survey.id, survey.title) == ("health-2026", "Health")
    assert [question.id for question in survey.questions] == ["smokes", "paid", "mood", "drugs"]
    assert [type(q.mechanism) for q in survey.questions] == [BinaryResponse, BinaryResponse, KaryResponse, BitFlips]
    assert survey.questions[2].labels == ("well", "so-so", "ill", "no answer")
    assert survey.questions[0].labels == ("yes",)
    assert survey.questions[3].mechanism.parameters()["max_selected"] == 2


def test_the_declared_epsilon_is_the_asked_one_or_the_realised_one_rounded_up() -> None:
    asked, realised = compile_toml(TOML).questions[:2]
    assert asked.epsilon == Decimal("1.5")
    assert asked.mechanism.epsilon <= asked.epsilon
    assert realised.mechanism.epsilon <= realised.epsilon < realised.mechanism.epsilon + Decimal("1e-12")


@pytest.mark.parametrize("quoted", ["0.55", ".55", "0.550000000000", "11/20"])
def test_a_probability_may_be_quoted_as_a_decimal_or_a_fraction(quoted: str) -> None:
    asked = TOML.replace('prob_truth = "2/3"', f'prob_truth = "{quoted}"')
    assert compile_toml(asked) == compile_toml(TOML.replace('"2/3"', "0.55"))


def test_an_author_may_invite_and_ask_for_a_crowd() -> None:
    survey = compile_toml(TOML.replace("title =", "invited = true\nmin_reports = 100\ntitle =", 1))
    assert (survey.invited, survey.min_reports) == (True, 100)
    usual = compile_toml(TOML.replace("title =", "invited = false\nmin_reports = 1\ntitle =", 1))
    assert usual == compile_toml(TOML), "what is usual may be said"
    assert (usual.invited, usual.min_reports) == (False, 1)
    assert compile_survey(written(min_reports=1_000_000)).min_reports == 1_000_000


def test_an_author_may_let_counts_alone_be_kept_and_may_say_what_is_usual() -> None:
    survey = compile_toml(TOML.replace("title =", 'keep = "counts"\ntitle =', 1))
    assert (survey.keep, survey.keeps_reports) == ("counts", False)
    usual = compile_toml(TOML.replace("title =", 'keep = "reports"\ntitle =', 1))
    assert usual == compile_toml(TOML)
    assert (usual.keep, usual.keeps_reports) == ("reports", True)
    assert b"keep" not in usual.canonical


def test_an_author_may_choose_the_mechanism() -> None:
    for name, cls in (("k-ary", KaryResponse), ("sue", UnaryEncoding), ("oue", UnaryEncoding)):
        mechanism = survey_of(ONE_OF | {"mechanism": name}).questions[0].mechanism
        assert (mechanism.name, type(mechanism)) == (name, cls)


@pytest.mark.parametrize("said", ["0.55", ".55", "0.550000000000", Decimal("0.55")])
def test_a_probability_may_be_a_decimal_in_a_text_and_is_exactly_that(said: Any) -> None:
    as_fraction = compile_survey(asking(YES_NO, epsilon=None, prob_truth="11/20"))
    assert compile_survey(asking(YES_NO, epsilon=None, prob_truth=said)) == as_fraction
    assert as_fraction.questions[0].mechanism.parameters()["threshold_if_true"] == 11 * 2**32 // 20


def test_what_a_plan_is_to_reach_is_read_and_published() -> None:
    number = {"type": "number", "minimum": 0, "maximum": 16, "step": Decimal("0.5"), "epsilon": 1}
    for question, want in ((YES_NO, Decimal("0.05")), (YES_NO, Decimal("0.5")), (TEXT, Decimal("0.02")), (number, 8)):
        plain = compile_survey(asking({"id": "q", "text": "?"} | question))
        wished = compile_survey(asking({"id": "q", "text": "?", "want": want} | question))
        assert (plain.questions[0].want, wished.questions[0].want) == (None, want)
        assert wished.fingerprint != plain.fingerprint
        assert Survey.from_canonical(wished.canonical).questions[0].want == want


@pytest.mark.parametrize("want", [0, Decimal("0.0"), Decimal("0.51"), -1, "0.1", True, Decimal("0.0000000000001")])
def test_a_wish_that_no_interval_meets_is_refused(want: Any) -> None:
    with pytest.raises(SurveyError, match=r"\$\.questions\[0\]\.want: must be a number above 0, at most 0\.5"):
        compile_survey(asking(YES_NO | {"want": want}))


def test_a_wish_of_a_share_says_what_points_are() -> None:
    with pytest.raises(SurveyError, match=r"at most 0\.5 \(12 points are 0\.12\)"):
        compile_survey(asking(YES_NO | {"want": 12}))
    number = {"type": "number", "minimum": 0, "maximum": 80, "id": "q", "text": "?", "epsilon": 1, "want": 41}
    with pytest.raises(SurveyError, match=r"at most 40, of at most 12 decimals"):
        compile_survey(asking(number))


def test_any_number_may_be_selected_when_no_limit_is_given() -> None:
    assert survey_of(ANY_OF).questions[0].mechanism.parameters()["max_selected"] == 9


@settings(max_examples=40)
@given(definitions())
def test_whatever_compiles_realises_at_most_what_it_declares(definition: dict[str, Any]) -> None:
    for question in compile_survey(definition).questions:
        assert question.mechanism.epsilon <= question.epsilon <= question.epsilon_forever
        assert question.mechanism.epsilon_forever <= question.epsilon_forever


@pytest.mark.parametrize(
    "members",
    [
        YES_NO | {"mechanism": "basic-rappor"},
        ONE_OF | {"mechanism": "basic-rappor"},
        ANY_OF | {"mechanism": "basic-rappor", "max_selected": 2},
        TEXT,
        TEXT | {"unknown": True},
    ],
)
def test_rappors_two_epsilons_are_what_its_author_asked_for_or_just_below(members: dict[str, Any]) -> None:
    one_stage = survey_of(members).questions[0]
    assert one_stage.epsilon == one_stage.epsilon_forever
    two_stages = survey_of(members | TWO_STAGES).questions[0]
    assert (two_stages.epsilon, two_stages.epsilon_forever) == (1, 3)
    assert Decimal("0.99999") < two_stages.mechanism.epsilon <= 1
    assert Decimal("2.99999") < two_stages.mechanism.epsilon_forever <= 3


def test_rappors_probabilities_become_its_thresholds() -> None:
    """f = 1/2, q = 3/4, p = 1/4 of Erlingsson et al. 2014, two hashes: epsilon forever is 4 ln((1 - f/2) / (f/2))."""
    question = survey_of(RAPPOR).questions[0]
    quarter = 2**30
    assert question.mechanism.parameters() == {
        "threshold_if_true": 3 * quarter,
        "threshold_if_other": quarter,
        "report_if_one": 3 * quarter,
        "report_if_zero": quarter,
        "n_bits": 128,
        "n_hashes": 2,
        "n_cohorts": 64,
    }
    assert float(question.epsilon_forever) == pytest.approx(4 * math.log(3), abs=1e-11)
    assert float(question.epsilon) == pytest.approx(4 * math.log((10 / 16) / (6 / 16)), abs=1e-11)


def test_file_is_read_whatever_its_author_or_a_command_wrote() -> None:
    survey = compile_toml(TOML)
    assert read_survey(TOML.encode(), is_json=False) == survey
    assert read_survey(canonical_json(written()), is_json=True) == compile_survey(written())
    for end in (b"", b"\n", b"\r\n"):
        assert read_survey(survey.canonical + end, is_json=True) == survey


@pytest.mark.parametrize(
    ("content", "is_json", "problem"),
    [
        (b"\xff", False, "must be TOML in UTF-8."),
        (b"\xff", True, "must be JSON in UTF-8"),
        (b"id =", False, "must be TOML"),
        (b"[]", True, "must be an object"),
        (b'{"format": "sottovoce-survey-1"}', True, ""),
        (b"{}\n{}", True, "must be JSON"),
    ],
)
def test_file_that_is_no_survey_is_refused(content: bytes, is_json: bool, problem: str) -> None:
    with pytest.raises(SurveyError) as caught:
        read_survey(content, is_json=is_json)
    assert problem in caught.value.problem


Q0 = "$.questions[0]"


def written(**changes: Any) -> dict[str, Any]:
    return {"id": "s", "title": "T", "questions": [{"id": "q", "text": "Well?"} | YES_NO]} | changes


def asking(question: dict[str, Any], **changes: Any) -> dict[str, Any]:
    members = {"id": "q", "text": "Well?"} | question | changes
    return written(questions=[{key: value for key, value in members.items() if value is not None}])


FORCED = {"type": "yes-no", "mechanism": "forced-response", "prob_truth": "1/2", "prob_forced_yes": "1/2"}
RAPPOR = {
    "type": "text",
    "mechanism": "rappor",
    "n_hashes": 2,
    "prob_noise": "1/2",
    "prob_if_one": "3/4",
    "prob_if_zero": "1/4",
}
TEN_TWICE = [f"o{i}" for i in range(10)] * 2

WRONG: list[tuple[Any, str, str]] = [
    ([], "$", "must be an object (a table)"),
    (None, "$", "must be an object"),
    ({}, "$.id", "is missing"),
    (written(id="UPPER"), "$.id", "must be 1 to 64 lower-case letters"),
    (written(id=""), "$.id", "must be 1 to 64"),
    (written(id="a\n"), "$.id", "must be 1 to 64"),
    (written(id="../etc"), "$.id", "must be 1 to 64"),
    (written(id="a" * 65), "$.id", "must be 1 to 64"),
    (written(id="é"), "$.id", "must be 1 to 64"),
    (written(id=5), "$.id", "must be 1 to 64"),
    (written(title=""), "$.title", "must be a text of 1 to 2000 characters"),
    (written(title="a" * 2001), "$.title", "must be a text"),
    (written(title="\x1b[2J"), "$.title", "without control characters"),
    (written(title="\ud800"), "$.title", "must be a text"),
    (written(questions=[]), "$.questions", "must be 1 to 200 questions"),
    (written(questions={}), "$.questions", "must be a list of questions"),
    (written(questions=[5]), Q0, "must be an object"),
    (written(epsilon=1), "$.epsilon", "belongs to a question."),
    (asking(YES_NO, text=None, txt="?"), f"{Q0}.text", "is missing; expected a text of 1 to 2000 characters"),
    (asking(YES_NO, text=None, txt="?"), f"{Q0}.text", "'txt' is unknown."),
    (written(wavse=3), "$.wavse", "is unknown; is it 'waves'?"),
    (asking(YES_NO, type="maybe"), f"{Q0}.type", "must be one of yes-no, one-of, any-of"),
    (asking(YES_NO, type=[]), f"{Q0}.type", "must be one of"),
    (asking(YES_NO, id=None), f"{Q0}.id", "is missing"),
    (asking(YES_NO, text=None), f"{Q0}.text", "is missing"),
    (asking(YES_NO, options=["a", "b"]), f"{Q0}.options", "belongs to one-of and any-of questions."),
    (asking(YES_NO, epsilon=None), Q0, "must have epsilon or prob_truth."),
    (asking(YES_NO, prob_truth="3/4"), Q0, "must not have both epsilon and prob_truth."),
    (asking(YES_NO, mechanism="k-ary"), f"{Q0}.mechanism", "must be one of warner, forced-response"),
    (asking(YES_NO, epsilon=Decimal("0.0009")), f"{Q0}.epsilon", "must be a number in [0.001, 20]"),
    (asking(YES_NO, epsilon=21), f"{Q0}.epsilon", "must be a number in [0.001, 20]"),
    (asking(YES_NO, epsilon=True), f"{Q0}.epsilon", "must be a number"),
    (asking(YES_NO, epsilon="1"), f"{Q0}.epsilon", "must be a number"),
    (asking(YES_NO, epsilon=1.5), f"{Q0}.epsilon", "must be a number"),
    (asking(YES_NO, epsilon=Decimal("NaN")), f"{Q0}.epsilon", "must be a number"),
    (asking(YES_NO, epsilon=Decimal("Infinity")), f"{Q0}.epsilon", "must be a number"),
    (asking(YES_NO, epsilon=Decimal("1.0000000000001")), f"{Q0}.epsilon", "of at most 12 decimals"),
    (asking(YES_NO, epsilon=10**4000), f"{Q0}.epsilon", "must be a number"),
    (asking(FORCED, epsilon=1), f"{Q0}.epsilon", "does not go with forced-response"),
    (asking(FORCED, prob_truth=None), f"{Q0}.prob_truth", "is missing; expected a probability"),
    (asking(FORCED, prob_truth="2/1"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="1/0"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="1/2\n"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="١/٢"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="1/9999999999"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="0.1234567890123"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="1.5"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="-0.5"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="5e-1"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth=" 0.5"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="."), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth="٠.٥"), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth=Decimal("1E-13")), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth=True), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth=Decimal("1.5")), f"{Q0}.prob_truth", "must be a probability"),
    (asking(FORCED, prob_truth=1), Q0, "prob_truth (1) must be in (0, 1)"),
    (asking(FORCED, prob_forced_yes=0), Q0, "epsilon is infinite"),
    (asking(YES_NO, epsilon=None, prob_truth="1/2"), Q0, "must be in (1/2, 1)"),
    (asking(YES_NO, epsilon=None, prob_truth=Decimal("0.500000000001")), Q0, "is too near 1/2"),
    (asking(ONE_OF, options=["a"]), f"{Q0}.options", "must be a list of 2 to 4096 different texts"),
    (asking(ONE_OF, options=[]), f"{Q0}.options", "must be a list of 2"),
    (asking(ONE_OF, options=None), f"{Q0}.options", "is missing; expected a list of 2"),
    (asking(ONE_OF, options="ab"), f"{Q0}.options", "must be a list of 2"),
    (asking(ONE_OF, options=["a", 5]), f"{Q0}.options", "must be a list of 2"),
    (asking(ONE_OF, options=["a", []]), f"{Q0}.options", "must be a list of 2"),
    (asking(ONE_OF, options=["a", "a\x00"]), f"{Q0}.options", "must be a list of 2"),
    (asking(ONE_OF, options=["a", "b" * 201]), f"{Q0}.options", "of 1 to 200 characters"),
    (asking(ONE_OF, options=TEN_TWICE), f"{Q0}.options", "different texts"),
    (asking(ONE_OF, options=[str(i) for i in range(4097)]), f"{Q0}.options", "2 to 4096"),
    (asking(ONE_OF, epsilon=None), f"{Q0}.epsilon", "is missing; expected a number in"),
    (asking(ONE_OF, mechanism="rappor"), f"{Q0}.mechanism", "must be one of auto, k-ary, subset, geometry, sue, oue"),
    (asking(ONE_OF, max_selected=1), f"{Q0}.max_selected", "belongs to any-of questions."),
    (asking(ONE_OF, weight=2), f"{Q0}.weight", 'belongs to mechanism = "subset", which must be named.'),
    (asking(ONE_OF, mechanism="k-ary", weight=2), f"{Q0}.weight", 'belongs to mechanism = "subset"'),
    (asking(ONE_OF, field=5), f"{Q0}.field", 'belongs to mechanism = "geometry", which must be named.'),
    (asking(ANY_OF, max_selected=0), f"{Q0}.max_selected", "must be an integer in [1, 9]"),
    (asking(ANY_OF, max_selected=10), f"{Q0}.max_selected", "must be an integer in [1, 9]"),
    (asking(ANY_OF, max_selected=True), f"{Q0}.max_selected", "must be an integer"),
    (asking(ANY_OF, options=[]), f"{Q0}.options", "must be a list of 1 to 4096"),
    (asking(ANY_OF, mechanism="oue"), f"{Q0}.mechanism", "must be one of auto, bit-flips, subset, asked-option"),
    (asking(ANY_OF, epsilon=None), f"{Q0}.epsilon", "is missing"),
    (written(questions=asking(YES_NO)["questions"] * 2), "$.questions", "two questions of the same id"),
    (written(waves=1), "$.waves", "must be an integer in [2, 1000]"),
    (written(waves=1001), "$.waves", "must be an integer in [2, 1000]"),
    (written(waves=True), "$.waves", "must be an integer in [2, 1000]"),
    *[
        (written(keep=value), "$.keep", "must be one of reports, counts.")
        for value in ("count", "Counts", "counts ", "", True, False, None, 1, ["counts"], {"counts": True})
    ],
    (written(keeps="counts"), "$.keeps", "is unknown; is it 'keep'?"),
    *[
        (asking(YES_NO, **{name: value}), f"{Q0}.{name}", "belongs to the survey, not to a question: in TOML it stands")
        for name, value in {"draw": 1, "waves": 2, "keep": "counts", "invited": True, "title": "Lunch"}.items()
    ],
    *[
        (asking(YES_NO, type=kind, draw=1), f"{Q0}.draw", "stands above the first [[questions]].")
        for kind in ("yes-no", "text")
    ],
    *[(written(draw=draw), "$.draw", "must be an integer in [1, d - 1], of d questions.") for draw in (0, 200, "two")],
    *[(written(invited=value), "$.invited", "must be true or false.") for value in (1, 0, "true", None, [], "yes")],
    *[
        (written(min_reports=value), "$.min_reports", "must be an integer in [1, 1000000].")
        for value in (0, True, -1, 1.5, Decimal("1.5"), Decimal("1.0"), 10**6 + 1, 10**9, "5", None, Decimal("NaN"))
    ],
    (asking(TEXT, options=["a", "b"]), f"{Q0}.options", "belongs to one-of and any-of questions."),
    (asking(TEXT, mechanism="sue"), f"{Q0}.mechanism", "must be one of sketch, rappor"),
    (asking(TEXT, epsilon=None), f"{Q0}.epsilon", "is missing; expected a number in"),
    (asking(TEXT, epsilon_forever=2), Q0, "epsilon_forever (2) must be above epsilon (2), of one report"),
    (asking(TEXT, epsilon_forever=1), Q0, "epsilon_forever (1) must be above epsilon (2), of one report"),
    (asking(TEXT, epsilon_forever=21), f"{Q0}.epsilon_forever", "must be a number in [0.001, 20]"),
    (asking(TEXT, epsilon_forever=Decimal("2.000000000001")), Q0, "is too near epsilon_forever"),
    *[
        (
            asking(question, mechanism=name, epsilon_forever=3),
            f"{Q0}.epsilon_forever",
            f"does not go with {name}: {why}",
        )
        for question, name, why in (
            (YES_NO, "warner", "it has one stage; with a second one there is basic-rappor."),
            (FORCED, "forced-response", "it has one stage"),
            (ONE_OF, "sue", "it has one stage"),
            (ONE_OF, "subset", "reports that are kept over the waves would be so rare that they tell devices apart"),
            (ONE_OF, "geometry", "reports that are kept over the waves would be so rare that they tell devices apart"),
            (ANY_OF, "bit-flips", "it has one stage"),
        )
    ],
    *[
        (asking(ONE_OF, mechanism=name, epsilon_forever=forever), where, message)
        for name in ("auto", "k-ary", "oue", "basic-rappor")
        for forever, where, message in (
            (1, Q0, "epsilon_forever (1) must be above epsilon (1), of one report"),
            (21, f"{Q0}.epsilon_forever", "must be a number in [0.001, 20]"),
            (Decimal("1.000000000001"), Q0, "is too near epsilon_forever"),
        )
    ],
    (asking(TEXT, epsilon_forever=3, epsilon=None), f"{Q0}.epsilon", "is missing"),
    (asking(TEXT, prob_noise="1/2"), Q0, "must not have both epsilons and prob_noise"),
    (asking(TEXT, epsilon=None, epsilon_forever=3, prob_noise="1/2"), Q0, "must not have both epsilons and prob_noise"),
    (asking(RAPPOR, prob_noise="0"), f"{Q0}.prob_noise", "must be a probability"),
    (asking(RAPPOR, prob_noise=0), Q0, "prob_noise (0) must be in (0, 1)"),
    (asking(RAPPOR, prob_noise=1), Q0, "prob_noise (1) must be in (0, 1)"),
    (asking(RAPPOR, prob_if_zero="3/4"), Q0, "must satisfy 0 < prob_if_zero < prob_if_one < 1"),
    (asking(RAPPOR, prob_if_zero="7/8"), Q0, "must satisfy 0 < prob_if_zero < prob_if_one < 1"),
    (asking(RAPPOR, prob_if_zero=0), Q0, "must satisfy 0 < prob_if_zero < prob_if_one < 1"),
    (asking(RAPPOR, prob_if_one=1), Q0, "must satisfy 0 < prob_if_zero < prob_if_one < 1"),
    (asking(RAPPOR, prob_if_zero=None), f"{Q0}.prob_if_zero", "is missing"),
    (asking(RAPPOR, prob_if_one=None), f"{Q0}.prob_if_one", "is missing"),
    (asking(TEXT, prob_if_one="1/2"), f"{Q0}.prob_if_one", 'belongs to mechanism = "rappor" (text) or "basic-rappor"'),
    (asking(TEXT, n_bits=1), f"{Q0}.n_bits", "must be an integer in [2, 4096]"),
    (asking(TEXT, n_bits=4097), f"{Q0}.n_bits", "must be an integer in [2, 4096]"),
    (asking(TEXT, n_bits=True), f"{Q0}.n_bits", "must be an integer in [2, 4096]"),
    (asking(TEXT, n_hashes=9), f"{Q0}.n_hashes", "must be an integer in [1, 8]"),
    (asking(TEXT, n_hashes=3, n_bits=2), Q0, "n_hashes (3) must be an integer in [1, 2]"),
    (asking(TEXT, n_cohorts=1025), f"{Q0}.n_cohorts", "must be an integer in [1, 1024]"),
    (asking(TEXT, n_bits=1024, n_cohorts=257), Q0, "n_bits times n_cohorts (263168) must be at most 262144"),
    (asking(TEXT, gram_length=2), f"{Q0}.gram_length", "with unknown = true."),
    (asking(TEXT, max_length=6), f"{Q0}.max_length", "with unknown = true."),
    (asking(TEXT, unknown=False, max_length=6), f"{Q0}.max_length", "with unknown = true."),
    (asking(TEXT, unknown=1), f"{Q0}.unknown", "must be true or false"),
    (asking(TEXT, unknown=True, gram_length=5), f"{Q0}.gram_length", "must be an integer in [1, 4]"),
    (asking(TEXT, unknown=True, max_length=5), Q0, "max_length (5) must be a multiple of gram_length (2)"),
    (asking(TEXT, unknown=True, max_length=34), f"{Q0}.max_length", "must be an integer in [4, 32]"),
]


@pytest.mark.parametrize(("definition", "where", "message"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_definition_is_refused_with_its_place(definition: Any, where: str, message: str) -> None:
    with pytest.raises(SurveyError) as caught:
        compile_survey(definition)
    assert caught.value.where == where
    assert message in caught.value.problem
    assert len(str(caught.value)) < 400


def test_too_many_questions_are_refused() -> None:
    questions = [{"id": f"q{i}", "text": "Well?"} | YES_NO for i in range(MAX_QUESTIONS + 1)]
    assert len(compile_survey(written(questions=questions[1:])).questions) == MAX_QUESTIONS
    with pytest.raises(SurveyError, match=r"\$\.questions: must be 1 to 200 questions"):
        compile_survey(written(questions=questions))


def test_a_survey_that_nobody_could_read_back_is_refused() -> None:
    options = [f"{i:04}" + "x" * 150 for i in range(4096)]
    questions = [{"id": f"q{i}", "text": "Well?"} | ONE_OF | {"options": options} for i in range(2)]
    assert Survey.from_canonical(compile_survey(written(questions=questions[:1])).canonical)
    with pytest.raises(SurveyError, match="must have at most 1048576 bytes in canonical form"):
        compile_survey(written(questions=questions))


HOSTILE_TOML = [
    "id = 1e9999999999999999999",
    "id = " + "1" * 5000,
    "id = 0x" + "f" * 5000,
    "id = " + "[" * 100_000,
    'id = "\\ud800"',
    'id = "\ud800"',
    "id = 'a\x00'",
    "\ufeffid = 'a'",
    "id = 'a'\nid = 'b'",
    "id = nan",
    "id = 1979-05-27T07:32:00Z",
    ".".join("a" * 2000) + " = 1",
    "",
]


@pytest.mark.parametrize("text", HOSTILE_TOML, ids=range(len(HOSTILE_TOML)))
def test_hostile_toml_is_refused(text: str) -> None:
    with pytest.raises(SurveyError):
        compile_toml(text)


NUMBERS = [
    "nan",
    "inf",
    "1e999999999",
    "1e9999999999999999999",
    "0e99999999",
    "1e-400",
    "-1",
    "1" * 400,
    "0x" + "f" * 4000,
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
@pytest.mark.parametrize("member", ["epsilon", "prob_truth"])
def test_hostile_numbers_in_toml_are_refused(member: str, number: str) -> None:
    question = f'[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "Well?"\n{member} = {number}\n'
    with pytest.raises(SurveyError):
        compile_toml(f'id = "s"\ntitle = "T"\n{question}')


@given(st.one_of(st.text(), st.text("[]{}=\"'\n.,#ae0-:"), st.text(st.sampled_from(TOML))))
def test_any_text_as_toml_compiles_or_is_refused(text: str) -> None:
    with suppress(SurveyError):
        assert compile_toml(text).canonical


@given(st.one_of(st.text(), st.binary()))
def test_any_text_as_json_compiles_or_is_refused(text: str | bytes) -> None:
    with suppress(SurveyError):
        assert compile_json(text).canonical


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.decimals(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
        st.sampled_from(["yes-no", "one-of", "any-of", "warner", "1/2", "k-ary", "a"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=40)
@given(definitions(), st.data())
def test_a_definition_with_any_member_replaced_compiles_or_is_refused(
    definition: dict[str, Any], data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from([definition, definition["questions"][0]]))
    keys = ["id", "title", "questions", "type", "text", "options", "mechanism", "epsilon", "max_selected", "prob_truth"]
    keys += ["waves", "epsilon_forever", "n_bits", "n_hashes", "n_cohorts", "unknown", "prob_noise", "max_length"]
    target[data.draw(st.sampled_from(keys))] = data.draw(json_values)
    with suppress(SurveyError):
        survey = compile_survey(definition)
        assert Survey.from_canonical(survey.canonical) == survey


@settings(max_examples=40)
@given(definitions())
def test_json_definitions_compile_to_the_same_as_parsed_ones(definition: dict[str, Any]) -> None:
    assert compile_json(canonical_json(definition)) == compile_survey(definition)
    assert compile_json(json.dumps(definition, default=float)) == compile_survey(definition)
