"""Estimates as rows of a database, for dashboards."""
