"""Hypothesis strategies: mechanisms as surveys publish them, answers to them, authors' definitions, packed reports."""

from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import strategies as st

from reference import Answer, Published
from sotto_protocol import Mechanism, Survey, compile_survey
from sotto_protocol.mechanism import Bytes
from sotto_protocol.survey import MECHANISM_CLASSES

CLASSES = {name: cls for classes in MECHANISM_CLASSES.values() for name, cls in classes.items()}
NAMES = tuple(CLASSES)
HALF = 2**31

words = st.text("abcdefghijklmnopqrstuvwxyz -äж中😀", min_size=1, max_size=12)
ids = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,8}", fullmatch=True)
epsilons = st.decimals("0.001", 20, places=6)


def build(published: Published, n_values: int) -> Mechanism:
    """Return the package's mechanism for a published one."""
    parameters = {key: value for key, value in published.items() if key != "name"}
    return CLASSES[published["name"]](published["name"], n_values, **parameters)  # type: ignore[call-arg]


@st.composite
def mechanisms(draw: st.DrawFn, max_values: int = 20, names: tuple[str, ...] = NAMES) -> tuple[Published, int]:
    """Draw a published mechanism and its number of values; thresholds anywhere, their bytes often 0 or 255."""
    name = draw(st.sampled_from(names))
    n_values = 1 if name in ("warner", "forced-response") else draw(st.integers(2, max_values))
    if name == "k-ary":
        return {"name": name, "threshold_if_true": draw(st.integers(2**32 // n_values + 1, 2**32 - 1))}, n_values
    edges = st.sampled_from([1, 255, 256, 0xFFFF, 0x10000, 0x01000000, HALF - 1])
    other = draw(st.one_of(edges, st.integers(1, HALF - 1)))
    true = {"oue": HALF, "forced-response": draw(st.integers(other + 1, 2**32 - 1))}.get(name, 2**32 - other)
    published = {"name": name, "threshold_if_true": true, "threshold_if_other": other}
    return published | ({"max_selected": draw(st.integers(1, n_values))} if name == "bit-flips" else {}), n_values


@st.composite
def answers_to(draw: st.DrawFn, published: Published, n_values: int, max_people: int = 6) -> list[Answer]:
    """Draw the answers of a few people, perhaps of nobody."""
    if published["name"] == "bit-flips":
        selections = st.sets(st.integers(0, n_values - 1), max_size=published["max_selected"])
        row: st.SearchStrategy[Any] = selections.map(lambda chosen: tuple(int(v in chosen) for v in range(n_values)))
    else:
        row = st.integers(0, max(1, n_values - 1))
    return draw(st.lists(row, max_size=max_people))


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an author's definition, as it is parsed."""
    questions = []
    for question_id in draw(st.lists(ids, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["yes-no", "one-of", "any-of"]))
        question: dict[str, Any] = {"id": question_id, "type": kind, "text": draw(words), "epsilon": draw(epsilons)}
        if kind != "yes-no":
            question["options"] = draw(st.lists(words, min_size=2, max_size=20, unique=True))
        if kind == "any-of" and draw(st.booleans()):
            question["max_selected"] = draw(st.integers(1, len(question["options"])))
        if kind == "one-of":
            question["mechanism"] = draw(st.sampled_from(["auto", "k-ary", "sue", "oue"]))
        questions.append(question)
    return {"id": draw(ids), "title": draw(words), "questions": questions}


surveys = definitions().map(compile_survey)


@st.composite
def records_of(draw: st.DrawFn, survey: Survey, max_reports: int = 12) -> Bytes:
    """Draw packed reports that the survey's mechanisms can make, shape (n, record_bytes)."""
    n = draw(st.integers(0, max_reports))
    columns = []
    for question in survey.questions:
        mechanism = question.mechanism
        if mechanism.name == "k-ary":
            values = draw(st.lists(st.integers(0, mechanism.n_values - 1), min_size=n, max_size=n))
            packed = [value.to_bytes(mechanism.n_bytes, "big") for value in values]
        else:
            values = draw(st.lists(st.integers(0, 2**mechanism.n_values - 1), min_size=n, max_size=n))
            packed = [value.to_bytes(mechanism.n_bytes, "little") for value in values]
        columns.append(np.frombuffer(b"".join(packed), np.uint8).reshape(n, mechanism.n_bytes))
    return np.concatenate(columns, axis=1)


def survey_of(*questions: dict[str, Any]) -> Survey:
    """Return a compiled survey of questions given without id and text."""
    listed = [{"id": f"q{index}", "text": "Well?"} | question for index, question in enumerate(questions)]
    return compile_survey({"id": "survey", "title": "A survey", "questions": listed})


YES_NO = {"type": "yes-no", "epsilon": Decimal(1)}
ONE_OF = {"type": "one-of", "options": ["red", "green", "blue"], "epsilon": Decimal(1)}
ANY_OF = {"type": "any-of", "options": ["a", "b", "c", "d", "e", "f", "g", "h", "i"], "epsilon": Decimal(2)}
WIDE = {"type": "one-of", "options": [f"o{i}" for i in range(300)], "mechanism": "k-ary", "epsilon": Decimal(3)}
ONE_HOT = ONE_OF | {"mechanism": "oue"}
EXAMPLE = survey_of(YES_NO, ONE_OF, ANY_OF | {"max_selected": 3}, WIDE, ONE_HOT)
