"""The estimator's errors: catch the base, raise the leaf.

SottoError
  EstimatorError
    DomainError (also a ValueError)   a parameter lies outside its domain
"""

from sotto_protocol.errors import SottoError


class EstimatorError(SottoError):
    """Anything that the estimator refuses."""


class DomainError(EstimatorError, ValueError):
    """A parameter lies outside its domain; the message names it, its value and the domain."""
