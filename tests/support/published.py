"""Hypothesis strategies: mechanisms as surveys publish them, answers to them, authors' definitions, packed reports."""

from decimal import Decimal
from fractions import Fraction
from math import comb, floor
from typing import Any

import numpy as np
from hypothesis import strategies as st

from reference import Answer, Published, kind_of
from segment_tables import TABLES
from sotto_protocol import Mechanism, Survey, compile_survey
from sotto_protocol.looks import look
from sotto_protocol.mechanisms.asked_option import AskedOption
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes, PureMechanism
from sotto_protocol.mechanisms.numbers import NumberResponse
from sotto_protocol.mechanisms.padded_subset import PaddedSubset, most_members
from sotto_protocol.mechanisms.registry import ENTRIES, entries_of, read_mechanism
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.mechanisms.subset import SubsetResponse
from sotto_protocol.record import WAVE

NAMES = tuple(dict.fromkeys(entry.name for entry in ENTRIES))
CHOICES = tuple(name for name in NAMES if name not in ("rappor", "sketch", "window", "segments", "asked-option"))
"""The mechanisms whose answers are options, and whose reports speak of all of them."""
HALF = 2**31

words = st.text("abcdefghijklmnopqrstuvwxyz -äж中😀", min_size=1, max_size=12)
seen = words.filter(look)
ids = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True)
epsilons = st.decimals("0.001", 20, places=6)
typed = st.one_of(
    words.filter(str.strip),  # blanks alone are no answer
    st.sampled_from(["caf\u00e9", "cafe\u0301", "x" * 200, "\u00e9" * 200, "a\u0323\u0307", "e\u0301" * 200]),
    st.sampled_from([" e\u0301\u200f\t ", "\u3000a\tb", "\u200fa\u200f\u0301", "\u1112\u1161\u11ab" * 120]),
)
"""Answers to open questions."""


def build(published: Published, n_values: int) -> Mechanism:
    """Return the package's mechanism for a published one."""
    name = published["name"]
    parameters = {key: value for key, value in published.items() if key not in ("name", "n_bits")}
    if name == "window":  # its values are outputs, and those that are given are numbers
        levels = parameters.pop("levels")
        parameters |= {"n_values": levels + parameters["width"] - 1, "span": n_values - 1}
    elif name == "segments":
        return read_mechanism(published, "$", "number", n_values)
    elif name == "sketch":  # its values are the points of its space
        parameters["prefix_lengths"] = tuple(parameters.get("prefix_lengths", ()))
    else:
        parameters["n_values"] = n_values
    return entries_of(kind_of(published, n_values))[name].mechanism(name, **parameters)  # type: ignore[call-arg]  # by name


