"""Shares of maximum likelihood, from a tally alone: the possible shares that make its counts most likely.

Notation: c_v of n reports support value v, which is likely by b if another value is the answer, by b + d if v is. Of
k-ary a report supports one value, so the counts are multinomial, and sum of c_v ln(b + d s_v) is the likelihood whole.
Of other one-of mechanisms a tally does not tell which values a report supports together: then each value's count is
taken by itself, sum of c_v ln(b + d s_v) + (n - c_v) ln(1 - b - d s_v) (a composite likelihood: Varin, Reid & Firth
2011). Both are concave sums of a function a share, so on the shares that add up to 1 the maximum is where all that are
above 0 have one slope, and the others a smaller one at 0 (Karush, Kuhn and Tucker): found by halving, without a start.
"""

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, shares_of
from sotto_estimator.errors import DomainError, NoReportsError, one_of
from sotto_estimator.inference.registry import channel_of, find
from sotto_protocol import Question, Tally

_N_HALVINGS = 100


def likeliest_shares(tally: Tally, question: str) -> tuple[tuple[str, ...], Floats]:
    """Return the answers of a question, and their shares of maximum likelihood.

    The shares lie in [0, 1], and those of a one-of question add up to 1. They are exact for yes-no, any-of and k-ary.
    Other one-of questions use each option's count alone. Like `consistent_share`, they are biased where the unbiased
    shares are not possible. Raises DomainError for a question of numbers or texts, NoReportsError where there are no
    reports.
    """
    known = {of.id: of for of in tally.survey.questions}
    if question not in known:
        raise DomainError(f"question ({question!r:.80}) {one_of(known, question)}")
    asked = known[question]
    found: Floats = find(asked, "likeliest", DomainError)(tally, asked)
    return asked.labels, found


def likeliest_of_question(tally: Tally, asked: Question) -> Floats:
    """Return a question's, shape (k,). Raises NoReportsError."""
    question, mechanism, channel = asked.id, asked.mechanism, channel_of(asked)
    counts = tally.support_counts[question]
    if mechanism.asks_some:
        if not counts[:, 0].all():
            raise NoReportsError(f"no report answers some option of {question}; each needs one at least.")
        shares = [float(shares_of(n_yes, n, channel)) for n, n_yes in counts.tolist()]
        return np.clip(shares, 0, 1)
    n = tally.counted(question).n_reports
    if not n:
        raise NoReportsError(f"no report answers {question}; shares need at least one.")
    if not mechanism.sums_to_one:
        return shares_of(counts, n, channel).clip(0, 1)
    n_others = np.zeros(len(counts)) if mechanism.names_one else n - counts
    return likeliest_of(counts.astype(np.float64), n_others.astype(np.float64), channel)


def likeliest_of(supports: Floats, others: Floats, channel: Channel) -> Floats:
    """Return the shares, shape (k,) and adding up to 1, at the maximum, for channel probabilities above 0 and below 1.

    `supports`: of how many reports it is said that they support a value; `others`: that they do not.
    """
    at_none, at_all = (_slopes(np.full(len(supports), end), supports, others, channel) for end in (0.0, 1.0))
    least, most = at_all.min(), at_none.max()
    for _ in range(_N_HALVINGS):
        slope = (least + most) / 2
        if _shares_at(slope, supports, others, channel).sum() > 1:
            least = slope
        else:
            most = slope
    found = _shares_at(most, supports, others, channel)
    return np.asarray(found / found.sum())


def _slopes(shares: Floats, supports: Floats, others: Floats, channel: Channel) -> Floats:
    reported = channel.prob_support_if_other + channel.contrast * shares
    return channel.contrast * (supports / reported - others / (1 - reported))


def _shares_at(slope: float, supports: Floats, others: Floats, channel: Channel) -> Floats:
    """Return the share in [0, 1] at which each count's likelihood has this slope, or the end that is nearest to it."""
    low, high = np.zeros(len(supports)), np.ones(len(supports))
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        is_steeper = _slopes(middle, supports, others, channel) > slope
        low, high = np.where(is_steeper, middle, low), np.where(is_steeper, high, middle)
    return np.asarray(np.where(_slopes(np.zeros(len(low)), supports, others, channel) <= slope, 0.0, high))
