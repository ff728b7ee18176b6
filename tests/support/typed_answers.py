"""A survey of every type of question, with answers that are right and ones that are not: for types of answers."""

from dataclasses import replace
from typing import Any

from sotto_protocol import compile_toml

EVERY = compile_toml("""
id = "every"
title = "Every"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay? */ 7"
epsilon = 1
[[questions]]
id = "10-dish"
type = "one-of"
text = "What did you eat?"
options = ['so"up', "sal'ad", 'حساء']
epsilon = 1
[[questions]]
id = "drinks"
type = "any-of"
text = "What did you drink?"
options = ["tea", "coffee", "Set[Literal]"]
epsilon = 1
[[questions]]
id = "class"
type = "number"
text = "How many were there?"
minimum = 0
maximum = 10
epsilon = 1
[[questions]]
id = "price"
type = "number"
text = "What did it cost?"
minimum = 0
maximum = 10
step = 0.5
epsilon = 1
[[questions]]
id = "place"
type = "text"
text = "Where?"
skip = "nowhere"
epsilon = 1
""")
FULL: dict[str, Any] = {
    "paid": True,
    "10-dish": 'so"up',
    "drinks": ["tea", "coffee"],
    "class": 3,
    "price": 2.5,
    "place": "home",
}
RIGHT: list[dict[str, Any]] = [
    FULL,
    FULL | {"paid": False, "10-dish": "حساء", "drinks": []},
    FULL | {"place": None},
    {name: answer for name, answer in FULL.items() if name != "place"},
]
WRONG: list[dict[str, Any]] = [
    FULL | {"paid": 7},
    FULL | {"paid": "yes"},
    FULL | {"10-dish": "pizza"},
    FULL | {"10-dish": True},
    FULL | {"drinks": ["wine"]},
    FULL | {"drinks": "tea"},
    FULL | {"class": "3"},
    FULL | {"price": [1]},
    FULL | {"place": 5},
    FULL | {"payed": True},
    {name: answer for name, answer in FULL.items() if name != "paid"},
    FULL | {"paid": None},
]
DRAWN = replace(EVERY, draw=2)
FEW: dict[str, Any] = {"paid": True, "price": 0}
"""What suffices in DRAWN, whatever else was drawn, as far as types can tell."""
