"""The estimator's errors: catch the base, raise the leaf.

SottoError
  EstimatorError
    DomainError (also a ValueError)   a parameter lies outside its domain
    FetchError                        a collector could not be reached, or refused
    SourceError                       tallies or counts that do not fit together
"""

from sotto_protocol.errors import SottoError


class EstimatorError(SottoError):
    """Anything that the estimator refuses."""


class DomainError(EstimatorError, ValueError):
    """A parameter lies outside its domain; the message names it, its value and the domain."""


class FetchError(EstimatorError):
    """A collector could not be reached, or refused to give a tally."""


class SourceError(EstimatorError):
    """What an estimate is asked of, files and counts, does not fit together."""
