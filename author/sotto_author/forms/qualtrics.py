"""A Qualtrics survey (QSF, JSON) as items: a question each, in the order of the survey's flow. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sotto_author.errors import FormError
from sotto_author.forms.asking import say_ends, say_steps
from sotto_author.forms.items import (
    COLLECTS,
    NEVER_ASKED,
    RECODED,
    Item,
    ItemForm,
    Part,
    Shown,
    Unasked,
    joined,
    no_mechanism,
    wordless,
)
from sotto_author.forms.languages import FormText
from sotto_author.forms.markup import without_html
from sotto_author.forms.qualtrics_flow import Place, asks, entries, places, text_of
from sotto_author.forms.scales import is_rating_of_ten
from sotto_protocol.documents import decimal_text

_INSTEAD = {
    "RO": "ask for the first choice, as multiple choice",
    "CS": "ask for each amount with a slider",
    "SBS": "ask every column as a matrix of its own",
    "PGR": "ask for each group, as multiple choice",
    "DD": "list the choices, as multiple choice",
    "HL": "ask for each word, as multiple choice",
    "FileUpload": "a file cannot be perturbed",
    "Draw": "a signature cannot be perturbed",
    **dict.fromkeys(("HotSpot", "HeatMap"), "ask for each region, as multiple choice"),
}
_RECORDED = ("Timing", "Meta", "Captcha")
_ONE_OF = ("SAVR", "SAHR", "SACOL", "DL", "SB", "NPS")
_ANY_OF = ("MAVR", "MAHR", "MACOL", "MSB")
_MATRIX = {"SingleAnswer": "one-of", "DL": "one-of", "MultipleAnswer": "any-of"}
_SLIDERS = ("HSLIDER", "HBAR", "STAR")
_PIPED = re.compile(r"\$\{[a-z]+://[^{}]*\}")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,6})?")
_INTEGER = re.compile(r"-?\d{1,4}")
_LANGUAGES = {"ZH-S": "zh-Hans", "ZH-T": "zh-Hant"}
_BASE = "base"
_OFF: tuple[Any, ...] = (None, "", False, "false", "OFF", "None", "No")
_LOST = {  # members of a question that no survey has, where they are set
    "QuestionJS": "JavaScript",
    "Randomization": "random order",
    "RecodeValues": RECODED,
    "VariableNaming": "variable names",
    "DefaultChoices": "default",
    "GradingData": "scores",
    "AnalyzeChoices": "choices to analyze",
    "ClarifyingSymbolType": "symbol",
    "ClarifyingText": "clarifying text",
}
_TAKEN = {  # members that make the question, say how it looks in the editor, or are looked at by themselves
    *("QuestionText", "QuestionText_Unsafe", "DataExportTag", "QuestionType", "Selector", "SubSelector", "QuestionID"),
    *("Configuration", "QuestionDescription", "Choices", "ChoiceOrder", "Answers", "AnswerOrder", "Validation"),
    *("Language", "SurveyLanguage", "NextChoiceId", "NextAnswerId", "ChoiceDataExportTags", "AnswerDataExportTags"),
    *("DisplayLogic", "InPageDisplayLogic", "DataVisibility", "DynamicChoices", "DynamicAnswers", "ColumnLabels"),
    *("DynamicChoicesData", "DynamicAnswersData", "Labels"),
}
_DYNAMIC = ("DynamicChoices", "DynamicAnswers")


def is_qsf(document: Any) -> bool:
    """Whether a JSON document is a Qualtrics survey."""
    return isinstance(document, dict) and ("SurveyElements" in document or "SurveyEntry" in document)


def read_qsf(document: Mapping[str, Any]) -> ItemForm:
    """Return the items of a Qualtrics survey. Raises FormError."""
    entry = entries(document.get("SurveyEntry"))
    elements = [each for each in entries(document.get("SurveyElements")).values() if isinstance(each, dict)]
    if not any(each.get("Element") == "SQ" for each in elements):
        raise FormError("$.SurveyElements: has no question (SQ): export the survey from Qualtrics, with its questions.")
    own = text_of(entry.get("SurveyLanguage"))
    questions = [_Question(each, own) for each in elements if each.get("Element") == "SQ"]
    tags = {question.id: question.tag for question in questions}
    found = places(elements, tags)
    by_id = {question.id: question for question in questions}
    parts = [part for place in found.places if place.id in by_id for part in _parts(by_id[place.id], place, tags)]
    elsewhere = [question.tag for question in questions if question.id not in {place.id for place in found.places}]
    parts += [
        Unasked(tag, "left out, for nobody is asked what is in the trash, in no block, or never displayed")
        for tag in elsewhere
    ]
    tongues = {tag for question in questions for tag in question.text.others}
    title = text_of(entry.get("SurveyName"))
    notes = found.notes + ["the title is the same in all languages, for a QSF has but one: translate it"] * bool(
        tongues
    )
    return ItemForm(
        FormText(title, dict.fromkeys(tongues, title)),
        tuple(parts),
        "its logic",
        locale=_LANGUAGES.get(own, own),
        notes=tuple(notes),
    )


class _Question:
    """One question as the file has it, its texts by language."""

    def __init__(self, element: Mapping[str, Any], own: str) -> None:
        self.members = entries(element.get("Payload"))
        self.id = text_of(self.members.get("QuestionID")) or text_of(element.get("PrimaryAttribute"))
        self.tag = text_of(self.members.get("DataExportTag")) or self.id
        self.type, self.selector = (text_of(self.members.get(name)) for name in ("QuestionType", "Selector"))
        languages = entries(self.members.get("Language"))
        self._others = {
            _LANGUAGES.get(name, name): entries(said) for name, said in languages.items() if isinstance(said, dict)
        }
        self._others.pop(_LANGUAGES.get(own, own), None)
        settings = entries(entries(self.members.get("Validation")).get("Settings"))
        self.settings = settings
        self.is_required = settings.get("ForceResponse") == "ON"

    def __str__(self) -> str:
        return f'{self.id[:60]} ({self.type[:60] or "no type"} "{self.tag[:60]}")'

    @property
    def text(self) -> FormText:
        others = {name: text for name, said in self._others.items() if (text := text_of(said.get("QuestionText")))}
        return FormText(text_of(self.members.get("QuestionText")), others)

    def listed(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return its Choices or Answers, in the order in which they are shown."""
        found = {key: entries(each) for key, each in entries(self.members.get(f"{kind}s")).items()}
        order = [str(key) for key in entries(self.members.get(f"{kind}Order")).values()]
        keys = [key for key in dict.fromkeys([*order, *found]) if key in found]
        return {key: found[key] for key in (self._arranged(keys) if kind == "Choice" else keys)}

    def _arranged(self, keys: Sequence[str]) -> Sequence[str]:
        """Return the keys of choices in the order of an advanced randomization: chance fills the places between."""
        shown = [key for key in keys if key not in self.never_shown]
        places = [text_of(key) for key in entries(self._advanced.get("FixedOrder")).values()]
        loose = [key for key in shown if key not in places]
        if sum(place not in shown for place in places) != len(loose):
            return shown
        others = iter(loose)
        return [place if place in shown else next(others) for place in places]

    @property
    def never_shown(self) -> tuple[str, ...]:
        """The choices that its random order leaves out for everybody."""
        return tuple(text_of(key) for key in entries(self._advanced.get("Undisplayed")).values())

    @property
    def _advanced(self) -> dict[str, Any]:
        order = entries(self.members.get("Randomization"))
        return entries(order.get("Advanced")) if order.get("Type") == "Advanced" else {}

    def display(self, kind: str, key: str) -> FormText:
        """Return the text of one of its Choices or Answers."""
        by_tongue = {name: entries(entries(said.get(f"{kind}s")).get(key)) for name, said in self._others.items()}
        others = {name: text for name, said in by_tongue.items() if (text := text_of(said.get("Display")))}
        return FormText(text_of(self.listed(kind)[key].get("Display")), others)

    def row_name(self, key: str) -> str:
        """Return the name of a row: that of its column in the data."""
        return text_of(entries(self.members.get("ChoiceDataExportTags")).get(key)) or f"{self.tag}_{key}"


