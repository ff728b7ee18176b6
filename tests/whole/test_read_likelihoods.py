"""Likelihoods of an archive's reports: whoever maximises them finds what `associate` finds."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from archiving import Heap
from sotto_collector.archive.export import export
from sotto_estimator import DomainError, SourceError, associate, read_archive, read_likelihoods
from sotto_protocol import Coins, Survey, compile_toml

SURVEY = """
id = "study"
title = "Study"
[[questions]]
id = "paid"
type = "yes-no"
text = "?"
epsilon = 2
[[questions]]
id = "town"
type = "one-of"
text = "?"
options = ["bonn", "köln", "ulm"]
mechanism = "k-ary"
epsilon = 3
[[questions]]
id = "bits"
type = "one-of"
text = "?"
options = ["a", "b", "c", "d"]
mechanism = "oue"
epsilon = 3
[[questions]]
id = "set"
type = "one-of"
text = "?"
options = ["a", "b", "c", "d", "e"]
mechanism = "subset"
weight = 2
epsilon = 3
[[questions]]
id = "ill"
type = "any-of"
text = "?"
options = ["flu", "cold"]
mechanism = "bit-flips"
epsilon = 3
[[questions]]
id = "hours"
type = "number"
text = "?"
minimum = 0
maximum = 9
mechanism = "window"
epsilon = 3
"""
N = 600


def archive(toml: str, folder: Path) -> tuple[Survey, np.ndarray, Path]:
    survey, chance, answers = compile_toml(toml), np.random.default_rng(2), dict[str, Any]()
    for question in survey.questions:
        n_values = max(2, question.mechanism.n_values)
        shape = (N, n_values) if question.mechanism.takes_rows else N
        answers[question.id] = np.minimum(chance.integers(0, n_values, shape), chance.integers(0, n_values, shape))
        if question.mechanism.takes_rows:
            answers[question.id] = chance.integers(0, 2, shape)
    records = survey.perturb(answers, Coins(np.random.default_rng(5).bytes))
    export(Heap(survey, records), folder, 2)
    return survey, records, folder


def naive_shares(rows: np.ndarray) -> np.ndarray:
    """Return the shares by maximum likelihood: expectation and maximisation, as in a textbook, for long."""
    shares = np.full(rows.shape[1], 1 / rows.shape[1])
    for _ in range(3000):
        of_rows = rows * shares
        shares = (of_rows / of_rows.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


@pytest.mark.few(2)
@pytest.mark.parametrize("other", ["town", "bits", "set", "ill:cold"])
def test_their_maximum_is_that_of_associate(other: str, tmp_path: Path) -> None:
    survey, records, folder = archive(SURVEY, tmp_path / "archive")
    frame = read_likelihoods(folder, questions=["paid", other])
    expected = associate((survey, records), questions=["paid", other])
    for question, cells in zip(expected.questions, expected.marginals, strict=True):
        columns = [f"{question}:{cell.answers[0]}" for cell in cells]
        found = naive_shares(frame[columns].to_numpy())
        assert found == pytest.approx([cell.share for cell in cells], abs=1e-4)
    pairs = np.stack([frame[f"paid:{a}"] * frame[f"{other}:{b}"] for a, b in (c.answers for c in expected.cells)], 1)
    assert naive_shares(pairs) == pytest.approx([cell.share for cell in expected.cells], abs=1e-3)


def test_of_one_report_an_answer_they_are_probabilities(tmp_path: Path) -> None:
    """The reported answer is read by another function, in the same order of rows."""
    survey, _, folder = archive(SURVEY, tmp_path / "archive")
    frame, reported = read_likelihoods(folder, questions=["paid", "town"]), read_archive(folder)
    assert frame.attrs == reported.attrs
    for key, yes in {"paid": 1, "town": 0}.items():
        question = next(of for of in survey.questions if of.id == key)
        answers = [*reported[key].cat.categories]
        true, other = question.mechanism.prob_support_if_true, question.mechanism.prob_support_if_other
        matrix = pd.concat([frame[[f"{key}:{a}" for a in answers]], reported[key]], axis=1).drop_duplicates()
        assert len(matrix) == len(answers)
        assert matrix.drop(columns=key).sum().to_numpy() == pytest.approx(1)
        same = [row[f"{key}:{row[key]}"] for _, row in matrix.iterrows()]
        assert same == pytest.approx([{0: 1 - other, 1: true}[a == "yes"] if yes else true for a in matrix[key]])


def test_what_was_not_drawn_is_missing_in_the_rows_of_read_archive(tmp_path: Path) -> None:
    _, _, folder = archive(SURVEY.replace('id = "study"', 'id = "study"\ndraw = 2'), tmp_path / "archive")
    frame, reported = read_likelihoods(folder, questions=["paid", "bits"]), read_archive(folder)
    assert (frame["paid:yes"].isna() == reported["paid"].isna()).all()
    assert (frame["bits:c"].isna() == reported["bits:c"].isna()).all()
    assert 0 < frame["paid:yes"].isna().sum() < N
    frame.to_parquet(tmp_path / "likelihoods.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "likelihoods.parquet"), frame)


@pytest.mark.parametrize(
    ("given", "error", "problem"),
    [
        ({"questions": []}, DomainError, "questions must be a list of one or more different ones."),
        ({"questions": "paid"}, DomainError, "questions must be a list"),
        ({"questions": ["paid", "paid"]}, DomainError, "questions must be a list"),
        ({"questions": ["rent"]}, DomainError, "question ('rent') must be one of paid, town, bits, set, ill, hours."),
        ({"questions": ["ill"]}, DomainError, "ill takes several answers: ask for one option, ill:flu, ill:cold."),
        ({"questions": ["hours"]}, DomainError, "hours asks for numbers"),
        ({"questions": ["paid"], "parts": [2]}, DomainError, "part (2) must be in [0, 1]."),
        ({"questions": ["paid"], "max_bytes": 100}, SourceError, "the frame would take about"),
    ],
)
def test_what_cannot_be_read_is_said(
    given: dict[str, Any], error: type[Exception], problem: str, tmp_path: Path
) -> None:
    _, _, folder = archive(SURVEY, tmp_path / "archive")
    with pytest.raises(error, match=re.escape(problem)):
        read_likelihoods(folder, **given)
