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


_LIME = ("id", "class", "type/scale", "name", "relevance", "text", "help", "language", "mandatory", "other")
Rows = list[dict[str, str]]


def lime_rows(*rows: dict[str, str], languages: str = "en") -> Rows:
    """Return the rows of a structure: those given in a group "Main", after the survey's."""
    first, *others = languages.split()
    found: Rows = [
        {"class": "S", "name": "language", "text": first},
        {"class": "S", "name": "additional_languages", "text": " ".join(others)},
        *({"class": "SL", "name": "surveyls_title", "text": "Tea time", "language": name} for name in (first, *others)),
        {"class": "G", "name": "Main", "language": first},
    ]
    return found + [{"language": first, "relevance": "1"} | row for row in rows]


def lime_tsv(rows: Rows) -> bytes:
    """Return a tab-separated structure of LimeSurvey."""
    columns = [*_LIME, *dict.fromkeys(name for row in rows for name in row if name not in _LIME)]
    file = StringIO()
    table = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return b"\xef\xbb\xbf" + file.getvalue().encode()


def lss(rows: Rows) -> bytes:
    """Return the same structure in XML, as LimeSurvey 3 writes it: a row a language."""
    tables: dict[str, list[dict[str, str]]] = {}
    gid, qid, last, ids = 0, 0, "", dict[str, str]()
    for number, row in enumerate(rows):
        kind, text, language = row["class"], row.get("text", ""), row.get("language", "")
        order = str(number)
        if kind == "S":
            tables.setdefault("surveys", [{}])[0][row["name"]] = text
        elif kind == "SL":
            settings = {"surveyls_language": language, row["name"]: text}
            tables.setdefault("surveys_languagesettings", []).append(settings)
        elif kind == "G":
            gid = gid % sum(each["class"] == "G" and each["language"] == rows[0]["text"] for each in rows) + 1
            group = {"gid": str(gid), "group_name": row["name"], "group_order": str(gid), "language": language}
            tables.setdefault("groups", []).append(group | {"grelevance": row.get("relevance", "")})
        elif kind == "Q":
            last = ids.setdefault(row["name"], str(100 + len(ids)))
            asked = {"qid": last, "parent_qid": "0", "gid": str(gid), "type": row["type/scale"], "title": row["name"]}
            asked |= {"question": text, "question_order": order, "language": language}
            asked |= {name: row[name] for name in ("help", "relevance", "mandatory", "other") if name in row}
            tables.setdefault("questions", []).append(asked)
            tables.setdefault("question_attributes", []).extend(
                {"qid": last, "attribute": name, "value": value} for name, value in row.items() if name not in _LIME
            )
        elif kind == "SQ":
            qid = int(last) * 100 + len(tables.get("subquestions", []))
            nested = {"qid": str(qid), "parent_qid": last, "title": row["name"], "question": text, "language": language}
            nested |= {"question_order": order, "scale_id": row.get("type/scale", ""), "relevance": row["relevance"]}
            tables.setdefault("subquestions", []).append(nested)
        elif kind == "A":
            answer = {"qid": last, "code": row["name"], "answer": text, "sortorder": order, "language": language}
            tables.setdefault("answers", []).append(answer | {"scale_id": row.get("type/scale", "")})
    written = [f"<{table}><rows>{''.join(map(_xml_row, listed))}</rows></{table}>" for table, listed in tables.items()]
    kind = "<LimeSurveyDocType>Survey</LimeSurveyDocType>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<document>{kind}{"".join(written)}</document>'.encode()


def _xml_row(row: dict[str, str]) -> str:
    cells = [f"<{name}><![CDATA[{text}]]></{name}>" if text else f"<{name}/>" for name, text in row.items()]
    return f"<row>{''.join(cells)}</row>"
