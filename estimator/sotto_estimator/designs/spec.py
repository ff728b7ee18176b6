"""A design as it is written: `crosswise(prob_innocuous=1/6)`, where a value may be the name of a column."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from sotto_estimator.designs.design import Arm, Design
from sotto_estimator.designs.given import Given, ordered_counts
from sotto_estimator.designs.parameters import Parameter, Value, is_like_a_number, written
from sotto_estimator.designs.registry import DESIGNS, NamedDesign
from sotto_estimator.errors import DomainError, meant, one_of

_MAX_LENGTH = 10_000


@dataclass(frozen=True, slots=True)
class DesignSpec:
    """A named design with its values; those of `columns` (parameter -> column's name) are not known yet."""

    name: str
    values: Mapping[str, Value]
    columns: Mapping[str, str]

    def samples(self, cells: Mapping[str, str] | None = None) -> tuple[Design, ...]:
        """Return the design of every sample. `cells`: what a record's columns hold, by their names.

        Raises `DomainError` where a column is not among them, or what it holds is outside of the parameter's domain.
        """
        values = dict(self.values)
        for parameter, column in self.columns.items():
            if cells is None or column not in cells:
                raise DomainError(
                    f"{self.name}: {parameter} ({column:.40}) must be a decimal or a fraction such as 2/3. "
                    "A column's name needs a table that has the column."
                )
            values[parameter] = _parameter(self.name, parameter).read(cells[column].strip())
        told = {name: written(value) for name, value in values.items()}
        designs = DESIGNS[self.name].make(**values)
        return tuple(replace(design, parameters=design.parameters or told) for design in designs)

    def design(self, cells: Mapping[str, str] | None = None) -> Design:
        """Return the one design, as `samples`. Raises `DomainError` also where there are several samples."""
        designs = self.samples(cells)
        if len(designs) > 1:
            raise DomainError(f"{self.name} is a design of {len(designs)} samples: each needs its own counts.")
        return designs[0]


def read_design(text: str) -> Design:
    """Return the design that is written as NAME(parameter=value, ..). Raises `DomainError`.

    >>> read_design("crosswise(prob_innocuous=1/6)").reports
    ('same', 'different')
    """
    return read_spec(text).design()


def arm(design: str, counts: Given) -> Arm:
    """Return a group of people who were asked by a design, with the counts of their reports.

    `counts` are in the order of the design's reports, or by their names. Raises `DomainError`.

    >>> arm("crosswise(prob_innocuous=1/6)", [120, 280]).n
    400.0
    >>> arm("kuk(prob_red_if_yes=0.8, prob_red_if_no=0.2)", {"red": 300, "other": 100}).counts.tolist()
    [100.0, 300.0]
    """
    read = read_design(design)
    return Arm(read, ordered_counts(read, counts))


def read_labelled(text: str) -> tuple[str, DesignSpec]:
    """Return the label of an arm, "" where it has none, and its design: `LABEL=NAME(parameter=value, ..)`."""
    label, sign, rest = text.partition("=")
    return (label.strip(), read_spec(rest)) if sign and "(" not in label else ("", read_spec(text))


def read_spec(text: str) -> DesignSpec:
    """Return a design as it is written, columns and all; `prob` is the one probability of those that have one.

    Raises `DomainError`, which names what is wrong and what was expected.
    """
    call = read_call(text[:_MAX_LENGTH])
    name = call.name if call else text.partition("(")[0].strip()
    if name not in DESIGNS:
        raise DomainError(f"the design ({name:.40}) {one_of(DESIGNS, name)}")
    if call is None:
        raise DomainError(f"{name} must be written as NAME(parameter=value, ..), for example {DESIGNS[name].example}.")
    values: dict[str, Value] = {}
    columns: dict[str, str] = {}
    for key, value in call.parameters:
        _read_value(name, key, value, values, columns)
    missing = [of.name for of in DESIGNS[name].parameters if of.is_needed and of.name not in {*values, *columns}]
    if missing:
        raise DomainError(f"{name} needs {' and '.join(missing)}, for example {DESIGNS[name].example}.")
    return DesignSpec(name, values, columns)


def _read_value(name: str, key: str, text: str | None, values: dict[str, Value], columns: dict[str, str]) -> None:
    if text is None:
        raise DomainError(f"{name}: {key:.40} must be written as parameter=value.")
    parameter = _parameter(name, key)
    if parameter.name in {*values, *columns}:
        raise DomainError(f"{name}: {parameter.name} is given twice.")
    if parameter.may_be_column and not is_like_a_number(text):
        columns[parameter.name] = text
        return
    try:
        values[parameter.name] = parameter.read(text)
    except DomainError as fault:
        raise DomainError(f"{name}: {fault}") from None


def _parameter(name: str, key: str) -> Parameter:
    """Return a design's parameter of this name; `prob` is that of a design that needs one probability."""
    parameters = DESIGNS[name].parameters
    if key == "prob" and (alone := _only_probability(DESIGNS[name])):
        return alone
    for parameter in parameters:
        if parameter.name == key:
            return parameter
    known = [of.name for of in parameters]
    raise DomainError(f"{name} has no parameter {key:.40}; it has {', '.join(known)}.{meant(known, key)}")


def _only_probability(named: NamedDesign) -> Parameter | None:
    probabilities = [of for of in named.parameters if of.kind == "probability"]
    return probabilities[0] if len(probabilities) == 1 else None


_CALL = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class WrittenCall(NamedTuple):
    """A name, and its parameters in their order; the value of one that is written without = is None."""

    name: str
    parameters: tuple[tuple[str, str | None], ...]


def read_call(text: str) -> WrittenCall | None:
    """Return what is written, without blanks around it; None where it is not written so.

    >>> read_call("kuk(prob_red_if_yes=.8, prob_red_if_no=.2)")
    WrittenCall(name='kuk', parameters=(('prob_red_if_yes', '.8'), ('prob_red_if_no', '.2')))
    """
    if not (found := _CALL.fullmatch(text)):
        return None
    parts = (part.partition("=") for part in (found[2] or "").split(",") if part.strip())
    return WrittenCall(found[1], tuple((key.strip(), value.strip() if sign else None) for key, sign, value in parts))
