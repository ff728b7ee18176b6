"""An XLSForm (ODK, KoboToolbox) as a survey: what each of its rows becomes. Pure, but for pyxform: a workbook in."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import (
    NO_TEXT,
    ImportedForm,
    Terms,
    listed,
    or_no_answer,
    question_id,
    refuse_condition,
    say_addresses,
    say_asked_of_all,
    say_skipped_number,
    say_steps,
    say_unused_skips,
    section,
)
from sotto_author.forms.languages import FormText, in_languages
from sotto_author.forms.markup import is_marked, plain, plain_text
from sotto_author.forms.scales import Rated, say_scales, scored
from sotto_author.forms.xlsform.conditions import is_conditional, is_never_asked, secrets
from sotto_author.forms.xlsform.form import Form, Row
from sotto_author.forms.xlsform.garbling import garbled, is_garbled, say_garbled
from sotto_author.forms.xlsform.limits import most_selected, range_of, unchecked
from sotto_author.forms.xlsform.types import ANSWERS_OF, COMPUTED, METADATA, unsupported
from sotto_protocol.errors import SurveyError
from sotto_protocol.members import MAX_TEXT
from sotto_protocol.questions.definition import compile_question

_YES_AND_NO = (("yes", "no"), ("y", "n"), ("true", "false"))
_SURE = ("yes", "true", "true()")
_UNSURE = ("no", "false", "false()")


@dataclass(slots=True)
class _Found:
    """What was found so far: questions by their row, and of the rest what to say of it."""

    asked: list[tuple[Row, dict[str, Any]]] = field(default_factory=list)
    introduction: list[FormText] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)
    computed: list[str] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def import_xlsform(form: Form, survey_id: str, terms: Terms) -> ImportedForm:
    """Return an XLSForm as a survey. Raises FormError with everything that is wrong."""
    found = _Found(left_out=[*form.left_out])
    names = {row.name for row in form.rows}
    for option, given in (
        ("--leave-out", terms.leave_out),
        ("--skip-number", {name for name, _ in terms.skip_numbers} - {""}),
    ):
        found.problems += [f'{option} names "{name}", and no row is called that.' for name in sorted(given - names)]
    for row in form.rows:
        try:
            _take(row, form, terms, found)
        except FormError as fault:
            found.problems.append(f"{row}: {fault}")
        except SurveyError as fault:
            what = f"{fault.where.removeprefix('$').lstrip('.')} {fault.problem}"
            found.problems.append(f"{row}: {what} Else leave it out (--leave-out {row.name}).")
    if found.problems or not found.asked:
        raise FormError(*(found.problems or ["has no row that can be asked."]))
    whole = {"id": survey_id, "title": _title(form, survey_id)} | _introduction(found)
    questions = [question for _, question in found.asked]
    definition, notes = in_languages(whole | {"questions": questions}, form.locale)
    names_asked, said = tuple(row.name for row, _ in found.asked), (*notes, *_notes(form, found, terms))
    return ImportedForm(definition, names_asked, said, has_title=bool(plain(form.title)))


def _title(form: Form, survey_id: str) -> FormText:
    """Return the title, which is the same in all languages."""
    title = plain(form.title) or survey_id
    return FormText(title, {tag: title for tag in form.languages.tags.values() if tag != form.locale})


def _take(row: Row, form: Form, terms: Terms, found: _Found) -> None:
    """Put a row where it belongs. Raises FormError, or SurveyError where its question does not compile."""
    if row.name in terms.leave_out:
        found.left_out.append(str(row))
    elif row.type in METADATA or row.type.startswith("uri:"):
        found.metadata.append(row.type)
    elif row.type in COMPUTED:
        found.computed.append(row.name)
    elif is_never_asked(row) or row.bind("readonly").lower() in _SURE:
        found.left_out.append(f"{row}, which nobody is asked")
    elif row.type == "note":
        _take_note(row, form, found)
    else:
        problems = unsupported(row, form, terms)
        if problems and terms.skip_unsupported:
            found.left_out.append(str(row))
        elif problems:
            found.problems += [f"{row}: {problem}" for problem in problems]
        else:
            _ask(row, form, terms, found)


def _take_note(row: Row, form: Form, found: _Found) -> None:
    text = form.languages.text(row.members.get("label"))
    is_first = not found.asked and not row.conditions and not row.repeat and "${" not in text
    if is_first and text and len(" ".join([*found.introduction, text])) <= MAX_TEXT:
        found.introduction.append(text)
    else:
        found.unsaid.append(row.name)


def _introduction(found: _Found) -> dict[str, FormText]:
    """Return the notes before the first question as one text, in the languages that all of them have."""
    if not found.introduction:
        return {}
    tags = set.intersection(*(set(text.others) for text in found.introduction))
    others = {tag: " ".join(text.others[tag] for text in found.introduction) for tag in sorted(tags)}
    return {"introduction": FormText(" ".join(found.introduction), others)}


def _ask(row: Row, form: Form, terms: Terms, found: _Found) -> None:
    names = secrets(row, terms.leave_out)
    if names and not terms.ask_everybody:
        found.problems.append(refuse_condition(row, names, "relevant"))
        return
    name = question_id(row.name)
    same = [str(other) for other, question in found.asked if question["id"] == name]
    if same:
        raise FormError(f"has the same id as {same[0]}, {name}; rename one.")
    question: dict[str, Any] = {"id": name, "type": ANSWERS_OF[row.type]} | _section(row, form, found)
    question |= {"text": form.languages.text(row.members.get("label"))} | _answers(row, form, question["type"], terms)
    if not is_garbled(row):
        question = scored(question, _codes(row, form), is_named=_is_likert(row)) | {"epsilon": terms.epsilon}
    compile_question(question, "$")
    found.asked.append((row, question))
    found.said += say_garbled(row, question)
    if is_conditional(row):
        found.said.append(say_asked_of_all(row.name, names, question))


def _codes(row: Row, form: Form) -> list[str]:
    """Return the names of a row's choices."""
    return [str(choice["name"]) for choice in form.choices.get(str(row.members.get("itemset")), [])]


