"""Estimates by design: against the estimators and variances that the literature gives, written out here."""

import csv
import json
import math
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.registry import DESIGNS
from sotto_estimator.designs.spec import arm, read_design, read_spec
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.estimates import Estimate
from sotto_estimator.shares.of_arms import estimate_arms, variance


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["estimate", *map(str, arguments)])


def arms_of(*asked: tuple[str, list[int]]) -> list[Arm]:
    return [Arm(read_design(spec), np.array(counts, np.float64)) for spec, counts in asked]


def row_of(*asked: tuple[str, list[int]], **options: object) -> Estimate:
    return estimate_arms(arms_of(*asked), IntervalOptions(**options)).rows[0]  # type: ignore[arg-type]


CHEATING = {
    "cheating-detection": "cheating-detection(prob_forced_yes=3/4)",
    "cheating-detection-triangular": "cheating-detection-triangular(prob_innocuous=3/4)",
}
PARTS = {name: [DESIGNS[name].example, other] for name, other in CHEATING.items()}
PARTS["item-count"] = [f"item-count(n_items=4, kind={kind})" for kind in ("short", "long")]
"""Samples that tell nothing alone, with another one."""

P, U, N, YES = 0.7, 0.25, 900, 310
REPORTED = YES / N
PUBLISHED = {
    "warner(prob=.7)": (REPORTED - (1 - P)) / (2 * P - 1),  # Warner 1965, eq. 2
    "crosswise(prob=.7)": (REPORTED + P - 1) / (2 * P - 1),  # Yu, Tian & Tang 2008, eq. 3
    "disguised(prob_card=.7)": (REPORTED - (1 - P)) / (2 * P - 1),
    "unrelated(prob_question=.7, prevalence=.25)": (REPORTED - (1 - P) * U) / P,  # Greenberg et al. 1969, eq. 3
    "horvitz(prob_question=.7, prevalence=.25)": (REPORTED - (1 - P) * U) / P,
    "mangat(prob=.7)": (REPORTED - 1 + P) / P,  # Mangat 1994, eq. 2.2
    "triangular(prob=.25)": (REPORTED - U) / (1 - U),  # Yu, Tian & Tang 2008, eq. 9
    "kuk(prob_red_if_yes=.3, prob_red_if_no=.75)": (REPORTED - U) / (P - U),  # Kuk 1990, of others than red
    "forced(prob_forced_yes=.25, prob_forced_no=.05)": (REPORTED - U) / P,  # Boruch 1971
    "direct": REPORTED,
    # The transformed variables of R's RRTCS, whose manual cites the papers.
    "mangat-singh(prob_truth=.25, prob_statement=.7)": (REPORTED - (1 - U) * (1 - P)) / (U + (1 - U) * (2 * P - 1)),
    "mangat-unrelated(prob_truth=.6, prob_question=.7, prevalence=.25)": (
        (REPORTED - 0.4 * (1 - P) * U) / (0.6 + 0.4 * P)
    ),
    "mangat-singh-singh(prob_question=.7, prevalence=.25)": (REPORTED - (1 - P) * U) / (1 - (1 - P) * U),
    "devore(prob=.7)": (REPORTED - (1 - P)) / P,
    "singh-joarder(prob=.7)": (REPORTED - (1 - P)) / ((2 * P - 1) + P * (1 - P)),
    "christofides(prob_marks=.7 .3)": (REPORTED * 1 + (1 - REPORTED) * 2 - 1.3) / (3 - 2 * 1.3),
}


@pytest.mark.parametrize("spec", PUBLISHED)
def test_a_yes_no_design_gives_its_published_estimator(spec: str) -> None:
    row = row_of((spec, [YES, N - YES]))
    assert row.share == pytest.approx(PUBLISHED[spec], abs=1e-12)
    assert row.low < row.share < row.high or not 0 < row.share < 1


