"""Reports as rows of a file, one a person, with weights, strata and clusters of a sample."""
