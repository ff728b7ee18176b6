"""A matrix of SurveyJS as elements of its rows, each with the columns as its choices.

The adapter (client/js/src/surveyjs-form.js) calls the rows by the same names.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.items import joined
from sotto_author.forms.languages import FormText
from sotto_author.forms.surveyjs_choices import items
from sotto_author.forms.surveyjs_form import HIDING, Element, is_set, localised

_EACH_ROW = ("eachRowRequired", "isAllRowRequired")
_READ = (
    *("rows", "columns", "title", "label", "isRequired", "requiredIf", "rowsVisibleIf", "columnsVisibleIf", "cellType"),
    *(*_EACH_ROW, *HIDING),
)


def why_not(element: Element) -> str:
    """Return why the rows of a matrix cannot be asked, "" where they can."""
    members = element.members
    if not isinstance(members.get("rows"), list) or not members["rows"]:
        return "it has no rows: ask with a radiogroup"
    if members.get("cellType", "radio") != "radio":
        return "its cells are no radio buttons: ask every row with an element of its own"
    return "it has texts in its cells: ask every row with a radiogroup of its own" if is_set(members, "cells") else ""


def rows_of(element: Element) -> Iterator[Element]:
    """Yield the elements that a matrix is; any other element is itself. Raises FormError."""
    if element.type != "matrix" or why_not(element):
        yield element
        return
    others = {name: value for name, value in element.members.items() if name not in _READ}
    if is_set(element.members, "isRequired") and not is_set(element.members, *_EACH_ROW):
        others["isRequired, for which one row is enough,"] = True
    columns, rows_if = (element.members.get(name) for name in ("columns", "rowsVisibleIf"))
    try:
        rows = items(element.members["rows"], "rows")
        title = element.title or FormText(element.name, {})
    except FormError as fault:
        raise FormError(f"{element}: {fault}") from fault
    for index, row in enumerate(rows):
        raw = element.members["rows"][index]
        own = [(name, raw.get(name)) for name in ("visibleIf", "enableIf")] if isinstance(raw, dict) else []
        hides = [(name, said) for name, said in (*own, ("rowsVisibleIf", rows_if)) if said]
        text = (
            localised(raw.get("text"), "text") if isinstance(raw, dict) and raw.get("text") else FormText(row.text, {})
        )
        said = joined(title, text)
        members: dict[str, Any] = others | {"title": {"default": str(said), **said.others}, "choices": columns or []}
        members |= {"isRequired": is_set(element.members, *_EACH_ROW)}
        members |= {"choicesVisibleIf": hidden} if (hidden := element.members.get("columnsVisibleIf")) else {}
        yield replace(
            element,
            name=f"{element.name} {row.value}",
            place=f"{element.place}.rows[{index}]",
            members=members,
            hidden_by=element.hidden_by or (hides[0][0] if hides else ""),
            conditions=(*element.conditions, *(each for _, each in hides if isinstance(each, str))),
            matrix=element.name,
        )
