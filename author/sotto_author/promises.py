"""What a survey promises and does not hold, or does not tell its respondents and its author."""

import unicodedata
from collections.abc import Iterator
from datetime import date

from sotto_author.confusables import find_confusables
from sotto_protocol import Survey

_ANONYMOUS = (
    *("anonym", "anonim"),  # English, German, French, Spanish, Portuguese and most of Europe, without accents
    *("مجهول", "مجهل", "اغفال الهوية", "دون الكشف عن الهوية", "بدون الكشف عن الهوية", "دون ذكر الاسم", "بدون اسم"),
    *("गुमनाम", "अनाम", "बेनाम"),
    *("匿名", "不记名", "不記名", "无记名", "無記名"),
)
"""How the languages of the pages say anonymous, or its beginning; folded as `_folded` does."""


def find_promises(survey: Survey) -> list[str]:
    """Return in words what a survey promises that does not hold, and what it does not say."""
    return [
        *_anonymous(survey),
        *_swapped(survey),
        *find_confusables(survey),
        *_texts_of_others(survey),
        *_unsaid(survey),
    ]


def _anonymous(survey: Survey) -> Iterator[str]:
    if not survey.invited:
        return
    for place, text in _read_by_respondents(survey):
        if any(_folded(word) in _folded(text) for word in _ANONYMOUS):
            yield (
                f"{place} promises anonymity, but somebody knows who was invited. You can promise this: only noise "
                "leaves the device, and nothing links an invitation to its report."
            )


def _swapped(survey: Survey) -> Iterator[str]:
    """Yield where an option is translated by the text of another: whoever chooses it would answer the other."""
    for lang in survey.languages[1:]:
        words = survey.words(lang).questions
        for item in survey.items:
            for option, said in zip(item.options, words[item.id].options, strict=True):
                if said != option and said in item.options:
                    place = f"{item.id}.{lang}"
                    yield f"{place}: {said!r} translates {option!r}. Give options in the same order in all languages."


def _texts_of_others(survey: Survey) -> Iterator[str]:
    if texts := [question.id for question in survey.questions if question.type == "text"]:
        yield (
            f"{', '.join(texts)}: nobody will read what is written. You can find only short answers that many people "
            "spell the same, or that you look for. Say so in the question."
        )


def _unsaid(survey: Survey) -> Iterator[str]:
    of_whom = {"controller": "who asks", "contact": "whom respondents can ask"}
    if missing := [name for name in of_whom if not getattr(survey, name)]:
        said = " and ".join(of_whom[name] for name in missing)
        yield f"nothing says {said}: give {' and '.join(missing)} in the file."


def say_past(survey: Survey, today: date) -> str:
    """Return that a survey's last day is before `today`, in UTC, and nobody can publish it; "" where it is not."""
    is_past = survey.closes and date.fromisoformat(survey.closes) < today
    return f"closes ({survey.closes}) is past: the survey would accept no reports." if is_past else ""


def _read_by_respondents(survey: Survey) -> Iterator[tuple[str, str]]:
    """Yield the texts that respondents read, in every language, each with its place."""
    for lang in survey.languages:
        words = survey.words(lang)
        of_lang = f".{lang}" if len(survey.languages) > 1 else ""
        yield f"title{of_lang}", words.title
        yield f"introduction{of_lang}", words.introduction
        for item in survey.items:
            asked = words.questions[item.id]
            yield f"{item.id}{of_lang}", " ".join([asked.section, asked.text, *asked.options])


def _folded(text: str) -> str:
    """Return a text without case, accents and the marks above letters, as words are looked for.

    >>> _folded("ANÓNIMO"), _folded("مَجهول"), _folded("匿名")
    ('anonimo', 'مجهول', '匿名')
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf"))