def _is_likert(row: Row) -> bool:
    """Whether a form shows a row as a Likert scale."""
    return "likert" in str((row.members.get("control") or {}).get("appearance", "")).lower().split()


def _rated(form: Form, found: _Found) -> list[Rated]:
    """Return the questions with the names of their choices; those that share a list are as the rows of a matrix."""
    used = Counter(str(row.members.get("itemset")) for row, _ in found.asked)
    lists = [str(row.members.get("itemset")) for row, _ in found.asked]
    return [
        Rated(row.name, question, _codes(row, form), f"the list {shared}" if used[shared] > 1 else "")
        for (row, question), shared in zip(found.asked, lists, strict=True)
    ]


def _section(row: Row, form: Form, found: _Found) -> dict[str, FormText]:
    """Return the section that a question begins: the group nearest to it that has a label, where it is another."""
    before = form.languages.text(found.asked[-1][0].section if found.asked else None)
    member, said = section(row.name, form.languages.text(row.section), before)
    found.said += said
    return member


def _answers(row: Row, form: Form, kind: str, terms: Terms) -> dict[str, Any]:
    """Return the members of a question that say what may be answered, and what skipping counts as."""
    must = row.bind("required").lower() in _SURE and not is_conditional(row)
    if is_garbled(row):
        return garbled(row, form) | ({} if must else {"skip": "no"})
    if kind == "number":
        return {**range_of(row), **({} if must else terms.skip_number(row.name))}
    if kind == "text":
        return {} if must else {"skip": NO_TEXT}
    if kind == "yes-no":
        return {} if must else {"skip": "no"}
    choices = form.choices[str(row.members["itemset"])]
    texts = [form.languages.text(choice.get("label")) for choice in choices]
    if kind == "any-of":
        return {"options": texts} | most_selected(row, len(texts))
    names = tuple(name.casefold() for name in _codes(row, form))
    if must and names in (*_YES_AND_NO, *(pair[::-1] for pair in _YES_AND_NO)):
        return {"type": "yes-no"}
    return {"options": texts} if must else or_no_answer(texts)


