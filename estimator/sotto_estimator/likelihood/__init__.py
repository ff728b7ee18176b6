"""Likelihoods of hidden answers: latent classes fitted by EM, Newton's method, and standard errors. Arrays alone."""
