"""What `sotto new` asks at the terminal, and the definition that comes of it."""

import unicodedata
from typing import Any

import click

from sotto_author.forms.asking import question_id
from sotto_author.prompts import ask_whether, ask_whole, ask_whole_or_none
from sotto_author.refusal import with_refusal
from sotto_protocol import SurveyError
from sotto_protocol.definition import compile_survey
from sotto_protocol.members import MAX_PEOPLE, POPULATION, RESPONDENTS
from sotto_protocol.questions.definition import compile_question

PEOPLE = 300
MOST_SELECTED = 2
_ID_WORDS = 3
_KINDS = {
    "1": ("yes-no", "yes or no"),
    "2": ("one-of", "one of some options"),
    "3": ("any-of", "several of some options"),
    "4": ("number", "a number"),
    "5": ("text", "a short text: only common answers are found, and nobody reads what is written"),
}


def ask_survey(people: int | None, lang: str, about: str | None, *, may_skip: bool | None) -> dict[str, Any]:
    """Return a definition without epsilons, of what is answered at the terminal. Raises click.Abort at its end.

    `about`, `may_skip`: whom the results are about, and whether questions may be left out; None: it is asked.
    """
    definition: dict[str, Any] = {"id": "survey", "lang": lang} if lang != "en" else {"id": "survey"}
    title = _ask("What is the survey called?", "title")
    definition |= {"id": _address_of(title), "title": title}
    for name, said in (("controller", "Who asks?"), ("contact", "Whom can people write to?")):
        if answer := _ask(f"{said} (Enter: not said)", name, default=""):
            definition[name] = answer
    n = people or ask_whole("How many people will you ask?", PEOPLE, 2, MAX_PEOPLE)
    invited = ask_whether("Only people whom you invite?")
    definition |= {"people": n} | ({"invited": True} if invited else {})
    definition["about"] = about or ask_about(is_invited=invited)
    return definition | {"questions": _ask_questions(lang, may_skip)}


def ask_about(*, is_invited: bool) -> str:
    """Return whom the results are about, as it is answered at the terminal."""
    said = "Are these all the people whom the results are about? (no: they stand for more people)"
    return RESPONDENTS if ask_whether(said, is_usual=is_invited) else POPULATION


def _ask_questions(lang: str, may_skip: bool | None) -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = []
    kinds = [f"  {key}  {said}" for key, (_, said) in _KINDS.items()]
    click.echo("\n".join(["\nKinds of questions:", *kinds]), err=True)
    while True:
        end = " (Enter: no more)" if questions else ""
        text = click.prompt(f"\nQuestion {len(questions) + 1}{end}", default="", show_default=False, err=True).strip()
        if text:
            taken = {question["id"] for question in questions}
            questions.append(_ask_skip(_ask_question(text, taken), lang, may_skip))
        elif questions:
            return questions


def _ask_question(text: str, taken: set[str]) -> dict[str, Any]:
    """Return a question; it is asked again until it compiles."""
    while True:
        key = click.prompt("Its kind", "1", type=click.Choice(list(_KINDS)), err=True)
        kind = _KINDS[key][0]
        question = {"id": _id_of(text, taken) or f"q{len(taken) + 1}", "type": kind, "text": text} | _members(kind)
        try:
            compile_question(question | {"epsilon": 1}, "$")
        except SurveyError as fault:
            click.echo(f"That does not work: {fault}", err=True)
            continue
        return question


def _ask_skip(question: dict[str, Any], lang: str, may_skip: bool | None) -> dict[str, Any]:
    """Return a question that may be left out, if it is one that can be and its author agrees."""
    if may_skip is False:
        return question
    if question["type"] == "number":
        return question | _ask_skipped_number(question["minimum"], question["maximum"], must_skip=bool(may_skip))
    offered = with_refusal(question, lang)
    if offered == question:
        return question
    costs = "" if question["type"] == "text" else " It costs some precision"
    is_agreed = may_skip or ask_whether(f'May people leave it out ("{offered["skip"]}")?{costs}')
    return offered if is_agreed else question


def _ask_skipped_number(least: int, most: int, *, must_skip: bool) -> dict[str, int]:
    """Return the member `skip` of a number; none where people must answer. Reports of numbers have no room for more."""
    said = "If people leave it out, which number counts? It moves the mean"
    if must_skip:
        return {"skip": ask_whole(said, least, least, most)}
    skip = ask_whole_or_none(f"{said} (Enter: everybody must answer)", least, most)
    return {} if skip is None else {"skip": skip}


def _members(kind: str) -> dict[str, Any]:
    if kind == "number":
        least = click.prompt("The least that is answered", 0, err=True)
        most = click.prompt("The most", 20, err=True)
        unit = click.prompt("Counted in (Enter: nothing)", default="", show_default=False, err=True).strip()
        return {"minimum": least, "maximum": most} | ({"unit": unit} if unit else {})
    if kind not in ("one-of", "any-of"):
        return {}
    options = _ask_options()
    if kind == "one-of" or len(options) < 2:
        return {"options": options}
    usual = min(MOST_SELECTED, len(options))
    most_selected = ask_whole("How many at most? Each more costs precision", usual, 1, len(options))
    return {"options": options, "max_selected": most_selected}


def _ask_options() -> list[str]:
    click.echo("Its options, one a line; Enter ends. Few are more precise than many.", err=True)
    options: list[str] = []
    while option := click.prompt(f"  {len(options) + 1}", default="", show_default=False, err=True).strip():
        options.append(option)
    return options


def _ask(said: str, member: str, default: str | None = None) -> str:
    """Return what is answered, once it can be the survey's member of this name."""
    question = {"id": "q", "type": "yes-no", "text": "?", "epsilon": 1}
    while True:
        answer = str(click.prompt(said, default=default, show_default=False, err=True)).strip()
        if not answer and default is not None:
            return default
        try:
            compile_survey({"id": "s", "title": "?", "questions": [question]} | {member: answer})
        except SurveyError as fault:
            click.echo(f"That does not work: {fault}", err=True)
            continue
        return answer


def _address_of(title: str) -> str:
    """Return the survey's id, which stands in its address: of its title where that has letters of an address.

    >>> _address_of("Âge et travail"), _address_of("年龄")
    ('age-et-travail', 'survey')
    """
    letters = unicodedata.normalize("NFKD", title)
    return _id_of(title, set()) if any(one.isascii() and one.isalnum() for one in letters) else "survey"


def _id_of(text: str, taken: set[str]) -> str:
    """Return an id of a text's first words that is not taken.

    >>> _id_of("Have you been harassed at work?", {"have-you-been"}), _id_of("年龄", set())
    ('have-you-been-2', 'u5e74-u9f84')
    """
    short = question_id(" ".join(text.split()[:_ID_WORDS]))[:40].rstrip("-_")
    numbered = (f"{short}-{number}" for number in range(2, 1000))
    return short if short not in taken else next(name for name in numbered if name not in taken)
