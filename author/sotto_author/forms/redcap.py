"""REDCap's data dictionary (CSV) as items: a row a field. Pure: a table in."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import ELSE, say_ends, say_excluding, say_steps
from sotto_author.forms.items import (
    CALCULATES,
    COLLECTS,
    NEVER_ASKED,
    Item,
    ItemForm,
    Part,
    Shown,
    Unasked,
    no_mechanism,
)
from sotto_author.forms.languages import NO_TITLE, FormText
from sotto_author.forms.table import TableRow, read_table

_COLUMNS = {  # of the file that people download, and what the API calls them
    "variable / field name": "field_name",
    "form name": "form_name",
    "section header": "section_header",
    "field type": "field_type",
    "field label": "field_label",
    "choices, calculations, or slider labels": "select_choices_or_calculations",
    "choices or calculations": "select_choices_or_calculations",
    "field note": "field_note",
    "text validation type or show slider number": "text_validation_type_or_show_slider_number",
    "text validation min": "text_validation_min",
    "text validation max": "text_validation_max",
    "identifier?": "identifier",
    "branching logic (show field only if...)": "branching_logic",
    "required field?": "required_field",
    "custom alignment": "custom_alignment",
    "question number (surveys only)": "question_number",
    "matrix group name": "matrix_group_name",
    "matrix ranking?": "matrix_ranking",
    "field annotation": "field_annotation",
}
_NEEDED = ("field_name", "field_type", "field_label")
_MISSING = "NA"
"""What R writes into an empty cell."""
_YES = ("y", "yes", "1", "true")
_ONE_OF, _ANY_OF = ("radio", "dropdown", "select"), ("checkbox",)
_INSTEAD = {
    "file": "a file cannot be perturbed",
    "sql": "it takes its choices from a database: list them in a dropdown",
    "date": "ask with a dropdown of periods, or for the year as an integer",
    "time": "ask with a dropdown of hours",
}
_NUMBER = re.compile(r"(integer|number(?:_(\d)dp)?)(?:_comma_decimal)?")
_USUAL_STEP = Decimal("0.01")
_VALUE = re.compile(r"-?\d{1,9}(?:[.,]\d{1,6})?")
_UNCHECKED_VALIDATIONS = ("", "autocomplete")
_SLIDER = ("0", "100")
_RECORD = re.compile(r"(?:.*_)?id\d?|record.*", re.IGNORECASE)
_TAG = re.compile(r"@[A-Z][A-Z0-9-]*")
_COMPUTED_TAGS = ("@CALCTEXT", "@CALCDATE")
_UNASKED_TAGS = ("@HIDDEN", "@HIDDEN-SURVEY", "@READONLY", "@READONLY-SURVEY")
_COLLECTED_TAGS = (
    *("@NOW", "@NOW-SERVER", "@NOW-UTC", "@TODAY", "@TODAY-SERVER", "@TODAY-UTC", "@USERNAME"),
    *("@LATITUDE", "@LONGITUDE", "@APPUSERNAME-APP"),
)
_FILLED_IN = "dropped, for REDCap fills it in, and people see it, or may change it"
_SHOWN_UNLESS = ("@HIDDEN", "@HIDDEN-SURVEY")
_NONE = "@NONEOFTHEABOVE"
_NONE_OF_THEM = re.compile(r"@NONEOFTHEABOVE(?:\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|([^\s@'\"]+)))?")
_MOST = re.compile(r"@MAXCHECKED\s*=\s*(\d{1,4})")
_IF = re.compile(r"@IF\b")
_REFERENCE = re.compile(r"(?:\[[^\[\]]*\])?\[([^\[\]]*)\]")
"""A field, with the event before it that it is of."""
_SMART = (
    *("user-", "record-", "event-", "survey-", "arm-", "previous-", "next-", "first-", "last-"),
    *("current-", "is-", "form-", "project-", "instrument-"),
)
"""How REDCap's own variables begin, which it puts into texts."""
_BESIDE = dict.fromkeys(("text", "notes", "textarea"), "choices of an ontology")
"""What choices are of a field that has none."""
_LOST = {
    "field_note": "field note",
    "custom_alignment": "alignment",
    "question_number": "question number",
}


