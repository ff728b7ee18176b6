"""Android's autofill payloads, made up: what `--format android-autofill` reads."""

import random
from collections.abc import Iterable
from typing import Any


def payloads(texts: Iterable[str], *, seed: int = 1) -> list[dict[str, Any]]:
    """Return a payload for each device's text: hex, 3/4 true bits, the even or the odd ones of every byte."""
    draw = random.Random(seed)  # noqa: S311 - made-up devices
    made = []
    for text in texts:
        true = int.from_bytes(text.encode()[:32].ljust(32, b"\0"))
        resampled = draw.getrandbits(256)
        noisy = (true & ~resampled) | (draw.getrandbits(256) & resampled)
        mask = draw.choice([0x55, 0xAA])
        kept = noisy & int.from_bytes(bytes([mask]) * 32)
        made.append({"retainedBitMask": mask, "noiseInjectedPayload": kept.to_bytes(32).hex()})
    return made
