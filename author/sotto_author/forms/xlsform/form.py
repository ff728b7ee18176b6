"""An XLSForm as it is written, by pyxform's JSON form: its rows, wherever they are nested, its texts by language."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.english_names import nearest_tag, tag_named
from sotto_author.forms.languages import FormText, tag_of
from sotto_author.forms.markup import plain_text
from sotto_author.forms.xlsform.kobo import NO_XLSFORM, take_out_matrices
from sotto_author.forms.xlsform.workbook import Rows, read_workbook

_SHEETS = ("survey", "choices", "settings", "external_choices", "osm", "entities")
_ROW = "sotto_row"
_MAX_DEPTH = 20
_MOVED_LABEL = "generated_table_list_label_"
_OTHER = "_other"
_MAX_SAID = 400
"""Characters of what pyxform says, for it quotes whole cells."""
_IN_BRACKETS = re.compile(r"\(([^()]+)\)$")
_TRANSLATED = re.compile(r"(?:label|caption|hint)::?\s*(.+)", re.IGNORECASE)
_WRITTEN = {"select all that apply": "select_multiple", "photo": "image"}
_OF_BIND = ("relevant", "required", "constraint", "calculate", "readonly")
_OF_RANGE = ("start", "end", "step")
_OF_ROW = {"type", "name", "label", "bind", "control", "parameters", "itemset", _ROW}
"""Columns that make the question, or are looked at by themselves."""
_OF_ROW |= {"hint", "guidance_hint", "default", "media", "choices", "choice_filter", "list_name", "garbling"}
_COLUMNS = {"jr:constraintMsg": "constraint_message", "jr:requiredMsg": "required_message"}
_DEFAULT = "default"
"""What pyxform calls the language of texts that name none."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the sheet survey that is no group: `conditions` has its own `relevant` and those of its groups."""

    number: int
    type: str
    name: str
    members: dict[str, Any]
    section: Any
    conditions: tuple[str, ...]
    repeat: str

    def __str__(self) -> str:
        written = _WRITTEN.get(self.type, self.type.replace(" ", "_"))
        return f'survey, row {self.number} ({written[:60]} "{self.name[:60]}")'

    def bind(self, name: str) -> str:
        """Return one of relevant, required, constraint, calculate, readonly; "" where it is left out."""
        bind = self.members.get("bind")
        said = bind.get(name, "") if isinstance(bind, dict) else ""
        return said if isinstance(said, str) else ""

    def others(self) -> list[str]:
        """Return the columns that say what no question of a survey has, but for those of which a note is made."""
        bind, control = (dict(self.members.get(name) or {}) for name in ("bind", "control"))
        parameters = dict(self.members.get("parameters") or {})
        for name in _OF_RANGE if self.type == "range" else ():
            parameters.pop(name, None)
            control.pop(name, None)
        names = [_COLUMNS.get(str(name), str(name)) for name in bind if name not in _OF_BIND]
        names += [*control, *(f"parameters: {name}" for name in parameters)]
        return names + [name for name in self.members if name not in _OF_ROW]


@dataclass(frozen=True, slots=True)
class Languages:
    """Those of a form: `own` as its columns name it, and the tags of all of them by that name."""

    own: str
    tags: dict[str, str]

    def text(self, value: Any) -> FormText:
        """Return a cell's text without markup, in the form's own language, "" where it lacks, and in the others."""
        return plain_text(self.written(value))

    def written(self, value: Any) -> FormText:
        """Return a cell's text as it is written, in the form's own language and in the others."""
        by_name = value if isinstance(value, dict) else {self.own: value}
        said = {name: " ".join(text.split()) for name, text in by_name.items() if isinstance(text, str)}
        own = said.get(self.own) or said.get(_DEFAULT, "")
        others = {self.tags[name]: text for name, text in said.items() if name != self.own and name in self.tags}
        return FormText(own, others)


@dataclass(frozen=True, slots=True)
class Form:
    """An XLSForm: its rows in order, its lists of choices by name."""

    title: str
    rows: tuple[Row, ...]
    choices: dict[str, list[dict[str, Any]]]
    languages: Languages
    left_out: tuple[str, ...] = ()

    @property
    def locale(self) -> str:
        """The tag of its own language, "" where none is named."""
        return self.languages.tags.get(self.languages.own, "")


def read_form(content: bytes, *, skip_unsupported: bool = False) -> Form:
    """Return the form in a workbook; `skip_unsupported`: without matrices of KoboToolbox's own. Raises FormError."""
    rows, headers = read_workbook(content, _SHEETS)
    if not rows.get("survey"):
        raise FormError("has no sheet named survey with rows in it, as XLSForms have.")
    rows["survey"], matrices = take_out_matrices(rows["survey"])
    if matrices and not skip_unsupported:
        raise FormError(*(f"{matrix}: {NO_XLSFORM}" for matrix in matrices))
    form = _parse(rows, headers)
    own = form.get("default_language", _DEFAULT)
    used = dict.fromkeys(column for sheet in ("survey", "choices") for row in rows.get(sheet, ()) for column in row)
    languages = _languages(
        own, [header for sheet in ("survey", "choices") for header in headers.get(sheet, ()) if header in used]
    )
    title = (
        form["title"] if "form_title" in headers.get("settings", ()) or "title" in headers.get("settings", ()) else ""
    )
    lists = {name: listed for name, listed in form.get("choices", {}).items() if isinstance(listed, list)}
    return Form(str(title), tuple(_rows(form["children"], _Nesting())), lists, languages, tuple(matrices))