def is_dictionary(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a data dictionary."""
    found = {_COLUMNS.get(name, name) for name in columns}
    return "field_type" in found and len(found & {"field_name", "form_name", "field_label"}) > 1


def read_dictionary(text: str) -> ItemForm:
    """Return the items of a data dictionary. Raises FormError."""
    rows = [_filled(row) for row in read_table(text, _COLUMNS)]
    if missing := [name for name in _NEEDED if rows and name not in rows[0].cells]:
        called = {name: said for said, name in _COLUMNS.items()}
        said = ", ".join(f"{name} ({called[name].title()})" for name in missing)
        raise FormError(f"line 1: is no data dictionary, for it has no column {said}.")
    titles = _Titles(rows)
    fields = frozenset(row["field_name"] for row in rows)
    parts = [part for row in rows for part in _parts(row, titles.of(row), fields, is_first=row is rows[0])]
    return ItemForm(NO_TITLE, tuple(parts), "its branching logic")


def _filled(row: TableRow) -> TableRow:
    return replace(row, cells={name: "" if cell == _MISSING else cell for name, cell in row.cells.items()})


class _Titles:
    """The section that each field stands in: its header, else its instrument where there are several."""

    def __init__(self, rows: Sequence[TableRow]) -> None:
        self._has_several = len({row["form_name"] for row in rows}) > 1
        self._form, self._title = "", ""

    def of(self, row: TableRow) -> FormText:
        if row["form_name"] != self._form:
            self._form = row["form_name"]
            self._title = self._form.replace("_", " ").capitalize() if self._has_several else ""
        self._title = row["section_header"] or self._title
        return FormText(self._title, {})


def _parts(row: TableRow, title: FormText, fields: frozenset[str], *, is_first: bool) -> Iterator[Part]:
    """Yield what a row is."""
    kind, name, label = row["field_type"].lower(), row["field_name"], FormText(row["field_label"], {})
    names = tuple(_depends_on(row, fields))
    is_conditional = bool(row["branching_logic"] or _IF.search(row["field_annotation"]))
    why = _why_unasked(row, kind, is_first=is_first)
    if why:
        yield Unasked(name, why)
    elif kind == "descriptive":
        yield Shown(name, label, is_conditional)
    else:
        try:
            answers, problems = _answers(row, kind), []
        except FormError as fault:
            answers, problems = {}, [str(fault)]
        yield Item(
            place=f'line {row.line} ({kind[:60] or "no type"} "{name[:60]}")',
            name=name,
            text=label,
            answers=answers,
            is_required=row["required_field"].lower() in _YES,
            section=title,
            depends_on=names,
            is_conditional=is_conditional,
            problems=(*problems, *_beside(row, fields)),
            lost=tuple(_lost(row, kind)),
            said=tuple(_said(row, kind, answers)),
            matrix=row["matrix_group_name"],
            codes=tuple(code for code, _ in _coded(row["select_choices_or_calculations"])) if kind in _ONE_OF else (),
        )


def _why_unasked(row: TableRow, kind: str, *, is_first: bool) -> str:
    """Return why nobody is asked, "" where somebody is."""
    tags = set(_TAG.findall(row["field_annotation"])) if not _IF.search(row["field_annotation"]) else set()
    if is_first and kind == "text" and _RECORD.fullmatch(row["field_name"]):
        return COLLECTS
    if kind == "calc" or tags & set(_COMPUTED_TAGS):
        return CALCULATES
    if tags & set(_COLLECTED_TAGS):
        return COLLECTS if tags & set(_SHOWN_UNLESS) else _FILLED_IN
    return NEVER_ASKED if tags & set(_UNASKED_TAGS) else ""


def _depends_on(row: TableRow, fields: frozenset[str]) -> Iterator[str]:
    """Yield whose answers decide whether a field is asked, each once."""
    logic = row["branching_logic"]
    if _IF.search(row["field_annotation"]):
        logic += " " + row["field_annotation"]
    found = [match[1] for match in _REFERENCE.finditer(logic)]
    names = [re.split("[(:]", name.strip())[0] for name in found]
    yield from dict.fromkeys(name if name in fields else ELSE for name in names)
    if logic.strip() and not found:
        yield ELSE


def _answers(row: TableRow, kind: str) -> dict[str, Any]:
    """Return the members of a question. Raises FormError where a field has no mechanism."""
    validation = row["text_validation_type_or_show_slider_number"].lower()
    if kind in ("yesno", "truefalse"):
        texts = ("Yes", "No") if kind == "yesno" else ("True", "False")
        return {"type": "one-of", "options": [FormText(text, {}) for text in texts]}
    if kind in (*_ONE_OF, *_ANY_OF):
        options = list(_options(row["select_choices_or_calculations"]))
        return {"type": "one-of", "options": options} if kind in _ONE_OF else _any_of(row, options)
    if kind == "slider":
        low, high = (row[f"text_validation_{end}"] or usual for end, usual in zip(("min", "max"), _SLIDER, strict=True))
        return {"type": "number", **_range(low, high, Decimal(1))}
    if kind not in ("text", "notes", "textarea"):
        raise FormError(no_mechanism(_INSTEAD.get(kind, "it is no type that sottovoce knows")))
    if number := _NUMBER.fullmatch(validation):
        step = Decimal(1).scaleb(-int(number[2])) if number[2] else _USUAL_STEP
        low, high = row["text_validation_min"], row["text_validation_max"]
        return {"type": "number", **_range(low, high, Decimal(1) if number[1] == "integer" else step)}
    if validation.startswith(("date", "time")):
        raise FormError(no_mechanism(_INSTEAD[validation[:4]]))
    if validation not in _UNCHECKED_VALIDATIONS:
        raise FormError(
            f"has the validation {validation[:60]}, which a survey cannot check: take it away, or leave the field out "
            f"(--leave-out {row['field_name']})."
        )
    return {"type": "text"}


def _options(choices: str) -> Iterator[FormText]:
    """Yield the labels of choices such as `1, Tea | 2, Coffee`. Raises FormError where there is none."""
    if not choices:
        raise FormError("has no choices: list them, as in  1, Tea | 2, Coffee")
    yield from (FormText(label, {}) for _, label in _coded(choices))


def _coded(choices: str) -> Iterator[tuple[str, str]]:
    """Yield the code and the label of each choice."""
    for choice in re.split(r"\||\n", choices):
        code, comma, label = choice.partition(",")
        if choice.strip():
            yield code.strip(), (label if comma else code).strip()


def _any_of(row: TableRow, options: Sequence[FormText]) -> dict[str, Any]:
    most = [int(said) for said in _MOST.findall(row["field_annotation"])]
    limit = {"max_selected": most[0]} if most and 0 < most[0] < len(options) else {}
    return {"type": "any-of", "options": list(options), **limit}


def _range(low: str, high: str, step: Decimal) -> dict[str, Decimal]:
    if not all(_VALUE.fullmatch(end) for end in (low, high)):
        raise FormError(
            "must say from which number to which: write numbers into Text Validation Min and Text Validation Max."
        )
    ends = [Decimal(end.replace(",", ".")) for end in (low, high)]
    finest = min([step, *(Decimal(1).scaleb(int(end.as_tuple().exponent)) for end in ends)])
    return {"minimum": ends[0], "maximum": ends[1], "step": finest}


def _beside(row: TableRow, fields: frozenset[str]) -> Iterator[str]:
    """Yield what of a field a question has no place for."""
    out = f"leave it out (--leave-out {row['field_name']})"
    if row["identifier"].lower() in _YES:
        yield f"is marked as an identifier, and a survey asks for none: {out}, or take the mark away."
    said = _REFERENCE.findall(row["field_label"] + row["select_choices_or_calculations"])
    if piped := [name for name in said if re.split("[(:]", name)[0] in fields or name.startswith(_SMART)]:
        yield f"has an answer of another field in its text ([{piped[0][:60]}]): write it without."
    if row["matrix_ranking"].lower() in _YES:
        yield f"is a row of a ranking: ask for the first choice, with one radio, or {out}."


def _said(row: TableRow, kind: str, answers: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to say of a field beside what stays in the form."""
    choices = row["select_choices_or_calculations"]
    if kind == "slider" and (labels := [label.strip() for label in choices.split("|") if label.strip()]):
        yield say_ends(labels)
    number = _NUMBER.fullmatch(row["text_validation_type_or_show_slider_number"].lower())
    if kind == "text" and number and number[1] == "number" and answers:
        yield say_steps(answers["step"])
    if kind in _ANY_OF and (tag := _NONE_OF_THEM.search(row["field_annotation"])):
        codes = re.split(r"\s*,\s*", (tag[1] or tag[2] or tag[3] or "").strip())
        named = [label for code, label in _coded(choices) if code in codes]
        yield say_excluding(named or ["none of the above"], _NONE)


def _lost(row: TableRow, kind: str) -> Iterator[str]:
    """Yield what of a field is no part of a survey."""
    yield from (what for column, what in _LOST.items() if row[column])
    tags = dict.fromkeys(_TAG.findall(row["field_annotation"]))
    yield from (tag for tag in tags if not (tag in ("@MAXCHECKED", _NONE) and kind in _ANY_OF))
    if row["field_annotation"] and not tags:
        yield "field annotation"
    if row["select_choices_or_calculations"] and kind in _BESIDE:
        yield _BESIDE[kind]
    known = {*_COLUMNS.values()}
    yield from (name for name, cell in row.cells.items() if cell and name not in known)
