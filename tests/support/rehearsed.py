"""What the tests of simulations share: a survey of every type, and people of whom all is said."""

from sotto_protocol import compile_toml
from sotto_rehearsal.simulation.crowd import Task
from sotto_rehearsal.simulation.truth import Truth, read_truth

OFFICE = compile_toml("""
id = "office"
title = "Office"
[[questions]]
id = "expensed"
type = "yes-no"
text = "Have you expensed a private meal?"
epsilon = 1
[[questions]]
id = "lunch"
type = "one-of"
text = "Where do you have lunch?"
options = ["desk", "canteen", "out", "none"]
epsilon = 1
[[questions]]
id = "perks"
type = "any-of"
text = "Which would you give up?"
options = ["fruit", "gym", "car"]
mechanism = "bit-flips"
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "How many hours did you work last week?"
minimum = 0
maximum = 80
unit = "hours"
epsilon = 1
""")
OFFICE_TRUTH = """
[questions.expensed]
share = 0.2
desired = false
[questions.lunch]
shares = {desk = 0.5, canteen = 0.3, out = 0.2}
[questions.perks]
shares = {fruit = 0.6, gym = 0.3, car = 0.1}
[questions.hours]
mean = 41
deviation = 8
"""

CERTAIN = compile_toml(
    'id = "certain"\ntitle = "Certain"\n[[questions]]\nid = "expensed"\ntype = "yes-no"\ntext = "?"\nepsilon = 6'
)
"""A survey with hardly any noise."""

WORD = compile_toml("""
id = "word"
title = "Word"
[[questions]]
id = "word"
type = "text"
text = "A word for your week?"
n_cohorts = 32
epsilon = 3
""")

WEEKLY = compile_toml("""
id = "weekly"
title = "Weekly"
waves = 3
[[questions]]
id = "well"
type = "yes-no"
text = "Are you well?"
mechanism = "basic-rappor"
epsilon = 0.5
epsilon_forever = 1.5
[[questions]]
id = "mood"
type = "one-of"
text = "Your mood?"
options = ["good", "fair", "bad"]
mechanism = "k-ary"
epsilon = 1
epsilon_forever = 2
[[questions]]
id = "perks"
type = "any-of"
text = "What did you use?"
options = ["gym", "fruit"]
mechanism = "basic-rappor"
epsilon = 1
epsilon_forever = 2
[[questions]]
id = "hours"
type = "number"
text = "Hours?"
minimum = 0
maximum = 10
epsilon = 1
epsilon_forever = 2
[[questions]]
id = "word"
type = "text"
text = "A word?"
epsilon = 1
epsilon_forever = 2
""")
WEEKLY_TRUTH = """
[questions.word]
strings = {fine = 0.6, tired = 0.4}
"""


def office(more: str = "") -> Truth:
    """Return the truth of OFFICE, with more of it."""
    return read_truth(OFFICE_TRUTH + more, OFFICE)


def task_of(truth: Truth, n_people: int, *, about_respondents: bool = False) -> Task:
    """Return the task of OFFICE."""
    return Task(OFFICE, truth, n_people, 1, about_respondents)
