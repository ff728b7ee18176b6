"""What in a SurveyJS form would give answers away while it is filled in, or by the address that it leads to.

SurveyJS writes an answer wherever a text has its question's name in braces, and shows much only where answers say so.
Both tell answers to whoever is asked for what a browser fetches. So braces are for what is known to be plain text or an
expression; everything else is taken for an address. The adapter (client/js/src/surveyjs-leaks.js) finds the same, and
does not attach to such a form.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sotto_author.forms.surveyjs_form import is_set, valid_name

GIVEN_AWAY = {
    ("surveyPostId",): "sends answers in clear",
    ("partialSendEnabled", "sendResultOnPageNext"): "hands out answers before the form is completed",
    ("navigateToUrlOnCondition",): "tells answers by the address",
}
_TEXT = re.compile(
    "([tT]ext|[tT]itle|[dD]escription|[pP]laceholder|[fF]ormat|Template|ReadOnly)$"
    "|^(label|labelTrue|labelFalse|keyDuplicationError|defaultDisplayValue|cellHint|dataList|cells)$"
)
"""Members that are shown as text, by language."""
_LIST = re.compile("^(choices|rows|columns|rateValues|customLabels)$")
"""Lists whose items may be texts."""
_NOT_SHOWN = re.compile(
    "(Expression|If|Value)$|^(name|expression|value|valueTrue|valueFalse|correctAnswer|min|max|regex|pattern)$"
)
"""Members that are names, expressions, values, or patterns of texts."""
_HTML = re.compile("Html$|^(html|content)$")
_ADDRESS = re.compile("^(imageLink|backgroundImage|logo|url)$")
_PIPED = re.compile("{[^{}:]+}")  # {a:b} stands for itself

_HIDING = re.compile("([vV]isibleIf|^choicesFromQuestion)$")
"""Members that let answers decide what of an element is shown."""
_HIDING_TRIGGERS = ("complete", "skip", "visible")
_CONTENT = ("pages", "elements", "questions")
_MADE_LATER = ("templateElements", "detailElements")  # for every panel or row that is added
_HARMLESS_TAG = re.compile(
    "</?(a|abbr|b|blockquote|br|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|li|mark|ol|p|pre|s|small|span|strong|sub|sup|u|ul)"
    "(\\s+(src=\"data:[^\"<>]*\"|src='data:[^'<>]*'"
    "|(alt|class|dir|height|href|id|lang|rel|role|target|title|width|aria-[a-z]+)"
    "(=\"[^\"<>]*\"|='[^'<>]*'|=[^\\s\"'<>=]+)?))*\\s*/?>",
    re.IGNORECASE,
)
"""HTML that fetches nothing: texts, images that are there already, and links, which a browser follows on a click."""

_FETCHES_VALUE = ("file", "signaturepad")
"""Elements that fetch their own value where it is an address."""
_GIVES_VALUE = ("defaultValue", "defaultValueExpression", "setValueExpression", "valueName")
"""Members that would let a form choose that value."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a text stands: `path` in `owner`, the nearest thing with a name; whether answers decide if it is shown."""

    owner: str
    path: str
    member: str
    is_hidden: bool

    def __str__(self) -> str:
        return f"{self.path} of {self.owner}"


def find_leaks(form: dict[str, Any]) -> list[str]:
    """Return why the adapter does not attach to a form, a line for each reason."""
    found = [f"{names[0]} {what}" for names, what in GIVEN_AWAY.items() if is_set(form, *names)]
    found += [*_chosen_addresses(form), *_names_in_menu(form)]
    for text, place in _texts(form, _Place("the form", "", "", is_hidden=False)):
        is_text = _TEXT.search(place.member) or _LIST.search(place.member)
        is_html = _HTML.search(place.member)
        piped = _PIPED.search(text)
        if is_text or _NOT_SHOWN.search(place.member):
            continue
        if piped:
            what = "HTML" if is_html else "an address"
            found.append(f"{place} must not have {piped[0]} in it: {what} could give the answer away")
        elif place.is_hidden and (_is_fetching(text) if is_html else _is_address(text, place.member)):
            found.append(
                f"{place} fetches only where answers say so: show it to everybody, or write what it fetches as data:"
            )
    return list(dict.fromkeys(found))


