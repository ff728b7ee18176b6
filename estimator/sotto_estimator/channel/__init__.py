"""The channel that answers go through: debiasing counts of reports, and how good these are. Arrays in, arrays out."""
