"""The product's own words in thirteen languages: sentences by English sentence, numbers as the language writes them.

A message is an English sentence with named placeholders, `%(n)s`, and `%%` for a per cent sign; it is the key to its
translations. Catalogues are part of the code (`catalogues/`), and are read when a language is first spoken.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

Catalogue = dict[str, str | list[str]]
"""Translations by message: a sentence, or one for each plural form."""
RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "ks", "mzn", "nqo", "ps", "rhg", "sd", "syr", "ug", "ur", "yi"]
)
"""Languages that are written from right to left, by their first subtag."""
_SCRIPTS_RIGHT_TO_LEFT = frozenset({"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"})


@dataclass(frozen=True, slots=True)
class Language:
    """A language that the product speaks. `plural`: gettext's rule, in C: which form stands beside a whole number.

    `grouping`: how many digits the last group has, and how many each one before it; numbers of fewer than
    `min_digits` digits have no groups. All as in the CLDR, but for English, whose per cent sign stands apart here.
    """

    tag: str
    name: str
    plural: str = "n != 1"
    direction: str = "ltr"
    decimal: str = "."
    group: str = ","
    grouping: tuple[int, int] = (3, 3)
    min_digits: int = 4
    percent_sign: str = "%"
    is_percent_first: bool = False
    comma: str = ", "
    blank: str = " "

    def gettext(self, message: str, **values: object) -> str:
        """Return a message in this language, its placeholders filled in; integers and decimals as `number` has them.

        >>> language("en").gettext("%(n)s of %(all)s are left.", n=3, all=1200)
        '3 of 1,200 are left.'
        """
        return self.translation(message) % self.said(values)

    def ngettext(self, one: str, many: str, n: int, **values: object) -> str:
        """Return the message for so many, `n`, in this language.

        >>> [language("en").ngettext("%(n)s report", "%(n)s reports", n) for n in (1, 2000)]
        ['1 report', '2,000 reports']
        """
        return self.plural_translation(one, many, n) % self.said({"n": n} | values)

    def translation(self, message: str) -> str:
        """Return a message in this language with its placeholders; in English where it is not translated."""
        found = catalogue(self.tag).get(message, message)
        return found if isinstance(found, str) else message

    def plural_translation(self, one: str, many: str, n: int) -> str:
        """Return the form for so many with its placeholders; in English where it is not translated."""
        forms = catalogue(self.tag).get(one)
        return forms[self.form(n)] if isinstance(forms, list) else (one if n == 1 else many)

    def form(self, n: int) -> int:
        """Return which of the plural forms stands beside so many, from 0."""
        return _plural(self.plural)(n)

    def said(self, values: dict[str, object]) -> dict[str, str]:
        """Return the values as they stand in a sentence."""
        return {name: self._say(value) for name, value in values.items()}

    def number(self, number: int | Decimal | str) -> str:
        """Return a number in decimals as this language writes it, with each of its digits; a text has to be of those.

        >>> language("de").number("1234.50"), language("hi").number(1234567), language("es").number(1234)
        ('1.234,50', '12,34,567', '1234')
        """
        text = f"{number:f}" if isinstance(number, Decimal) else str(number)
        whole, _, rest = text.removeprefix("-").partition(".")
        return "-" * text.startswith("-") + self._grouped(whole) + (self.decimal + rest if rest else "")

    def percent(self, number: int | Decimal | str) -> str:
        """Return a number of per cent as this language writes it.

        >>> language("fr").percent("26.9"), language("en").percent(75), language("tr").percent("26.9")
        ('26,9\\xa0%', '75 %', '%26,9')
        """
        parts = [self.number(number), self.percent_sign]
        return "".join(reversed(parts) if self.is_percent_first else parts)

    def joined(self, words: Iterable[str]) -> str:
        """Return words one after another, with this language's commas."""
        return self.comma.join(words)

    def text(self, sentences: Iterable[str]) -> str:
        """Return sentences one after another, but for those that are empty."""
        return self.blank.join(filter(None, sentences))

    def _say(self, value: object) -> str:
        return self.number(value) if isinstance(value, int | Decimal) else str(value)

    def _grouped(self, whole: str) -> str:
        if len(whole) < self.min_digits:
            return whole
        last, before = self.grouping
        groups, whole = [whole[-last:]], whole[:-last]
        while whole:
            groups, whole = [whole[-before:], *groups], whole[:-before]
        return self.group.join(groups)


