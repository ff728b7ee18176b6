"""Numbers: the mean of a question's answers, and their distribution, from a histogram of noisy outputs."""
