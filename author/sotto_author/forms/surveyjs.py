"""A SurveyJS form as a survey: what each of its elements becomes. Pure: a document in, an author's definition out.

What the adapter in the browser (client/js/surveyjs.js) makes of the same form must be the same ids and options.
"""

from dataclasses import dataclass
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import (
    NO_ANSWER,
    NO_TEXT,
    Terms,
    listed,
    number_within,
    or_no_answer,
    origin,
    question_id,
    say_addresses,
    say_unused_skips,
    section,
)
from sotto_author.forms.items import say_matrix
from sotto_author.forms.languages import NO_TITLE, FormText, in_languages
from sotto_author.forms.markup import plain_text
from sotto_author.forms.scales import Rated, is_integer, say_scales, scored
from sotto_author.forms.surveyjs_choices import AskedElement, Choice, choices, range_of, rates, scale_of, yes_and_no
from sotto_author.forms.surveyjs_form import Element, is_set, localised, secrets, walk
from sotto_author.forms.surveyjs_matrix import rows_of, why_not
from sotto_author.forms.surveyjs_notes import ASK_NOTHING, NUMERIC, notes
from sotto_author.survey_toml import to_toml
from sotto_protocol.errors import SurveyError
from sotto_protocol.questions.definition import compile_question

_QUESTION_TYPES = {
    "boolean": "yes-no",
    "radiogroup": "one-of",
    "dropdown": "one-of",
    "rating": "one-of",
    "matrix": "one-of",
    "checkbox": "any-of",
    "tagbox": "any-of",
    "slider": "number",
    "text": "text",
    "comment": "text",
}
_INSTEAD = {  # what asks something that has no mechanism, and what to do about it
    "file": "a file cannot be perturbed",
    "imagemap": "ask with a checkbox",
    "imagepicker": "ask with a radiogroup or a checkbox",
    "matrixdropdown": "ask every cell with an element of its own",
    "matrixdynamic": "ask a fixed number of times, with elements of their own",
    "multipletext": "ask every line with a text of its own",
    "paneldynamic": "ask a fixed number of times, with elements of their own",
    "ranking": "ask for the first choice, with a radiogroup",
    "signaturepad": "a signature cannot be perturbed",
}
_NOT_BESIDE = {  # members that make an answer something else than one of the choices
    ("showOtherItem", "hasOther"): "takes free text beside the choices; make it a choice without text",
    ("showCommentArea", "hasComment"): "takes free text beside the answer; ask for it with a text of its own",
    ("choicesByUrl",): "loads choices that the survey does not know; list them",
    ("choicesFromQuestion",): "takes choices over from another element; list them",
    ("choicesLazyLoadEnabled",): "loads choices that the survey does not know; list them",
    ("allowCustomChoices",): "lets respondents add choices; leave it out",
    ("valuePropertyName",): "stores choices in a form of its own; leave it out",
    ("minValueExpression",): "takes its range from an expression; give numbers",
    ("maxValueExpression",): "takes its range from an expression; give numbers",
}
_NO_NUMBER = (
    f"cannot be skipped, for no number means {NO_ANSWER!r}. Make it required, say what no number counts as "
    "(--skip-number {}={}), or ask with a rating."
)


@dataclass(frozen=True, slots=True)
class Imported:
    """A form as a survey: `definition` is what an author writes, `left_out` the elements that it does not ask."""

    definition: dict[str, Any]
    asked: tuple[AskedElement, ...]
    left_out: tuple[Element, ...]
    notes: tuple[str, ...]
    has_title: bool = True

    def to_toml(self) -> str:
        """Return the survey file; a question whose id is not its element's name has a comment that says the name."""
        return to_toml(self.definition, [origin(asked.element.name) for asked in self.asked])


