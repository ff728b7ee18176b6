"""Strict JSON: what is read, what is refused and where, and the one canonical text."""

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_protocol.documents import MAX_DEPTH, Fields, canonical_json, is_decimal, is_text, load_json
from sotto_protocol.errors import SurveyError

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.decimals(-(10**12), 10**12, places=12).filter(lambda value: value != 0),  # 0 has no sign in plain text
    st.text(st.characters(exclude_categories=["Cs"])),
)
documents = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4),
    ),
    max_leaves=12,
)


def refused(text: str | bytes) -> SurveyError:
    with pytest.raises(SurveyError) as caught:
        load_json(text, SurveyError)
    assert caught.value.where == "$"
    assert caught.value.__cause__ is None
    return caught.value


@given(documents)
def test_canonical_json_reads_back_and_is_a_fixed_point(document: Any) -> None:
    text = canonical_json(document)
    assert load_json(text, SurveyError) == document
    assert canonical_json(load_json(text, SurveyError)) == text


@given(documents)
def test_canonical_json_is_json(document: Any) -> None:
    assert json.loads(canonical_json(document), parse_float=Decimal) == document


@given(st.one_of(st.text(), st.binary(), documents.map(lambda document: canonical_json(document)[:-1])))
def test_nothing_but_the_given_error_is_raised(text: str | bytes) -> None:
    with suppress(SurveyError):
        load_json(text, SurveyError)


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    """The example of RFC 8785, section 3.2.3: an emoji's surrogates sort before the Hebrew presentation form."""
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    text = canonical_json(dict.fromkeys(keys, True)).decode()
    assert list(json.loads(text)) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_strings_have_the_shortest_escapes() -> None:
    """RFC 8785, section 3.2.2.2: two-letter escapes, \\u00xx in lower case for other controls, all else as it is."""
    given_text = '\u20ac$\u000f\nA\'B"\\\\"/\x7f\u2028\b\t\f\r\x00'
    assert canonical_json(given_text).decode() == (
        '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f\u2028\\b\\t\\f\\r\\u0000"'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("1.0"), "1"),
        (Decimal("2E+1"), "20"),
        (Decimal("0.10"), "0.1"),
        (Decimal("1E-12"), "0.000000000001"),
        (Decimal("-3.50"), "-3.5"),
        (Decimal(0), "0"),
        (2**53, "9007199254740992"),
        (True, "true"),
        (None, "null"),
        ([], "[]"),
        ((1, "a"), '[1,"a"]'),
        ({}, "{}"),
    ],
)
def test_values_have_one_text(value: Any, text: str) -> None:
    assert canonical_json(value).decode() == text


