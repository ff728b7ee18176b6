"""The author's side: from questions to a published survey. It knows all other sides, and none knows it."""

from sotto_protocol import __version__

__all__ = ["__version__"]
