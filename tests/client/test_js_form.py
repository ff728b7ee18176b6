"""What forms in JavaScript say of chance: what `sotto explain` says, of every mechanism, to the word."""

import json
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from node import JS, require_node, run
from sotto_protocol import Survey, SurveyError, compile_survey
from sotto_protocol.blind import key_text
from sotto_protocol.explain import explain
from sotto_protocol.mechanisms.registry import ENTRIES
from sotto_protocol.protection import LIMITS, most_epsilon
from sotto_protocol.words import of_people

OPTIONS = [f"option-{number}" for number in range(24)]
SHAPES: dict[str, list[dict[str, Any]]] = {
    "yes-no": [{}],
    "one-of": [{"options": OPTIONS[:n]} for n in (2, 3, 24)],
    "any-of": [{"options": OPTIONS[:n], "max_selected": most} for n, most in ((1, 1), (5, 2), (24, 24))],
    "number": [
        *({"minimum": 0, "maximum": most, "step": 1} for most in (1, 7, 1000)),
        {"minimum": 0, "maximum": 45, "levels": 3},
        {"minimum": -1, "maximum": Decimal("0.5"), "step": Decimal("0.5"), "levels": 4},
        {"minimum": 1000, "maximum": 2000, "levels": 4},
    ],
    "text": [{}],
}
EPSILONS = (Decimal("0.1"), Decimal(1), Decimal("2.5"), Decimal(6))
PROGRAM = """
import { readFileSync } from "node:fs";
import { ofPeople, rest, supportOf } from "./form/chance.js";
import { sayInShort, sayReadings } from "./form/noise.js";
import { makeWords } from "./form/words.js";
import { readSurvey } from "./src/survey.js";
const told = [];
for (const text of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const { questions } = await readSurvey(new TextEncoder().encode(text));
  told.push(...questions.map((question) => {
    const { ifTrue, ifOther } = supportOf(question.mechanism);
    const said = [sayInShort(makeWords(), question), ...sayReadings(makeWords(), question)];
    return [ofPeople(ifOther), ofPeople(rest(ifTrue)), said];
  }));
}
console.log(JSON.stringify(told));
"""


@cache
def published() -> list[Survey]:
    """Return surveys of one question each: every mechanism, of several shapes and epsilons, of one stage and of two."""
    found = []
    for entry in ENTRIES:
        for shape in SHAPES[entry.question_type]:
            for epsilon in EPSILONS:
                question = {"id": "q", "type": entry.question_type, "text": "So?", "mechanism": entry.name} | shape
                asked = {"forced-response": {"prob_truth": "2/3", "prob_forced_yes": "1/8"}}.get(
                    entry.name, {"epsilon": epsilon}
                )
                found.append({"id": "s", "title": "S", "questions": [question | asked]})
                if entry.may_repeat:
                    twice = {"epsilon": epsilon, "epsilon_forever": 2 * epsilon}
                    found.append({"id": "s", "title": "S", "waves": 3, "questions": [question | twice]})
    return [survey for survey in map(_compile, found) if survey is not None]


def _compile(document: dict[str, Any]) -> Survey | None:
    try:
        return compile_survey(document)
    except SurveyError:
        return None  # no such shape of this mechanism


def told_by_javascript(surveys: list[Survey], folder: Path, program: str = PROGRAM) -> list[Any]:
    (folder / "surveys.json").write_text(json.dumps([survey.canonical.decode() for survey in surveys]))
    (folder / "program.mjs").write_text(program.replace('"./', f'"{JS.as_uri()}/'))
    told = run([require_node(), str(folder / "program.mjs"), str(folder / "surveys.json")], timeout_s=300)
    return list(json.loads(told))