def _parts(question: _Question, place: Place, tags: Mapping[str, str]) -> Iterator[Part]:
    """Yield what a question is."""
    if place.is_over:
        yield Unasked(question.tag, NEVER_ASKED)
    elif question.type in _RECORDED:
        yield Unasked(question.tag, COLLECTS)
    elif question.type == "DB":
        yield Shown(question.tag, question.text, place.is_conditional)
    else:
        for part in _asked(question):
            names = asks(logic, tags) if (logic := _logic_of_row(question, part)) else ()
            loop = [f"stands in the loop {place.loop}: ask a fixed number of times, with questions of their own."]
            yield replace(
                part,
                depends_on=(*place.depends_on, *names),
                is_conditional=place.is_conditional or bool(names),
                problems=(*loop * bool(place.loop), *part.problems, *_beside(question)),
            )


def _logic_of_row(question: _Question, part: Item) -> Any:
    """Return what decides whether a row of a matrix is shown, None where nothing does."""
    rows = question.listed("Choice") if part.matrix else {}
    return next((row.get("DisplayLogic") for key, row in rows.items() if question.row_name(key) == part.name), None)


def _asked(question: _Question) -> Iterator[Item]:
    """Yield the items that a question is: itself, or its rows, and the texts beside its choices."""
    if question.type == "MC" and question.selector in (*_ONE_OF, *_ANY_OF):
        yield _item(question, question.tag, question.text, _choices(question, "Choice"))
        yield from _texts_beside(question)
    elif question.type == "TE" and question.selector == "FORM":
        yield from _rows(question, {"type": "text"})
    elif question.type == "TE":
        yield _of_text(question)
    elif question.type == "Matrix" and question.selector in ("Likert", "Bipolar") and _kind_of_matrix(question):
        yield from _rows(question, _choices(question, "Answer"))
    elif question.type == "Slider" and question.selector in _SLIDERS:
        yield from _rows(question, _range_of_slider(question))
    else:
        why = _INSTEAD.get(question.type, "it is no type that sottovoce knows")
        if question.type == "Matrix":
            why = "ask every row as multiple choice"
        yield _item(question, question.tag, question.text, {}, problems=(no_mechanism(why),))


