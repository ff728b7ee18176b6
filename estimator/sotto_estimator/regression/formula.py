"""Formulas, by formulaic: which columns they name, the matrix of a table's rows, and that of people who are made up."""

import ast
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, meant
from sotto_estimator.regression.covariates import series_of
from sotto_estimator.regression.undefined import Undefined, evaluate, not_finite, too_far
from sotto_estimator.table.table import DataColumn, DataTable, in_order
from sotto_protocol.extras import MissingExtra

if TYPE_CHECKING:
    import pandas as pd

INTERCEPT = "Intercept"
_QUOTED = re.compile(r"`([^`]+)`")
_DOTTED = re.compile(r"(?<![\w.`])(?!(?:np|contr)\.)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?![\w(`])")
_HIDDEN = re.compile(r"hidden\((.*)\)")
_CATEGORY = re.compile(r"C\(\s*(?:`[^`]+`|\w+)\s*[,)]")
_COLOURS = re.compile("\x1b\\[[0-9;]*m|[⧛⧚]")


@dataclass(frozen=True, slots=True)
class Formula:
    """`outcome ~ terms`. `hidden`: the column of a hidden answer among the terms, or "".

    `terms` are what else there is, as formulaic writes it; `names` the columns of these, `categories` those of them
    that stand in C(COLUMN) alone.
    """

    text: str
    outcome: str
    hidden: str
    terms: str
    names: tuple[str, ...]
    categories: frozenset[str]

    @property
    def reports(self) -> str:
        """The column of the reports of the hidden answer."""
        return self.hidden or self.outcome


def read_formula(text: str) -> Formula:
    """Return a formula as it is written: `cheated ~ age + C(region)`, or `civic ~ hidden(cheated) + age`.

    A column whose name is no Python name stands in backticks; one with dots need not. Raises DomainError, and
    MissingExtra where formulaic is not installed.
    """
    _require_formulaic()
    left, sign, right = text.partition("~")
    outcome = left.strip().strip("`")
    if not (sign and outcome and right.strip() and "~" not in right):
        raise DomainError(f"the formula ({text:.80}) must be written as COLUMN ~ TERMS, such as cheated ~ age.")
    terms = [term.factors for term in _parse(_DOTTED.sub(r"`\1`", right), text)]
    found = [(factors, _HIDDEN.fullmatch(":".join(map(_written, factors)))) for factors in terms]
    hidden = [match[1].strip("` ") for _, match in found if match]
    kept = [factors for factors, match in found if not match]
    others = [":".join(map(_written, factors)) for factors in kept]
    if any("hidden(" in term for term in others) or len(hidden) > 1:
        raise DomainError(
            "hidden(COLUMN) must be a term of its own, and a formula may have only one. To explain an answer by "
            "several hidden answers of the same survey, use `sotto regress RECORDS`."
        )
    if not others:
        raise DomainError(f"the formula ({text:.80}) needs an intercept, or a column that explains the answer.")
    if hidden and hidden[0] == outcome:
        raise DomainError(f"{outcome} cannot explain itself.")
    written = " + ".join(others) + ("" if "1" in others else " - 1")
    each = [factor for factors in kept for factor in factors]
    names = [name for factor in each for name in _names_of(factor)]
    numbers = {name for factor in each if not _CATEGORY.match(str(factor.expr)) for name in _names_of(factor)}
    return Formula(
        text.strip(),
        outcome,
        "".join(hidden),
        written,
        tuple(dict.fromkeys(names)),
        frozenset(names) - numbers,
    )


def _require_formulaic() -> None:
    for module in ("formulaic", "pandas"):
        if find_spec(module) is None:
            raise MissingExtra("regression", "regress", module)


def _parse(right: str, text: str) -> list[Any]:
    from formulaic import Formula as Parsed
    from formulaic.formula import SimpleFormula

    try:
        parsed = Parsed(right)
    except Exception as fault:  # whatever it is, the formula is why
        raise _refused(text, fault) from fault
    if not isinstance(parsed, SimpleFormula):
        raise DomainError(f"the formula ({text:.80}) must have one side to the right, without a bar.")
    return list(parsed)


def _written(factor: Any) -> str:
    """Return a factor as it is written: formulaic takes the braces off, and the backticks of a name alone."""
    expr, method = str(factor.expr), factor.eval_method.name
    if method == "PYTHON" and not isinstance(_tree(expr).body, ast.Call):
        return f"{{{expr}}}"
    return f"`{expr}`" if method == "LOOKUP" and not expr.isidentifier() else expr


def _tree(expr: str) -> ast.Expression:
    return ast.parse(_QUOTED.sub("_quoted", expr), mode="eval")


