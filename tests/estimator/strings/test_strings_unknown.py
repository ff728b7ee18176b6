"""Strings that nobody listed are found from their n-grams; where there are none, none is."""

import os
from decimal import Decimal

import numpy as np
import pytest

from sotto_estimator import DomainError, SourceError
from sotto_estimator.strings.graph import join_grams
from sotto_estimator.strings.unknown import ALPHABET, decode_unknown, find_strings
from sotto_protocol import Coins
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.thresholds import Stages

FULL = bool(os.environ.get("SOTTO_TEST_FULL"))
WORDS = ("secret", "banana", "cat", "voce", "x-ray9")
SHARES = np.array([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]) / (137 / 60)


def mechanism(epsilon: int = 20, n_bits: int = 32, n_cohorts: int = 16) -> BloomResponse:
    return bloom(BloomShape(n_bits, 2, n_cohorts, 6, 2), Stages.of_epsilons(12, Decimal(epsilon)))


def random_strings(n_strings: int, generator: np.random.Generator) -> list[str]:
    letters = list("abcdefghijklmnopqrstuvwxyz")
    return ["".join(row) for row in generator.choice(letters, (n_strings, 6))]


def test_five_strings_of_zipf_shares_are_found_and_nothing_else() -> None:
    generator = np.random.default_rng(1)
    n_people = 200_000 if FULL else 40_000
    listed = generator.choice(WORDS, n_people, p=SHARES)
    others = np.array(random_strings(n_people, generator))
    answers = np.where(generator.random(n_people) < 0.2, others, listed)
    found = decode_unknown(mechanism(), mechanism().perturb(answers.tolist(), Coins(generator.bytes)))
    assert set(WORDS) <= set(found.found.strings)
    assert [row.string for row in found.decoded.rows] == list(WORDS)
    for row, share in zip(found.decoded.rows, SHARES * 0.8, strict=True):
        assert abs(row.share - share) < 6 * row.standard_error < 0.1
    assert found.found.warnings == ()


@pytest.mark.thorough
def test_where_everybody_answers_something_else_nothing_is_found() -> None:
    generator = np.random.default_rng(2)
    answers = random_strings(40_000, generator)
    found = decode_unknown(mechanism(), mechanism().perturb(answers, Coins(generator.bytes)))
    assert found.decoded.rows == ()


def test_a_longer_string_is_cut_and_not_confirmed() -> None:
    """Its n-grams are those of its first characters, which nobody answers."""
    generator = np.random.default_rng(3)
    answers = ["bananas and more"] * 20_000
    found = decode_unknown(mechanism(), mechanism().perturb(answers, Coins(generator.bytes)))
    assert found.found.strings == ("banana",)
    assert found.decoded.rows == ()
    said = " ".join(found.decoded.warnings)
    assert "the 6 characters (max_length) that devices cut n-grams from, and not confirmed" in said
    assert "by the bits of whole strings: 'banana'. Longer answers may begin like this; they cannot be found." in said
    assert "no string made of n-grams was found" in said
    assert "candidate" not in said


def test_a_confirmed_string_that_fills_the_length_hides_longer_ones_and_a_shorter_one_none() -> None:
    generator = np.random.default_rng(7)
    answers = 20_000 * ["banana"] + 20_000 * ["cat"]
    found = decode_unknown(mechanism(), mechanism().perturb(answers, Coins(generator.bytes)))
    assert {row.string for row in found.decoded.rows} == {"banana", "cat"}
    [said] = [text for text in found.decoded.warnings if "max_length" in text]
    assert said.endswith("cut n-grams from: 'banana'. Longer answers with the same beginning cannot be found.")
    assert "not confirmed" not in said