@pytest.mark.parametrize(
    "value", [Decimal("NaN"), Decimal("Infinity"), Decimal("1E+41"), Decimal("1E-41"), float("nan")]
)
def test_what_has_no_plain_text_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"too large or too small|not JSON compliant"):
        canonical_json(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1,"a":1}', "must not have the same key twice in one object"),
        ('{"b":{"a":1,"\\u0061":2}}', "must not have the same key twice in one object"),
        ("NaN", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ('"\\ud800"', "not Unicode"),
        ("\ud800", "must be JSON"),
        ('{"\\udfff":1}', "not Unicode"),
        (b'"\xff"', "not Unicode"),
        (b"\xff\xfe1\x00", "not Unicode"),
        (b"\xef\xbb\xbf1", "must be JSON"),
        ("\ufeff1", "must be JSON"),
        ('"\x00"', "Invalid control character"),
        ("1\x00", "Extra data, line 1 column 2"),
        ("", "line 1 column 1"),
        ("[1,]", "line 1 column"),
        ("01", "Extra data"),
        ("+1", "Expecting value"),
        ("1e999999999", "a number too large or too small"),
        ("1e9999999999999999999", "a number too large or too small"),
        ("1e-9999999999999999999", "a number too large or too small"),
        ("0e999999999", "a number too large or too small"),
        ("1" * 5000, "4300"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "nested deeper than 32"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_text_that_is_not_strict_json_is_refused(text: str | bytes, message: str) -> None:
    assert message in refused(text).problem


@pytest.mark.parametrize(
    "text", ['{"CANARY', '["CANARY" "CANARY"]', '"CANARY\ud800"', '{"CANARY":1,"CANARY":2}', "CANARY"]
)
def test_messages_never_quote_the_text(text: str) -> None:
    assert "CANARY" not in str(refused(text))


def test_depth_up_to_the_limit_is_read() -> None:
    assert load_json("[" * MAX_DEPTH + "]" * MAX_DEPTH, SurveyError)


def fields() -> Fields:
    document = {"n": 5, "text": "hello", "yes": True, "decimal": Decimal("1.0"), "list": []}
    return Fields(document, "$.here", SurveyError)


@pytest.mark.parametrize(
    ("use", "where", "message"),
    [
        (lambda f: f.integer("gone", 0, 9), "$.here.gone", "is missing; expected an integer in [0, 9]"),
        (lambda f: f.integer("n", 6, 9), "$.here.n", "must be an integer in [6, 9]"),
        (lambda f: f.integer("yes", 0, 9), "$.here.yes", "must be an integer"),
        (lambda f: f.integer("decimal", 0, 9), "$.here.decimal", "must be an integer"),
        (lambda f: f.text("n", 9), "$.here.n", "must be a text of 1 to 9 characters"),
        (lambda f: f.text("text", 4), "$.here.text", "must be a text of 1 to 4 characters"),
        (lambda f: f.one_of("text", ["a", "b"]), "$.here.text", "must be one of a, b"),
        (lambda f: f.one_of("list", ["a"]), "$.here.list", "must be one of a"),
        (lambda f: f.finish(), "$.here", "has an unknown member 'n'"),
        (lambda f: [f.integer("n", 0, 9), f.integer("n", 0, 9)], "$.here.n", "is missing"),
        (lambda f: Fields([], "$.there", SurveyError), "$.there", "must be an object"),
        (lambda f: Fields({"\x1b[2J": 1}, "$", SurveyError).finish(), "$", "has an unknown member '(a key)'"),
        (lambda f: Fields({"k" * 41: 1}, "$", SurveyError).finish(), "$", "has an unknown member '(a key)'"),
    ],
)
def test_fields_say_where_and_what(use: Any, where: str, message: str) -> None:
    with pytest.raises(SurveyError) as caught:
        use(fields())
    assert caught.value.where == where
    assert message in caught.value.problem


@pytest.mark.parametrize(
    "value",
    [
        *("", "a\n", "\x00", "\x7f", "\x1b[2J", "\x9b2J", "\ud800", "abcdef", 1, None, b"a", ["a"]),
        *("a\u2028", "\u2029", "a\u202eb", "\u061c"),
        *map(chr, [0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    ],
)
def test_what_is_no_text(value: Any) -> None:
    assert not is_text(value, 5)


@pytest.mark.parametrize("value", ["a", "abcde", "5 €", "\u202f", "😀", "مرحبا", "می\u200cخ", "👩\u200d🔬", "שלום"])
def test_what_is_text(value: str) -> None:
    assert is_text(value, 5)


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        (1, True),
        (Decimal("0.000000000001"), True),
        (Decimal("1E-13"), False),
        (Decimal("1.0000000000000"), False),
        (True, False),
        (0.5, False),
        ("1", False),
        (None, False),
        (3, False),
        (-1, False),
        (10**4000, False),
        (Decimal("NaN"), False),
        (Decimal("sNaN"), False),
        (Decimal("Infinity"), False),
    ],
)
def test_decimals_in_a_domain(value: Any, is_one: bool) -> None:
    assert is_decimal(value, Decimal(0), Decimal(2)) is is_one
