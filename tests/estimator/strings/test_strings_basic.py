"""Basic RAPPOR, whose values have bits of their own in every cohort: no hash, so no strings that set bits at random."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rappor_cases import collect, zipf
from sotto_estimator.commands.decode import decode as decode_command
from sotto_estimator.errors import DomainError
from sotto_estimator.strings.candidates import CandidateMap
from sotto_estimator.strings.columns import is_hash
from sotto_estimator.strings.counts import BitCounts, BitRates
from sotto_estimator.strings.decode import Decoded, DecodeOptions, decode
from sotto_protocol.mechanisms.bloom.hash import BloomDesign

N_REPORTS = 1_000_000
N_VALUES = 32
RATES = BitRates.from_rappor(0.5, 0.25, 0.75)
SHARES = zipf(N_VALUES, 1.0)


def one_hot(n_cohorts: int, n_listed: int = N_VALUES) -> CandidateMap:
    numbers = np.tile(np.arange(n_listed, dtype=np.uint16)[:, None, None], (1, n_cohorts, 1))
    names = [f"value {number}" for number in range(n_listed)]
    return CandidateMap.given(names, BloomDesign(N_VALUES, 1, n_cohorts), numbers)


def draw(n_cohorts: int, seed: int) -> BitCounts:
    return collect(one_hot(n_cohorts), SHARES, N_REPORTS, RATES, np.random.default_rng([31, n_cohorts, seed]))


def errors_of(decoded: Decoded) -> dict[str, float]:
    return {row.string: row.share - SHARES[int(row.string.split()[1])] for row in decoded.rows}


@pytest.mark.thorough
@pytest.mark.parametrize("n_cohorts", [1, 8])
def test_shares_of_values_are_unbiased_covered_and_leave_nothing_to_others(n_cohorts: int) -> None:
    """120 collections; the tolerances are three standard errors, and the seeds are fixed."""
    errors, covered, left = [], [], []
    for seed in range(120):
        decoded = decode(draw(n_cohorts, seed), RATES, one_hot(n_cohorts))
        errors.append(errors_of(decoded))
        covered += [row.low <= SHARES[int(row.string.split()[1])] <= row.high for row in decoded.rows]
        left.append(decoded.other_share)
        assert not decoded.hashed
        assert len(decoded.rows) >= 30
        assert decoded.other_standard_error is not None
        assert decoded.other_share <= 4 * decoded.other_standard_error
        assert not any("cannot be told" in text and "fits" not in text for text in decoded.warnings)
    for value in ("value 0", "value 5", "value 20"):
        found = [row[value] for row in errors if value in row]
        assert abs(np.mean(found)) < 3 * np.std(found) / len(found) ** 0.5 + 2e-4
    assert np.mean(covered) >= 0.95 - 2 * (0.05 * 0.95 / len(covered)) ** 0.5
    assert np.mean(left) < 0.01


def test_a_value_that_is_not_listed_takes_nothing_from_those_that_are() -> None:
    n_cohorts, n_listed = 8, 31
    shares = np.append(np.full(n_listed, 0.7 / n_listed), 0.3)
    counts = collect(one_hot(n_cohorts), shares, N_REPORTS, RATES, np.random.default_rng(32))
    decoded = decode(counts, RATES, one_hot(n_cohorts, n_listed))
    assert len(decoded.rows) == n_listed
    for row in decoded.rows:
        assert row.share == pytest.approx(shares[0], abs=5 * row.standard_error)
    assert decoded.other_share == pytest.approx(0.3, abs=0.05)


def test_fakes_shift_a_value_as_they_shift_an_option() -> None:
    a, b = RATES.if_true, RATES.if_other
    for row in decode(draw(8, 0), RATES, one_hot(8)).rows[:5]:
        assert row.shift_up == pytest.approx(0.01 * ((1 - b) / (a - b) - row.share), abs=1e-5)
        assert row.shift_down == pytest.approx(0.01 * (-b / (a - b) - row.share), abs=1e-5)


def test_other_rates_than_the_devices_are_said() -> None:
    counts = draw(8, 0)
    assert decode(counts, RATES, one_hot(8)).warnings == ()
    for rates, word in (
        (BitRates.from_rappor(0.5, 0.24, 0.75), "more"),
        (BitRates.from_rappor(0.5, 0.26, 0.75), "less"),
    ):
        said = " ".join(decode(counts, rates, one_hot(8)).warnings)
        assert f"bits are set {word} often than strings can explain" in said
    partial = " ".join(decode(counts, RATES, one_hot(8, 20)).warnings)
    assert "often than strings can explain" not in partial  # those that are not listed set the rest


@pytest.mark.parametrize("method", ["normal", "chernoff"])
def test_counts_without_noise_are_decoded_to_the_truth(method: str) -> None:
    size = 2**20
    counts = BitCounts(np.full(4, size), np.tile(np.arange(32) // 16 * size // 16, (4, 1)))
    decoded = decode(counts, BitRates(1.0, 0.0), one_hot(4), DecodeOptions(method=method))
    assert [row.share for row in decoded.rows] == pytest.approx([1 / 16] * 16, abs=1e-12)
    assert decoded.other_share == pytest.approx(0, abs=1e-12)


def test_too_many_candidates_of_a_map_that_is_no_hash_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_estimator.strings.models._MAX_FULL_ENTRIES", 32 * 32 * 8 - 1)
    with pytest.raises(DomainError, match=r"candidates times cells \(8,192\) must be at most 8,191"):
        decode(draw(8, 0), RATES, one_hot(8))


def test_maps_that_a_hash_may_have_made_are_told_from_others() -> None:
    for design in (BloomDesign(32, 1, 8), BloomDesign(8, 2, 2), BloomDesign(2, 1, 4), BloomDesign(64, 1, 1)):
        assert is_hash(CandidateMap.of([f"s{number}" for number in range(20)], design))
        assert is_hash(CandidateMap.of(["s"], design))
    assert not is_hash(one_hot(8))
    assert not is_hash(one_hot(1))
    assert not is_hash(one_hot(8, 20))
    assert is_hash(one_hot(1, 5))  # in one cohort five strings do not often collide in 32 bits
    generator = np.random.default_rng(33)
    permuted = np.stack([generator.permutation(N_VALUES) for _ in range(8)], axis=1)[:, :, None]
    assert not is_hash(CandidateMap.given(one_hot(8).strings, BloomDesign(N_VALUES, 1, 8), permuted))


def test_candidates_that_nearly_set_every_bit_alike_are_said_to_be_hard_to_tell_from_others() -> None:
    """One bit of one cohort is another's: no longer basic RAPPOR, for all that can be seen."""
    plain = one_hot(8)
    bits = plain.bits(0, N_VALUES).copy()
    bits[3, 2] = 7
    nearly = CandidateMap.given(plain.strings, plain.design, bits)
    counts = collect(nearly, SHARES, N_REPORTS, RATES, np.random.default_rng(34))
    decoded = decode(counts, RATES, nearly)
    assert decoded.hashed
    assert any(
        "variance of shares 5.5" in text and "nearly every bit equally often" in text for text in decoded.warnings
    )
    assert (
        max(
            abs(error) / row.standard_error
            for row, error in zip(decoded.rows, errors_of(decoded).values(), strict=True)
        )
        < 4
    )


