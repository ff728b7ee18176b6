"""What forms in JavaScript say of chance: the figures of `sotto explain`, of every mechanism."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from node import JS, require_node, run
from sotto_protocol import Survey, SurveyError, compile_survey
from sotto_protocol.mechanisms.registry import ENTRIES
from sotto_protocol.readings import crowd
from sotto_protocol.words import of_people

OPTIONS = [f"option-{number}" for number in range(24)]
SHAPES: dict[str, list[dict[str, Any]]] = {
    "yes-no": [{}],
    "one-of": [{"options": OPTIONS[:n]} for n in (2, 3, 24)],
    "any-of": [{"options": OPTIONS[:n], "max_selected": most} for n, most in ((1, 1), (5, 2), (24, 24))],
    "number": [{"minimum": 0, "maximum": most, "step": 1} for most in (1, 7, 1000)],
    "text": [{}],
}
EPSILONS = (Decimal("0.1"), Decimal(1), Decimal("2.5"), Decimal(6))
PROGRAM = """
import { readFileSync } from "node:fs";
import { ofPeople, rest, supportOf } from "./form/chance.js";
import { readSurvey } from "./src/survey.js";
const told = [];
for (const text of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const { questions } = await readSurvey(new TextEncoder().encode(text));
  told.push(...questions.map(({ mechanism }) => {
    const { ifTrue, ifOther } = supportOf(mechanism);
    return [mechanism.name, ofPeople(ifOther), ofPeople(rest(ifTrue))];
  }));
}
console.log(JSON.stringify(told));
"""


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


def test_how_many_others_send_as_much_is_the_explanations_figure(tmp_path: Path) -> None:
    mechanisms = [survey.questions[0].mechanism for survey in published()]
    assert {mechanism.name for mechanism in mechanisms} == {entry.name for entry in ENTRIES}
    (tmp_path / "surveys.json").write_text(json.dumps([survey.canonical.decode() for survey in published()]))
    (tmp_path / "program.mjs").write_text(PROGRAM.replace('"./', f'"{JS.as_uri()}/'))
    told = json.loads(
        run([require_node(), str(tmp_path / "program.mjs"), str(tmp_path / "surveys.json")], timeout_s=300)
    )
    assert len(told) == len(mechanisms) > 100
    for mechanism, (name, others, lost) in zip(mechanisms, told, strict=True):
        assert name == mechanism.name
        if name == "rappor":  # a bit of a text, and not what all of its bits together speak for
            continue
        reading = crowd(mechanism, "{n}")
        assert tuple(others.values()) == of_people(reading.prob_if_other), mechanism
        assert tuple(lost.values()) == of_people(1 - reading.prob_if_true), mechanism
