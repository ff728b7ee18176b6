"""Five surveys of athletes who were asked by an extended crosswise design, as counts (`tests/data/rr/`)."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from sotto_estimator.designs.design import Arm, Design

RR = Path(__file__).parents[1] / "data" / "rr"
PUBLISHED = {("samples", "B"): 17.4, ("doping", "C"): 17.3, ("samples", "D"): 15.0, ("medicine", "C"): 14.0}
"""G² with one degree of freedom, where it is large."""


def design_of(true: float, other: float, name: str = "given") -> Design:
    """Return a design of yes and no by the probabilities of its first report, `1`."""
    return Design(name, ("yes", "no"), ("1", "2"), np.array([[true, other], [1 - true, 1 - other]], np.float64))


def crosswise(prob: float) -> Design:
    """Return the design whose report 1 says: exactly one of the two answers is yes."""
    return design_of(1 - prob, prob, "crosswise")


def arm(design: Design, *counts: float) -> Arm:
    return Arm(design, np.array(counts, np.float64))


def read_athletes() -> dict[tuple[str, str], list[Arm]]:
    """Return the samples of every question of every survey; those of the control question too."""
    found: dict[tuple[str, str], dict[float, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    with (RR / "rrsp1_counts.csv").open() as file:
        for row in csv.DictReader(file):
            found[row["question"], row["survey"]][float(row["p"])][row["answer_1_one_2_two"]] = int(row["n"])
    return {
        key: [arm(crosswise(prob), of["1.0"], of["2.0"]) for prob, of in sorted(probs.items())]
        for key, probs in found.items()
    }


ATHLETES = read_athletes()
EXTENDED = {key: arms for key, arms in ATHLETES.items() if arms[0].design.matrix[0, 1] > 0}
"""Of an extended crosswise design, so that a degree of freedom is left."""
