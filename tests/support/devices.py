"""What the client's tests share: a survey, answers with canaries in them, and ways to look into a state."""

import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from fault_server import FaultServer, Scripted
from sotto_client import Receipt, SurveyClient
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
mechanism = "bit-flips"
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
mechanism = "bit-flips"
text = "Which?"
options = {[f"option-{number:03}" for number in range(128)]}
epsilon = 16
max_selected = 64
""")
"""Two answers give the same report with a probability below 1e-20."""
CHOSEN = {"which": [f"option-{number:03}" for number in range(0, 128, 2)]}


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
"""Three waves and two stages."""
PULSE_CHARGES = [Decimal("2.25"), Decimal("1.661030698899"), Decimal("0.939651335875")]
"""What its waves take while the answers stay the same."""
WORDS: dict[str, Any] = {"word": "kaleidoscope", "rest": "kaleidoscope", "well": True}


DIARY = compile_toml("""
id = "diary"
title = "Diary"
waves = 6
[[questions]]
id = "word"
type = "text"
text = "A word?"
epsilon = 1
epsilon_forever = 2.5
""")
"""Six waves of one text."""
DIARY_CHARGES = [Decimal(1), Decimal("0.741954631733"), Decimal("0.421719448538")]
"""What the first three reports of an answer take."""
AWAY = Scripted(503, headers={"Retry-After": "3600"})


_FIVE = "\n".join(
    f'[[questions]]\nid = "q{number}"\ntype = "one-of"\ntext = "Q{number}?"\nepsilon = {epsilon}\n'
    f'options = ["a{number}", "b{number}", "secret{number}"]'
    for number, epsilon in enumerate([1, 1.5, 2, 0.5, 1])
)
FIVE = compile_toml(f'id = "five"\ntitle = "Five"\ndraw = 2\n{_FIVE}')
"""Two of five questions are asked, which take 1.5 to 3.5."""
_FOUR = "\n".join(
    f'[[questions]]\nid = "q{number}"\ntype = "yes-no"\ntext = "Q{number}?"\nmechanism = "basic-rappor"\n'
    "epsilon = 0.5\nepsilon_forever = 1.2"
    for number in range(4)
)
ROTATED = compile_toml(f'id = "rotated"\ntitle = "Rotated"\ndraw = 1\nwaves = 3\n{_FOUR}')
"""One of four questions is asked in three waves."""

_MOOD = """
[[questions]]
id = "low"
type = "yes-no"
text = "Did you feel low?"
epsilon = 1
[[questions]]
id = "sleep"
type = "one-of"
text = "How did you sleep?"
options = ["well", "badly", "secret"]
epsilon = 0.5
"""
MONTHLY = compile_toml(f'id = "monthly"\ntitle = "Monthly"\nwaves = 12\nasked_in = 1\n{_MOOD}')
"""Each device is asked in one of twelve waves."""
TWICE = compile_toml(f'id = "twice"\ntitle = "Twice"\nwaves = 4\nasked_in = 2\n{_MOOD}')
"""Each device is asked in two of four waves."""


_HABITS = """
[[questions]]
id = "smokes"
type = "yes-no"
text = "Do you smoke?"
[[questions]]
id = "region"
type = "one-of"
text = "Where do you live?"
options = ["north", "south", "secret"]
skip = "secret"
"""
_AGE = '[[questions]]\nid = "age"\ntype = "yes-no"\ntext = "Are you old?"\nepsilon = 0.5\n'


def habits(of_group: str = "epsilon = 1", of_survey: str = "", *, alone: bool = True) -> Survey:
    """Return a survey of two questions that are asked together, and of a third one if there is one `alone`."""
    group = f'[[together]]\nid = "habits"\nquestions = ["smokes", "region"]\n{of_group}\n'
    return compile_toml(f'id = "health"\ntitle = "Health"\n{of_survey}\n{group}{_HABITS}{_AGE if alone else ""}')


HABITS = habits()
"""Two questions that take 1 together, and one that takes 0.5."""
PAIRS = compile_toml(
    'id = "health"\ntitle = "Health"\ntogether = "pairs"\n'
    + "".join(f'[[questions]]\nid = "q{n}"\ntype = "yes-no"\ntext = "Q{n}?"\nepsilon = 1\n' for n in range(4))
)
"""Six pairs of four questions, of which a device is asked one."""


def habits_over_waves(mechanism: str) -> Survey:
    """Return a survey of four waves, whose two questions are asked together by a mechanism of two stages."""
    return habits(f'mechanism = "{mechanism}"\nepsilon = 1\nepsilon_forever = 2', "waves = 4", alone=False)


INVITED = replace(LUNCH, invited=True)
INVITED_PULSE = replace(PULSE, invited=True)
CODE = bytes(range(100, 116))
INVITATION = invitation_text(CODE)
OTHER_INVITATION = invitation_text(bytes(range(50, 66)))


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


def answer(http: FaultServer, state: Path, answers: dict[str, Any], wave: int) -> Receipt:
    """Answer one wave with a client of its own, and deliver."""
    survey_id = json.loads(http.survey_reply.body)["id"]
    with SurveyClient(http.url, survey_id, state=state) as device:
        receipt = device.answer(answers, wave)
        assert device.flush(30)
    return receipt


def let_go(device: SurveyClient) -> None:
    """Wait until the collector has asked this device to stay away, and have it forget that."""
    assert not device.flush(10)
    with device._state.write() as connection:
        connection.execute("UPDATE outbox SET not_before = 0, is_held = 0")


def wait_until_unknown(state: Path) -> None:
    """Wait until the state remembers that the collector does not know what a report is for."""
    deadline = time.monotonic() + 60
    with closing(sqlite3.connect(state)) as connection:
        while connection.execute("SELECT 1 FROM outbox WHERE unknown_at > 0").fetchone() is None:
            assert time.monotonic() < deadline, "nothing is unknown to the collector"
            time.sleep(0.01)


def let_a_week_pass(state: Path) -> None:
    """Let all that a collector does not know have been unknown to it for a week, as far as the state remembers."""
    with closing(sqlite3.connect(state)) as connection:
        for table in ("outbox", "doubts"):
            connection.execute(f"UPDATE {table} SET unknown_s = 604800 WHERE unknown_at > 0")  # noqa: S608
        connection.execute("UPDATE outbox SET not_before = 0 WHERE unknown_at > 0")  # a week is over for it, too
        connection.commit()


def secrets_of(state: Path) -> list[bytes]:
    """Return the secret of every report in the ledger, zeros where it was wiped."""
    return [row[8] for row in rows_of(state, "ledger")]


def assert_forgotten(state: Path, secret: bytes, marks: bytes) -> None:
    """Hold that neither the secret nor a tag, nor a good part of them, is in the file or its journal."""
    raw = raw_of(state)
    tags = [marks[start : start + 32] for start in range(0, len(marks), 32)]
    assert not [part for whole in (secret, *tags) for part in (whole[:8], whole[12:20], whole[24:]) if part in raw]
    for *_, stored_secret, stored_marks, _ in rows_of(state, "ledger"):
        assert (stored_secret, stored_marks) == (bytes(32), bytes(len(marks)))


def sent(http: FaultServer) -> list[dict[str, Any]]:
    """Return the reports that were posted, in order."""
    return [json.loads(post.body)["reports"][0] for post in http.posts]


def invitations_in(state: Path) -> list[bytes]:
    """Return what the ledger has of invitations."""
    return [row[-1] for row in rows_of(state, "ledger")]


def assert_gone(state: Path) -> None:
    """Hold that no good part of the invitation, in bytes or written, is in the file or its journal."""
    raw = raw_of(state)
    forms = [CODE, INVITATION.encode(), INVITATION.upper().encode(), CODE.hex().encode()]
    assert not [form for whole in forms for form in (whole[:8], whole[4:12], whole[8:16]) if form in raw]
    assert not any(map(any, invitations_in(state)))
