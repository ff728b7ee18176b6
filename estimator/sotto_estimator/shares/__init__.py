"""Shares and means of a survey's tally, or of samples, with their intervals, and what they mean in words."""
