"""Associations of a survey's questions, from reports that its own mechanisms made."""

from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sotto_estimator import DomainError, SourceError
from sotto_estimator.association import groups
from sotto_estimator.association.associate import Association, associate
from sotto_estimator.association.axes import read_side
from sotto_estimator.strings.bloom_likelihood import OTHER, bloom_likelihood, misfit, random_string
from sotto_estimator.strings.candidates import CandidateMap
from sotto_protocol import Coins, Survey, compile_survey
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.bits import OptionBits
from sotto_protocol.mechanisms.bloom.design import BloomShape, bloom
from sotto_protocol.mechanisms.bloom.hash import BloomDesign
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes
from sotto_protocol.mechanisms.thresholds import Stages

WORDS = ("oak", "elm", "ash")


def question(name: str, kind: str, **members: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "text": "?", "epsilon": Decimal(4)} | members


def make_survey(waves: int = 1) -> Survey:
    questions = [
        question("tree", "text", mechanism="rappor", n_bits=32, n_hashes=2, n_cohorts=8),
        question("paid", "yes-no"),
        question("size", "one-of", options=["s", "m", "l"], mechanism="k-ary"),
        question("hue", "one-of", options=["r", "g", "b"], mechanism="oue"),
        question("drugs", "any-of", mechanism="bit-flips", options=["tea", "gin"]),
        question("bird", "text", n_bits=16, n_hashes=2, n_cohorts=4, epsilon_forever=Decimal(8)),
        question("lent", "yes-no", mechanism="basic-rappor", epsilon_forever=Decimal(6)),
    ]
    document = {"id": "park", "title": "Park", "questions": questions}
    return compile_survey(document | ({"waves": waves} if waves > 1 else {}))


SURVEY = make_survey()


def collect(n_people: int, seed: int = 1, survey: Survey = SURVEY, wave: int = 1) -> Bytes:
    """Return reports of people, 60 % of whom paid; half of them say the same number in everything."""
    generator = np.random.default_rng(seed)
    tree = generator.choice(3, n_people, p=[0.5, 0.3, 0.2])
    same = generator.random(n_people) < 0.5
    size = np.where(same, tree, generator.integers(0, 3, n_people))
    paid = generator.random(n_people) < np.where(tree == 0, 0.9, 0.3)
    answers = {
        "tree": [WORDS[number] for number in tree],
        "paid": paid.astype(int),
        "size": size,
        "hue": size,
        "drugs": np.stack([paid, ~paid], axis=1).astype(int),
        "bird": [WORDS[number] for number in size],
        "lent": paid.astype(int),
    }
    return survey.perturb(answers, Coins(generator.bytes), wave)


TREE_PAID = {"oak": (0.45, 0.05), "elm": (0.09, 0.21), "ash": (0.06, 0.14), OTHER: (0.0, 0.0)}


def shares(association: Association) -> dict[tuple[str, ...], float]:
    return {cell.answers: cell.share for cell in association.cells}


def check(association: Association, truth: dict[tuple[str, ...], float]) -> None:
    """Hold that all cells lie within 5.5 standard errors (false alarm below 1e-6), and not if they are off by .2."""
    assert association.convergence.converged
    assert shares(association).keys() == truth.keys()
    assert sum(shares(association).values()) == pytest.approx(1)
    for cell in association.cells:
        assert abs(cell.share - truth[cell.answers]) < 5.5 * cell.standard_error, cell
        assert 5.5 * cell.standard_error < 0.2
        assert 0 <= cell.low <= cell.share <= cell.high <= 1


def test_text_and_yes_no() -> None:
    found = associate(SURVEY, collect(20_000), ["tree", "paid"], {"tree": WORDS})
    truth = {(word, yes): pair[side] for word, pair in TREE_PAID.items() for side, yes in enumerate(("yes", "no"))}
    check(found, truth)
    assert found.independence.p_value < 1e-9
    assert found.n_reports == 20_000
    assert found.epsilon == 8
    assert [cell.answers for cell in found.marginals[1]] == [("yes",), ("no",)]
    for place, marginal in enumerate(found.marginals):
        for cell in marginal:
            total = sum(share for answers, share in shares(found).items() if answers[place] == cell.answers[0])
            assert total == pytest.approx(cell.share, abs=4 * cell.standard_error)


