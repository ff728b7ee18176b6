"""Which languages are still being translated: what they lack is no fault yet."""

UNFINISHED = frozenset({"fr"})
