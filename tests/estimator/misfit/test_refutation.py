"""Counts that a model cannot give: false alarms by enumeration, and a warning in every form."""

import csv
import io
import json
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special, stats

from athletes import arm, crosswise
from sotto_client.cli import main
from sotto_estimator.designs.fit import StackedReports, saturated
from sotto_estimator.designs.spec import read_design
from sotto_estimator.intervals.contradiction import FALSE_ALARM
from sotto_estimator.intervals.joint_fit import tail_of_fit
from sotto_estimator.misfit.estimate import estimate_model
from sotto_estimator.misfit.model import MODELS, Control, probs_of
from sotto_estimator.misfit.refutation import unfit_of

N = 14
EXTENDED = ("--design", "extended-crosswise(prob_innocuous=1/5)")
MANGAT = ("--design", "mangat(prob_statement=.3)", "--design", "mangat(prob_statement=.7)", "--allow-conclusive")
IMPOSSIBLE = {
    "one-sayers": (*EXTENDED, "--counts", "100,0", "--counts", "100,0"),
    "lie-detector": (*MANGAT, "--counts", "30,70", "--counts", "80,20"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("model", ["one-sayers", "self-protective-no"])
def test_reports_of_the_models_people_hardly_ever_give_a_warning(model: str) -> None:
    """All tables of two samples, for shares of the three classes on a grid: also at levels that are reached more."""
    label = "different" if model == "one-sayers" else "no"
    designs = [read_design(f"crosswise(prob={prob})") for prob in (0.2, 0.8)]
    if label == "no":
        designs = [read_design(f"forced(prob_forced_yes={prob}, prob_forced_no=.1)") for prob in (0.2, 0.6)]
    probs = probs_of(MODELS[model], [arm(design, 1, 1) for design in designs], ())
    found = {}
    for counts in product(range(N + 1), repeat=2):
        arms = [arm(design, count, N - count) for design, count in zip(designs, counts, strict=True)]
        _, best = StackedReports.of(probs, [one.counts for one in arms]).best()
        g_squared = 2 * (saturated(arms) - best)
        alarms = unfit_of(model, arms, probs, g_squared)
        found[counts] = bool(alarms), tail_of_fit(g_squared, 2)
    assert any(is_alarm for is_alarm, _ in found.values())
    for first, second in product(np.linspace(0, 1, 11), repeat=2):
        shares = np.array([first, (1 - first) * second, (1 - first) * (1 - second)])
        pmfs = [stats.binom.pmf(np.arange(N + 1), N, of[0] @ shares) for of in probs]
        likely = {counts: pmfs[0][counts[0]] * pmfs[1][counts[1]] for counts in found}
        assert sum(likely[counts] for counts, (is_alarm, _) in found.items() if is_alarm) <= FALSE_ALARM
        for level in (0.5, 0.05, 1e-3):
            assert sum(likely[counts] for counts, (_, p) in found.items() if p <= level) <= level


@pytest.mark.parametrize("true", [(0.2, 0.3, 0.5), (0.01, 0.04, 0.95), (1 / 3, 1 / 3, 1 / 3)])
@pytest.mark.parametrize("n", [3, 20])
def test_the_tail_of_a_fit_holds_for_three_reports(n: int, true: tuple[float, ...]) -> None:
    tables = [np.array([a, b, n - a - b]) for a in range(n + 1) for b in range(n + 1 - a)]
    likely = np.array([stats.multinomial.pmf(table, n, true) for table in tables])
    g_squared = np.array([2 * special.rel_entr(table, n * np.array(true)).sum() for table in tables])
    for least in g_squared:
        assert likely[g_squared >= least - 1e-12].sum() <= tail_of_fit(least - 1e-12, 2) * (1 + 1e-9)


@pytest.mark.parametrize("numbers", [(5, 0, 4), (3, 3, 3), (0, 8, 1)])
def test_the_tail_of_a_fit_holds_for_people_whose_answers_are_fixed(numbers: tuple[int, ...]) -> None:
    """So many people with each answer: their reports are independent, and not alike."""
    columns = [(0.9, 0.1, 0.0), (0.05, 0.15, 0.8), (0.3, 0.4, 0.3)]
    likely: dict[tuple[int, ...], float] = {(0, 0, 0): 1.0}
    for column in [of for of, number in zip(columns, numbers, strict=True) for _ in range(number)]:
        added: dict[tuple[int, ...], float] = defaultdict(float)
        for (table, prob), report in product(likely.items(), range(3)):
            added[tuple(np.add(table, np.eye(3, dtype=int)[report]))] += prob * column[report]
        likely = added
    expected, probs = np.array(numbers) @ columns, np.array(list(likely.values()))
    g_squared = np.array([2 * special.rel_entr(table, expected).sum() for table in likely])
    for least in g_squared[probs > 0]:
        assert probs[g_squared >= least - 1e-12].sum() <= tail_of_fit(least - 1e-12, 2) * (1 + 1e-9)


@pytest.mark.parametrize("model", IMPOSSIBLE)
def test_counts_that_the_model_cannot_give_are_warned_of_in_every_form(model: str) -> None:
    typed = ["estimate", "--model", model, *IMPOSSIBLE[model]]
    table = CliRunner().invoke(main, typed)
    assert f"Warning: no people give these counts by the model {model}" in table.stderr
    assert "the counts contradict the model (P <= " in table.stdout
    read = json.loads(CliRunner().invoke(main, [*typed, "--json"]).stdout)
    (one,) = read["contradictions"]
    rows = list(csv.DictReader(io.StringIO(CliRunner().invoke(main, [*typed, "--csv"]).stdout)))
    assert {float(row["contradiction_p_value"]) for row in rows} == {one["p_value"]}
    assert one["p_value"] < 1e-7
    for told in (*read["parts"], *rows):
        assert {told[name] or None for name in ("value", "standard_error", "low", "high")} == {None}
    assert "%" not in table.stdout.partition("std. error")[2], "no share stands under the warning"


def test_a_report_of_counts_that_the_model_cannot_give_tells_no_share(tmp_path: Path) -> None:
    found = estimate_model("one-sayers", [arm(crosswise(0.2), 5, 95), arm(crosswise(0.8), 80, 20)])
    assert str(found).startswith("one-sayers: the counts contradict the model")
    found.plot(tmp_path / "parts.png")
    assert (tmp_path / "parts.png").stat().st_size
    assert not re.search(r"\d %", found.to_html().partition("</style>")[2].replace("95 %", ""))


def test_one_count_that_no_class_gives_is_warned_of_and_stands_in_the_report() -> None:
    found = estimate_model("one-sayers", [arm(crosswise(0.2), 5, 95), arm(crosswise(0.8), 80, 20)])
    (one,) = found.contradictions
    tail = stats.binom.cdf(5, 100, 0.2)
    assert tail_of_fit(found.fit.g_squared, 2) > FALSE_ALARM, "all together do not say it"
    assert one.p_value == pytest.approx(5 * tail, rel=1e-4)
    assert found.alarms() == [one.warning]
    assert "the counts contradict the model" in found.to_html()


def test_counts_that_the_model_gives_are_not_warned_of() -> None:
    control = Control(arm(crosswise(0.2), 60, 140), 0.0)
    assert not estimate_model("one-sayers", [arm(crosswise(0.2), 66, 95), arm(crosswise(0.8), 59, 105)]).contradictions
    assert not estimate_model("random", [arm(crosswise(0.2), 66, 95)], [control]).contradictions
