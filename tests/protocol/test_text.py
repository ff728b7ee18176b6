"""An open answer counts as one string, whatever keyboard, program and version of Unicode it came through."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from node import require_node, run
from sotto_protocol import AnswerError, compile_toml
from sotto_protocol.text import EXPECTED, compose, is_answer, normalise

HERE = Path(__file__).parents[1]
VECTORS = json.loads((HERE / "vectors" / "text.json").read_text())["vectors"]
SEQUENCES = ["?", "a?\u0345\u0323", "\u0345\u0323?", "??", "e\u0301?x"]
BLOCK = 4096
SURVEY = compile_toml('id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntype = "text"\ntext = "Q?"\nepsilon = 4\n')


def counted(typed: str) -> str:
    """Return what a string counts as; nothing where it is refused."""
    return normalise(typed) if is_answer(typed) else ""


def strings_of(start: int) -> list[str]:
    """Return the strings that are made of a block of code points."""
    codes = (code for code in range(start, start + BLOCK) if not 0xD800 <= code < 0xE000)
    return [sequence.replace("?", chr(code)) for code in codes for sequence in SEQUENCES]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["typed"])[:40])
def test_an_answer_counts_as_the_vectors_say(vector: dict[str, str | None]) -> None:
    assert (counted(str(vector["typed"])) or None) == vector["counts_as"]


def test_the_vectors_are_those_that_a_program_of_its_own_writes() -> None:
    command = [sys.executable, str(HERE / "support" / "reference_text_vectors.py")]
    written = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout
    assert written == (HERE / "vectors" / "text.json").read_text()


def test_what_counts_counts_as_itself() -> None:
    for vector in VECTORS:
        normal = vector["counts_as"]
        assert normal is None or (is_answer(normal) and normalise(normal) == compose(normal) == normal)


@pytest.mark.rare
def test_both_sides_agree_on_every_code_point_with_combining_ones_beside_it() -> None:
    """Node's Unicode is newer than Python's: what only one of them knows must not make two answers of one."""
    command = [require_node(), str(HERE / "normal_forms.js"), json.dumps(SEQUENCES)]
    differing = []
    for line in run(command, timeout_s=300).splitlines():
        start, digest = line.split()
        ours = [counted(typed) for typed in strings_of(int(start))]
        if hashlib.sha256("\0".join(ours).encode()).hexdigest() != digest:
            theirs = json.loads(run([*command, start], timeout_s=300))
            typed = zip(strings_of(int(start)), ours, theirs, strict=True)
            differing += [ascii(text) for text, mine, other in typed if mine != other]
    assert differing == []


def test_what_is_too_long_is_said_to_be_so_and_not_quoted() -> None:
    question = SURVEY.questions[0]
    for answer, words in (("k4n4ry " * 30, "(too long: 209 of 200)"), ("k4n\x004ry", EXPECTED + ".")):
        with pytest.raises(AnswerError) as fault:
            question.encode(answer)
        assert words in str(fault.value)
        assert "4ry" not in str(fault.value)
