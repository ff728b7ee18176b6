"""Replicate weights: figures of R's package survey, and every column and method that cannot be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import SamplingColumns, estimate, regress
from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.microdata.groups import Groups
from sotto_estimator.microdata.linearised import estimate_shares
from sotto_estimator.microdata.raking import PopulationMargin, Raked
from sotto_estimator.microdata.replicates import ReplicateMethod, Replicates
from sotto_estimator.microdata.sampling import Sampling

R = """
i <- 1:80; h <- function(a, m) ((i*a) %% 101) %/% 7 %% m
d <- data.frame(z=ifelse(h(13,5) < 2, 1.5, -.5), region=h(29,3), age=h(43,2), sex=h(67,2), w=1+h(3,7)/2)
st <- (i-1)%/%10; second <- (i-1)%/%5%%2; H <- matrix(1,1,1); for (k in 1:3) H <- rbind(cbind(H,H), cbind(H,-H))
half <- sapply(1:8, function(r) ifelse((H[r,st+1] > 0) == (second == 1), 1, 0))
dropped <- sapply(0:7, function(r) (i%%8 != r) * 8/7)
jkn <- sapply(0:15, function(r) ifelse((i-1)%/%5 == r, 0, ifelse(st == r%/%2, 2, 1)))
boot <- sapply(1:10, function(r) ((i*i*7 + 31*r*i + 11*r*r) %% 101) %/% 7 %% 4)
of <- function(reps, ...) svrepdesign(weights=d$w, repweights=reps*d$w, data=d, combined.weights=TRUE, mse=TRUE, ...)
designs <- list(of(2*half, type="BRR"), of(ifelse(half==1, 1.7, .3), type="Fay", rho=.3), of(dropped, type="JK1"),
  of(jkn, type="JKn", scale=1, rscales=rep(.5, 16)), of(boot, type="bootstrap"), of(2*half, type="JK2"),
  of(boot, type="successive-difference"))
for (dd in designs) { s <- subset(dd, sex==0); q <- rake(dd, list(~region,~age),
    list(data.frame(region=0:2, Freq=c(.2,.3,.5)), data.frame(age=0:1, Freq=c(.45,.55))),
    control=list(maxit=100, epsilon=0))  # replicates take longer than the sample
  print(c(SE(svymean(~z,dd)), degf(dd), SE(svymean(~z,s)), degf(s), SE(svymean(~z,q))), digits=15) }
"""
"""What the figures below are of, with R 4.2.2 and survey 4.1-1; the shares are .315.., .478.., .271.. of them all."""
AT = np.arange(1, 81)


def numbers(by: int, below: int) -> Any:
    return AT * by % 101 // 7 % below


def hadamard() -> Floats:
    two = np.array([[1, 1], [1, -1]])
    return np.kron(np.kron(two, two), two)


STRATUM, CLUSTER = (AT - 1) // 10, (AT - 1) // 5
SCORES, WEIGHTS = np.where(numbers(13, 5) < 2, 1.5, -0.5)[:, None], 1 + numbers(3, 7) / 2
HALF = (hadamard()[:, STRATUM].T > 0) == (CLUSTER % 2 == 1)[:, None]
DROPPED = (AT[:, None] % 8 != np.arange(8)) * 8 / 7
JKN = np.where(CLUSTER[:, None] == np.arange(16), 0, np.where(STRATUM[:, None] == np.arange(16) // 2, 2, 1))
BOOT = np.stack([(AT * AT * 7 + 31 * r * AT + 11 * r * r) % 101 // 7 % 4 for r in range(1, 11)], axis=-1)

FROM_R = {
    "brr": (2.0 * HALF, (), [0.046067340204677, 7, 0.12532357033914, 7, 0.07365731877457]),
    "fay(rho=0.3)": (np.where(HALF, 1.7, 0.3), (), [0.0460471453176766, 7, 0.12607232173514, 7, 0.0698718062910571]),
    "jk1": (DROPPED, (), [0.0410495332588634, 7, 0.169760704722948, 7, 0.0731846694255883]),
    "jkn": (JKN, (0.5,) * 16, [0.0462758153752857, 8, 0.128714806583368, 8, 0.065521386643112]),
    "bootstrap": (BOOT, (), [0.0672753999361723, 9, 0.124005886958916, 9, 0.0684968841103739]),
    "jk2": (2.0 * HALF, (), [0.130298114599819, 7, 0.354468585717261, 7, 0.208334358358071]),
    "successive-difference": (BOOT, (), [0.127646096578231, 9, 0.235284627635728, 9, 0.129963699848027]),
}


def margin(name: str, codes: Any, shares: list[float]) -> PopulationMargin:
    return PopulationMargin(Groups(name, tuple(map(str, range(len(shares)))), codes.astype(np.int32)), np.array(shares))


@pytest.mark.parametrize("method", FROM_R)
def test_errors_and_degrees_of_freedom_are_those_of_r(method: str) -> None:
    factors, scales, (error, degrees, error_0, degrees_0, error_raked) = FROM_R[method]
    n = factors.shape[1]
    columns = WEIGHTS[:, None] * factors
    replicates = Replicates(tuple(map(str, range(n))), columns, ReplicateMethod(method, scales).of(n), method)
    margins = [margin("region", numbers(29, 3), [0.2, 0.3, 0.5]), margin("age", numbers(43, 2), [0.45, 0.55])]

    def found(raked: Raked | None = None, domain: Any = None) -> tuple[float, float, int]:
        sampling = Sampling(WEIGHTS, Groups.one(80), Groups.alone(80), raked=raked, replicates=replicates)
        of = estimate_shares(SCORES, sampling, domain)
        return float(of.shares[0]), float(np.sqrt(of.variances[0])), of.degrees

    assert found() == (pytest.approx(0.315384615384615), pytest.approx(error, rel=1e-13), degrees)
    of_0 = found(domain=numbers(67, 2) == 0)
    assert of_0 == (pytest.approx(0.478021978021978), pytest.approx(error_0, rel=1e-13), degrees_0)
    share, of_raked, _ = found(Raked.of(WEIGHTS, margins))
    assert share == pytest.approx(0.271213734492387, abs=1e-11)
    assert of_raked == pytest.approx(error_raked, rel=1e-11)


def test_errors_are_at_least_the_noise_of_the_reports() -> None:
    """Replicates of the same weights say that nothing varies."""
    replicates = Replicates(("a", "b"), np.stack([WEIGHTS, WEIGHTS], axis=-1), np.ones(2), "jk2")
    found = estimate_shares(SCORES, Sampling(WEIGHTS, Groups.one(80), Groups.alone(80), replicates=replicates))
    noise = float((WEIGHTS / WEIGHTS.sum()) ** 2 @ (SCORES**2 - SCORES)[:, 0])
    assert (found.variances[0], found.errors[0], found.degrees) == (
        pytest.approx(0, abs=1e-30),
        pytest.approx(np.sqrt(noise)),
        0,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the people of R's lines with their bootstrap weights; of sex 2 one person, who is not in rep9."""
    said = np.where(numbers(13, 5) < 2, "different", "same")
    columns = np.rint(2 * WEIGHTS[:, None] * BOOT).astype(int) / 2
    sex = numbers(67, 2)
    sex[np.flatnonzero(BOOT[:, 8] == 0)[0]] = 2
    rows = (",".join(map(str, row)) for row in zip(said, WEIGHTS, sex, *columns.T, strict=True))
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["said,weight,sex," + ",".join(f"rep{at}" for at in range(1, 11)), *rows]) + "\n")
    return path


