"""A simulation finds what holds and what does not: intervals that cover, and trouble that was planted."""

from dataclasses import replace

import numpy as np
import pytest

from rehearsed import CERTAIN, OFFICE, WEEKLY, WEEKLY_TRUTH, WORD, office, task_of
from sotto_estimator.channel.channel import TARGETS, Target
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_protocol import compile_toml
from sotto_rehearsal.simulation.crowd import Task, send_reports
from sotto_rehearsal.simulation.randomness import randomness_of
from sotto_rehearsal.simulation.summary import MISSES, Simulation, simulate_runs
from sotto_rehearsal.simulation.truth import read_truth

SEED = 1


def missed(simulation: Simulation) -> set[tuple[str, str]]:
    return {(row.question, row.answer) for row in simulation.missing}


@pytest.mark.parametrize("target", [pytest.param("population", marks=pytest.mark.thorough), "respondents"])
def test_honest_people_are_in_their_intervals(target: Target) -> None:
    """False alarm: none, by the seed. Without one, at most 0.01 (`FALSE_ALARM`)."""
    options = IntervalOptions(target=target, method="clopper-pearson")
    simulation = simulate_runs(task_of(office(), 150, about_respondents=target == "respondents"), options, 100, SEED)
    assert missed(simulation) == set()
    assert all(row.verdict for row in simulation.rows)
    for row in simulation.rows:
        assert row.n_found == 100
        assert abs(row.bias or 0) < 5 * (row.bias_error or 0), row.answer
        assert (row.coverage or 0) < 1 or row.kind == "mean" or row.truth == 0, "exact intervals are not too wide"


@pytest.mark.thorough
def test_a_fifth_of_liars_breaks_what_they_lie_about_and_no_more_people_help() -> None:
    told = office("[trouble]\nliars = 0.2")
    simulation = simulate_runs(task_of(told, 20_000), IntervalOptions(), 40, SEED)
    rows = {(row.question, row.answer): row for row in simulation.rows}
    assert {("expensed", "yes"), ("lunch", "desk"), ("lunch", "none"), ("perks", "car")} <= missed(simulation)
    # A fifth says no, and no is true of four fifths of them: 0.2 * 0.8 of the truth is left.
    assert rows["expensed", "yes"].bias == pytest.approx(-0.2 * 0.2, abs=0.005)
    assert rows["lunch", "none"].bias == pytest.approx(0.2 * 0.25, abs=0.01)
    assert simulation.warned == (), "nothing in the reports shows that people lied"


def test_more_people_who_leave_for_their_answer_bias_it() -> None:
    truth = read_truth("[questions.expensed]\nshare = 0.5\nleave = {yes = 0.5}", OFFICE)
    simulation = simulate_runs(task_of(truth, 20_000), IntervalOptions(), 20, SEED)
    assert ("expensed", "yes") in missed(simulation)
    assert simulation.rows[0].bias == pytest.approx(1 / 3 - 1 / 2, abs=0.01)
    assert simulation.n_reports == pytest.approx(15_000, abs=200)


def test_whom_a_survey_has_lost_is_not_among_its_respondents() -> None:
    truth = read_truth("[questions.expensed]\nshare = 0.5\nleave = {yes = 0.5}", OFFICE)
    options = IntervalOptions(target="respondents")
    simulation = simulate_runs(task_of(truth, 5_000, about_respondents=True), options, 20, SEED)
    assert missed(simulation) == set()
    assert simulation.rows[0].truth == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.thorough
def test_clever_fakes_move_a_share_by_as_much_as_an_estimate_says_they_can() -> None:
    """`shift_up` is 1 % of fakes; here are 5 %, all for car, and in lunch all for the rarest, none."""
    told = office("[trouble]\nclever_fakes = 0.05")
    simulation = simulate_runs(task_of(told, 40_000), IntervalOptions(), 12, SEED)
    rows = {(row.question, row.answer): row for row in simulation.rows}
    for key, question in ((("perks", "car"), OFFICE.questions[2]), (("lunch", "none"), OFFICE.questions[1])):
        mechanism = question.mechanism
        true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other  # type: ignore[attr-defined]
        at_best = (1 - other) / (true - other)
        assert rows[key].bias == pytest.approx(0.05 * (at_best - rows[key].truth), abs=0.01)
        assert key in missed(simulation)


