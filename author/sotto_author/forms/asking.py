"""What the importers of all kinds of form share: an author's terms, questions' ids, what skipping counts as."""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sotto_author.forms.languages import FormText
from sotto_author.forms.markup import plain_text
from sotto_author.survey_toml import to_toml
from sotto_protocol.documents import decimal_text, is_text
from sotto_protocol.language import LANGUAGES, language, mark
from sotto_protocol.members import ID_PATTERN, LENGTHS

NO_ANSWER = mark("No answer")
"""The option that skipping is, unless the form offers it in other letters."""
_NO_ANSWERS = {language(tag).translation(NO_ANSWER).casefold() for tag in LANGUAGES}
"""In each of the product's languages: in the survey's own, it would stand there twice."""
NO_TEXT = "(no answer)"
_ADDRESS = re.compile(r"(?:\b|_)e-?mails?\d*(?:\b|_)", re.IGNORECASE)
ELSE = "what the device works out"
"""What decides who is asked, where that is no question's answer."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What an author asks of an import: `epsilon` of every question, in nats, and what may become of the rest.

    `leave_out` names what is not asked, as its answer is no secret, or not needed. `skip_numbers`: names, and what no
    number counts as; "" stands for whatever is not named.
    """

    epsilon: Decimal
    skip_unsupported: bool = False
    ask_everybody: bool = False
    leave_out: frozenset[str] = frozenset()
    skip_numbers: tuple[tuple[str, int | Decimal], ...] = ()

    def skip_number(self, name: str) -> dict[str, int | Decimal]:
        """Return the member by which a number may be left out, {} where that was not asked for."""
        by_name = dict(self.skip_numbers)
        counted_as = by_name.get(name, by_name.get(""))
        return {} if counted_as is None else {"skip": counted_as}


@dataclass(frozen=True, slots=True)
class ImportedForm:
    """A form as a survey: `definition` is what an author writes, `notes` what became of the rest.

    `names` has what the form calls each question. `has_title`: else the title is the survey's id.
    """

    definition: dict[str, Any]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    has_title: bool = True

    def to_toml(self) -> str:
        """Return the survey file; a question whose id is not its name in the form has a comment that says the name."""
        return to_toml(self.definition, [origin(name) for name in self.names])


def question_id(name: str) -> str:
    """Return the id of the question that an element's name stands for: always the same, "" where there is none.

    >>> [question_id(name) for name in ("smoked_weed", "How often?", "Âge (années)", "年龄")]
    ['smoked_weed', 'how-often', 'age-annees', 'u5e74-u9f84']
    """
    if ID_PATTERN.fullmatch(name):
        return name
    plain = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", name))
    lower = re.sub("[A-Z]", lambda letter: letter[0].lower(), plain)  # ASCII's alone: the same in every language
    written = re.sub("[^a-z0-9_-]+", "-", lower).lstrip("-_").rstrip("-")
    coded = "-".join(f"u{ord(letter):x}" for letter in name if ord(letter) > 127)
    return (written or coded)[:64]


def origin(name: str) -> str:
    """Return the comment above a question: its element's name, "" where its id says it."""
    return "" if question_id(name) == name else f"the form's element {name}"


def or_no_answer(texts: Sequence[str]) -> dict[str, Any]:
    """Return the members of a one-of question that may be skipped: with "No answer", unless a text says so already."""
    same = [text for text in texts if text.casefold() in _NO_ANSWERS]
    skip = same[0] if same else NO_ANSWER
    return {"type": "one-of", "options": list(texts) if same else [*texts, skip], "skip": skip}


def section(name: str, title: FormText, before: FormText) -> tuple[dict[str, FormText], list[str]]:
    """Return the member by which a question begins a section, where it is another than before, and what to say.

    `title`: that of the section which the question stands in, in the form; `before`: that of the question before it.
    """
    title = plain_text(title)
    if title == plain_text(before):
        return {}, []
    if not title:
        return {}, [f'{name}: stands in no group, and in the survey still in the section "{before}"']
    most = LENGTHS["section"]
    short = FormText(_cut(title, most), {tag: _cut(text, most) for tag, text in title.others.items()})
    if not all(is_text(text, most) for text in (short, *short.others.values())):
        return {}, [f"{name}: begins a group whose title is no section's, of at most {most} characters"]
    is_cut = (short, short.others) != (title, title.others)
    return {"section": short}, [f"{name}: begins a section whose title is cut at {most} characters"] * is_cut


