"""Sampling: estimates and their variances are what listing all samples and all noise makes of them."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import WLS

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.microdata.groups import Groups
from sotto_estimator.microdata.linearised import estimate_shares
from sotto_estimator.microdata.raking import PopulationMargin, Raked
from sotto_estimator.microdata.sampling import Sampling
from sotto_estimator.microdata.scores import design_scores

CROSSWISE = read_design("crosswise(prob=1/4)")
SCORES = design_scores(CROSSWISE)


def groups(codes: Sequence[int]) -> Groups:
    return Groups("of", tuple(map(str, range(max(codes) + 1))), np.array(codes, np.int32))


def sampling_of(
    weights: Sequence[float],
    strata: Sequence[int] | None = None,
    clusters: Sequence[int] | None = None,
    population_size: float | None = None,
    margins: Sequence[PopulationMargin] = (),
) -> Sampling:
    n = len(weights)
    return Sampling(
        np.array(weights, np.float64),
        groups(strata) if strata else Groups.one(n),
        groups(clusters) if clusters else Groups.alone(n),
        clusters is not None,
        population_size,
        Raked.of(np.array(weights, np.float64), margins) if margins else None,
    )


def all_noise(answers: Sequence[int]) -> Iterator[tuple[float, Floats]]:
    """Yield every outcome of the reports of people with these answers (0: yes): its probability, and the scores."""
    for reports in product((0, 1), repeat=len(answers)):
        yield float(np.prod(CROSSWISE.matrix[list(reports), list(answers)])), SCORES[list(reports)]


def moments(outcomes: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return the mean estimate, its variance, and the mean estimated variance of (probability, share, variance)."""
    probability, share, variance = np.array(outcomes).T
    assert probability.sum() == pytest.approx(1)
    mean = float(probability @ share)
    return mean, float(probability @ (share - mean) ** 2), float(probability @ variance)


@pytest.mark.parametrize(
    "design", ["crosswise(prob=1/6)", "warner(prob=2/3)", "kuk(.8,.2)", "k-ary", "kuk 3", "unrelated"]
)
def test_scores_have_the_mean_of_the_answer(design: str) -> None:
    written = {
        "kuk(.8,.2)": "kuk(prob_red_if_yes=.8, prob_red_if_no=.2)",
        "k-ary": "k-ary(n_answers=4, prob_truth=1/2)",
        "kuk 3": "kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws=3)",
        "unrelated": "unrelated(prob_question=1/2, prevalence=1/3)",
    }
    of = read_design(written.get(design, design))
    np.testing.assert_allclose(of.matrix.T @ design_scores(of), np.eye(len(of.answers)), atol=1e-12)
    np.testing.assert_allclose(design_scores(of).sum(axis=1), 1)


def test_scores_of_a_binary_design_are_those_of_its_channel() -> None:
    assert SCORES[:, 0] == pytest.approx([(1 - 3 / 4) / (1 / 4 - 3 / 4), (0 - 3 / 4) / (1 / 4 - 3 / 4)])


def test_scores_of_a_design_that_does_not_tell_are_refused() -> None:
    with pytest.raises(DomainError, match="unrelated: its reports alone cannot give the shares"):
        design_scores(read_design("unrelated(prob_question=2/3)"))


def test_simple_samples_without_replacement_are_unbiased_in_share_and_variance() -> None:
    answers, n = [0, 0, 1, 1, 1, 0], 3
    outcomes = []
    for drawn in combinations(answers, n):
        for probability, scores in all_noise(drawn):
            found = estimate_shares(scores, sampling_of([2] * n, population_size=6))
            outcomes.append((probability / 20, found.shares[0], found.variances[0]))
    mean, variance, estimated = moments(outcomes)
    assert mean == pytest.approx(1 / 2)
    assert estimated == pytest.approx(variance)
    noise = (1 / 4 * 3 / 4) / (1 / 2) ** 2 / n
    assert variance == pytest.approx(noise + (1 - 1 / 2) * (0.3) / n), "the noise does not shrink with the population"


