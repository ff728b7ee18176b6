"""Sketches are decoded: against listed points, exact expectations, and crowds whose shares are known."""

import json
import os
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from sketch_crowds import channel_of, collect_sketch, points, sketch_of, zipf
from sotto_client.cli import main
from sotto_estimator import DomainError, SourceError
from sotto_estimator.strings.decode import DecodeOptions
from sotto_estimator.strings.peeling import StringFit, peel
from sotto_estimator.strings.question import decode_tally
from sotto_estimator.strings.sketch import decode_sketch
from sotto_estimator.strings.sketch_counts import SketchCounts
from sotto_protocol import Coins, Tally, compile_survey
from sotto_protocol.mechanisms.sketch.design import sketch as sketch_design
from sotto_protocol.mechanisms.sketch.hash import bucket, buckets, string_number, string_numbers
from sotto_protocol.mechanisms.sketch.response import SketchResponse

FULL = bool(os.environ.get("SOTTO_TEST_FULL"))
WORDS = [f"word {number}" for number in range(1000)]


def shares_of_all(counts: SketchCounts, texts: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64], StringFit]:
    """Return the shares of all candidates, found or not, their sums, and the fit of those that were found."""
    numbers = string_numbers(texts)
    peeled = peel(counts, numbers, 0.05, "fdr")
    shares = peeled.fit.estimate(peeled.fit.left.sums(numbers))
    shares[peeled.found] += peeled.fit.shares
    return shares, peeled.sums, peeled.fit


def test_the_table_is_that_of_listed_points() -> None:
    sketch = sketch_of("1.5", 3, 3, 4)
    reports = np.random.default_rng(1).integers(0, 40, (4, 13))
    reports[2] = 0
    counts = SketchCounts.of(sketch, np.column_stack([reports.sum(1), reports]))
    true = sketch.threshold_if_true / 2**32
    other = true / 4 + (1 - true) * 3 / 9  # of the 4 points that support one, 1 supports another; of the 9 others, 3
    space = points(3, 3)
    assert (counts.cohorts, counts.n_silent) == ((0, 1, 3), 1)
    for row, cohort in enumerate(counts.cohorts):
        for value in range(13):
            support = sum(int(reports[cohort, sent]) for sent in range(13) if not space[sent] @ space[value] % 3)
            part = support / reports[cohort].sum()
            share = (part - other) / (true - other) - 1 / 13
            assert counts.table[row, value] == pytest.approx(share * reports[cohort].sum() / reports.sum())
    [total] = counts.sums(string_numbers(["pear"])).tolist()
    at = [bucket(string_number(b"pear"), cohort, 13) for cohort in counts.cohorts]
    assert total == pytest.approx(sum(counts.table[row, place] for row, place in enumerate(at)))


def expected_counts(sketch: SketchResponse, parts: dict[str, float], per_cohort: int) -> NDArray[np.int64]:
    """Return counts without a deviation but rounding."""
    channel, rows = channel_of(sketch), []
    for cohort in range(sketch.n_cohorts):
        placed = np.bincount(buckets(string_numbers([*parts]), cohort, sketch.n_values), [*parts.values()], 13)
        sent = np.rint(per_cohort * (channel @ placed)).astype(np.int64)
        rows.append([sent.sum(), *sent])
    return np.array(rows)


def test_strings_are_found_in_thousands_of_buckets() -> None:
    """At epsilon 8, by 20,000 devices: four strings with intervals that hold, and none of 996 that nobody has."""
    made, n = sketch_design(Decimal(8)), 20_000
    shares = {"word 1": 0.4, "word 2": 0.05, "word 3": 0.02, "word 4": 0.01}
    answers = [text for text, share in shares.items() for _ in range(int(n * share))]
    answers += [f"nobody else's {number}" for number in range(n - len(answers))]
    counts = made.count_support(made.perturb(answers, Coins(np.random.default_rng(8).bytes)))
    decoded = decode_sketch(made, counts, WORDS, DecodeOptions(method="chernoff"))
    assert (made.dimension, [row.string for row in decoded.rows]) == (2, [*shares])
    for row in decoded.rows:
        assert row.low <= shares[row.string] <= row.high
        assert row.high - row.low < 0.06


