"""Reports that other programs collect all over the world, and what they say of everybody: a format a row."""
