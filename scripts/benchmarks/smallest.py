"""The sizes with which every benchmark shows in seconds that it works; what it then measures says nothing."""

import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import bars

SMALLEST: Mapping[str, Mapping[str, Any]] = {
    "mechanisms": {"N_ANSWERS": 1000, "N_WIDE": 100},
    "sets": {"N_SINGLE": 2, "N_SETS": 100, "N_POINTS": 100, "N_COUNTED": 100, "N_ARRIVING": 2000, "N_WIDE_OPTIONS": 64},
    "errors": {"N_CROWDS": 1},
    "draw": {"N_PEOPLE": 1000, "N_CROWDS": (1, 1, 1)},
    "rappor": {"N_SINGLE": 2, "N_BULK": 1000},
    "decoding": {"N_REPORTS": 10**6, "N_MANY": 200, "N_FEW": 150, "N_ROUNDS": 1},
    "sketches": {
        "N_REPORTS": 10**5,
        "CROWDS": (("1", 1), ("2", 1), ("4", 1)),
        "N_CROWDS_OF_FALSE": 1,
    },
    "association": {"N_REPORTS": 500, "N_WORDS": (3, 5), "N_TIMED": 1, "N_UNKNOWN": 50_000},
    "simulation": {"N_PEOPLE": 1000, "N_FEW": 100, "N_ROUNDS": 1},
    "comparison": {"N_REPORTS": 1000, "N_ROUNDS": 1},
    "ingest": {"N_ROUNDS": 1, "N_SMALL": 8, "N_LARGE": 8, "N_SINGLES": 64, "N_SINGLES_SLOW": 64, "N_TURNS": 1},
    "oblivious": {"N_ROUNDS": 1, "N_POSTS": 64, "N_MESSAGES": 8},
    "tokens": {"N_TRADES": 2},
    "stores": {"N_STORED": 1000, "N_ROUNDS": 1, "N_READS": 2, "N_BATCHES": 16, "N_LARGE": 8, "N_SHARED": 16},
    "operating": {"N_STORED": 1000, "N_ROUNDS": 1, "N_PIECES": 8, "N_ALONE": 2, "N_BODIES": 8},
    "archive": {"N_REPORTS": 10_000, "N_FILES": 2},
    "pages": {"N_STORED": 1000, "N_FEW": 100, "N_STARTS": 1, "N_READS": 1},
    "planning": {"N_QUESTIONS": 5, "SIZES": (1000,), "N_TAILS": 1000, "N_ROUNDS": 1},
    "anytime": {"SIZES": (30,), "EPSILONS": (1,), "SHARES": (0.3,), "N_SURVEYS": 50, "N_REPORTS": 50, "N_DAYS": 2},
    "regression": {"N_ROUNDS": 1, "N_ROWS": 1000},
    "intervals": {"CASES": (("1", "2", 0.2, 100),)},
    "pooled": {"N_RECORDS": 1000},
    "table": {"N_ROWS": 1000},
    "starts": {},
}


def make_smallest(name: str, module: ModuleType) -> None:
    """Give a benchmark, which was imported, its smallest sizes, and let no bar be measured twice."""
    bars.is_smallest = True
    for constant, size in SMALLEST[name].items():
        assert hasattr(module, constant), f"{name} has no {constant}"
        setattr(module, constant, size)
    for other, sizes in SMALLEST.items():  # whose functions it calls
        if other in sys.modules:
            vars(sys.modules[other]).update(sizes)
