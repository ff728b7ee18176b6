"""What browsers get: the survey page, the index, the results, and the files that they load."""