def _is_fetching(html: str) -> bool:
    return "<" in _HARMLESS_TAG.sub("", html)


def _is_address(text: str, member: str) -> bool:
    """Whether a text is fetched, and not the content itself."""
    return text != "" and not text.lower().startswith("data:") if _ADDRESS.search(member) else "//" in text


def _texts(part: Any, place: _Place) -> Iterator[tuple[str, _Place]]:
    """Yield every text in a part of a form, and where it is."""
    if isinstance(part, str):
        yield part, place
    elif isinstance(part, list):
        for index, each in enumerate(part):
            yield from _texts(each, _Place(place.owner, f"{place.path}[{index}]", place.member, place.is_hidden))
    elif isinstance(part, dict):
        for name, member in part.items():
            yield from _texts(member, _within(part, name, place))


def _within(part: dict[str, Any], name: str, place: _Place) -> _Place:
    """Return the place of a member of a part that is at `place`."""
    owner = _name(part)
    is_language = any(kind.search(place.member) for kind in (_TEXT, _HTML, _ADDRESS, _NOT_SHOWN))
    kinds = [str(each.get("type")).removesuffix("trigger") for each in _objects(part.get("triggers"))]
    is_passed = name in _CONTENT and any(kind in _HIDING_TRIGGERS for kind in kinds)
    is_made_later = name in _MADE_LATER or (name == "elements" and place.member == "choices")
    hides = any(_HIDING.search(each) and part[each] for each in part)
    return _Place(
        owner=f'"{owner}"' if owner else place.owner,
        path=name if owner or not place.path else f"{place.path}.{name}",
        member=place.member if is_language else name,
        is_hidden=place.is_hidden or is_passed or is_made_later or hides,
    )


def _chosen_addresses(form: dict[str, Any]) -> Iterator[str]:
    """Yield what lets answers choose among addresses, or make one."""
    parts = list(_objects(form))
    given = ["setToName of a trigger"] * any(is_set(each, "setToName") for each in _objects(form.get("triggers")))
    given += ["includeIntoResult"] * any(is_set(each, "includeIntoResult") for each in parts)
    for part in parts:
        name = _name(part)
        if part.get("type") == "imagepicker" and is_set(part, "choicesFromQuestion"):
            yield f'choicesFromQuestion of "{name}" fetches only the images that answers say: list its choices'
        for kind in (part.get("type"), part.get("cellType")):
            if kind in _FETCHES_VALUE:
                around = [each for each in parts if any(inner is part for inner in _objects(each))]
                own = [member for member in _GIVES_VALUE if any(member in each for each in around)]
                others = [each for each in parts if each is not part]
                namesake = any(name in (_name(each), each.get("valueName")) for each in others if name)
                why = ", ".join([*own, *["another of its name"] * namesake, *given])
                if why:
                    yield f'"{name}" ({kind}) fetches what it holds, so the form must not have {why}'


def _names_in_menu(form: dict[str, Any]) -> Iterator[str]:
    """Yield titles that SurveyJS makes HTML of: those by which a menu leads to pages."""
    if not is_set(form, "showTOC") and form.get("showProgressBar") in (None, False, "off"):
        return
    for part in _objects(form):
        is_container = any(isinstance(part.get(name), list) for name in ("elements", "questions"))
        title = part.get("title") if is_container and not is_set(part, "navigationTitle") and part is not form else None
        texts = title.values() if isinstance(title, dict) else [title]
        piped = [found[0] for text in texts if isinstance(text, str) and (found := _PIPED.search(text))]
        for name in piped[:1]:
            yield f'title of "{_name(part)}" must not have {name} in it while it is in a menu: have a navigationTitle'


def _objects(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of a form."""
    if isinstance(part, dict):
        yield part
    for member in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _objects(member)


def _name(part: dict[str, Any]) -> str:
    name = part.get("name")
    return valid_name(name) if isinstance(name, str) else ""
