"""The relay: what a second operator runs, so that a collector never learns who sent what. It can read none of it."""

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra

__all__ = ["__version__"]

require_extra(__name__)
