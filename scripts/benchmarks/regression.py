"""A logistic regression of hidden answers, of the size of a published survey: limits of CPU time."""

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from bars import Bar, of_pairs

from sotto_estimator.designs.spec import read_spec
from sotto_estimator.regression.answer_model import fit_columns
from sotto_estimator.regression.formula import read_formula, terms_of
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


def people() -> pd.DataFrame:
    """Return made-up people with five traits, who answered by forced response."""
    random = np.random.default_rng(1)
    most = {"age": 80, "assets": 9, "married": 2, "school": 10, "female": 2}
    frame = pd.DataFrame({name: random.integers(0, most[name], N_PEOPLE) for name in most})
    logit = -0.3 + 0.08 * frame["assets"] - 0.3 * frame["married"] - 0.55 * frame["female"]
    truth = random.random(N_PEOPLE) < 1 / (1 + np.exp(-logit))
    frame["said"] = np.where(random.random(N_PEOPLE) < 1 / 6 + 2 / 3 * truth, "yes", "no")
    return frame


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
    return [
        of_pairs(name, [(cpu_ms(work), limit) for _ in range(N_ROUNDS)], least=1, reference="limit", unit="ms")
        for name, (work, limit) in works.items()
    ]
