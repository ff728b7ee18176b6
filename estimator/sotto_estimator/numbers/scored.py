"""The mean score of a one-of question's answers: what it is called, what its reports are, and its interval."""

from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.intervals import IntervalOptions, check_level
from sotto_estimator.intervals.methods import METHODS, Means, find_method
from sotto_estimator.intervals.scored_means import ScoredReports, SetChannel, mean_bounds
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism
from sotto_protocol.questions.one_of import Scores

ENPS, MEAN = "eNPS", "mean"
_ANYTIME = "anytime"
_CHERNOFF = "the Chernoff bound of whole reports"
_OUTWARD = 1e-12


def name_of_scores(scores: Scores) -> str:
    """Return what the mean of such scores is called."""
    return ENPS if {*scores} - {None} == {-100, 0, 100} else MEAN


def channel_of_sets(mechanism: ChoiceMechanism) -> SetChannel:
    """Return what is known of a mechanism's reports."""
    return SetChannel(mechanism.prob_support_if_true, mechanism.prob_support_if_other, mechanism.n_drawn)


def score_bounds(reports: ScoredReports, options: IntervalOptions, n_intervals: int) -> tuple[float, float]:
    """Return the ends of the mean score before they are clipped. They cross where no mean fits."""
    tail = check_level(options.level, n_intervals) / 2
    of_means = _of_draws(reports, options)
    if of_means is None:
        return mean_bounds(reports, tail, is_anytime=options.method == _ANYTIME)
    low, high = reports.ends
    outputs = (reports.scores - low) / (high - low)
    ends = of_means(reports.support_counts[None], outputs, (0, 1), tail, Devices.alike(reports.n, 1))
    # A report is the answer's score with `contrast`, else any option's: so is the mean of what is reported.
    of_others = reports.channel.other * float(outputs.sum())
    first, last = ((float(end[0]) - of_others) / reports.channel.contrast for end in ends)
    return low + (first - _OUTWARD) * (high - low), low + (last + _OUTWARD) * (high - low)


def words_of_interval(reports: ScoredReports, options: IntervalOptions) -> str:
    """Return in words how the interval is made, and why it is not by the options' method where it is not."""
    method = find_method(options.method)
    if _of_draws(reports, options):
        return f"by {method.words_of_drawn_means}"
    if options.method == _ANYTIME:
        return f"by {METHODS[_ANYTIME].words_of_means}"
    is_other = options.method != IntervalOptions().method
    return f"by {_CHERNOFF}" + f", as {options.method} knows no mean score" * is_other


def _of_draws(reports: ScoredReports, options: IntervalOptions) -> Means | None:
    """Return the method's interval of draws whose histogram is known, where each report names one scored option."""
    names_one = reports.channel.n_drawn == 1 and not reports.leaves_out
    is_of_draws = names_one and reports.target == "population" and reports.is_once
    return find_method(options.method).of_drawn_means if is_of_draws else None
