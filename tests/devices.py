"""What the client's tests share: a survey, answers with canaries in them, and ways to look into a state."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from sotto_protocol import Survey, compile_toml
from sotto_protocol.invitation import invitation_text

LUNCH = compile_toml("""
id = "lunch"
title = "Lunch"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
prob_truth = "3/4"
[[questions]]
id = "dish"
type = "one-of"
text = "What did you eat?"
options = ["soup", "salad", "leftovers", "nothing"]
epsilon = 1
[[questions]]
id = "drinks"
type = "any-of"
text = "What did you drink?"
options = ["tea", "coffee", "wine"]
epsilon = 1
""")
ANSWERS: dict[str, Any] = {"paid": True, "dish": "leftovers", "drinks": ["wine"]}


WIDE = compile_toml(f"""
id = "wide"
title = "Wide"
[[questions]]
id = "which"
type = "any-of"
text = "Which?"
options = {[f"option-{number:03}" for number in range(128)]}
epsilon = 16
max_selected = 64
""")
"""Two answers give the same report with a probability below 1e-20."""


PULSE = compile_toml("""
id = "pulse"
title = "Pulse"
waves = 3
[[questions]]
id = "word"
type = "text"
text = "A word for your week?"
epsilon = 1
epsilon_forever = 2.5
[[questions]]
id = "rest"
type = "text"
text = "And for your rest?"
epsilon = 1
epsilon_forever = 2.5
[[questions]]
id = "well"
type = "yes-no"
text = "Are you well?"
mechanism = "basic-rappor"
epsilon = 0.25
epsilon_forever = 0.6
""")
"""Three waves and two stages: a wave of the same answers takes 2.25, then 2.25, then 1.1; 5.6 in all."""
WORDS: dict[str, Any] = {"word": "kaleidoscope", "rest": "kaleidoscope", "well": True}


INVITED = replace(LUNCH, invited=True)
INVITED_PULSE = replace(PULSE, invited=True)
CODE = bytes(range(100, 116))
INVITATION = invitation_text(CODE)


def yes_no(survey_id: str, epsilon: str = "1") -> Survey:
    """Return a survey of one question."""
    question = f'[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "So?"\nepsilon = {epsilon}\n'
    return compile_toml(f'id = "{survey_id}"\ntitle = "T"\n{question}')


def rows_of(path: Path, table: str) -> list[tuple[Any, ...]]:
    """Return a table of a state file, read behind the client's back."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  # our own table names


def sent_ids(bodies: list[bytes]) -> list[str]:
    """Return the report ids in some bodies."""
    return [report["id"] for body in bodies for report in json.loads(body)["reports"]]


def raw_of(path: Path) -> bytes:
    """Return all that lies on the disk of a state, the journal included."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))