def test_strings_that_collide_are_told_apart_once_they_are_found() -> None:
    parts = {"pear": 0.4, "apple": 0.3, "fig": 0.2, "plum": 0.1}
    sketch = sketch_of("4", 3, 3, 12)
    counts = expected_counts(sketch, parts, 10**9)
    used = SketchCounts.of(sketch, counts)
    numbers = string_numbers([*parts, "quince"])
    alone = used.sums(numbers) / (1 - 1 / 13)
    fit = StringFit.of(used, used.buckets(numbers[:4]))
    assert np.abs(alone - [*parts.values(), 0]).max() > 0.02  # 12 cohorts of 13 buckets: chance collides
    assert fit.shares == pytest.approx([*parts.values()], abs=1e-6)
    assert fit.estimate(fit.left.sums(numbers)) == pytest.approx(0, abs=1e-6)


@pytest.mark.rare
def test_the_sum_of_squared_shares_is_estimated_without_bias() -> None:
    sketch = sketch_of("3", 3, 3, 8)
    found, errors = [], []
    for seed in range(400):
        parts = {f"{seed} {letter}": share for letter, share in zip("abc", (0.4, 0.2, 0.1), strict=True)}
        counts = collect_sketch(sketch, parts, 400, np.random.default_rng(seed))
        estimate, error = SketchCounts.of(sketch, counts).second_moment()
        found.append(estimate)
        errors.append(error)
    spread = np.std(found) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(0.16 + 0.04 + 0.01, abs=5 * spread)
    assert spread < 0.02
    nobody = [
        SketchCounts.of(sketch, collect_sketch(sketch, {}, 400, np.random.default_rng(seed))).second_moment()[0]
        for seed in range(400)
    ]
    assert np.std(nobody) == pytest.approx(np.mean(errors), rel=0.15)


def test_one_report_a_cohort_leaves_the_sum_of_squares_at_most_one() -> None:
    sketch = sketch_of("1", 3, 3, 4)
    counts = sketch.count_support(sketch.perturb(["fig"], _coins(1)))
    used = SketchCounts.of(sketch, counts)
    assert used.second_moment() == (0.0, np.inf)
    assert StringFit.of(used, used.buckets(string_numbers([]))).unlisted == 1
    decoded = decode_sketch(sketch, counts, ["fig", "pear"], keep_all=True)
    assert (decoded.rows, decoded.other_standard_error) == ((), None)
    assert decoded.undetected is not None
    assert {row.high for row in decoded.undetected} == {1.0}


def _coins(seed: int) -> Coins:
    return Coins(np.random.default_rng(seed).bytes)


