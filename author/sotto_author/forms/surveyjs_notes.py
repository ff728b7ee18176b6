"""What an author should know of a SurveyJS form that was taken over: all of it that is no part of the survey."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sotto_author.forms.asking import listed, say_ends, say_excluding, say_skipped_number, section
from sotto_author.forms.languages import NO_TITLE
from sotto_author.forms.markup import is_marked, plain, plain_text
from sotto_author.forms.surveyjs_choices import SPECIAL, SPECIAL_MEMBERS, AskedElement, yes_and_no
from sotto_author.forms.surveyjs_form import CONTAINERS, HIDING, Element, is_set, localised, triggers, walk
from sotto_author.forms.surveyjs_leaks import GIVEN_AWAY, find_leaks

NUMERIC = ("number", "range")
"""The `inputType` of a text that holds a number."""
ASK_NOTHING = ("html", "image", "expression")
_ENDS = ("minRateDescription", "maxRateDescription")
_OF_NUMBER = ("inputType", "min", "max", "step")
_OF_CHOICES = ("choices", "choicesVisibleIf", "choicesEnableIf", *SPECIAL_MEMBERS)
_OF_ANY = (*_OF_CHOICES, "maxSelectedChoices", "minSelectedChoices")
_TAKEN = {  # members that make the question, or of which there is a note of its own
    "boolean": ("labelTrue", "labelFalse", "valueTrue", "valueFalse"),
    "radiogroup": _OF_CHOICES,
    "dropdown": (*_OF_CHOICES, "choicesMin", "choicesMax", "choicesStep"),
    "matrix": _OF_CHOICES,
    "checkbox": _OF_ANY,
    "tagbox": _OF_ANY,
    "rating": (
        *("rateValues", "autoGenerate", "rateMin", "rateMax", "rateStep", "rateCount", "rateType", "rateDisplayMode"),
        *_ENDS,
    ),
    "slider": ("min", "max", "step", "sliderType"),
}
_OF_EVERY = {"type", "name", "title", "label", "isRequired", "requiredIf", *HIDING}
_OF_CONTAINER = {"type", "name", "title", "elements", "questions", *HIDING}
_OF_FORM = {"title", "description", "locale", "pages", "elements", "questions", "triggers", "calculatedValues", *HIDING}
_OF_FORM |= {name for names in GIVEN_AWAY for name in names}
_HIDES_CHOICE = ("visibleIf", "enableIf")
_LISTS = ("choices", "rateValues")
_PIPED = re.compile("{[^{}]+}")


def notes(form: dict[str, Any], asked: Sequence[AskedElement], left_out: Sequence[Element]) -> list[str]:
    """Return what was not taken over, a line for each kind."""
    found = [
        f"{one.element.name}: yes stands for {labels[0].text!r}, no for {labels[1].text!r}"
        for one in asked
        if one.question["type"] == "yes-no" and is_set(one.element.members, "labelTrue", "labelFalse")
        for labels in [yes_and_no(one.element.members)]
    ]
    before = [NO_TITLE, *(one.element.section for one in asked)]
    for one, title in zip(asked, before, strict=False):
        found += section(one.element.name, one.element.section, title)[1]
    found += [note for one in asked for note in (*_of_number(one), *_of_ends(one), *_of_none(one))]
    for one in asked:
        found += say_skipped_number(one.element.name, one.question)
    found += _markup(form, asked)
    found += [
        f"{one.element.name}: is required in the form where {said}; now nobody must answer it"
        for one in asked
        if isinstance(said := one.element.members.get("requiredIf"), str) and said
    ]
    hidden = [f"{one.element.name} ({one.element.hidden_by})" for one in asked if one.element.hidden_by]
    found += _said("may be hidden in the form, and is in every report, then as skipped", hidden)
    found += _said(
        "all choices are options, also those that the form may hide or disable",
        [f"{one.element.name} ({by})" for one in asked for by in _hiding_choices(one.element.members)],
    )
    fewest = [one.element.name for one in asked if _takes(one, "minSelectedChoices")]
    found += _said("takes any number of choices, also none, whatever its minSelectedChoices", fewest)
    piped = [one.element.name for one in asked if any(map(_PIPED.search, _read(one)))]
    found += _said("has braces in its text or section, which only the form fills in", piped)
    found += _said("stays in the form, is no part of the survey", _staying(form, asked), "; ")
    found += [f"the adapter refuses this form: {why}" for why in find_leaks(form)]
    found += [f"left out: {element}" for element in left_out]
    names = listed([element.name for element in left_out])
    return found + [f"tell the adapter, which then drops their answers: leaveOut: [{names}]"] * bool(left_out)


def _markup(form: dict[str, Any], asked: Sequence[AskedElement]) -> list[str]:
    """Return whose texts lost their markup, and whose choices have it still, by which the adapter finds them."""
    whole = [name for name in ("title", "description") if is_marked(localised(form.get(name), name))]
    found = [f"the form's {name}" for name in whole]
    sections = [one.element.section for one in asked if is_marked(one.element.section)]
    found += dict.fromkeys(f'the section "{plain_text(section)}"' for section in sections)
    found += [one.element.name for one in asked if is_marked(one.element.title)]
    kept = [one.element.name for one in asked if any(plain(choice.text) != choice.text for choice in one.choices)]
    return [
        *_said("without their Markdown and HTML, which a survey would show as it is written", found),
        *_said(
            "has Markdown or HTML in its choices, which the survey shows as it is written; take it out of the form",
            kept,
        ),
    ]


def _read(one: AskedElement) -> tuple[str, str]:
    return one.question["text"], one.question.get("section", "")


def _said(what: str, which: Sequence[str], between: str = ", ") -> list[str]:
    return [f"{what}: {between.join(which)}"] if which else []


def _of_number(one: AskedElement) -> Iterator[str]:
    members = one.element.members
    if one.element.type != "text" or members.get("inputType") not in NUMERIC:
        return
    if one.question["type"] == "number":
        if "step" not in members:
            yield f"{one.element.name}: takes steps of 1 alone, for the form says no step"
    elif {"min", "max"} <= members.keys():
        yield (
            f"{one.element.name}: is a text, for a number cannot be skipped: make it required and never hidden, or say "
            f"what no number counts as (--skip-number {one.element.name}=0)"
        )
    else:
        yield f"{one.element.name}: is a text, for a number must have min and max"


def _of_ends(one: AskedElement) -> Iterator[str]:
    """Yield that what stands beside the ends of a rating is dropped."""
    said = [text for name in _ENDS if (text := plain_text(localised(one.element.members.get(name), name)))]
    if one.element.type == "rating" and said:
        yield f"{one.element.name}: {say_ends(said)}"


def _of_none(one: AskedElement) -> Iterator[str]:
    """Yield that a choice such as "None" excludes no other."""
    members = one.element.members
    excluding = [(names, value) for names, value, _, _ in SPECIAL if is_set(members, *names)]
    named = [choice.text for _, value in excluding for choice in one.choices if choice.value == value]
    if one.question["type"] == "any-of" and named:
        yield f"{one.element.name}: {say_excluding(named, ', '.join(names[0] for names, _ in excluding))}"


def _hiding_choices(members: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in ("choicesVisibleIf", "choicesEnableIf") if is_set(members, name))
    for name, index, choice in _choices(members):
        yield from (f"{hides} of {name}[{index}]" for hides in _HIDES_CHOICE if is_set(choice, hides))


def _choices(members: dict[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for name in _LISTS:
        for index, choice in enumerate(members.get(name) or ()):
            if isinstance(choice, dict):
                yield name, index, choice


def _takes(one: AskedElement, name: str) -> bool:
    return is_set(one.element.members, name) and name in _taken(one)


def _taken(one: AskedElement) -> set[str]:
    is_number = one.element.type == "text" and one.element.members.get("inputType") in NUMERIC
    return _OF_EVERY | set(_OF_NUMBER if is_number else _TAKEN.get(one.element.type, ()))


def _staying(form: dict[str, Any], asked: Sequence[AskedElement]) -> list[str]:
    """Return the members that no question is made of, each with all that have it, and what asks nothing."""
    owners: dict[str, list[str]] = {}
    for owner, members, taken in _parts(form, asked):
        for name in members:
            if name not in taken and is_set(members, name):
                owners.setdefault(name, []).append(owner)
    found = [f"{name} of {', '.join(of)}" for name, of in owners.items()]
    found += [f"{element.type} {element.name}" for element in walk(form) if element.type in ASK_NOTHING]
    found += ["calculatedValues"] * is_set(form, "calculatedValues")
    return found + [f"a {trigger} trigger" for trigger in triggers(form)]


def _parts(form: dict[str, Any], asked: Sequence[AskedElement]) -> Iterator[tuple[str, dict[str, Any], set[str]]]:
    """Yield all that was read: what it is called, its members, and those that were taken or said."""
    yield "the form", form, _OF_FORM
    for kind, container in _containers(form):
        yield f"{kind} {container.get('name', '')}".strip(), container, _OF_CONTAINER
    for one in asked:
        yield one.element.name, one.element.members, _taken(one)
        for name, index, choice in _choices(one.element.members):
            yield f"{name}[{index}] of {one.element.name}", choice, {"value", "text", *_HIDES_CHOICE}


def _containers(part: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for page in part.get("pages", ()):
        yield "page", page
        yield from _containers(page)
    for members in (*part.get("elements", ()), *part.get("questions", ())):
        if members.get("type") in CONTAINERS:
            yield "panel", members
            yield from _containers(members)