def test_warner_has_the_variance_that_warner_gives() -> None:
    """Warner 1965, eq. 6: share (1 - share) / n + p (1 - p) / (n (2 p - 1)^2); the first part is the sample's alone."""
    spec, p, n, share = "warner(prob=.8)", 0.8, 1000, 0.3
    arms = Arms.of(arms_of((spec, [380, 620])))
    weights = arms.weights("yes")
    noise = p * (1 - p) / (n * (2 * p - 1) ** 2)
    shares = np.array([share, 1 - share])
    assert variance(arms, weights, shares, "population") == pytest.approx(share * (1 - share) / n + noise)
    assert variance(arms, weights, shares, "respondents") == pytest.approx(noise)


def test_unrelated_questions_of_two_samples_are_those_of_greenberg_and_others() -> None:
    """Greenberg et al. 1969, eqs. 7 and 8: the share and its variance, with the prevalence not known."""
    p1, p2, n1, n2, yes1, yes2 = 0.7, 0.2, 500, 400, 160, 96
    reported1, reported2 = yes1 / n1, yes2 / n2
    asked = [("unrelated(prob_question=.7)", [yes1, n1 - yes1]), ("unrelated(prob_question=.2)", [yes2, n2 - yes2])]
    expected = (reported1 * (1 - p2) - reported2 * (1 - p1)) / (p1 - p2)
    noise = reported1 * (1 - reported1) * (1 - p2) ** 2 / n1 + reported2 * (1 - reported2) * (1 - p1) ** 2 / n2
    row = row_of(*asked)
    assert row.share == pytest.approx(expected, abs=1e-12)
    assert row.standard_error == pytest.approx(math.sqrt(noise) / (p1 - p2), rel=1e-6)
    assert row.low < expected < row.high


def test_cheating_detection_is_that_of_clark_and_desharnais() -> None:
    """Clark & Desharnais 1998, eqs. 6 to 8: honest yes, honest no and cheats, from two samples."""
    p1, p2, reported1, reported2 = 0.25, 0.75, 0.35, 0.65
    counts = [[140, 260], [195, 105]]
    asked = [(f"cheating-detection(prob_forced_yes={p})", of) for p, of in zip((p1, p2), counts, strict=True)]
    rows = estimate_arms(arms_of(*asked)).rows
    honest_yes = (p2 * reported1 - p1 * reported2) / (p2 - p1)
    honest_no = (reported2 - reported1) / (p2 - p1)
    expected = [honest_yes, honest_no, 1 - honest_yes - honest_no]
    assert [row.answer for row in rows] == ["yes", "no", "cheats"]
    assert [row.share for row in rows] == pytest.approx(expected, abs=1e-12)
    noise = [0.35 * 0.65 / 400, 0.65 * 0.35 / 300]  # eq. 9, at the shares of reports that came
    of_yes = math.sqrt(p2**2 * noise[0] + p1**2 * noise[1]) / (p2 - p1)
    of_no = math.sqrt(noise[0] + noise[1]) / (p2 - p1)
    assert [row.standard_error for row in rows[:2]] == pytest.approx([of_yes, of_no], rel=1e-6)


def test_cheats_of_the_triangular_model_are_found_as_those_of_a_forced_yes() -> None:
    """Meisters, Hoffmann & Musch 2022: one or both are said by all with the trait, and by honest others by chance."""
    specs = [
        ("cheating-detection(prob_forced_yes={})", "yes"),
        ("cheating-detection-triangular(prob_innocuous={})", "one or both"),
    ]
    found = []
    for spec, said in specs:
        arms = arms_of((spec.format("1/4"), [140, 260]), (spec.format("3/4"), [195, 105]))
        assert arms[0].design.reports[0] == said
        found.append([(row.answer, row.share, row.low, row.high) for row in estimate_arms(arms).rows])
    assert found[0] == found[1]


