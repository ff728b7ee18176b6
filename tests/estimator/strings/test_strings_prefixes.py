"""Strings on no list are found by their beginnings; where there are none, none is."""

import json
import os
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ideal_prefixes import ideal_finds
from sketch_crowds import collect_sketch, sketch_of, zipf
from sotto_client.cli import main
from sotto_estimator import DomainError, SourceError
from sotto_estimator.sources.records import save_records
from sotto_estimator.strings.prefixes import STRICTER, decode_prefixes
from sotto_protocol import Coins, Survey, Tally, compile_survey
from sotto_protocol.mechanisms.sketch.design import USUAL_LENGTHS, sketch

FULL = bool(os.environ.get("SOTTO_TEST_FULL"))
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALPHABET = LETTERS + "0123456789 -.'"
N_RUNS = 20 if FULL else 1


def random_words(n_words: int, generator: np.random.Generator) -> list[str]:
    return ["".join(row) for row in generator.choice(list(LETTERS), (n_words, 6))]


def crowd_of(shares: list[float], seed: int) -> tuple[list[str], dict[str, float]]:
    """Return words of four fifths of a crowd, and all its words: the others' are of their own, or of few."""
    generator = np.random.default_rng(seed)
    words, others = random_words(len(shares), generator), random_words(40_000 if FULL else 4000, generator)
    return words, dict.fromkeys(others, 0.2 / len(others)) | dict(zip(words, shares, strict=True))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("epsilon", "n_words", "n_least"), [("1", 5, 5), pytest.param("2", 50, 8, marks=pytest.mark.rare)]
)
def test_words_are_found_and_nothing_else(epsilon: str, n_words: int, n_least: int) -> None:
    """The bar: 200,000 people, epsilon 1: five of five; epsilon 2: 8 of 50 by Zipf's law, 1.1; none false."""
    shares = 0.8 * (np.array([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]) / (137 / 60) if n_words == 5 else zipf(n_words))
    made = sketch(Decimal(epsilon), None, USUAL_LENGTHS)
    for seed in range(N_RUNS):
        words, everybody = crowd_of(shares.tolist(), seed)
        counts = collect_sketch(made, everybody, 200_000, np.random.default_rng(seed))
        found = decode_prefixes(made, counts, ALPHABET if FULL else LETTERS)
        assert {row.string for row in found.rows} <= set(words)
        assert len(found.rows) >= n_least
        for row in found.rows:
            assert row.low <= shares[words.index(row.string)] <= row.high


@pytest.mark.rare
@pytest.mark.parametrize(
    ("epsilon", "n_people", "part"), [("2", 100_000, 0.88), ("4", 20_000, 0.88), ("4", 100_000, 0.88)]
)
def test_nearly_as_much_is_found_as_by_ideal_noise(epsilon: str, n_people: int, part: float) -> None:
    """Of 50 words by Zipf's law, of eight crowds each: about .94; by lengths 3 and 6 and looser bounds .65 to .75."""
    shares = 0.8 * zipf(50)
    made = sketch(Decimal(epsilon), None, USUAL_LENGTHS)
    found = ideal = 0
    for seed in range(8):
        generator = np.random.default_rng(seed)
        words, everybody = crowd_of(shares.tolist(), seed)
        rows = decode_prefixes(made, collect_sketch(made, everybody, n_people, generator), LETTERS).rows
        assert {row.string for row in rows} <= set(words)
        found += len(rows)
        whole = (everybody, n_people, float(epsilon), USUAL_LENGTHS, len(LETTERS), (0.25, 0.0005))
        ideal += len(ideal_finds(*whole, generator) & set(words))
    assert found >= part * ideal


def _coins(seed: int) -> Coins:
    return Coins(np.random.default_rng(seed).bytes)


def test_strings_of_all_lengths_are_found_and_longer_ones_by_their_beginning() -> None:
    made = sketch_of("6", 7, 4, 20, (2, 4))
    answers = 4000 * ["a"] + 4000 * ["ab"] + 4000 * ["ab c"] + 4000 * ["abcdef"] + 4000 * ["cc "]
    counts = made.count_support(made.perturb(answers, _coins(1)))
    decoded = decode_prefixes(made, counts, "abcd ")
    assert {row.string for row in decoded.rows} == {"a", "ab", "ab c", "abcd", "cc"}
    for row in decoded.rows:
        assert row.low < 0.2 < row.high
    [said] = decoded.warnings
    assert "(4 characters): " in said
    assert "'abcd'" in said
    assert "Longer answers with the same beginning are counted with them." in said
    assert decoded.options.fdr == 0.05 / STRICTER
    assert decoded.origin == "beginnings"


