"""Numbers and plural forms are those of the CLDR, as Babel has them, and a sentence keeps every digit."""

import re
import subprocess
import sys
from decimal import Decimal

import pytest
from babel import Locale
from babel.numbers import format_decimal, format_percent
from hypothesis import given, strategies as st

from sotto_protocol.language import LANGUAGES, Language, direction, language, script_messages
from sotto_protocol.language_names import OWN_NAMES, own_name

CATEGORIES = ("zero", "one", "two", "few", "many", "other")
ORDERS = {"right-to-left": "rtl", "left-to-right": "ltr"}
COUNTS = [*range(1200), 10_000, 99_999, 100_001, 1_000_003]


each = pytest.mark.parametrize("spoken", LANGUAGES.values(), ids=LANGUAGES)


def without_marks(text: str) -> str:
    """Return a text without the marks of direction that Babel leaves out around a per cent sign."""
    return text.replace("\u200e", "")


@each
@pytest.mark.parametrize("number", ["0", "7", "999", "12345", "1234567", "1234567890", "-54321", "0.05", "98765.4321"])
def test_numbers_are_written_as_the_cldr_has_it(spoken: Language, number: str) -> None:
    expected = format_decimal(Decimal(number), locale=spoken.tag, decimal_quantization=False)
    assert spoken.number(number) == expected
    assert spoken.number(Decimal(number)) == expected
    if "." not in number:
        assert spoken.number(int(number)) == expected


@pytest.mark.parametrize(("tag", "expected"), [("en", "1,234"), ("de", "1.234"), ("es", "1234"), ("hi", "1,234")])
def test_four_digits_have_a_group_but_in_spanish(tag: str, expected: str) -> None:
    assert language(tag).number(1234) == expected  # the CLDR's minimumGroupingDigits, which Babel does not read


@each
@pytest.mark.parametrize("share", ["0", "0.269", "0.0351", "1", "0.99999"])
def test_per_cents_are_written_as_the_cldr_has_it(spoken: Language, share: str) -> None:
    percent = f"{(Decimal(share) * 100).normalize():f}"
    expected = format_percent(Decimal(share), locale=spoken.tag, decimal_quantization=False)
    said = without_marks(spoken.percent(percent))
    assert said == (expected.replace("%", " %") if spoken.tag == "en" else expected)


@each
@given(digits=st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=9))
def test_no_digit_is_lost_or_made_up(spoken: Language, digits: Decimal) -> None:
    written = spoken.number(digits)
    assert re.sub(r"\D", "", written) == re.sub(r"\D", "", f"{digits:f}")
    assert Decimal(written.replace(spoken.group, "").replace(spoken.decimal, ".")) == digits


@each
def test_plural_forms_are_the_cldrs_in_its_order(spoken: Language) -> None:
    rule = Locale(spoken.tag).plural_form
    # Of a million and its multiples the CLDR has a form of its own in French, Spanish and Portuguese; gettext has none.
    named = [name for name in CATEGORIES if name in {rule(n) for n in COUNTS}]
    assert [spoken.form(n) for n in COUNTS] == [named.index(rule(n)) for n in COUNTS]


def test_a_sentence_takes_its_values_by_name_and_writes_numbers_as_the_language_does() -> None:
    german = language("de")
    assert german.gettext("%(b)s%% %(a)s %(c)s", a=Decimal("1.5"), b=1234, c="1.5") == "1.234% 1,5 1.5"
    assert german.ngettext("%(n)s %(what)s", "%(n)s %(what)ss", 1200, what="x") == "1.200 xs"
    with pytest.raises(KeyError):
        german.gettext("%(missing)s")


@pytest.mark.parametrize(
    ("tag", "found"),
    [("de", "de"), ("de-AT", "de"), ("DE", "de"), ("zh-Hant-TW", "zh"), ("pt-BR", "pt"), ("sw", "en"), ("", "en")],
)
def test_a_tag_has_the_language_of_its_first_subtag_else_english(tag: str, found: str) -> None:
    assert language(tag).tag == found


@each
def test_directions_are_the_cldrs(spoken: Language) -> None:
    assert spoken.direction == direction(spoken.tag) == ORDERS[Locale(spoken.tag).character_order]


@pytest.mark.parametrize(
    "tag", ["ar", "fa", "he", "ur", "ps", "ckb", "yi", "ug", "sd", "ks", "sw", "en", "zh", "ks-Deva", "sd-Deva"]
)
def test_directions_of_languages_that_the_product_does_not_speak(tag: str) -> None:
    expected = Locale.parse(tag, sep="-").character_order
    assert direction(tag) == ORDERS[expected]


def test_scripts_get_no_messages_in_english_and_none_that_they_do_not_use() -> None:
    assert script_messages("en", ["static/alarm.js"]) == {}
    assert script_messages("de", ["no-such-script.js"]) == {}


def test_no_catalogue_is_read_before_a_language_is_spoken() -> None:
    code = "import sotto_protocol.explain, sys; from sotto_protocol.language import _read; "
    code += "assert 'gettext' not in sys.modules; assert _read.cache_info().currsize == 0"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("tag", OWN_NAMES)
def test_names_of_languages_are_the_cldrs(tag: str) -> None:
    assert own_name(tag).casefold() == Locale(tag).get_display_name(tag).casefold()


@each
def test_the_products_languages_have_their_own_names(spoken: Language) -> None:
    assert own_name(spoken.tag) == spoken.name