def test_extended_triangular_is_triangular_twice_and_shows_who_does_not_follow_it() -> None:
    """Each sample's estimate is Yu, Tian & Tang's (2008, eq. 9); people who say neither show in both together."""
    honest = arms_of(("triangular(prob=.2)", [136, 264]), ("triangular(prob=.8)", [336, 64]))
    samples = [arm(f"triangular(prob={p})", of.counts.tolist()) for p, of in zip((0.2, 0.8), honest, strict=True)]
    alone = [estimate_arms([of]).rows[0].share for of in samples]
    assert alone == pytest.approx([(136 / 400 - 0.2) / 0.8, (336 / 400 - 0.8) / 0.2])
    designs = read_spec("extended-triangular(prob_innocuous=0.2)").samples()
    found = estimate_arms([Arm(design, of.counts) for design, of in zip(designs, honest, strict=True)])
    assert min(alone) <= found.rows[0].share <= max(alone)
    assert not found.contradictions
    cheating = np.array([0.7 * honest[1].counts[0], 400 - 0.7 * honest[1].counts[0]]).round()
    assert estimate_arms([Arm(designs[0], honest[0].counts), Arm(designs[1], cheating)]).contradictions


def test_extended_crosswise_pools_its_samples_by_their_size() -> None:
    """Heck, Hoffmann & Moshagen 2018: of opposite samples each estimate has the same weight a person."""
    asked = [("crosswise(prob=.2)", [120, 280]), ("crosswise(prob=.8)", [150, 50])]
    shares = [(120 / 400 - 0.8) / (0.2 - 0.8), (150 / 200 - 0.2) / (0.8 - 0.2)]
    row = row_of(*asked)
    assert row.share == pytest.approx((400 * shares[0] + 200 * shares[1]) / 600, abs=1e-12)
    whole = Arms.of_channels(0.8, 0.2, 280 + 150, 600)
    assert row.share == pytest.approx(float((whole.weights("yes") * whole.counts).sum()))


def test_categories_are_estimated_by_the_inverse_channel() -> None:
    counts = np.array([300, 250, 150, 100.0])
    found = estimate_arms([Arm(read_design("k-ary(n_answers=4, prob_truth=.55)"), counts)])
    expected = (counts / 800 - 0.15) / (0.55 - 0.15)  # Kairouz, Bonawitz & Ramage 2016
    assert [row.share for row in found.rows] == pytest.approx(expected)
    assert [row.support_count for row in found.rows] == counts.tolist()
    assert sum(row.share for row in found.rows) == pytest.approx(1)


def test_kuks_draws_are_estimated_by_their_mean_where_that_is_asked_for() -> None:
    """Kuk 1990, eqs. 4 and 5: (mean of reds / k - p2) / (p1 - p2), and its variance."""
    p1, p2, k, counts = 0.8, 0.3, 3, np.array([140, 200, 160, 100])
    spec = "kuk(prob_red_if_yes=.8, prob_red_if_no=.3, n_draws=3, estimator=paper)"
    row = row_of((spec, counts.tolist()), consistent=True)
    share, likeliest = (float(counts @ np.arange(4)) / 600 / k - p2) / (p1 - p2), row.consistent_share
    assert row.share == pytest.approx(share, abs=1e-12)
    assert likeliest is not None
    noise = (likeliest * p1 * (1 - p1) + (1 - likeliest) * p2 * (1 - p2)) / (k * (p1 - p2) ** 2)
    assert row.standard_error == pytest.approx(math.sqrt((likeliest * (1 - likeliest) + noise) / 600), rel=1e-9)


def test_marks_are_estimated_by_their_mean_where_that_is_asked_for() -> None:
    """Christofides 2003: (mean mark - mu) / (m + 1 - 2 mu)."""
    counts = [90, 120, 150, 240]
    row = row_of(("christofides(prob_marks=.1 .2 .3 .4, estimator=paper)", counts))
    mean, mu = sum(mark * n for mark, n in enumerate(counts, 1)) / 600, 3.0
    assert row.share == pytest.approx((mean - mu) / (5 - 2 * mu), abs=1e-12)
    assert row.low < row.share < row.high


