"""What a simulation refuses: catch the base, raise the leaf.

SottoError
  SimulationError
    TruthError (also a LocatedError)   made-up answers that no people can have, with the place
"""

from sotto_protocol.errors import LocatedError, SottoError


class SimulationError(SottoError):
    """Anything that a simulation refuses."""


class TruthError(LocatedError, SimulationError):
    """What is said of made-up people does not fit together, or does not fit the survey."""
