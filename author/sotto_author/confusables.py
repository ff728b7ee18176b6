"""What people cannot tell apart: options whose letters look alike, questions of the same text.

Unicode's own table (UTS 39, confusables.txt) has thousands of rows, most of them of letters that nobody types. These
are the letters of the keyboards at hand, Cyrillic and Greek, the figures and the dashes, as common fonts draw them.
"""

import re
from collections.abc import Iterator, Mapping

from sotto_protocol import Survey
from sotto_protocol.looks import has_blanks_around, look, shown
from sotto_protocol.questions.translation import QuestionWords

_CYRILLIC = dict(zip("АВЕЅІЈКМНОРСТХҮаесіјорѕухһԁԛԝ", "ABESIJKMHOPCTXYaecijopsyxhdqw", strict=True))
_GREEK = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνα", "ABEZHIKMNOPTYXopva", strict=True))
_FIGURES = str.maketrans("0Il|ı\u2010\u2012\u2013\u2014\u2015\u2212", "O111i------")
"""Figures and dashes; and Turkish's i without a dot."""
_LATIN = str.maketrans(_CYRILLIC | _GREEK)
_STRANGE = f"[{''.join(_CYRILLIC | _GREEK)}]"
_MIXED = re.compile(rf"(?=\w*[A-Za-z])\w*{_STRANGE}\w*")
"""A word with a Latin letter, and one that is none and looks like one."""


def find_confusables(survey: Survey) -> Iterator[str]:
    """Yield in words what looks the same, or alike, in each language, and which options mix scripts in a word."""
    for lang in survey.languages:
        of_lang = f".{lang}" if len(survey.languages) > 1 else ""
        said = survey.words(lang).questions
        asked = {item.id: said[item.id] for item in survey.items}
        yield from _repeated(asked, of_lang)
        for name, words in asked.items():
            yield from _alike(f"{name}{of_lang}", words.options)
            yield from (_say_edges(f"{name}{of_lang}", option) for option in words.options if has_blanks_around(option))
            for text in words.options:
                yield from _mixed(f"{name}{of_lang}", text)


def _repeated(questions: Mapping[str, QuestionWords], of_lang: str) -> Iterator[str]:
    """Yield which questions of a section have one text."""
    first: dict[tuple[str, str], str] = {}
    section = ""
    for name, words in questions.items():
        section = words.section or section
        other = first.setdefault((section, look(words.text)), name)
        if other != name:
            yield (
                f"{name}{of_lang}: its text is that of {other}, {shown(words.text)}. People cannot tell which of the "
                "two they answer: say it in the text, or give each a section."
            )


def _alike(place: str, options: tuple[str, ...]) -> Iterator[str]:
    first: dict[str, str] = {}
    for option in options:
        other = first.setdefault(look(option).translate(_LATIN).translate(_FIGURES), option)
        if other != option:
            yield (
                f"{place}: the options {shown(other)} and {shown(option)} look alike but differ "
                f"({_differ(other, option)}). People would choose either, and each would seem half as common."
            )


def _differ(one: str, other: str) -> str:
    pair = next(((a, b) for a, b in zip(one, other, strict=False) if a != b), None)
    return f"U+{ord(pair[0]):04X} is not U+{ord(pair[1]):04X}" if pair else "one is longer"


def _mixed(place: str, text: str) -> Iterator[str]:
    if (word := _MIXED.search(text)) and (letter := re.search(_STRANGE, word[0])):
        yield (
            f"{place}: in {shown(word[0])} the letter {letter[0]} is U+{ord(letter[0]):04X}, of another script, and "
            f"looks like the Latin {letter[0].translate(_LATIN)}. An app that answers with a Latin one is refused."
        )


def _say_edges(place: str, option: str) -> str:
    return f"{place}: the option {shown(option)} has blanks around it, which an app must send too. Take them away."
