"""From counts of Bloom filters to the shares of strings: RAPPOR, decoded."""
