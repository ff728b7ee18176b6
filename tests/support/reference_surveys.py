"""Published surveys once more: their canonical text, and what their thresholds take; no code of the packages.

reference_survey_vectors.py writes its results down.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import comb, prod
from typing import Any

from reference import SCALE, Published

Document = dict[str, Any]
"""A survey or a question as it is published: numbers are integers, or Decimals that are written as they stand."""
Part = tuple[str, int]
"""A text and how often it stands there; `#` in it is the number of the repetition, from 0."""

DECIMALS = 12


def canonical(value: Any) -> str:
    """Return the canonical JSON of a document whose keys are ASCII."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    return format(value, "f") if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


def written(units: int) -> str:
    """Return so many units of 1e-12 nats as a plain decimal."""
    whole, rest = divmod(units, 10**DECIMALS)
    return f"{whole}.{rest:012}".rstrip("0").rstrip(".")


def units_of(epsilon: Any) -> int:
    """Return a declared epsilon, a Decimal or an integer, in units of 1e-12 nats."""
    return int(Decimal(epsilon).scaleb(DECIMALS))


def expand(parts: Sequence[Part]) -> str:
    """Return the text that its parts stand for."""
    return "".join(text.replace("#", str(number)) for text, times in parts for number in range(times))


def taken(kind: str, published: Published, n_values: int) -> tuple[int, int]:
    """Return what one report takes, and all reports of one answer, in units of 1e-12 nats, rounded up."""
    if published["name"] == "segments":
        return 2 * (round_up(_log(max(Fraction(row[2], row[3]) for row in published["outputs"]))),)
    true = Fraction(published["threshold_if_true"], SCALE)
    if published["name"] == "k-ary":
        forever = round_up(_log(true * (n_values - 1) / (1 - true)))
        return (together(kind, published, n_values, 1) if "report_if_true" in published else forever), forever
    if published["name"] == "window":
        again = Fraction(published.get("report_if_true", SCALE), SCALE)
        both = true * again + (1 - true) * (1 - again)
        odds_against = Fraction(published["levels"] - 1, published["width"])
        one, lasting = (round_up(_log(prob / (1 - prob) * odds_against)) for prob in (both, true))
        return one, lasting
    if published["name"] == "sketch":
        lists = published["field"] ** (published["dimension"] - 1)
        odds_against = Fraction(lists, (lists - 1) // (published["field"] - 1))
        return 2 * (round_up(_log(true / (1 - true) * odds_against)),)
    if published["name"] == "subset":  # of any-of: sets that have any of the padded answer, and those that have none
        none, every = (comb(n, published["weight"]) for n in (n_values, n_values + published["max_selected"]))
        return 2 * (round_up(_log(true / (1 - true) * Fraction(none, every - none))),)
    other = Fraction(published["threshold_if_other"], SCALE)
    one, zero = (
        Fraction(published.get(key, usual), SCALE) for key, usual in (("report_if_one", SCALE), ("report_if_zero", 0))
    )
    reported = [bit * one + (1 - bit) * zero for bit in (true, other)]
    differences = _differences(kind, published, n_values)
    return round_up(_largest(differences, *reported)), round_up(_largest(differences, true, other))


def _largest(differences: list[tuple[int, int]], true: Fraction, other: Fraction) -> Decimal:
    """Return the largest log-ratio of two answers that differ in so many bits (lost, gained)."""
    per_lost, per_gained = _log(true / other), _log((1 - other) / (1 - true))
    with localcontext(prec=80):
        return max(lost * per_lost + gained * per_gained for lost, gained in differences)


def _log(ratio: Fraction) -> Decimal:
    with localcontext(prec=80):
        return (Decimal(ratio.numerator) / ratio.denominator).ln()


def round_up(epsilon: Decimal) -> int:
    """Return the least number of units of 1e-12 nats that is not below epsilon, of 80 digits."""
    with localcontext(prec=80):
        units = epsilon.scaleb(DECIMALS)
        assert abs(units - units.to_integral_value()) > Decimal("1e-50"), "80 digits are too few to tell"
        return int(units.to_integral_value(ROUND_CEILING))


def _differences(kind: str, published: Published, n_values: int) -> list[tuple[int, int]]:
    """Return by how many bits (lost, gained) two answers can differ, by all sizes that their sets of bits can have."""
    n_values = published.get("asked", 1) if published["name"] == "asked-option" else n_values
    sizes = {
        "yes-no": range(2),
        "one-of": range(1, 2),
        "joint": range(1, 2),
        "any-of": range(min(published.get("max_selected", 0), n_values) + 1),
        "text": range(1, min(published.get("n_hashes", 0), n_values) + 1),
    }[kind]
    n_filters = 3 if "max_length" in published else 1
    most_gained: dict[int, int] = {}
    for size in sizes:
        for other_size in sizes:
            n_shared = max(0, size + other_size - n_values)  # as few as fit
            lost, gained = n_filters * (size - n_shared), n_filters * (other_size - n_shared)
            most_gained[lost] = max(gained, most_gained.get(lost, 0))
    return list(most_gained.items())


def n_values_of(question: Document) -> int:
    """Return how many values a question's mechanism has."""
    if question["type"] == "joint":
        return prod(len(item.get("options", ["no", "yes"])) for item in question["questions"])
    if question["type"] == "number":
        return int((Decimal(question["maximum"]) - Decimal(question["minimum"])) / Decimal(question["step"])) + 1
    return int(question["mechanism"].get("n_bits", len(question.get("options", "1"))))


def question(question_id: str, kind: str, mechanism: Published, options: Sequence[str] = (), **more: Any) -> Document:
    """Return a published question; it declares what it takes where `more` does not say otherwise."""
    document = {"id": question_id, "type": kind, "text": "Well?", "mechanism": mechanism} | more
    document |= {"options": list(options)} if options else {}
    report, forever = (Decimal(written(units)) for units in taken(kind, mechanism, n_values_of(document)))
    return document | {"epsilon": report} | ({"epsilon_forever": forever} if forever != report else {}) | more


def joint(question_id: str, mechanism: Published, *items: Document, **more: Any) -> Document:
    """Return a published question of items that are asked together: its text is theirs."""
    document = question(question_id, "joint", mechanism, questions=list(items), **more)
    return {key: value for key, value in document.items() if key != "text"}


def survey(*questions: Document, **more: Any) -> Document:
    """Return a published survey; it declares the sum of what its questions declare, with `draw` of the largest."""
    declared = sorted(units_of(question["epsilon"]) for question in questions)
    total = sum(declared[-more.get("draw", len(declared)) :])
    document = {"id": "s", "title": "A survey", "format": "sottovoce-survey-1", "questions": list(questions)}
    return document | {"epsilon": Decimal(written(total))} | more


def together(kind: str, published: Published, n_values: int, n_reports: int) -> int:
    """Return what so many reports of one answer take, in units, by going through what they may be.

    k-ary, and a window of two levels: all ways to share them out among the answer, another one, and the rest, whose
    order does not matter. Bits: so many ones of each bit that is lost, and of each that is gained.
    """
    true = Fraction(published["threshold_if_true"], SCALE)
    if published["name"] in ("k-ary", "window"):
        n_values = n_values if published["name"] == "k-ary" else 2
        kept = Fraction(published["report_if_true"], SCALE)
        lie, again = (1 - true) / (n_values - 1), (1 - kept) / (n_values - 1)
        largest = Fraction(0)
        for counts in _shared_out(n_reports, n_values - 2):
            n_rest = n_reports - sum(counts)
            for n_own in range(n_rest + 1):
                own, another = (_given(kept, again, n, n_reports) for n in (n_own, n_rest - n_own))
                never = (n_values - 2 - len(counts)) * _given(kept, again, 0, n_reports)
                rest = never + sum(_given(kept, again, n, n_reports) for n in counts)
                largest = max(largest, (true * own + lie * (another + rest)) / (true * another + lie * (own + rest)))
        return round_up(_log(largest))
    other = Fraction(published["threshold_if_other"], SCALE)
    one, zero = (Fraction(published[key], SCALE) for key in ("report_if_one", "report_if_zero"))
    ratios = []
    for n_ones in range(n_reports + 1):
        if_one, if_zero = (bit**n_ones * (1 - bit) ** (n_reports - n_ones) for bit in (one, zero))
        chances = [bit * if_one + (1 - bit) * if_zero for bit in (true, other)]
        ratios.append(chances[0] / chances[1])
    with localcontext(prec=80):
        most, least = _log(max(ratios)), _log(min(ratios))
        return round_up(max(lost * most - gained * least for lost, gained in _differences(kind, published, n_values)))


def _given(kept: Fraction, again: Fraction, n_equal: int, n_reports: int) -> Fraction:
    """Return the probability of reports of which so many are the kept option."""
    return kept**n_equal * again ** (n_reports - n_equal)


def _shared_out(n_most: int, n_parts: int, largest: int = 1000) -> Iterator[list[int]]:
    """Yield all lists of at most so many counts above 0, none above the one before it, whose sum is at most n_most."""
    yield []
    if n_parts:
        for first in range(1, min(n_most, largest) + 1):
            yield from ([first, *rest] for rest in _shared_out(n_most - first, n_parts - 1, first))


def epsilon_of(question: Document, n_reports: int) -> int:
    """Return what so many reports of one answer take, in units: of two stages exactly, else as often as there are."""
    once, mechanism = units_of(question["epsilon"]), question["mechanism"]
    units = n_reports * once
    if n_reports > 1 and any(key.startswith("report_if") for key in mechanism):
        units = max(once, together(question["type"], mechanism, n_values_of(question), n_reports))
    return min(units, units_of(question.get("epsilon_forever", question["epsilon"])))


def fingerprint(text: str) -> str:
    """Return a survey's fingerprint, of its text."""
    return hashlib.sha256(text.encode()).hexdigest()


def n_bytes_of(question: Document) -> int:
    """Return the width of a question's part of a packed report."""
    mechanism, n_values = question["mechanism"], n_values_of(question)
    if mechanism["name"] == "window":
        n_values = mechanism["levels"] + mechanism["width"] - 1
    if mechanism["name"] == "sketch":
        n_points = sum(mechanism["field"] ** place for place in range(mechanism["dimension"]))
        return 3 if n_points <= 256 else 4
    if mechanism["name"] == "segments":
        n_values = len(mechanism["outputs"])
    if mechanism["name"] in ("k-ary", "window", "segments"):
        return 1 if n_values <= 256 else 2
    if mechanism["name"] == "asked-option":
        n_asked = mechanism.get("asked", 1)
        return int(n_asked * (1 if n_values <= 256 else 2) + -(-n_asked // 8))
    if mechanism["name"] == "subset":
        n_values += mechanism.get("max_selected", 0)
    n_filters = 3 if "max_length" in mechanism else 1
    group = {1: 2, 3: 3}[n_filters] if question["type"] == "text" else 0
    return int(group + n_filters * -(-n_values // 8))


def of_thresholds(vector: Published) -> Document:
    """Return the survey of one question that declares what a vector says its mechanism takes."""
    is_number = vector["type"] == "number"
    options = [f"option {number}" for number in range(0 if is_number else vector["n_options"])]
    steps = {"minimum": 0, "maximum": vector["n_options"] - 1, "step": 1} if is_number else {}
    declared = {key: Decimal(vector[key]) for key in ("epsilon", "epsilon_forever")}
    if declared["epsilon"] == declared["epsilon_forever"]:
        del declared["epsilon_forever"]
    return survey(question("a", vector["type"], vector["mechanism"], options, **steps) | declared)
