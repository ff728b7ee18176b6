"""Samples that are not simple: weights, strata, clusters, finite populations and post-stratification."""
