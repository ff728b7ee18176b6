"""What can go wrong on the results page: catch `PageError`; whoever mounts the page says with which status it answers.

EstimatorError
  PageError
    ChoiceError        the query chooses what there is not to choose; says what there is
    NoSuchWaveError    the survey has no such wave
    NoSuchStratumError the survey has no such stratum
    NoSuchChartError   no chart has this address
    NoEstimatesError   there is nothing to estimate from: no reports, or text questions only
    TooFewReportsError there are fewer reports than the survey promises as the least
    CrowdedError       too much of the survey is being worked out; the same may succeed later
"""

from sotto_estimator.errors import EstimatorError


class PageError(EstimatorError):
    """The base of what the results page refuses."""


class ChoiceError(PageError):
    """The query chooses what there is not to choose."""


class NoSuchWaveError(PageError):
    """The survey has no such wave."""


class NoSuchStratumError(PageError):
    """The survey has no such stratum."""


class NoSuchChartError(PageError):
    """No chart has this address."""


class NoEstimatesError(PageError):
    """There is nothing to estimate from."""


class TooFewReportsError(PageError):
    """There are fewer reports than the survey promises as the least."""


class CrowdedError(PageError):
    """Too much of the survey is being worked out."""
