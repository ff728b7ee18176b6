"""A term without a value in some row is refused, and never counted as the first of its categories."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_regression import FORCED, asked

from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.regression.regress import regress


@pytest.fixture
def frame() -> pd.DataFrame:
    """Return people of whom the third has an x of 0."""
    found = asked(FORCED, 120).drop(columns="answer")
    found["x"] = np.where(np.arange(120) == 2, 0, np.arange(120) % 4 + 1)
    found["votes"] = np.where(np.arange(120) % 3, "yes", "no")
    return found


UNDEFINED = [
    ("C(np.round(np.log(x)))", r"row 4, where x is '0': C\(np.round\(np.log\(x\)\)\) is -inf, and must be a text or a"),
    ("C(np.round(np.sqrt(x - 1)))", r"row 4, where x is '0': .* is nan, and must be a text or a finite number\.$"),
    ("C(np.where(x == 0, None, 'a'))", r"row 4, where x is '0': .* is nan, and must be a text"),
    ("age * C(1 / x)", r"row 4, where x is '0': C\(1 / x\) is inf"),
    ("region:C(np.log(x), contr.sum)", "row 4, where x is '0': C"),
    ("age:np.log(x)", r"row 4, where age is .*, where x is '0': age:np.log\(x\) is -?inf, and must be a finite number"),
    ("{1 / x}", "row 4, where x is '0': 1 / x is inf"),
    ("bs(np.log(x), df=4)", r"every row: bs\(np.log\(x\), df=4\)\[1\] is nan"),
]


def test_a_term_that_has_no_value_in_a_row_is_refused(frame: pd.DataFrame) -> None:
    for terms, message in UNDEFINED:
        for formula in (f"cheated ~ {terms}", f"votes ~ hidden(cheated) + {terms}"):
            with pytest.raises(SourceError, match=message):
                regress(frame, formula, design=FORCED)
    frame.loc[0, "region"] = None
    with pytest.raises(SourceError, match="row 2 of those used, where x is '0'"):
        regress(frame, "cheated ~ region + C(np.log(x))", design=FORCED)
    with pytest.raises(DomainError, match=r"x \(-1\) must be one of 0, 1, 2, 3, 4"):
        regress(frame, "cheated ~ C(np.round(np.sqrt(x)))", design=FORCED, predict=[{"x": -1}])


def test_numbers_whose_squares_are_none_are_refused(frame: pd.DataFrame) -> None:
    for scale in (1e160, 1e-160):
        large = frame.assign(x=frame["x"] * scale, votes=frame["x"] * scale)
        for formula, name in (("cheated ~ x", "x"), ("votes ~ hidden(cheated) + age", "column votes")):
            with pytest.raises(SourceError, match=f"^{name} has values up to 4e.160; they must be in .1e-100, 1e.100."):
                regress(large, formula, design=FORCED)
    odd = frame.assign(votes=np.where(np.arange(120) == 5, np.inf, frame["x"] + 0.5))
    with pytest.raises(SourceError, match="column votes, row 7: 'inf' must be yes or no, 1 or 0 or a number"):
        regress(odd, "votes ~ hidden(cheated)", design=FORCED)


def test_braces_are_no_division_of_terms(frame: pd.DataFrame) -> None:
    found = regress(frame[frame["x"] > 0], "cheated ~ {1 / x}:age", design=FORCED)
    assert [of.name for of in found.coefficients] == ["Intercept", "1 / x:age"]


def test_a_stray_cell_makes_no_categories_of_numbers(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    texts = frame.astype({"x": str})
    for cell in ("inf", "1,5", ".", "alt"):
        said = texts.replace({"x": {"0": cell}})
        said.to_csv(path, index=False, sep=";")
        for source in (path, said):
            for formula in ("cheated ~ x", "cheated ~ age + C(x):x", "votes ~ hidden(cheated) + poly(x, 2)"):
                with pytest.raises(SourceError, match=rf"column x, row 4: '{cell}' must be a finite number"):
                    regress(source, formula, design=FORCED)
    with pytest.raises(SourceError, match=r"as 119 of 120 cells are; or empty, .*; or write C\(`no name`\)"):
        regress(said.rename(columns={"x": "no name"}), "cheated ~ `no name`", design=FORCED)
    with pytest.raises(SourceError, match="column x, row 4: 'inf' must be a finite number"):
        regress(frame.replace({"x": {0: np.inf}}), "cheated ~ x", design=FORCED)
    with pytest.raises(SourceError, match="column x, row 4: 'inf' must be a finite number"):
        regress(frame.replace({"x": {0: np.inf}}), "cheated ~ C(x)", design=FORCED)
    said = texts.replace({"x": {"0": "other"}})
    for formula in ("cheated ~ C(x)", "cheated ~ C( `x`, contr.treatment(base='1'))", "cheated ~ age:C(x)"):
        assert any("other]" in of.name for of in regress(said, formula, design=FORCED).coefficients)
    texts["x"] = texts["x"].replace({"0": "a", "1": "b", "2": "c"})  # of five, two are numbers
    assert "x[T.b]" in {of.name for of in regress(texts, "cheated ~ x", design=FORCED).coefficients}


def test_nan_is_missing_wherever_it_stands(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    without = regress(frame[frame["x"] != 0], "cheated ~ x", design=FORCED)
    for cell in ("NaN", "nan", "NA", ""):
        said = frame.astype({"x": str}).replace({"x": {"0": cell}})
        said.to_csv(path, index=False)
        for source in (path, said, frame.replace({"x": {0: np.nan}})):
            found = regress(source, "cheated ~ x", design=FORCED)
            assert found["x"].estimate == pytest.approx(without["x"].estimate)
            assert "1 of 120 rows are left out because a value is missing: x in 1" in found.notes


@pytest.mark.filterwarnings("error")
def test_numbers_too_far_apart_are_named(frame: pd.DataFrame) -> None:
    for value in (1e308, -1e150, 1e10):
        odd = frame.assign(age=frame["age"].where(frame["x"] > 0, value))
        for formula in ("cheated ~ region + age", "votes ~ hidden(cheated) + age"):
            message = rf"row 4, where age is '.*': age is {re.escape(f'{value:g}')}, and must be less far"
            with pytest.raises(SourceError, match=message):
                regress(odd, formula, design=FORCED)
        with pytest.raises(SourceError, match=r"column age, row 4: .* must be less far from the others"):
            regress(odd, "age ~ hidden(cheated)", design=FORCED)
        assert regress(odd, "cheated ~ C(age > 0)", design=FORCED).coefficients
    plain = regress(frame, "cheated ~ age", design=FORCED)["age"]
    large = regress(frame.assign(age=frame["age"] * 1e90), "cheated ~ age", design=FORCED)["age"]
    assert large.z == pytest.approx(plain.z)
