"""A program of somebody else's, as `sotto audit --program` runs it: python faulty_device.py FAULT

It has been written from docs/maths-coins.md and docs/audit.md alone, imports nothing of sottovoce, and answers yes-no,
k-ary and unary questions, of one stage or two, in surveys with `draw`, `skip` and waves. FAULT says what is wrong with
it; `none` is nothing. With `-flip` behind it a coin of a yes-no question says whether the answer is kept, not what is
reported.
"""

import json
import os
import random
import struct
import sys
import time

SCALE = 2**32
BUFFER = 2**16


class Entropy:
    """Uniform 32-bit integers from the operating system."""

    def __init__(self):
        self.left = []

    def word(self):
        if not self.left:
            self.left = list(struct.unpack(f"<{BUFFER // 4}I", os.urandom(BUFFER)))
        return self.left.pop()


class JavaRandom:
    """java.util.Random: 48 bits of state, of which 32 are handed out."""

    def __init__(self):
        self.state = int.from_bytes(os.urandom(6))

    def word(self):
        self.state = (self.state * 0x5DEECE66D + 11) % 2**48
        return self.state >> 16


class Mersenne:
    """Python's random: strong enough for games."""

    def __init__(self):
        self.random = random.Random()  # noqa: S311  # the fault

    def word(self):
        return self.random.getrandbits(32)


