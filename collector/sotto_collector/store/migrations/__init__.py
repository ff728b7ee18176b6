"""Alembic's revisions: 0001, 0002, .. in order; each says what it changes."""
