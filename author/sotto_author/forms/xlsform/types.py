"""The types of rows in an XLSForm: what they ask, what asks nothing, and what has no mechanism."""

from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import Terms, number_within
from sotto_author.forms.xlsform.form import Form, Row
from sotto_author.forms.xlsform.limits import range_of, unknown

ANSWERS_OF = {
    "select one": "one-of",
    "select all that apply": "any-of",
    "text": "text",
    "string": "text",
    "integer": "number",
    "int": "number",
    "decimal": "number",
    "range": "number",
    "acknowledge": "yes-no",
    "trigger": "yes-no",
}
"""The type of question, by a row's type."""
METADATA = (
    *("start", "end", "today", "deviceid", "phonenumber", "username", "email", "simserial", "subscriberid"),
    *("audit", "start-geopoint", "background-audio", "background-geopoint"),
)
"""What ODK records beside the answers."""
COMPUTED = ("calculate", "hidden", "xml-external", "csv-external")
_INSTEAD = {
    "rank": "ask for the first choice, with a select_one",
    "select one external": "list the choices on the sheet choices",
    "date": "ask with a select_one of periods, or for the year with an integer",
    "time": "ask with a select_one of hours",
    "datetime": "ask with a select_one of periods",
    **dict.fromkeys(("photo", "audio", "video", "file"), "a file cannot be perturbed"),
    **dict.fromkeys(("geopoint", "geotrace", "geoshape", "osm"), "ask for the district, with a select_one"),
    "barcode": "a code says who it is of",
}
_UNCHECKED = (
    "the constraint {} is none that a survey checks, but count-selected(.) <= 3 is: take it away, or leave the row out "
    "(--leave-out {})"
)


def unsupported(row: Row, form: Form, terms: Terms) -> list[str]:
    """Return why a row has no mechanism: nothing where it has one."""
    if row.repeat:
        return [f'stands in the repeat "{row.repeat}": ask a fixed number of times, with rows of their own.']
    if row.type not in ANSWERS_OF:
        return [f"has no mechanism ({_INSTEAD.get(row.type, 'it is no type that sottovoce knows')})."]
    problems = [] if form.languages.text(row.members.get("label")) else ["has no label in the form's own language."]
    problems += [f"{what}." for what in _beside(row)]
    choices = form.choices.get(str(row.members.get("itemset")), [])
    if ANSWERS_OF[row.type] in ("one-of", "any-of"):
        problems += _choices(choices, form)
    elif ANSWERS_OF[row.type] == "number":
        is_asked = _is_required(row) and not row.conditions
        problems += [_say_no_number(row)] if not (is_asked or terms.skip_number(row.name)) else _rangeless(row)
    if ANSWERS_OF[row.type] == "any-of":
        problems += [f"{_UNCHECKED.format(part, row.name)}." for part in unknown(row)]
    return problems


def _rangeless(row: Row) -> list[str]:
    try:
        range_of(row)
    except FormError as fault:
        return [str(fault)]
    return []


def _say_no_number(row: Row) -> str:
    try:
        said = number_within(*list(range_of(row).values())[:2])
    except FormError:
        said = "0"
    return (
        "cannot be skipped, for no number means no answer. Make it required and without relevant, say what no number "
        f"counts as (--skip-number {row.name}={said}), or ask with a select_one of ranges."
    )


def _beside(row: Row) -> list[str]:
    """Return what of a row a question has no place for."""
    made = row.members.get("label") == "Specify other." and row.name.endswith("_other")
    out = f"or leave the row out: --leave-out {row.name}"
    is_checked = ANSWERS_OF[row.type] in ("text", "one-of", "yes-no")
    found = {
        "asks for text beside a choice (or_other): leave it out, or ask everybody with a text of its own": made,
        "has an answer of another row in its text (${..}): write it without": "${" in _texts(row.members.get("label")),
        "shows other choices by an answer (choice_filter): show all": bool(row.members.get("choice_filter")),
        "is calculated (calculation): ask it, or leave it out": bool(row.bind("calculate")),
        "has an image or a sound, which a survey cannot show": bool(row.members.get("media")),
        f"has a constraint, which a survey cannot check of it: take it away ({out})": is_checked
        and bool(row.bind("constraint")),
    }
    return [what for what, is_so in found.items() if is_so]


def _choices(choices: list[dict[str, Any]], form: Form) -> list[str]:
    if not choices:
        return ["takes its choices from elsewhere: list them on the sheet choices."]
    found = [
        f'the choice "{choice.get("name")}" has no label in the form\'s own language.'
        for choice in choices
        if not form.languages.text(choice.get("label"))
    ]
    found += ["a choice has an answer in its text (${..})."] * any(
        "${" in _texts(each.get("label")) for each in choices
    )
    return found + ["a choice has an image or a sound."] * any(each.get("media") for each in choices)


def _is_required(row: Row) -> bool:
    return row.bind("required").lower() in ("yes", "true", "true()")


def _texts(value: Any) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value or "")
