"""Sketches of strings: a string's hash in the device's cohort, through projective geometry response."""