def test_strata_are_unbiased_in_share_and_variance() -> None:
    first, second = [0, 0, 1, 1], [0, 1, 1]
    outcomes = []
    for one, two in product(combinations(first, 2), combinations(second, 2)):
        for probability, scores in all_noise([*one, *two]):
            sampling = sampling_of([2, 2, 1.5, 1.5], strata=[0, 0, 1, 1], population_size=7)
            found = estimate_shares(scores, sampling)
            outcomes.append((probability / 18, found.shares[0], found.variances[0]))
    mean, variance, estimated = moments(outcomes)
    assert mean == pytest.approx(3 / 7)
    assert estimated == pytest.approx(variance)


def test_clusters_drawn_with_replacement_are_unbiased_in_share_and_variance() -> None:
    clusters = [[0], [0, 1], [1, 1]]
    outcomes = []
    for one, two in product(clusters, repeat=2):
        for probability, scores in all_noise([*one, *two]):
            of = [0] * len(one) + [1] * len(two)
            found = estimate_shares(scores, sampling_of([3 / 2] * len(of), clusters=of, population_size=5))
            assert found.degrees == 1
            outcomes.append((probability / 9, found.shares[0], found.variances[0]))
    mean, variance, estimated = moments(outcomes)
    assert mean == pytest.approx(2 / 5)
    assert estimated == pytest.approx(variance)


def test_who_is_drawn_for_certain_adds_noise_alone() -> None:
    """A stratum of one person, all of it: nothing is left to chance but the device's noise."""
    scores = SCORES[[0, 1, 0, 0]]
    found = estimate_shares(scores, sampling_of([1, 2, 2, 2], strata=[0, 1, 1, 1], population_size=7))
    alone = estimate_shares(scores[1:], sampling_of([2, 2, 2], population_size=6))
    noise = (scores[0] ** 2 - scores[0]) / 49
    np.testing.assert_allclose(found.variances, alone.variances * 36 / 49 + noise)


Inside = Sequence[bool]


def naive_share(scores: Floats, weights: Floats, sampling: Sampling, inside: Inside) -> float:
    each = weights.tolist()
    for margin in sampling.raked.margins if sampling.raked else ():
        group, size = margin.groups.codes.tolist(), [0.0] * len(margin.shares)
        for row, weight in enumerate(each):
            size[group[row]] += weight
        each = [margin.shares[group[row]] * weight / size[group[row]] for row, weight in enumerate(each)]
    total = sum(weight for weight, within in zip(each, inside, strict=True) if within)
    return float(sum(each[row] * scores[row, 0] for row in range(len(each)) if inside[row])) / total


def naive_variance(scores: Floats, sampling: Sampling, inside: Inside) -> float:
    """Differentiate the estimate by each weight, and take the spread of clusters' sums: no formula of ours."""
    weights, step = sampling.weights, 1e-6
    terms = []
    for row in range(len(weights)):
        more, less = weights.copy(), weights.copy()
        more[row] *= 1 + step
        less[row] *= 1 - step
        ends = [naive_share(scores, of, sampling, inside) for of in (more, less)]
        terms.append((ends[0] - ends[1]) / (2 * step))
    sums: dict[tuple[int, int], float] = {}
    for stratum, cluster, term in zip(sampling.strata.codes, sampling.clusters.codes, terms, strict=True):
        sums[stratum, cluster] = sums.get((stratum, cluster), 0) + term
    total = 0.0
    for stratum in {*sampling.strata.codes}:
        of = [value for (known, _), value in sums.items() if known == stratum]
        total += len(of) / (len(of) - 1) * sum((value - sum(of) / len(of)) ** 2 for value in of)
    return total


@pytest.mark.parametrize("has_clusters", [False, True])
@pytest.mark.parametrize("has_margin", [False, True])
@pytest.mark.parametrize("has_domain", [False, True])
def test_variances_are_those_of_differentiated_estimates(
    has_clusters: bool, has_margin: bool, has_domain: bool
) -> None:
    random = np.random.default_rng(7)
    n = 60
    scores = SCORES[random.integers(0, 2, n)]
    margin = PopulationMargin(groups(random.integers(0, 3, n).tolist()), np.array([0.2, 0.5, 0.3]))
    sampling = sampling_of(
        random.uniform(0.5, 3, n).tolist(),
        strata=random.integers(0, 4, n).tolist(),
        clusters=random.integers(0, 5, n).tolist() if has_clusters else None,
        margins=[margin] if has_margin else [],
    )
    inside = random.random(n) < 0.4 if has_domain else np.ones(n, np.bool_)
    found = estimate_shares(scores, sampling, inside if has_domain else None)
    assert found.shares[0] == pytest.approx(naive_share(scores, sampling.weights, sampling, inside))
    assert found.variances[0] == pytest.approx(naive_variance(scores, sampling, inside), rel=1e-6)
    assert found.shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.variances[0], found.variances[1])


