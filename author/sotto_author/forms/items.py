"""What a form of another program asks, in one shape for all programs: a reader makes it, one importer asks it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import (
    NO_TEXT,
    ImportedForm,
    Terms,
    listed,
    number_within,
    or_no_answer,
    question_id,
    refuse_condition,
    say_addresses,
    say_asked_of_all,
    say_skipped_number,
    say_unused_skips,
    section,
)
from sotto_author.forms.languages import NO_TITLE, FormText, in_languages
from sotto_author.forms.markup import without_html
from sotto_author.forms.scales import Rated, say_scales, scored
from sotto_protocol.documents import decimal_text
from sotto_protocol.errors import SurveyError
from sotto_protocol.members import MAX_TEXT
from sotto_protocol.questions.definition import compile_question

MAX_CELL = 32_767
"""Characters of one text, as in a workbook."""
_YES_AND_NO = {"yes", "no"}
_NO_NUMBER = (
    "cannot be skipped, for no number means no answer. Require it of everybody, say what no number counts as "
    "(--skip-number {}={}), or ask with choices."
)
_MOST_TOGETHER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that a form asks. Texts are as the form has them, in HTML.

    `answers`: the members of a question that requires an answer; of yes-no as one-of. `problems`: why it has no
    mechanism. `depends_on`: whose answers decide whether it is asked; `is_conditional` also where chance does.
    `lost`: what of it is no part of a survey. `said`: what to say of it. `matrix`: the name of the matrix that it is a
    row of. `codes`: what the form stores for each option, where it says so. `is_scale`: the form calls it a scale.
    """

    place: str
    name: str
    text: FormText
    answers: Mapping[str, Any] = field(default_factory=dict)
    is_required: bool = False
    section: FormText = NO_TITLE
    depends_on: tuple[str, ...] = ()
    is_conditional: bool = False
    problems: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    matrix: str = ""
    codes: tuple[str, ...] = ()
    is_scale: bool = False

    def __str__(self) -> str:
        return self.place

    @property
    def must_be_answered(self) -> bool:
        return self.is_required and not self.is_conditional


@dataclass(frozen=True, slots=True)
class Shown:
    """A text that a form shows, and that asks nothing."""

    name: str
    text: FormText
    is_conditional: bool = False


@dataclass(frozen=True, slots=True)
class Unasked:
    """What a form records without asking, or never asks. `why` ends before a colon and the names."""

    name: str
    why: str


Part = Item | Shown | Unasked
COLLECTS = "dropped; no such thing is ever collected"
CALCULATES = "dropped, for a survey calculates nothing"
NEVER_ASKED = "left out, for nobody is asked"
RECODED = "recode values"
"""What a question loses unless they are its scores."""


@dataclass(frozen=True, slots=True)
class ItemForm:
    """A form: `condition` is what its program calls a condition, `notes` what to say of the whole."""

    title: FormText
    parts: tuple[Part, ...]
    condition: str
    locale: str = ""
    notes: tuple[str, ...] = ()


def joined(question: FormText, row: FormText) -> FormText:
    """Return the text of a matrix and that of its row as one, in the languages of both."""
    others = {tag: _join(question.others[tag], row.others[tag]) for tag in question.others if tag in row.others}
    return FormText(_join(question, row), others)


def _join(question: str, row: str) -> str:
    said = without_html(FormText(question, {}))
    if not without_html(FormText(row, {})):
        return question
    return f"{question}{':' * said[-1:].isalnum()} {row}" if said else row


def wordless(row: FormText, n_rows: int) -> list[str]:
    """Return what is wrong with a row of a matrix that nothing but its place tells from the others."""
    without = n_rows > 1 and not without_html(row)
    return ["is a row without words: write what it asks, or leave it out."] * without


def no_mechanism(why: str) -> str:
    """Return why something is refused."""
    return f"has no mechanism ({why})."


