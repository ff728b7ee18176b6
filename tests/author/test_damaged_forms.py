"""Damaged forms of every program: whatever a file holds, it is a survey that compiles, or one error that says why."""

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from form_files import lime_rows, lime_tsv, lss, multiple_choice, qsf, redcap
from sotto_author.forms.asking import Terms
from sotto_author.forms.programs import MAX_BYTES, import_file
from sotto_protocol import SottoError, compile_toml

LOGIC = {"0": {"0": {"LogicType": "Question", "LeftOperand": "q://QID1/SelectableChoice/1"}}}
FIELD = {
    "field_type": "checkbox",
    "choices": "1, <b>Tea</b> | 2, Coffee",
    "annotation": "@MAXCHECKED=1 @IF([a] = 1, '')",
}
ASK = {"class": "Q", "text": "Q?", "other": "Y", "relevance": "a_b.NAOK == 'Y'"}
NESTED = [{"class": kind, "name": name, "text": name} for kind in ("SQ", "A") for name in "bc"]
LIME = lime_rows(
    {**ASK, "name": "a", "type/scale": "L", "relevance": "1"},
    *NESTED,
    {**ASK, "name": "f", "type/scale": "F", "max_answers": "1"},
    *NESTED,
)
FILES = {
    "redcap": redcap({"name": "record_id"}, {"name": "a", **FIELD, "logic": "[b(1)] = '1'"}, {"name": "b", **FIELD}),
    "qsf": qsf(
        multiple_choice("a", DisplayLogic=LOGIC),
        multiple_choice("m", QuestionType="Matrix", Selector="Likert", SubSelector="SingleAnswer", Answers={"1": {}}),
        multiple_choice("s", QuestionType="Slider", Selector="HSLIDER", Configuration={"CSSliderMax": 9}),
        flow=[
            {"Type": "Branch", "BranchLogic": LOGIC, "Flow": [{"Type": "EndSurvey"}]},
            {"Type": "Block", "ID": "BL_1"},
        ],
    ),
    "tsv": lime_tsv(LIME),
    "lss": lss(LIME),
}
BYTES = st.sampled_from(
    [b"", b'"', b",", b"\t", b"\n", b"<", b">", b"&", b"{", b"]", b"\0", b"\xff", b"|", b"[a]", b"9"]
)
JUNK = st.sampled_from([None, True, 0, -1, 10**30, "", "\0", "QID1", "a" * 300, [], {}, [1], {"0": {"0": 1}}])


def reads(content: bytes) -> None:
    """Fail where an error is none of the product's, or the survey is none."""
    usual = Terms(Decimal(1))
    for terms in (usual, Terms(Decimal(1), skip_unsupported=True, ask_everybody=True, skip_numbers=(("", 0),))):
        with suppress(SottoError):
            compile_toml(import_file(content, "form", "form", terms).to_toml())


@pytest.mark.parametrize("program", FILES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_file_that_is_cut_off_or_written_over_is_read_or_refused(program: str, data: st.DataObject) -> None:
    content = FILES[program]
    cut = data.draw(st.integers(0, len(content)))
    reads(content[:cut])
    end = data.draw(st.integers(cut, min(len(content), cut + 4)))
    reads(content[:cut] + data.draw(BYTES) + content[end:])


def members_of(document: Any) -> list[tuple[Any, Any]]:
    """Return every member of a document: what holds it, and its key."""
    pairs = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else ())
    )
    return [each for key, value in pairs for each in ((document, key), *members_of(value))]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_qsf_whose_members_are_something_else_is_read_or_refused(data: st.DataObject) -> None:
    document = json.loads(FILES["qsf"])
    for _ in range(3):
        holder, key = data.draw(st.sampled_from(members_of(document)))
        holder[key] = data.draw(JUNK)
    reads(json.dumps(document).encode())


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_structure_whose_cells_are_something_else_is_read_or_refused(data: st.DataObject) -> None:
    rows = [dict(row) for row in LIME]
    for _ in range(3):
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.sampled_from(sorted(row)))] = data.draw(
            st.sampled_from(["", "0", "A", "SQ", "G", "1", "K", "N", "de", "{a}", "((", "-1", "1e9", "\0", "x" * 300])
        )
    reads(lime_tsv(rows))


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(SottoError, match="is larger than 8,388,608 bytes"):
        import_file(b" " * (MAX_BYTES + 1), "form.csv", "form", Terms(Decimal(1)))
