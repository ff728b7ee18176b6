"""Forms of other programs as small files, and what the import makes of them."""

import csv
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest

from sotto_author.errors import FormError
from sotto_author.forms.asking import ImportedForm, Terms
from sotto_author.forms.programs import import_file
from sotto_protocol import compile_toml

_REDCAP = {
    "name": "Variable / Field Name",
    "form": "Form Name",
    "header": "Section Header",
    "field_type": "Field Type",
    "label": "Field Label",
    "choices": "Choices, Calculations, OR Slider Labels",
    "note": "Field Note",
    "validation": "Text Validation Type OR Show Slider Number",
    "min": "Text Validation Min",
    "max": "Text Validation Max",
    "identifier": "Identifier?",
    "logic": "Branching Logic (Show field only if...)",
    "required": "Required Field?",
    "alignment": "Custom Alignment",
    "number": "Question Number (surveys only)",
    "matrix": "Matrix Group Name",
    "ranking": "Matrix Ranking?",
    "annotation": "Field Annotation",
}


def redcap(*fields: dict[str, str]) -> bytes:
    """Return a data dictionary of fields."""
    file = StringIO()
    table = csv.DictWriter(file, list(_REDCAP), lineterminator="\n")
    table.writerow(_REDCAP)
    table.writerows({"form": "main", "field_type": "text", "label": "Q?"} | field for field in fields)
    return file.getvalue().encode()


def imported(content: bytes, **terms: Any) -> ImportedForm:
    """Return what a file becomes, which compiles."""
    found = import_file(content, "form", "form", Terms(Decimal("0.5"), **terms))
    assert isinstance(found, ImportedForm)
    compile_toml(found.to_toml())
    return found


def asked(content: bytes, **terms: Any) -> list[dict[str, Any]]:
    """Return the questions of a file."""
    questions: list[dict[str, Any]] = imported(content, **terms).definition["questions"]
    return questions


def notes_of(content: bytes, **terms: Any) -> tuple[str, ...]:
    """Return what is said of a file."""
    return imported(content, **terms).notes


def problems_of(content: bytes, **terms: Any) -> tuple[str, ...]:
    """Return everything for which a file is refused."""
    with pytest.raises(FormError) as refused:
        imported(content, **terms)
    return refused.value.problems