def _item(
    question: _Question,
    name: str,
    text: FormText,
    answers: Mapping[str, Any],
    *,
    problems: Sequence[str] = (),
    matrix: str = "",
) -> Item:
    return Item(
        place=str(question) if name == question.tag else f'{question}, "{name[:60]}"',
        name=name,
        text=text,
        answers=answers,
        is_required=question.is_required,
        problems=tuple(problems),
        lost=tuple(_lost(question)),
        said=tuple(_said(question, answers)),
        matrix=matrix,
        codes=_codes(question, "Answer" if question.type == "Matrix" else "Choice"),
        is_scale=question.type == "Matrix" and (question.selector == "Bipolar" or bool(_codes(question, "Answer"))),
    )


def _codes(question: _Question, kind: str) -> tuple[str, ...]:
    """Return what stands for each of its Choices or Answers in the data, () where it is their number."""
    by_key = entries(question.members.get("RecodeValues"))
    codes = tuple(text_of(by_key.get(key)) for key in question.listed(kind))
    return codes if all(map(_INTEGER.fullmatch, codes)) else ()


def _said(question: _Question, answers: Mapping[str, Any]) -> Iterator[str]:
    """Yield what to say of a question beside what stays in the form."""
    labels = [
        said
        for name in ("ColumnLabels", "Labels")
        for label in entries(question.members.get(name)).values()
        if (said := without_html(FormText(text_of(entries(label).get("Display") or label), {})))
    ]
    if labels:
        yield say_ends(labels)
    settings = entries(question.members.get("Configuration"))
    lines = _number(settings.get("GridLines"), 0) if settings.get("SnapToGrid") not in _OFF else Decimal(0)
    if answers.get("type") == "number" and lines > 0:
        snapped = round((answers["maximum"] - answers["minimum"]) / lines, 6)
        if snapped not in (0, answers["step"]):
            yield say_steps(answers["step"], decimal_text(snapped))
    elif answers.get("type") == "number" and question.type == "TE":
        decimals = entries(question.settings.get("ValidNumber")).get(
            "NumDecimals", question.settings.get("NumDecimals")
        )
        if text_of(decimals) == "":
            yield say_steps(answers["step"])


def _choices(question: _Question, kind: str) -> dict[str, Any]:
    """Return the members of a question by its Choices, or of a row by the Answers."""
    is_any = question.selector in _ANY_OF or (kind == "Answer" and _kind_of_matrix(question) == "any-of")
    options = [question.display(kind, key) for key in question.listed(kind)]
    most = text_of(question.settings.get("MaxChoices"))
    has_limit = is_any and most.isascii() and most.isdigit() and len(most) < 5 and 0 < int(most) < len(options)
    limit = {"max_selected": int(most)} if has_limit else {}
    is_rating = question.selector == "NPS" and is_rating_of_ten([without_html(option) for option in options])
    return {"type": "any-of" if is_any else "enps" if is_rating else "one-of", "options": options} | limit


def _kind_of_matrix(question: _Question) -> str:
    return _MATRIX.get(text_of(question.members.get("SubSelector")), "one-of" if question.selector == "Bipolar" else "")


def _texts_beside(question: _Question) -> Iterator[Item]:
    """Yield the texts that are asked beside choices: an item each, as they are columns of their own in the data."""
    for key, choice in question.listed("Choice").items():
        if choice.get("TextEntry") not in _OFF:
            why = "asks for text beside a choice: leave it out (--skip-unsupported), or ask it of everybody on its own."
            name = f"{question.tag}_{key}_TEXT"
            yield _item(question, name, question.display("Choice", key), {"type": "text"}, problems=(why,))


