"""What a survey takes of one person, added up by the rules of a course, beside what a device's ledger charges."""

from dataclasses import dataclass

from sotto_client.ledger import MAX_PERIOD_EPSILON, PERIOD_DAYS
from sotto_protocol import Survey
from sotto_rehearsal.comparison.composition import Composition, compose


@dataclass(frozen=True, slots=True)
class Total:
    """Some answers of one person, `what` in words: what a device's ledger charges for them, and their composition.

    `ledger`: epsilon in nats. Where reports share noise it is less than the sum.
    """

    what: str
    ledger: float
    composed: Composition


def add_up(survey: Survey, delta: float) -> list[Total]:
    """Return a row for one report, for those of all waves, and for the most that a device sends in a period."""
    one = sorted((float(question.epsilon) for question in survey.questions), reverse=True)[: survey.n_drawn]
    epsilon = float(survey.epsilon)
    totals = [Total("one report (a day, a wave)", epsilon, compose(one, delta))]
    if survey.max_reports > 1:
        of = f"the {survey.max_reports} waves that ask a device" if survey.asked_in else f"all {survey.waves} waves"
        what = f"{of}, answers unchanged"
        totals.append(Total(what, float(survey.epsilon_forever), compose(one * survey.max_reports, delta)))
    n_fitting = int(MAX_PERIOD_EPSILON / epsilon)
    if n_fitting > 1:
        what = f"{n_fitting} such surveys, a device's most in {PERIOD_DAYS} days"
        totals.append(Total(what, n_fitting * epsilon, compose(one * n_fitting, delta)))
    return totals
