"""Where answers are protected little the survey page says so before anybody answers, and at the review."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from house import House, open_house
from reading_html import read_html
from sotto_protocol import Survey, compile_survey

SURE = "nobody can be sure which"


def asks(name: str, *epsilons: str) -> Survey:
    questions = [
        {"id": f"q{place}", "type": "yes-no", "text": "So?", "epsilon": Decimal(epsilon)}
        for place, epsilon in enumerate(epsilons)
    ]
    return compile_survey({"id": name, "title": "S", "questions": questions})


MILD, EVERY, ONE = asks("mild", "1", "1"), asks("every", "3", "4"), asks("one", "3")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder: Path = tmp_path_factory.mktemp("house")
    with open_house(folder / "house.db", MILD, EVERY, ONE) as opened:
        yield opened


@pytest.mark.parametrize(("survey", "said"), [(EVERY, "Your answers together are"), (ONE, "Your answer is")])
def test_little_protection_is_said_above_the_questions_and_at_the_review(
    house: House, survey: Survey, said: str
) -> None:
    response = house.http.get(f"/s/{survey.id}")
    page = read_html(response.text)
    above, at_review = page.find("p", data_little="")
    assert above.text == at_review.text
    assert above.text.startswith(f"{said} protected little. Someone who was 10 % sure of ")
    assert response.text.index("data-little") < response.text.index("<form")
    assert at_review in page.one(id="review").inner
    assert SURE not in response.text


def test_nothing_of_it_is_said_where_answers_are_protected(house: House) -> None:
    text = house.http.get("/s/mild").text
    assert SURE in text
    assert "protected little" not in text
    assert "data-little>" not in text
