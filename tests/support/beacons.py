"""Beacons of page loads with noisy confidence, made up: what `--format navigation-timing` reads."""

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CHROMIUM_RATE = 0.4994798
"""Of Chromium's default, epsilon 1.1, to the digits that it sends."""


def beacons(
    n: int, rates: Sequence[float] = (CHROMIUM_RATE,), *, share_high: float = 0.8, seed: int = 1
) -> list[dict[str, Any]]:
    """Return n beacons; durations are log-normal, of median e^7 ms where confidence is truly high and e^8 where not."""
    draw = random.Random(seed)  # noqa: S311 - made-up loads
    made = []
    for _ in range(n):
        rate, is_high = draw.choice(rates), draw.random() < share_high
        said = draw.random() < 0.5 if draw.random() < rate else is_high
        duration = round(math.exp(draw.gauss(7 if is_high else 8, 0.5)), 1)
        confidence = {"value": "high" if said else "low", "randomizedTriggerRate": rate}
        made.append({"duration": duration, "confidence": confidence, "country": draw.choice(["de", "fr"])})
    return made


def write_lines(path: Path, records: Sequence[Any]) -> Path:
    """Write JSON, a record a line, and return the path."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