def test_a_domains_degrees_are_of_the_clusters_that_it_is_in() -> None:
    scores = SCORES[[0, 1, 0, 0, 1, 1]]
    sampling = sampling_of([1] * 6, strata=[0, 0, 0, 1, 1, 1], clusters=[0, 0, 1, 2, 3, 4])
    assert estimate_shares(scores, sampling).degrees == 5 - 2
    assert estimate_shares(scores, sampling, np.array([1, 0, 1, 0, 0, 0], np.bool_)).degrees == 2 - 1


def test_unequal_probabilities_are_as_deville_has_them() -> None:
    """Written apart, as R's RRTCS and sampling have it: varest(r, pi) + sum(r (r - 1) / pi), over the size's square."""
    random = np.random.default_rng(11)
    drawn = random.uniform(0.05, 0.9, 40)
    reports = random.integers(0, 2, 40)
    scores = SCORES[reports]
    size = float((1 / drawn).sum()) * 1.1
    found = estimate_shares(scores, sampling_of((1 / drawn).tolist(), population_size=size))
    r = [(1 - report - 3 / 4) / (1 / 4 - 3 / 4) for report in reports]
    part = [(1 - pi) / sum(1 - other for other in drawn) for pi in drawn]
    centre = sum(a * value / pi for a, value, pi in zip(part, r, drawn, strict=True))
    spread = sum((1 - pi) * (value / pi - centre) ** 2 for value, pi in zip(r, drawn, strict=True))
    variance = spread / (1 - sum(a**2 for a in part)) + sum(
        value * (value - 1) / pi for value, pi in zip(r, drawn, strict=True)
    )
    assert found.shares[0] == pytest.approx(sum(value / pi for value, pi in zip(r, drawn, strict=True)) / size)
    assert found.variances[0] == pytest.approx(variance / size**2)


def test_equal_weights_are_no_weights() -> None:
    scores = SCORES[[0, 1, 1, 0, 1]]
    one, three = (estimate_shares(scores, sampling_of([weight] * 5)) for weight in (1, 3))
    np.testing.assert_allclose(one.shares, scores.mean(axis=0))
    np.testing.assert_allclose(one.variances, scores.var(axis=0, ddof=1) / 5)
    np.testing.assert_allclose([*one.shares, *one.variances], [*three.shares, *three.variances])
    assert one.degrees == 4


@pytest.mark.parametrize("clusters", [None, [0, 1, 2, 2]])
def test_a_stratum_of_which_one_was_drawn_is_named(clusters: list[int] | None) -> None:
    with pytest.raises(SourceError, match=r"stratum '1' of of: only one was drawn"):
        estimate_shares(
            SCORES[[0, 1, 0, 0]],
            sampling_of([1] * 4, strata=[0, 0, 1, 1] if clusters else [0, 0, 0, 1], clusters=clusters),
        )
    with pytest.raises(SourceError, match=r"all rows: only one was drawn"):
        estimate_shares(SCORES[[0]], sampling_of([1]))


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [1, 2, 5, 0.5]])
def test_the_noise_is_unbiased_for_what_the_reports_add(weights: list[float]) -> None:
    """Of people who are drawn, all reports listed: theirs is the only variance that is left."""
    answers = [0, 1, 1, 1]
    found = [(p, estimate_shares(scores, sampling_of(weights))) for p, scores in all_noise(answers)]
    _, variance, noise = moments([(p, one.shares[0], one.noise[0]) for p, one in found])
    assert noise == pytest.approx(variance)


