"""The surveys of the JavaScript client's tests, as collectors publish them: client/js/test/surveys.json.

Written by `python tests/support/js_surveys.py > client/js/test/surveys.json`.
"""

import json
from dataclasses import replace
from pathlib import Path

from devices import (
    DIARY,
    FIVE,
    HABITS,
    INVITED,
    INVITED_PULSE,
    LUNCH,
    MONTHLY,
    PAIRS,
    PULSE,
    ROTATED,
    TWICE,
    WIDE,
    habits,
    yes_no,
)
from sotto_protocol import Survey, compile_toml
from sotto_protocol.blind import key_text

AGAIN = compile_toml("""
id = "again"
title = "Again"
waves = 4
[[questions]]
id = "q"
type = "yes-no"
text = "So?"
epsilon = 1
""")
"""One stage: a wave of an answer that was given before repeats its report for nothing."""

SKIPPED = compile_toml("""
id = "skipped"
title = "Skipped"
[[questions]]
id = "constructor"
type = "one-of"
text = "Who built it?"
options = ["we", "they", "no answer"]
skip = "no answer"
epsilon = 2
[[questions]]
id = "2"
type = "text"
text = "Where?"
skip = "nowhere"
epsilon = 2
[[questions]]
id = "10"
type = "yes-no"
text = "Is it still there?"
epsilon = 2
""")
"""Questions that may be left out, and ids that JavaScript's objects have a mind of their own about."""


SPOKEN = compile_toml("""
id = "spoken"
lang = "en"
title = { en = "Your ward", ar = "\u062c\u0646\u0627\u062d\u0643" }
closes = "2100-12-31"
[[questions]]
id = "rested"
type = "yes-no"
section = { en = "You", ar = "\u0623\u0646\u062a" }
text = { en = "Did you rest?", ar = "\u0647\u0644 \u0627\u0633\u062a\u0631\u062d\u062a\u061f" }
skip = "no"
want = 0.05
epsilon = 2
[[questions]]
id = "shift"
type = "one-of"
text = { en = "Which shift?", ar = "\u0623\u064a \u0645\u0646\u0627\u0648\u0628\u0629\u061f" }
options.en = ["early", "late"]
options.ar = ["\u0635\u0628\u0627\u062d\u064a\u0629", "\u0645\u0633\u0627\u0626\u064a\u0629"]
epsilon = 2
""")
"""Two languages, and a yes or no that may be left out."""


_VECTORS = Path(__file__).parents[1] / "vectors" / "rfc9474.json"
_MODULUS = int(json.loads(_VECTORS.read_text())["vectors"][1]["n"], 16)
KEY, OTHER_KEY = key_text(_MODULUS), key_text(_MODULUS + 2)
"""The first is that of RFC 9474's second vector. Nobody has the other one's private key."""
BLIND = replace(INVITED, invitations="blind")


def published() -> dict[str, Survey]:
    """Return the surveys by the names that the tests use."""
    return {
        "lunch": LUNCH,
        "wide": WIDE,
        "pulse": PULSE,
        "diary": DIARY,
        "invited": INVITED,
        "invitedPulse": INVITED_PULSE,
        "again": AGAIN,
        "skipped": SKIPPED,
        "spoken": SPOKEN,
        **{f"yesNo{epsilon}": yes_no("lunch", epsilon) for epsilon in ("5", "3", "0.5", "8.1")},
        "supper": yes_no("supper"),
        "five": FIVE,
        "rotated": ROTATED,
        "habits": HABITS,
        "drawnHabits": habits(of_survey="draw = 1"),
        "pairs": PAIRS,
        "monthly": MONTHLY,
        "twice": TWICE,
        "blind": replace(BLIND, token_keys=(KEY,)),
        "blindStrata": replace(BLIND, strata=("north", "south"), token_keys=(OTHER_KEY, KEY)),
        "blindPulse": replace(
            INVITED_PULSE, invitations="blind", waves=3, token_keys=(KEY, OTHER_KEY, key_text(_MODULUS + 4))
        ),
        "blindDraft": BLIND,
    }


def surveys_text() -> str:
    """Return the text of client/js/test/surveys.json: every survey's canonical text, by its name."""
    texts = {name: survey.canonical.decode() for name, survey in published().items()}
    return json.dumps(texts, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(surveys_text(), end="")
