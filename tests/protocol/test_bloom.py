"""The hash of strings: its vectors, the same alone and in bulk, and what a design may be."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import reference_bloom
from published import typed
from sotto_protocol.mechanisms.bloom.hash import BloomDesign, bloom_bits, bloom_map, google_map

VECTORS_FILE = Path(__file__).parents[1] / "vectors" / "bloom.json"
VECTORS = json.loads(VECTORS_FILE.read_text())["vectors"]


def test_the_vectors_are_what_the_reference_writes() -> None:
    assert VECTORS_FILE.read_text() == reference_bloom.vectors_text()


@pytest.mark.parametrize("kind", ["sottovoce", "google"])
def test_the_package_hashes_as_the_vectors_say(kind: str) -> None:
    vectors = [vector for vector in VECTORS if vector["hash"] == kind]
    assert vectors
    for vector in vectors:
        assert bits_of(vector) == vector["bits"], vector


def bits_of(vector: dict[str, Any]) -> list[int]:
    design = BloomDesign(vector["n_bits"], vector["n_hashes"], vector["n_cohorts"])
    if vector["hash"] == "google":
        return google_map(design, [vector["text"].encode()])[0, vector["cohort"]].tolist()
    text = unicodedata.normalize("NFC", vector["text"]).encode()
    return list(bloom_bits(design, vector["cohort"], text, vector["position"]))


def test_both_normal_forms_are_one_string_and_google_s_hash_takes_them_for_two() -> None:
    composed, decomposed = ([v["bits"] for v in VECTORS if v["text"] == text] for text in ("caf\u00e9", "cafe\u0301"))
    n_google = 3
    assert composed[:-n_google] == decomposed[:-n_google]
    assert composed[-n_google:] != decomposed[-n_google:]


@given(
    st.integers(2, 4096),
    st.integers(1, 8),
    st.sampled_from([1, 2, 5, 8, 63]),
    st.lists(typed, min_size=1, max_size=4),
    st.integers(0, 16),
)
def test_the_map_is_every_string_s_bits_in_every_cohort(
    n_bits: int, n_hashes: int, n_cohorts: int, texts: list[str], position: int
) -> None:
    design = BloomDesign(n_bits, min(n_hashes, n_bits), n_cohorts)
    normal = [unicodedata.normalize("NFC", text).encode() for text in texts]
    expected = [
        [reference_bloom.bloom_bits(n_bits, design.n_hashes, cohort, text, position) for cohort in range(n_cohorts)]
        for text in texts
    ]
    assert bloom_map(design, normal, position).tolist() == expected
    alone = [[list(bloom_bits(design, cohort, text, position)) for cohort in range(n_cohorts)] for text in normal]
    assert alone == expected


def test_the_map_of_no_strings_is_empty() -> None:
    design = BloomDesign(16, 2, 3)
    assert bloom_map(design, []).shape == google_map(design, []).shape == (0, 3, 2)
    assert bloom_map(design, []).dtype == np.uint16


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ((1, 1, 1), r"n_bits \(1\) must be an integer in \[2, 4096\]"),
        ((4097, 1, 1), r"n_bits \(4097\)"),
        ((8, 0, 1), r"n_hashes \(0\) must be an integer in \[1, 8\]"),
        ((64, 9, 1), r"n_hashes \(9\) must be an integer in \[1, 8\]"),
        ((3, 4, 1), r"n_hashes \(4\) must be an integer in \[1, 3\]"),
        ((8, 2, 0), r"n_cohorts \(0\) must be an integer in \[1, 1024\]"),
        ((8, 2, 1025), r"n_cohorts \(1025\)"),
        ((8.0, 2, 1), r"n_bits \(8.0\)"),
        ((8, True, 1), r"n_hashes \(True\)"),
    ],
)
def test_a_design_outside_its_domain_is_refused(design: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BloomDesign(*design)
