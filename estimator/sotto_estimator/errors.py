"""The estimator's errors: catch the base, raise the leaf.

SottoError
  EstimatorError
    DomainError (also a ValueError)   a parameter lies outside its domain
    FetchError                        a collector could not be reached, or refused
      WithheldError                   fewer reports have come than the survey promises as the least
    SourceError                       tallies or counts that do not fit together
      NoReportsError                  none of the reports tells anything
"""

from sotto_protocol.errors import SottoError


class EstimatorError(SottoError):
    """Anything that the estimator refuses."""


class DomainError(EstimatorError, ValueError):
    """A parameter lies outside its domain; the message names it, its value and the domain."""


class FetchError(EstimatorError):
    """A collector could not be reached, or refused to give a tally."""


class WithheldError(FetchError):
    """The collector gives nothing yet: fewer reports have come than the survey promises as the least."""


class SourceError(EstimatorError):
    """What an estimate is asked of, files and counts, does not fit together."""


class NoReportsError(SourceError):
    """There is no report to estimate from."""