# An atom of 35 %, which is a candidate or is on no list, and 200 candidates whom nobody has. The number of people, and
# of cohorts, is such that collisions with the atom are as large as the noise, or larger.
CROWDS = [("1", 3, 6, 512, 10**6), ("2", 7, 4, 512, 10**6), ("4", 31, 3, 238, 10**6), ("4", 31, 3, 32, 10**5)]
N_SEEDS = 40 if FULL else 2


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("crowd", "is_listed"),
    [
        *((CROWDS[at], at % 2 == 0) for at in (0, 1, 3)),
        *(pytest.param(CROWDS[at], at % 2 == 1, marks=pytest.mark.rare) for at in (0, 1, 3)),
        *(pytest.param(CROWDS[2], is_listed, marks=pytest.mark.rare) for is_listed in (True, False)),
    ],
)
def test_intervals_cover_the_shares_of_all_candidates_and_few_of_those_found_are_false(
    crowd: tuple[str, int, int, int, int], is_listed: bool
) -> None:
    """At .95 of 1,000 candidates a run, 2 runs: an expected coverage of .95 falls below .935 once in 1,000 times."""
    epsilon, field, dimension, n_cohorts, n_reports = crowd
    sketch = sketch_of(epsilon, field, dimension, n_cohorts)
    covered, false, n_found = [], 0, 0
    for seed in range(N_SEEDS):
        texts = [f"{seed} {word}" for word in WORDS]
        shares = np.concatenate([[0.35], 0.65 * zipf(799), np.zeros(200)])
        counts = collect_sketch(
            sketch, dict(zip(texts, shares.tolist(), strict=True)), n_reports, np.random.default_rng(seed)
        )
        start = 0 if is_listed else 1
        used = SketchCounts.of(sketch, counts)
        estimates, sums, fit = shares_of_all(used, texts[start:])
        for chernoff in (False, True):
            low, high = fit.bounds(estimates, sums, 0.05, chernoff=chernoff)
            covered.append((low <= shares[start:]) & (shares[start:] <= high))
        rows = decode_sketch(sketch, counts, texts[start:]).rows
        n_found += len(rows)
        false += sum(shares[texts.index(row.string)] == 0 for row in rows)
        if is_listed:
            assert rows[0].string == texts[0]
    assert np.mean(covered[::2]) >= (0.945 if FULL else 0.935)
    assert np.mean(covered[1::2]) >= 0.99
    assert false <= 0.05 * n_found + 3 * np.sqrt(0.05 * n_found)


def test_widths_are_those_of_the_noise_where_hardly_anything_collides() -> None:
    sketch, n = sketch_of("2", 7, 4, 512), 200_000
    shares = zipf(100)
    counts = collect_sketch(sketch, dict(zip(WORDS, shares.tolist(), strict=False)), n, np.random.default_rng(1))
    _, sums, fit = shares_of_all(SketchCounts.of(sketch, counts), WORDS[:100])
    assert np.sqrt(fit.noise(sums))[50:] == pytest.approx(np.sqrt(sketch.share_variance / n), rel=0.02)
    half = fit.half_widths(sums, 1.96)[50:]
    assert half.max() < 1.1 * 1.96 * np.sqrt(sketch.share_variance / n)


def test_people_are_counted_as_devices_report_them() -> None:
    """Through the mechanism itself: cohorts drawn, strings brought to normal form."""
    sketch = sketch_of("4", 3, 4, 16)
    answers = 3000 * ["e\u0301clair"] + 1500 * ["pear"] + 500 * ["fig"]
    counts = sketch.count_support(sketch.perturb(answers, _coins(2)))
    decoded = decode_sketch(sketch, counts, ["plum", "fig", "pear", "\u00e9clair"], keep_all=True)
    assert [row.string for row in decoded.rows] == ["\u00e9clair", "pear", "fig"]
    for row, share in zip(decoded.rows, (0.6, 0.3, 0.1), strict=True):
        assert row.low < share < row.high
        assert row.high - row.low == pytest.approx(2 * 1.96 * row.standard_error, rel=1e-3)
        assert row.error_if_fixed < row.standard_error
    assert decoded.undetected is not None
    [plum] = decoded.undetected
    assert (plum.string, plum.share is not None and plum.high is not None and plum.share <= plum.high) == ("plum", True)
    assert decoded.design == {"n_buckets": 40, "n_cohorts": 16}
    assert (decoded.n_reports, decoded.n_candidates, decoded.warnings) == (5000, 4, ())
    assert sum(row.share for row in decoded.rows) == pytest.approx(decoded.explained_mass)


