"""Survey files to plan, and the command that plans them."""

from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_protocol import Survey, compile_toml

LUNCH = """
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
[[questions]]
id = "cuisine"
type = "one-of"
text = "What do you have most often?"
options = ["sandwich", "salad", "leftovers", "canteen", "no answer"]
epsilon = 2
[[questions]]
id = "habits"
type = "any-of"
text = "What have you done?"
options = ["eaten at the desk", "skipped lunch", "eaten a colleague's food", "left early"]
epsilon = 0.3
[[questions]]
id = "hours"
type = "number"
text = "How long?"
minimum = 0
maximum = 16
unit = "hours"
epsilon = 1
[[questions]]
id = "dish"
type = "text"
text = "What was it?"
epsilon = 3
"""


def survey_of(text: str = LUNCH, **members: Any) -> Survey:
    """Return the survey of a text, with more members."""
    return compile_toml("\n".join(f"{name} = {value}" for name, value in members.items()) + text)


def plan_file(folder: Path, text: str, *words: str, name: str = "survey.toml") -> Result:
    """Write a survey file, and run `sotto plan` with it."""
    path = folder / name
    path.write_text(text)
    return CliRunner().invoke(main, ["plan", str(path), *words])
