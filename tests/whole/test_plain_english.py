"""Texts are in plain English: no source has more sentences that break a rule than it had, and a new one has none."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
KNOWN: dict[str, int] = json.loads((ROOT / "tests" / "data" / "plain_english.json").read_text())
"""How many sentences break a rule, by source, in texts that were written before there were rules. It only shrinks."""


@pytest.fixture(scope="module")
def plain() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        found = importlib.util.spec_from_file_location("plain_english", ROOT / "scripts" / "plain.py")
        assert found is not None
        assert found.loader is not None
        loaded = importlib.util.module_from_spec(found)
        found.loader.exec_module(loaded)
        yield loaded


def test_no_source_has_more_sentences_that_are_hard_to_read(plain: ModuleType) -> None:
    found = plain.find_all()
    more = {source: rules for source, rules in found.items() if len(rules) > KNOWN.get(source, 0)}
    assert more == {}, f"scripts/plain {' '.join(more)} shows them all."


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("who without a noun", "The range is valid for who looks once."),
        ("who without a noun", "Whoever accuses falsely is right about some."),
        ("of at the head of a clause", "Of texts, only the bucket is sent."),
        ("is said, is told", "Which is more common cannot be told from the reports."),
        ("so many", "A person may select so many."),
        ("likeliest", "A number that is likeliest near 16 hours."),
        ("stands", "The file stands in the folder."),
        ("a chain of colons and semicolons", "Two things: this one; that one."),
        ("21 words", " ".join(["Your", *["very"] * 19, "device."])),
    ],
)
def test_a_turn_that_is_hard_to_read_is_found(plain: ModuleType, rule: str, sentence: str) -> None:
    assert [(found.rule, found.sentence) for found in plain.find(f"Good words. {sentence} More words.")] == [
        (rule, sentence)
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "If you say yes, your device sends yes 73 times in 100.",
        "People who answer yes also send no.",
        "Who can read this?",
        "Write `so many` or “so many” where you quote it.",
        "Of course.",
    ],
)
def test_a_plain_sentence_passes(plain: ModuleType, sentence: str) -> None:
    assert [*plain.find(sentence)] == []


def test_all_kinds_of_text_are_read(plain: ModuleType) -> None:
    read = [{source for source, _, _ in reader()} for reader in plain.READERS]
    looked_for = [
        "docs/explain.md",
        "protocol/sotto_protocol/promises.py",
        "sotto test share",
        "sotto_estimator.Estimates",
        "author/sotto_author/check.py",
    ]
    assert all(name in found for name, found in zip(looked_for, read, strict=True)), read[-1]