BANDS = """
import { readFileSync } from "node:fs";
import { sayLittle } from "./form/protection.js";
import { makeWords } from "./form/words.js";
import { readSurvey } from "./src/survey.js";
const surveys = JSON.parse(readFileSync(process.argv[2], "utf8")).map((text) => new TextEncoder().encode(text));
const told = [];
for (const bytes of surveys) {
  const survey = await readSurvey(bytes);
  told.push([sayLittle(makeWords(), survey), survey.protectedLittle]);
}
console.log(JSON.stringify(told));
"""


def test_little_protection_is_said_where_and_as_the_explanation_says_it(tmp_path: Path) -> None:
    step = Decimal("1e-12")
    ends = [epsilon for limit in LIMITS for most in [most_epsilon(limit)] for epsilon in (most, most + step)]
    given: list[dict[str, Any]] = [{}, {"waves": 2}]
    surveys = [
        replace(
            survey, questions=tuple(replace(of, epsilon=epsilon, epsilon_forever=epsilon) for of in survey.questions)
        )
        for more in given
        for survey in [asked(1, **more)]
        for epsilon in ends
    ]
    surveys += [asked(n, draw=draw) for n in (2, 3) for draw in range(n)]
    told = told_by_javascript(surveys, tmp_path, BANDS)
    assert told == [[explain(survey).protected_little] * 2 for survey in surveys]
    assert 0 < told.count(["", ""]) < len(told) - 12


def asked(n: int, **settings: Any) -> Survey:
    """Return a survey of so many yes-no questions, each of the least epsilon of which two are too much."""
    question = {"type": "yes-no", "text": "So?", "epsilon": Decimal("1.1")}
    questions = [question | {"id": f"q{place}"} for place in range(n)]
    settings = {name: value for name, value in settings.items() if value}
    return compile_survey({"id": "s", "title": "S", "questions": questions} | settings)


@pytest.mark.thorough
def test_the_figures_and_the_sentences_are_those_of_the_explanation(tmp_path: Path) -> None:
    surveys = published()
    assert {survey.questions[0].mechanism.name for survey in surveys} == {entry.name for entry in ENTRIES}
    told = told_by_javascript(surveys, tmp_path)
    assert len(told) == len(surveys) > 100
    for survey, (others, lost, (in_short, *said)) in zip(surveys, told, strict=True):
        question, explained = survey.questions[0], explain(survey).questions[0]
        assert in_short == question.in_short
        suspected, crowd, _ = explained.readings()
        if question.mechanism.name == "rappor":  # by a bit of a text, and not by all of its bits together
            assert " ".join(said) == suspected
            continue
        assert suspected.startswith(" ".join(said[:-1])), (suspected, said)
        assert said[-1] == crowd
        assert tuple(others.values()) == of_people(explained.crowd.prob_if_other)
        assert tuple(lost.values()) == of_people(1 - explained.crowd.prob_if_true)


FIRST = """
import { readFileSync } from "node:fs";
import { sayFirst } from "./form/first.js";
import { makeWords } from "./form/words.js";
import { readSurvey } from "./src/survey.js";
const surveys = JSON.parse(readFileSync(process.argv[2], "utf8")).map((text) => new TextEncoder().encode(text));
console.log(JSON.stringify(await Promise.all(surveys.map(async (it) => sayFirst(makeWords(), await readSurvey(it))))));
"""


def test_what_is_asked_first_of_a_survey_is_answered_as_the_explanation_does(tmp_path: Path) -> None:
    surveys = [*published(), asked(3), asked(3, draw=2), asked(1, keep="counts"), asked(1, invited=True, waves=2)]
    surveys += [asked(1, invited=True, invitations="blind", token_keys=[key_text(2**2047 + 1)])]
    told = told_by_javascript(surveys, tmp_path, FIRST)
    expected = [[list(pair) for pair in explain(survey).in_short()] for survey in surveys]
    assert told == expected
    unsure = ["Nobody can be sure" in str(pairs) for pairs in told]
    assert unsure == [not explain(survey).protected_little for survey in surveys]
    assert True in unsure
    assert False in unsure
