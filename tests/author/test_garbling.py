"""Safely Report's XLSForms: a garbled row becomes a coin on the device, and what differs is said."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import pytest

from sotto_author.errors import FormError
from sotto_author.forms.asking import ImportedForm, Terms
from sotto_author.forms.xlsform.form import read_form
from sotto_author.forms.xlsform.importing import import_xlsform
from sotto_protocol import compile_toml
from workbooks import CHOICES, form

ROW = {"type": "select_one yn", "name": "q", "label": "Ever harassed?", "required": "yes"}


def garbled(rate: str = "0.2", answer: str = "yes", **columns: Any) -> dict[str, Any]:
    return ROW | {"garbling::answer": answer, "garbling::rate": rate} | columns


def imported(row: dict[str, Any], **sheets: Any) -> ImportedForm:
    return import_xlsform(read_form(form(row, **sheets)), "form", Terms(Decimal(3)))


@pytest.mark.parametrize("rate", ["0.2", "0.25", "0.5", "0.8"])
def test_the_device_ignores_the_answer_with_the_rate_and_epsilon_is_exact(rate: str) -> None:
    """By enumeration: a coin of the rate, and where it falls a fair one. The thresholds are out of 2^32."""
    sent = {True: Fraction(0), False: Fraction(0)}  # the probability that yes is sent, by the answer
    for answer, is_forced, forced_to in product((True, False), repeat=3):
        chance = (Fraction(rate) if is_forced else 1 - Fraction(rate)) / 2
        sent[answer] += chance * (forced_to if is_forced else answer)
    survey = compile_toml(imported(garbled(rate)).to_toml())
    mechanism: Any = survey.questions[0].mechanism
    assert mechanism.prob_support_if_true == pytest.approx(float(sent[True]), abs=2**-31)
    assert mechanism.prob_support_if_other == pytest.approx(float(sent[False]), abs=2**-31)
    ratios = [sent[True] / sent[False], (1 - sent[False]) / (1 - sent[True])]
    assert float(survey.epsilon) == pytest.approx(log(max(ratios)), abs=1e-8)


def test_a_row_without_blocks_says_its_epsilon_and_what_differs() -> None:
    found = imported(garbled())
    assert found.definition["questions"] == [
        {
            **{"id": "q", "type": "yes-no", "text": "Ever harassed?", "mechanism": "forced-response"},
            **{"prob_truth": Decimal("0.8"), "prob_forced_yes": Decimal("0.5")},
        }
    ]
    assert found.notes == (
        "q: with probability 0.2 the device sends yes or no at random, else the answer. That is epsilon 2.1973, "
        "whatever --epsilon is. Either answer is sent as the other with probability 0.1",
        'q: Safely Report forces only "yes", so any other record there proves the answer, and no epsilon bounds it. '
        "Data collected so: sotto estimate --design 'forced(prob_forced_yes=0.2, prob_forced_no=0)' --allow-conclusive",
    )


def test_blocks_and_skipped_answers_are_named() -> None:
    notes = imported(garbled("0.40", **{"garbling::covariate": "team", "required": "no"})).notes
    assert notes[1].startswith("q: no blocks are kept (garbling::covariate team), for that takes a server")
    assert "--design 'block-garbling(block_size=5, n_forced=2)' --allow-conclusive" in notes[2]
    assert notes[3] == "q: no answer counts as no, and chance may turn it into yes"


def test_choices_of_other_labels_are_named() -> None:
    choices = [CHOICES[0], ("yn", "1", "It happened"), ("yn", "0", "Never")]
    notes = imported(garbled(answer="0"), choices=choices).notes
    assert notes[0] == "q: yes stands for 'It happened', no for 'Never'"
    assert notes[2].endswith('--allow-conclusive, counting "0" as yes')


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (garbled("0"), "garbling::rate (0) must be above 0 and below 1"),
        (garbled("1"), "garbling::rate (1) must be above 0 and below 1"),
        (garbled("often"), "garbling::rate (often) must be above 0 and below 1"),
        (garbled("nan"), "garbling::rate (nan) must be above 0 and below 1"),
        (ROW | {"garbling::answer": "yes"}, "garbling::rate () must be above 0 and below 1"),
        (ROW | {"garbling": "yes"}, "garbling::rate () must be above 0 and below 1"),
        (garbled(answer="maybe"), "must have one of its two choices in garbling::answer."),
        (
            garbled() | {"type": "select_one drink"},
            "has garbling columns, which are for a select_one of the two choices",
        ),
        (garbled() | {"type": "text"}, "has garbling columns, which are for a select_one of the two choices"),
    ],
)
def test_columns_that_make_no_coin_are_refused_by_row(row: dict[str, Any], why: str) -> None:
    with pytest.raises(FormError) as refused:
        imported(row)
    (problem,) = refused.value.problems
    assert problem.startswith("survey, row 2 (")
    assert why in problem
