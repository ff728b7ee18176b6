"""A term without a value in some row is refused, and never counted as the first of its categories."""

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


def test_a_term_that_has_no_value_in_a_row_is_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    for terms, message in UNDEFINED:
        for formula in (f"cheated ~ {terms}", f"votes ~ hidden(cheated) + {terms}"):
            with pytest.raises(SourceError, match=message):
                regress(frame, formula, design=FORCED)
    frame.loc[0, "region"] = None
    with pytest.raises(SourceError, match="row 2 of those used, where x is '0'"):
        regress(frame, "cheated ~ region + C(np.log(x))", design=FORCED)
    frame.astype({"x": str}).replace({"x": {"0": "nan"}}).to_csv(tmp_path / "data.csv", index=False)
    with pytest.raises(SourceError, match="column x, row 4: 'nan' must be a number"):
        regress(tmp_path / "data.csv", "cheated ~ x", design=FORCED)
    with pytest.raises(DomainError, match=r"x \(-1\) must be one of 0, 1, 2, 3, 4"):
        regress(frame, "cheated ~ C(np.round(np.sqrt(x)))", design=FORCED, predict=[{"x": -1}])


def test_numbers_whose_squares_are_none_are_refused(frame: pd.DataFrame) -> None:
    for scale in (1e160, 1e-160):
        large = frame.assign(x=frame["x"] * scale, votes=frame["x"] * scale)
        for formula, name in (("cheated ~ x", "x"), ("votes ~ hidden(cheated) + age", "column votes")):
            with pytest.raises(SourceError, match=f"^{name} has values of 4e.160, where 1e-100 to 1e.100 can be"):
                regress(large, formula, design=FORCED)
    odd = frame.assign(votes=np.where(np.arange(120) == 5, np.inf, frame["x"] + 0.5))
    with pytest.raises(SourceError, match="column votes, row 7: 'inf' must be yes or no, 1 or 0 or a number"):
        regress(odd, "votes ~ hidden(cheated)", design=FORCED)


def test_braces_are_no_division_of_terms(frame: pd.DataFrame) -> None:
    found = regress(frame[frame["x"] > 0], "cheated ~ {1 / x}:age", design=FORCED)
    assert [of.name for of in found.coefficients] == ["Intercept", "1 / x:age"]
