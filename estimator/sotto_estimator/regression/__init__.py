"""Regression of hidden answers: each record's report says through a known channel what its answer may be."""
