"""RAPPOR for strings: Bloom filters in cohorts."""