def test_what_a_percent_of_fakes_adds_is_what_it_adds() -> None:
    sketch, text = sketch_of("2", 3, 4, 8), "pear"
    genuine = sketch.count_support(sketch.perturb(9900 * [text], _coins(3)))
    space, fakes = points(3, 4), {}
    for is_for in (True, False):
        added = genuine.copy()
        for cohort in range(8):
            at = bucket(string_number(text.encode()), cohort, sketch.n_values)
            supports = np.flatnonzero((space @ space[at] % 3 == 0) == is_for)
            size = int(genuine[cohort, 0])  # a hundredth of the cohort's reports, in 99ths: counts are integers
            added[cohort] = 99 * genuine[cohort]
            added[cohort, 1 + supports[0]] += size
            added[cohort, 0] += size
        fakes[is_for] = float(shares_of_all(SketchCounts.of(sketch, added), [text])[0][0])
    [row] = decode_sketch(sketch, genuine, [text]).rows
    alone = float(shares_of_all(SketchCounts.of(sketch, genuine), [text])[0][0])
    assert fakes[True] - alone == pytest.approx(row.shift_up, abs=1e-9)
    assert fakes[False] - alone == pytest.approx(row.shift_down, abs=1e-9)


def test_strings_in_the_same_buckets_are_told_and_not_reported() -> None:
    sketch = sketch_of("4", 3, 3, 1)
    at = buckets(string_numbers(WORDS), 0, 13)
    twins = [word for word, place in zip(WORDS, at.tolist(), strict=True) if place == at[0]][:2]
    single = next(word for word, place in zip(WORDS, at.tolist(), strict=True) if place != at[0])
    counts = sketch.count_support(sketch.perturb(5000 * [twins[0]] + 5000 * [single], _coins(4)))
    decoded = decode_sketch(sketch, counts, [*twins, single], keep_all=True)
    assert decoded.undetected is not None
    told = [row.string for row in decoded.undetected if row.high is not None]
    assert decoded.missed.n == len(told)
    assert {*decoded.missed.first} <= {*told}
    assert all(row.string == single for row in decoded.rows)
    assert f"{twins[0]!r}, {twins[1]!r} are in the same buckets in every cohort" in " ".join(decoded.warnings)
    assert decoded.undetected is not None
    assert {row.string for row in decoded.undetected if row.high is None} == set(twins)


def test_a_large_string_on_no_list_is_said_to_be_missing_and_widens_intervals() -> None:
    sketch = sketch_of("4", 3, 5, 64)
    parts = {"pear": 0.35, "apple": 0.3, "fig": 0.2, "plum": 0.1}
    counts = collect_sketch(sketch, parts, 10**6, np.random.default_rng(5))
    listed, missing = (decode_sketch(sketch, counts, [*parts][start:]) for start in (0, 1))
    assert listed.warnings == ()
    [said] = missing.warnings
    assert "as much as one string of 3" in said
    widths = [row.high - row.low for decoded in (listed, missing) for row in decoded.rows if row.string == "apple"]
    assert widths[1] > 2 * widths[0]


def test_cut_strings_are_decoded_from_the_cohorts_that_report_most_of_them() -> None:
    sketch = sketch_of("4", 3, 4, 16, (2, 4))
    answers = 6000 * ["banana"] + 3000 * ["fig"]
    counts = sketch.count_support(sketch.perturb(answers, _coins(6)))
    decoded = decode_sketch(sketch, counts, ["banana", "fig", "pear"])
    assert [row.string for row in decoded.rows] == ["banana", "fig"]
    assert decoded.n_reports == counts[1::2, 0].sum() < 6000
    assert decoded.design == {"n_buckets": 40, "n_cohorts": 8}
    assert (
        "(4 characters): 'banana'. Longer answers with the same beginning are counted with them." in decoded.warnings[0]
    )
    alike = decode_sketch(sketch, counts, ["banana", "banaba", "fig"])
    assert [row.string for row in alike.rows] == ["fig"]


def test_all_options_are_heeded() -> None:
    sketch = sketch_of("2", 3, 5, 64)
    shares = zipf(50)
    parts = dict(zip(WORDS, shares.tolist(), strict=False))
    counts = collect_sketch(sketch, parts, 50_000, np.random.default_rng(7))

    def rows(**changes: object) -> dict[str, float]:
        options = DecodeOptions(**changes)  # type: ignore[arg-type]
        return {row.string: row.high - row.low for row in decode_sketch(sketch, counts, WORDS[:200], options).rows}

    usual, largest = rows(), WORDS[0]
    assert len(usual) > 3
    assert set(rows(correction="bonferroni")) < set(usual)
    assert set(rows(fdr=1e-9)) < set(usual)
    for wider in ({"method": "chernoff"}, {"level": 0.999}, {"simultaneous": True}):
        assert rows(**wider)[largest] > usual[largest]


