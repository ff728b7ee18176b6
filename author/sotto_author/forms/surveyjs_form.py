"""A SurveyJS form as it is written: its elements, wherever they are nested, and its texts, in whatever language."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.languages import NO_TITLE, FormText

CONTAINERS = ("panel", "flowpanel")
_HIDING_TRIGGERS = ("complete", "skip", "visible")
_TIME_LIMITS = ("timeLimit", "timeLimitPerPage", "maxTimeToFinish", "maxTimeToFinishPage")
_CONDITIONS = ("visibleIf", "enableIf")
HIDING = (*_CONDITIONS, "readOnly", *_TIME_LIMITS, "visible")
"""Members that may keep a question, or what it is in, from being answered."""
_NAMED = re.compile("{([^{}]+)}")
_PUBLIC = ("locale",)
"""What an expression may ask that is nobody's answer."""
_WHITE_SPACE = re.compile("[\t-\r ]+")


@dataclass(frozen=True, slots=True)
class Element:
    """One element that is no panel or page.

    `place` is its JSON path, `hidden_by` what may keep a respondent from answering it, "" where nothing does: its own
    members, those of the panels and the page that it is in, or the form's. `conditions` are the expressions of these.
    `section` is the title of the panel nearest to it that has one, or of its page, "" where there is none.
    `matrix` is the name of the matrix that it is a row of.
    """

    type: str
    name: str
    place: str
    members: dict[str, Any]
    hidden_by: str
    conditions: tuple[str, ...]
    section: FormText
    matrix: str = ""

    @property
    def title(self) -> FormText:
        """Its text as the form has it, markup and all; "" where it has none. Raises FormError."""
        return localised(self.members.get("title"), "title") or localised(self.members.get("label"), "label")

    def __str__(self) -> str:
        return f"{self.place} ({self.type} {json.dumps(self.name, ensure_ascii=False)})"


@dataclass(frozen=True, slots=True)
class _Around:
    """What the page and panels around an element say of it."""

    hidden_by: str
    conditions: tuple[str, ...] = ()
    section: FormText = NO_TITLE

    def within(self, container: dict[str, Any], place: str) -> "_Around":
        title = localised(container.get("title"), f"{place}.title")
        return _Around(
            self.hidden_by or _hides(container, place),
            self.conditions + _conditions(container),
            title or self.section,
        )


def walk(form: Any) -> Iterator[Element]:
    """Yield the elements of a form, in its order. Raises FormError where it is no form."""
    _check(isinstance(form, dict), "$", "must be an object, as SurveyJS writes a form.")
    hidden_by = _form_hides(form)
    for index, page in enumerate(_listed(form, "pages", "$")):
        yield from _inside(page, f"$.pages[{index}]", _Around(hidden_by))
    yield from _inside(form, "$", _Around(hidden_by))


def secrets(element: Element, public: Collection[str]) -> list[str]:
    """Return on whose answers it depends whether an element is shown, but for those that are public."""
    named = [name for condition in element.conditions for name in _NAMED.findall(condition)]
    heads = [re.split(r"[.\[]", name.strip().lstrip("#"))[0] for name in named]
    return [head for head in dict.fromkeys(heads) if head not in public and head not in _PUBLIC]


def localised(value: Any, name: str) -> FormText:
    """Return the text of a member, in the form's default language and others; "" where there is none.

    White space is one space, as a survey's texts have no line breaks. Raises FormError.
    """
    if isinstance(value, dict):
        given = value.get("default", value.get("en"))  # SurveyJS looks for them in this order
        if value and not isinstance(given, str):
            raise FormError(f"{name} must have a text under `default`.")
        others = {tag: _tidy(text) for tag, text in value.items() if tag != "default" and isinstance(text, str)}
        return FormText(_tidy(given or ""), others)
    if not isinstance(value, str | None):
        raise FormError(f"{name} must be a text, or an object of texts by language.")
    return FormText(_tidy(value or ""), {})


def _tidy(text: str) -> str:
    return _WHITE_SPACE.sub(" ", text).strip(" ")


def valid_name(name: str) -> str:
    """Return a name as SurveyJS takes it: without white space around it, braces, and what begins an expression.

    >>> valid_name(" #a{b} ")
    'ab'
    """
    return re.sub("[{}]", "", name.strip().replace("|", "", 1).strip()).lstrip("#")


def is_set(members: dict[str, Any], *names: str) -> bool:
    """Whether a member is there under one of its names, and is not empty, false or zero."""
    return any(members.get(name) for name in names)


def triggers(form: dict[str, Any]) -> list[str]:
    """Return the types of the form's triggers, as they are written."""
    listed = [trigger for trigger in _listed(form, "triggers", "$") if isinstance(trigger, dict)]
    return [str(trigger.get("type")).removesuffix("trigger") for trigger in listed]


def _inside(container: Any, place: str, around: _Around) -> Iterator[Element]:
    _check(isinstance(container, dict), place, "must be an object.")
    if place != "$":  # what hides the whole form is known, and its title is the survey's
        around = around.within(container, place)
    for key in ("elements", "questions"):
        for index, members in enumerate(_listed(container, key, place)):
            below = f"{place}.{key}[{index}]"
            _check(isinstance(members, dict) and isinstance(members.get("type"), str), below, "must have a `type`.")
            if members["type"] in CONTAINERS:
                yield from _inside(members, below, around)
            else:
                yield _element(members, below, around)


def _element(members: dict[str, Any], place: str, around: _Around) -> Element:
    name = members.get("name", "")
    _check(isinstance(name, str), f"{place}.name", "must be a text.")
    hidden_by, conditions = _hides(members, "") or around.hidden_by, (*around.conditions, *_conditions(members))
    return Element(members["type"], valid_name(name), place, members, hidden_by, conditions, around.section)


def _conditions(members: dict[str, Any]) -> tuple[str, ...]:
    return tuple(said for name in _CONDITIONS if isinstance(said := members.get(name), str) and said)


def _hides(members: dict[str, Any], place: str) -> str:
    """Return what of a question, panel or page may keep it from being answered."""
    named = [name for name in HIDING if name != "visible" and is_set(members, name)]
    named += ["visible"] * (members.get("visible") is False)
    return f"{named[0]} of {place}" if named and place else "".join(named[:1])


def _form_hides(form: dict[str, Any]) -> str:
    for trigger in triggers(form):
        if trigger in _HIDING_TRIGGERS:
            return f"a {trigger} trigger"
    return _hides(form, "the form")


def _listed(members: dict[str, Any], key: str, place: str) -> list[Any]:
    listed = members.get(key, [])
    _check(isinstance(listed, list), f"{place}.{key}", "must be a list.")
    return list(listed)


def _check(is_right: bool, place: str, problem: str) -> None:
    if not is_right:
        raise FormError(f"{place}: {problem}")
