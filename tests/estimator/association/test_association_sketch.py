"""Associations of text questions that are asked by sketches: their likelihood, and tables that are right."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import reference
import reference_sketch
from sotto_estimator.association.associate import associate
from sotto_estimator.association.axes import read_sides
from sotto_estimator.errors import DomainError
from sotto_estimator.strings.bloom_likelihood import OTHER
from sotto_estimator.strings.sketch_likelihood import sketch_likelihood
from sotto_protocol import Coins, compile_survey, hmac_bytes
from sotto_protocol.mechanisms.sketch.response import SketchResponse

WORDS = ("oak", "elm", "ash")
SURVEY = compile_survey(
    {
        "id": "park",
        "title": "Park",
        "questions": [
            {"id": "tree", "type": "text", "text": "?", "epsilon": Decimal(4)},
            {"id": "paid", "type": "yes-no", "text": "?", "epsilon": Decimal(4)},
        ],
    }
)


def coins_of(name: str) -> Coins:
    return Coins(hmac_bytes(bytes(32), name.encode()))


@pytest.mark.parametrize("lengths", [(), (1, 3)])
def test_the_likelihood_is_the_probability_of_every_report(lengths: tuple[int, ...]) -> None:
    """By the points of the space, listed: of candidates, and of other strings as the mean over all buckets."""
    mechanism = SketchResponse("sketch", 4, 3 * 2**30, 3, 3, lengths)
    published = {"field": 3, "dimension": 3}
    points = reference.points_of(published)
    reports = mechanism.perturb(["oak", "beech"] * 40, coins_of("reports"))
    found = sketch_likelihood(mechanism, reports, WORDS)
    for report, ratios in zip(reports, found, strict=True):
        cohort, point = mechanism.to_wire(report)
        probs = [3 / 4 / 4 if reference.is_orthogonal(points[point], other, 3) else 1 / 4 / 9 for other in points]
        said = [word[: lengths[cohort % 2]] if lengths else word for word in WORDS]
        expected = [probs[reference_sketch.bucket_of(13, cohort, text)] for text in said] + [sum(probs) / 13]
        assert ratios / ratios[-1] == pytest.approx(np.array(expected) / expected[-1], rel=1e-5)


def test_a_text_and_a_yes_no_have_the_shares_that_people_gave() -> None:
    """Of 20,000 people: the shares of all cells within five of their errors, others' among them; not independent."""
    n = 20_000
    generator = np.random.default_rng(3)
    tree = generator.choice(4, n, p=[0.4, 0.25, 0.15, 0.2])
    paid = generator.random(n) < np.where(tree == 0, 0.9, 0.3)
    texts = [(*WORDS, "")[number] or f"bush {index}" for index, number in enumerate(tree)]
    answers: dict[str, Any] = {"tree": texts, "paid": paid.astype(int)}
    columns = [question.mechanism.perturb(answers[question.id], coins_of(question.id)) for question in SURVEY.questions]
    found = associate(SURVEY, SURVEY.layout.join(columns, {}), ["tree", "paid"], {"tree": WORDS})
    labels = (*WORDS, OTHER)
    for cell in found.cells:
        word, answer = cell.answers
        share = ((tree == labels.index(word)) & (paid == (answer == "yes"))).mean()
        assert abs(cell.share - share) < 5 * cell.standard_error < 0.1
    assert found.independence.p_value < 1e-6
    assert found.convergence.converged


@pytest.mark.parametrize(("words", "message"), [([], "one or more"), (["oak", " oak "], "all different")])
def test_candidates_that_are_none_or_repeat_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        read_sides(SURVEY, ["tree", "paid"], {"tree": words})
