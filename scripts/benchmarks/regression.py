"""Logistic regressions of hidden answers: of the size of a published survey, in limits of CPU time; and large ones.

A large one is held against Fisher scoring of the same likelihood, written here, which gives coefficients and errors.
Ours reads the table too, tests it against the design, and tests each term by the likelihood ratio.
"""

import csv
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from bars import Bar, of_pairs

from sotto_estimator.designs.spec import read_spec
from sotto_estimator.regression.answer_model import fit_columns
from sotto_estimator.regression.formula import read_formula, terms_of
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.sample import sample_of
from sotto_estimator.regression.spec import RegressionSpec
from sotto_estimator.sources.source import source_of
from sotto_estimator.table.reported import ReportColumn

N_PEOPLE = 2_423
FORMULA = "said ~ assets + married + I(age/10) + I((age/10)**2) + school + female"
FIT_LIMIT_MS = 8.0
"""A tenth of the 80 ms in which R's rr fits as much."""
WHOLE_LIMIT_MS = 40.0
N_ROUNDS = 15
N_ROWS, N_COVARIATES = 100_000, 20
MOST_TIMES = 5
"""As long as Fisher scoring alone a regression of so many rows may take."""


def people() -> pd.DataFrame:
    """Return made-up people with five traits, who answered by forced response."""
    random = np.random.default_rng(1)
    most = {"age": 80, "assets": 9, "married": 2, "school": 10, "female": 2}
    frame = pd.DataFrame({name: random.integers(0, most[name], N_PEOPLE) for name in most})
    logit = -0.3 + 0.08 * frame["assets"] - 0.3 * frame["married"] - 0.55 * frame["female"]
    truth = random.random(N_PEOPLE) < 1 / (1 + np.exp(-logit))
    frame["said"] = np.where(random.random(N_PEOPLE) < 1 / 6 + 2 / 3 * truth, "yes", "no")
    return frame


def many_people() -> pd.DataFrame:
    """Return people with normal covariates, who answered by crosswise."""
    random = np.random.default_rng(1)
    matrix = random.normal(size=(N_ROWS, N_COVARIATES))
    truth = random.random(N_ROWS) < 1 / (1 + np.exp(0.5 - matrix @ random.normal(scale=0.3, size=N_COVARIATES)))
    frame = pd.DataFrame({f"x{place}": column for place, column in enumerate(matrix.T)})
    frame["said"] = np.where((random.random(N_ROWS) < 1 / 6) == truth, "same", "different")
    return frame


def score_by_fisher(matrix: np.ndarray, says_same: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients and errors of the crosswise model: P(same) = 5/6 - 2/3 P(yes)."""
    matrix = np.column_stack([np.ones(len(matrix)), matrix])
    coefficients = np.zeros(matrix.shape[1])
    while True:
        share = 1 / (1 + np.exp(-matrix @ coefficients))
        prob, slope = 5 / 6 - 2 / 3 * share, -2 / 3 * share * (1 - share)
        information = matrix.T @ ((slope**2 / (prob * (1 - prob)))[:, None] * matrix)
        step = np.linalg.solve(information, matrix.T @ (slope * (says_same - prob) / (prob * (1 - prob))))
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-9:
            return coefficients, np.sqrt(np.diag(np.linalg.inv(information)))


def read_and_score(path: Path) -> None:
    """Read a CSV by the csv module, and fit it."""
    with path.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    numbers = np.array([[*map(float, row[:-1])] for row in rows])
    score_by_fisher(numbers, np.array([row[-1] == "same" for row in rows]))


def measure_many() -> list[Bar]:
    """Of a data frame, against scoring alone; of a CSV, against the csv module and scoring."""
    frame = many_people()
    formula = "said ~ " + " + ".join(frame.columns[:-1])
    matrix, says_same = frame.iloc[:, :-1].to_numpy(), (frame["said"] == "same").to_numpy()

    def compared(name: str, source: object, theirs: Callable[[], object], least: float, reference: str) -> Bar:
        pairs = [
            (cpu_ms(lambda: regress(source, formula, design="crosswise(prob=1/6)")), cpu_ms(theirs))
            for _ in range(min(N_ROUNDS, 5))
        ]
        what = f"regression of {N_ROWS:,} rows by {N_COVARIATES} covariates, {name}"
        return of_pairs(what, pairs, least=least, reference=reference, unit="ms")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        frame.to_csv(path, index=False)
        return [
            compared("data frame", frame, lambda: score_by_fisher(matrix, says_same), 1 / MOST_TIMES, "Fisher scoring"),
            compared("CSV", path, lambda: read_and_score(path), 0.5, "csv and Fisher scoring"),
        ]


def cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def measure() -> list[Bar]:
    """From columns to coefficients with errors; and all of it, with a test of each term and what is said of it."""
    formula = read_formula(FORMULA)
    spec = read_spec("forced(prob_forced_yes=1/6, prob_forced_no=1/6)")
    asked = RegressionSpec(formula, ReportColumn("said", {"": spec}))
    table = source_of(people()).table(asked.names)

    def fit() -> object:
        terms = terms_of(formula, table)
        sample = sample_of(asked.reports.read(table), terms, [table.columns[name] for name in formula.names])
        return fit_columns(sample, range(len(terms.names)))

    works = {
        "regression of 7 coefficients, n = 2,423": (fit, FIT_LIMIT_MS),
        "the same with likelihood ratio tests of every term": (lambda: asked.fit(table, (), 0.95), WHOLE_LIMIT_MS),
    }
    found = [
        of_pairs(name, [(cpu_ms(work), limit) for _ in range(N_ROUNDS)], least=1, reference="limit", unit="ms")
        for name, (work, limit) in works.items()
    ]
    return [*found, *measure_many()]
