"""Firefox New Tab's noisy interests and clicks, made up: what `--format firefox-newtab` and `firefox-clicks` read."""

import random
from collections.abc import Sequence
from typing import Any

MODEL = {
    "interest_vector": {
        "sports": {"features": {"s": 1}, "thresholds": [0.3, 0.6], "diff_p": 0.75, "diff_q": 0.25},
        "food": {"features": {"f": 1}, "thresholds": [0.5], "diff_p": 0.5, "diff_q": 0.1},
    }
}


def interests(n: int, *, shares: Sequence[float] = (0.5, 0.3, 0.2), seed: int = 1) -> list[dict[str, Any]]:
    """Return n pings by MODEL: of sports in its three ranges as often as shares say, of food half in each."""
    draw = random.Random(seed)  # noqa: S311 - made-up clients

    def vector(true: int, feature: dict[str, Any]) -> str:
        probs = [feature["diff_p" if at == true else "diff_q"] for at in range(len(feature["thresholds"]) + 1)]
        return "".join("1" if draw.random() <= prob else "0" for prob in probs)

    made = []
    for _ in range(n):
        answers = [draw.choices(range(3), shares)[0], draw.randrange(2)]
        vectors = [vector(*pair) for pair in zip(answers, MODEL["interest_vector"].values(), strict=True)]
        made.append({"values": vectors, "model_id": "m1"})
    return made


def clicks(n: int, n_items: int, keep: float, *, seed: int = 1) -> list[dict[str, Any]]:
    """Return n clicks, half of them truly on item-0, the others on any; kept so often, else of any item."""
    draw = random.Random(seed)  # noqa: S311 - made-up clicks
    made = []
    for _ in range(n):
        item = 0 if draw.random() < 0.5 else draw.randrange(n_items)
        item = item if draw.random() < keep else draw.randrange(n_items)
        made.append({"corpus_item_id": f"item-{item}", "is_sponsored": False})
    return made
