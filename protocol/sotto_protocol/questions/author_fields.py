"""The members of an author's file: texts may be by language, and all that is wrong is told at once."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from sotto_protocol.documents import Fields, is_short
from sotto_protocol.errors import LocatedError, SurveyError, together
from sotto_protocol.language_tag import TAG_EXPECTED, is_tag
from sotto_protocol.looks import look, say_alike, shown
from sotto_protocol.places import OF_SURVEY, PLACES
from sotto_protocol.questions.translation import QUESTION_TEXTS, SURVEY_TEXTS, QuestionWords, SurveyWords
from sotto_protocol.synonyms import INSTEAD, OF_QUESTION, of_question

_TEXTS = {*SURVEY_TEXTS, *QUESTION_TEXTS}
_LOOKED_AT = {*_TEXTS, "strata"}
_OF_ALL = ("controller", "contact")
"""Names and addresses: written without a language, they are the same in each. So are options that are numbers."""


class AuthorFields(Fields):
    """Fields of an author's file; `lang`: the tag of the survey's own language.

    What is taken of a text that is a table by language is that of the survey's own; the others are kept. `synonyms`:
    what members are called elsewhere, and what they are called here; those of a question by default.
    """

    def __init__(self, document: Any, where: str, lang: str, synonyms: Mapping[str, str] | None = None) -> None:
        super().__init__(document, where, SurveyError, PLACES)
        self._synonyms = of_question(document) if synonyms is None else synonyms
        self._lang = lang
        self._texts: dict[str, dict[str, Any]] = {}
        self._later: list[Callable[[], None]] = []
        self._parts: list[AuthorFields] = []

    def below(self, document: Any, where: str) -> "AuthorFields":
        """Return the fields of a part of the file, whose languages are the whole's."""
        part = AuthorFields(document, where, self._lang)
        self._parts.append(part)
        return part

    @property
    def languages(self) -> set[str]:
        """The tags of the languages in which there is any text, but for the survey's own."""
        return {tag for part in self._all for texts in part._texts.values() for tag in texts} - {self._lang}

    @property
    def _all(self) -> list["AuthorFields"]:
        return [self, *self._parts]

    def check_languages(self) -> None:
        """Raise SurveyError where a language that is there lacks a text."""
        together(*(partial(self._check_language, tag) for tag in sorted(self.languages) if is_tag(tag)))

    def words_in(self, lang: str, ids: Iterable[str]) -> SurveyWords:
        """Return what is read in another language; `ids`: the parts', in order."""
        questions = {
            part_id: QuestionWords(**part._texts_in(lang)) for part_id, part in zip(ids, self._parts, strict=True)
        }
        return SurveyWords(lang, **dict.fromkeys(SURVEY_TEXTS, "") | self._texts_in(lang), questions=questions)

    def _check_language(self, lang: str) -> None:
        missing = [place for part in self._all for place in part._lacking(lang)]
        if missing:
            raise SurveyError(self.where, f"every text must be given in {lang}. Missing: {', '.join(missing)}.")

    def _lacking(self, lang: str) -> Iterator[str]:
        return (
            f"{self.at(name)}.{lang}"
            for name, texts in self._texts.items()
            if lang not in texts and not self._is_of_all(name)
        )

    def _texts_in(self, lang: str) -> dict[str, Any]:
        texts = {name: texts.get(lang, texts[self._lang]) for name, texts in self._texts.items()}
        return {name: tuple(text) if isinstance(text, list) else text for name, text in texts.items()}

    def take(
        self, key: str, expected: str, accept: Callable[[Any], bool], say_why: Callable[[Any], str] | None = None
    ) -> Any:
        table = self._left.get(key)
        if key in _TEXTS and isinstance(table, dict):
            return self._take_by_language(key, table, expected, accept, say_why)
        value = super().take(key, expected, accept, say_why)
        if key in _TEXTS:
            self._texts[key] = {self._lang: value}
        if key in _LOOKED_AT:
            check_looks(self.at(key), value)
        return value

    def missing(self, key: str, expected: str) -> LocatedError:
        brought = next((name for name in self._left if self._synonyms.get(name) == key), "")
        self._told.add(brought)
        return self._called(brought) if brought else super().missing(key, expected)

    def unknown(self, key: str) -> LocatedError:
        if key in self._synonyms:
            return self._called(key)
        if key in INSTEAD:
            return self.fail(key, f"is no member of a survey file: {INSTEAD[key]}.")
        if key in OF_QUESTION:
            return self.fail(key, f"belongs to {PLACES[OF_QUESTION[key]]}.")
        if not is_short(key):
            return super().unknown(key)
        alike = self.nearest(key)
        return self.fail(key, f"is unknown; is it {alike!r}?" if alike else "is unknown.")

    def misplaced(self, key: str) -> LocatedError:
        is_meant = self._synonyms.get(key, key) not in self._names  # a title where a text is too is the survey's
        return self._called(key) if is_meant else super().misplaced(key)

    def _called(self, key: str) -> LocatedError:
        ours = self._synonyms[key]
        there = ", which is there already: take one away" if ours in self._names else ""
        return self.fail(key, f"`{key}` is called `{ours}` here{there}.")

    def finish(self) -> None:
        """Refuse members that belong to another kind of question, all of them: after whatever is known was taken."""
        together(*(partial(self._refuse, key) for key in self._left if key in PLACES and key not in OF_SURVEY))

    def finish_rest(self) -> None:
        """Refuse wrong translations, and what belongs to no question: it is wrong whatever else was taken or not."""
        strange = [key for key in self._left if key not in PLACES or key in OF_SURVEY]
        together(*self._later, *(partial(self._refuse, key) for key in strange if key not in self._told))

    def _refuse(self, key: str) -> None:
        raise self.misplaced(key) if key in PLACES else self.unknown(key)

    def _is_of_all(self, name: str) -> bool:
        texts = self._texts[name]
        own = texts.get(self._lang)
        is_alike = name in _OF_ALL or (isinstance(own, list) and all(map(str.isdigit, own)))
        return is_alike and texts.keys() == {self._lang}

    def _take_by_language(
        self,
        key: str,
        table: dict[str, Any],
        expected: str,
        accept: Callable[[Any], bool],
        say_why: Callable[[Any], str] | None,
    ) -> Any:
        spoken = Fields(table, self.at(key), SurveyError)
        del self._left[key]
        self._known.add(key)
        self._texts[key] = table
        own = table.get(self._lang)
        others = [tag for tag in table if tag != self._lang]
        self._later += [
            partial(_take_other, spoken, tag, own, partial(spoken.take, tag, expected, accept, say_why))
            for tag in others
        ]
        if not spoken.has(self._lang):
            why = f"is missing: {self._lang} is the survey's own language (lang), which the others translate."
            raise spoken.fail(self._lang, why)
        value = spoken.take(self._lang, expected, accept, say_why)
        check_looks(spoken.at(self._lang), value)
        return value


def check_looks(where: str, value: Any) -> None:
    """Raise SurveyError where one of some texts cannot be seen, or two cannot be told apart; or where a text cannot."""
    if isinstance(value, list):
        what = "name" if where.endswith(".strata") else "option"
        problem = say_alike(value, what)
        if problem:
            raise SurveyError(where, f"must be texts that people can tell apart: {problem}")
    elif not look(value):
        raise SurveyError(where, f"must be a text that people can see, not {shown(value)}.")


def _take_other(spoken: Fields, tag: str, own: Any, take: Callable[[], Any]) -> None:
    """Refuse what stands under a tag if it cannot be the text of the survey's own language in another."""
    if not is_tag(tag):
        shown = repr(tag) if is_short(tag) else "(a key)"
        raise SurveyError(spoken.where, f"has {shown} in the place of {TAG_EXPECTED}.")
    text = take()
    check_looks(spoken.at(tag), text)
    if isinstance(own, list) and len(text) != len(own):
        raise spoken.fail(tag, f"must be {len(own)} texts, as many as in the survey's own language, not {len(text)}.")
