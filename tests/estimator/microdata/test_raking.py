"""Weights raked on several margins: R's package survey, the margins themselves, and what cannot be raked."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import SamplingColumns
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.microdata.groups import Groups
from sotto_estimator.microdata.linearised import estimate_shares
from sotto_estimator.microdata.raking import PopulationMargin, Raked
from sotto_estimator.microdata.sampling import Sampling
from sotto_estimator.microdata.scores import design_scores

SHARES = {"region": [0.2, 0.3, 0.5], "age": [0.45, 0.55], "sex": [0.52, 0.48]}
R = """
i <- 1:80; h <- function(a, m) ((i*a) %% 101) %/% 7 %% m
d <- data.frame(z=ifelse(h(13,5) < 2, 1.5, -.5), region=h(29,3), age=h(43,2), sex=h(67,2), w=1+h(3,7)/2,
  st=i%%2, cl=i%/%8)
des <- svydesign(ids=~1, strata=~st, weights=~w, data=d)              # with clusters: ids=~cl, nest=TRUE
c1 <- calibrate(des, ~factor(region)+age+sex, calfun="raking", epsilon=1e-12,
  population=c(`(Intercept)`=1, `factor(region)1`=.3, `factor(region)2`=.5, age=.55, sex=.48))
print(svymean(~z, c1), digits=15); print(svymean(~z, subset(c1, sex==0)), digits=15)
"""
"""What the figures below are of, with R 4.2.2 and survey 4.1-1. The shares are those of `rake`, too."""


def numbers(by: int, below: int) -> list[int]:
    """Return 80 numbers that look random, as `h` of R's lines."""
    return [i * by % 101 // 7 % below for i in range(1, 81)]


def groups(column: str, codes: list[int]) -> Groups:
    return Groups(column, tuple(map(str, range(max(codes) + 1))), np.array(codes, np.int32))


def margins() -> list[PopulationMargin]:
    codes = {"region": numbers(29, 3), "age": numbers(43, 2), "sex": numbers(67, 2)}
    return [PopulationMargin(groups(name, of), np.array(SHARES[name])) for name, of in codes.items()]


SCORES = np.array([[1.5 if of < 2 else -0.5] for of in numbers(13, 5)])
WEIGHTS = np.array([1 + of / 2 for of in numbers(3, 7)])


@pytest.mark.parametrize(
    ("has_clusters", "error", "error_0"),
    [(False, 0.120689434732885, 0.188036202926844), (True, 0.0863111333244590, 0.161406194384942)],
)
def test_raked_shares_and_errors_are_those_of_r(has_clusters: bool, error: float, error_0: float) -> None:
    strata, clusters = groups("st", [i % 2 for i in range(1, 81)]), groups("cl", [i // 8 for i in range(1, 81)])
    raked = Raked.of(WEIGHTS, margins())
    sampling = Sampling(
        WEIGHTS, strata, clusters if has_clusters else Groups.alone(80), has_clusters, None, raked=raked
    )
    found = estimate_shares(SCORES, sampling)
    assert found.shares[0] == pytest.approx(0.281029941258519, abs=1e-13)
    assert np.sqrt(found.variances[0]) == pytest.approx(error, rel=1e-12)
    of_0 = estimate_shares(SCORES, sampling, np.array(numbers(67, 2)) == 0)
    assert of_0.shares[0] == pytest.approx(0.4593436311486, abs=1e-12)
    assert np.sqrt(of_0.variances[0]) == pytest.approx(error_0, rel=1e-12)


def test_raked_weights_hold_every_margin() -> None:
    raked = Raked.of(WEIGHTS, margins())
    for margin in raked.margins:
        assert np.bincount(margin.groups.codes, raked.weights) == pytest.approx(margin.shares, rel=1e-11)
    one = Raked.of(WEIGHTS, margins()[:1])
    codes = one.margins[0].groups.codes
    assert one.weights == pytest.approx(WEIGHTS * (np.array(SHARES["region"]) / np.bincount(codes, WEIGHTS))[codes])


@pytest.mark.rare
def test_raked_intervals_cover_about_as_often_as_they_say() -> None:
    """2,000 samples of 300 people whose answers go with region, age and sex. A true 95 % leaves this with P < 1e-6."""
    random, n, n_held = np.random.default_rng(1), 300, 0
    cells = np.array([*np.ndindex(4, 3, 2)])
    sizes = random.dirichlet(np.full(len(cells), 4))
    chance = 0.15 + cells @ [0.15, 0.1, -0.1]
    shares = [np.bincount(column, sizes) for column in cells.T]
    design = read_design("crosswise(prob=1/6)")
    for _ in range(2000):
        people = random.choice(len(cells), n, p=sizes)
        answers = (random.random(n) >= chance[people]).astype(int)
        scores = design_scores(design)[(random.random(n) >= design.matrix[0, answers]).astype(int)]
        codes = [groups(str(at), cells[people, at].tolist()) for at in range(3)]
        raked = Raked.of(np.ones(n), [PopulationMargin(*of) for of in zip(codes, shares, strict=True)])
        found = estimate_shares(scores, Sampling(np.ones(n), Groups.one(n), Groups.alone(n), raked=raked))
        n_held += abs(found.shares[0] - sizes @ chance) <= found.half_widths(0.025)[0]
    assert 0.925 < n_held / 2000 < 0.975


def test_margins_that_no_weights_hold_are_named() -> None:
    """All old people are in group 0, which is smaller than they are."""
    region, age = groups("region", [0, 0, 1, 1]), groups("age", [0, 1, 1, 1])
    wanted = [PopulationMargin(region, np.array([0.3, 0.7])), PopulationMargin(age, np.array([0.4, 0.6]))]
    with pytest.raises(SourceError, match=r"no weights hold the margins of region, age together\. Where the others"):
        Raked.of(np.ones(4), wanted)


ROWS = "said,region,age\n" + "same,n,old\ndifferent,s,young\nsame,n,young\ndifferent,s,old\nsame,s,old\n" * 4
TYPED = ("--column", "said", "--design", "crosswise(prob=1/4)", "--post-stratify", "region", "--post-stratify", "age")


def test_the_command_rakes_on_margins_in_pairs(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    typed = ["estimate", str(path), *TYPED, "--margins", "n=.5,s=.5", "--margins", "old=70,young=30"]
    result = CliRunner().invoke(main, [*typed, "--json"])
    assert result.exit_code == 0, result.output
    refused = CliRunner().invoke(main, typed[:-2])
    assert "--post-stratify and --margins go together: a --margins for each column" in refused.stderr


def test_margins_of_other_totals_or_of_one_column_twice_are_refused() -> None:
    with pytest.raises(DomainError, match=r"the same number of people, not to 1,000 of region, 900 of age"):
        SamplingColumns(post_stratify=("region", "age"), margins=({"n": 400, "s": 600}, {"old": 300, "young": 600}))
    assert SamplingColumns(post_stratify=("a", "b"), margins=({"x": 10, "y": 20}, {"x": 0.5, "y": 0.5}))
    with pytest.raises(DomainError, match=r"post_stratify \(a, a\) must name each column once"):
        SamplingColumns(post_stratify=("a", "a"), margins=({"x": 1}, {"x": 1}))


def test_a_regression_takes_no_margins() -> None:
    with pytest.raises(DomainError, match="a regression takes weights, strata and clusters alone"):
        SamplingColumns(post_stratify="region", margins={"n": 1, "s": 1}).check_linear()
