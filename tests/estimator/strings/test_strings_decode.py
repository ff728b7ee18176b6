"""Decoding: the three cases of google/rappor, what is said, and simulated collections whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from rappor_cases import CASES, Setting, bits_set, collect, read_case, score
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import Decoded, DecodeOptions, decode
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

RATES = BitRates.from_rappor(0.5, 0.25, 0.75)
SMALL = Setting(1_000_000, BloomDesign(16, 2, 32), RATES, n_extra=60, n_true=40, n_missing=4)


@pytest.mark.parametrize("name", CASES)
def test_googles_cases_are_decoded_better_than_by_r(name: str) -> None:
    case = read_case(name)
    decoded = decode(case.counts, case.rates, CandidateMap.of(case.candidates, case.design, "google"))
    ours = score(decoded, case.truth)
    assert ours.total_variation < case.r["tv"]
    assert ours.false_positives <= case.r["fp"]
    assert ours.covered >= 0.90
    assert ours.true_positives >= 0.8 * case.r["tp"]  # R's selection has no rate to keep


def test_counts_without_noise_are_decoded_to_the_truth() -> None:
    design, size = BloomDesign(8, 2, 16), 2**24
    strings = CandidateMap.of([f"s{number}" for number in range(30)], design)
    shares = {f"s{number}": part / 16 for number, part in enumerate((8, 4, 2, 1, 1))}
    set_by = np.einsum("s,scb->cb", [shares.get(text, 0) for text in strings.strings], bits_set(strings))
    counts = BitCounts(np.full(16, size), np.round(size * (0.25 + 0.5 * set_by)).astype(np.int64))
    decoded = decode(counts, BitRates(0.75, 0.25), strings)
    assert {row.string: row.share for row in decoded.rows} == pytest.approx(shares, abs=1e-9)
    assert decoded.explained_mass == pytest.approx(1, abs=1e-9)
    [warning] = decoded.warnings
    assert warning.startswith("there are only 128 cells")


def three_strings() -> tuple[BitCounts, CandidateMap]:
    """Return counts of 3 strings, 14 in 16 devices', and of others, hashed as at random."""
    design, size = BloomDesign(8, 2, 16), 2**26
    strings = CandidateMap.of([f"s{number}" for number in range(3)], design)
    set_by = np.einsum("s,scb->cb", [8 / 16, 4 / 16, 2 / 16], bits_set(strings)) + 2 / 16 * (1 - (7 / 8) ** 2)
    return BitCounts(np.full(16, size), np.random.default_rng(28).binomial(size, 0.25 + 0.5 * set_by)), strings


def test_fakes_shift_a_string_by_no_more_than_is_said_and_by_that_if_they_set_the_worst_bits() -> None:
    """What each bit of each cohort does to a share is measured by setting it in a few more reports."""
    counts, strings = three_strings()
    rows = {row.string: row for row in decode(counts, BitRates(0.75, 0.25), strings).rows}
    step = 2**10  # of 2**26 reports: a quarter of a standard deviation, no outlier
    slopes: dict[str, list[float]] = {text: [] for text in rows}
    for cohort, bit in np.ndindex(counts.bit_counts.shape):
        more = counts.bit_counts.copy()
        more[cohort, bit] += step
        moved = decode(BitCounts(counts.n_reports, more), BitRates(0.75, 0.25), strings).rows
        for row in moved:
            slopes[row.string].append((row.share - rows[row.string].share) / step * 2**26)
    for text, row in rows.items():
        gained = sum(slope for slope in slopes[text] if slope > 0)
        lost = sum(slope for slope in slopes[text] if slope < 0)
        assert row.shift_up == pytest.approx(0.01 * (gained - row.share), rel=0.01)
        assert row.shift_down == pytest.approx(0.01 * (lost - row.share), rel=0.01)
        assert row.shift_up > 0.01 * (1 / 0.5 - row.share) * (1 - 1e-9)  # of fakes that set the string's bits only