_ARABIC = "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"
_POLISH = "n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2"
_UKRAINIAN = "n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2"
_NO_BREAK, _NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
ENGLISH = Language("en", "English", percent_sign=" %")
LANGUAGES = {
    each.tag: each
    for each in [
        ENGLISH,
        Language("de", "Deutsch", decimal=",", group=".", percent_sign=f"{_NO_BREAK}%"),
        Language("fr", "Français", "n > 1", decimal=",", group=_NARROW, percent_sign=f"{_NO_BREAK}%"),
        Language("es", "Español", decimal=",", group=".", min_digits=5, percent_sign=f"{_NO_BREAK}%"),
        Language("pt", "Português", "n > 1", decimal=",", group="."),
        Language("ar", "العربية", _ARABIC, "rtl", percent_sign="\u200e%\u200e", comma="، "),
        Language("hi", "हिन्दी", "n > 1", grouping=(3, 2)),
        Language("zh", "中文", "0", comma="、", blank=""),
        Language("it", "Italiano", decimal=",", group=".", min_digits=5),
        Language("nl", "Nederlands", decimal=",", group="."),
        Language("pl", "Polski", _POLISH, decimal=",", group=_NO_BREAK, min_digits=5),
        Language("tr", "Türkçe", decimal=",", group=".", is_percent_first=True),
        Language("uk", "Українська", _UKRAINIAN, decimal=",", group=_NO_BREAK),
    ]
}
"""The languages of the product by their tags (BCP 47), the one of its source first."""


def language(tag: str) -> Language:
    """Return the language of the product for a tag: that of its first subtag, and English where there is none.

    >>> language("de-AT").name, language("zh-Hans").tag, language("sw").tag
    ('Deutsch', 'zh', 'en')
    """
    return LANGUAGES.get(tag.lower().partition("-")[0], ENGLISH)


def direction(tag: str) -> str:
    """Return the direction in which a language is written, whether or not the product speaks it.

    >>> direction("ar-EG"), direction("sw"), direction("az-Arab"), direction("ks-Deva")
    ('rtl', 'ltr', 'rtl', 'ltr')
    """
    first, *others = tag.lower().split("-")
    scripts = [subtag for subtag in others if len(subtag) == 4 and subtag.isalpha()]
    is_rtl = scripts[0] in _SCRIPTS_RIGHT_TO_LEFT if scripts else first in RIGHT_TO_LEFT
    return "rtl" if is_rtl else "ltr"


def script_messages(tag: str, scripts: Iterable[str]) -> Catalogue:
    """Return the translations that these scripts use, by folder and name: what a page has to bring along.

    >>> script_messages("en", ["static/form.js"])
    {}
    """
    translated = catalogue(language(tag).tag)
    used = {message for script in scripts for message in _read("scripts.json").get(script, [])}
    return {message: translated[message] for message in sorted(used & translated.keys())}


@cache
def catalogue(tag: str) -> Catalogue:
    """Return the translations into a language of the product; none into English."""
    return {} if tag == ENGLISH.tag else _read(f"{tag}.json")


def mark(message: str) -> str:
    """Return a message as it is: so that one which is translated later, such as a constant, is found in the source."""
    return message


@cache
def _read(name: str) -> Catalogue:
    from importlib.resources import files  # it takes longer to load than all of this package that a device needs

    found: Catalogue = json.loads((files(__package__) / "catalogues" / name).read_text(encoding="utf-8"))
    return found


@cache
def _plural(rule: str) -> Callable[[int], int]:
    """Return a function of gettext's rule for plural forms."""
    from gettext import c2py

    made: Callable[[int], int] = c2py(rule)
    return made
