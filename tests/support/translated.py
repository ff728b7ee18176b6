"""Which languages are still being translated: what they lack is no fault yet."""

from sotto_protocol.language import LANGUAGES

UNFINISHED = frozenset(LANGUAGES)
