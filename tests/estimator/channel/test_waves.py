"""Estimates of several waves: a device's reports are not independent, and intervals hold all the same."""

import dataclasses
import json
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from published import ONE_OF, YES_NO, survey_of
from sotto_estimator import Channel, DomainError, IntervalOptions, SourceError, confidence_interval, estimate_tally
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.strings.question import bit_counts
from sotto_protocol import Coins, Survey, Tally, hmac_bytes

CHANNEL = Channel(0.75, 0.25)
FOR_WAVES = [name for name, method in METHODS.items() if method.allows_waves]
NOT_FOR_WAVES = [name for name in METHODS if name not in FOR_WAVES]
HOME = {"type": "text", "mechanism": "rappor", "epsilon": Decimal(2), "n_bits": 16, "n_cohorts": 4}


def waves_of(*questions: dict[str, object], waves: int = 3) -> Survey:
    return dataclasses.replace(survey_of(*questions), waves=waves)


def tally_of(survey: Survey, n: int, n_yes: int, waves: tuple[int, ...]) -> Tally:
    return Tally(survey, dict.fromkeys(waves, n // len(waves)), {"q0": np.array([n_yes])})


@pytest.mark.parametrize("method", FOR_WAVES)
@pytest.mark.parametrize(("n_waves", "n_devices"), [(2, 7), (3, 20), (10, 60)])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
def test_intervals_hold_when_every_device_repeats_its_report(
    method: str, n_waves: int, n_devices: int, share: float
) -> None:
    """The worst case, by enumeration: the same noise in all waves, so the count is a multiple of a binomial one."""
    supported = np.arange(n_devices + 1)
    prob = binom.pmf(supported, n_devices, CHANNEL.reported_share(share))
    counts, n = supported * n_waves, n_devices * n_waves
    low, high = confidence_interval(counts, n, CHANNEL, method=method, n_waves=n_waves)
    assert prob[(low <= share) & (share <= high)].sum() >= 0.95
    low, high = confidence_interval(counts, n, CHANNEL, method=method, level=0.8)
    naive = prob[(low <= share) & (share <= high)].sum()
    assert share != 0.3 or n_waves < 10 or naive < 0.8, (
        "the same check finds intervals that take reports as independent"
    )


@pytest.mark.parametrize(
    "method", [pytest.param(of, marks=pytest.mark.thorough if of == "chernoff" else ()) for of in FOR_WAVES]
)
def test_intervals_hold_when_some_devices_miss_waves(method: str) -> None:
    """Enumerated: five devices answer both waves alike, four the first only, three the second only."""
    rate = CHANNEL.reported_share(0.3)
    covered = 0.0
    for both, first, second in product(range(6), range(5), range(4)):
        low, high = confidence_interval(2 * both + first + second, 17, CHANNEL, method=method, n_waves=2)
        if low <= 0.3 <= high:
            covered += binom.pmf(both, 5, rate) * binom.pmf(first, 4, rate) * binom.pmf(second, 3, rate)
    assert covered >= 0.95


def test_pooled_waves_widen_intervals_and_errors() -> None:
    survey = waves_of(YES_NO)
    one = estimate_tally(tally_of(survey, 900, 400, (2,))).rows[0]
    pooled = estimate_tally(tally_of(survey, 900, 400, (1, 2, 3))).rows[0]
    third = estimate_tally(tally_of(survey, 300, 133, (2,))).rows[0]
    assert one.share == pooled.share
    assert pooled.low < one.low < one.high < pooled.high
    assert pooled.standard_error == pytest.approx(one.standard_error * 3**0.5)
    assert pooled.high - pooled.low == pytest.approx(third.high - third.low, rel=0.01)


@pytest.mark.parametrize("method", NOT_FOR_WAVES)
def test_methods_that_need_independent_reports_are_refused(method: str) -> None:
    tally = tally_of(waves_of(YES_NO), 900, 400, (1, 3))
    with pytest.raises(DomainError, match=rf"method \('{method}'\) must be one of chernoff, hoeffding where 2 waves"):
        estimate_tally(tally, IntervalOptions(method=method))


def test_the_output_says_which_waves_are_counted() -> None:
    survey = waves_of(YES_NO)
    pooled = estimate_tally(tally_of(survey, 900, 400, (1, 3)))
    assert (
        "waves 1, 3 pooled: one device may have reported in several of them, and the intervals allow for that"
        in pooled.as_table()
    )
    assert "n by wave: wave 1 450, wave 3 450 reports" in pooled.as_table()
    assert json.loads(pooled.as_json())["n_by_wave"] == {"1": 450, "3": 450}
    assert '"waves": [\n    1,\n    3\n  ]' in pooled.as_json()
    assert pooled.as_csv().splitlines()[1].endswith(",1 3")
    assert "wave 2\n" in estimate_tally(tally_of(survey, 900, 400, (2,))).as_table()


def test_text_questions_are_left_to_the_decoder() -> None:
    survey = survey_of(ONE_OF, HOME)
    tally = Tally(survey, {}, Tally.empty(survey).support_counts)
    some = dataclasses.replace(
        tally,
        reports_by_wave={1: 1},
        support_counts={"q0": np.array([1, 0, 0]), "q1": np.eye(1, 68, dtype=np.int64).reshape(4, 17)},
    )
    estimates = estimate_tally(some)
    assert {row.question for row in estimates.rows} == {"q0"}
    assert "not shown: q1 (text; see `sotto decode`)" in estimates.as_table()
    assert '"text_questions": [\n    "q1"\n  ]' in estimates.as_json()


def test_decoding_knows_the_sizes_of_the_waves() -> None:
    survey = waves_of(HOME)
    coins = Coins(hmac_bytes(bytes(32), b"waves"))
    many, stray = (Tally.of(survey, survey.perturb({"q0": ["a"] * n}, coins, wave)) for n, wave in ((400, 1), (1, 2)))
    counts = bit_counts(many + stray, "q0")
    assert (counts.n_waves, counts.wave_sizes) == (2, (400, 1))
    assert (counts.n_devices > 0.95 * counts.n_reports).all()
    old = Tally(survey, {1: 0, 2: 0}, (many + stray).support_counts, n_unsplit=401)
    assert bit_counts(old, "q0").n_devices.tolist() == (counts.n_reports / 2).tolist()


def test_a_survey_of_text_questions_only_cannot_be_estimated() -> None:
    survey = survey_of(HOME)
    counts = {"q0": np.eye(1, 68, dtype=np.int64).reshape(4, 17)}
    with pytest.raises(SourceError, match=r"text questions only; their shares are decoded"):
        estimate_tally(Tally(survey, {1: 1}, counts))
