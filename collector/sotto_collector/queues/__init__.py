"""Reports from a queue: read, counted as a POST's are, and taken out of the queue once they are committed."""