def _ways(form: Form, found: _Found) -> list[str]:
    """Return what yes and no stand for, where the form says them in other words."""
    said = []
    for row, question in found.asked:
        if question["type"] == "yes-no" and "itemset" in row.members:
            by_name = {str(choice["name"]).casefold(): choice for choice in form.choices[str(row.members["itemset"])]}
            yes, no = (form.languages.text(by_name[way].get("label")) for way in sorted(by_name, reverse=True))
            if (yes.casefold(), no.casefold()) != ("yes", "no"):
                said.append(f"{row.name}: yes stands for {str(yes)!r}, no for {str(no)!r}")
    return said


def _dropped(row: Row, question: dict[str, Any]) -> Iterator[str]:
    """Yield which conditions on an answer are not the survey's."""
    if question["type"] == "any-of":
        yield from (f"{row.name}: any choices may be selected, for no survey checks {part}" for part in unchecked(row))
    required = row.bind("required").strip()
    if required.lower() not in ("", *_SURE, *_UNSURE):
        yield f"{row.name}: is required in the form where {required}; now nobody must answer it"


def _marked(form: Form, found: _Found) -> list[str]:
    """Return what has lost its Markdown and HTML: the title, sections, each once, and rows."""
    written, rows = form.languages.written, [row for row, _ in found.asked]
    sections = [text for row in rows if is_marked(text := written(row.section))]
    return [
        *["the form's title"] * (plain(form.title) != form.title),
        *dict.fromkeys(f'the section "{plain_text(text)}"' for text in sections),
        *(f'"{row.name}"' for row in rows if _is_marked(row, form)),
    ]


def _is_marked(row: Row, form: Form) -> bool:
    choices = form.choices.get(str(row.members.get("itemset")), [])
    said = [row.members.get("label"), *(choice.get("label") for choice in choices)]
    return any(is_marked(form.languages.written(text)) for text in said)


def _notes(form: Form, found: _Found, terms: Terms) -> list[str]:
    """Return what an author should know of what was not taken over."""
    notes = [*_ways(form, found), *found.said]
    for row, question in found.asked:
        notes += say_skipped_number(row.name, question)
        notes += _dropped(row, question)
        if row.type == "decimal":
            notes.append(f"{row.name}: {say_steps(question['step'])}")
        if is_garbled(row) and "skip" in question:
            notes.append(f"{row.name}: no answer counts as no, and chance may turn it into yes")
    by_name = {row.name: question for row, question in found.asked}
    notes += [*say_unused_skips(terms, by_name), *say_addresses(by_name)]
    if marked := _marked(form, found):
        notes.append(
            f"without their Markdown and HTML, which a survey would show as it is written: {', '.join(marked)}"
        )
    if found.metadata:
        kinds = ", ".join(dict.fromkeys(found.metadata))
        notes = [f"dropped: {kinds}; no such thing is ever collected", *notes]
    if len(form.languages.tags) > 1:
        notes.append("the title is the same in all languages, for an XLSForm has but one: translate it")
    notes += [f"dropped, for a survey calculates nothing: {listed(found.computed)}"] * bool(found.computed)
    notes += [f"dropped, for notes are shown before the first question alone: {listed(found.unsaid)}"] * bool(
        found.unsaid
    )
    hinted = [row.name for row, _ in found.asked if row.members.get("hint") or row.members.get("guidance_hint")]
    notes += [f"dropped: the hints of {listed(hinted)}; write into the text what is needed"] * bool(hinted)
    given = [row.name for row, _ in found.asked if row.members.get("default")]
    notes += [f"dropped: the defaults of {listed(given)}"] * bool(given)
    staying = [f"{row.name} ({', '.join(others)})" for row, _ in found.asked if (others := row.others())]
    notes += [f"stays in the form, is no part of the survey: {'; '.join(staying)}"] * bool(staying)
    notes += say_scales(_rated(form, found))
    return notes + [f"left out: {each}" for each in found.left_out]
