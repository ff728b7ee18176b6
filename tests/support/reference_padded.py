"""Any-of by a padded set and by some options that are asked, once more: no code of the packages."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from reference_coins import SCALE, Answer, Published, Stream, flip, uniform


def pad(published: Published, n_values: int, answer: Answer) -> list[int]:
    """Return the members of a padded answer, ascending: the selected options, then the first blanks."""
    assert isinstance(answer, tuple)
    selected = [option for option, bit in enumerate(answer) if bit]
    most = published["max_selected"]
    return [*selected, *range(n_values, n_values + most - len(selected))]


def place(stream: Stream, edges: Sequence[Fraction], n_draws: int) -> list[int]:
    """Draw numbers in [0, 1), 32 bits at a time, until it is known how many edges each is not below.

    First a word for each; where that does not tell, more words, one number after the other.
    """
    words = [stream.number(4) for _ in range(n_draws)]
    placed = []
    for word in words:
        low, size = Fraction(word, SCALE), Fraction(1, SCALE)
        while any(low < edge < low + size for edge in edges):
            size /= SCALE
            low += stream.number(4) * size
        placed.append(sum(edge <= low for edge in edges))
    return placed


def different(stream: Stream, n_values: int, n_different: int, n_draws: int) -> list[list[int]]:
    """Draw different numbers, the first for all, then the second: the next one changes places with the one drawn."""
    lists = [[*range(n_values)] for _ in range(n_draws)]
    for at in range(n_different):
        steps = uniform(stream, n_values - at, n_draws) if at < n_values - 1 else [0] * n_draws
        for numbers, step in zip(lists, steps, strict=True):
            numbers[at], numbers[at + step] = numbers[at + step], numbers[at]
    return [numbers[:n_different] for numbers in lists]


def draw_sets(stream: Stream, size: int, n_places: int, n_draws: int, n_values: int) -> list[set[int]]:
    """Draw sets of places, begun by coins and mended; `n_values`: what the coins' probability is of."""
    first = max(0, 256 * (2 * size - math.isqrt(9 * size)) // (2 * n_values))
    coins = flip(stream, first << 24, n_draws * n_places) if first else [False] * n_draws * n_places
    sets = [{at for at in range(n_places) if coins[row * n_places + at]} for row in range(n_draws)]
    while any(len(chosen) != size for chosen in sets):
        missing = [size - len(chosen) for chosen in sets]
        draws = iter(uniform(stream, n_places, sum(map(abs, missing))))
        for chosen, lack in zip(sets, missing, strict=True):
            for at in itertools.islice(draws, abs(lack)):
                (chosen.add if lack > 0 else chosen.discard)(at)
    return sets


def perturb_padded(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Draw how much of each answer is reported, a set of other members, and which of both change places."""
    most, weight, n = published["max_selected"], published["weight"], len(answers)
    n_steps = min(most, weight)
    n_sets = [math.comb(most, j) * math.comb(n_values, weight - j) for j in range(1, n_steps + 1)]
    true = Fraction(published["threshold_if_true"], SCALE)
    edges = [true * sum(n_sets[:j]) / sum(n_sets) for j in range(1, n_steps + 1)]
    n_own = [0 if at == n_steps else at + 1 for at in place(stream, edges, n)]
    sets = draw_sets(stream, weight, n_values, n, n_values)
    out = different(stream, weight, n_steps, n)
    into = different(stream, most, n_steps, n)
    reports = []
    for answer, size, chosen, leaving, coming in zip(answers, n_own, sets, out, into, strict=True):
        members = pad(published, n_values, answer)
        others = [member for member in range(n_values + most) if member not in members]
        ascending = sorted(chosen)
        kept = chosen - {ascending[at] for at in leaving[:size]}
        report = {others[at] for at in kept} | {members[at] for at in coming[:size]}
        reports.append(pack_set(report, n_values + most))
    return reports


def pack_set(members: set[int], n_members: int) -> bytes:
    """Return a set as bits."""
    return sum(1 << member for member in members).to_bytes(-(-n_members // 8), "little")


def padded_distribution(published: Published, n_values: int, answer: Answer) -> dict[bytes, Fraction]:
    """List all sets: those that have any of the padded answer are as likely as each other, and so are all others."""
    n_members = n_values + published["max_selected"]
    members = {*pad(published, n_values, answer)}
    has_any = {
        pack_set({*chosen}, n_members): bool(members & {*chosen})
        for chosen in itertools.combinations(range(n_members), published["weight"])
    }
    n_in, true = sum(has_any.values()), Fraction(published["threshold_if_true"], SCALE)
    return {report: true / n_in if is_in else (1 - true) / (len(has_any) - n_in) for report, is_in in has_any.items()}


def perturb_asked(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Draw everybody's options, then both coins of everybody's options, whatever the answers to them are."""
    asked = draw_asked(published, n_values, len(answers), stream)
    return report_asked(published, n_values, answers, asked, stream)


def draw_asked(published: Published, n_values: int, n_people: int, stream: Stream) -> list[list[int]]:
    """Draw the options that people are asked, ascending."""
    if published.get("asked", 1) == 1:
        return [[option] for option in uniform(stream, n_values, n_people)]
    return [sorted(numbers) for numbers in different(stream, n_values, published.get("asked", 1), n_people)]


def report_asked(
    published: Published, n_values: int, answers: Sequence[Answer], asked: Sequence[Sequence[int]], stream: Stream
) -> list[bytes]:
    """Report whether the options that people are asked are selected."""
    n_asked = published.get("asked", 1)
    if_no = iter(flip(stream, published["threshold_if_other"], n_asked * len(answers)))
    if_yes = iter(flip(stream, published["threshold_if_true"], n_asked * len(answers)))
    reports = []
    for answer, options in zip(answers, asked, strict=True):
        assert isinstance(answer, tuple)
        coins = [(next(if_no), next(if_yes)) for _ in options]
        yes = {at for at, (option, coin) in enumerate(zip(options, coins, strict=True)) if coin[answer[option]]}
        group = b"".join(option.to_bytes(1 if n_values <= 256 else 2, "big") for option in options)
        reports.append(group + pack_set(yes, n_asked))
    return reports


def asked_distribution(published: Published, n_values: int, answer: Answer) -> dict[bytes, Fraction]:
    """List all options that can be asked, and all that can be said of them."""
    assert isinstance(answer, tuple)
    n_asked, width = published.get("asked", 1), 1 if n_values <= 256 else 2
    true, other = (Fraction(published[key], SCALE) for key in ("threshold_if_true", "threshold_if_other"))
    probs = {}
    for options in itertools.combinations(range(n_values), n_asked):
        group = b"".join(option.to_bytes(width, "big") for option in options)
        for said in itertools.product((0, 1), repeat=n_asked):
            prob = Fraction(1, math.comb(n_values, n_asked))
            for option, bit in zip(options, said, strict=True):
                yes = true if answer[option] else other
                prob *= yes if bit else 1 - yes
            probs[group + pack_set({at for at, bit in enumerate(said) if bit}, n_asked)] = prob
    return probs