def import_form(form: Any, survey_id: str, terms: Terms) -> Imported:
    """Return a parsed form as a survey. Raises FormError with everything that is wrong."""
    asked: list[AskedElement] = []
    left_out: list[Element] = []
    elements = [row for element in walk(form) if element.type not in ASK_NOTHING for row in rows_of(element)]
    names = {name for element in elements for name in (element.name, element.matrix)}
    problems = [
        f'{option} names "{name}", and no element that asks anything is called that.'
        for option, given in (
            ("--leave-out", terms.leave_out),
            ("--skip-number", {name for name, _ in terms.skip_numbers}),
        )
        for name in sorted(given - names - {""})
    ]
    for element in elements:
        unsupported = _unsupported(element, terms)
        if {element.name, element.matrix} & terms.leave_out or (unsupported and terms.skip_unsupported):
            left_out.append(element)
            continue
        try:
            problems += unsupported or _repeated(element, asked)
            if not unsupported:
                asked.append(_ask(element, asked[-1].element.section if asked else NO_TITLE, terms))
        except FormError as fault:
            problems.append(f"{element}: {fault}")
        except SurveyError as fault:
            problems.append(f"{element}: {fault.where.removeprefix('$').lstrip('.')} {fault.problem}")
    if problems or not asked:
        raise FormError(*(problems or ["$: has no element that can be asked."]))
    form_title = plain_text(localised(form.get("title"), "$.title"))
    whole: dict[str, Any] = {"id": survey_id, "title": form_title or survey_id}
    if introduction := localised(form.get("description"), "$.description"):
        whole["introduction"] = plain_text(introduction)
    definition, lacking = in_languages(whole | {"questions": [one.question for one in asked]}, _locale(form))
    by_name = {one.element.name: one.question for one in asked}
    typed = [one.element.name for one in asked if one.element.members.get("inputType") == "email"]
    said = [*lacking, *say_unused_skips(terms, by_name), *notes(form, asked, left_out), *say_addresses(by_name, typed)]
    said += say_scales(
        [
            Rated(one.element.name, one.question, [choice.value for choice in one.choices], one.element.matrix)
            for one in asked
        ]
    )
    for name in dict.fromkeys(one.element.matrix for one in asked if one.element.matrix):
        said += say_matrix(name, [one.question["type"] for one in asked if one.element.matrix == name], terms)
    return Imported(definition, tuple(asked), tuple(left_out), tuple(said), has_title=bool(form_title))


def _locale(form: dict[str, Any]) -> str:
    locale = form.get("locale", "")
    return locale if isinstance(locale, str) else ""


def _unsupported(element: Element, terms: Terms) -> list[str]:
    """Return why an element has no mechanism: nothing where it has one."""
    if element.type not in _QUESTION_TYPES:
        instead = _INSTEAD.get(element.type, "it is no type that sottovoce knows")
        return [f"{element}: has no mechanism ({instead})."]
    if element.type == "matrix" and not element.matrix:
        return [f"{element}: has no mechanism ({why_not(element)})."]
    found = [(names, why) for names, why in _NOT_BESIDE.items() if is_set(element.members, *names)]
    problems = [f"{element}: {names[0]} {why}." for names, why in found]
    if element.type == "slider" and element.members.get("sliderType") == "range":
        problems.append(f"{element}: sliderType range gives two numbers, so ask for each with a slider of its own.")
    if element.type == "slider" and not (is_set(element.members, "isRequired") or terms.skip_number(element.name)):
        problems.append(f"{element}: {_no_number(element)}")
    return problems


def _no_number(element: Element) -> str:
    """Return why a number cannot be left out, with one that no number may count as."""
    try:
        ends = scale_of(rates(element.members)) if element.type == "rating" else range_of(element.members)
    except FormError:
        return _NO_NUMBER.format(element.name, 0)
    return _NO_NUMBER.format(element.name, number_within(ends["minimum"], ends["maximum"]))


def _repeated(element: Element, asked: list[AskedElement]) -> list[str]:
    same = [one.element for one in asked if one.question["id"] == question_id(element.name)]
    return [f"{element}: its id {question_id(element.name)} is that of {same[0]} too. Rename one."] if same else []


