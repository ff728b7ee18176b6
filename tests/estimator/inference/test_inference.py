"""What the registry says of each kind of mechanism, held against every mechanism, capability by capability.

References are enumerations: each report that a mechanism can send, with its probability under each answer, by its
channel as it is published; no estimate is drawn, and nothing of the estimator makes them.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations_with_replacement, permutations, product
from typing import Any, cast, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from contract import OF_NAMES, OF_TYPES
from sotto_estimator import DomainError, SourceError, likeliest_shares, share_covariance
from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.group_estimates import sides_of_tally
from sotto_estimator.inference.registry import INFERENCE, Capability, Nothing, find, inference_of
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.outlook import outlook_of
from sotto_estimator.shares.of_tally import estimate_tally, intervals_together
from sotto_protocol import Question, Survey, Tally, compile_survey
from sotto_protocol.mechanisms.bit_flips import BitFlips
from sotto_protocol.mechanisms.bloom.hash import bloom_bits
from sotto_protocol.mechanisms.levels import LevelResponse
from sotto_protocol.mechanisms.mechanism import Mechanism, PureMechanism, SelectionMechanism
from sotto_protocol.mechanisms.padded_subset import PaddedSubset
from sotto_protocol.mechanisms.registry import ENTRIES
from sotto_protocol.mechanisms.segments import SegmentsResponse
from sotto_protocol.mechanisms.sketch.hash import bucket, string_number
from sotto_protocol.mechanisms.sketch.response import SketchResponse
from sotto_protocol.mechanisms.window import WindowResponse

CAPABILITIES = get_args(Capability)
OPTIONS = ["red", "green", "blue", "grey"]
"""Of so many no set design is k-ary response by another name."""
OF_TYPES_HERE = OF_TYPES | {"one-of": {"options": OPTIONS}, "text": {"n_cohorts": 2}}
OF_NAMES_HERE = OF_NAMES | {
    "rappor": {"n_bits": 4, "n_cohorts": 2},
    "sketch": {"n_cohorts": 2},
}
STRINGS = ["oak", "elm", "ash"]


def surveys() -> Iterator[Any]:
    """Yield a survey of one question by every mechanism of the registry, and of two stages where it has them."""
    for entry in ENTRIES:
        for more in [{}, {"epsilon_forever": Decimal(3)}][: 2 if entry.may_repeat else 1]:
            members = {"id": "q", "type": entry.question_type, "text": "?", "mechanism": entry.name, "epsilon": 2}
            weight = {"weight": 2} if (entry.question_type, entry.name) == ("one-of", "subset") else {}
            asked = OF_TYPES_HERE[entry.question_type] | OF_NAMES_HERE.get(entry.name, {}) | weight | more
            document = {key: value for key, value in (members | asked).items() if value is not None}
            document["epsilon"] = Decimal(2) if "epsilon" in document else None
            document = {key: value for key, value in document.items() if value is not None}
            survey = compile_survey({"id": "s", "title": "S", "questions": [document]})
            yield pytest.param(survey, id=f"{entry.question_type}-{entry.name}-{1 + len(more)}")


EVERY = [*surveys()]
OF_SHARES = [one for one in EVERY if isinstance(one.values[0].questions[0].mechanism, PureMechanism)]
OF_NUMBERS = [one for one in EVERY if one.values[0].questions[0].type == "number"]
OF_TEXTS = [one for one in EVERY if one.values[0].questions[0].type == "text"]


def answers_to(question: Question) -> list[Any]:
    """Return every answer, as mechanisms take it."""
    mechanism = question.mechanism
    if question.type == "text":
        return STRINGS
    if isinstance(mechanism, LevelResponse):
        return list(range(mechanism.span + 1))
    if not mechanism.takes_rows:
        return list(range(max(2, mechanism.n_values)))
    rows = product([0, 1], repeat=mechanism.n_values)
    return [row for row in rows if sum(row) <= mechanism.max_selected]


def reported_ones(mechanism: Any) -> tuple[float, float]:
    """Return P(bit is reported as one) of a true bit and another, by the published thresholds of both stages."""
    one, zero = getattr(mechanism, "report_if_one", 2**32) / 2**32, getattr(mechanism, "report_if_zero", 0) / 2**32
    firsts = mechanism.threshold_if_true / 2**32, mechanism.threshold_if_other / 2**32
    true, other = (first * one + (1 - first) * zero for first in firsts)
    return true, other


def of_bits(mechanism: Any, is_true: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return every pattern of bits, packed, and its probability by row of true bits: each bit by coins of its own."""
    bits = np.array([*product([0, 1], repeat=is_true.shape[1])])
    ones = np.where(is_true, *reported_ones(mechanism))
    probs = np.where(bits[:, None], ones, 1 - ones).prod(axis=2)
    return np.packbits(bits.astype(np.uint8), axis=1, bitorder="little"), probs


