"""Item counts (list experiments): a difference of means, bets that hold for every n, and design effects."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from sotto_client.cli import main
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.item_count import betting_interval
from sotto_estimator.designs.spec import arm, read_spec
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.of_arms import estimate_arms

SHORT, LONG = [40, 120, 150, 70, 20], [35, 90, 150, 95, 25, 5]
LISTS = "item-count(n_items=4, kind=short)", "item-count(n_items=4, kind=long)"


def lists(short: list[int], long: list[int]) -> list[Arm]:
    return [arm(LISTS[0], short), arm(LISTS[1], long)]


def test_the_share_is_the_difference_of_means_with_its_error() -> None:
    """Miller 1984; Imai 2011, eq. 2. These counts fit some shares, so the error is of the variances that came."""
    means, variances = [], []
    for counts in (SHORT, LONG):
        items = np.repeat(np.arange(len(counts)), counts)
        means.append(items.mean())
        variances.append(items.var() / len(items))
    row = estimate_arms(lists(SHORT, LONG)).rows[0]
    assert row.share == pytest.approx(means[1] - means[0], abs=1e-12)
    assert row.standard_error == pytest.approx(math.sqrt(sum(variances)), rel=1e-5)


def test_bets_cover_the_share_whoever_counts_what() -> None:
    """Of lists of one and of two items: by enumeration of all counts, at shares of people by trait and item."""
    n, designs, tail = 3, read_spec("item-count(n_items=1)").samples(), 0.25
    steps = [of for of in product(range(5), repeat=4) if sum(of) == 4]
    classes = np.array([(yes_0, yes_1, no_0, no_1) for yes_0, yes_1, no_0, no_1 in steps]) / 4
    truth = classes[:, 0] + classes[:, 1]
    missed = np.zeros((len(classes), 2))
    for counts in product(*([of for of in product(range(n + 1), repeat=k) if sum(of) == n] for k in (2, 3))):
        arms = [Arm(design, np.array(of, np.float64)) for design, of in zip(designs, counts, strict=True)]
        low, high = betting_interval(arms, tail)
        short = np.column_stack([classes[:, 0] + classes[:, 2], classes[:, 1] + classes[:, 3]])
        long = np.column_stack([classes[:, 2], classes[:, 0] + classes[:, 3], classes[:, 1]])
        prob = stats.multinomial.pmf(counts[0], n, short) * stats.multinomial.pmf(counts[1], n, long)
        missed += prob[:, None] * np.stack([truth < low, truth > high], axis=-1)
    assert missed.max() <= tail
    assert missed.max() > 0


@pytest.mark.parametrize(
    ("kind", "other", "counts"), [("long", "short", "1,2,3,4,5,6"), ("short", "long", "1,2,3,4,5")]
)
def test_one_list_alone_asks_for_the_other(kind: str, other: str, counts: str) -> None:
    result = CliRunner().invoke(
        main, ["estimate", "--design", f"item-count(n_items=4, kind={kind})", "--counts", counts]
    )
    assert f"Add the counts of the {other} list: item-count(n_items=4, kind={other})." in result.stderr


def test_bets_hold_the_truth_of_drawn_lists_and_not_one_far_off() -> None:
    """Of 2,000 people, each end is wrong with 1e-9 at most."""
    rng, items = np.random.default_rng(5), np.array([0.1, 0.3, 0.35, 0.2, 0.05])
    long = 0.7 * np.append(items, 0) + 0.3 * np.append(0, items)
    arms = lists(rng.multinomial(2000, items).tolist(), rng.multinomial(2000, long).tolist())
    low, high = betting_interval(arms, 1e-9)
    assert 0 < low < 0.3 < high < 1
    low, high = betting_interval(arms, 0.025)
    assert high - low < 1.8 * 3.92 * estimate_arms(arms).rows[0].standard_error
    assert estimate_arms(arms).rows[0].low == pytest.approx(low)


def test_methods_of_item_counts_say_what_they_are(tmp_path: Path) -> None:
    arms = lists(SHORT, LONG)
    rows = {
        of: estimate_arms(arms, IntervalOptions(method=of)).rows[0] for of in ("chernoff", "hoeffding", "likelihood")
    }
    widths = [rows[of].high - rows[of].low for of in ("likelihood", "chernoff", "hoeffding")]
    assert widths == sorted(widths)
    said = ["estimate", "--design", "item-count(n_items=4)", "--allow-conclusive"]
    said += [word for of in (SHORT, LONG) for word in ("--counts", ",".join(map(str, of)))]
    assert "95 % intervals by a mixture of bets" in CliRunner().invoke(main, said).stdout
    lines = [
        "list,count",
        *(
            f"{kind},{at}"
            for kind, of in zip("sl", (SHORT, LONG), strict=True)
            for at, n in enumerate(of)
            for _ in range(n)
        ),
    ]
    (tmp_path / "lists.csv").write_text("\n".join([*lines, ""]))
    table = ["estimate", str(tmp_path / "lists.csv"), "--column", "count", "--arm", "list", "--allow-conclusive"]
    table += ["--design", f"s={LISTS[0]}", "--design", f"l={LISTS[1]}"]
    result = CliRunner().invoke(main, table)
    assert "22.50 %      7.42 %" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("long", "is_void"),
    [
        (LONG, False),
        ([75, 220, 50, 35, 15, 5], True),  # more people count at most 1 than of the short list
        ([5, 25, 35, 50, 200, 85], True),  # two items more
    ],
)
def test_design_effects_are_found(long: list[int], is_void: bool) -> None:
    found = estimate_arms(lists(SHORT, long))
    assert bool(found.contradictions) == is_void
    assert not is_void or "samples 1 and 2 contradict one another: one item more" in found.contradictions[0].warning


def test_honest_lists_are_hardly_ever_contradicted() -> None:
    """Where nobody has the trait, the lists are as near a contradiction as honest ones come."""
    rng, items = np.random.default_rng(9), np.array([0.1, 0.3, 0.35, 0.2, 0.05])
    for _ in range(20):
        arms = lists(rng.multinomial(300, items).tolist(), [*rng.multinomial(300, items).tolist(), 0])
        assert not estimate_arms(arms, IntervalOptions(method="hoeffding")).contradictions
