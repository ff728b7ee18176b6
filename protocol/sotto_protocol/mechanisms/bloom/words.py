"""What a text becomes, in plain words."""

from sotto_protocol.mechanisms.bloom.hash import BloomDesign


def say_bits(design: BloomDesign, n_positions: int, gram_length: int) -> str:
    """Return what a text becomes before any noise, and what is sent beside the bits; `n_positions` of n-grams, or 0."""
    words = f"Your text sets at most {design.n_hashes} of {design.n_bits} bits, and other texts set them too. "
    if design.n_cohorts > 1:
        words += (
            f"Your device belongs to one of {design.n_cohorts} groups, drawn once, in each of which texts set other "
            "bits; the group's number is sent. "
        )
    if n_positions:
        words += (
            f"The same is done with two pieces of your text, of up to {gram_length} characters each, at two "
            f"of {n_positions} positions that are drawn once; which two is sent. "
        )
    return words