def of_outputs(mechanism: Any, n_outputs: int) -> NDArray[np.uint8]:
    return np.array([list(number.to_bytes(mechanism.n_bytes, "big")) for number in range(n_outputs)], np.uint8)


def of_sets(reports: NDArray[np.uint8], supports: NDArray[np.bool_], mechanism: Any) -> NDArray[np.float64]:
    """Return how likely each output is by answer: one that supports it by the published coins, all of these alike."""
    first, kept = mechanism.threshold_if_true / 2**32, getattr(mechanism, "report_if_true", 2**32) / 2**32
    lies = supports.shape[1] - 1
    truth = first if kept == 1 else first * kept + (1 - first) * (1 - kept) / lies
    n_with = supports.sum(axis=0)
    return np.where(supports, truth / n_with, (1 - truth) / (len(reports) - n_with))


def rounded(mechanism: LevelResponse, answers: list[int]) -> NDArray[np.float64]:
    """Return how likely each number is rounded to each level, shape (levels, n_answers)."""
    places = np.array(answers) * (mechanism.levels - 1) / mechanism.span
    return np.maximum(0, 1 - abs(np.arange(mechanism.levels)[:, None] - places))


def enumerated(question: Question) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return every packed report, shape (m, n_bytes), and its probability, shape (m, n_answers), by answer."""
    mechanism: Any = question.mechanism
    answers = answers_to(question)
    if mechanism.asks_some:
        yes, no = reported_ones(mechanism)
        listed = [(option, is_yes) for option in range(mechanism.n_values) for is_yes in (0, 1)]
        probs = [[yes if row[option] else no for row in answers] for option, _ in listed]
        ones = np.array([is_yes for _, is_yes in listed])[:, None]
        return np.array(listed, np.uint8), np.where(ones, probs, 1 - np.array(probs)) / mechanism.n_values
    if isinstance(mechanism, WindowResponse):
        reports = of_outputs(mechanism, mechanism.n_outputs)
        offsets = np.arange(mechanism.n_outputs)[:, None] - np.arange(mechanism.levels)
        kept = mechanism.report_if_true / 2**32
        first = mechanism.threshold_if_true / 2**32
        truth = first * kept + (1 - first) * (1 - kept)
        inside = (offsets >= 0) & (offsets < mechanism.width)
        by_level = np.where(inside, truth / mechanism.width, (1 - truth) / (mechanism.levels - 1))
        return reports, by_level @ rounded(mechanism, answers)
    if isinstance(mechanism, SegmentsResponse):
        level, (first, last, inside, outside, _) = (
            np.arange(mechanism.levels),
            np.array(mechanism.segments).T[..., None],
        )
        by_level = np.where((first <= level) & (level <= last), inside, outside) / 2**32
        return of_outputs(mechanism, mechanism.n_outputs), by_level @ rounded(mechanism, answers)
    if hasattr(mechanism, "threshold_if_other"):
        if mechanism.takes_rows:
            return of_bits(mechanism, np.array(answers, np.bool_))
        values = [1] if mechanism.n_values == 1 else range(mechanism.n_values)
        return of_bits(mechanism, np.array([[answer == value for value in values] for answer in answers]))
    if isinstance(mechanism, PaddedSubset):
        bits = np.array([*product([0, 1], repeat=mechanism.n_members)], np.uint8)
        bits = bits[bits.sum(axis=1) == mechanism.weight]
        n_blanks = np.array([mechanism.max_selected - sum(row) for row in answers])
        blanks = np.arange(mechanism.max_selected) < n_blanks[:, None]
        has_any = bits @ np.concatenate([np.array(answers), blanks], axis=1).T > 0
        return np.packbits(bits, axis=1, bitorder="little"), of_sets(bits, has_any, mechanism)
    if mechanism.n_outputs:
        reports = of_outputs(mechanism, mechanism.n_outputs)
    else:
        bits = np.array([*product([0, 1], repeat=mechanism.n_values)], np.uint8)
        reports = np.packbits(bits[bits.sum(axis=1) == mechanism.weight], axis=1, bitorder="little")
    supports = np.array([np.isin(np.arange(mechanism.n_values), mechanism.supported(report)) for report in reports])
    return reports, of_sets(reports, supports, mechanism)


def tally_of(survey: Survey, reports: NDArray[np.uint8]) -> Tally:
    """Return the tally of packed reports to the one question."""
    return Tally.of(survey, survey.layout.join([reports], {"wave": np.ones(len(reports)), "stratum": 1}))  # type: ignore[arg-type, dict-item]


def truths(question: Question) -> NDArray[np.float64]:
    """Return what is true of each answer: its values, shape (n_answers, n_values); of a number where it lies."""
    mechanism, answers = question.mechanism, answers_to(question)
    if isinstance(mechanism, LevelResponse):
        low, high = question.kind.ends
        return np.array([[low + answer / mechanism.span * (high - low)] for answer in answers])
    if mechanism.takes_rows:
        return np.array(answers, np.float64)
    values = [1] if mechanism.n_values == 1 else range(mechanism.n_values)
    return np.array([[answer == value for value in values] for answer in answers], np.float64)


def estimates_of(survey: Survey, reports: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return what is estimated of one report at a time, shape (m, n_values); NaN of what it does not ask."""
    [question] = survey.questions
    found = []
    for report in reports:
        estimates = estimate_tally(tally_of(survey, report[None]), has_distributions=False, is_held=False)
        by_answer = {row.answer: row.share for row in estimates.told_rows}
        means = [mean.mean for mean in estimates.told_means]
        found.append(means or [by_answer.get(label, math.nan) for label in question.labels])
    return np.array(found, np.float64)