def test_fakes_are_for_the_answer_that_is_said() -> None:
    truth = read_truth(
        "[questions.lunch]\nshares = {desk = 0.5, out = 0.5}\nfake = 'desk'\n[questions.expensed]\nshare = 0.5\n"
        "fake = 'no'\n[questions.hours]\nshape = 'bell'\nfake = 'minimum'\n[trouble]\nclever_fakes = 0.1",
        OFFICE,
    )
    rows = simulate_runs(task_of(truth, 20_000), IntervalOptions(), 5, SEED).rows
    bias = {(row.question, row.answer): row.bias or 0 for row in rows}
    assert bias["lunch", "desk"] > 0.05
    assert bias["expensed", "yes"] < -0.05
    assert bias["hours", "mean"] < -3


def test_clumsy_fakes_give_a_warning_where_reports_are_bits() -> None:
    survey = compile_toml(
        'id = "wide"\ntitle = "Wide"\n[[questions]]\nid = "which"\ntype = "one-of"\ntext = "?"\n'
        f'mechanism = "oue"\nepsilon = 3\noptions = {[str(n) for n in range(64)]}'
    )
    truth = read_truth("[trouble]\nclumsy_fakes = 0.1", survey)
    simulation = simulate_runs(Task(survey, truth, 1000, 1, False), IntervalOptions(), 10, SEED)
    assert ("which", "implausible", 1.0) in [(of.question, of.warning, of.share) for of in simulation.warned]
    honest = simulate_runs(Task(survey, read_truth("", survey), 1000, 1, False), IntervalOptions(), 10, SEED)
    assert honest.warned == ()


def test_people_on_several_devices_make_intervals_too_narrow() -> None:
    """Half of the people count ten times: the estimate is as good as of fewer people, its interval as of more."""
    truth = read_truth("[questions.expensed]\nshare = 0.5\n[trouble]\nduplicated = 0.5\ndevices = 10", CERTAIN)
    simulation = simulate_runs(Task(CERTAIN, truth, 300, 1, False), IntervalOptions(method="wilson"), 150, SEED)
    assert simulation.n_reports == pytest.approx(300 * 5.5, rel=0.03)
    assert missed(simulation) == {("expensed", "yes")}


def test_whoever_answers_on_several_devices_is_one_respondent() -> None:
    truth = read_truth("[questions.expensed]\nshare = 0.5\n[trouble]\nduplicated = 1\ndevices = 3", CERTAIN)
    (randomness,) = randomness_of(1, SEED)
    crowd = send_reports(Task(CERTAIN, truth, 200, 1, True), randomness)
    assert crowd.tallies[1].n_reports == 600
    assert crowd.n_people[0].tolist() == [200]
    assert 60 < crowd.sums[0][0] < 140


@pytest.mark.thorough
def test_strings_are_found_as_often_as_they_are_common() -> None:
    truth = read_truth("[questions.word]\nstrings = {fine = 0.5, tired = 0.05, never = 0}", WORD)
    simulation = simulate_runs(Task(WORD, truth, 600, 1, False), IntervalOptions(), 10, SEED)
    fine, tired, never = simulation.rows
    assert fine.n_found == 10
    assert fine.verdict == "not shown", "ten runs may all hold"
    assert 0 <= never.n_found <= 2
    assert never.coverage is None, "found more rarely than in half of the runs"
    assert never.n_found < fine.n_found >= tired.n_found


@pytest.mark.rare
@pytest.mark.thorough
@pytest.mark.parametrize("change", [pytest.param("0", marks=pytest.mark.rare), "0.5"])
def test_three_waves_of_two_stages_are_pooled_and_hold(change: str) -> None:
    truth = read_truth(f"{WEEKLY_TRUTH}\n[trouble]\nchange = {change}", WEEKLY)
    simulation = simulate_runs(Task(WEEKLY, truth, 150, 3, False), IntervalOptions(), 30, SEED)
    assert missed(simulation) == set()
    assert simulation.n_reports == 450
    assert all(abs(row.bias or 0) < 5 * (row.bias_error or 0) for row in simulation.rows if row.kind != "string")


