"""`sotto audit`: what the program on the device really gives away, measured, beside what its survey declares."""