@st.composite
def mechanisms(draw: st.DrawFn, max_values: int = 20, names: tuple[str, ...] = NAMES) -> tuple[Published, int]:
    """Draw a published mechanism and its number of values; thresholds anywhere, their bytes often 0 or 255."""
    name = draw(st.sampled_from(names))
    fewest = 1 if name == "basic-rappor" else 2
    n_values = 1 if name in ("warner", "forced-response") else draw(st.integers(fewest, max_values))
    if name == "k-ary":
        keys = ["threshold_if_true", "report_if_true"][: draw(st.integers(1, 2))]
        return {"name": name} | {key: draw(st.integers(2**32 // n_values + 1, 2**32 - 1)) for key in keys}, n_values
    if name == "subset" and draw(st.booleans()):
        return draw(padded_sets(n_values)), n_values
    if name in ("subset", "geometry"):
        return draw(set_responses(name, n_values)), n_values
    if name == "sketch":
        return draw(sketches)
    if name == "window":
        return draw(windows)
    if name == "segments":
        return draw(st.sampled_from(TABLES)), draw(st.sampled_from([2, 3, 8, 9, 257, 65537, 2**32]))
    edges = st.sampled_from([1, 255, 256, 0xFFFF, 0x10000, 0x01000000, HALF - 1])
    other = draw(st.one_of(edges, st.integers(1, HALF - 1)))
    true = {"oue": HALF, "forced-response": draw(st.integers(other + 1, 2**32 - 1))}.get(name, 2**32 - other)
    published = {"name": name, "threshold_if_true": true, "threshold_if_other": other}
    if name in ("bit-flips", "asked-option") or (name == "basic-rappor" and draw(st.booleans())):
        published["max_selected"] = draw(st.integers(1, n_values))
    if name == "asked-option" and draw(st.booleans()):
        published["asked"] = draw(st.integers(2, n_values))
    if name in ("basic-rappor", "rappor", "oue") and draw(st.booleans()):
        published |= draw(instant_stages)
    return published | (draw(bloom_shapes(n_values)) if name == "rappor" else {}), n_values


@st.composite
def set_responses(draw: st.DrawFn, name: str, n_values: int) -> Published:
    """Draw a subset or a geometry response; its threshold is anywhere above where the truth is the likeliest."""
    if name == "subset":
        shape = {"weight": draw(st.integers(1, max(1, n_values // 2)))}
        share = Fraction(shape["weight"], n_values)
    else:
        fits = [(q, t) for q in (2, 3, 5, 7, 19) for t in range(2, 9) if n_values <= sum(q**i for i in range(t)) < 3000]
        shape = dict(zip(("field", "dimension"), draw(st.sampled_from(fits)), strict=True))
        n_each = [sum(shape["field"] ** i for i in range(t)) for t in (shape["dimension"] - 1, shape["dimension"])]
        share = Fraction(*n_each)
    return {"name": name, "threshold_if_true": draw(st.integers(floor(2**32 * share) + 1, 2**32 - 1))} | shape


@st.composite
def padded_sets(draw: st.DrawFn, n_values: int) -> Published:
    """Draw a padded subset; its threshold is anywhere above where the truth is the likeliest."""
    most = draw(st.integers(1, n_values))
    weight = draw(st.integers(1, most_members(n_values, most)))
    share = 1 - Fraction(comb(n_values, weight), comb(n_values + most, weight))
    threshold = draw(st.integers(floor(2**32 * share) + 1, 2**32 - 1))
    return {"name": "subset", "threshold_if_true": threshold, "max_selected": most, "weight": weight}


@st.composite
def _sketches(draw: st.DrawFn) -> tuple[Published, int]:
    field, dimension = draw(st.sampled_from([(2, 2), (2, 5), (3, 4), (7, 3), (17, 2), (599, 2)]))
    n_values = sum(field**place for place in range(dimension))
    lengths = sorted(draw(st.sets(st.integers(1, 200), max_size=3)))
    shape = {"field": field, "dimension": dimension, "n_cohorts": max(1, len(lengths)) * draw(st.integers(1, 40))}
    share = Fraction(sum(field**place for place in range(dimension - 1)), n_values)
    threshold = draw(st.integers(floor(2**32 * share) + 1, 2**32 - 1))
    more = {"prefix_lengths": lengths} if lengths else {}
    return {"name": "sketch", "threshold_if_true": threshold} | shape | more, n_values


sketches = _sketches()


@st.composite
def few_numbers(draw: st.DrawFn, n_numbers: int | None = None) -> tuple[Published, int]:
    """Draw a window of a few numbers, or of so many."""
    n_numbers = n_numbers or draw(st.integers(2, 9))
    if draw(st.booleans()):
        thresholds = {key: draw(st.integers(HALF + 1, 2**32 - 1)) for key in ("threshold_if_true", "report_if_true")}
        return {"name": "window", "levels": 2, "width": 1} | thresholds, n_numbers
    levels = draw(st.one_of(st.integers(2, min(20, n_numbers)), st.just(min(1024, n_numbers))))
    width = draw(st.integers(1, levels))
    share = Fraction(width, levels + width - 1)
    threshold = draw(st.integers(floor(2**32 * share) + 1, 2**32 - 1))
    return {"name": "window", "levels": levels, "width": width, "threshold_if_true": threshold}, n_numbers


windows = st.one_of(few_numbers(), *[few_numbers(n_numbers) for n_numbers in (257, 65537, 2**32)])


@st.composite
def _instant_stages(draw: st.DrawFn) -> Published:
    zero = draw(st.one_of(st.sampled_from([1, 255, 256, 0x01000000]), st.integers(1, 2**32 - 2)))
    return {"report_if_one": draw(st.integers(zero + 1, 2**32 - 1)), "report_if_zero": zero}


instant_stages = _instant_stages()


@st.composite
def bloom_shapes(draw: st.DrawFn, n_bits: int) -> Published:
    """Draw what is published of a text's filters but the thresholds."""
    shape = {"n_bits": n_bits, "n_hashes": draw(st.integers(1, min(8, n_bits)))}
    shape["n_cohorts"] = draw(st.one_of(st.integers(1, 4), st.just(300)))
    if draw(st.booleans()):
        shape["gram_length"] = draw(st.integers(1, 4))
        shape["max_length"] = shape["gram_length"] * draw(st.integers(2, 5))
    return shape


@st.composite
def answers_to(draw: st.DrawFn, published: Published, n_values: int, max_people: int = 6) -> list[Answer]:
    """Draw the answers of a few people, perhaps of nobody."""
    kind = kind_of(published, n_values)
    row: st.SearchStrategy[Any]
    if kind == "text":
        row = typed
    elif kind == "any-of":
        selections = st.sets(st.integers(0, n_values - 1), max_size=published["max_selected"])
        row = selections.map(lambda chosen: tuple(int(v in chosen) for v in range(n_values)))
    else:
        row = st.integers(0, max(1, n_values - 1))
    return draw(st.lists(row, max_size=max_people))


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an author's definition, as it is parsed."""
    questions = []
    for question_id in draw(st.lists(ids, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["yes-no", "one-of", "any-of", "number", "text"]))
        question: dict[str, Any] = {"id": question_id, "type": kind, "text": draw(seen), "epsilon": draw(epsilons)}
        if kind in ("one-of", "any-of"):
            question["options"] = draw(st.lists(seen, min_size=2, max_size=20, unique_by=look))
        if kind == "any-of" and draw(st.booleans()):
            question["max_selected"] = draw(st.integers(1, len(question["options"])))
        if kind == "any-of":
            question["mechanism"] = draw(st.sampled_from(["auto", "bit-flips", "subset", "asked-option"]))
        if kind == "one-of":
            question["mechanism"] = draw(st.sampled_from(["auto", "k-ary", "subset", "geometry", "sue", "oue"]))
        if kind == "text":
            question |= draw(text_members)
        if kind == "number":
            question |= draw(number_members)
        elif kind == "text" or draw(st.booleans()):
            question |= draw(rappor_members(kind))
        elif question.get("mechanism") in ("auto", "k-ary", "oue") and draw(st.booleans()):
            question |= draw(two_epsilons())
        questions.append(question)
    waves = draw(st.one_of(st.none(), st.integers(2, min(1000, 2**22 // sum(map(n_counts_of, questions))))))
    several = st.one_of(st.none(), st.integers(1, len(questions) - 1)) if len(questions) > 1 else st.none()
    settings = {"waves": waves, "draw": draw(several)}
    whole = {"id": draw(ids), "title": draw(seen), "questions": questions}
    return whole | {name: value for name, value in settings.items() if value}


def n_counts_of(question: dict[str, Any]) -> int:
    """Return how many counts a tally has of an author's question, or more."""
    if question["type"] == "number":
        return 130  # at most: 64 levels, in a window as wide
    if question["type"] == "text":
        return int(question.get("n_cohorts", 64) * (1 + question.get("n_bits", 128)))
    return 2 * len(question.get("options", "1"))


text_members = st.fixed_dictionaries(
    {},
    optional={
        "n_bits": st.integers(8, 70),
        "n_hashes": st.integers(1, 8),
        "n_cohorts": st.one_of(st.integers(1, 4), st.just(300)),
        "unknown": st.booleans(),
    },
)


@st.composite
def _number_members(draw: st.DrawFn) -> dict[str, Any]:
    minimum, step = (draw(st.decimals(low, 1000, places=2)) for low in (-1000, Decimal("0.01")))
    maximum = minimum + step * draw(st.one_of(st.integers(1, 40), st.just(10**6)))
    more = st.fixed_dictionaries({}, optional={"unit": seen, "distribution": st.booleans(), "skip": st.just(minimum)})
    return {"minimum": minimum, "maximum": maximum, "step": step} | draw(more)


number_members = _number_members()


@st.composite
def rappor_members(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """Draw the members that choose RAPPOR, of one stage or of two."""
    members: dict[str, Any] = {"mechanism": "rappor" if kind == "text" else "basic-rappor"}
    return members | (draw(two_epsilons()) if draw(st.booleans()) else {})


@st.composite
def two_epsilons(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the members that choose two stages."""
    epsilon = draw(st.decimals("0.01", 8, places=6))
    return {"epsilon": epsilon, "epsilon_forever": epsilon * draw(st.sampled_from([2, Decimal("1.5")]))}


surveys = definitions().map(compile_survey)


@st.composite
def records_of(draw: st.DrawFn, survey: Survey, max_reports: int = 12) -> Bytes:
    """Draw packed reports that the survey's mechanisms can make, shape (n, layout.n_bytes)."""
    n = draw(st.integers(0, max_reports))
    columns = []
    for question in survey.questions:
        mechanism = question.mechanism
        if isinstance(mechanism, BloomResponse):
            bits = st.integers(0, 2**mechanism.n_values - 1).map(
                lambda v, m=mechanism: v.to_bytes(-(-m.n_values // 8), "little")
            )
            cohort = st.integers(0, mechanism.n_cohorts - 1).map(lambda v: v.to_bytes(2, "big"))
            pair = [st.integers(0, len(mechanism.pairs) - 1).map(lambda v: bytes([v]))] if mechanism.pairs else []
            row = st.tuples(cohort, *pair, *[bits] * mechanism.n_blocks).map(b"".join)
            packed = draw(st.lists(row, min_size=n, max_size=n))
        elif isinstance(mechanism, NumberResponse):
            values = draw(st.lists(st.integers(0, mechanism.n_outputs - 1), min_size=n, max_size=n))
            packed = [value.to_bytes(mechanism.n_bytes, "big") for value in values]
        elif isinstance(mechanism, AskedOption):
            width, asked = 1 if mechanism.n_values <= 256 else 2, mechanism.asked
            options = st.sets(st.integers(0, mechanism.n_values - 1), min_size=asked, max_size=asked)
            packed = [
                b"".join(v.to_bytes(width, "big") for v in sorted(chosen)) + said.to_bytes(-(-asked // 8), "little")
                for chosen, said in draw(
                    st.lists(st.tuples(options, st.integers(0, 2**asked - 1)), min_size=n, max_size=n)
                )
            ]
        elif isinstance(mechanism, SubsetResponse | PaddedSubset):
            n_members = getattr(mechanism, "n_members", mechanism.n_values)
            places, weight = st.integers(0, n_members - 1), mechanism.weight
            sets = draw(st.lists(st.sets(places, min_size=weight, max_size=weight), min_size=n, max_size=n))
            packed = [sum(1 << place for place in chosen).to_bytes(mechanism.n_bytes, "little") for chosen in sets]
        else:
            values = draw(st.lists(st.integers(0, 2**mechanism.n_values - 1), min_size=n, max_size=n))
            packed = [value.to_bytes(mechanism.n_bytes, "little") for value in values]
        columns.append(np.frombuffer(b"".join(packed), np.uint8).reshape(n, mechanism.n_bytes))
    waves = draw(st.lists(st.integers(1, survey.waves), min_size=n, max_size=n))
    if not survey.draw:
        return survey.layout.join(columns, {WAVE: waves})
    orders = draw(st.lists(st.permutations(range(len(columns))), min_size=n, max_size=n))
    drawn = np.array([[place in order[: survey.draw] for place in range(len(columns))] for order in orders], np.bool_)
    drawn = drawn.reshape(n, len(columns))
    return survey.layout.join([column[has] for column, has in zip(columns, drawn.T, strict=True)], {WAVE: waves}, drawn)


def survey_of(*questions: dict[str, Any]) -> Survey:
    """Return a compiled survey of questions given without id and text."""
    listed = [{"id": f"q{index}", "text": "Well?"} | question for index, question in enumerate(questions)]
    return compile_survey({"id": "survey", "title": "A survey", "questions": listed})


YES_NO = {"type": "yes-no", "epsilon": Decimal(1)}
ONE_OF = {"type": "one-of", "options": ["red", "green", "blue"], "epsilon": Decimal(1)}
ANY_OF = {"type": "any-of", "mechanism": "bit-flips", "options": [*"abcdefghi"], "epsilon": Decimal(2)}
WIDE = {"type": "one-of", "options": [f"o{i}" for i in range(300)], "mechanism": "k-ary", "epsilon": Decimal(3)}
ONE_HOT = ONE_OF | {"mechanism": "oue"}
TEXT = {"type": "text", "mechanism": "rappor", "n_bits": 20, "n_cohorts": 5, "epsilon": Decimal(2)}
TWO_STAGES = {"epsilon": Decimal(1), "epsilon_forever": Decimal(3)}
EXAMPLE = survey_of(YES_NO, ONE_OF, ANY_OF | {"max_selected": 3}, WIDE, ONE_HOT)


def support_rates(mechanism: Mechanism) -> tuple[float, float]:
    """Return P(a report supports a value) if it is true and if it is not; of a filter a bit, of a sketch a bucket."""
    if isinstance(mechanism, SketchResponse):
        mechanism = mechanism.geometry
    if isinstance(mechanism, BloomResponse):
        return mechanism.prob_one_if_one, mechanism.prob_one_if_zero
    assert isinstance(mechanism, PureMechanism)
    return mechanism.prob_support_if_true, mechanism.prob_support_if_other
