"""What is said of the texts of Android's autofill: of each bit, and of the text."""

import math
from dataclasses import asdict
from typing import Any

from sotto_estimator.formats.autofill_texts import (
    EPSILON_A_BIT,
    N_KEPT,
    OPEN,
    SIGNS,
    VARIES,
    AutofillField,
    AutofillTexts,
)
from sotto_estimator.results.document import Block, Cell, Column, Lines, Part, Table
from sotto_estimator.results.figure import Panel, bits_panel
from sotto_estimator.results.percents import percent
from sotto_estimator.results.view import View
from sotto_estimator.results.words import level_words
from sotto_protocol.words import counted

_MOST_FIELDS = 20
_COUNTS = ("n", "even bits", "odd bits", "constant", "varies", "open")
_COLUMNS = [Column("field"), *(Column(name, "count", to_left=True) for name in _COUNTS), Column("text")]


def _parts(found: AutofillTexts) -> list[Part]:
    """Return what is said of every field, and the bytes of one, or of the first few."""
    shown = found.fields[:_MOST_FIELDS]
    summary = Table(_COLUMNS if found.by else _COLUMNS[1:], [_summary(of)[0 if found.by else 1 :] for of in shown])
    n_more = len(found.fields) - len(shown)
    return [
        Part(
            "What is known",
            [
                Lines([str(found), *_words(found), *map(str, found.contradictions)]),
                summary,
                Lines([f"and {n_more:,} more fields: see --csv"] if n_more else []),
            ],
        ),
        Part("Bytes", _bytes(found.fields[0]) if len(found.fields) == 1 and not found.fields[0].is_void else []),
    ]


def _words(found: AutofillTexts) -> tuple[str, ...]:
    """What is said of bits, and what it takes."""
    n_none = sum(of.n_none for of in found.fields)
    left_out = f"left out: {counted(n_none, 'payload')} with a mask of 0, which keep no bit: Android could not hash"
    which = "fields" if found.options.simultaneous and len(found.fields) > 1 else "field"
    needed = f"{found.n_needed:,} devices" if found.n_needed else "more devices than can be planned for"
    return (
        f"all that is said of the 256 bits of a {which.removesuffix('s')} is right with probability "
        f"{level_words(found.options.level)}{' for all fields together' if which == 'fields' else ''} "
        "(Clopper-Pearson intervals, Bonferroni), about the population",
        f"1 or 0: more than {percent(found.least_share)} of devices have it, and all may; {SIGNS[VARIES]} varies; "
        f"{SIGNS[OPEN]} open: too few payloads to say",
        f"a text that all devices have is decided whole, with probability {found.power:g}, by {needed} a field",
        *([left_out] if n_none else []),
    )


def _members(found: AutofillTexts) -> dict[str, Any]:
    heading = {"title": found.title, "format": "android-autofill", "n_reports": found.n_reports}
    heading |= {"epsilon_a_bit": EPSILON_A_BIT, "epsilon": N_KEPT * EPSILON_A_BIT, "by": found.by}
    listed = {
        "n_needed": found.n_needed,
        "contradictions": [asdict(contradiction) for contradiction in found.contradictions],
        "fields": [_members_of(of) for of in found.fields],
    }
    return heading | _option_members(found) | listed


def _records(found: AutofillTexts) -> list[dict[str, Any]]:
    """Return a row for each bit of each field."""
    beside = _option_members(found) | {"epsilon_a_bit": EPSILON_A_BIT, "n_needed": found.n_needed}
    p_values = {one.question: one.p_value for one in reversed(found.contradictions)}
    return [
        {"field": of.name} | asdict(bit) | beside | {"p_contradiction": p_values.get(of.name or "")}
        for of in found.fields
        for bit in of.bits
    ]


def _panels(found: AutofillTexts) -> tuple[str, list[Panel]]:
    """Return a picture: of each of the first fields the share of devices with a 1, bit by bit."""
    return f"{found}\n{_words(found)[0]}", [_bits(of) for of in found.fields[:_MOST_FIELDS] if not of.is_void]


def _bits(field: AutofillField) -> Panel:
    """Return the share of devices with a 1, bit by bit from byte 0, its least bit first."""
    of_field = f" of {field.name}" if field.name else ""
    spans = [(_percent(bit.low), _percent(bit.high)) for bit in field.bits]
    return bits_panel(spans, f"bit{of_field}: % of devices with a 1")


def _percent(end: float | None) -> float:
    return math.nan if end is None else 100 * end


def _option_members(found: AutofillTexts) -> dict[str, Any]:
    options = found.options
    members = {"level": options.level, "simultaneous": options.simultaneous, "method": "clopper-pearson"}
    return members | {"target": options.about, "least_share": found.least_share, "power": found.power}


def _members_of(of: AutofillField) -> dict[str, Any]:
    members: dict[str, Any] = {"field": of.name, "n_reports": of.n_reports}
    members |= {"n_even": of.n_even, "n_odd": of.n_odd, "n_none": of.n_none}
    return members | {"text": of.text, "readable": of.readable, "bits": [asdict(bit) for bit in of.bits]}


def _summary(of: AutofillField) -> list[Cell]:
    known: list[Cell] = [of.name or "", of.n_reports, of.n_even, of.n_odd]
    if of.is_void:
        return [*known, *[None] * 4]
    text = of.readable if of.text is None else of.text
    return [*known, of.n_said("0") + of.n_said("1"), of.n_said(VARIES), of.n_said(OPEN), f'"{text}"']


def _bytes(of: AutofillField) -> list[Block]:
    """Return the bytes up to the last that is not zero: their bits, the most significant first."""
    values = list(of.bytes_said)
    while len(values) > 1 and values[-1] == 0:
        values.pop()
    rows = []
    for place, value in enumerate(values):
        bits = "".join(SIGNS[bit.said] for bit in reversed(of.bits[8 * place : 8 * place + 8]))
        rows.append([str(place), bits, "" if value is None else f"0x{value:02X}"])
    zeros = len(of.bytes_said) - len(values)
    table = Table([Column("byte"), Column("bits"), Column("value")], rows)
    return [table, Lines([f"and {counted(zeros, 'byte')} of zeros"] if zeros else [])]


VIEW: View[AutofillTexts] = View(parts=_parts, members=_members, records=_records, panels=_panels)