def test_two_stages_and_any_of_options_take_part() -> None:
    records = collect(20_000, 2)
    expected = {("yes", "yes"): 0.6, ("yes", "no"): 0.0, ("no", "yes"): 0.0, ("no", "no"): 0.4}
    check(associate(SURVEY, records, ["lent", "drugs:tea"]), expected)
    flipped = {(first, second): expected[first, "no" if second == "yes" else "yes"] for first, second in expected}
    check(associate(SURVEY, records, ["paid", "drugs:gin"]), flipped)
    assert associate(SURVEY, records, ["drugs:tea", "drugs:gin"]).epsilon == 4  # one question's, not twice


def test_one_of_questions_of_both_encodings() -> None:
    size = np.array([0.5, 0.3, 0.2]) / 2 + 1 / 6
    truth = {
        pair: float(size["sml".index(pair[0])]) * ("sml".index(pair[0]) == "rgb".index(pair[1]))
        for pair in product("sml", "rgb")
    }
    check(associate(SURVEY, collect(20_000, 3), ["size", "hue"]), truth)


def test_two_texts_and_three_questions() -> None:
    records = collect(20_000, 4)
    words = (*WORDS, OTHER)
    prior = np.array([0.5, 0.3, 0.2, 0])
    joint = np.diag(prior) / 2 + np.outer(prior, [1, 1, 1, 0]) / 6
    truth = {(words[row], words[column]): float(joint[row, column]) for row in range(4) for column in range(4)}
    check(associate(SURVEY, records, ["tree", "bird"], {"tree": WORDS, "bird": WORDS}), truth)
    paid = np.array([[0.9, 0.1], [0.3, 0.7], [0.3, 0.7], [0, 0]])
    three = {
        (words[row], "sml"[column], yes): float(joint[row, column] * paid[row, side])
        for row in range(4)
        for column in range(3)
        for side, yes in enumerate(("yes", "no"))
    }
    check(associate(SURVEY, records, ["tree", "size", "paid"], {"tree": WORDS}), three)


def test_strings_on_no_list_are_others() -> None:
    found = associate(SURVEY, collect(20_000, 5), ["tree", "paid"], {"tree": WORDS[:2]})
    other = [cell for cell in found.marginals[0] if cell.answers == (OTHER,)]
    assert abs(other[0].share - 0.2) < 5 * other[0].standard_error < 0.2


def test_a_common_string_that_is_missing_widens_the_errors_and_is_told() -> None:
    records = collect(20_000, 6)
    whole = associate(SURVEY, records, ["tree", "paid"], {"tree": WORDS})
    part = associate(SURVEY, records, ["tree", "paid"], {"tree": WORDS[1:]})
    assert whole.warnings == ()
    [warning] = part.warnings
    assert "some common strings are not among its candidates" in warning
    assert part.cells[-1].standard_error > 1.2 * whole.cells[-1].standard_error


def test_grouped_reports_give_what_single_ones_give(monkeypatch: pytest.MonkeyPatch) -> None:
    records = collect(3000, 7)
    grouped = associate(SURVEY, records, ["size", "paid"])
    columns = [column for q, column in SURVEY.layout.cut(records) if q.id in ("size", "paid")]
    assert len(groups._group(columns)[1]) == 6
    monkeypatch.setattr(groups, "_KEY_BYTES", 0)
    assert len(groups._group(columns)[1]) == 3000
    single = associate(SURVEY, records, ["size", "paid"])
    assert shares(single) == pytest.approx(shares(grouped), abs=1e-6)
    assert single.independence.statistic == pytest.approx(grouped.independence.statistic)


def test_what_did_not_converge_is_told() -> None:
    found = associate(SURVEY, collect(1000, 8), ["size", "hue"], max_iterations=1)
    assert not found.convergence.converged
    assert found.convergence.n_iterations == 1
    assert "not converged after 1 iterations" in found.warnings[0]