@dataclass(slots=True)
class _Taken:
    asked: list[tuple[Item, dict[str, Any]]] = field(default_factory=list)
    introduction: list[FormText] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unasked: dict[str, list[str]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


def import_items(form: ItemForm, survey_id: str, terms: Terms) -> ImportedForm:
    """Return a form as a survey. Raises FormError with everything that is wrong."""
    found = _Taken()
    names = {name for part in form.parts for name in _names(part)}
    for option, given in (
        ("--leave-out", terms.leave_out),
        ("--skip-number", {name for name, _ in terms.skip_numbers} - {""}),
    ):
        missing = sorted(given - names)
        found.problems += [f'{option} names "{name}", and nothing in the form is called that.' for name in missing]
    for part in form.parts:
        _take(part, form, terms, found)
    if found.problems or not found.asked:
        raise FormError(*(found.problems or ["has no question that can be asked."]))
    whole = {"id": survey_id, "title": without_html(form.title) or survey_id} | _introduction(found)
    questions = [question for _, question in found.asked]
    definition, lacking = in_languages(whole | {"questions": questions}, form.locale)
    names_asked = tuple(item.name for item, _ in found.asked)
    notes = (*lacking, *_notes(form, found, terms))
    return ImportedForm(definition, names_asked, notes, has_title=bool(without_html(form.title)))


def _take(part: Part, form: ItemForm, terms: Terms, found: _Taken) -> None:
    """Put a part where it belongs."""
    if terms.leave_out.intersection(_names(part)):
        found.left_out.append(str(part) if isinstance(part, Item) else part.name)
    elif isinstance(part, Unasked):
        found.unasked.setdefault(part.why, []).append(part.name)
    elif isinstance(part, Shown):
        _show(part, found)
    elif (problems := part.problems or tuple(_without_words(part))) and terms.skip_unsupported:
        found.left_out.append(str(part))
    elif problems:
        found.problems += [f"{part}: {problem}" for problem in problems]
    else:
        try:
            _ask(part, form, terms, found)
        except FormError as fault:
            found.problems.append(f"{part}: {fault}")
        except SurveyError as fault:
            what = f"{fault.where.removeprefix('$').lstrip('.')} {fault.problem}"
            found.problems.append(f"{part}: {what} Else leave it out (--leave-out {part.name}).")


def _without_words(item: Item) -> Iterator[str]:
    """Yield what is wrong with choices that nobody could read."""
    options = item.answers.get("options", ("",))
    if not options:
        yield "has no choices: list them."
    elif "options" in item.answers and not all(without_html(option) for option in options):
        yield "has a choice without words, such as an image: write what it shows."


def _names(part: Part) -> tuple[str, ...]:
    """Return what an author may call a part: its name, and that of its matrix."""
    return (part.name, part.matrix) if isinstance(part, Item) and part.matrix else (part.name,)


def _show(shown: Shown, found: _Taken) -> None:
    text = without_html(shown.text)
    fits = len(" ".join([*found.introduction, text])) <= MAX_TEXT
    if text and fits and not found.asked and not shown.is_conditional:
        found.introduction.append(text)
    elif text:
        why = f"dropped, for only texts before the first question are shown, of {MAX_TEXT:,} characters at most"
        found.unasked.setdefault(why, []).append(shown.name)


def _introduction(found: _Taken) -> dict[str, FormText]:
    if not found.introduction:
        return {}
    tags = set.intersection(*(set(text.others) for text in found.introduction))
    others = {tag: " ".join(text.others[tag] for text in found.introduction) for tag in sorted(tags)}
    return {"introduction": FormText(" ".join(found.introduction), others)}


def _ask(item: Item, form: ItemForm, terms: Terms, found: _Taken) -> None:
    """Ask an item. Raises FormError, or SurveyError where its question does not compile."""
    names = [name for name in item.depends_on if name not in terms.leave_out]
    if names and not terms.ask_everybody:
        found.problems.append(refuse_condition(item, names, form.condition))
        return
    name, text = question_id(item.name), without_html(item.text)
    same = [str(other) for other, question in found.asked if question["id"] == name]
    if same or not name or not text:
        raise FormError(
            f"has the same id as {same[0]}, {name}; rename one."
            if same
            else "has no text that can be read."
            if name
            else "must have a name with a letter or a digit."
        )
    title, before = (without_html(each) for each in (item.section, _section_before(found)))
    member, said = section(item.name, title, before)
    question: dict[str, Any] = (
        {"id": name, "type": item.answers["type"]} | member | {"text": text} | _answers(item, terms)
    )
    question = scored(question, item.codes, is_named=item.is_scale) | {"epsilon": terms.epsilon}
    compile_question(question, "$")
    found.said += said
    found.asked.append((item, question))
    if item.is_conditional:
        found.said.append(say_asked_of_all(item.name, names, question))


def _section_before(found: _Taken) -> FormText:
    return found.asked[-1][0].section if found.asked else NO_TITLE


def _answers(item: Item, terms: Terms) -> dict[str, Any]:
    """Return the members of a question that say what may be answered, and what skipping counts as."""
    members = dict(item.answers)
    kind = members.pop("type")
    if kind == "number":
        skip = {} if item.must_be_answered else terms.skip_number(item.name)
        if not skip and not item.must_be_answered:
            raise FormError(_NO_NUMBER.format(item.name, number_within(members["minimum"], members["maximum"])))
        return members | skip
    if kind == "text":
        return members | ({} if item.must_be_answered else {"skip": NO_TEXT})
    texts = [without_html(option) for option in members["options"]]
    if kind == "any-of":
        return members | {"options": texts}
    if not item.must_be_answered:
        return or_no_answer(texts) | {"type": kind}
    is_plain = len(texts) == len(_YES_AND_NO) and {text.casefold() for text in texts} == _YES_AND_NO
    return {"type": "yes-no"} if is_plain else {"options": texts}


def _notes(form: ItemForm, found: _Taken, terms: Terms) -> list[str]:
    """Return what an author should know of what was not taken over."""
    notes = [*form.notes, *(f"{why}: {listed(names)}" for why, names in found.unasked.items()), *found.said]
    by_name = {item.name: question for item, question in found.asked}
    for item, question in found.asked:
        notes += say_skipped_number(item.name, question)
    notes += dict.fromkeys(f"{item.matrix or item.name}: {said}" for item, _ in found.asked for said in item.said)
    notes += [*say_unused_skips(terms, by_name), *say_addresses(by_name)]
    if marked := dict.fromkeys(_marked(form, found)):
        notes.append(f"without their HTML, which a survey would show as it is written: {', '.join(marked)}")
    lost = [
        (item, [each for each in item.lost if each != RECODED or not _is_scored(item, by_name)])
        for item, _ in found.asked
    ]
    staying = [f"{item.name} ({', '.join(which)})" for item, which in lost if which]
    notes += [f"stays in the form, is no part of the survey: {'; '.join(staying)}"] * bool(staying)
    notes += say_scales([Rated(item.name, question, item.codes, item.matrix) for item, question in found.asked])
    matrices = dict.fromkeys(item.matrix for item, _ in found.asked if item.matrix)
    for name in matrices:
        notes += say_matrix(name, [question["type"] for item, question in found.asked if item.matrix == name], terms)
    return notes + [f"left out: {each}" for each in found.left_out]


def _is_scored(item: Item, by_name: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an item's codes are its scores."""
    return bool(item.codes) and by_name[item.name]["type"] == "likert"


def say_matrix(name: str, kinds: Sequence[str], terms: Terms) -> list[str]:
    """Return what the rows of a matrix cost as questions of these types, and how they cost less."""
    if len(kinds) == 1:
        return []
    total = decimal_text(len(kinds) * terms.epsilon)
    which = "them" if len(kinds) <= _MOST_TOGETHER else "two or three of them"
    can_join = all(kind in ("yes-no", "one-of", "likert") for kind in kinds)
    how = '([[together]]; then as type = "one-of", without mean scores)' if "likert" in kinds else "([[together]])"
    what = f'"{name}" is {len(kinds)} questions'
    if can_join or "any-of" in kinds:
        what = f"the matrix {what} with the same options"
    note = f"{what}, epsilon {total} in total. To take less, keep fewer rows, or let each device answer some of them"
    joined_up = f", or protect {which} as one answer {how}" * can_join
    return [f"{note} (draw; then give each more epsilon){joined_up}. `sotto check` says what each way is worth"]


def _marked(form: ItemForm, found: _Taken) -> Iterator[str]:
    """Yield what has lost its HTML."""
    if _is_marked(form.title):
        yield "the form's title"
    for item, _ in found.asked:
        if _is_marked(item.section):
            yield f'the section "{without_html(item.section)}"'
        if any(_is_marked(text) for text in (item.text, *item.answers.get("options", ()))):
            yield f'"{item.name}"'


def _is_marked(text: FormText) -> bool:
    plain = without_html(text)
    return any(
        " ".join(said.split()) != read
        for said, read in ((text, plain), *((text.others[tag], plain.others[tag]) for tag in text.others))
    )