WEIGHED = (
    "kuk(prob_red_if_yes=.9, prob_red_if_no=.5, n_draws=5)",
    "kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws=3)",
    "kuk(prob_red_if_yes=.2, prob_red_if_no=.7, n_draws=2)",
    "christofides(prob_marks=.2 .5 .2 .1)",
    "christofides(prob_marks=.4 .05 .3 .25)",
    "christofides(prob_marks=.1 .2 .3 .4)",
)


@pytest.mark.parametrize("spec", WEIGHED)
def test_reports_of_one_sample_are_weighed_for_the_least_variance(spec: str) -> None:
    """Aitken 1936, written out: of all unbiased weights w = D^-1 P (P' D^-1 P)^-1 e, D the covariance at equal shares.

    The covariance is here the whole one, diag(l) - l l', by a minimum under constraints: no code is shared.
    """
    matrix = read_design(spec).matrix
    likely = matrix.mean(axis=1)
    covariance = np.diag(likely) - np.outer(likely, likely)
    n_reports = len(matrix)
    saddle = np.block([[2 * covariance, matrix], [matrix.T, np.zeros((2, 2))]])
    best = np.linalg.lstsq(saddle, np.concatenate([np.zeros(n_reports), [1, 0]]), rcond=None)[0][:n_reports]
    np.testing.assert_allclose(matrix.T @ best, [1, 0], atol=1e-12)
    counts = np.round(1000 * matrix @ [0.4, 0.6])
    row = row_of((spec, counts.tolist()))
    assert row.share == pytest.approx(float(best @ counts) / counts.sum(), abs=1e-9)
    papers = row_of((spec.replace(")", ", estimator=paper)"), counts.tolist()))
    assert row.standard_error < papers.standard_error * (1 + 1e-9)


@pytest.mark.parametrize(
    ("names", "of"),
    [
        *(((spec,), read_design(spec).matrix) for spec in WEIGHED),
        (("warner(prob=.7)", "crosswise(prob=.7)", "disguised(prob_card=.7)", "christofides(prob_marks=.3 .7)"), None),
        (
            (
                "mangat(prob=.7)",
                "devore(prob=.7)",
                "triangular(prob=.3)",
                "forced(prob_forced_yes=.3, prob_forced_no=0)",
            ),
            None,
        ),
        (("unrelated(prob_question=.6, prevalence=.25)", "horvitz(prob_question=.6, prevalence=.25)"), None),
        (("forced(prob_forced_yes=.1, prob_forced_no=.3)", "unrelated(prob_question=.6, prevalence=.25)"), None),
        (("kuk(prob_red_if_yes=.3, prob_red_if_no=.7)", "warner(prob=.7)"), None),
        (("k-ary(n_answers=3, prob_truth=.6)", "forced-categories(prob_forced=.2 .2 .2)"), None),
    ],
)
def test_one_channel_gives_one_share_under_every_name(names: tuple[str, ...], of: np.ndarray | None) -> None:
    matrix = read_design(names[0]).matrix if of is None else of
    rows = "; ".join(" ".join(f"{prob:.15f}" for prob in row) for row in matrix.tolist())
    counts = [30 + 41 * place for place in range(len(matrix))]
    plain = [arm(name, counts) for name in names] + [
        Arm(replace(read_design(names[0]), name="matrix"), np.array(counts))
    ]
    for design in plain[1:-1]:
        np.testing.assert_allclose(design.design.matrix, matrix, atol=1e-15)
    found = [estimate_arms([of]).rows for of in [*plain, arm(f"matrix(rows={rows})", counts)]]
    for other in found[1:]:
        for one, same in zip(found[0], other, strict=True):
            told = [(row.share, row.standard_error, row.low, row.high) for row in (one, same)]
            assert told[0] == pytest.approx(told[1], abs=1e-9)