def test_what_cannot_be_decoded_is_refused() -> None:
    sketch = sketch_of("1", 3, 3, 4)
    nothing = np.zeros(sketch.counts_shape, np.int64)
    with pytest.raises(SourceError, match="no reports"):
        decode_sketch(sketch, nothing, ["fig"])
    with pytest.raises(DomainError, match="must differ"):
        decode_sketch(sketch, nothing, ["fig", "fig"])


@pytest.mark.thorough
def test_nobody_is_found_where_nobody_is() -> None:
    sketch = sketch_of("2", 3, 5, 64)
    n_found = [
        len(decode_sketch(sketch, collect_sketch(sketch, {}, 20_000, np.random.default_rng(seed)), WORDS).rows)
        for seed in range(40)
    ]
    assert sum(number > 0 for number in n_found) <= 9  # at .05: more with probability 1e-5


SURVEY = compile_survey(
    {
        "id": "fruit",
        "title": "Fruit",
        "questions": [
            {"id": "liked", "type": "text", "text": "Which?", "epsilon": Decimal(4), "mechanism": "sketch"},
            {"id": "paid", "type": "yes-no", "text": "Did you pay?", "epsilon": Decimal(1)},
        ],
    }
)


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.thorough
def test_a_sketch_is_decoded_by_the_same_command(tmp_path: Path) -> None:
    records = SURVEY.perturb(
        {"liked": 6000 * ["pear"] + 3000 * ["fig, ripe"] + 1000 * ["plum"], "paid": 10_000 * [1]}, _coins(8)
    )
    tally = Tally.of(SURVEY, records)
    (tmp_path / "tally.json").write_bytes(tally.to_json())
    (tmp_path / "list.txt").write_text("plum\npear\nquince\nfig, ripe\n")
    command = ["decode", tmp_path / "tally.json", "liked", "--candidates", tmp_path / "list.txt"]
    document = json.loads(sotto(*command, "--json", "--all").stdout)
    assert [row["string"] for row in document["strings"]] == ["pear", "fig, ripe", "plum"]
    for row, share in zip(document["strings"], (0.6, 0.3, 0.1), strict=True):
        assert row["low"] < share < row["high"]
    assert [row["string"] for row in document["not_detected"]] == ["quince"]
    mechanism = SURVEY.questions[0].mechanism
    assert (document["n_cohorts"], 1 + document["n_buckets"]) == mechanism.counts_shape
    assert (document["n_reports"], document["epsilon"]) == (10_000, pytest.approx(4))
    table, csv = sotto(*command).stdout, sotto(*command, "--csv").stdout
    assert "detected 3 of 4 candidates" in table
    assert "fig, ripe" in table
    assert len(csv.splitlines()) == 4
    assert [row.string for row in decode_tally(tally, "liked", ["pear", "quince"]).rows] == ["pear"]


def test_the_error_of_other_strings_allows_for_the_choice_of_many() -> None:
    """300 strings of .002 each stand beside the threshold: those found are too large by a fifth all together."""
    sketch = sketch_of("4", 31, 3, 238)
    texts = WORDS[:400]
    for seed in range(1):
        counts = collect_sketch(sketch, dict.fromkeys(texts[:300], 0.002), 100_000, np.random.default_rng(seed))
        decoded = decode_sketch(sketch, counts, texts)
        true = 0.002 * sum(row.string in texts[:300] for row in decoded.rows)
        assert len(decoded.rows) > 100
        assert decoded.explained_mass > true + 0.05
        assert decoded.other_standard_error is not None
        assert decoded.explained_mass - true < 1.96 * decoded.other_standard_error < 0.5
