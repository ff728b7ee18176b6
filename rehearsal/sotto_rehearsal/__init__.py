"""A survey, rehearsed before anyone is asked: the client and the estimator, together, on people who are made up."""