def test_marks_whose_mean_tells_nothing_are_estimated_all_the_same() -> None:
    spec = "christofides(prob_marks=1/4 3/10 3/20 3/10)"  # the mean is 5/2, as that of the marks turned round
    counts = read_design(spec).matrix @ [6000, 14000]
    row = row_of((spec, counts.round(6).tolist()))
    assert row.share == pytest.approx(0.3, abs=1e-9)
    with pytest.raises(DomainError, match="the mean report is the same under yes and no, so estimator=paper"):
        read_design(spec.replace(")", ", estimator=paper)"))
    with pytest.raises(DomainError, match=r"estimator \(mean\) must be least-variance or paper"):
        read_design("christofides(prob_marks=.1 .9, estimator=mean)")


def test_consistent_shares_are_the_likeliest_ones() -> None:
    """Held against a fine grid of the simplex: no share of it is likelier."""
    spec, counts = "forced-categories(prob_forced=.2 .1 .2)", np.array([40, 150, 30.0])
    design = read_design(spec)
    found = estimate_arms([Arm(design, counts)], IntervalOptions(consistent=True))
    shares = np.array([row.consistent_share for row in found.rows])
    best = float(counts @ np.log(design.matrix @ shares))
    grid = [np.array([a, b, 200 - a - b]) / 200 for a in range(201) for b in range(201 - a)]
    assert max(float(counts @ np.log(design.matrix @ of)) for of in grid) <= best + 1e-6
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)


def test_errors_are_those_of_simulated_surveys() -> None:
    """4,000 surveys: their deviation is within 8 % of the error that is told (7 deviations of it: P < 1e-9)."""
    rng = np.random.default_rng(3)
    specs, sizes, share = (
        ["direct", "crosswise(prob=.2)", "kuk(prob_red_if_yes=.8, prob_red_if_no=.1, n_draws=2)"],
        [50, 400, 300],
        0.2,
    )
    designs = [read_design(spec) for spec in specs]
    probs = [design.matrix @ [share, 1 - share] for design in designs]
    sample = [Arm(design, n * of) for design, n, of in zip(designs, sizes, probs, strict=True)]
    arms = Arms.of(sample)
    weights = arms.weights("yes")
    found = [
        sum(
            float(weights[j, : len(of)] @ rng.multinomial(n, of))
            for j, (n, of) in enumerate(zip(sizes, probs, strict=True))
        )
        for _ in range(4000)
    ]
    told = math.sqrt(variance(arms, weights, np.array([share, 1 - share]), "population"))
    assert np.std(found) == pytest.approx(told, rel=0.08)
    assert np.mean(found) == pytest.approx(share, abs=6 * told / math.sqrt(4000))


def test_hoeffding_of_arms_is_wider_and_about_the_same_share() -> None:
    asked = [("crosswise(prob=.2)", [248, 152]), ("direct", [30, 70])]
    chernoff, hoeffding = (row_of(*asked, method=method) for method in ("chernoff", "hoeffding"))
    assert hoeffding.low < chernoff.low < chernoff.high < hoeffding.high
    assert hoeffding.share == chernoff.share


def test_simultaneous_intervals_of_categories_are_wider() -> None:
    asked = ("k-ary(n_answers=3, prob_truth=.8)", [30, 50, 40])
    one, all_together = row_of(asked), row_of(asked, simultaneous=True)
    assert all_together.low < one.low < one.high < all_together.high


def test_categories_are_put_in_order_as_far_as_it_is_sure() -> None:
    words = ["--design", "k-ary(n_answers=3, prob_truth=.8)"]
    sure = json.loads(sotto(*words, "--counts", "400,800,1800", "--json").stdout)["verdicts"][0]
    assert sure["order"] == [["3"], ["2"], ["1"]]
    unsure = json.loads(sotto(*words, "--counts", "10,11,12", "--json").stdout)["verdicts"][0]
    assert unsure["order"] == [["3", "2", "1"]]


