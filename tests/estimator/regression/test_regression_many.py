"""Regressions of many rows: the shorter ways of their arithmetic give what the longer ones do."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from test_regression import CROSSWISE, Floats, asked, matrix_of, sample_of_reports

from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import SourceError
from sotto_estimator.regression import restricted, sample
from sotto_estimator.regression.answer_model import fit_columns
from sotto_estimator.regression.basis import basis_of
from sotto_estimator.regression.regress import regress
from sotto_estimator.regression.restricted import fit_restricted
from sotto_estimator.regression.sample import alike


def test_likelihood_ratios_of_many_rows_are_those_of_a_climb_by_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "MANY_ROWS", 0)
    frame, design = asked(CROSSWISE, 1200), read_design(CROSSWISE)
    channel = design.matrix[[design.reports.index(report) for report in frame["cheated"]]]
    matrix = matrix_of(frame)

    def log_likelihood(columns: list[int]) -> float:
        def minus(coefficients: Floats) -> float:
            share = 1 / (1 + np.exp(-matrix[:, columns] @ coefficients))
            return -float(np.log(channel[:, 0] * share + channel[:, 1] * (1 - share)).sum())

        return -float(minimize(minus, np.zeros(len(columns)), tol=1e-9).fun)

    tests = [of for of in regress(frame, "cheated ~ age + region", design=CROSSWISE).tests if of.method != "Wald"]
    whole = log_likelihood([0, 1, 2])
    expected = [2 * (whole - log_likelihood(columns)) for columns in ([0], [0, 2], [0, 1])]
    assert [of.statistic for of in tests] == pytest.approx(expected, abs=1e-6)


def test_fits_without_a_column_at_once_are_those_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "MANY_ROWS", 0)
    of = sample_of_reports(CROSSWISE, 2000, 4)
    basis = basis_of(of.terms.matrix, of.weights, of.terms.names)
    each = [[1, 2], [0, 2], [0]]
    for kept, found in zip(each, fit_restricted(of, basis, fit_columns(of, range(3)), each), strict=True):
        alone = fit_columns(of, kept)
        assert found is not None
        assert found[0] == pytest.approx(alone.log_likelihood, abs=1e-9)
        assert found[1] == pytest.approx(alone.coefficients, abs=1e-5)


def test_a_basis_is_orthogonal_and_gives_the_matrix_back() -> None:
    random = np.random.default_rng(3)
    weights = random.integers(1, 4, 300).astype(float)
    plain = random.normal(size=(300, 4)) * [1, 1e6, 1e-9, 3]
    for near in (1.0, 1e-3, 1e-8):  # of the last Cholesky would keep no digit
        matrix = np.column_stack([plain, plain[:, 0] + near * random.normal(size=300)])
        basis = basis_of(matrix, weights, "abcde")
        unit = basis.matrix.T @ (weights[:, None] * basis.matrix) / weights.sum()
        assert unit == pytest.approx(np.eye(5), abs=1e-12)
        assert basis.matrix @ basis.triangle / np.abs(matrix).max(axis=0) == pytest.approx(
            matrix / np.abs(matrix).max(axis=0), abs=1e-14
        )
        some = basis.of([1, 4])
        assert some.matrix @ some.triangle == pytest.approx(matrix[:, [1, 4]], rel=1e-9)
    with pytest.raises(SourceError, match="e is a sum of multiples of a"):
        basis_of(np.column_stack([plain, 2 * plain[:, 0]]), weights, "abcde")


def test_rows_are_alike_only_if_all_columns_are(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [np.array([1, 2, 1, 2, 1]), np.array([0.5, 0.5, 0.5, -1, 7])]
    for odd in (sample._ODD, np.uint64(0)):  # by which all rows have one hash
        monkeypatch.setattr(sample, "_ODD", odd)
        first, group = alike(columns)
        assert group[0] == group[2]
        assert len({*group.tolist()}) == 4
        assert all((column[first][group] == column).all() for column in columns)


CELLS = {
    "plain": ["0.5", "1e3", "-2", "0.50", "7"],
    "missing": ["0.5", "NA", "-2", "", "7"],
    "no number": ["0.5", "1", "-2", "ten", "7"],
    "underscore": ["0.5", "1_0", "-2", "3", "7"],
    "infinite": ["0.5", "inf", "-2", "3", "7"],
    "not missing": ["0.5", "NAN", "-2", "3", "7"],
}


@pytest.mark.parametrize("of", CELLS)
def test_numbers_that_were_never_texts_are_those_of_texts(tmp_path: Path, of: str) -> None:
    """Of a CSV and of a data frame; an odd cell makes texts of its column alone."""
    frame = asked(CROSSWISE, 90)
    frame["x"] = CELLS[of] * 18
    frame.to_csv(tmp_path / "data.csv", index=False)
    found = []
    for numbers in (["x", "age"], []):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sotto_estimator.regression.spec.RegressionSpec.numbers", numbers)
            found.append([said_of(source, "cheated ~ x + age") for source in (tmp_path / "data.csv", frame)])
    assert found[0] == found[1]


def said_of(source: object, formula: str) -> object:
    try:
        found = regress(source, formula, design=CROSSWISE)  # type: ignore[arg-type]
    except SourceError as fault:
        return str(fault)
    return [round(of.estimate, 10) for of in found.coefficients], found.notes


def test_a_fault_of_a_number_names_its_row_and_itself() -> None:
    frame = asked(CROSSWISE, 90).astype({"age": object})
    frame.loc[3, "age"] = np.nan
    frame.loc[8, "age"] = 2e3
    with pytest.raises(SourceError, match=r"column age, row 10: '2000' must be in \[-1000, 1000\]"):
        regress(frame.assign(age=pd.to_numeric(frame["age"])), "cheated ~ region", design=CROSSWISE, offset="age")


def test_where_estimates_have_no_end_a_term_is_tested_against_the_best_fit_without_it() -> None:
    """A climb from the whole fit alone ended 5.7 lower: far out there is more than one maximum."""
    frame = asked("warner(prob=0.6)", 60, 5)
    found = regress(frame, "cheated ~ age + region", design="warner(prob=0.6)")
    assert "separation" in found.warnings[0]
    without = regress(frame, "cheated ~ age", design="warner(prob=0.6)")
    ratio = next(of for of in found.tests if (of.terms, of.method) == ("region", "likelihood ratio"))
    most = 2 * (found.quality.log_likelihood - without.quality.log_likelihood)
    assert ratio.statistic == pytest.approx(max(0.0, most), abs=1e-6)
