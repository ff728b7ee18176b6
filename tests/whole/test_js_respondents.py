"""People answer through the JavaScript client, each on a device of their own, and the estimates hold the truth.

False alarms: every statistical test here fails a right client with a probability below 1e-9.
"""

import json
import os
import random
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import reference
from audits import Counts, bits_of, rejects
from collecting import Served, serve
from node import JS, require_node, run
from published import support_rates
from sotto_collector.store import Store
from sotto_estimator import IntervalOptions, estimate_tally, fetch_tally
from sotto_estimator.strings.decode import DecodeOptions
from sotto_estimator.strings.question import decode_tally
from sotto_protocol import Question, Tally, compile_toml, stack_records
from sotto_protocol.mechanisms.bloom.response import BloomResponse
from sotto_protocol.mechanisms.mechanism import Bytes

pytestmark = pytest.mark.thorough  # a town of devices, of which test_js_client.py holds each part

N_PEOPLE = 2000 if os.environ.get("SOTTO_TEST_FULL") else 700
SIMULATION_S = 300
"""So long it may take on a busy machine; on two idle cores it ends within half a minute."""
FALSE_ALARM = 1e-9
NEARLY_SURE = 1 - FALSE_ALARM
SURVEY = compile_toml("""
id = "town"
title = "Town"
[[questions]]
id = "paid"
type = "yes-no"
text = "Have you paid for a party?"
prob_truth = "3/4"
[[questions]]
id = "vote"
type = "one-of"
text = "Whom do you vote for?"
options = ["left", "right", "nobody", "no answer"]
mechanism = "k-ary"
skip = "no answer"
epsilon = 2
[[questions]]
id = "job"
type = "one-of"
text = "What do you do?"
options = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
mechanism = "oue"
epsilon = 2
[[questions]]
id = "drugs"
type = "any-of"
mechanism = "bit-flips"
text = "Which have you taken?"
options = ["coffee", "wine", "hemp", "other"]
epsilon = 3
[[questions]]
id = "well"
type = "yes-no"
text = "Are you well?"
mechanism = "basic-rappor"
epsilon = 1
epsilon_forever = 2
[[questions]]
id = "clubs"
type = "any-of"
text = "Which clubs are you in?"
options = ["choir", "chess", "sports"]
mechanism = "basic-rappor"
epsilon = 3
epsilon_forever = 6
[[questions]]
id = "place"
type = "text"
mechanism = "rappor"
text = "Where is it nicest?"
n_bits = 64
n_hashes = 2
n_cohorts = 8
epsilon = 6
""")
PLACES = {"the river": 0.4, "the \u017eupa": 0.39} | {f"street {number}": 0.03 for number in range(7)}
ABSENT = [f"lane {number}" for number in range(30)]


def draw_people() -> list[dict[str, Any]]:
    """Return true answers of people, always the same ones; some leave out what may be skipped."""
    draw = random.Random(1974)  # noqa: S311  # the truth may be foreseen

    def choose(shares: dict[Any, float]) -> Any:
        return draw.choices([*shares], [*shares.values()])[0]

    def select(**probs: float) -> list[str]:
        return [option for option, prob in probs.items() if draw.random() < prob]

    return [
        {
            "paid": draw.random() < 0.05,
            "vote": choose({"left": 0.5, "right": 0.3, "nobody": 0.1, None: 0.1}),
            "job": choose(dict(zip("abcdefghijkl", [0.4, 0, *[0.06] * 10], strict=True))),
            "drugs": select(coffee=1.0, wine=0.6, hemp=0.1, other=0.0),
            "well": draw.random() < 0.9,
            "clubs": select(choir=0.2, chess=0.05, sports=0.5),
            "place": choose(PLACES),
        }
        for _ in range(N_PEOPLE)
    ]


@dataclass(frozen=True)
class Town:
    """What people answered, what the collector stored of each (packed, in their order), and its tally."""

    people: list[dict[str, Any]]
    records: Bytes
    tally: Tally
    n_stored: int
    log: str


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    node, folder = require_node(), tmp_path_factory.mktemp("town")
    people = draw_people()
    (folder / "people.json").write_text(json.dumps(people))
    with serve(folder / "collector.db", survey=SURVEY) as served:
        command = [node, str(JS / "test" / "simulate.js"), str(folder / "people.json"), served.url, SURVEY.id]
        told = json.loads(run(command, timeout_s=SIMULATION_S))
        tally = fetch_tally(served.url, SURVEY.id, served.analyst)
        log = "".join(str(part) for part in served.stop()[1:])
    assert told["delivered"] == len(set(told["receipts"])) == N_PEOPLE
    reports = read_reports(served)
    return Town(people, stack_records([reports[receipt] for receipt in told["receipts"]]), tally, len(reports), log)


def read_reports(served: Served) -> dict[str, bytes]:
    """Return the reports that lie in the collector's database, by receipt."""
    with closing(Store(served.db)) as store:
        stored = store.find_survey(SURVEY.id)
        assert stored is not None
        return {report_id.hex(): record for report_id, record in store.read_reports(stored)}


