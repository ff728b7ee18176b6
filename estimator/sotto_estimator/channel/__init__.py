"""The channel that answers go through: debiasing counts of reports. Arrays in, arrays out."""