class Clock(Mersenne):
    """A generator that is seeded with the second in which the program began, or nearly."""

    def __init__(self):
        self.random = random.Random(int(time.time()) // 1000)  # noqa: S311  # the fault


class Seeded(Mersenne):
    """A generator that is seeded with the device's number: who knows the number takes all noise off."""

    def __init__(self, number):
        self.random = random.Random(number)  # noqa: S311  # the fault


class Replay:
    """Words that are handed out again from the first one on, for every question."""

    def __init__(self):
        self.kept, self.place = [], 0

    def word(self):
        if self.place == len(self.kept):
            self.kept.append(int.from_bytes(os.urandom(4)))
        self.place += 1
        return self.kept[self.place - 1]


class Device:
    def __init__(self, survey, fault, source, number=0):
        self.questions, self.waves, self.source = survey["questions"], survey.get("waves", 1), source
        self.fault, self.flips = fault.removesuffix("-flip"), fault.endswith("-flip")
        self.memo, self.repeated, self.wave, self.is_late = {}, {}, 1, False
        if self.fault == "same-coins":
            self.source = Replay()
        if self.fault == "user":
            self.source = Seeded(number)
        self.permanent = Seeded(number) if self.fault == "user-permanent" else self.source
        self.fresh = Seeded(number) if self.fault == "user-fresh" else self.source
        ids = [question["id"] for question in self.questions]
        self.drawn = self.draw(ids, survey.get("draw", len(ids)), number)
        n_asked = survey.get("asked_in", 0)
        self.asked = n_asked and sorted(self.draw(range(1, self.waves + 1), n_asked, number))

    def draw(self, ids, n_drawn, number):
        """Return the questions that this device answers, or its waves: any so many, each set as likely."""
        if n_drawn == len(ids) or self.fault == "draw-first":
            return ids[:n_drawn]
        if self.fault == "draw-turn":
            return [ids[(number + place) % len(ids)] for place in range(n_drawn)]
        left = [*ids]
        return [left.pop(self.below(len(left))) for _ in range(n_drawn)]

    def flip(self, threshold):
        if self.fault.startswith("truncated-"):
            spare = 32 - int(self.fault.removeprefix("truncated-"))
            return self.source.word() >> spare < threshold >> spare
        return self.source.word() < threshold

    def below(self, n):
        while (word := self.source.word()) >= SCALE - SCALE % n:
            pass
        return word % n

    def respond(self, question, answer):
        """Return the permanent response: bits, or an option's number."""
        published = question["mechanism"]
        if question["type"] == "yes-no" and self.is_late:
            return [answer]
        if question["type"] == "yes-no" and self.flips:
            return [answer == self.flip(published["threshold_if_true"])]
        if question["type"] == "yes-no":
            return [self.flip(published["threshold_if_true" if answer else "threshold_if_other"])]
        options = question["options"]
        true = options.index(answer)
        if self.is_late:
            return true
        if published["name"] == "k-ary":
            return self.choose(true, published["threshold_if_true"], len(options))
        bits = [self.flip(published["threshold_if_other"]) for _ in options]
        bits[true] = True if self.fault == "true-one" else self.flip(published["threshold_if_true"])
        if self.fault == "last-bit":
            bits[-1] = true == len(options) - 1
        return bits

    def choose(self, true, threshold, n_options):
        if self.flip(threshold):
            return true
        if self.fault == "any":
            return self.below(n_options)
        other = self.below(n_options - 1)
        return other + (other >= true)

    def answer(self, question, answer):
        published = question["mechanism"]
        if answer is None:
            answer = {"yes": True, "no": False}.get(question["skip"], question["skip"])
            if self.fault == "skip-clear":
                return answer if question["type"] == "yes-no" else question["options"].index(answer)
        if self.fault == "same-coins":
            self.source.place = 0
        key = question["id"], "first" if self.fault == "first-answer" else answer
        forgets = self.fault.startswith("forget-") and self.wave >= int(self.fault.removeprefix("forget-"))
        self.source = self.permanent
        if key not in self.memo or self.fault == "redrawn" or forgets:
            self.memo[key] = self.respond(question, answer)
        noisy = self.memo[key]
        if published["name"] == "k-ary":
            return noisy
        self.source = self.fresh
        if "report_if_one" in published:
            noisy = self.flip_again(question["id"], noisy, published)
        return noisy[0] if question["type"] == "yes-no" else pack(noisy)

    def flip_again(self, question_id, permanent, published):
        """Return the second stage's bits: of fresh coins, unless these are repeated, or those of every second wave."""
        noisy = [self.flip(published["report_if_one" if bit else "report_if_zero"]) for bit in permanent]
        if self.fault == "repeated" and self.wave > 1:
            return self.repeated.setdefault(question_id, noisy)
        if self.fault == "repeated-alternate":
            return self.repeated.setdefault((question_id, self.wave % 2), noisy)
        return noisy

    def report(self, answers, wave):
        self.wave = wave
        asked = [question for question in self.questions if question["id"] in self.drawn]
        noisy = {question["id"]: self.answer(question, answers.get(question["id"])) for question in asked}
        if self.fault == "other-survey":
            noisy = {"something": True}
        words = [self.source.word() for _ in range(4)] if self.fault in ("java", "mersenne") else None
        report_id = struct.pack(">4I", *words).hex() if words else os.urandom(16).hex()
        if self.fault == "id-tells":
            report_id = report_id[:-1] + "01"[answers[self.questions[0]["id"]]]
        if self.fault == "id-xor":
            bit = (int(report_id[0], 16) & 1) ^ answers[self.questions[0]["id"]]
            report_id = report_id[:-1] + f"{int(report_id[-1], 16) & 14 | bit:x}"
        if self.fault == "mersenne-ids":
            report_id = f"{IDS.getrandbits(128):032x}"
        if self.fault == "wave-tells" and self.asked:
            self.asked = [1 + answers[self.questions[0]["id"]]]
        more = {"truth": answers} if self.fault == "more" else {}
        more |= {"waves": self.asked} if self.asked and self.fault != "says-no-waves" else {}
        return {"id": report_id, "answers": noisy} | more | ({"wave": wave} if self.waves > 1 else {})


IDS = random.Random()  # noqa: S311  # the fault


def pack(bits):
    import base64

    number = sum(bit << place for place, bit in enumerate(bits))
    return base64.b64encode(number.to_bytes((len(bits) + 7) // 8, "little")).decode()


def write(report, fault):
    """Return a report as a line: its order of members, or a blank, may tell the first answer."""
    first = next(iter(report["answers"].values()))
    if fault == "order" and first:
        report = dict(reversed(report.items()))
    return json.dumps(report) + (" " if fault == "blank" and first else "") + "\n"


SOURCES = {"java": JavaRandom, "mersenne": Mersenne, "forked": Mersenne, "clock": Clock}


def write_reports(survey, lines, fault, source):
    device, known = None, None
    out = []
    for place, line in enumerate(lines):
        asked = json.loads(line)
        if asked["device"] != known:
            known, device = asked["device"], Device(survey, fault, source, asked["device"])
        device.is_late = fault == "late" and place >= 0.98 * len(lines)
        out.append(write(device.report(asked["answers"], asked["wave"]), fault))
    sys.stdout.write("".join(out))
    sys.stdout.flush()


def misbehave(fault, lines):
    if fault == "garbage":
        sys.stdout.write("not a report\n" * len(lines))
    elif fault == "early":
        sys.exit(3)
    elif fault == "short":
        lines.clear()
    elif fault == "hang":
        time.sleep(600)
    else:
        return False
    return True


def main(fault):
    survey = json.loads(sys.stdin.buffer.readline())
    lines = sys.stdin.buffer.readlines()
    if misbehave(fault, lines):
        return
    source = SOURCES.get(fault.removesuffix("-flip"), Entropy)()
    if fault.startswith("forked"):  # two workers, a half each, from one generator that was there before
        middle = len(lines) // 2
        if child := os.fork():
            os.waitpid(child, 0)
            lines = lines[middle:]
        else:
            lines = lines[:middle]
    write_reports(survey, lines, fault, source)


if __name__ == "__main__":
    main(sys.argv[1])