@pytest.mark.parametrize("method", ["blaker", "wilson"])
def test_methods_of_one_yes_no_design_are_refused_for_arms(method: str) -> None:
    with pytest.raises(DomainError, match=f"method \\('{method}'\\) must be one of chernoff, hoeffding"):
        row_of(("crosswise(prob=.2)", [12, 28]), ("direct", [30, 70]), method=method)
    assert row_of(("crosswise(prob=.2)", [12, 28]), method=method).n_reports == 40


def test_a_program_names_designs_and_counts() -> None:
    found = estimate_arms([arm("crosswise(prob=1/5)", [290, 110]), arm("warner(prob=.9)", (80, 320))])
    assert found[""][0].share == pytest.approx(0.125)
    assert found.designs[1].reports == {"yes": 80, "no": 320}
    assert list(found.to_frame()["designs"]) == ["crosswise(prob_innocuous=0.2) | warner(prob_statement=0.9)"]
    for counts in ("many", [1, None], [[1, 2]], 5):
        with pytest.raises(DomainError):
            arm("crosswise(prob=1/5)", counts)  # type: ignore[arg-type]


def test_kuks_reports_are_counted_in_one_order_for_any_number_of_draws() -> None:
    """None red first: more people drew no red card than only red ones; a yes likely draws red, so few have it."""
    for n_draws in range(1, 6):
        spec = f"kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws={n_draws})"
        counts = np.round(1000 * read_design(spec).matrix @ [0.2, 0.8]).astype(int).tolist()
        found = json.loads(sotto("--design", spec, "--counts", ",".join(map(str, counts)), "--json").stdout)
        assert found["estimates"][0]["share"] == pytest.approx(0.2, abs=0.01)
        assert list(found["designs"][0]["reports"].values()) == counts


def test_a_yes_of_kuks_one_draw_is_a_red_card(tmp_path: Path) -> None:
    spec = "kuk(prob_red_if_yes=.8, prob_red_if_no=.2)"
    (tmp_path / "cards.csv").write_text("\n".join(["card", *["red"] * 300, *["other"] * 100, ""]))
    (tmp_path / "said.csv").write_text("\n".join(["card", *["1"] * 300, *["0"] * 100, ""]))
    ways = (
        ("--yes", 300, "--n", 400),
        ("--counts", "100,300"),
        ("--counts", "red=300,other=100"),
        ("--counts", "other=100, Red = 300"),
        ("--counts", "yes=300,no=100"),
        (tmp_path / "cards.csv", "--column", "card"),
        (tmp_path / "said.csv", "--column", "card"),
        (tmp_path / "cards.csv", "--column", "card", "--yes-is", "red"),
    )
    for way in ways:
        found = json.loads(sotto(*way, "--design", spec, "--json").stdout)
        assert found["estimates"][0]["share"] == pytest.approx((0.75 - 0.2) / 0.6)
        assert found["designs"][0]["reports"] == {"other": 100, "red": 300}


@pytest.mark.few(8)
@pytest.mark.parametrize("name", DESIGNS)
def test_counts_may_name_the_reports_of_any_design_and_the_output_says_how_they_were_read(name: str) -> None:
    specs = PARTS.get(name, [DESIGNS[name].example.replace("extended-", "")])
    designs = [read_design(spec) for spec in specs]
    counts = [40 + place for place in range(len(designs[0].reports))]
    plain, turned = [], []
    for spec, design in zip(specs, designs, strict=True):
        given = [*counts, 5][: len(design.reports)]
        named = [f"{report}={count}" for report, count in zip(design.reports, given, strict=True)]
        asked = ["--design", spec, "--allow-conclusive", "--counts"]
        plain += [*asked, ",".join(map(str, given))]
        turned += [*asked, ",".join(reversed(named))]
    first, second = sotto(*plain), sotto(*turned)
    assert first.exit_code == 0, first.stderr
    assert first.stdout == second.stdout
    reports = zip(designs[0].reports, counts, strict=True)
    has_numbers = any(report[0].isdigit() for report in designs[0].reports)
    said = ", ".join(f"{report}: {count}" if has_numbers else f"{count} {report}" for report, count in reports)
    assert said in first.stdout