def test_no_n_gram_leaves_a_result_without_strings_that_pretends_to_nothing() -> None:
    generator = np.random.default_rng(8)
    reports = mechanism().perturb(random_strings(2000, generator), Coins(generator.bytes))
    decoded = decode_unknown(mechanism(), reports, "é").decoded
    assert (decoded.rows, decoded.n_candidates, decoded.n_reports, decoded.origin) == ((), 0, 2000, "n-grams")
    assert (decoded.explained_mass, decoded.other_share, decoded.other_standard_error) == (0, 1, None)
    assert decoded.warnings[0] == "no string was found from n-grams."
    assert "no n-gram stands out from the noise at position 1" in decoded.warnings[1]
    assert decoded.fit.degrees == 32 * 16 - 1
    assert 0.8 < decoded.fit.ratio < 1.3  # random strings are what is left to the fit


def test_characters_outside_the_alphabet_need_one_that_has_them() -> None:
    generator = np.random.default_rng(4)
    reports = mechanism().perturb(["ñandú"] * 20_000, Coins(generator.bytes))
    assert find_strings(mechanism(), reports).strings == ()
    assert find_strings(mechanism(), reports, "abcdnúñ").strings == ("ñandú",)


def test_a_position_without_an_n_gram_is_told() -> None:
    generator = np.random.default_rng(5)
    reports = mechanism().perturb(["éé" + "abcd"] * 20_000, Coins(generator.bytes))
    found = find_strings(mechanism(), reports)
    assert found.strings == ()
    assert found.grams == ((), ("ab",), ("cd",))
    assert "position 1" in found.warnings[0]


def test_what_has_no_n_grams_is_refused() -> None:
    coins = Coins(np.random.default_rng(6).bytes)
    whole = bloom(BloomShape(32, 2, 16), Stages.of_epsilons(4, Decimal(8)))
    reports = whole.perturb(["cat"], coins)
    with pytest.raises(DomainError, match="the question has no `unknown = true` in the survey file"):
        find_strings(whole, reports)
    with pytest.raises(SourceError, match="no reports"):
        find_strings(mechanism(), mechanism().perturb(["cat"], coins)[:0])
    some = mechanism().perturb(["cat"], coins)
    for alphabet in ("", "a\0", "".join(map(chr, range(0x4E00, 0x5000)))):
        with pytest.raises(DomainError, match=r"alphabet \("):
            find_strings(mechanism(), some, alphabet)
    assert find_strings(mechanism(), some, ALPHABET).strings == ()


GRAMS = (("se", "vo"), ("cr", "ce"), ("et", "\0\0"))


def edges(*joined: tuple[str, str, str, float]) -> dict[tuple[int, int], np.ndarray]:
    """Return the edges between all n-grams of some paths, each as heavy as its heaviest path."""
    table = {(i, j): np.zeros((2, 2)) for i, j in ((0, 1), (0, 2), (1, 2))}
    for *path, share in joined:
        nodes = [GRAMS[place].index(str(gram)) for place, gram in enumerate(path)]
        for i, j in table:
            table[i, j][nodes[i], nodes[j]] = max(share, table[i, j][nodes[i], nodes[j]])
    return table


def test_a_string_has_edges_between_all_its_n_grams() -> None:
    both = edges(("se", "cr", "et", 0.2), ("vo", "ce", "\0\0", 0.4))
    assert join_grams(GRAMS, both, 10) == (("voce", "secret"), False)
    both[0, 2][0, 0] = 0  # a triangle needs three sides
    assert join_grams(GRAMS, both, 10) == (("voce",), False)


def test_nothing_but_padding_follows_padding() -> None:
    grams = (("a\0", "\0\0"), ("b\0", "\0\0"))
    assert join_grams(grams, {(0, 1): np.ones((2, 2))}, 10) == (("a",), False)


def test_a_search_that_is_cut_follows_the_heaviest_and_says_so() -> None:
    both = edges(("se", "cr", "et", 0.2), ("vo", "ce", "\0\0", 0.4))
    assert join_grams(GRAMS, both, 1) == (("voce",), True)
