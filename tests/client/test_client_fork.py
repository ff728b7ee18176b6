"""Forks at bad moments: a child neither waits for a lock that a thread of its parent held, nor for that thread."""

import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from devices import DIARY, rows_of
from fault_server import fault_server
from hostile_server import HOLDS, hostile_server
from sotto_client import SurveyClient
from sotto_client.state import State

FULL = "SOTTO_TEST_FULL" in os.environ
N_ROUNDS = 100 if FULL else 10
N_CHILDREN = 4
CHILDREN_S = 300.0
"""A child that has not answered by then is stuck, and killed."""

# `wait_for` returns how many children were stuck, and how many failed otherwise.
BEGIN = f"""
import os, signal, sys, threading, time
from sotto_client import StateError, SurveyClient

def answer(device, wave):
    while True:
        try:
            return device.answer({{"word": "kiosk"}}, wave)
        except StateError:
            pass  # others have written all the time

def fork(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as fault:
            os.write(2, repr(fault).encode())
            os._exit(1)
        os._exit(0)
    return child

def answer_in_children(device, waves):
    return wait_for([fork(lambda: answer(device, wave)) for wave in waves])

def wait_for(children):
    deadline, ended = time.monotonic() + {CHILDREN_S}, {{}}
    while len(ended) < len(children) and time.monotonic() < deadline:
        for child in set(children) - set(ended):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                ended[child] = status
        time.sleep(0.01)
    for child in set(children) - set(ended):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children) - len(ended), sum(map(bool, ended.values()))

url, state, n_rounds, n_children = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
"""

WHILE_IT_DELIVERS = """
device = SurveyClient(url, "diary", state=state, max_epsilon=1000, max_period_epsilon=1000)
device.answer({"word": "kiosk"}, 1)
is_over = threading.Event()

def keep_busy():
    while not is_over.is_set():
        device._delivery.wake(eager=True)

threads = [threading.Thread(target=keep_busy) for _ in range(2)]
for thread in threads:
    thread.start()
told = [0, 0]
for number in range(n_rounds):
    first = 2 + number * n_children
    for index, n_bad in enumerate(answer_in_children(device, range(first, first + n_children))):
        told[index] += n_bad
    if told[0]:
        break
is_over.set()
for thread in threads:
    thread.join()
assert device.flush(300)
device.close()
print(told)
"""

# Another thread is certain to have the lock at the moment of the fork.
WHILE_IT_IS_HELD = """
device = SurveyClient(url, "diary", state=state, max_epsilon=1000, max_period_epsilon=1000)
device.answer({"word": "kiosk"}, 1)
held, is_over = threading.Event(), threading.Event()

def hold():
    with device._delivery._changed:
        held.set()
        is_over.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
told = answer_in_children(device, range(2, 2 + n_children))
is_over.set()
thread.join()
assert device.flush(300)
device.close()
print([*told])
"""

# The parent sends again what it kept, and so does each child, which also sends what waited as it was forked.
WHILE_IT_SENDS_AGAIN = """
def send_again():
    while True:
        try:
            device.resend()
            if device.flush(60):
                return
        except StateError:
            pass  # others have written all the time

device = SurveyClient(url, "diary", state=state, max_epsilon=1000, max_period_epsilon=1000)
device.survey
told = [0, 0]
for _ in range(n_rounds):
    children = [fork(send_again) for _ in range(n_children)]
    device.resend()
    for index, n_bad in enumerate(wait_for(children)):
        told[index] += n_bad
assert device.flush(300)
device.close()
print(told)
"""

# And the child has to fetch the survey itself, which the parent's thread does in vain.
WHILE_IT_FETCHES = """
device = SurveyClient(url, "diary", state=state, timeout_s=2.0)
thread = threading.Thread(target=lambda: device.survey)
thread.start()
while not device._fetching.locked():
    time.sleep(0.001)
told = answer_in_children(device, range(2, 2 + n_children))
thread.join()
device.close()
print([*told])
"""


def run(script: str, url: str, state: Path, n_rounds: int = 1) -> None:
    """Run a parent; hold that none of its children was stuck, and none failed."""
    command = [sys.executable, "-c", BEGIN + script, url, str(state), str(n_rounds), str(N_CHILDREN)]
    limit_s = CHILDREN_S * (3 + n_rounds / 4)
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=limit_s)
    assert (done.stdout, done.returncode) == ("[0, 0]\n", 0), done.stdout + done.stderr


@pytest.mark.thorough
def test_children_that_are_forked_while_their_parent_delivers_answer(tmp_path: Path) -> None:
    n_reports = 1 + N_ROUNDS * N_CHILDREN
    with fault_server(replace(DIARY, waves=n_reports + 1)) as http:  # the last wave's report would end the survey
        run(WHILE_IT_DELIVERS, http.url, tmp_path / "device.db", N_ROUNDS)
    assert len(rows_of(tmp_path / "device.db", "ledger")) == n_reports == len(http.seen)


@pytest.mark.thorough
def test_children_that_are_forked_while_their_parent_sends_again_send_the_same(tmp_path: Path) -> None:
    """Many reports, each in a request of its own: a collector that lost them has each once, as the same bytes."""
    state, n_waves = tmp_path / "device.db", 200 if FULL else 40
    with fault_server(replace(DIARY, waves=n_waves + 1)) as http:
        with SurveyClient(
            http.url, "diary", state=state, max_epsilon=1000, max_period_epsilon=1000, resend_days=7
        ) as it:
            receipts = {it.answer({"word": "kiosk"}, wave).id for wave in range(1, n_waves + 1)}
            assert it.flush(CHILDREN_S)
        http.survey_reply = replace(http.survey_reply, headers={"Sottovoce-Restored": "5"})
        http.seen.clear()
        run(WHILE_IT_SENDS_AGAIN, http.url, state, 1 + N_ROUNDS // 10)
        assert http.seen == receipts
        assert len(http.posts) >= 2 * n_waves
        assert len({post.body for post in http.posts}) == n_waves
    assert {row[0] for row in rows_of(state, "sent")} == receipts
    assert rows_of(state, "outbox") == []


def test_a_child_that_is_forked_while_a_thread_has_the_deliverys_lock_answers(tmp_path: Path) -> None:
    with fault_server(DIARY) as http:
        run(WHILE_IT_IS_HELD, http.url, tmp_path / "device.db")
    assert len(http.seen) == 1 + N_CHILDREN


def test_a_child_that_is_forked_while_a_thread_fetches_the_survey_answers(tmp_path: Path) -> None:
    """It fetches by itself, in vain too, and takes the copy."""
    state = tmp_path / "device.db"
    with hostile_server(HOLDS["accepts without a word"]) as server:
        with closing(State.open(state)) as opened, opened.write() as connection:
            connection.execute("INSERT INTO surveys VALUES (?, 'diary', ?, 0)", (server.url, DIARY.canonical))
        run(WHILE_IT_FETCHES, server.url, state)
    assert len(rows_of(state, "ledger")) == N_CHILDREN
