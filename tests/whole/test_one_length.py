"""What a relay sees of an oblivious survey has one length each way, whatever is sent, by either client.

Measured: the bodies of HTTP, whole, at the relay.
"""

import json
import os
import random
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from faulty_relay import Answer, Front, front_of
from house import open_house
from node import require_node, run
from oblivious_device import with_gateway
from sotto_client import SurveyClient
from sotto_collector.invitations import make_invitations
from sotto_protocol import Survey
from sotto_protocol.binary_http import InnerResponse
from sotto_protocol.oblivious import GATEWAY_PATH, REQUEST_TYPE, RESPONSE_TYPE
from typed_answers import EVERY

pytestmark = pytest.mark.thorough
N_PEOPLE = 500 if os.environ.get("SOTTO_TEST_FULL") else 60
"""Who answer by each client."""
N_LOST = 3
"""Of their replies so many are lost: these reports are sent again."""
CHANCE = random.Random(30)  # noqa: S311  # what people answer, no secret
BY_NODE = """
import {{ readFileSync }} from "node:fs";
import {{ SurveyClient }} from "./sottovoce.js";
const people = JSON.parse(readFileSync({path}, "utf8"));
const said = [];
for (const [number, {{ invitation, answers }}] of people.entries()) {{
  const given = {{ state: ":memory:", invitation, maxEpsilon: 100, maxPeriodEpsilon: 100, resendDays: 7 }};
  const device = new SurveyClient({url}, {survey}, given);
  let state;
  while (!state) state = (await device.checkInvitation(invitation, 1))?.state; // the first reply may be lost
  const receipt = await device.answer(answers);
  if (!(await device.flush(60_000))) throw new Error("it waits");
  const isErased = number % 3 === 0 && (await device.erase(receipt.id));
  const isOtherErased = number % 7 === 0 && (await device.erase("0".repeat(32)));
  said.push([state, (await device.rejected()).length, isErased, isOtherErased]);
  device.close();
}}
console.log(JSON.stringify(said));
"""


def answers() -> dict[str, Any]:
    return {
        "paid": CHANCE.random() < 0.5,
        "10-dish": CHANCE.choice(['so"up', "sal'ad", "حساء"]),
        "drinks": CHANCE.sample(["tea", "coffee", "Set[Literal]"], CHANCE.randint(0, 3)),
        "class": CHANCE.randint(0, 10),
        "price": CHANCE.randint(0, 20) / 2,
        "place": "".join(CHANCE.choices("abc\u00e9\u0634 ", k=CHANCE.randint(0, 60))).strip() or None,
    }


def lose(answer: Answer) -> Answer:
    return Answer(502, "text/html", b"<html>Bad gateway")


def people_of(codes: list[str]) -> list[dict[str, Any]]:
    """Return who answer: a few with an invitation that was used before, or that is none."""
    used = [codes[number] for number in range(0, len(codes), 20)]
    return [{"invitation": code, "answers": answers()} for code in [*codes, *used, "a" * 26]]


def answer_in_python(front: Front, survey: Survey, people: list[dict[str, Any]]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for number, person in enumerate(people):
        device = SurveyClient(
            front.url, survey.id, state=":memory:", invitation=person["invitation"], resend_days=7, max_epsilon=100
        )
        with closing(device):
            receipt = device.answer(person["answers"])
            assert device.flush(60)
            seen["rejected"] += len(device.rejected)
            seen["erased"] += number % 3 == 0 and device.erase(receipt)
            seen["not erased"] += number % 7 == 0 and not device.erase("0" * 32)
            if number % 10 == 0:
                seen["sent again"] += len(device.resend())
                assert device.flush(60)
    return seen


def answer_in_node(front: Front, survey: Survey, people: list[dict[str, Any]], folder: Path) -> Counter[str]:
    path = folder / "people.json"
    path.write_text(json.dumps(people))
    program = BY_NODE.format(
        **{
            name: json.dumps(value)
            for name, value in {"path": str(path), "url": front.url, "survey": survey.id}.items()
        }
    )
    seen: Counter[str] = Counter()
    for state, n_rejected, is_erased, _ in json.loads(
        run([require_node(), "--input-type=module", "--eval", program], timeout_s=300)
    ):
        seen[str(state)] += 1
        seen["rejected"] += n_rejected
        seen["erased"] += is_erased
    return seen


@pytest.mark.parametrize("program", ["python", "node"])
def test_all_requests_have_one_length_and_all_responses_another(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: Counter[int] = Counter()
    written = InnerResponse.to_bytes

    def write(response: InnerResponse, *size: int) -> bytes:
        inside[response.status] += 1
        return written(response, *size)

    monkeypatch.setattr(InnerResponse, "to_bytes", write)
    with open_house(tmp_path / "survey.db") as house, front_of(house.app) as front:
        store = house.collector.store
        survey = with_gateway(store, replace(EVERY, invited=True), front.url)
        store.add_survey(survey)
        codes = make_invitations(store, house.stored(survey), N_PEOPLE)
        front.spoil_posts.extend([lose] * N_LOST)
        people = people_of(codes)
        if program == "python":
            seen = answer_in_python(front, survey, people)
            assert seen["sent again"] > 0
        else:
            seen = answer_in_node(front, survey, people, tmp_path)
            assert seen.keys() >= {"unused", "invalid"}
        assert store.count_tallied(house.stored(survey).key) == N_PEOPLE - seen["erased"]
    assert seen["rejected"] == len(people) - N_PEOPLE
    assert seen["erased"] >= N_PEOPLE // 3
    posts = front.of("POST")
    assert len(posts) > N_PEOPLE + N_LOST
    assert {(each.path, each.headers["Content-Type"]) for each in posts} == {(GATEWAY_PATH, REQUEST_TYPE)}
    assert inside.keys() >= {200, 403, 404}, inside
    sealed = [answer for answer in front.answers if answer.content_type == RESPONSE_TYPE]
    assert len(sealed) == len(posts)
    assert {len(each.body) for each in posts} == {7 + 32 + 1024 + 16}
    assert {len(each.body) for each in sealed} == {16 + 1024 + 16}