def _parse(rows: dict[str, Rows], headers: dict[str, list[str]]) -> dict[str, Any]:
    """Return pyxform's JSON form, each row with its number."""
    from pyxform.errors import PyXFormError
    from pyxform.xls2json import workbook_to_json
    from pyxform.xls2json_backends import DefinitionData

    rows = rows | {
        "survey": [row | {_ROW: str(number)} if row else row for number, row in enumerate(rows["survey"], 2)]
    }
    headers = headers | {"survey": [*headers["survey"], _ROW]}
    columns = {f"{name}_header": [dict.fromkeys(given)] for name, given in headers.items()}
    try:
        form: dict[str, Any] = workbook_to_json(
            DefinitionData(**rows, **columns, sheet_names=list(rows)), form_name="data"
        )
    except PyXFormError as fault:
        raise FormError(f"is no XLSForm: {' '.join(str(fault).split())[:_MAX_SAID]}") from None
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as fault:  # what odd columns make of pyxform
        raise FormError("is no XLSForm that pyxform can read: look at the names of its columns.") from fault
    return form


def _languages(own: str, headers: Sequence[str]) -> Languages:
    """Return the languages of the columns. Raises FormError where one has no tag."""
    named = dict.fromkeys(match[1].strip() for header in headers if (match := _TRANSLATED.fullmatch(header)))
    plain = any(header.lower() in ("label", "caption") for header in headers)
    if own == _DEFAULT and named and not plain:
        own = next(iter(named))
    tags = {name: _tag(name) for name in named}
    if own != _DEFAULT:
        tags[own] = _tag(own)
    problems = [_say_unknown(name) for name, tag in tags.items() if not tag]
    first: dict[str, str] = {}
    for name, tag in tags.items():
        if tag and first.setdefault(tag, name) != name:
            problems.append(f'the languages "{first[tag]}" and "{name}" are one, {tag}: take the columns of one away.')
    if problems:
        raise FormError(*problems)
    return Languages(own, tags)


def _say_unknown(name: str) -> str:
    bare = _IN_BRACKETS.sub("", name).strip() or name
    tag = nearest_tag(name)
    meant = f"as in label::{bare} ({tag})" if tag else f"in brackets, as in label::{bare} (..), such as (fr) of French"
    return f'the language "{name}" must say its tag, {meant}.'


def _tag(name: str) -> str:
    """Return the tag of a language's name, "" where it says none.

    >>> [_tag(name) for name in ("English (en)", "Português (pt_br)", "fr", "français", "Chinese", "Elvish")]
    ['en', 'pt-BR', 'fr', 'fr', 'zh', '']
    """
    bracketed = _IN_BRACKETS.search(name)
    if bracketed:
        return tag_of(bracketed[1].strip()) or tag_named(name)
    return tag_named(name) or (tag_of(name) if len(re.split("[-_]", name)[0]) in (2, 3) else "")


@dataclass(frozen=True, slots=True)
class _Nesting:
    """The groups that a row stands in."""

    section: Any = ""
    conditions: tuple[str, ...] = ()
    repeat: str = ""
    depth: int = 0

    def within(self, group: dict[str, Any]) -> "_Nesting":
        """Return it with one more group. Raises FormError where there are too many."""
        if self.depth == _MAX_DEPTH:
            raise FormError(f"survey, row {group.get(_ROW)}: groups may stand in {_MAX_DEPTH} others at most.")
        first: dict[str, Any] = next(iter(group["children"]), {})
        moved = first.get("label") if str(first.get("name")).startswith(_MOVED_LABEL) else None
        label = group.get("label") or moved or self.section
        is_repeat = group["type"] in ("repeat", "loop")
        repeat = str(group.get("name")) if is_repeat else self.repeat
        return _Nesting(label, (*self.conditions, *_relevant(group)), self.repeat or repeat, self.depth + 1)


def _relevant(members: dict[str, Any]) -> tuple[str, ...]:
    bind = members.get("bind")
    said = bind.get("relevant") if isinstance(bind, dict) else None
    return (said,) if isinstance(said, str) else ()


def _rows(children: Sequence[dict[str, Any]], around: _Nesting) -> Iterator[Row]:
    """Yield the rows of a group; and the text beside a choice, which pyxform makes of a row of type or_other."""
    number = 0
    for members in children:
        number = int(members.get(_ROW, number))
        name, kind = str(members.get("name", "")), str(members.get("type", ""))
        if "children" in members:
            yield from _rows(members["children"], around.within(members))
        elif _ROW in members or (number and name.endswith(_OTHER)):
            conditions = (*around.conditions, *_relevant(members))
            plain = " ".join(kind.replace("_", " ").lower().split())
            yield Row(number, plain, name, members, around.section, conditions, around.repeat)