DESIGN = ("--column", "said", "--design", "crosswise(prob=1/4)", "--weights", "weight")
BOOTSTRAP = ("--replicates", "rep*", "--replicate-method", "bootstrap")


def test_the_command_takes_columns_or_a_pattern(path: Path) -> None:
    listed = ",".join(f"rep{at}" for at in range(1, 11))
    typed = ["estimate", str(path), *DESIGN]
    told = [CliRunner().invoke(main, [*typed, "--replicates", of, *BOOTSTRAP[2:], "--csv"]) for of in ("rep*", listed)]
    assert [of.exit_code for of in told] == [0, 0], told[0].output
    assert told[0].stdout == told[1].stdout
    assert "replicates" in told[0].stdout
    text = CliRunner().invoke(main, [*typed, *BOOTSTRAP, "--by", "sex"])
    assert "by 10 replicate weights (bootstrap) with Student's t (approximate)" in text.stdout
    by_sex = json.loads(CliRunner().invoke(main, [*typed, *BOOTSTRAP, "--by", "sex", "--json"]).stdout)["groups"]
    assert [of["degrees_of_freedom"] for of in by_sex] == [9, 9, 0]
    [row] = by_sex[-1]["estimates"]
    assert (row["low"], row["high"], row["standard_error"]) == (0, 1, None), "one replicate has nobody of the group"
    assert by_sex[-1]["no_error"] == "all of them have weight 0 in rep2, rep3, rep4, rep9"
    assert "no standard error where the interval is 0 to 100 %: all of them have weight 0 in rep2, " in text.stdout
    assert "Warning" not in text.stderr


def test_factors_of_the_weights_are_noticed_and_taken(path: Path) -> None:
    """The errors of factors are those of the full weights of the file, which are their products."""
    full = json.loads(CliRunner().invoke(main, ["estimate", str(path), *DESIGN, *BOOTSTRAP, "--json"]).stdout)
    of_full = CliRunner().invoke(main, ["estimate", str(path), *DESIGN, *BOOTSTRAP, "--replicate-factors"])
    assert "3.94 times as large as these on average. If they are full weights, leave out" in of_full.stderr
    lines = [line.split(",") for line in path.read_text().splitlines()]
    rows = [[*line[:3], *map(str, factors)] for line, factors in zip(lines[1:], BOOT, strict=True)]
    for times, words in (
        (1, "do not follow the weights from row to row"),
        (1000, "0.000555 times as large as the weigh"),
    ):
        scaled = [[row[0], str(float(row[1]) * times), *row[2:]] for row in rows]
        path.write_text("\n".join(",".join(row) for row in [lines[0], *scaled]) + "\n")
        typed = ["estimate", str(path), *DESIGN, *BOOTSTRAP, "--by", "sex"]
        warned = CliRunner().invoke(main, typed)
        assert f"Warning: the replicate weights {'are ' * (times > 1)}{words}" in warned.stderr
        assert warned.stderr.count("replicate-factors") == 1, "it is said once of all groups, and names the option"
        told = CliRunner().invoke(main, [*typed[:-2], "--replicate-factors", "--json"])
        assert told.stderr == ""
        assert json.loads(told.stdout)["estimates"] == [
            {name: pytest.approx(value) for name, value in full["estimates"][0].items()}
        ]


