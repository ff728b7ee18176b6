"""A survey, rehearsed before anyone is asked: the client and the estimator, together, on people who are made up."""

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra

__all__ = ["__version__"]

require_extra(__name__)