def _ask(element: Element, before: FormText, terms: Terms) -> AskedElement:
    """Return the question that an element becomes. `before`: the section of the one before.

    Raises FormError, or SurveyError where it does not compile.
    """
    if not question_id(element.name):
        raise FormError("must have a name with a letter or a digit.")
    title = plain_text(element.title) if element.title else element.name
    asked: dict[str, Any] = {"id": question_id(element.name), "type": _type_of(element, terms)}
    asked |= section(element.name, element.section, before)[0] | {"text": title}
    offered = _offered(element)
    codes = [choice.value for choice in offered]
    asked |= _answers(element, [choice.text for choice in offered], terms)
    asked = scored(asked, codes, is_named=_is_scale(element, codes)) | {"epsilon": terms.epsilon}
    compile_question(asked, "$")
    return AskedElement(element, asked, tuple(offered) if "options" in asked else ())


def _is_scale(element: Element, codes: list[str]) -> bool:
    """Whether SurveyJS calls it a scale: a rating, and a matrix whose columns are numbers."""
    return element.type == "rating" or (element.type == "matrix" and all(map(is_integer, codes)))


def _type_of(element: Element, terms: Terms) -> str:
    """Return the type of question that an element asks: of a text or rating that must be a number of a range, that."""
    members = element.members
    usual = _QUESTION_TYPES[element.type]
    if element.type == "rating":
        is_number = bool(scale_of(rates(members)))
    else:
        is_number = usual == "text" and members.get("inputType") in NUMERIC and {"min", "max"} <= members.keys()
    may_be_skipped = element.type != "rating" and bool(terms.skip_number(element.name))
    return "number" if is_number and (may_be_skipped or _must_be_answered(element, terms)) else usual


def _offered(element: Element) -> list[Choice]:
    match element.type:
        case "boolean":
            return yes_and_no(element.members)
        case "rating":
            return rates(element.members)
        case "text" | "comment" | "slider":
            return []
    return choices(element.members)


def _answers(element: Element, texts: list[str], terms: Terms) -> dict[str, Any]:
    """Return the members of a question that say what may be answered, and what skipping counts as."""
    kind = _type_of(element, terms)
    if kind == "number":
        skip = {} if _must_be_answered(element, terms) else terms.skip_number(element.name)
        if not skip and not _must_be_answered(element, terms):
            raise FormError(_no_number(element))
        return {**(scale_of(rates(element.members)) if element.type == "rating" else range_of(element.members)), **skip}
    if kind == "any-of":  # nothing selected is an answer
        most = element.members.get("maxSelectedChoices") or 0
        if type(most) is not int:
            raise FormError("maxSelectedChoices must be an integer.")
        return {"options": texts} | ({"max_selected": most} if 0 < most < len(texts) else {})
    if _must_be_answered(element, terms):
        return {"options": texts} if kind == "one-of" else {}
    if kind == "text":
        return {"skip": NO_TEXT}
    return or_no_answer(texts)


def _must_be_answered(element: Element, terms: Terms) -> bool:
    """Whether nobody completes the form without an answer. Raises FormError where that depends on what is secret."""
    if not is_set(element.members, "isRequired") or is_set(element.members, "requiredIf"):
        return False
    if not element.hidden_by:
        return True
    names = secrets(element, terms.leave_out)
    is_public = not names and element.conditions and element.hidden_by.startswith(("visibleIf", "enableIf"))
    if terms.ask_everybody or is_public:
        return False
    by = f", depending on {listed(names)}, which a report without it would give away" if names else ""
    public = f", or leave out {listed(names)} if that is no secret (--leave-out)" if names else ""
    raise FormError(
        f"is required, but {element.hidden_by} may hide it{by}. Take isRequired away, so that skipping is an answer "
        f"like any other (--ask-everybody), or take away what hides it{public}."
    )
