"""Forms of other programs as small files, and what the import makes of them."""

import csv
import json
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


def multiple_choice(tag: str, *choices: str, **members: Any) -> dict[str, Any]:
    """Return a question of Qualtrics; `required` forces a response."""
    required = members.pop("required", False)
    return {
        "DataExportTag": tag,
        "QuestionText": "Q?",
        "QuestionType": "MC",
        "Selector": "SAVR",
        "SubSelector": "TX",
        "Choices": {str(number): {"Display": text} for number, text in enumerate(choices or ("Tea", "Coffee"), 1)},
        "Validation": {"Settings": {"ForceResponse": "ON" if required else "OFF", "Type": "None"}},
        "Language": [],
    } | members


def qsf(*questions: dict[str, Any], flow: Any = None, elements: Any = None, **entry: Any) -> bytes:
    """Return a survey of Qualtrics, whose questions are QID1, QID2, .. in the block BL_1."""
    ids = [f"QID{number}" for number in range(1, len(questions) + 1)]
    listed = [{"Type": "Question", "QuestionID": name} for name in ids] if elements is None else elements
    blocks = [
        {"Type": "Default", "Description": "Default", "ID": "BL_1", "BlockElements": listed},
        {"Type": "Trash", "Description": "Trash", "ID": "BL_2", "BlockElements": []},
    ]
    found = [{"Element": "BL", "PrimaryAttribute": "Survey Blocks", "Payload": blocks}]
    found += [{"Element": "FL", "Payload": {"Type": "Root", "Flow": flow or [{"Type": "Block", "ID": "BL_1"}]}}]
    found += [
        {"Element": "SQ", "PrimaryAttribute": name, "Payload": {"QuestionID": name} | question}
        for name, question in zip(ids, questions, strict=True)
    ]
    whole = {"SurveyEntry": {"SurveyName": "Tea time", "SurveyLanguage": "EN"} | entry, "SurveyElements": found}
    return json.dumps(whole).encode()
