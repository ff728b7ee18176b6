"""The collector: it checks, counts and keeps noisy reports, and knows nothing else of anybody."""

from sotto_protocol import __version__
from sotto_protocol.extras import require_extra

__all__ = ["__version__"]

require_extra(__name__)