@pytest.mark.parametrize("kind", INFERENCE, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("what", CAPABILITIES)
def test_every_row_names_a_function_or_says_why_there_is_none(kind: type, what: Capability) -> None:
    named = getattr(INFERENCE[kind], what)
    if isinstance(named, Nothing):
        assert named.why.endswith(".")
        assert "{id}" in named.why or "{mechanism}" in named.why
        return
    survey = next(
        (one.values[0] for one in EVERY if inference_of(one.values[0].questions[0].mechanism) is INFERENCE[kind]), None
    )
    if survey is not None:
        assert callable(find(survey.questions[0], what))


@pytest.mark.parametrize("survey", EVERY)
def test_every_mechanism_is_of_a_kind_that_can_be_estimated_and_planned(survey: Survey) -> None:
    [question] = survey.questions
    row = inference_of(question.mechanism)
    assert row is not INFERENCE[Mechanism]
    assert outlook_of(question).width(1000, PlanOptions(), "population") > 0
    for what in CAPABILITIES:
        if isinstance(getattr(row, what), Nothing):
            with pytest.raises(SourceError, match=r"q\b|mechanism"):
                find(question, what)


@pytest.mark.few(6)
@pytest.mark.parametrize("survey", OF_SHARES + OF_NUMBERS)
def test_estimates_are_right_on_average_over_every_report(survey: Survey) -> None:
    [question] = survey.questions
    reports, probs = enumerated(question)
    assert probs.sum(axis=0) == pytest.approx(1)
    found = estimates_of(survey, reports)
    asked = np.isfinite(found)
    on_average = probs.T @ np.where(asked, found, 0) / (probs.T @ asked)
    assert on_average == pytest.approx(truths(question), abs=1e-6)


@pytest.mark.few(6)
@pytest.mark.parametrize("target", ["respondents", "population"])
@pytest.mark.parametrize("survey", OF_SHARES + OF_NUMBERS)
def test_intervals_of_two_reports_hold_what_is_true_as_often_as_they_say(survey: Survey, target: Target) -> None:
    [question] = survey.questions
    mechanism = question.mechanism
    if mechanism.asks_some and target == "respondents":  # it is about those who were asked the option, whoever that is
        return
    level, (reports, probs), true = 0.5, enumerated(question), truths(question)
    people = probs.mean(axis=1)  # of a population in which every answer is as common
    n_values = true.shape[1]
    held = np.zeros((len(true), len(true), n_values)) if target == "respondents" else np.zeros(n_values)
    for pair in combinations_with_replacement(range(len(reports)), 2):
        options = IntervalOptions(level, target=target)
        ends = intervals_together(tally_of(survey, reports[[*pair]]), question, options)
        low, high = np.array([ends.get(name, (-math.inf, math.inf)) for name in question.labels or ("mean",)]).T
        low, high = low - 1e-9, high + 1e-9
        orders = {pair, pair[::-1]}
        if target == "population":
            inside = (low <= true.mean(axis=0)) & (true.mean(axis=0) <= high)
            held += len(orders) * people[pair[0]] * people[pair[1]] * inside
        else:
            crowds = (true[:, None] + true) / 2
            inside = (low <= crowds) & (crowds <= high)
            held += sum(np.outer(probs[one], probs[two]) for one, two in orders)[:, :, None] * inside
    assert held.min() >= level


@pytest.mark.parametrize("target", ["respondents", "population"])
@pytest.mark.parametrize("survey", OF_SHARES)
def test_covariances_are_those_of_every_report(survey: Survey, target: Target) -> None:
    [question] = survey.questions
    reports, probs = enumerated(question)
    is_told = question.mechanism.prob_support_both is not None
    if not is_told and not (isinstance(question.mechanism, BitFlips) and target == "respondents"):
        with pytest.raises(DomainError, match="does not show how answers go together"):
            share_covariance(tally_of(survey, reports[:2]), "q", target=target)
        return
    matrix_of = find(question, "covariance")(question, target)
    found, n = estimates_of(survey, reports), 7
    shares = np.arange(1, probs.shape[1] + 1) / np.arange(1, probs.shape[1] + 1).sum()  # of each answer
    if target == "population":
        expected = np.cov(found.T, aweights=probs @ shares, ddof=0) / n
    else:
        each = [np.cov(found.T, aweights=of, ddof=0) for of in probs.T]
        expected = sum(share * of for share, of in zip(shares, each, strict=True)) / n
    assert matrix_of(shares @ truths(question), n) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("survey", OF_SHARES)
def test_likelihoods_are_those_of_every_report_but_for_a_factor(survey: Survey) -> None:
    [question] = survey.questions
    mechanism = question.mechanism
    if isinstance(inference_of(mechanism).axis, Nothing):
        return
    reports, probs = enumerated(question)
    of_answers = np.array(answers_to(question))
    for option, label in enumerate(question.labels):
        is_any_of = isinstance(mechanism, SelectionMechanism)
        side = find(question, "axis")(question, mechanism, "q", label if is_any_of else "", None)
        expected = probs
        if is_any_of:  # of those who select it, and those who do not, whoever else they are
            has = of_answers[:, option] == 1
            expected = np.stack([probs[:, has].mean(axis=1), probs[:, ~has].mean(axis=1)], axis=1)
            cut, place = np.unique(side.narrow(reports), axis=0, return_inverse=True)
            expected = np.array([expected[place.ravel() == row].sum(axis=0) for row in range(len(cut))])
            of_reports = side.likelihood(cut)
        else:
            of_reports = side.likelihood(side.narrow(reports))
            expected = probs[:, ::-1] if len(question.labels) == 1 else probs
        ratios = expected / of_reports
        assert ratios == pytest.approx(np.repeat(ratios[:, :1], ratios.shape[1], axis=1))
        if side.likelihood_unit != 1:
            assert of_reports * side.likelihood_unit == pytest.approx(expected)


@pytest.mark.parametrize("survey", OF_TEXTS)
def test_likelihoods_of_texts_are_those_of_every_report_of_their_cohort(survey: Survey) -> None:
    [question] = survey.questions
    mechanism: Any = question.mechanism
    if hasattr(mechanism, "geometry"):  # of seven points, where those of a survey have thousands
        mechanism = SketchResponse("sketch", 2, 3 << 30, field=2, dimension=3)
    side = find(question, "axis")(question, mechanism, "q", "", STRINGS)
    if hasattr(mechanism, "geometry"):
        blocks = of_outputs(mechanism.geometry, mechanism.geometry.n_outputs)
        supports = np.array(
            [np.isin(np.arange(mechanism.n_values), mechanism.geometry.supported(one)) for one in blocks]
        )
        by_bucket = of_sets(blocks, supports, mechanism)
    for cohort in range(mechanism.n_cohorts):
        if hasattr(mechanism, "geometry"):
            probs = by_bucket[:, [bucket(string_number(text.encode()), cohort, mechanism.n_values) for text in STRINGS]]
        else:
            hashed = [bloom_bits(mechanism.design, cohort, text.encode()) for text in STRINGS]
            true = np.array([np.isin(np.arange(mechanism.n_values), bits) for bits in hashed])
            blocks, probs = of_bits(mechanism, true)
        group = np.tile(np.frombuffer(cohort.to_bytes(2, "big"), np.uint8), (len(blocks), 1))
        of_reports = side.likelihood(np.concatenate([group, blocks], axis=1))[:, :-1]
        ratios = probs / of_reports
        assert ratios == pytest.approx(np.repeat(ratios[:, :1], len(STRINGS), axis=1), rel=1e-4)


@pytest.mark.parametrize("target", ["respondents", "population"])
@pytest.mark.parametrize("survey", OF_SHARES)
def test_plans_and_groups_have_the_errors_of_estimates(survey: Survey, target: Target) -> None:
    [question] = survey.questions
    reports, _ = enumerated(question)
    tally = tally_of(survey, np.repeat(reports, np.arange(3, 3 + len(reports)), axis=0))
    rows = estimate_tally(tally, IntervalOptions(target=target), is_held=False).told_rows
    groups = sides_of_tally(tally, target)
    assert [(one.answer, one.n, one.estimate) for one in groups] == [
        (row.answer, row.n_reports, row.share) for row in rows
    ]
    for row, group in zip(rows, groups, strict=True):
        assert group.standard_error == pytest.approx(row.standard_error)
        if 0 < row.share < 1:
            planned = outlook_of(question).error(row.n_reports, PlanOptions(share=row.share), target)
            assert planned == pytest.approx(row.standard_error)


@pytest.mark.parametrize("survey", OF_NUMBERS)
def test_plans_of_means_have_the_error_of_every_report(survey: Survey) -> None:
    """Of people a quarter of the range to both sides of its middle, as plans take them to be."""
    [question] = survey.questions
    mechanism = cast(LevelResponse, question.mechanism)
    reports, probs = enumerated(question)
    low, high = question.kind.ends
    places = np.arange(mechanism.span + 1) / mechanism.span
    shares = np.zeros(len(places))
    for place in (0.25, 0.75):  # between two answers: each as often as it is near
        near = np.maximum(0, 1 - abs(places - place) * mechanism.span)
        shares += near / 2
    found = estimates_of(survey, reports)[:, 0]
    mean = found @ probs @ shares
    error = math.sqrt(float((found - mean) ** 2 @ probs @ shares) / 50)
    planned = outlook_of(question).error(50, PlanOptions(), "population")
    if mechanism.levels in (2, mechanism.span + 1):  # what lies between two answers is rounded as they are
        assert planned == pytest.approx(error, rel=1e-6)
    assert planned >= (high - low) * 0.25 / math.sqrt(50)


@pytest.mark.few(4)
@pytest.mark.parametrize("survey", OF_SHARES)
def test_shares_of_maximum_likelihood_have_no_neighbour_that_is_likelier(survey: Survey) -> None:
    [question] = survey.questions
    mechanism = question.mechanism
    reports, probs = enumerated(question)
    counts = np.arange(3, 3 + len(reports))
    _, shares = likeliest_shares(tally_of(survey, np.repeat(reports, counts, axis=0)), "q")
    assert ((shares >= 0) & (shares <= 1)).all()
    if not mechanism.sums_to_one:
        return
    assert shares.sum() == pytest.approx(1)
    if not mechanism.names_one:
        return
    best = counts @ np.log(probs @ shares)
    for one, other in permutations(range(len(shares)), 2):
        moved = shares.copy()
        moved[one], moved[other] = moved[one] - 1e-3, moved[other] + 1e-3
        assert (moved < 0).any() or counts @ np.log(probs @ moved) <= best + 1e-12
