"""What is asked in the browser's tests: a survey of every kind of question, and what the collector has of it."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from typing import Any

from collecting import TIMEOUT_S, Served
from sotto_protocol import Survey, compile_toml

Answers = dict[str, Any]
"""By question id, as the client takes them; None: left out."""

HABITS = compile_toml("""
id = "habits"
title = "Habits"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you ever let the firm pay for a private lunch?"
prob_truth = "3/4"
[[questions]]
id = "dish"
type = "one-of"
text = "What do you eat most often?"
options = ["persimmons-soup", "persimmons-salad", "persimmons-leftovers", "rather not say"]
skip = "rather not say"
mechanism = "k-ary"
epsilon = 1.5
[[questions]]
id = "place"
type = "one-of"
text = "Where do you eat?"
options = ["greenhouse-01", "greenhouse-02", "greenhouse-03", "greenhouse-04", "greenhouse-05",
           "greenhouse-06", "greenhouse-07", "greenhouse-08", "greenhouse-09", "greenhouse-10",
           "greenhouse-11", "greenhouse-12", "greenhouse-13", "greenhouse-14"]
mechanism = "oue"
epsilon = 1.5
[[questions]]
id = "drinks"
type = "any-of"
mechanism = "bit-flips"
text = "Which of these did you drink at work?"
options = ["elderflower-tea", "elderflower-wine", "elderflower-gin"]
max_selected = 2
epsilon = 1
[[questions]]
id = "word"
type = "text"
text = "A word for your boss?"
skip = "no word"
epsilon = 2
""")
"""A question of every kind; the options' words stand nowhere else, so that they can be searched for."""
ANSWERS: Answers = {
    "paid": True,
    "dish": "persimmons-leftovers",
    "place": "greenhouse-13",
    "drinks": ["elderflower-wine", "elderflower-gin"],
    "word": "kaleidoscope",
}
CANARIES = ("persimmons", "greenhouse", "elderflower", "kaleidoscope", "dirigibles")
"""A piece of every answer that is words; a text may be typed that has the last."""
LOUD = compile_toml("""
id = "loud"
title = "Loud"
[[questions]]
id = "q"
type = "yes-no"
text = "So?"
epsilon = 5
""")
"""Takes epsilon 5, and says so."""
SLEEP = """
id = "{id}"
title = "Sleep"
[[questions]]
id = "hours"
type = "number"
text = "How long did you sleep?"
minimum = 0
maximum = 16
step = 0.25
unit = "hours"
epsilon = 3
[[questions]]
id = "degrees"
type = "number"
text = "How cold was it?"
minimum = -40
maximum = 40
step = 1
skip = 20
epsilon = 1
"""
DIARY = compile_toml("""
id = "diary"
title = "Diary"
waves = 3
[[questions]]
id = "well"
type = "yes-no"
text = "Are you well?"
mechanism = "basic-rappor"
epsilon = 0.5
epsilon_forever = 1.0
""")


def named(survey_id: str, survey: Survey = HABITS, **changes: Any) -> Survey:
    """Return a survey like another, of a name of its own: so that a test's reports are its own."""
    return replace(survey, id=survey_id, **changes)


def publish(collector: Served, survey: Survey) -> Survey:
    """Publish a survey, and return it."""
    status, _, said = collector.ask("POST", "/v1/surveys", survey.canonical, collector.admin)
    assert status == 201, said
    return survey


def publish_blind(collector: Served, survey_id: str) -> Survey:
    """Publish a survey with blind invitations, and the keys that the collector makes for it; return it."""
    survey = named(survey_id, invited=True, invitations="blind")
    made = collector.ask("POST", f"/v1/surveys/{survey.id}/token-keys", b'{"count": 1}', collector.admin)[2]
    return publish(collector, replace(survey, token_keys=tuple(made["token_keys"])))


def configure(collector: Served, survey: Survey, **settings: Any) -> None:
    """Change a survey's settings at the collector."""
    body = json.dumps(settings).encode()
    status, _, said = collector.ask("PATCH", f"/v1/surveys/{survey.id}", body, collector.admin)
    assert status == 200, said


def end(collector: Served, survey: Survey) -> None:
    assert collector.ask("POST", f"/v1/surveys/{survey.id}/close", b"", collector.admin)[0] == 200


def invite(collector: Served, survey: Survey, count: int = 1) -> list[str]:
    """Return new invitations to a survey."""
    body = json.dumps({"count": count}).encode()
    path = f"/v1/surveys/{survey.id}/invitations"
    status, _, said = collector.fetch("POST", path, body, collector.admin)
    assert status == 201, said
    return said.decode().split()[1:]


def revoke(collector: Served, survey: Survey, *invitations: str) -> None:
    """Take invitations back."""
    body = json.dumps({"invitations": invitations}).encode()
    status, _, said = collector.ask("POST", f"/v1/surveys/{survey.id}/invitations/revoke", body, collector.admin)
    assert status == 200, said


def stored_reports(collector: Served, survey: Survey) -> dict[str, bytes]:
    """Return the packed reports that the collector has of a survey, by receipt."""
    rows = "SELECT report_id, packed FROM {} JOIN surveys USING (survey_key) WHERE survey_id = ?"
    with closing(sqlite3.connect(f"file:{collector.db}?mode=ro", uri=True)) as connection:
        found = [connection.execute(rows.format(table), (survey.id,)).fetchall() for table in ("reports", "inbox")]
    return {report_id.hex(): packed for table in found for report_id, packed in table}


def wait_for_reports(collector: Served, survey: Survey, *receipts: str) -> None:
    """Wait until the collector has the reports of these receipts, and no other."""
    deadline = time.monotonic() + TIMEOUT_S
    while (found := set(stored_reports(collector, survey))) != set(receipts):
        assert found < set(receipts), f"unexpected: {found - set(receipts)}"
        assert time.monotonic() < deadline, f"missing: {set(receipts) - found}"
        time.sleep(0.02)


def sleep(survey_id: str) -> Survey:
    """Return a survey of two questions for numbers, one of which may be left out."""
    return compile_toml(SLEEP.format(id=survey_id))
