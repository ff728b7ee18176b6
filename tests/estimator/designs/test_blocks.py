"""Block garbling: exactly so many of each block are recorded as yes. Against an enumeration of who they are."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.designs.spec import arm
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_arms import estimate_arms

LEVEL = 0.9


def estimated(size: int, forced: int, n_yes: int, n: int, **options: object) -> Estimates:
    asked = arm(f"block-garbling(block_size={size}, n_forced={forced})", [n_yes, n - n_yes])
    return estimate_arms([asked], IntervalOptions(level=LEVEL, **options))  # type: ignore[arg-type]


def law_of(size: int, forced: int, answers: Sequence[int]) -> Counter[int]:
    """Return how many of all ways to force people give so many yes; the last block may be incomplete."""
    law = Counter({0: 1})
    for start in range(0, len(answers), size):
        block = answers[start : start + size]
        ways = Counter(
            sum(answer or place in chosen for place, answer in enumerate(block))
            for chosen in combinations(range(size), forced)
        )
        found: Counter[int] = Counter()
        for (one, n_one), (two, n_two) in product(law.items(), ways.items()):
            found[one + two] += n_one * n_two
        law = found
    return law


CASES = {"incomplete": (4, 2, 7), "one team": (8, 2, 8)}


@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
@pytest.mark.parametrize("case", CASES)
def test_respondents_are_covered_whoever_has_the_trait(case: str, method: str) -> None:
    size, forced, n = CASES[case]
    ends = {}
    for n_yes in range(n + 1):
        found = estimated(size, forced, n_yes, n, method=method, target="respondents")
        if found.told_rows:
            ends[n_yes] = found.rows[0].low, found.rows[0].high
    worst = np.zeros(2)
    for answers in {tuple(of) for of in product((0, 1), repeat=n)}:
        law, truth = law_of(size, forced, answers), sum(answers) / n
        missed = [
            sum(ways for n_yes, ways in law.items() if side(truth, *ends[n_yes]))
            for side in (lambda truth, low, high: truth < low - 1e-9, lambda truth, low, high: truth > high + 1e-9)
        ]
        worst = np.maximum(worst, np.array(missed) / law.total())
    assert worst.max() <= (1 - LEVEL) / 2
    assert (method, case) != ("clopper-pearson", "one team") or worst.max() > 0.01  # not so wide that nothing misses


@pytest.mark.parametrize("method", ["chernoff", "hoeffding", "clopper-pearson", "blaker"])
@pytest.mark.parametrize("case", ["incomplete"])
def test_the_population_is_covered(case: str, method: str) -> None:
    size, forced, n = CASES[case]
    shares = np.linspace(0, 1, 101)
    missed = np.zeros((len(shares), 2))
    for answers in product((0, 1), repeat=n):
        law, k = law_of(size, forced, answers), sum(answers)
        prob = shares**k * (1 - shares) ** (n - k)
        for n_yes, ways in law.items():
            row = estimates_of(size, forced, n_yes, n, method)
            missed += (prob * ways / law.total())[:, None] * np.stack(
                [shares < row[0] - 1e-9, shares > row[1] + 1e-9], axis=-1
            )
    assert missed.sum(axis=1).max() <= 1 - LEVEL
    assert missed.max() > 0


def estimates_of(
    size: int,
    forced: int,
    n_yes: int,
    n: int,
    method: str,
    known: dict[tuple[object, ...], tuple[float, float]] = {},  # noqa: B006
) -> tuple[float, float]:
    key = size, forced, n_yes, n, method
    if key not in known:
        row = estimated(size, forced, n_yes, n, method=method).rows[0]
        known[key] = row.low, row.high
    return known[key]


def test_the_share_is_unbiased_and_its_error_that_of_the_enumeration() -> None:
    """About the respondents, of two blocks with as many people who have the trait."""
    size, forced, answers = 4, 1, (1, 0, 0, 0, 0, 0, 1, 0)
    law = law_of(size, forced, answers)
    shares = {n_yes: estimated(size, forced, n_yes, 8, target="respondents").rows[0].share for n_yes in law}
    mean = sum(ways * shares[n_yes] for n_yes, ways in law.items()) / law.total()
    variance = sum(ways * (shares[n_yes] - mean) ** 2 for n_yes, ways in law.items()) / law.total()
    assert mean == pytest.approx(0.25)
    # the error is of the share that is estimated: there is no count that gives 1/4, so by the formula at 1/4
    others, chosen = 3, 1
    hypergeometric = chosen * others / size * (1 - others / size) * (size - chosen) / (size - 1)
    assert variance == pytest.approx(2 * hypergeometric / 6**2)
    row = estimated(size, forced, 5, 8, target="respondents").rows[0]
    assert row.share == pytest.approx((5 - 2) / 6)
    others = 4 * (1 - row.share)
    each = others / size * (1 - others / size) * (size - chosen) / (size - 1)
    assert row.standard_error == pytest.approx(math.sqrt(2 * each) / 6)


def test_in_a_team_of_ten_the_error_is_a_quarter_of_that_of_coins() -> None:
    """At 5 % true and 2 of 10 forced: 3.6 points in place of 15.4 (variance 18 times smaller)."""
    forced, size, share = 2, 10, 0.05
    coins = math.sqrt((1 - share) * 0.2 * 0.8 / size) / 0.8
    row = estimated(10, 2, 2 * 200 + 80, 2000, target="respondents").rows[0]
    assert row.share == pytest.approx(share)
    assert coins / math.sqrt(200) / row.standard_error == pytest.approx(4.25, abs=0.05)
    assert round(100 * row.standard_error * math.sqrt(200), 1) == 3.6
    assert forced < size


def test_fewer_yes_than_people_who_were_forced_are_impossible() -> None:
    found = estimated(5, 1, 60, 400)
    assert not found.told_rows
    assert found.verdicts[0].is_void
    assert "60 of 400 reports point to yes. At least 80 are expected" in found.contradictions[0].warning


@pytest.mark.parametrize("target", ["population", "respondents"])
def test_one_person_of_a_block_says_nothing(target: str) -> None:
    """A yes may be forced; a no proves a no of these respondents."""
    rows = [estimated(5, 1, n_yes, 1, target=target).rows[0] for n_yes in (1, 0)]
    assert (rows[0].low, rows[0].high) == (0, 1)
    assert (rows[1].low, rows[1].high) == ((0, 1) if target == "population" else (0, 0))


def test_fewer_yes_in_one_team_than_were_forced_there_are_impossible() -> None:
    teams = [arm("block-garbling(block_size=10, n_forced=2)", of) for of in ([0, 10], [9, 1])]
    found = estimate_arms(teams)
    assert not found.told_rows
    assert "0 of 10 reports point to yes. At least 2 are expected" in found.contradictions[0].warning


def test_teams_are_pooled_each_with_its_own_last_block() -> None:
    teams = [arm("block-garbling(block_size=10, n_forced=2)", of) for of in ([4, 10], [3, 9])]
    row = estimate_arms(teams).rows[0]
    assert row.share == pytest.approx((7 - 26 / 5) / (26 - 26 / 5))


FIVES = "block-garbling(block_size=5, n_forced=1)"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("estimate --yes 5 --n 9 --design block-garbling(block_size=5,n_forced=5)", "must be below block_size (5)"),
        (
            "estimate --yes 40 --n 100 --target respondents --method clopper-pearson --design FIVES",
            "exact tails take at most 20,000. Use chernoff",
        ),
        (
            "estimate --design FIVES --counts 4,6 --design warner(prob=.9) --counts 4,6",
            "warner is no design of blocks",
        ),
        (
            "test groups --design FIVES --yes 4 --n 10 --other-yes 5 --other-n 10",
            "reports of one block depend on one another",
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused(words: str, message: str) -> None:
    given = [FIVES if word == "FIVES" else word for word in words.split()]
    result = CliRunner().invoke(main, [*given, "--allow-conclusive"])
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.stderr.split())


def test_it_is_refused_where_reports_are_taken_to_be_independent() -> None:
    with pytest.raises(DomainError, match="depend on one another"):
        _ = arm(FIVES, [4, 6]).design.channel
