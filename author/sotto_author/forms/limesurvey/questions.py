"""The questions of a LimeSurvey structure as items: what each of its types asks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from sotto_author.forms.asking import listed, say_steps
from sotto_author.forms.items import (
    CALCULATES,
    NEVER_ASKED,
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
from sotto_author.forms.limesurvey.relevance import depends_on, is_always, is_never
from sotto_author.forms.limesurvey.structure import Question, Structure
from sotto_author.forms.markup import without_html
from sotto_protocol.language import language
from sotto_protocol.language_tag import USUAL_TAG

_INSTEAD = {
    "R": "ask for the first choice, with a list",
    "D": "ask with a list of periods, or for the year as a number",
    "|": "a file cannot be perturbed",
    ";": "ask every cell with a text of its own",
    ":": "ask every row with a list of numbers",
}
_SWITCH = "left out, for the survey page lets people choose their language"
_YES = ("Y", "1")
_LISTS = ("L", "!", "O")
_MULTIPLE = ("M", "P")
_TEXTS = ("S", "T", "U")
_SCALES = {"A": 5, "B": 10}
_FIXED = {
    "Y": ("Yes", "No"),
    "G": ("Female", "Male"),
    "C": ("Yes", "Uncertain", "No"),
    "E": ("Increase", "Same", "Decrease"),
}
_WORDS = {*(word for words in _FIXED.values() for word in words), "Other"}
_EXPRESSION = re.compile(r"\{[^\s{}][^{}]*\}")
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,6})?")
_USUAL_STEP = Decimal("0.01")
_FILTERS = ("array_filter", "array_filter_exclude")
_CHECKS = ("preg", "validation", "em_validation_q", "em_validation_sq")
_OFF = ("", "0", "N", "n", "none", "inherit", "default", "normal", "-1")
_READ = (
    *("mandatory", "other", "hidden", "max_answers", "min_num_value_n", "max_num_value_n", "num_value_int_only"),
    *(*_FILTERS, *_CHECKS, "other_replace_text"),
)
_LETTERS = re.compile(r"^[A-Z]{1,2}0*(?=\d+$)")
_LOOKS = re.compile(
    r"(?:statistics|public_statistics|time_limit_|display_|text_input|input_|label_input|answer_width|assessment_value|"
    r"dropdown_|dualscale_header|slider_|repeat_|use_dropdown|css|hide_tip|page_break|save_as|placeholder|question_t|"
    r"scale_export|alphasort|category_separator|location_|other_|thousands_separator|printable|array_filter_style|"
    r"choice_input|exclude_all_others_auto|em_validation_s?q_tip|show_|numbers_only_tip|modulename).*"
)
"""Attributes of how a question looks, and of statistics: nobody misses them."""


def read_structure(structure: Structure) -> ItemForm:
    """Return the items of a structure."""
    parts: list[Part] = [
        Shown(name, texts.read(structure.own))
        for setting, name in (("surveyls_description", "description"), ("surveyls_welcometext", "welcome text"))
        if (texts := structure.settings.get(setting))
    ]
    codes = structure.ids | {question.code: question.code for question in structure.questions}
    for question in structure.questions:
        parts += _OneQuestion(question, structure.own, codes).parts()
    title = structure.settings.get("surveyls_title")
    end = structure.settings.get("surveyls_endtext")
    policy = structure.settings.get("surveyls_policy_notice")
    staying = [*dict.fromkeys(structure.staying), *["the end text"] * bool(end and end.by_language)]
    staying += ["the notice on data"] * bool(policy and policy.by_language)
    staying += _of_groups(structure)
    notes = [f"stays in LimeSurvey, is no part of the survey: {', '.join(staying)}"] * bool(staying)
    whole = title.read(structure.own) if title else FormText("", {})
    return ItemForm(whole, tuple(parts), "its relevance", locale=structure.own, notes=tuple(notes))


class _OneQuestion:
    """One question, on its way to items."""

    def __init__(self, question: Question, own: str, codes: Mapping[str, str]) -> None:
        self._question, self._own, self._codes = question, own, codes
        self._text = question.texts.read(own)
        self._conditions = (question.relevance, question.group.relevance)

    def parts(self) -> Iterator[Part]:
        """Yield what the question is."""
        question, code = self._question, self._question.code
        if question.cells.get("hidden") in _YES or any(is_never(said) for said in self._conditions):
            yield Unasked(code, NEVER_ASKED)
        elif question.type == "X":
            yield Shown(code, self._text, not all(is_always(said) for said in self._conditions))
            if question.helps.by_language:
                yield Unasked(code, "the help beside a text stays in LimeSurvey")
        elif question.type == "*":
            yield Unasked(code, CALCULATES)
        elif question.type == "I":
            yield Unasked(code, _SWITCH)
        else:
            yield from self._items()

    def _items(self) -> Iterator[Item]:
        """Yield the items that the question is: itself, or its rows, and the texts beside its choices."""
        kind = self._question.type
        if kind in _LISTS:
            yield self._item(self._one_of("0"))
        elif kind in _MULTIPLE:
            yield self._item(self._any_of())
        elif kind in ("Y", "G"):
            yield self._item({"words": _FIXED[kind]})
        elif kind == "5":
            yield self._item(_scale(5))
        elif kind in _TEXTS:
            yield self._item({"type": "text"})
        elif kind == "N":
            yield self._item(*self._number())
        elif kind == "K":
            yield from self._rows(*self._number())
        elif kind == "Q":
            yield from self._rows({"type": "text"})
        elif kind in _SCALES:
            yield from self._rows(_scale(_SCALES[kind]))
        elif kind in _FIXED:
            yield from self._rows({"words": _FIXED[kind]})
        elif kind in ("F", "H"):
            yield from self._rows(self._one_of("0"))
        elif kind == "1":
            for scale in ("0", "1"):
                yield from self._rows(self._one_of(scale), of_two=scale)
        else:
            yield self._item({}, no_mechanism(_INSTEAD.get(kind, "it is no type that sottovoce knows")))
        yield from self._beside()

    def _item(
        self,
        answers: Mapping[str, Any],
        problem: str = "",
        *,
        name: str = "",
        text: FormText | None = None,
        relevance: str = "",
        matrix: str = "",
    ) -> Item:
        question, text = self._question, self._text if text is None else text
        codes = answers.get("codes", ())
        answers = {name: each for name, each in answers.items() if name != "codes"}
        conditions = [said for said in (*self._conditions, relevance) if not is_always(said)]
        names = [found for said in conditions for found in depends_on(said, self._codes)]
        names += question.depends_on
        is_conditional = bool(names)
        is_required = question.cells.get("mandatory") == "Y"
        if "words" in answers:
            is_yes_no = answers["words"] == _FIXED["Y"] and is_required and not is_conditional
            words = _plain(answers["words"]) if is_yes_no else [self._say(word) for word in answers["words"]]
            answers = {"type": "one-of", "options": words}
        elif "levels" in answers and (is_conditional or not is_required):
            answers = {"type": "likert", "options": _plain([str(level) for level in answers["levels"]])}
        elif "levels" in answers:
            levels = answers["levels"]
            answers = {"type": "number", "minimum": levels[0], "maximum": levels[-1], "step": 1, "distribution": True}
        return Item(
            place=f'{question}, "{name[:60]}"' if name else str(question),
            name=name or question.code,
            text=text,
            answers=answers,
            is_required=is_required,
            section=question.group.titles.read(self._own),
            depends_on=tuple(dict.fromkeys(names)),
            is_conditional=is_conditional,
            problems=(*[problem] * bool(problem), *self._problems(text, answers)),
            lost=tuple(self._lost(answers)),
            said=tuple(self._said(answers)),
            matrix=matrix,
            codes=codes,
        )

    def _rows(self, answers: Mapping[str, Any], problem: str = "", *, of_two: str = "") -> Iterator[Item]:
        """Yield an item for each row of an array, or each line of several texts or numbers."""
        rows = [row for row in self._question.subquestions.values() if row.scale == "0"]
        code, header = self._question.code, FormText("", {})
        if of_two:
            header = FormText(self._question.cells.get(f"dualscale_header{'AB'[int(of_two)]}", ""), {})
        for row in rows:
            name = f"{code}_{row.code}" + (f"_{int(of_two) + 1}" if of_two else "")
            own = row.texts.read(self._own)
            text, why = joined(self._text, own), problem or "".join(wordless(own, len(rows)))
            said = FormText(f"{text} {header}", text.others) if header else text
            yield self._item(answers, why, name=name, text=said, relevance=row.relevance, matrix=code)
        if not rows:
            yield self._item(answers, problem or "has no subquestions.")

    def _beside(self) -> Iterator[Item]:
        """Yield the texts that are asked beside choices: an item each, as they are columns of their own in the data."""
        question, why = (
            self._question,
            "asks for text beside a choice: leave it out (--skip-unsupported), or ask it of ",
        )
        asks = {"other": self._has_other, "comment": question.type in ("O", "P")}
        for name, is_asked in asks.items():
            if is_asked:
                yield self._item({"type": "text"}, f"{why}everybody on its own.", name=f"{question.code}_{name}")

    @property
    def _is_foreign(self) -> bool:
        return self._own.partition("-")[0].lower() not in ("", USUAL_TAG)

    @property
    def _has_other(self) -> bool:
        return self._question.cells.get("other") == "Y" and self._question.type in ("L", "!", *_MULTIPLE)

    def _with_other(self, options: Sequence[FormText]) -> list[FormText]:
        said = self._question.cells.get("other_replace_text")
        other = FormText(said, {}) if said else self._say("Other")
        return [*options, *[other] * self._has_other]

    def _say(self, word: str) -> FormText:
        """Return a word that LimeSurvey says in the reader's language, in the languages in which the product does."""
        others = {
            tag: said for tag in self._question.texts.by_language if tag != self._own and (said := _word(word, tag))
        }
        return FormText(_word(word, self._own) or word, others)

    def _one_of(self, scale: str) -> dict[str, Any]:
        """Return a choice of one answer, and their codes, without the letters before a number such as A1 or AO01."""
        listed = [answer for answer in self._question.answers.values() if answer.scale == scale]
        options = self._with_other([answer.texts.read(self._own) for answer in listed])
        codes = tuple(_LETTERS.sub("", answer.code) for answer in listed)
        return {"type": "one-of", "options": options, "codes": codes}

    def _any_of(self) -> dict[str, Any]:
        options = self._with_other([each.texts.read(self._own) for each in self._question.subquestions.values()])
        most = self._question.cells.get("max_answers", "")
        has_limit = most.isascii() and most.isdigit() and len(most) < 5 and 0 < int(most) < len(options)
        return {"type": "any-of", "options": options} | ({"max_selected": int(most)} if has_limit else {})

    def _number(self) -> tuple[dict[str, Any], str]:
        """Return the members of a number, or why it is none."""
        cells = self._question.cells
        low, high = (cells.get(f"{end}_num_value_n", "") for end in ("min", "max"))
        if not (_NUMBER.fullmatch(low) and _NUMBER.fullmatch(high)):
            return {}, "must say from which number to which: set its minimum and maximum value (min_num_value_n, ..)."
        ends = Decimal(low), Decimal(high)
        step = Decimal(1) if cells.get("num_value_int_only") in _YES else _USUAL_STEP
        finest = min([step, *(Decimal(1).scaleb(int(end.as_tuple().exponent)) for end in ends)])
        return {"type": "number", "minimum": ends[0], "maximum": ends[1], "step": finest}, ""

    def _problems(self, text: FormText, answers: Mapping[str, Any]) -> Iterator[str]:
        """Yield what of the question a survey has no place for."""
        cells, out = self._question.cells, f"leave the question out (--leave-out {self._question.code})"
        said = [without_html(each) for each in (text, *answers.get("options", ()))]
        found = [name for each in said for one in (each, *each.others.values()) for name in _EXPRESSION.findall(one)]
        if found:
            yield f"has an expression in its text ({found[0][:60]}): write it without."
        if any(cells.get(name, "") not in _OFF for name in _FILTERS):
            yield f"shows choices by the answers to another question (array_filter): show all, or {out}."
        checks = [name for name in _CHECKS if cells.get(name)]
        if checks and answers.get("type") in ("text", "number"):
            yield f"has a validation ({', '.join(checks)}), which a survey cannot check: take it away, or {out}."

    def _said(self, answers: Mapping[str, Any]) -> Iterator[str]:
        """Yield in what steps a number is taken, where the form says others, or none."""
        cells = self._question.cells
        if answers.get("type") != "number" or self._question.type not in ("N", "K"):
            return
        accuracy = cells.get("slider_accuracy", "")
        if cells.get("slider_layout") in _YES and _NUMBER.fullmatch(accuracy) and Decimal(accuracy) != answers["step"]:
            yield say_steps(answers["step"], accuracy)
        elif cells.get("num_value_int_only") not in _YES:
            yield say_steps(answers["step"])

    def _lost(self, answers: Mapping[str, Any]) -> Iterator[str]:
        """Yield what of the question is no part of a survey."""
        if self._question.helps.by_language:
            yield "help"
        if answers.get("type") in ("one-of", "likert", "any-of"):
            yield from (name for name in _CHECKS if self._question.cells.get(name))
        said = _WORDS.intersection(answers.get("options", ())) if self._is_foreign else ()
        if said:
            yield f"translations of {listed(sorted(said))}"
        if self._question.type in _MULTIPLE and not all(
            is_always(each.relevance) for each in self._question.subquestions.values()
        ):
            yield "relevance of choices"
        for name, cell in self._question.cells.items():
            if cell not in _OFF and name not in _READ and not _LOOKS.fullmatch(name):
                yield name[:60]


def _of_groups(structure: Structure) -> Iterator[str]:
    """Yield what of the groups is no part of a survey."""
    titles = [(group, group.titles.read(structure.own)) for group in structure.groups]
    read = [(title, without_html(group.descriptions.read(structure.own))) for group, title in titles]
    if described := [title for title, text in read if text and text != title]:
        yield f"descriptions of groups ({listed(described)})"
    if mixed := [title for group, title in titles if group.random_group]:
        yield f"random order of groups ({listed(mixed)})"


def _word(word: str, tag: str) -> str:
    """Return one of LimeSurvey's words in a language, "" where the product does not know it."""
    said, primary = language(tag).translation(word), tag.partition("-")[0].lower()
    return said if language(tag).tag == primary and (said != word or primary == USUAL_TAG) else ""


def _plain(texts: Sequence[str]) -> list[FormText]:
    return [FormText(text, {}) for text in texts]


def _scale(n: int) -> dict[str, Any]:
    """Return the levels from 1 to n: a number where everybody must answer, else a Likert scale."""
    return {"levels": range(1, n + 1)}
