"""`sotto simulate` of a million people and five questions: within a limit of time, and no larger than of a tenth."""

import sys
import tempfile
from pathlib import Path

from bars import Bar, of_pairs
from cost import cost_of

N_PEOPLE, N_FEW = 10**6, 10**5
LIMIT_S = 10
N_ROUNDS = 3
SURVEY = """
id = "five"
title = "Five"
[[questions]]
id = "expensed"
type = "yes-no"
text = "?"
epsilon = 1
[[questions]]
id = "lunch"
type = "one-of"
text = "?"
options = ["desk", "canteen", "out", "home", "none"]
epsilon = 1
[[questions]]
id = "perks"
type = "any-of"
text = "?"
options = ["fruit", "gym", "car", "phone"]
epsilon = 1
[[questions]]
id = "hours"
type = "number"
text = "?"
minimum = 0
maximum = 80
epsilon = 1
[[questions]]
id = "word"
type = "text"
text = "?"
epsilon = 2
"""
TRUTH = "[questions.word]\nstrings = {fine = 0.3, tired = 0.1, bored = 0.05}\n"


def simulate(folder: Path, n_people: int) -> tuple[float, float]:
    """Return the seconds that the whole command took for one run, and its largest resident memory in MiB."""
    sotto = str(Path(sys.executable).with_name("sotto"))
    command = [sotto, "simulate", "survey.toml", "--truth", "truth.toml", "--n", str(n_people), "--runs", "1"]
    return cost_of(command, folder)


def measure() -> list[Bar]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "survey.toml").write_text(SURVEY)
        (folder / "truth.toml").write_text(TRUTH)
        pairs = [(simulate(folder, N_PEOPLE), simulate(folder, N_FEW)) for _ in range(N_ROUNDS)]
    what = f"simulating {N_PEOPLE:,} people, 5 questions"
    took = [(many_s, float(LIMIT_S)) for (many_s, _), _ in pairs]
    needed = [(many_mib, few_mib) for (_, many_mib), (_, few_mib) in pairs]
    return [
        of_pairs(f"{what}: time", took, least=1, reference="the limit", unit="s"),
        of_pairs(f"{what}: memory", needed, least=0.8, reference=f"of {N_FEW:,} people", unit="MiB"),
    ]
