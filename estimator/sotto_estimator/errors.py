"""The estimator's errors: catch the base, raise the leaf.

SottoError
  EstimatorError
    DomainError (also a ValueError)   a parameter lies outside its domain
    FetchError                        a collector could not be reached, or refused
      UnknownStratumError             the collector knows no stratum of this name: it may be a parent's
      WithheldError                   fewer reports have come than the survey promises as the least
    SourceError                       tallies or counts that do not fit together
      NoReportsError                  none of the reports tells anything
"""

from collections.abc import Iterable
from difflib import get_close_matches

from sotto_protocol.errors import SottoError


class EstimatorError(SottoError):
    """Anything that the estimator refuses."""


class DomainError(EstimatorError, ValueError):
    """A parameter lies outside its domain; the message names it, its value and the domain."""


class FetchError(EstimatorError):
    """A collector could not be reached, or refused to give a tally."""


class UnknownStratumError(FetchError):
    """The collector knows no stratum of this name. It may be a parent's: a collector gives counts of strata."""


class WithheldError(FetchError):
    """The collector gives nothing yet: fewer reports have come than the survey promises as the least."""


class SourceError(EstimatorError):
    """What an estimate is asked of, files and counts, does not fit together."""


class NoReportsError(SourceError):
    """There is no report to estimate from."""


def one_of(known: Iterable[str], word: object) -> str:
    """Return that a word must be one of those that are known, and which may be meant.

    >>> one_of(["warner", "crosswise"], "Croswise"), one_of(["warner", "direct"], "x")
    ('must be one of warner, crosswise. Did you mean crosswise?', 'must be one of warner, direct.')
    """
    words = [*known]
    return f"must be one of {', '.join(words)}.{meant(words, word)}"


def meant(known: Iterable[str], word: object) -> str:
    """Return a question whether the known word is meant that is most like an unknown one; "" where none is like it.

    >>> meant(["age", "prob_red"], "Prob-Rad"), meant(["age"], "weight")
    (' Did you mean prob_red?', '')
    """
    by_letters = {_letters(of): of for of in known}
    alike = get_close_matches(_letters(word), by_letters, 1, _ALIKE)
    return f" Did you mean {by_letters[alike[0]]:.80}?" if alike else ""


def _letters(word: object) -> str:
    return str(word).casefold().replace("_", "-")


_ALIKE = 0.7