def test_fakes_that_speak_for_a_string_shift_it_as_an_option_s_do() -> None:
    """1 % of all reports: the string's bits set, the others as honest noise sets them."""
    counts, strings = three_strings()
    before = {row.string: row for row in decode(counts, BitRates(0.75, 0.25), strings).rows}["s1"]
    n_fakes = counts.n_reports // 99
    fakes = n_fakes[:, None] * np.where(bits_set(strings)[1] > 0, 1, 0.25)
    poisoned = BitCounts(counts.n_reports + n_fakes, counts.bit_counts + np.round(fakes).astype(np.int64))
    after = {row.string: row for row in decode(poisoned, BitRates(0.75, 0.25), strings).rows}["s1"]
    assert after.share - before.share == pytest.approx(0.01 * (0.75 / 0.5 - before.share), rel=0.02)
    assert after.share - before.share < before.shift_up


def check_consistent(decoded: Decoded) -> None:
    for row in decoded.rows:
        assert 0 <= row.low <= row.share <= row.high <= 1
        assert row.standard_error >= row.error_if_fixed > 0
    assert [row.share for row in decoded.rows] == sorted((row.share for row in decoded.rows), reverse=True)
    assert decoded.explained_mass == pytest.approx(sum(row.share for row in decoded.rows))
    assert decoded.other_share == pytest.approx(1 - decoded.explained_mass)


def test_options_nest() -> None:
    counts, candidates, _ = SMALL.draw(1)
    plain = decode(counts, RATES, candidates)
    strict = decode(counts, RATES, candidates, DecodeOptions(correction="bonferroni"))
    together = decode(counts, RATES, candidates, DecodeOptions(simultaneous=True))
    chernoff = decode(counts, RATES, candidates, DecodeOptions(method="chernoff"))
    for decoded in (plain, strict, together, chernoff):
        check_consistent(decoded)
    assert plain.rows
    assert {row.string for row in strict.rows} < {row.string for row in plain.rows}
    for row, wide, widest in zip(plain.rows, together.rows, chernoff.rows, strict=True):
        assert wide.low <= row.low <= row.high <= wide.high
        assert widest.low <= row.low <= row.high <= widest.high


def test_the_same_counts_give_the_same_answer_in_any_order_of_candidates() -> None:
    counts, candidates, _ = SMALL.draw(2)
    forward = decode(counts, RATES, candidates)
    backward = decode(counts, RATES, CandidateMap.of(candidates.strings[::-1], candidates.design))
    assert forward == decode(counts, RATES, candidates)
    for row, other in zip(forward.rows, backward.rows, strict=True):
        assert row.string == other.string
        assert row.share == pytest.approx(other.share, abs=1e-6)


def test_pooled_waves_widen_intervals() -> None:
    counts, candidates, _ = SMALL.draw(3)
    once = decode(counts, RATES, candidates)
    pooled = decode(BitCounts(counts.n_reports, counts.bit_counts, 9), RATES, candidates)
    errors = {row.string: row.error_if_fixed for row in once.rows}
    assert pooled.rows
    assert pooled.n_waves == 9
    assert all(row.error_if_fixed > 1.1 * errors[row.string] for row in pooled.rows if row.string in errors)


@pytest.mark.thorough
def test_where_no_candidate_is_true_nothing_is_found_and_it_is_said() -> None:
    """Bonferroni at 0.0001: ten collections find anything with probability 0.001 at most; the seeds are fixed."""
    setting = replace(SMALL, n_reports=100_000_000, n_extra=500, n_true=30, n_missing=30)
    for seed in range(10):
        counts, candidates, _ = setting.draw(seed)
        decoded = decode(counts, RATES, candidates, DecodeOptions(fdr=0.0001, correction="bonferroni"))
        assert decoded.rows == ()
        assert (decoded.other_share, decoded.other_standard_error) == (1, None)
        assert any("no candidate was found" in text for text in decoded.warnings)
        assert any("the model fits badly" in text for text in decoded.warnings)


def test_other_rates_than_the_devices_are_said() -> None:
    counts, candidates, _ = SMALL.draw(4)
    assert not any("parameters" in text and "often" in text for text in decode(counts, RATES, candidates).warnings)
    decoded = decode(counts, BitRates.from_rappor(0.5, 0.2, 0.75), candidates)
    assert any("set more often than strings can explain" in text for text in decoded.warnings)


