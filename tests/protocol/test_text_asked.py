"""What a text question of a survey file is asked by, where its author names a mechanism and where not."""

from decimal import Decimal
from typing import Any

import pytest

from sotto_protocol import SurveyError, compile_survey
from sotto_protocol.mechanisms.sketch.response import SketchResponse


def asked(*, settings: dict[str, Any] | None = None, **members: Any) -> Any:
    """Return the mechanism of a text question with these members, of a survey with these settings."""
    question = {"id": "q", "type": "text", "text": "?", "epsilon": Decimal(1)} | members
    survey = compile_survey({"id": "s", "title": "S", "questions": [question]} | (settings or {}))
    return survey.questions[0].mechanism


def test_one_wave_is_asked_by_a_sketch_and_several_by_rappor() -> None:
    assert asked().name == asked(mechanism="sketch").name == "sketch"
    assert asked(settings={"waves": 2}).name == "rappor"
    assert asked(epsilon_forever=Decimal(2)).name == "rappor"
    assert asked(mechanism="sketch", settings={"waves": 2}).name == "sketch"
    assert asked(mechanism="rappor").n_hashes == 1


def test_a_sketch_has_as_many_cohorts_as_there_is_room_for_and_few_where_each_needs_a_crowd() -> None:
    assert asked().n_cohorts == 720
    assert asked(settings={"min_reports": 50}).n_cohorts == 64
    assert asked(settings={"min_reports": 50}, unknown=True, prefix_lengths=[2, 4, 6]).n_cohorts == 63
    assert asked(settings={"min_reports": 50}, n_cohorts=900).n_cohorts == 900
    assert asked(n_cohorts=5).n_cohorts == 5


def test_strings_that_nobody_lists_are_asked_for_by_their_beginnings() -> None:
    assert asked().prefix_lengths == ()
    assert asked(unknown=True).prefix_lengths == (4, 6)
    assert asked(unknown=True, prefix_lengths=[1, 9]).prefix_lengths == (1, 9)
    assert isinstance(asked(unknown=True, settings={"keep": "counts"}), SketchResponse)


@pytest.mark.parametrize(
    ("members", "where", "problem"),
    [
        ({"n_bits": 64}, ".n_bits", 'belongs to mechanism = "rappor", which must be named.'),
        ({"prob_noise": "1/2"}, ".prob_noise", 'belongs to mechanism = "rappor"'),
        ({"unknown": True, "gram_length": 2}, ".gram_length", 'belongs to mechanism = "rappor"'),
        ({"prefix_lengths": [2, 4]}, ".prefix_lengths", 'belongs to mechanism = "sketch" with unknown = true.'),
        ({"unknown": True, "prefix_lengths": [4, 2]}, ".prefix_lengths", "different integers in [1, 200], ascending"),
        ({"unknown": True, "prefix_lengths": [2, 4], "n_cohorts": 3}, "", "must be a multiple of the number"),
        ({"unknown": 1}, ".unknown", "must be true or false"),
        ({"n_cohorts": 1025}, ".n_cohorts", "must be an integer in [1, 1024]"),
        ({"epsilon": None}, ".epsilon", "is missing"),
        (
            {"mechanism": "sketch", "epsilon_forever": Decimal(2)},
            ".epsilon_forever",
            "does not go with sketch: it has one stage; with a second one there is rappor.",
        ),
        ({"mechanism": "rappor", "prefix_lengths": [2]}, ".prefix_lengths", 'belongs to mechanism = "sketch" with'),
    ],
)
def test_what_does_not_go_together_is_refused_where_it_stands(
    members: dict[str, Any], where: str, problem: str
) -> None:
    document = {"id": "q", "type": "text", "text": "?", "epsilon": Decimal(1)} | members
    document = {key: value for key, value in document.items() if value is not None}
    with pytest.raises(SurveyError) as caught:
        compile_survey({"id": "s", "title": "S", "questions": [document]})
    assert caught.value.where == f"$.questions[0]{where}"
    assert problem in caught.value.problem
