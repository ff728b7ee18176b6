"""Texts are in plain English: no sentence breaks a rule of scripts/plain.py, unless it stands there with its reason."""

import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from types import ModuleType

import pytest
import textstat

ROOT = Path(__file__).parents[2]

RESPONDENTS = (
    "protocol/sotto_protocol/explain.py",
    "protocol/sotto_protocol/mechanisms/",
    "protocol/sotto_protocol/promises.py",
    "protocol/sotto_protocol/protection.py",
    "protocol/sotto_protocol/questions/",
    "protocol/sotto_protocol/readings.py",
    "client/js/component/",
    "client/js/form/",
    "collector/sotto_collector/pages/",
)
"""Where the messages are that respondents read: `sotto explain`, the survey page and the element."""
MOST_WORDS, MOST_GRADE = 15, 8
"""In the median of their sentences, and of all of them by Flesch and Kincaid's formula: a reader of 14 follows."""


@pytest.fixture(scope="module")
def plain() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "scripts"))
        found = importlib.util.spec_from_file_location("plain_english", ROOT / "scripts" / "plain.py")
        assert found is not None
        assert found.loader is not None
        loaded = importlib.util.module_from_spec(found)
        found.loader.exec_module(loaded)
        loaded.READERS = tuple(remembered(reader) for reader in loaded.READERS)
        yield loaded


def remembered(reader: Callable[[], Iterator[tuple[str, str, int]]]) -> Callable[[], list[tuple[str, str, int]]]:
    """Return a reader that reads once: all tests here ask for the same texts."""
    return cache(lambda: [*reader()])


@pytest.mark.thorough
def test_no_sentence_is_hard_to_read(plain: ModuleType) -> None:
    assert plain.find_all() == {}


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


@pytest.mark.thorough
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


def respondents_sentences(plain: ModuleType, sources: tuple[str, ...]) -> list[str]:
    """Return the whole sentences of messages, with a figure for each field; labels and buttons are none."""
    texts = [text for source, text, _ in plain.READERS[1]() if source.startswith(sources)]
    found = [sentence.replace("X", "10") for text in texts for sentence in plain.sentences(text)]
    return sorted({sentence for sentence in found if sentence.endswith((".", "?")) and len(sentence.split()) > 3})


@pytest.mark.parametrize("side", ["protocol/", "client/", "collector/"])
def test_respondents_read_short_sentences_of_short_words(plain: ModuleType, side: str) -> None:
    found = respondents_sentences(plain, tuple(source for source in RESPONDENTS if source.startswith(side)))
    assert len(found) > 50
    assert median(len(sentence.split()) for sentence in found) <= MOST_WORDS
    assert textstat.flesch_kincaid_grade(" ".join(found)) <= MOST_GRADE


def test_a_text_of_long_sentences_or_long_words_has_a_high_grade() -> None:
    assert (
        textstat.flesch_kincaid_grade("Perturbation establishes individual deniability unconditionally.") > MOST_GRADE
    )
    assert textstat.flesch_kincaid_grade(" ".join(["If you say yes, it sends no and"] * 5) + " stops.") > MOST_GRADE