def test_candidates_that_set_the_same_bits_are_named_and_not_reported() -> None:
    counts, candidates, truth = SMALL.draw(5)
    largest = max(candidates.strings, key=lambda text: truth.get(text, 0))
    bits = candidates.bits(0, len(candidates.strings))
    twin = bits[[candidates.strings.index(largest)]]
    doubled = CandidateMap.given((*candidates.strings, "twin"), candidates.design, np.concatenate([bits, twin]))
    assert decode(counts, RATES, candidates).rows[0].string == largest
    decoded = decode(counts, RATES, doubled)
    assert not {largest, "twin"} & {row.string for row in decoded.rows}
    assert f"{largest!r}, 'twin' set the same bits" in " ".join(decoded.warnings)


def test_candidates_that_others_make_up_are_named() -> None:
    """a + b - c = d, in every cohort."""
    bits = np.array([[0, 1, 1, 0], [1, 0, 2, 2], [0, 1, 2, 2], [1, 0, 1, 0]], np.uint16)[:, :, None]
    counts = BitCounts(np.full(4, 1000), np.tile([600, 500, 400, 400], (4, 1)))
    decoded = decode(counts, RATES, CandidateMap.given("abcd", BloomDesign(4, 1, 4), bits))
    assert any(text.startswith("reports cannot distinguish 'd' from combinations") for text in decoded.warnings)


@pytest.mark.parametrize("n_reports", [0, 1, 1000])
@pytest.mark.parametrize("ones", [0, 1])
@pytest.mark.parametrize("options", [DecodeOptions(), DecodeOptions(method="chernoff", simultaneous=True)])
def test_cohorts_without_reports_and_counts_of_0_or_all_give_numbers(
    n_reports: int, ones: int, options: DecodeOptions
) -> None:
    totals = np.array([n_reports, 1000, 0, 0])
    counts = BitCounts(totals, np.repeat(ones * totals[:, None], 8, axis=1))
    candidates = CandidateMap.of([f"s{number}" for number in range(5)], BloomDesign(8, 2, 4))
    decoded = decode(counts, RATES, candidates, options)
    check_consistent(decoded)
    assert np.isfinite([decoded.fit.chi_square, decoded.fit.p_value, decoded.other_standard_error or 0]).all()
    assert (decoded.other_standard_error is None) == (decoded.rows == ())
    assert any("cohorts have no reports" in text for text in decoded.warnings)


@pytest.mark.parametrize("n_bits", [2, 3, 8])
def test_cohorts_whose_bits_are_all_as_common_tell_nothing(n_bits: int) -> None:
    """With one hash nothing is left to vary: what rounding leaves of it is neither NaN nor evidence."""
    totals = np.full(16, 7)
    ones = np.random.default_rng(3).integers(0, 8, (16, 1))
    candidates = CandidateMap.of([f"s{number}" for number in range(5)], BloomDesign(n_bits, 1, 16))
    with np.errstate(invalid="raise"):
        decoded = decode(BitCounts(totals, np.repeat(ones, n_bits, axis=1)), RATES, candidates)
    assert decoded.rows == ()


@pytest.mark.parametrize("n_reports", [1, pytest.param(2, marks=pytest.mark.thorough), 3])
def test_one_report_or_a_few_detect_no_string(n_reports: int) -> None:
    """Each bit of a report is one of 256 that mean some candidate, if any: of 20 collections none finds a string."""
    design, rates = BloomDesign(256, 1, 64), BitRates(0.982, 0.018)
    for seed in range(20):
        generator = np.random.default_rng([n_reports, seed])
        absent = CandidateMap.of([f"absent-{seed}"], design)
        counts = collect(absent, np.ones(1), n_reports, rates, generator)
        assert decode(counts, rates, CandidateMap.of([f"{seed}-{number}" for number in range(20)], design)).rows == ()


def test_what_cannot_be_decoded_is_refused() -> None:
    candidates = CandidateMap.of(["a"], BloomDesign(8, 2, 4))
    with pytest.raises(SourceError, match="no reports"):
        decode(BitCounts(np.zeros(4, int), np.zeros((4, 8), int)), RATES, candidates)
    with pytest.raises(DomainError, match="hashed for 4 cohorts of 8 bits, the counts are of 4 cohorts of 16 bits"):
        decode(BitCounts(np.ones(4, int), np.zeros((4, 16), int)), RATES, candidates)
    for options in ({"level": 1.0}, {"fdr": 0.0}, {"method": "wald"}, {"correction": "none"}):
        with pytest.raises(DomainError, match=next(iter(options))):
            DecodeOptions(**options)