def test_blanks_stand_within_and_at_a_cut_only() -> None:
    made = sketch_of("6", 7, 4, 20, (1, 3))
    answers = 4000 * ["a bc"] + 4000 * ["ab cd"]
    counts = made.count_support(made.perturb(answers, _coins(2)))
    assert {row.string for row in decode_prefixes(made, counts, "abc ").rows} == {"a b", "ab "}
    assert decode_prefixes(made, counts, "abc ").n_candidates <= 1 + 5 * 5


def test_nothing_that_begins_strings_leaves_a_result_without_any() -> None:
    made = sketch_of("2", 3, 5, 64, (2, 4))
    counts = collect_sketch(made, {}, 20_000, np.random.default_rng(3))
    followed = decode_prefixes(made, counts, LETTERS)
    assert (followed.rows, followed.other_share) == ((), 1)
    assert followed.n_candidates < 20 * 703, "a few beginnings that nobody has are followed, and lead to nothing"
    decoded = decode_prefixes(made, counts, "ab")
    assert (decoded.rows, decoded.n_candidates, decoded.explained_mass, decoded.other_share) == ((), 0, 0, 1)
    assert decoded.warnings[0] == "no beginning of 2 characters stands out from the noise."
    assert decoded.warnings[1].startswith("no string that beginnings lead to was found")
    assert 0.9 < decoded.fit.ratio < 1.1


def test_what_has_no_beginnings_or_no_reports_is_refused() -> None:
    whole, cut = sketch_of("2", 3, 4, 8), sketch_of("2", 3, 4, 8, (2, 4))
    nothing = np.zeros(cut.counts_shape, np.int64)
    with pytest.raises(DomainError, match="the question has no `unknown = true` in the survey file"):
        decode_prefixes(whole, nothing, LETTERS)
    with pytest.raises(SourceError, match="no reports"):
        decode_prefixes(cut, nothing, LETTERS)
    for alphabet in ("", "a\0", "".join(map(chr, range(0x4E00, 0x5A00)))):
        with pytest.raises(DomainError, match=r"alphabet \("):
            decode_prefixes(cut, nothing, alphabet)


WORD = {
    "id": "word",
    "type": "text",
    "text": "Which?",
    "epsilon": Decimal(6),
    "mechanism": "sketch",
    "unknown": True,
    "prefix_lengths": [1, 3],
    "n_cohorts": 20,
}
OTHER = {"id": "other", "type": "yes-no", "text": "?", "epsilon": Decimal(1)}
SURVEY = compile_survey({"id": "words", "title": "Words", "questions": [WORD]})
DRAWN = compile_survey({"id": "words", "title": "Words", "draw": 1, "questions": [WORD, OTHER]})


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize("survey", [SURVEY, DRAWN], ids=["all", "drawn"])
def test_unknown_strings_are_found_from_tallies_and_from_packed_reports_alike(survey: Survey, tmp_path: Path) -> None:
    answers = {"word": 6000 * ["cat"] + 3000 * ["ab"], "other": np.zeros(9000, int)}
    records = survey.perturb({question.id: answers[question.id] for question in survey.questions}, _coins(4))
    save_records(survey, records, tmp_path / "records")
    (tmp_path / "tally.json").write_bytes(Tally.of(survey, records[:5000]).to_json())
    (tmp_path / "more.json").write_bytes(Tally.of(survey, records[5000:]).to_json())
    options = ("--unknown", "--alphabet", "abct", "--json")
    of_records = sotto("decode", tmp_path / "records", "word", *options)
    of_tallies = sotto("decode", tmp_path / "tally.json", tmp_path / "more.json", "word", *options)
    assert of_records.exit_code == 0, of_records.stderr
    assert of_records.stdout == of_tallies.stdout
    document = json.loads(of_records.stdout)
    assert [row["string"] for row in document["strings"]] == ["cat", "ab"]
    assert document["n_reports"] < 6000
    table = sotto("decode", tmp_path / "records", "word", *options[:-1]).stdout
    assert "strings that beginnings lead to: false discovery rate at most 0.0005" in table
