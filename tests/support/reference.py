"""The mechanisms once more, one coin at a time: plain Python that shares no code with the package.

It reads mechanisms as surveys publish them (`{"name": .., "threshold_if_true": .., ..}`), perturbs with scalar loops,
and states output distributions as exact fractions. reference_vectors.py writes its results down.
"""

import base64
import itertools
import math
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from reference_bloom import bloom_bits, grams_of
from reference_coins import SCALE, Answer, Published, Stream, flip, uniform
from reference_padded import asked_distribution, draw_sets, padded_distribution, perturb_asked, perturb_padded
from reference_spaces import is_orthogonal, perturb_geometry, perturb_sketch, points_of, sketch_bucket
from reference_text_vectors import counts_as

_PRECISE = Context(prec=70)


def kind_of(published: Published, n_values: int) -> str:
    """Return the type of the question that a mechanism is for."""
    if "n_cohorts" in published:
        return "text"
    if "levels" in published:
        return "number"
    if "max_selected" in published:
        return "any-of"
    return "yes-no" if n_values == 1 else "one-of"


def perturb(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Perturb a batch of answers into packed reports: groups, then permanent responses, then reports of these."""
    if published["name"] in _WHOLE:
        return _WHOLE[published["name"]](published, n_values, answers, stream)
    groups = draw_groups(published, len(answers), stream)
    rows = respond(published, n_values, answers, groups, stream)
    if "report_if_one" in published:
        if_zero = flip(stream, published["report_if_zero"], sum(map(len, rows)))
        if_one = flip(stream, published["report_if_one"], sum(map(len, rows)))
        coins = iter(zip(if_one, if_zero, strict=True))
        rows = [[one if bit else zero for bit, (one, zero) in zip(row, coins, strict=False)] for row in rows]
    return [
        b"".join(number.to_bytes(size, "big") for number, size in group) + pack(row, n_values)
        for group, row in zip(groups, rows, strict=True)
    ]


Group = list[tuple[int, int]]
"""Numbers that a report names in clear, each with its width in bytes: a text's cohort, and its pair of positions."""


def draw_groups(published: Published, n_people: int, stream: Stream) -> list[Group]:
    """Draw everybody's cohort, then everybody's pair."""
    if "n_bits" not in published:
        return [[] for _ in range(n_people)]
    groups = [[(cohort, 2)] for cohort in uniform(stream, published["n_cohorts"], n_people)]
    if "max_length" in published:
        pairs = uniform(stream, len(pairs_of(published)), n_people)
        groups = [[*group, (pair, 1)] for group, pair in zip(groups, pairs, strict=True)]
    return groups


def pairs_of(published: Published) -> list[tuple[int, int]]:
    """Return the pairs of positions, from 1, in the order of their numbers."""
    n_positions = published["max_length"] // published["gram_length"]
    return [(first, second) for first in range(1, n_positions + 1) for second in range(first + 1, n_positions + 1)]


def respond(
    published: Published, n_values: int, answers: Sequence[Answer], groups: Sequence[Group], stream: Stream
) -> list[list[bool]]:
    """Return the bits of everybody's permanent response."""
    kind = kind_of(published, n_values)
    n_bits = 3 * n_values if "max_length" in published else n_values
    noisy = flip(stream, published["threshold_if_other"], len(answers) * n_bits)
    rows = [noisy[index * n_bits : (index + 1) * n_bits] for index in range(len(answers))]
    if kind in ("yes-no", "any-of"):  # a coin of the other kind for every bit, whether it is used or not
        places = [list(range(n_bits)) for _ in answers]
    else:  # one for every bit that is set; where two hashes set one, its second coin stays
        places = [bits_set(published, n_values, answer, group) for answer, group in zip(answers, groups, strict=True)]
    if_true = iter(flip(stream, published["threshold_if_true"], sum(map(len, places))))
    for row, set_bits, answer in zip(rows, places, answers, strict=True):
        for place, coin in zip(set_bits, if_true, strict=False):
            if kind in ("text", "one-of") or bits_of(published, n_values, answer)[place]:
                row[place] = coin
    return rows


def bits_set(published: Published, n_values: int, answer: Answer, group: Group) -> list[int]:
    """Return the numbers of the bits that an answer sets in a group; with a text's, some may be equal."""
    if not isinstance(answer, str):
        return [value for value, bit in enumerate(bits_of(published, n_values, answer)) if bit]
    answer = counts_as(answer) or ""
    n_hashes, (cohort, _) = published["n_hashes"], group[0]
    bits = bloom_bits(n_values, n_hashes, cohort, answer)
    if "max_length" in published:
        grams = grams_of(answer, published["max_length"], published["gram_length"])
        for block, position in enumerate(pairs_of(published)[group[1][0]], 1):
            of_gram = bloom_bits(n_values, n_hashes, cohort, grams[position - 1], position)
            bits += [block * n_values + bit for bit in of_gram]
    return bits


def pack(bits: Sequence[int], n_values: int) -> bytes:
    """Pack blocks of n_values bits, each from a whole byte."""
    blocks = [bits[start : start + n_values] for start in range(0, len(bits), n_values)]
    numbers = [sum(bit << value for value, bit in enumerate(block)) for block in blocks]
    return b"".join(number.to_bytes(-(-n_values // 8), "little") for number in numbers)


def _perturb_k_ary(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Draw an option for everybody, and where there is a second stage another one for each of those."""
    options = list(answers)
    for threshold in [published[key] for key in ("threshold_if_true", "report_if_true") if key in published]:
        honest = flip(stream, threshold, len(options))
        drawn = uniform(stream, n_values - 1, len(options))
        for index, (option, truth, lie) in enumerate(zip(options, honest, drawn, strict=True)):
            assert isinstance(option, int)
            options[index] = option if truth else lie + (lie >= option)
    return [int(option).to_bytes(1 if n_values <= 256 else 2, "big") for option in options]


def _perturb_subset(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """A set of the first n_values - 1 places, made of coins and mended; the last option stands for the answer there."""
    if "max_selected" in published:
        return perturb_padded(published, n_values, answers, stream)
    weight, n_places = published["weight"], n_values - 1
    honest = flip(stream, published["threshold_if_true"], len(answers))
    sets = draw_sets(stream, weight, n_places, len(answers), n_values)
    reports = []
    replaced = uniform(stream, weight, len(answers))
    for chosen, answer, truth, place in zip(sets, answers, honest, replaced, strict=True):
        if truth:
            chosen.remove(sorted(chosen)[place])
        others = {n_places if place == answer else place for place in chosen}
        reports.append(pack([int(v in others or (truth and v == answer)) for v in range(n_values)], n_values))
    return reports


def _perturb_window(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Round everybody's number, then draw everybody's output, then, of one bit, whether it is repeated."""
    levels = round_to_levels(published, n_values, answers, stream)
    return repeat_bits(published, draw_outputs(published, levels, stream), stream)


def round_to_levels(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[int]:
    """Return everybody's level; `n_values` is how many numbers there are."""
    levels = []
    for answer, drawn in zip(answers, uniform(stream, n_values - 1, len(answers)), strict=True):
        assert isinstance(answer, int)
        place = Fraction(answer * (published["levels"] - 1), n_values - 1)
        levels.append(math.floor(place) + (Fraction(drawn, n_values - 1) < place - math.floor(place)))
    return levels


def draw_outputs(published: Published, levels: Sequence[int], stream: Stream) -> list[bytes]:
    """Return everybody's packed output, in the window of their level or not."""
    width, n_outputs = published["width"], published["levels"] + published["width"] - 1
    inside = flip(stream, published["threshold_if_true"], len(levels))
    within = uniform(stream, width, len(levels))
    beyond = uniform(stream, published["levels"] - 1, len(levels))
    outputs = []
    for level, is_inside, near, far in zip(levels, inside, within, beyond, strict=True):
        window = [*range(level, level + width)]
        others = [output for output in range(n_outputs) if output not in window]
        outputs.append((window[near] if is_inside else others[far]).to_bytes(1 if n_outputs <= 256 else 2, "big"))
    return outputs


def repeat_bits(published: Published, outputs: Sequence[bytes], stream: Stream) -> list[bytes]:
    """Return the outputs, or of two stages fresh reports of them, one bit each."""
    if "report_if_true" not in published:
        return list(outputs)
    same = flip(stream, published["report_if_true"], len(outputs))
    return [output if again else bytes([1 - output[0]]) for output, again in zip(outputs, same, strict=True)]


def _perturb_segments(published: Published, n_values: int, answers: Sequence[Answer], stream: Stream) -> list[bytes]:
    """Round everybody's number, then draw everybody's output."""
    return choose_outputs(published, round_to_levels(published, n_values, answers, stream), stream)


def choose_outputs(published: Published, levels: Sequence[int], stream: Stream) -> list[bytes]:
    """Return everybody's packed output: the first whose probability, with all before it, is above a number drawn."""
    outputs = []
    for level in levels:
        drawn = stream.number(4)
        totals = itertools.accumulate(weights_of(published, level))
        number = next(output for output, total in enumerate(totals) if drawn < total)
        outputs.append(number.to_bytes(1 if len(published["outputs"]) <= 256 else 2, "big"))
    return outputs


def weights_of(published: Published, level: int) -> list[int]:
    """Return the probability of every output at a level, of 2^32."""
    return [
        inside if level in range(first, last + 1) else outside
        for first, last, inside, outside, _ in published["outputs"]
    ]


_WHOLE = {
    "asked-option": perturb_asked,
    "k-ary": _perturb_k_ary,
    "subset": _perturb_subset,
    "geometry": perturb_geometry,
    "sketch": perturb_sketch,
    "window": _perturb_window,
    "segments": _perturb_segments,
}
"""The mechanisms of which a report is drawn as a whole, and not bit by bit."""


def bits_of(published: Published, n_values: int, answer: Answer) -> tuple[int, ...]:
    """Return the bits that stand for an answer, not a text, before they are perturbed."""
    if isinstance(answer, tuple):
        return answer
    assert isinstance(answer, int)
    is_yes_no = kind_of(published, n_values) == "yes-no"
    return (answer,) if is_yes_no else tuple(int(v == answer) for v in range(n_values))


def wire(published: Published, n_values: int, report: bytes) -> Any:
    """Return a packed report as the JSON value that is sent."""
    if published["name"] == "asked-option":
        n_asked, width = published.get("asked", 1), 1 if n_values <= 256 else 2
        said = int.from_bytes(report[n_asked * width :], "little")
        options = [int.from_bytes(report[at * width : at * width + width], "big") for at in range(n_asked)]
        return [value for at, option in enumerate(options) for value in (option, bool(said >> at & 1))]
    if published["name"] in ("k-ary", "geometry", "window", "segments"):
        return int.from_bytes(report, "big")
    if published["name"] == "sketch":
        return [int.from_bytes(part, "big") for part in (report[:2], report[2:])]
    if "n_bits" in published:
        size = -(-published["n_bits"] // 8)
        n_pairs = 1 if "max_length" in published else 0
        blocks = [report[start : start + size] for start in range(2 + n_pairs, len(report), size)]
        return [256 * report[0] + report[1], *report[2 : 2 + n_pairs], *(base64.b64encode(b).decode() for b in blocks)]
    if kind_of(published, n_values) == "yes-no":
        return report == b"\x01"
    return base64.b64encode(report).decode()


def every_answer(published: Published, n_values: int) -> Iterator[Answer]:
    """All answers that a person may give."""
    kind = kind_of(published, n_values)
    if kind == "any-of":
        rows = itertools.product((0, 1), repeat=n_values)
        yield from (row for row in rows if sum(row) <= published["max_selected"])
    else:
        yield from range(2 if kind == "yes-no" else n_values)


def distribution(
    published: Published, n_values: int, answer: Answer, *, is_permanent: bool = False
) -> dict[bytes, Fraction]:
    """Return the probability of every packed report, or permanent response, under an answer.

    Of a text's, those with a cohort and a pair of positions whose numbers are 0: they do not depend on the answer.
    """
    if published["name"] == "segments":
        return _of_segments(published, n_values, answer)
    if published["name"] == "sketch":
        true = Fraction(published["threshold_if_true"], SCALE)
        of_bucket = _of_sets(published, n_values, sketch_bucket(published, answer, 0), true)
        return {bytes(2) + point: prob for point, prob in of_bucket.items()}
    true, other = (
        Fraction(published["threshold_if_true"], SCALE),
        Fraction(published.get("threshold_if_other", 0), SCALE),
    )
    if "report_if_one" in published and not is_permanent:
        one, zero = Fraction(published["report_if_one"], SCALE), Fraction(published["report_if_zero"], SCALE)
        true, other = true * one + (1 - true) * zero, other * one + (1 - other) * zero
    if published["name"] == "k-ary":
        width = 1 if n_values <= 256 else 2
        lie = (1 - true) / (n_values - 1)
        if "report_if_true" in published and not is_permanent:
            kept = Fraction(published["report_if_true"], SCALE)
            true = true * kept + (1 - true) * (1 - kept) / (n_values - 1)
            lie = (1 - true) / (n_values - 1)
        return {value.to_bytes(width, "big"): true if value == answer else lie for value in range(n_values)}
    if published["name"] == "window":
        return _of_window(published, n_values, answer, is_permanent=is_permanent)
    if published["name"] == "asked-option":
        return asked_distribution(published, n_values, answer)
    if published["name"] == "subset" and "max_selected" in published:
        return padded_distribution(published, n_values, answer)
    if published["name"] in ("subset", "geometry"):
        return _of_sets(published, n_values, answer, true)
    group = [(0, 2), (0, 1)] if "max_length" in published else [(0, 2)] if "n_bits" in published else []
    set_bits = bits_set(published, n_values, answer, group)
    n_bits = 3 * n_values if "max_length" in published else n_values
    chances = [true if value in set_bits else other for value in range(n_bits)]
    probs = {}
    for report in itertools.product((0, 1), repeat=n_bits):
        packed = bytes(sum(size for _, size in group)) + pack(report, n_values)
        probs[packed] = Fraction(1)
        for bit, chance in zip(report, chances, strict=True):
            probs[packed] *= chance if bit else 1 - chance
    return probs


def _of_segments(published: Published, n_values: int, answer: Answer) -> dict[bytes, Fraction]:
    """Sum over the two levels next to a number, by how near it is."""
    assert isinstance(answer, int)
    place, size = (
        Fraction(answer * (published["levels"] - 1), n_values - 1),
        1 if len(published["outputs"]) <= 256 else 2,
    )
    near = {level: max(Fraction(0), 1 - abs(place - level)) for level in range(published["levels"])}
    rows = {level: weights_of(published, level) for level, share in near.items() if share}
    return {
        output.to_bytes(size, "big"): sum(
            (near[level] * Fraction(row[output], SCALE) for level, row in rows.items()), Fraction(0)
        )
        for output in range(len(published["outputs"]))
    }


def _of_window(
    published: Published, n_values: int, answer: Answer, *, is_permanent: bool = False
) -> dict[bytes, Fraction]:
    """Sum over the two levels next to a number, by how near it is, and over the outputs of each."""
    assert isinstance(answer, int)
    levels, width = published["levels"], published["width"]
    place = Fraction(answer * (levels - 1), n_values - 1)
    true = Fraction(published["threshold_if_true"], SCALE)
    if "report_if_true" in published and not is_permanent:
        again = Fraction(published["report_if_true"], SCALE)
        true = true * again + (1 - true) * (1 - again)
    size = 1 if levels + width - 1 <= 256 else 2
    return {
        output.to_bytes(size, "big"): sum(
            max(Fraction(0), 1 - abs(place - level))
            * (true / width if level <= output < level + width else (1 - true) / (levels - 1))
            for level in range(levels)
        )
        + Fraction(0)
        for output in range(levels + width - 1)
    }


def _of_sets(published: Published, n_values: int, answer: Answer, true: Fraction) -> dict[bytes, Fraction]:
    """List all outputs: those that support the answer are as likely as each other, and so are all others."""
    assert isinstance(answer, int)
    supports: dict[bytes, bool] = {}
    if published["name"] == "subset":
        for chosen in itertools.combinations(range(n_values), published["weight"]):
            supports[pack([int(v in chosen) for v in range(n_values)], n_values)] = answer in chosen
    else:
        points = points_of(published)
        for number, point in enumerate(points):
            packed = number.to_bytes(1 if len(points) <= 256 else 2, "big")
            supports[packed] = is_orthogonal(point, points[answer], published["field"])
    n_in = sum(supports.values())
    return {report: true / n_in if is_in else (1 - true) / (len(supports) - n_in) for report, is_in in supports.items()}


def epsilon(distributions: Sequence[dict[bytes, Fraction]]) -> Decimal:
    """Return the largest log-ratio over all pairs of answers and all reports, to 70 digits."""
    ratio = max(
        probs[report] / others[report] for probs, others in itertools.permutations(distributions, 2) for report in probs
    )
    return _PRECISE.ln(_PRECISE.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
