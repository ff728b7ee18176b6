"""Surveys of questions of all kinds, and reports of made-up people to them."""

from typing import Any

import numpy as np

from collecting import TOWNS
from sotto_protocol import Coins, Survey

EVERYTHING = """
id = "everything"
title = "Everything"
waves = 2
[[questions]]
id = "affair"
type = "yes-no"
text = "?"
mechanism = "basic-rappor"
epsilon = 2
epsilon_forever = 3
[[questions]]
id = "town"
type = "one-of"
text = "?"
options = ["bonn", "köln", "ulm"]
mechanism = "k-ary"
epsilon = 2
epsilon_forever = 3
"""
ONCE = f"""
id = "once"
title = "Once"
[[questions]]
id = "paid"
type = "yes-no"
text = "?"
epsilon = 2
[[questions]]
id = "set"
type = "one-of"
text = "?"
options = ["a", "b", "c", "d", "e", "f"]
mechanism = "subset"
weight = 2
epsilon = 1
[[questions]]
id = "point"
type = "one-of"
text = "?"
options = [{TOWNS}]
mechanism = "geometry"
epsilon = 3
[[questions]]
id = "ill"
type = "any-of"
text = "?"
options = ["flu", "<cold>", "no"]
mechanism = "asked-option"
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "?"
minimum = -10
maximum = 30
unit = "hours"
epsilon = 4
[[questions]]
id = "home"
type = "text"
text = "?"
mechanism = "rappor"
epsilon = 4
"""
DRAWN = ONCE.replace('id = "once"', 'id = "drawn"\ndraw = 2')
TOGETHER = """
id = "together"
title = "Together"
[[together]]
questions = ["smokes", "region"]
epsilon = 3
[[questions]]
id = "smokes"
type = "yes-no"
text = "?"
[[questions]]
id = "region"
type = "one-of"
text = "?"
options = ["north", "south", "east"]
"""


def people(survey: Survey, n: int, wave: int = 1) -> np.ndarray:
    """Return packed reports of n people with answers of all kinds, by coins that are the same each time."""
    chance, answers = np.random.default_rng(11), dict[str, Any]()
    for question in survey.questions:
        n_values = question.mechanism.n_values
        if question.type == "text":
            answers[question.id] = ["ulm", "bonn"] * (n // 2)
        elif question.mechanism.takes_rows:
            answers[question.id] = chance.integers(0, 2, (n, n_values))
        elif question.type == "number":
            answers[question.id] = np.full(n, 20)
        else:
            answers[question.id] = chance.integers(0, max(2, n_values), n)
    return survey.perturb(answers, Coins(np.random.default_rng(wave).bytes), wave)