def _rows(question: _Question, answers: Mapping[str, Any]) -> Iterator[Item]:
    """Yield an item for each row of a matrix."""
    rows = question.listed("Choice")
    if not rows:
        yield _item(question, question.tag, question.text, answers)
    for key, row in rows.items():
        typed = ["has a label that respondents write: write it, or leave the row out."]
        said, is_typed = question.display("Choice", key), row.get("TextEntry") not in _OFF
        problems = typed if is_typed else wordless(said, len(rows))
        name, text = question.row_name(key), joined(question.text, said)
        yield _item(question, name, text, answers, problems=problems, matrix=question.tag)


def _of_text(question: _Question) -> Item:
    kind = text_of(question.settings.get("ContentType"))
    validation = text_of(question.settings.get("Type"))
    answers: dict[str, Any] = {"type": "text"}
    problems = []
    if question.selector == "PW":
        problems.append(no_mechanism("a password says who somebody is"))
    elif validation == "ContentType" and kind == "ValidNumber":
        number = question.settings | entries(question.settings.get("ValidNumber"))
        ends = [text_of(number.get(name)) for name in ("Min", "Max", "NumDecimals")]
        if all(_NUMBER.fullmatch(end) for end in ends[:2]):
            decimals = int(ends[2]) if ends[2] in ("1", "2", "3", "4", "5", "6") else 0
            answers = {"type": "number", **_range(Decimal(ends[0]), Decimal(ends[1]), decimals)}
        else:
            problems.append("must say from which number to which: set the minimum and maximum of its validation.")
    elif validation == "ContentType" and kind == "ValidDate":
        problems.append(no_mechanism("ask with choices of periods, or for the year as a number"))
    elif validation in ("ContentType", "CustomValidation"):
        what = kind if validation == "ContentType" else "of its own"
        problems.append(
            f"has a validation ({what[:60]}), which a survey cannot check: take it away, or leave the question out "
            f"(--leave-out {question.tag})."
        )
    return _item(question, question.tag, question.text, answers, problems=problems)


def _range_of_slider(question: _Question) -> dict[str, Any]:
    settings = entries(question.members.get("Configuration"))
    if question.selector == "STAR":
        low, high = Decimal(0), _number(settings.get("StarCount"), 5)
    else:
        low, high = _number(settings.get("CSSliderMin"), 0), _number(settings.get("CSSliderMax"), 100)
    decimals = _number(settings.get("NumDecimals"), 0)
    return {"type": "number", **_range(low, high, int(decimals) if decimals in range(7) else 0)}


def _range(low: Decimal, high: Decimal, decimals: int) -> dict[str, Decimal]:
    finest = min(Decimal(1).scaleb(int(end.as_tuple().exponent)) for end in (low, high))
    return {"minimum": low, "maximum": high, "step": min(Decimal(1).scaleb(-decimals), finest)}


def _number(value: Any, usual: int) -> Decimal:
    said = text_of(value)
    return Decimal(said) if _NUMBER.fullmatch(said) else Decimal(usual)


def _beside(question: _Question) -> Iterator[str]:
    """Yield what of a question a survey has no place for."""
    said = [
        question.text,
        *(question.display(kind, key) for kind in ("Choice", "Answer") for key in question.listed(kind)),
    ]
    piped = [found for text in said for each in (text, *text.others.values()) for found in _PIPED.findall(each)]
    if piped:
        yield f"has an answer or other data in its text ({piped[0][:60]}): write it without."
    if any(question.members.get(name) not in (*_OFF, [], {}) for name in _DYNAMIC):
        yield "takes choices over from another question: list them."


def _lost(question: _Question) -> Iterator[str]:
    """Yield what of a question is no part of a survey."""
    for name, value in question.members.items():
        is_set = value not in _OFF and bool(value)
        if name == "Randomization" and entries(value).get("Type") in _OFF:
            continue
        if name == "ColumnLabels" and not any(
            text_of(entries(each).get("Display")) for each in entries(value).values()
        ):
            continue
        if is_set and name not in _TAKEN:
            yield _LOST.get(name, name[:60])
    if question.never_shown:
        yield "choices that nobody is shown"
    options = [each for kind in ("Choice", "Answer") for each in question.listed(kind).values()]
    hidden = options if question.type == "MC" else question.listed("Answer").values()
    if any("DisplayLogic" in each for each in hidden):
        yield "logic that hides choices"
    if any(each.get("ExclusiveAnswer") not in _OFF for each in options):
        yield "choices that exclude others"
    if any(each.get("Image") for each in options):
        yield "images of choices"
    if question.settings.get("Type") not in (*_OFF, "ContentType") and not (
        question.type == "TE" and question.settings.get("Type") == "CustomValidation"
    ):
        yield f"validation {text_of(question.settings['Type'])[:60]}"
