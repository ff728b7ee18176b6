"""Bands of protection are by what a suspicion of 10 % becomes, and what is said of them stands in every explanation."""

from dataclasses import replace
from decimal import Decimal

import pytest

from sotto_protocol import Survey, compile_survey
from sotto_protocol.datasheet.sheet import make_datasheet
from sotto_protocol.explain import explain
from sotto_protocol.language import LANGUAGES, Language
from sotto_protocol.protection import LIMITS, exceeded, most_epsilon, say_little_of, warn_of_little
from sotto_protocol.readings import suspicions

STEP = Decimal("1e-12")


def asks(*epsilons: str, **settings: object) -> Survey:
    questions = [
        {"id": f"q{place}", "type": "yes-no", "text": "So?", "epsilon": Decimal(epsilon)}
        for place, epsilon in enumerate(epsilons)
    ]
    return compile_survey({"id": "s", "title": "S", "questions": questions} | settings)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_band_ends_where_a_suspicion_of_a_tenth_becomes_more_than_its_limit(limit: int) -> None:
    most = most_epsilon(limit)
    [at], [above] = (suspicions(epsilon, [0.1]) for epsilon in (most, most + 1000 * STEP))
    assert at.highest == pytest.approx(limit / 100, abs=1e-11)
    assert above.highest > limit / 100 + 1e-12
    assert exceeded(most) < limit == exceeded(most + STEP)


@pytest.mark.parametrize(
    ("survey", "what", "limit"),
    [
        (asks("2.19"), "", 0),
        (asks("2.2"), "Your answer is", 50),
        (asks("1.1", "1.09"), "", 0),
        (asks("1.1", "1.1"), "Your answers together are", 50),
        (asks("0.1", "4"), "Your answers together are", 50),
        (asks("2", "2", draw=1), "", 0),
        (asks("3", "2", draw=1), "Your answer is", 50),
        (replace(asks("3"), waves=3), "Your reports of all waves together are", 50),
        (asks("5"), "Your answer is", 90),
        (asks("7"), "Your answer is", 99),
    ],
)
def test_little_protection_is_said_of_all_that_a_device_sends(survey: Survey, what: str, limit: int) -> None:
    said = explain(survey).protected_little
    assert bool(said) is bool(limit)
    assert said.startswith(what)
    assert not limit or "Someone who was 10 % sure of" in said
    assert not limit or said.endswith(f"can become more than {limit} % sure.")
    on_sheet = [line for part in make_datasheet(survey).sections for line in part.statements]
    if limit:
        assert say_little_of(survey) in on_sheet
        assert f"more than {limit} %" in say_little_of(survey)
        assert "Respondents read this before they answer. With epsilon 2.1972 in all," in warn_of_little(survey)
        assert str(explain(survey)).startswith(f"S\n\n{said[:40]}")
    else:
        assert not warn_of_little(survey)
        assert "protected little" not in " ".join(on_sheet) + str(explain(survey))


@pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)
def test_it_is_said_in_every_language(spoken: Language) -> None:
    surveys = asks("5"), asks("5", "1"), replace(asks("5"), waves=2)
    said = [explain(survey, spoken).protected_little for survey in surveys]
    assert len({*said}) == 3
    for sentence in said:
        assert spoken.percent(10) in sentence
        assert spoken.percent(90) in sentence
    assert spoken.tag == "en" or not {*said} & {explain(survey).protected_little for survey in surveys}
