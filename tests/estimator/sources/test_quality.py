"""Fake reports: those of a shape that honest devices hardly send are counted, and all move estimates as is said."""

import csv
import io
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st
from scipy import stats

from dear import DEAR
from published import ONE_OF, TEXT, WIDE, YES_NO, survey_of
from sotto_client.cli import main
from sotto_estimator import estimate_tally
from sotto_estimator.sources.quality import FALSE_ALARM, most_if_honest, qualities
from sotto_protocol import Coins, Survey, Tally
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes

DEVIATIONS = 5.5
"""A normal variable is farther from its mean with probability 4e-8."""
OPTIONS = [f"option {number}" for number in range(32)]
UNARY = {"type": "one-of", "options": OPTIONS, "mechanism": "oue", "epsilon": 1}
FLIPS = {"type": "any-of", "mechanism": "bit-flips", "options": OPTIONS, "max_selected": 2, "epsilon": 4}
STREETS = {"type": "text", "mechanism": "rappor", "n_bits": 64, "n_hashes": 2, "n_cohorts": 4, "epsilon": 3}
N_HONEST = 400_000


def coins(seed: int) -> Coins:
    return Coins(np.random.default_rng(seed).bytes)


def set_bits(reports: Bytes, values: list[int]) -> Bytes:
    """Return reports that support these values too: as heavy as an honest device's, and all for them."""
    changed = reports.copy()
    for value in values:
        changed[:, value // 8] |= np.uint8(1 << value % 8)
    return changed


def crowd(survey: Survey, n_fakes: int, kind: str) -> Tally:
    """Return the tally of honest people, a tenth of whom answer 3, and of fakes: all ones, or honest with 3 set."""
    answers = np.where(np.arange(N_HONEST) % 10 == 0, 3, np.arange(N_HONEST) % 32)
    honest = survey.perturb({"q0": answers}, coins(28000))
    if kind == "ones":
        fakes = np.full((n_fakes, honest.shape[1]), 0xFF, np.uint8)
    else:
        fakes = set_bits(survey.perturb({"q0": np.full(n_fakes, 3)}, coins(28001)), [3])
    return Tally.of(survey, np.concatenate([honest, fakes]))


@pytest.mark.parametrize("kind", ["ones", "matched"])
@pytest.mark.parametrize("percent", [1, 5])
def test_fakes_shift_an_estimate_as_the_formula_says(kind: str, percent: int) -> None:
    """Each is wrong with probability 4e-8: honest people's answers are fixed, and only their noise is random."""
    survey = survey_of(UNARY)
    true, other = (
        survey.questions[0].mechanism.prob_support_if_true,
        survey.questions[0].mechanism.prob_support_if_other,
    )
    n_fakes = N_HONEST * percent // (100 - percent)
    beta = n_fakes / (N_HONEST + n_fakes)
    answers = np.where(np.arange(N_HONEST) % 10 == 0, 3, np.arange(N_HONEST) % 32)
    share = float(np.mean(answers == 3))
    expected = beta * ((1 - other) / (true - other) - share)
    noise = share * true * (1 - true) + (1 - share) * other * (1 - other)
    error = (1 - beta) * math.sqrt(noise / N_HONEST) / (true - other)
    row = estimate_tally(crowd(survey, n_fakes, kind), is_held=False).rows[3]
    assert row.share - share == pytest.approx(expected, abs=DEVIATIONS * error)
    assert DEVIATIONS * error < expected / 1.2, "a shift of nothing must not pass"


def test_each_per_cent_of_fakes_for_an_answer_is_worth_three_points_at_epsilon_1() -> None:
    survey = survey_of(UNARY)
    mechanism = survey.questions[0].mechanism
    other = mechanism.prob_support_if_other
    rows = estimate_tally(crowd(survey, 0, "ones")).rows
    assert rows[3].shift_up == pytest.approx(0.01 * ((1 - other) / (0.5 - other) - rows[3].share), abs=1e-12)
    assert rows[3].shift_down == pytest.approx(0.01 * (-other / (0.5 - other) - rows[3].share), abs=1e-12)
    assert 100 * rows[3].shift_up == pytest.approx(3.1, abs=0.1)


@DEAR
@given(st.integers(1, 10_000), st.data())
def test_shifts_are_what_replacing_reports_by_fakes_does_to_the_estimate(n: int, data: st.DataObject) -> None:
    """Exactly: of 100 n reports, n that support no other share of the value than the rest become fakes."""
    survey = survey_of(YES_NO)
    per_report = data.draw(st.integers(0, 100))
    tally = Tally(survey, {1: 100 * n}, {"q0": np.array([per_report * n])})
    before = estimate_tally(tally, is_held=False).rows[0]
    for shift, n_for in ((before.shift_up, 1), (before.shift_down, 0)):
        counts = np.array([per_report * (100 * n - n) + 100 * n * n_for], np.int64)  # of 100 n reports each, 100 times
        after = estimate_tally(Tally(survey, {1: 100 * 100 * n}, {"q0": counts}), is_held=False).rows[0]
        assert after.share - before.share == pytest.approx(shift, abs=1e-9)


@pytest.mark.parametrize("question", [UNARY, FLIPS], ids=["one-of", "any-of"])
def test_all_ones_are_counted_one_by_one_and_an_honest_crowd_gives_no_warning(question: dict[str, object]) -> None:
    survey = survey_of(question)
    answers = np.eye(32, dtype=int)[np.arange(N_HONEST) % 32] if question is FLIPS else np.arange(N_HONEST) % 32
    honest = Tally.of(survey, survey.perturb({"q0": answers}, coins(28000)))
    (quality,) = qualities(honest)
    assert not quality.is_alarming
    ones = Tally.of(survey, np.full((1000, survey.layout.n_bytes), 0xFF, np.uint8))
    assert ones.implausible == {"q0": 1000}
    (quality,) = qualities(honest + ones)
    assert quality.is_alarming
    assert quality.n_implausible == honest.implausible["q0"] + 1000


@pytest.mark.parametrize("unknown", [{}, {"unknown": True}], ids=["listed", "unknown"])
def test_a_text_report_is_implausible_if_any_of_its_filters_is(unknown: dict[str, bool]) -> None:
    survey = survey_of(STREETS | unknown)
    mechanism = survey.questions[0].mechanism
    assert isinstance(mechanism, BloomResponse)
    assert mechanism.n_blocks == (3 if unknown else 1)
    honest = survey.perturb({"q0": [f"street {number % 50}" for number in range(3000)]}, coins(28002))
    assert not qualities(Tally.of(survey, honest))[0].is_alarming
    plausible = honest[[mechanism.count_implausible(row) == 0 for row in honest[:, np.newaxis]]][:100]
    for block in range(mechanism.n_blocks):
        for byte in (0x00, 0xFF):
            fakes = plausible.copy()
            start = mechanism.group_bytes + block * 8
            fakes[:, start : start + 8] = byte
            assert mechanism.count_implausible(fakes) == 100
    fakes[:, mechanism.group_bytes :] = 0xFF
    assert mechanism.count_implausible(fakes) == 100, "a report counts once"


def test_fakes_that_are_matched_in_weight_do_not_show() -> None:
    tally = crowd(survey_of(UNARY), N_HONEST // 19, "matched")
    assert not qualities(tally)[0].is_alarming


def test_where_every_report_is_plausible_there_is_no_figure() -> None:
    survey = survey_of(YES_NO, WIDE, ONE_OF | {"mechanism": "oue"})
    assert [question.mechanism.prob_implausible for question in survey.questions] == [0, 0, 0]
    records = np.array([[1, 0, 1, 7], [0, 0, 5, 0]], np.uint8)
    tally = Tally.of(survey, records)
    assert tally.implausible == {"q0": 0, "q1": 0, "q2": 0}
    assert qualities(tally) == ()
    assert "quality" not in estimate_tally(tally).as_table()


@pytest.mark.parametrize(("n", "prob"), [(1, 1e-6), (40, 0.01), (500, 1e-6), (1000, 1e-4)])
def test_an_honest_crowd_has_more_with_one_in_a_thousand_million_at_most(n: int, prob: float) -> None:
    """Exactly, by adding up the binomial's fractions; and one less would be too few."""
    p, most = Fraction(prob), most_if_honest(Counted({1: n}), prob)
    masses = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(most + 1)]
    assert 1 - sum(masses) <= FALSE_ALARM
    assert most == 0 or 1 - sum(masses[:-1]) > FALSE_ALARM


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
def test_the_quantile_of_large_crowds_is_scipy_s(n: int) -> None:
    assert most_if_honest(Counted({1: n}), 7e-7) == pytest.approx(stats.poisson.isf(FALSE_ALARM, 7e-7 * n), abs=1)


def test_waves_of_the_same_devices_are_allowed_to_fail_together() -> None:
    """Each device's reports may all be implausible at once: n of one wave is the worst."""
    one = most_if_honest(Counted({1: 10**6}), 1e-6)
    alike = most_if_honest(Counted(dict.fromkeys((1, 2, 3), 10**6)), 1e-6)
    assert 3 * one <= alike <= 3 * one + 3
    assert most_if_honest(Counted({1: 1, 2: 1}), 0.5) == 2


def test_stray_reports_of_another_wave_hardly_allow_for_more_fakes() -> None:
    one = most_if_honest(Counted({1: 10**6}), 1e-6)
    assert one <= most_if_honest(Counted({1: 10**6, 2: 1}), 1e-6) <= one + 2
    unsplit = most_if_honest(Counted.unsplit(10**6 + 1, (1, 2)), 1e-6)
    assert unsplit >= 2 * one, "where it is not known which are of which, all may be of either"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture
def fakes(tmp_path: Path) -> Path:
    """A saved tally of 2,000 honest reports to three questions, 40 more all ones and 40 all zeros to two of them."""
    survey = survey_of(UNARY, YES_NO, STREETS)
    answers = {"q0": np.arange(2000) % 32, "q1": np.arange(2000) % 2, "q2": ["Elm Street", "Oak Street"] * 1000}
    honest = survey.perturb(answers, coins(28003))
    many = honest[:80].copy()
    many[:40, :4] = 0xFF
    many[40:, 7:] = 0x00
    path = tmp_path / "tally.json"
    path.write_bytes(Tally.of(survey, np.concatenate([honest, many])).to_json())
    return path


def test_the_figure_stands_below_the_table_and_a_warning_on_stderr(fakes: Path) -> None:
    result = run("estimate", str(fakes))
    assert result.exit_code == 0
    said = [line for line in result.stdout.splitlines() if line.startswith("quality of ")]
    assert said == [
        f"quality of {of}: 40 of 2,080 reports implausible, of an honest crowd at most 2" for of in ("q0", "q2")
    ]
    assert "fakes: how much each 1 % of fake reports" in result.stdout
    warnings = result.stderr.splitlines()
    assert len(warnings) == 3
    assert warnings[0].startswith("Warning: 40 reports to q0 have numbers of set bits that honest devices hardly ever")
    assert warnings[2].startswith("Warning: q0: 2,080 reports point to answers ")  # 40 times 32 too many


def test_the_same_figures_are_in_json_and_in_csv(fakes: Path) -> None:
    estimates = json.loads(run("estimate", str(fakes), "--json").stdout)
    assert estimates["quality"] == [
        {"question": question, "n_reports": 2080, "n_implausible": 40, "most_if_honest": 2} for question in ("q0", "q2")
    ]
    rows = list(csv.DictReader(io.StringIO(run("estimate", str(fakes), "--csv").stdout)))
    assert [(row["question"], row["n_implausible"], row["most_if_honest"]) for row in rows[-2:]] == [
        ("q0", "40", "2"),
        ("q1", "", ""),
    ]
    told = [float(row["shift_up"]) if row["shift_up"] else None for row in rows]
    assert told == [row["shift_up"] for row in estimates["estimates"]]


def test_decoding_says_it_of_its_question(fakes: Path, tmp_path: Path) -> None:
    streets = tmp_path / "streets.txt"
    streets.write_text("Elm Street\nOak Street\nPine Street\n")
    arguments = ("decode", str(fakes), "q2", "--candidates", str(streets))
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].startswith("quality of q2: 40 of 2,080 reports implausible")
    assert "Warning: 40 reports to q2 have numbers of set bits" in result.stderr
    assert json.loads(run(*arguments, "--json").stdout)["quality"]["n_implausible"] == 40
    first = next(csv.DictReader(io.StringIO(run(*arguments, "--csv").stdout)))
    assert (first["n_implausible"], first["most_if_honest"]) == ("40", "2")


def test_an_honest_crowd_s_tally_is_shown_without_a_warning(fakes: Path) -> None:
    survey = survey_of(UNARY)
    fakes.write_bytes(crowd(survey, 0, "ones").to_json())
    result = run("estimate", str(fakes))
    assert "quality of q0:" in result.stdout
    assert result.stderr == ""


def test_a_tally_of_before_has_none_counted() -> None:
    survey = survey_of(UNARY, TEXT)
    document = json.loads(Tally.empty(survey).to_json())
    del document["implausible"]
    assert Tally.from_json(json.dumps(document)).implausible == {"q0": 0, "q1": 0}