@pytest.mark.parametrize(
    ("counts", "exit_code", "message"),
    [
        ("red=3,4", 2, "Name all reports, or none"),
        ("=3,=4", 2, "Name all reports, or none"),
        ("red=3,red=4", 2, "names a report twice"),
        ("red=3,RED=4", 1, "counts name the report 'red' of kuk twice"),
        ("red=3,other=x", 2, "must be whole numbers of at most 10^12, with commas between, or NAME=NUMBER"),
        ("red=3,blue=4", 1, "counts name 'blue', which is not a report of kuk. Its reports are other, red"),
        ("red=3", 1, "counts leave out other: name each report of kuk, other=0 where nobody gave it"),
    ],
)
def test_names_that_are_no_reports_are_refused(counts: str, exit_code: int, message: str) -> None:
    result = sotto("--design", "kuk(prob_red_if_yes=.8, prob_red_if_no=.2)", "--counts", counts)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert message in " ".join(result.stderr.split())


def test_counts_that_are_weights_are_refused() -> None:
    with pytest.raises(DomainError, match="whole numbers"):
        estimate_arms([Arm(read_design("warner(prob=.8)"), np.array([1.5, 3]))])


@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_is_estimated_by_its_name_with_its_epsilon(name: str) -> None:
    designs = read_spec(DESIGNS[name].example).samples()
    words = ["--design", DESIGNS[name].example]
    if name in CHEATING:  # tells nothing by one sample
        designs *= 2
        words += ["--design", CHEATING[name]]
    counts = [word for design in designs for word in ("--counts", ",".join(["40"] * len(design.reports)))]
    result = sotto(*words, *counts, "--json", *["--allow-conclusive"] * designs[0].is_conclusive)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert len(found["designs"]) == len(designs)
    for told, design in zip(found["designs"], designs, strict=True):
        assert told["design"] == design.name
        assert told["epsilon"] == (None if design.is_conclusive else design.epsilon)


def test_conclusive_designs_are_refused_unless_they_are_allowed() -> None:
    words = ["--design", "triangular", "--prob", "1/6", "--yes", 120, "--n", 400]
    refused = sotto(*words)
    assert refused.exit_code == 2
    assert "triangular(prob_innocuous=1/6) is conclusive: a report can prove the answer" in refused.stderr
    assert "epsilon infinite" in sotto(*words, "--allow-conclusive").stdout


def test_outputs_say_by_which_designs_people_were_asked() -> None:
    words = ["--design", "crosswise(prob=.2)", "--counts", "28,12", "--design", "warner(prob=.9)", "--counts", "30,70"]
    printed = sotto(*words).stdout
    assert "design crosswise(prob_innocuous=0.2): 40 reports, epsilon 1.3863" in printed
    row = next(iter(csv.DictReader(StringIO(sotto(*words, "--csv").stdout))))
    assert row["designs"] == "crosswise(prob_innocuous=0.2) | warner(prob_statement=0.9)"
    told = json.loads(sotto(*words, "--json").stdout)
    assert told["designs"][1]["reports"] == {"yes": 30, "no": 70}
    assert told["epsilon"] == told["designs"][1]["epsilon"] == pytest.approx(math.log(9))


