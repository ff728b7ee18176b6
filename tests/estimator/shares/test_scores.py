"""Mean scores of a survey: a Likert scale's mean and an eNPS, held against the shares and the known noise."""

import json

import numpy as np
import pytest

from sotto_estimator import Estimates, IntervalOptions
from sotto_estimator.databases.rows import rows_of
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.survey_plan import draft_of, plan_draft
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.scores import ScoreMean
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_protocol import Coins, Survey, Tally, compile_toml

AGREE = '["strongly disagree", "disagree", "neither", "agree", "strongly agree"]'


def survey_of(question: str) -> Survey:
    return compile_toml(f'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntext = "?"\nepsilon = 2\n{question}')


def tally_of(survey: Survey, answers: list[int]) -> Tally:
    reports = survey.questions[0].mechanism.perturb(np.array(answers), Coins(np.random.default_rng(7).bytes))
    return Tally.of(survey, survey.layout.join([reports], {}))


def estimated(survey: Survey, answers: list[int], **options: object) -> Estimates:
    tally = tally_of(survey, answers)
    return with_verdicts(estimate_tally(tally, IntervalOptions(**options)), tally)


def score_in(found: Estimates) -> ScoreMean:
    (score,) = found.told("score")
    return score


def test_a_mean_and_its_error_are_those_of_the_reported_scores() -> None:
    """By k-ary each report names one score: p - q times the mean, and 15 q, are what reports say on average."""
    found = estimated(survey_of(f'type = "likert"\noptions = {AGREE}'), [0, 1, 2, 3, 4] * 100)
    mechanism = found.survey.questions[0].mechanism
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    reported = np.repeat(np.arange(1, 6), [row.support_count for row in found.rows])
    score = score_in(found)
    assert score.mean == pytest.approx((reported.mean() - 15 * other) / (true - other))
    assert score.standard_error == pytest.approx(reported.std() / np.sqrt(500) / (true - other))
    assert score.low < 3 < score.high
    assert score.high - score.low < 0.6
    assert found["q"][0].answer == "strongly disagree", "the shares are there too"


@pytest.mark.parametrize("options", ["", 'options = ["0 to 6", "7 or 8", "9 or 10"]', 'skip = "no answer"'])
def test_an_enps_is_promoters_less_detractors_in_points_of_those_who_answered(options: str) -> None:
    found = estimated(survey_of(f'type = "enps"\n{options}'), [0, 1, 2, 2] * 300)
    shares, score = [row.share for row in found.rows], score_in(found)
    promoters, detractors = (shares[9:11], shares[:7]) if len(shares) > 3 else (shares[2:], shares[:1])
    answered = sum(shares[:11])
    assert score.answer == "eNPS"
    assert score.mean == pytest.approx(100 * (sum(promoters) - sum(detractors)) / answered)
    assert score.low < score.mean < score.high


@pytest.mark.parametrize("mechanism", ["k-ary", "subset", "oue", "geometry"])
@pytest.mark.parametrize("about", ["population", "respondents"])
def test_every_mechanism_and_target_has_an_interval(mechanism: str, about: str) -> None:
    survey = survey_of(f'type = "likert"\noptions = {AGREE}\nmechanism = "{mechanism}"')
    score = score_in(estimated(survey, [0, 1, 2, 3, 4] * 400, target=about))
    assert 1 <= score.low < 3 < score.high <= 5
    assert (score.standard_error is None) == (mechanism == "geometry")


def test_all_forms_say_it_and_intervals_that_hold_together_count_it() -> None:
    survey = survey_of(f'type = "likert"\noptions = {AGREE}')
    found = estimated(survey, [4, 3, 4, 3, 2] * 100)
    score, table = score_in(found), found.as_table()
    assert "by Gaffke's bound" in table
    assert "1 to 5" in table
    assert json.loads(found.as_json())["scores"][0]["mean"] == score.mean
    assert "on average between" in json.loads(found.as_json())["verdicts"][0]["score"]
    assert ",score_mean," in found.as_csv()
    assert "on average between" in found.to_html()
    together = score_in(estimated(survey, [4, 3, 4, 3, 2] * 100, simultaneous=True))
    sixth = score_in(estimated(survey, [4, 3, 4, 3, 2] * 100, level=1 - 0.05 / 6))
    assert (together.low, together.high) == pytest.approx((sixth.low, sixth.high))


def test_a_database_has_a_row_of_the_mean_score_too() -> None:
    survey = survey_of('type = "enps"\noptions = ["a", "b", "c"]')
    found = estimated(survey, [0, 1, 2] * 100)
    rows = [row for row in rows_of(found) if row.kind == "score"]
    assert [(row.answer, row.status, row.estimate, row.low) for row in rows] == [
        ("eNPS", "estimated", score_in(found).mean, score_in(found).low)
    ]


def test_counts_that_no_answers_give_have_no_mean() -> None:
    survey = survey_of(f'type = "likert"\noptions = {AGREE}')
    tally = Tally.of(survey, np.zeros((500, 1), np.uint8))
    (score,) = with_verdicts(estimate_tally(tally), tally).of_kind("score")
    assert not score.is_told
    assert score.mean is None


def test_a_plan_says_the_half_width_that_the_survey_then_has() -> None:
    survey = survey_of('type = "enps"\noptions = ["a", "b", "c"]')
    (planned,) = plan_draft(draft_of(survey), 300, PlanOptions()).scores
    score = score_in(estimated(survey, [0, 1, 2] * 100))
    assert planned.half_width == pytest.approx((score.high - score.low) / 2, rel=0.03)
    assert "eNPS   -100 to 100  300" in plan_draft(draft_of(survey), 300, PlanOptions()).as_table()