@pytest.mark.thorough
def test_people_who_think_anew_make_pooled_estimates_better() -> None:
    """Reports of one lasting response differ by little fresh noise; those of two, of yes and of no, by more."""
    survey = compile_toml(
        'id = "moods"\ntitle = "Moods"\nwaves = 3\n[[questions]]\nid = "well"\ntype = "yes-no"\ntext = "?"\n'
        'mechanism = "basic-rappor"\nepsilon = 0.9\nepsilon_forever = 1'
    )
    errors = []
    for change in ("0", "1"):
        truth = read_truth(f"[trouble]\nchange = {change}", survey)
        options = IntervalOptions(method="hoeffding")  # the estimates are looked at, so the quickest intervals do
        simulation = simulate_runs(Task(survey, truth, 500, 3, False), options, 150, SEED)
        errors.append(simulation.rows[0].rmse or 0)
    assert errors[1] < errors[0] / 1.1


DRIFTING = "[questions.well]\nshare = 0.8\nthen = {share = 0.2}\n[trouble]\nchange = 0.5"


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize(
    ("wave", "truth"), [(1, 0.8), (2, 0.5), (3, 0.35), (None, (0.8 + 0.5 + 0.35) / 3)], ids=["1", "2", "3", "pooled"]
)
@pytest.mark.parametrize("target", TARGETS)
def test_minds_that_change_move_what_is_true_wave_by_wave(wave: int | None, truth: float, target: Target) -> None:
    """Half of the people think anew each time, and a fifth of those are well: 0.8, then 0.5, then 0.35."""
    survey = replace(WEEKLY, questions=WEEKLY.questions[:1])
    task = Task(survey, read_truth(DRIFTING, survey), 4000, 3, target == "respondents", wave)
    (row,) = simulate_runs(task, IntervalOptions(target=target), 40, SEED).rows
    assert row.truth == pytest.approx(truth, abs=0.01 if task.is_about_respondents else 1e-9)
    assert row.verdict == "holds"
    assert not row.is_off
    assert row.n_reports == (4000 if wave else 12_000)


@pytest.mark.thorough
def test_a_sketch_is_decoded_of_the_last_wave_and_held_against_it() -> None:
    survey = compile_toml(
        'id = "s"\ntitle = "S"\nwaves = 2\n[[questions]]\nid = "word"\ntype = "text"\ntext = "?"\n'
        'mechanism = "sketch"\nn_cohorts = 16\nepsilon = 4'
    )
    truth = read_truth(
        "[questions.word]\nstrings = {fine = 1}\nthen = {strings = {fine = 0.4}}\n[trouble]\nchange = 1", survey
    )
    (row,) = simulate_runs(Task(survey, truth, 2000, 2, False), IntervalOptions(), 5, SEED).rows
    assert row.truth == pytest.approx(0.4)
    assert row.estimate == pytest.approx(0.4, abs=0.06)
    assert row.n_reports == 2000


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    told = office("[trouble]\nliars = 0.1\nclumsy_fakes = 0.1\nclever_fakes = 0.1\nduplicated = 0.1")
    first, again, other = (simulate_runs(task_of(told, 200), IntervalOptions(), 3, seed) for seed in (7, 7, 8))
    assert first.rows == again.rows != other.rows
    assert simulate_runs(task_of(told, 200), IntervalOptions(), 1, 7).first.found.tolist() == first.first.found.tolist()


def test_without_a_seed_no_simulation_is_like_another() -> None:
    first, again = (simulate_runs(task_of(office(), 200), IntervalOptions(), 2) for _ in range(2))
    assert first.rows != again.rows