def test_reports_of_several_waves_are_refused_and_of_one_are_not() -> None:
    survey = make_survey(waves=3)
    first, second = collect(500, 9, survey), collect(500, 10, survey, wave=2)
    with pytest.raises(SourceError, match="2 waves"):
        associate(survey, np.concatenate([first, second]), ["size", "paid"])
    assert associate(survey, second, ["size", "paid"]).n_reports == 500


def test_a_wider_level_has_wider_intervals() -> None:
    records = collect(1000, 11)
    narrow, wide = (associate(SURVEY, records, ["paid", "lent"], level=level) for level in (0.8, 0.99))
    for inner, outer in zip(narrow.cells, wide.cells, strict=True):
        assert outer.low <= inner.low
        assert inner.high <= outer.high


@pytest.mark.parametrize(
    ("questions", "candidates", "message"),
    [
        (["paid"], {}, "two or three different ones"),
        (["paid", "paid"], {}, "two or three different ones"),
        (["paid", "size", "hue", "lent"], {}, "two or three different ones"),
        (["paid", "rain"], {}, r"question \('rain'\) must be one of tree, paid"),
        (["paid", "drugs"], {}, "ask for one option, drugs:tea, drugs:gin"),
        (["paid", "drugs:rum"], {}, "ask for one option"),
        (["paid", "size:s"], {}, "must not name an option"),
        (["paid", "tree"], {}, "give candidates for the text question tree"),
        (["paid", "size"], {"tree": WORDS}, "candidates are given for tree"),
        (["paid", "size"], {"size": WORDS}, "candidates are given for size"),
        (["paid", "tree"], {"tree": ()}, "must not be empty"),
        (["paid", "tree"], {"tree": CandidateMap.of(WORDS, BloomDesign(8, 2, 4))}, "hashed for other parameters"),
    ],
)
def test_what_cannot_be_asked_is_refused(questions: list[str], candidates: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        associate(SURVEY, collect(10), questions, candidates)


def test_too_many_cells_and_no_reports_are_refused() -> None:
    many = [f"tree {number}" for number in range(600)]
    with pytest.raises(DomainError, match="361,201 cells"):
        associate(SURVEY, collect(10), ["tree", "bird"], {"tree": many, "bird": many})
    with pytest.raises(SourceError, match="no reports"):
        associate(SURVEY, collect(10)[:0], ["paid", "size"])
    with pytest.raises(DomainError, match="level"):
        associate(SURVEY, collect(10), ["paid", "size"], level=1)


@pytest.mark.parametrize("name", ["paid", "size", "hue", "lent", "drugs:gin"])
def test_the_likelihood_is_the_probability_of_every_report(name: str) -> None:
    """Exact: over all possible reports of a question, as the thresholds say."""
    found = next(q for q in SURVEY.questions if q.id == name.partition(":")[0])
    side = read_side(SURVEY, name, {})
    true, other = found.mechanism.prob_support_if_true, found.mechanism.prob_support_if_other
    n_bits = 1 if side.labels == ("yes", "no") else found.mechanism.n_values
    if name == "size":
        reports = np.arange(3, dtype=np.uint8).reshape(-1, 1)
        expected = np.full((3, 3), other) + (true - other) * np.eye(3)
    else:
        reports = np.arange(2**n_bits, dtype=np.uint8).reshape(-1, 1)
        bits = np.unpackbits(reports, axis=1, count=n_bits, bitorder="little")
        ones = np.array([[true], [other]]) if n_bits == 1 else other + (true - other) * np.eye(3)
        expected = np.prod(np.where(bits[:, None], ones, 1 - ones), axis=2)
    assert expected.sum(axis=0) == pytest.approx(1)
    ratios = side.likelihood(reports) / expected
    assert ratios == pytest.approx(np.repeat(ratios[:, :1], ratios.shape[1], axis=1))


class Unheard(OptionBits):
    """A pure mechanism of neither kind: whether a person has one value or several is not known."""

    _max_differences = BitFlips._max_differences
    n_true = BitFlips.n_true
    _check_answers = BitFlips._check_answers
    _respond_rows = BitFlips._respond_rows
    what_happens = BitFlips.what_happens


@pytest.mark.parametrize("unknown", ["paid", "size", "hue"])
def test_a_mechanism_whose_likelihood_is_not_known_is_refused_by_name(unknown: str) -> None:
    unheard = Unheard("unheard", 3, 2**31, 2**30)
    questions = [replace(each, mechanism=unheard) if each.id == unknown else each for each in SURVEY.questions]
    survey = replace(SURVEY, questions=tuple(questions))
    reports = np.zeros((5, survey.layout.n_bytes), np.uint8)
    with pytest.raises(DomainError, match=r"mechanism \('unheard'\) must be one whose likelihood is known"):
        associate(survey, reports, [unknown, "lent"])


def small_bloom() -> BloomResponse:
    stages = Stages.of_epsilons(4, Decimal(2), Decimal(5))
    return replace(bloom(BloomShape(5, 2, 3), stages), name="rappor")


def filters(design: BloomDesign) -> tuple[Bytes, NDArray[np.intp]]:
    bits = np.array(list(product([False, True], repeat=design.n_bits)))
    return bits, np.repeat(np.arange(design.n_cohorts), len(bits))


def test_the_likelihood_of_a_text_is_that_of_all_its_bits_in_both_stages() -> None:
    mechanism = small_bloom()
    candidates = CandidateMap.of(WORDS, mechanism.design)
    bits, cohorts = filters(mechanism.design)
    every = np.tile(bits, (3, 1))
    found = np.exp(bloom_likelihood(mechanism, every, cohorts, candidates))
    true, other = mechanism.prob_one_if_one, mechanism.prob_one_if_zero
    expected = np.empty((len(every), 4))
    for row, (reported, cohort) in enumerate(zip(every, cohorts, strict=True)):
        for word, numbers in enumerate(candidates.bits(0, 3)[:, cohort]):
            ones = np.where(np.isin(np.arange(5), numbers), true, other)
            expected[row, word] = np.prod(np.where(reported, ones, 1 - ones))
        draws = [np.isin(np.arange(5), pair) for pair in product(range(5), repeat=2)]
        rates = [np.where(drawn, true, other) for drawn in draws]
        expected[row, 3] = np.mean([np.prod(np.where(reported, ones, 1 - ones)) for ones in rates])
    expected /= expected.max(axis=1, keepdims=True)
    assert found == pytest.approx(expected, rel=1e-5)


def test_a_random_string_is_the_mean_over_all_that_hashes_can_draw() -> None:
    design = BloomDesign(4, 3, 1)
    found = random_string(design, 3.0, 0.5)
    for n_ones in range(5):
        gains = np.array([3.0] * n_ones + [0.5] * (4 - n_ones))
        every = [np.prod(gains[list(set(draw))]) for draw in product(range(4), repeat=3)]
        assert found[n_ones] == pytest.approx(np.mean(every))


def test_the_misfit_is_1_where_others_are_many_strings_and_large_where_they_are_one() -> None:
    mechanism = bloom(BloomShape(32, 2, 8), Stages.of_epsilons(4, Decimal(4)))
    generator = np.random.default_rng(12)
    counts, candidates = np.ones(20_000, np.int64), CandidateMap.of(WORDS, mechanism.design)
    known = generator.choice(WORDS, 20_000)
    others = np.array([f"word {number}" for number in generator.integers(0, 5000, 20_000)])
    is_other = generator.random(20_000) < 0.4
    fitted = np.array([0.2, 0.2, 0.2, 0.4])
    many = mechanism.perturb(np.where(is_other, others, known).tolist(), Coins(generator.bytes))
    one = mechanism.perturb(np.where(is_other, "yew", known).tolist(), Coins(generator.bytes))
    assert misfit(mechanism, many, counts, candidates, fitted) == pytest.approx(1, abs=0.55)
    assert misfit(mechanism, one, counts, candidates, fitted) > 3