def _cut(text: str, most: int) -> str:
    """Return a text of at most so many characters: cut after a word where it is longer, "" where it has but one."""
    words = text[: most - 1].rpartition(" ")[0].rstrip(" ,;:.")
    return text if len(text) <= most else words and words + "\u2026"


def number_within(low: int | Decimal, high: int | Decimal) -> str:
    """Return a number that no number may count as: 0, or the least where 0 is not in the range.

    >>> number_within(0, 9), number_within(Decimal("18.5"), 120)
    ('0', '18.5')
    """
    return "0" if low <= 0 <= high else decimal_text(Decimal(low))


def skipping(question: Mapping[str, Any]) -> str:
    """Return what it counts as that somebody is not shown a question."""
    if question["type"] == "any-of":
        return "nothing selected"
    if question["type"] == "number":
        return decimal_text(Decimal(question["skip"]))
    return json.dumps(question["skip"], ensure_ascii=False)


def refuse_condition(place: object, names: Sequence[str], condition: str) -> str:
    """Return why what is asked only of some, by the answers to `names`, cannot stay so, and what to do."""
    whose = listed([name for name in names if name != ELSE]) or ELSE
    public = f"leave out {names[0]} if its answer is no secret (--leave-out {names[0]}), " * (ELSE not in names)
    return (
        f"{place}: is asked only of some, depending on {whose}. A report without it would give that away. Ask "
        f"everybody, with an answer for people whom it does not concern (--ask-everybody), {public}or take "
        f"{condition} away."
    )


def say_asked_of_all(name: str, names: Sequence[str], question: Mapping[str, Any]) -> str:
    """Return that everybody is now asked what was asked only of some, by the answers to `names`."""
    by = f"by {', '.join(names)}" if names else "by what is no secret"
    return f"{name}: is asked only of some, {by}; now of everybody: else {skipping(question)}"


def say_skipped_number(name: str, question: Mapping[str, Any]) -> list[str]:
    """Return what an author should know of a number that may be left out."""
    if question["type"] != "number" or "skip" not in question:
        return []
    return [f"{name}: no number counts as {decimal_text(Decimal(question['skip']))}, in the mean too"]


def say_unused_skips(terms: Terms, asked: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return which names of --skip-number change nothing, and why. `asked`: the questions, by their element's name."""
    return [
        f"--skip-number {name}={decimal_text(Decimal(number))} is not used: {why}"
        for name, number in terms.skip_numbers
        if name and (why := _why_unused(asked.get(name)))
    ]


def _why_unused(question: Mapping[str, Any] | None) -> str:
    if question is None:
        return "it is left out"
    if question["type"] != "number":
        return f"its question is {question['type']}, and has no number"
    return "" if "skip" in question else "the form requires an answer to it"


def say_addresses(asked: Mapping[str, Mapping[str, Any]], typed: Collection[str] = ()) -> list[str]:
    """Return which texts ask for an e-mail address. `asked`: by their names; `typed`: sure ones."""
    found = [
        name
        for name, question in asked.items()
        if question["type"] == "text" and (name in typed or _ADDRESS.search(f"{name} {question['text']}"))
    ]
    if not found:
        return []
    out = " ".join(f"--leave-out {name}" for name in found)
    ask = "asks for an e-mail address" if len(found) == 1 else f"ask {len(found)} times for an e-mail address"
    return [f"{', '.join(found)}: {ask}, it seems, which says who somebody is: leave it out ({out})"]


def say_steps(step: Decimal, wanted: str = "") -> str:
    """Return in what steps a number is taken, where the form says none, or others: those that are `wanted`."""
    if wanted:
        return f"takes steps of {decimal_text(step)}, and not those of its slider: write step = {wanted}"
    return f"takes steps of {decimal_text(step)} alone, for the form says no step"


def say_ends(labels: Sequence[str]) -> str:
    """Return that what stands beside the ends of a scale is dropped."""
    return f"the labels of its scale are dropped ({listed(labels)}): write into the text what its ends mean"


def say_excluding(choices: Sequence[str], by: str) -> str:
    """Return that what excludes other choices does not do so in a survey."""
    return f"any choices may be selected together, also {listed(choices)} with others, for no survey checks {by}"


def listed(names: Collection[str]) -> str:
    """Return names in quotes.

    >>> listed(["a", "b"])
    '"a", "b"'
    """
    return ", ".join(f'"{name}"' for name in names)
