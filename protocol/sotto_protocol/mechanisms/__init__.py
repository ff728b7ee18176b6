"""Mechanisms, a file each: what an answer goes through, and all that is pure about it."""