def test_samples_that_no_share_explains_are_warned_of() -> None:
    result = sotto("--design", "extended-crosswise(prob=.2)", "--counts", "120,180", "--counts", "90,210")
    assert "One share cannot give the reports of both" in result.stderr
    assert result.stdout.startswith("The reports contradict the survey's design")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--yes 4 --n 10 --design warnr", "--design: the design (warnr) must be one of direct"),
        ("--yes 4 --n 10 --design warner", "warner needs prob_statement"),
        ("--yes 4 --n 10 --design warner --prob 1e999999999", "must be a decimal or a fraction"),
        ("--yes 4 --n 10 --design warner(prob=.9) --prob .9", "--prob goes with one --design"),
        ("--yes 4 --n 10 --design warner(prob=.9) --warner .9", "all say how people were asked: give one"),
        ("--counts 4,5 --yes 4 --n 9 --warner .9", "Give --yes and --n, or --counts"),
        ("--counts 4,x --warner .9", "must be whole numbers of at most 10^12"),
        ("--counts 4,-5 --warner .9", "must be whole numbers of at most 10^12"),
        ("--counts 4,99999999999999 --warner .9", "must be whole numbers of at most 10^12"),
        (
            "--counts 4,5 --design extended-crosswise(prob=.2)",
            "The designs have 2 samples, but --counts is given 1 times",
        ),
        ("tally.json --design warner(prob=.9)", "--design, --truth, --warner and --epsilon go with counts"),
    ],
)
def test_a_wrong_call_is_told_so(words: str, message: str) -> None:
    result = sotto(*words.split())
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--counts 4,5,6 --warner .9", "counts (3 of them) must be of the 2 reports of warner"),
        ("--counts 0,0 --warner .9", "one of them above 0"),
        ("--yes 4 --n 9 --design warner(prob=p)", "needs a table that has the column"),
        (
            "--design k-ary(n_answers=2,prob_truth=.6) --counts 3,4 "
            "--design k-ary(n_answers=3,prob_truth=.6) --counts 3,4,5",
            "arms must be one or more, all with the same answers",
        ),
        (
            "--yes 3 --n 9 --design singh-joarder(prob_statement=0.38196601125010515)",
            "singh-joarder: every report is as likely under yes as under no",
        ),
        ("--yes 4 --n 9 --design unrelated(prob_question=.7) --allow-conclusive", "cannot give the share of yes"),
    ],
)
def test_counts_that_a_design_cannot_have_are_one_line(words: str, message: str) -> None:
    result = sotto(*words.split())
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_rows_whose_designs_have_different_answers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("r,n\n1,2\n2,3\n", encoding="utf-8")
    result = sotto(path, "--column", "r", "--design", "k-ary(n_answers=n,prob_truth=.6)")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "arms must be one or more, all with the same answers" in result.stderr


def test_a_report_that_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "channel.csv"
    path.write_text("report,yes,no\na,.8,.3\nb,.2,.7\nc,0,0\n", encoding="utf-8")
    result = sotto("--design", f"matrix(file={path})", "--counts", "30,40,1")
    assert "matrix cannot give the report 'c', of which there are 1" in result.stderr


def test_an_interval_of_the_respondents_of_several_arms_that_holds_no_share_is_none() -> None:
    """Of the population [0, 0] is none whatever made it; of respondents nobody is possible, unless it was clipped."""
    specs = ("warner(prob=.6)", "warner(prob=.65)")
    cut = [
        Arm(read_design(spec), np.array(counts)) for spec, counts in zip(specs, [(170, 330), (160, 340)], strict=True)
    ]
    nobody = [Arm(read_design("warner(prob=.999999)"), np.array([0, n])) for n in (10, 12)]
    for method in ("chernoff", "hoeffding"):
        options = IntervalOptions(target="respondents", method=method)
        found = estimate_arms(cut, options)
        assert found.contradictions == ()
        assert (found.rows[0].low, found.rows[0].high, found.rows[0].is_outside) == (0, 0, True)
        assert not found.has_interval(found.rows[0])
        possible = estimate_arms(nobody, options)
        assert possible.rows[0].low == 0
        assert possible.has_interval(possible.rows[0])
    assert estimate_arms(nobody, IntervalOptions(target="respondents")).rows[0].high == 0
