"""As many reports as a verdict says are needed give the width that is aimed at: by enumeration, and as the planner."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from sotto_estimator import Channel, IntervalOptions
from sotto_estimator.channel.devices import Devices
from sotto_estimator.inference.registry import channel_of
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import mean_bounds
from sotto_estimator.planning.needed import respondents_for
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.shares.verdict.aim import aim_of_counts, aim_of_question
from sotto_protocol import Survey, Tally, compile_survey
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.levels import LevelResponse

FALSE_ALARM = 1e-9


def survey_of(**members: object) -> Survey:
    question = {"id": "q", "text": "?"} | {key: value for key, value in members.items() if key != "draw"}
    others = [{"id": "other", "text": "?", "type": "yes-no", "epsilon": 1}] * ("draw" in members)
    about = {"draw": 1} if others else {}
    return compile_survey({"id": "s", "title": "S", "questions": [question, *others]} | about)


def empty(survey: Survey, n: int = 10) -> Tally:
    """Return a tally of n reports, all to the first question, of which nothing but their number matters."""
    counts = {question.id: np.zeros(question.mechanism.counts_shape, np.int64) for question in survey.questions}
    counts["q"][0] = n
    return Tally(survey, {1: n}, counts, behind={"other": Counted({1: 0})} if survey.draw else {})


def prob_narrow(n: int, share: float, channel: Channel, options: IntervalOptions, half_width: float) -> float:
    """Return how likely the interval of n reports is no wider, clipped or not; by enumeration of all counts."""
    counts = np.arange(n + 1)
    low, high = share_bounds(counts, n, channel, level=options.level, method=options.method, target=options.about)
    if options.about == "respondents":
        n_true = round(n * share)
        probs = np.convolve(
            binom.pmf(np.arange(n_true + 1), n_true, channel.prob_support_if_true),
            binom.pmf(np.arange(n - n_true + 1), n - n_true, channel.prob_support_if_other),
        )
    else:
        probs = binom.pmf(counts, n, channel.reported_share(share))
    return float(probs[high - low <= 2 * half_width * (1 + 1e-12)].sum())


SHARES = {
    "warner": {"type": "yes-no", "epsilon": 1},
    "k-ary": {"type": "one-of", "options": list("abcdef"), "epsilon": 2, "mechanism": "k-ary"},
    "unary": {"type": "one-of", "options": list("abcdef"), "epsilon": 1, "mechanism": "oue"},
}


@pytest.mark.few(3, "rare")
@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("method", ["chernoff", "hoeffding", "clopper-pearson", "wilson"])
def test_of_half_of_all_surveys_about_a_population_the_interval_is_as_narrow_and_with_fewer_reports_not(
    name: str, method: str
) -> None:
    """At a share of one half; a tenth fewer are too few."""
    survey, options = survey_of(**SHARES[name]), IntervalOptions(method=method)
    channel = channel_of(survey.questions[0])
    aim = aim_of_question(survey.questions[0], empty(survey), [(0.3, 1.0)], options)
    assert aim is not None
    assert aim.n_needed is not None
    assert prob_narrow(aim.n_needed, 0.5, channel, options, 0.1) >= 0.5
    assert prob_narrow(int(0.9 * aim.n_needed), 0.5, channel, options, 0.1) < 0.5


@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
def test_about_the_respondents_half_of_all_surveys_are_as_narrow(method: str) -> None:
    survey, options = survey_of(**SHARES["unary"]), IntervalOptions(method=method, target="respondents")
    question, channel = survey.questions[0], channel_of(survey.questions[0])
    aim = aim_of_question(question, empty(survey), [(0.1, 0.5)], options)
    assert aim is not None
    assert aim.n_needed is not None
    assert prob_narrow(aim.n_needed, 0.5, channel, options, 0.1) >= 0.5


def test_the_number_is_the_planner_s_for_drawn_questions_and_waves_of_the_same_people_too() -> None:
    asked = {"type": "yes-no", "epsilon": 1, "want": Decimal("0.04")}
    for more, part, n_waves in (({}, Fraction(1), 1), ({"draw": 1}, Fraction(1, 2), 1), ({}, Fraction(1), 3)):
        survey = survey_of(**asked, **more)
        aim = aim_of_question(survey.questions[0], empty(survey), [(0.2, 0.7)], IntervalOptions(), n_waves)
        planned = respondents_for(survey.questions[0], 0.04, PlanOptions(), part)
        assert planned is not None
        assert aim is not None
        assert aim.is_declared
        assert aim.n_needed == n_waves * planned


def test_nothing_is_missing_where_intervals_are_narrow_or_reports_are_as_many_as_are_needed() -> None:
    survey = survey_of(**SHARES["warner"])
    (question,) = survey.questions
    assert aim_of_question(question, empty(survey), [(0.2, 0.4)], IntervalOptions()) is None
    assert aim_of_question(question, empty(survey), [(0.2, 0.41)], IntervalOptions()) is not None
    assert aim_of_question(question, empty(survey, 1000), [(0.2, 0.41)], IntervalOptions()) is None
    assert aim_of_counts(Channel.warner(0.75), (0.2, 0.4), 10, IntervalOptions()) is None
    paper = aim_of_counts(Channel.warner(0.75), (0.2, 0.5), 10, IntervalOptions())
    asked = aim_of_question(question, empty(survey), [(0.2, 0.5)], IntervalOptions())
    assert paper is not None
    assert asked is not None
    assert paper.n_needed is not None
    assert prob_narrow(paper.n_needed, 0.5, Channel.warner(0.75), IntervalOptions(), 0.1) >= 0.5


@pytest.mark.parametrize("name", ["window", "segments"])
@pytest.mark.parametrize("epsilon", [1, 4])
def test_means_of_as_many_people_who_deviate_by_a_quarter_of_the_range_are_as_narrow(epsilon: float, name: str) -> None:
    """Of half of the people at 5 and at 15 of 20; of 400 surveys a half is as narrow, of a fifth fewer people not."""
    asked = {"type": "number", "minimum": 0, "maximum": 20, "mechanism": name, "want": Decimal("0.5")}
    survey = survey_of(**asked, epsilon=epsilon)
    (question,) = survey.questions
    mechanism = question.mechanism
    assert isinstance(mechanism, LevelResponse)
    channel = NumberChannel.of(mechanism)
    places = np.array([5, 15]) / 20 * (mechanism.levels - 1)
    outputs = channel.matrix @ np.maximum(0, 1 - np.abs(places[:, None] - np.arange(mechanism.levels))).mean(axis=0)
    aim = aim_of_question(question, empty(survey), [(2.0, 15.0)], IntervalOptions())
    assert aim is not None
    assert aim.n_needed is not None

    def n_narrow(n: int) -> int:
        drawn = np.random.default_rng(1).multinomial(n, outputs, size=400)
        low, high = mean_bounds(drawn, channel, Devices.alike(n, 1), IntervalOptions(), 1)
        return int(np.count_nonzero(20 * (high - low) <= 2 * 0.5))

    assert n_narrow(int(1.02 * aim.n_needed)) >= binom.ppf(FALSE_ALARM, 400, 0.5)
    assert n_narrow(int(0.8 * aim.n_needed)) < binom.ppf(FALSE_ALARM, 400, 0.5)
