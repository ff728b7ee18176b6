"""A respondent's device once more, in plain Python that shares no code with the packages.

From a secret, answers and coins to the bytes that are posted. reference_device_vectors.py writes its results down.
"""

import base64
import hmac
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from reference import (
    Answer,
    Published,
    Stream,
    choose_outputs,
    draw_groups,
    draw_outputs,
    flip,
    pack,
    perturb,
    repeat_bits,
    respond,
    round_to_levels,
    wire,
)
from reference_padded import draw_asked, report_asked
from reference_surveys import Document, canonical, epsilon_of, fingerprint, n_values_of
from reference_text_vectors import counts_as


class KeyStream(Stream):
    """The bytes of HMAC-SHA256(secret, context || block number), block after block."""

    def __init__(self, secret: bytes, context: bytes) -> None:
        super().__init__(b"")
        self._secret = secret
        self._context = context

    def byte(self) -> int:
        """Return the next byte."""
        if self.used == len(self.stream):
            number = (self.used // 32).to_bytes(8, "big")
            self.stream += hmac.new(self._secret, self._context + number, "sha256").digest()
        return super().byte()


def context_of(survey: Document, question: Document, label: str, answer: Answer | None = None) -> bytes:
    """Return what a key stream or a tag is made of: parts, each behind its length."""
    parts = [label.encode(), fingerprint(canonical(survey)).encode(), question["id"].encode()]
    if isinstance(answer, str):
        parts.append(answer.encode())
    elif answer is not None:
        numbers = [answer] if isinstance(answer, int) else answer
        parts.append(b"".join(bytes([number // 256, number % 256]) for number in numbers))
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def encode(question: Document, given: Any) -> Answer:
    """Return an answer as the mechanism takes it; None stands for `skip`."""
    if question["type"] == "joint":
        value = 0
        for item in question["questions"]:
            place = encode(item, given.get(item["id"]))
            assert isinstance(place, int)
            value = value * len(item.get("options", ["no", "yes"])) + place
        return value
    said = question["skip"] if given is None else given
    if question["type"] == "yes-no":
        return int(said == "yes" if given is None else said)
    if question["type"] == "one-of":
        return int(question["options"].index(said))
    if question["type"] == "number":
        minimum, step = (Decimal(question[key]) for key in ("minimum", "step"))
        return int((Decimal(str(said)) - minimum) / step)
    if question["type"] == "any-of":
        return tuple(int(option in said) for option in question["options"])
    normal = counts_as(said)
    assert normal is not None
    return normal


def answer_of(question: Document, answers: Mapping[str, Any]) -> Answer:
    """Return the answer to a question, as the mechanism takes it, of all answers by id."""
    return encode(question, answers if question["type"] == "joint" else answers.get(question["id"]))


def group_of(survey: Document, question: Document, secret: bytes) -> list[int]:
    """Return the cohort of a text question, and the number of its pair of positions, if it has them."""
    stream = KeyStream(secret, context_of(survey, question, "sottovoce-group-1"))
    return [number for number, _ in draw_groups(question["mechanism"], 1, stream)[0]]


def permanent_of(survey: Document, question: Document, answer: Answer, secret: bytes) -> bytes:
    """Return the packed permanent response of an answer."""
    mechanism, n_values = question["mechanism"], n_values_of(question)
    settled = settled_of(survey, question, answer, secret)
    stream = KeyStream(secret, context_of(survey, question, "sottovoce-permanent-1", settled))
    if mechanism["name"] == "window":
        assert isinstance(settled, int)
        return draw_outputs(mechanism, [settled], stream)[0]
    if mechanism["name"] == "segments":
        assert isinstance(settled, int)
        return choose_outputs(mechanism, [settled], stream)[0]
    if mechanism["name"] == "k-ary":
        once = {key: mechanism[key] for key in ("name", "threshold_if_true")}
        return perturb(once, n_values, [answer], stream)[0]
    if mechanism["name"] == "asked-option":
        of_device = KeyStream(secret, context_of(survey, question, "sottovoce-group-1"))
        return report_asked(mechanism, n_values, [answer], draw_asked(mechanism, n_values, 1, of_device), stream)[0]
    if mechanism["name"] == "subset" and question["type"] == "any-of":
        return perturb(mechanism, n_values, [answer], stream)[0]
    widths = [2, 1]
    group = list(zip(group_of(survey, question, secret), widths, strict=False))
    bits = respond(mechanism, n_values, [answer], [group], stream)[0]
    return _group_bytes(group) + pack(bits, n_values)


def settled_of(survey: Document, question: Document, answer: Answer, secret: bytes) -> Answer:
    """Return what an answer counts as on a device: of a number its level, by a draw that does not know the number."""
    if question["type"] != "number":
        return answer
    stream = KeyStream(secret, context_of(survey, question, "sottovoce-settling-1"))
    return round_to_levels(question["mechanism"], n_values_of(question), [answer], stream)[0]


def _group_bytes(group: Sequence[tuple[int, int]]) -> bytes:
    return b"".join(number.to_bytes(width, "big") for number, width in group)


def report_of(mechanism: Published, n_values: int, permanent: bytes, coins: Stream) -> bytes:
    """Return a packed report of a packed permanent response: of one stage, itself."""
    if mechanism["name"] == "window":
        return repeat_bits(mechanism, [permanent], coins)[0]
    if "report_if_true" in mechanism:
        again = {"name": "k-ary", "threshold_if_true": mechanism["report_if_true"]}
        return perturb(again, n_values, [int.from_bytes(permanent, "big")], coins)[0]
    if "report_if_one" not in mechanism:
        return permanent
    n_group = 0 if "n_bits" not in mechanism else 3 if "max_length" in mechanism else 2
    size = -(-n_values // 8)
    blocks = [permanent[at : at + size] for at in range(n_group, len(permanent), size)]
    bits = [block[value // 8] >> value % 8 & 1 for block in blocks for value in range(n_values)]
    if_zero = flip(coins, mechanism["report_if_zero"], len(bits))
    if_one = flip(coins, mechanism["report_if_one"], len(bits))
    reported = [one if bit else zero for bit, one, zero in zip(bits, if_one, if_zero, strict=True)]
    return permanent[:n_group] + pack(reported, n_values)


def marks_of(survey: Document, answers: Sequence[Answer], secret: bytes) -> bytes:
    """Return what a device knows these answers by: in a survey of several waves tags, else permanent responses."""
    pairs = list(zip(survey["questions"], answers, strict=True))
    if "waves" not in survey:
        return b"".join(permanent_of(survey, question, answer, secret) for question, answer in pairs)
    settled = [(question, settled_of(survey, question, answer, secret)) for question, answer in pairs]
    contexts = [context_of(survey, question, "sottovoce-tag-1", answer) for question, answer in settled]
    return b"".join(hmac.new(secret, context, "sha256").digest() for context in contexts)


def record_of(survey: Document, wave: int, columns: Sequence[bytes]) -> bytes:
    """Return a packed report of all questions, as a device has it: of a survey with strata it knows none."""
    head = (wave.to_bytes(2, "big") if "waves" in survey else b"") + (bytes(2) if "strata" in survey else b"")
    return head + b"".join(columns)


def wire_of(survey: Document, columns: Sequence[bytes]) -> dict[str, Any]:
    """Return the answers that are sent, of every question's part."""
    pairs = zip(survey["questions"], columns, strict=True)
    return {question["id"]: wire(question["mechanism"], n_values_of(question), part) for question, part in pairs}


def body_of(survey: Document, report_id: bytes, wave: int, columns: Sequence[bytes], invitation: str = "") -> str:
    """Return the text that is posted: a report, and blanks up to the length of the survey's longest."""
    report: dict[str, Any] = {"id": report_id.hex(), "answers": wire_of(survey, columns)}
    report |= ({"wave": wave} if "waves" in survey else {}) | ({"invitation": invitation} if invitation else {})
    n_blanks = sum(map(blanks_after, survey["questions"], report["answers"].values()))
    n_blanks += len(str(survey["waves"])) - len(str(wave)) if "waves" in survey else 0
    return canonical({"fingerprint": fingerprint(canonical(survey)), "reports": [report]}) + " " * n_blanks


def blanks_after(question: Document, sent: Any) -> int:
    """Return by how many characters some answer's report is longer than this one: true, and numbers of fewer digits."""
    mechanism = question["mechanism"]
    if isinstance(sent, bool):
        return len("false") - len(canonical(sent))
    if mechanism["name"] == "window":
        return len(str(mechanism["levels"] + mechanism["width"] - 2)) - len(str(sent))
    if mechanism["name"] == "segments":
        return len(str(len(mechanism["outputs"]) - 1)) - len(str(sent))
    if isinstance(sent, int):
        return len(str(n_values_of(question) - 1)) - len(str(sent))
    if isinstance(sent, str):
        return 0
    if mechanism["name"] == "asked-option":
        n_values, n_asked = n_values_of(question), mechanism.get("asked", 1)
        longest = [value for option in range(n_values - n_asked, n_values) for value in (option, False)]
        return len(canonical(longest)) - len(canonical(sent))
    highest = [mechanism["n_cohorts"] - 1]
    if "max_length" in mechanism:
        n_positions = mechanism["max_length"] // mechanism["gram_length"]
        highest.append(n_positions * (n_positions - 1) // 2 - 1)
    return sum(len(str(most)) - len(str(number)) for most, number in zip(highest, sent, strict=False))


def invitation_of(code: bytes) -> str:
    """Return an invitation of 16 bytes as it is written."""
    return base64.b32encode(code).decode().lower()[:26]


def charge(survey: Document, answers: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]], secret: bytes) -> int:
    """Return what a report takes after the earlier ones, in units of 1e-12 nats: every answer has a pot of its own."""
    units = 0
    for question in survey["questions"]:
        now, *before = [
            settled_of(survey, question, answer_of(question, given), secret) for given in (answers, *earlier)
        ]
        n_before = before.count(now)
        units += epsilon_of(question, n_before + 1) - epsilon_of(question, n_before)
    return units