def _names_of(factor: Any) -> list[str]:
    """Return the columns that a factor names: what is no number, and neither called nor taken apart."""
    expr, method = str(factor.expr), factor.eval_method.name
    if method != "PYTHON":
        return [expr] if method == "LOOKUP" else []
    tree = _tree(expr)
    parts = [of.func for of in ast.walk(tree) if isinstance(of, ast.Call)]
    parts += [of.value for of in ast.walk(tree) if isinstance(of, ast.Attribute)]
    names = [of.id for of in ast.walk(tree) if isinstance(of, ast.Name) and of not in parts]
    return [*_QUOTED.findall(expr), *(name for name in names if name != "_quoted")]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The matrix of a formula's terms, shape (n, k): the names of its columns, and which of them each term has.

    `rows_of` returns the row of a person whose columns are all given; else of every row of the table, with these.
    `rows_at` returns those of the people of a data frame. Both raise DomainError for a category that nobody has, and
    where a term is not finite.
    """

    matrix: Floats
    names: tuple[str, ...]
    slices: Mapping[str, slice]
    rows_of: Callable[[Mapping[str, str]], Floats]
    rows_at: "Callable[[pd.DataFrame], Floats] | None" = None

    def references(self, table: DataTable, names: Iterable[str]) -> dict[str, str]:
        """Return, of these columns of categories, the one category that has no column of its own."""
        found = {}
        for name in names:
            listed = [re.fullmatch(rf"(?:C\()?{re.escape(name)}(?:,.*)?\)?\[T\.(.*)\]", of) for of in self.names]
            if not (compared := {match[1] for match in listed if match}):
                continue
            left = [label for label in table.columns[name].labels if label not in compared]
            if len(left) == 1:
                found[name] = left[0]
        return found

    def tested(self) -> dict[str, list[int]]:
        """Return the columns of each term but the intercept."""
        return {term: [*range(of.start, of.stop)] for term, of in self.slices.items() if term != INTERCEPT}


def terms_of(formula: Formula, table: DataTable) -> Terms:
    """Return the matrix of the rows of a table.

    Raises DomainError for what cannot be evaluated, SourceError, which names the row, for what is not finite.
    """
    import pandas as pd
    from formulaic import Formula as Parsed

    columns = table.columns
    frame = pd.DataFrame(
        {name: series_of(columns[name], is_category=name in formula.categories) for name in formula.names},
        index=range(table.n_rows),
        copy=False,
    )
    try:
        with _quiet():
            spec, matrix, undefined = evaluate(Parsed(formula.terms), frame)
    except Exception as fault:
        raise _refused(formula.text, fault) from fault
    names = tuple(_plain(name) for name in spec.column_names)
    if undefined := undefined or not_finite(names, matrix) or too_far(names, matrix):
        raise undefined.fault(table, formula.names)
    slices = {_plain(str(term)): part for term, part in spec.term_slices.items()}

    def rows_of(cells: Mapping[str, str]) -> Floats:
        if unknown := [name for name in cells if name not in formula.names]:
            hint = meant(formula.names, unknown[0])
            raise DomainError(f"a prediction takes {', '.join(formula.names)}, not {unknown[0]:.40}.{hint}")
        given = {name: _value(columns[name], cells) for name in formula.names if name in cells}
        is_whole = len(given) == len(formula.names)
        for name, value in given.items():
            alone = frame.head(1).assign(**{name: value})
            _matrix_of(spec, alone, f"{name} ({cells[name]:.40}) must be one of {_listed(columns[name])}")
        said = ", ".join(f"{name}={value:.40}" for name, value in cells.items())
        made = pd.DataFrame(given, index=[0]) if is_whole else frame.assign(**given)
        rows, undefined = _matrix_of(spec, made, f"a prediction ({said}) must have categories that are in the data")
        if undefined := undefined or not_finite(names, rows):
            raise DomainError(f"a prediction ({said}) must have finite terms, and {undefined}.")
        return rows

    def rows_at(people: "pd.DataFrame") -> Floats:
        if missing := [name for name in formula.names if name not in people.columns]:
            raise DomainError(f"a prediction needs a column {missing[0]:.40}; there are {_given(people)}.")
        made = {}
        for name in formula.names:
            texts = [str(of) for of in people[name]]
            values = {text: _value(columns[name], {name: text}) for text in dict.fromkeys(texts)}
            made[name] = [values[text] for text in texts]
        of_made = pd.DataFrame(made, index=range(len(people)))
        rows, undefined = _matrix_of(spec, of_made, "a prediction must have categories that are in the data")
        if undefined := undefined or not_finite(names, rows):
            raise DomainError(f"a prediction (row {undefined.row + 1}) must have finite terms, and {undefined}.")
        return rows

    return Terms(matrix, names, slices, rows_of, rows_at)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let formulaic and NumPy warn of nothing, as what comes of it is checked; an unknown category is an error."""
    from formulaic.errors import DataMismatchWarning

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DataMismatchWarning)
        yield


def _matrix_of(spec: Any, made: "pd.DataFrame", expected: str) -> tuple[Floats, Undefined | None]:
    """Return the matrix of people who are made up, and a term that has no value.

    Raises DomainError, for a category that is unknown as `expected`.
    """
    from formulaic.errors import DataMismatchWarning

    try:
        with _quiet():
            return evaluate(spec, made)[1:]
    except DataMismatchWarning as fault:
        raise DomainError(f"{expected}.") from fault
    except Exception as fault:
        raise DomainError(f"a prediction cannot be made: {_said(fault)}") from fault


def _value(column: DataColumn, cells: Mapping[str, str]) -> object:
    """Return a made-up person's value. Raises DomainError where nobody has it."""
    text = cells[column.name]
    if not column.is_number:
        if text not in column.labels:
            raise DomainError(f"{column.name} ({text:.40}) must be one of {_listed(column)}.")
        return text
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise DomainError(f"{column.name} ({text:.40}) must be a number.")
    return value


def _given(people: "pd.DataFrame") -> str:
    return ", ".join(map(str, people.columns[:12])) or "none"


def _listed(column: DataColumn) -> str:
    return ", ".join(in_order(column.labels)[:12])


def _plain(name: str) -> str:
    """Return a column's name without backticks; a category that is a whole number as one."""
    return re.sub(r"(\d)\.0\]", r"\1]", name.replace("`", "")) if name != "1" else INTERCEPT


def _refused(text: str, fault: Exception) -> DomainError:
    return DomainError(f"the formula ({text.strip():.120}) cannot be read: {_said(fault)}")


def _said(fault: Exception) -> str:
    return " ".join(_COLOURS.sub("", str(fault)).split())[:300]
