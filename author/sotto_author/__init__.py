"""The author's side: from questions to a published survey. It knows all other sides, and none knows it."""