def test_intervals_are_those_of_r(path: Path) -> None:
    """confint(svymean(~z, of(boot, type="successive-difference")), df=9), whose error is above the reports' noise."""
    drawn = SamplingColumns("weight", replicates="rep*", replicate_method="successive-difference")
    found = estimate(path, column="said", design="crosswise(prob=1/4)", sampling=drawn)
    row = found.rows[0]
    assert found.options.method == "replicates"
    assert (row.low, row.high) == (pytest.approx(0.0266290837069397), pytest.approx(0.6041401470622911))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no method": ({"replicates": "rep*"}, "replicates go with weights and replicate_method"),
    "no weights": ({"weights": "", "replicates": "rep*", "replicate_method": "brr"}, "replicates go with weights"),
    "no replicates": ({"replicate_method": "brr"}, "replicate_method, replicate_scales and replicate_factors go with"),
    "unknown": (
        {"replicates": "rep*", "replicate_method": "brrr"},
        r"replicate_method \(brrr\) must be one of brr, fay",
    ),
    "no rho": ({"replicates": "rep*", "replicate_method": "fay"}, r"must be fay\(rho=X\)"),
    "rho": ({"replicates": "rep*", "replicate_method": "fay(rho=1)"}, r"rho \(1\) must be in \[0, 1\)"),
    "jkn": ({"replicates": "rep*", "replicate_method": "jkn"}, "jkn needs replicate_scales"),
    "scale": ({"replicates": "rep*", "replicate_method": "jkn", "replicate_scales": [0.5, 0]}, r"\(0\) must be finite"),
    "strata": ({"strata": "sex", "replicates": "rep*", "replicate_method": "brr"}, "take the place of strata and cl"),
    "scales": ({"replicates": "rep*", "replicate_method": "jkn", "replicate_scales": [0.5, 1]}, r"one number, or 10"),
    "one": ({"replicates": "rep1", "replicate_method": "brr"}, r"replicates \(1\) must be two columns or more"),
    "twice": ({"replicates": ["rep1", "rep*"], "replicate_method": "brr"}, "name the column rep1 twice"),
    "none": ({"replicates": "xyz*", "replicate_method": "brr"}, r"no column fits 'xyz\*'. It has 'said', 'weight'"),
    "no number": ({"replicates": "s*", "replicate_method": "brr"}, r"column said, row 2: .* must be a number"),
}


@pytest.mark.parametrize("of", WRONG)
def test_what_cannot_be_is_refused_by_name(path: Path, of: str) -> None:
    given, words = WRONG[of]
    with pytest.raises((DomainError, SourceError), match=words):
        estimate(
            path,
            column="said",
            design="crosswise(prob=1/4)",
            sampling=SamplingColumns(**{"weights": "weight"} | given),
        )


def test_weights_below_0_or_all_0_are_named(path: Path) -> None:
    lines = path.read_text().splitlines()
    edits: dict[str, Callable[[str], str]] = {
        r"column rep10, row 2: '-1' must be a replicate weight": lambda line: f"{line.rpartition(',')[0]},-1",
        "column rep10: all replicate weights are 0": lambda line: f"{line.rpartition(',')[0]},0",
    }
    drawn = SamplingColumns("weight", replicates="rep*", replicate_method="jk1")
    for words, edit in edits.items():
        path.write_text("\n".join([lines[0], *map(edit, lines[1:])]) + "\n")
        with pytest.raises(SourceError, match=words):
            estimate(path, column="said", design="crosswise(prob=1/4)", sampling=drawn)


def test_a_regression_takes_no_replicates(path: Path) -> None:
    drawn = SamplingColumns("weight", replicates="rep*", replicate_method="jk1")
    with pytest.raises(DomainError, match="without margins and replicate weights"):
        regress(path, "said ~ sex", design="crosswise(prob=1/4)", sampling=drawn)


def test_the_command_names_its_options(path: Path) -> None:
    typed = ["estimate", str(path), *DESIGN]
    found = CliRunner().invoke(main, [*typed, "--replicates", "rep*", "--replicate-method", "jkn"])
    assert found.exit_code == 2
    assert "--replicate-method jkn needs --replicate-scales" in found.stderr
    found = CliRunner().invoke(main, [*typed, *BOOTSTRAP, "--replicate-scales", "a"])
    assert "must be numbers with commas between" in found.stderr
    found = CliRunner().invoke(main, [*typed, *BOOTSTRAP, "--population-size", "1000"])
    assert "--population-size does not go with --replicates" in found.stderr