def test_the_planned_width_of_a_mean_is_that_of_the_truth() -> None:
    """Numbers at the foot of a range; by those around its middle it would be 9 % less."""
    survey = compile_toml(
        'id = "s"\ntitle = "S"\n[[questions]]\nid = "unpaid"\ntype = "number"\ntext = "?"\nminimum = 0\nmaximum = 20\n'
        "epsilon = 1.358"
    )
    truth = read_truth("[questions.unpaid]\nmean = 4\ndeviation = 3", survey)
    (row,) = simulate_runs(Task(survey, truth, 300, 1, False), IntervalOptions(), 20, SEED).rows
    assert row.planned_half_width == pytest.approx(row.median_half_width, rel=0.03)


@pytest.mark.thorough
def test_planned_widths_are_found() -> None:
    simulation = simulate_runs(task_of(office(), 5_000), IntervalOptions(method="clopper-pearson"), 20, SEED)
    for row in simulation.rows:
        if 0.1 <= row.truth <= 0.9 or row.kind == "mean":  # nearer to the ends intervals are cut
            assert row.mean_half_width == pytest.approx(row.planned_half_width, rel=0.05), row


def test_a_run_in_which_nobody_is_left_is_counted_as_none() -> None:
    truth = read_truth("[questions.expensed]\nshare = 0.9\nleave = {yes = 1, no = 1}", OFFICE)
    simulation = simulate_runs(task_of(truth, 10), IntervalOptions(), 3, SEED)
    assert {row.n_found for row in simulation.rows} == {0}
    assert {row.verdict for row in simulation.rows} == {""}
    assert MISSES not in {row.verdict for row in simulation.rows}


def test_a_mean_score_is_judged_beside_its_shares() -> None:
    survey = compile_toml(
        'id = "m"\ntitle = "M"\n[[questions]]\nid = "like"\ntype = "enps"\ntext = "?"\nepsilon = 2\n'
        'options = ["0 to 6", "7 or 8", "9 or 10", "no answer"]\nskip = "no answer"\n'
    )
    shares = '"0 to 6" = 0.1, "7 or 8" = 0.3, "9 or 10" = 0.4, "no answer" = 0.2'
    told = read_truth(f"[questions.like]\nshares = {{{shares}}}", survey)
    simulation = simulate_runs(Task(survey, told, 400, 1, False, None), IntervalOptions(), 20, SEED)
    [mean] = [row for row in simulation.rows if row.kind == "score"]
    assert (mean.answer, mean.truth, mean.n_found, mean.verdict) == ("eNPS", pytest.approx(30 / 0.8), 20, "holds")
    assert mean.estimate == pytest.approx(37.5, abs=8)
    assert mean.mean_half_width == pytest.approx(mean.planned_half_width, rel=0.05)


def test_the_most_common_option_is_named_right_almost_always_in_a_large_crowd() -> None:
    (naming,) = simulate_runs(task_of(office(), 20_000), IntervalOptions(), 5, SEED).naming
    assert (naming.question, naming.answer, naming.named_right) == ("lunch", "desk", 1.0)


@pytest.mark.parametrize(
    ("shares", "answers"),
    [("a = 0.4, b = 0.4, c = 0.2", ["a or b"]), ("a = 0.25, b = 0.25, c = 0.25, d = 0.25", [])],
)
def test_a_tie_names_all_that_are_most_common_and_none_where_all_are(shares: str, answers: list[str]) -> None:
    question = 'id = "q"\ntype = "one-of"\ntext = "?"\noptions = ["a", "b", "c", "d"]\nepsilon = 2\n'
    survey = compile_toml(f'id = "s"\ntitle = "S"\n[[questions]]\n{question}')
    truth = read_truth(f"[questions.q]\nshares = {{{shares}}}", survey)
    simulation = simulate_runs(Task(survey, truth, 200, 1, False), IntervalOptions(), 3, SEED)
    assert [naming.answer for naming in simulation.naming] == answers


def test_memory_is_bounded_by_chunks_that_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_rehearsal.simulation.crowd.MOST_PER_CHUNK", 64)
    told = office("[trouble]\nclumsy_fakes = 0.1\nclever_fakes = 0.1")
    heard: list[int] = []
    simulation = simulate_runs(task_of(told, 1000), IntervalOptions(), 2, SEED, heard.append)
    assert simulation.n_reports == 1000
    assert max(heard) <= 64
    assert sum(heard) == 2000
    assert np.isfinite(simulation.first.found).all()