@pytest.mark.few(4)
@pytest.mark.parametrize("share", [0, 0.05, 0.1])
@pytest.mark.parametrize("n", [5, 10, 20, 40])
def test_intervals_of_small_samples_with_weights_hold_a_rare_answer(n: int, share: float) -> None:
    """Enumerated: half of the people weigh 1, half 2. Errors by the spread alone miss in 6 to 41 %."""
    design = read_design("crosswise(prob=1/6)")
    reported, sizes = design.matrix[0] @ [share, 1 - share], ((n + 1) // 2, n // 2)
    sampling, missed = sampling_of(np.repeat([1, 2], sizes).tolist()), 0.0
    for counts in product(*(range(size + 1) for size in sizes)):
        is_other = np.concatenate([np.arange(size) >= count for size, count in zip(sizes, counts, strict=True)])
        found = estimate_shares(design_scores(design)[is_other.astype(int)], sampling)
        if abs(found.shares[0] - share) > found.half_widths(0.025)[0]:
            missed += float(np.prod(stats.binom.pmf(counts, sizes, reported)))
    assert 0 < missed < 0.041


def test_equal_answers_without_noise_tell_no_error_but_of_all_people() -> None:
    """Of weights whose mean is not a float either."""
    scores = np.ones((3, 1))
    assert estimate_shares(scores, sampling_of([0.1, 0.2, 0.7])).half_widths(0.025).tolist() == [np.inf]
    assert estimate_shares(scores, sampling_of([1, 1, 1], population_size=3)).half_widths(0.025).tolist() == [0]


@pytest.mark.rare
def test_intervals_of_a_clustered_stratified_sample_cover_about_as_often_as_they_say() -> None:
    """3,000 samples of 2 x 20 clusters from a population whose answers go with the stratum, cluster and weight.

    They are approximate, and of 95 % between 92.5 and 97.5 % hold the share; a true 95 % leaves that with P < 1e-9.
    Errors that forget the clusters cover less, and are found out.
    """
    random = np.random.default_rng(3)
    n_held, n_held_without, n_samples = 0, 0, 3000
    assert (
        stats.binom.cdf(0.925 * n_samples, n_samples, 0.95) + stats.binom.sf(0.975 * n_samples, n_samples, 0.95) < 1e-8
    )
    sizes = random.integers(3, 15, (2, 400))
    levels = np.clip(random.normal([[0.2], [0.5]], 0.6, (2, 400)), 0, 1)
    numbers_yes = np.rint(levels * sizes).astype(int)
    share = numbers_yes.sum() / sizes.sum()
    for _ in range(n_samples):
        answers, strata, clusters, weights = [], [], [], []
        for stratum in range(2):
            chance = sizes[stratum] / sizes[stratum].sum()
            for place, cluster in enumerate(random.choice(400, 20, p=chance)):
                size, n_yes = sizes[stratum, cluster], numbers_yes[stratum, cluster]
                answers += [0] * n_yes + [1] * (size - n_yes)
                strata += [stratum] * size
                clusters += [20 * stratum + place] * size
                weights += [1 / (20 * chance[cluster])] * size
        asked_yes = random.random(len(answers)) < CROSSWISE.matrix[0, answers]
        scores = SCORES[np.where(asked_yes, 0, 1)]
        for has_clusters in (True, False):
            found = estimate_shares(scores, sampling_of(weights, strata, clusters if has_clusters else None))
            half = stats.t.ppf(0.975, found.degrees) * np.sqrt(found.variances[0])
            held = abs(found.shares[0] - share) <= half
            n_held += held and has_clusters
            n_held_without += held and not has_clusters
    assert 0.925 * n_samples < n_held < 0.975 * n_samples
    assert n_held_without < 0.925 * n_samples


def test_clustered_errors_are_those_of_statsmodels() -> None:
    """A regression on a constant, weighted, with errors that clusters share: the same sandwich, written by others."""
    random = np.random.default_rng(5)
    n = 200
    scores, clusters = SCORES[random.integers(0, 2, n)], random.integers(0, 25, n)
    weights = random.uniform(0.2, 4, n)
    found = estimate_shares(scores, sampling_of(weights.tolist(), clusters=clusters.tolist()))
    fitted = WLS(scores[:, 0], np.ones(n), weights=weights).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    assert found.shares[0] == pytest.approx(float(fitted.params[0]), rel=1e-10)
    assert np.sqrt(found.variances[0]) == pytest.approx(float(fitted.bse[0]), rel=1e-10)