def true_bits(question: Question, answers: list[Any], records: Bytes) -> Bytes:
    """Return a bit per value of each answer, shape (n, n_values); of texts a bit per bit of the filter."""
    mechanism = question.mechanism
    if not isinstance(mechanism, BloomResponse):
        given = [answer if isinstance(answer, list) else [answer] for answer in answers]
        labels: list[Any] = list(question.options) or [True]
        return np.array(
            [[label in one or (one == [None] and label == question.skip) for label in labels] for one in given]
        )

    @cache
    def row(text: str, cohort: int) -> Bytes:
        bits = np.zeros(mechanism.n_values, np.bool_)
        bits[reference.bits_set(mechanism.parameters(), mechanism.n_values, text, [(cohort, 2)])] = True
        return bits

    return np.array([row(text, int(record[1])) for text, record in zip(answers, records, strict=True)])


def reported_bits(question: Question, records: Bytes) -> Bytes:
    """Return what packed reports say, shape (n, n_values)."""
    if question.mechanism.name == "k-ary":
        return records == np.arange(question.mechanism.n_values)
    return bits_of(question.mechanism, records)  # type: ignore[arg-type]  # all others report bits


def looks(town: Town, question_id: str) -> tuple[Bytes, Bytes, Question]:
    """Return what was reported and what is true of a question, and the question."""
    [(question, part)] = [pair for pair in SURVEY.layout.cut(town.records) if pair[0].id == question_id]
    answers = [person[question_id] for person in town.people]
    return reported_bits(question, part), true_bits(question, answers, part), question


@pytest.mark.rare
def test_every_report_is_counted_exactly_once(town: Town) -> None:
    assert town.tally.n_reports == town.n_stored == N_PEOPLE
    counted = Tally.of(SURVEY, town.records)
    for question in SURVEY.questions:
        assert np.array_equal(counted.support_counts[question.id], town.tally.support_counts[question.id])


def test_the_estimates_hold_every_true_share(town: Town) -> None:
    """All together they miss one with a probability below 1e-9, so they are wider than those of 99.9 %."""
    asked = [question for question in SURVEY.questions if question.type != "text"]
    truth = [float(share) for question in asked for share in shares(town, question)]
    both = [IntervalOptions(level=level, simultaneous=True, target="respondents") for level in (NEARLY_SURE, 0.999)]
    sure, usual = (estimate_tally(town.tally, options).rows for options in both)
    assert [row for row, share in zip(sure, truth, strict=True) if not row.low <= share <= row.high] == []
    assert max(row.high - row.low for row in usual) < 0.33 * (2000 / N_PEOPLE) ** 0.5, "they say something"
    for row, wide in zip(usual, sure, strict=True):
        assert wide.low <= row.low <= row.high <= wide.high
    assert len(truth) == 1 + 4 + 12 + 4 + 1 + 3


def shares(town: Town, question: Question) -> Any:
    return looks(town, question.id)[1].mean(axis=0)


def test_the_frequent_strings_are_found_and_their_intervals_hold(town: Town) -> None:
    candidates = [*PLACES, *ABSENT]
    sure = DecodeOptions(NEARLY_SURE, "chernoff", FALSE_ALARM, "bonferroni", simultaneous=True)
    rows = {row.string: row for row in decode_tally(town.tally, "place", candidates, sure).rows}
    assert {"the river", "the \u017eupa"} <= rows.keys()
    assert not rows.keys() & set(ABSENT)
    places = [person["place"] for person in town.people]
    for text, row in rows.items():
        assert row.low <= places.count(text) / N_PEOPLE <= row.high


@pytest.mark.parametrize("question_id", [question.id for question in SURVEY.questions])
def test_every_bit_that_was_sent_is_noise_of_the_published_rates(town: Town, question_id: str) -> None:
    reported, is_true, question = looks(town, question_id)
    rates = support_rates(question.mechanism)
    assert not rejects(positions(reported, is_true, rates), FALSE_ALARM / len(SURVEY.questions))
    assert (reported != is_true).any(axis=1).mean() > 0.1, "what people answered is not what was sent"


@pytest.mark.parametrize("question_id", [question.id for question in SURVEY.questions])
def test_the_same_test_sees_answers_that_were_sent_as_they_are(town: Town, question_id: str) -> None:
    _, is_true, question = looks(town, question_id)
    rates = support_rates(question.mechanism)
    assert rejects(positions(is_true, is_true, rates), FALSE_ALARM / len(SURVEY.questions))


def positions(reported: Bytes, is_true: Bytes, rates: tuple[float, float]) -> Counts:
    """Return the ones reported at every position, where it is true and where it is not, and of all together."""
    counts: Counts = []
    for mask, rate in ((is_true, rates[0]), (~is_true, rates[1])):
        ones, n = (reported & mask).sum(axis=0), mask.sum(axis=0)
        counts += [(ones, n, rate), (ones.sum(), n.sum(), rate)]
    return counts


def test_the_collectors_log_holds_no_answer_and_no_receipt(town: Town) -> None:
    assert town.log == ""
