"""A crowd whose answers are known, and how far shares of it are off: the same in the peers' environment and in ours."""

N_OPTIONS, N_ANSWERS = 64, 100_000


def crowd():
    """Return everyone's option, and the share of each option: the first is the commonest, by Zipf's law of 1.1."""
    weights = [1 / number**1.1 for number in range(1, N_OPTIONS + 1)]
    numbers = [round(N_ANSWERS * weight / sum(weights)) for weight in weights]
    answers = [option for option, number in enumerate(numbers) for _ in range(number)]
    return answers, [number / len(answers) for number in numbers]


def squared_error(estimates, shares):
    """Return the mean over the options, times 10**6."""
    return 1e6 * sum((float(one) - share) ** 2 for one, share in zip(estimates, shares, strict=True)) / len(shares)