def test_candidates_that_set_every_bit_alike_are_said_not_to_be_told_from_others() -> None:
    """Every value has two strings, of different bits in half of the cohorts."""
    plain = one_hot(8)
    bits = plain.bits(0, N_VALUES)
    shifted = (bits + np.arange(8, dtype=np.uint16)[:, None]) % N_VALUES
    names = (*plain.strings, *(f"other {text}" for text in plain.strings))
    doubled = CandidateMap.given(names, plain.design, np.concatenate([bits, shifted]))
    decoded = decode(draw(8, 0), RATES, doubled)
    assert any("every bit equally often" in text and "Shares may be too low" in text for text in decoded.warnings)


@pytest.mark.parametrize("n_hashes", [1, 2])
@pytest.mark.parametrize(("n_bits", "n_candidates"), [(8, 8), (8, 60), (16, 100), (64, 20)])
def test_hashed_candidates_are_not_confounded_with_others(n_bits: int, n_candidates: int, n_hashes: int) -> None:
    design = BloomDesign(n_bits, n_hashes, 32)
    strings = CandidateMap.of([f"s{number}" for number in range(n_candidates)], design)
    counts = collect(strings, zipf(n_candidates), N_REPORTS, RATES, np.random.default_rng(35))
    decoded = decode(counts, RATES, strings)
    assert decoded.hashed
    assert not any("alike" in text for text in decoded.warnings)


def test_googles_files_of_basic_rappor_are_decoded_without_a_share_for_others(tmp_path: Path) -> None:
    n_cohorts = 8
    counts = draw(n_cohorts, 1)
    (tmp_path / "params.csv").write_text(f"k,h,m,p,q,f\n{N_VALUES},1,{n_cohorts},0.25,0.75,0.5\n")
    rows = np.column_stack([counts.n_reports, counts.bit_counts])
    (tmp_path / "counts.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows.tolist()))
    lines = [
        ",".join([f"value {number}", *(str(cohort * N_VALUES + number + 1) for cohort in range(n_cohorts))])
        for number in range(N_VALUES)
    ]
    (tmp_path / "map.csv").write_text("\n".join(lines) + "\n")
    source = [part for name in ("params", "counts", "map") for part in (f"--{name}", str(tmp_path / f"{name}.csv"))]
    result = CliRunner().invoke(decode_command, [*source, "--json"])
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert (document["hashed"], document["warnings"], document["n_detected"]) == (False, [], 32)
    assert document["other_share"] <= 0.03
    shown = CliRunner().invoke(decode_command, source).stdout
    assert "; the map is no hash: strings on no list set no bits at random" in shown
