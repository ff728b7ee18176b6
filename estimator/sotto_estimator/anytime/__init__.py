"""Intervals that hold at every moment of a running survey at once: confidence sequences."""
