"""/openapi.json describes every route and no other, with the limits that hold, and a machine finds no lie in it."""

import os
import re
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from collecting import SOTTO, TIMEOUT_S, Served, prepare, serve
from house import House, open_house
from sotto_collector.api.administration import MAX_LABEL
from sotto_collector.api.openapi import OPERATIONS, describe_api
from sotto_collector.api.openapi_schemas import describe_sent
from sotto_collector.api.request import SentReceipt
from sotto_collector.app import create_app
from sotto_collector.pages.headers import is_page
from sotto_collector.settings import Settings
from sotto_protocol import compile_toml
from sotto_protocol.invitation import MAX_REVOKED
from sotto_protocol.members import MAX_MIN_REPORTS, MAX_QUESTIONS, MAX_WAVES

IS_FULL = bool(os.environ.get("SOTTO_TEST_FULL"))
N_EXAMPLES = 100 if IS_FULL else 5
PHASES = "examples,coverage,fuzzing,stateful" if IS_FULL else "examples,coverage,fuzzing"
LUNCH = """
id = "my-survey"
title = "Lunch"
invited = true
[[questions]]
id = "a"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""
CONFIG = """
[parameters]
"path.survey_id" = "my-survey"

[checks.positive_data_acceptance]
# 413, 415: said of a body's framing, which no schema describes; 422: said by the survey, which the document cannot know
expected-statuses = ["2xx", "304", "401", "403", "404", "409", "413", "415", "422", "429"]

[checks.negative_data_rejection]
# 413: of too many reports, if they are long
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]

[[operations]]
include-operation-id = ["delete /v1/surveys/{survey_id}", "post /v1/surveys/{survey_id}/close"]
parameters = { "path.survey_id" = "other" }

[[operations]]
include-operation-id = "post /.well-known/ohttp-gateway"
phases.fuzzing.enabled = false  # it does not know how to write message/ohttp-req
"""


def test_every_route_is_described_and_no_other_but_the_pages_for_people(house: House) -> None:
    served = {
        (method.lower(), re.sub(r"<(\w+)>", r"{\1}", rule.rule))
        for rule in house.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not (is_page(rule.rule) or rule.rule.startswith(("/static/", "/js/")))
    }
    assert served == {(operation.method, operation.path) for operation in OPERATIONS}
    document = house.http.get("/openapi.json").get_json()
    assert served == {(method, path) for path, methods in document["paths"].items() for method in methods}


def test_every_schema_that_is_named_is_there_and_used() -> None:
    document = describe_api(Settings())
    named = set(re.findall(r"#/components/schemas/(\w+)", str(document["paths"])))
    assert named == set(document["components"]["schemas"])


@pytest.mark.parametrize(
    ("max_body_bytes", "max_batch_reports", "expected"), [(2**21, 10_000, 10_000), (2**21, 100, 100), (6095, 9999, 100)]
)
def test_most_reports_of_a_batch_are_what_both_limits_allow(
    max_body_bytes: int, max_batch_reports: int, expected: int
) -> None:
    settings = Settings(max_body_bytes=max_body_bytes, max_batch_reports=max_batch_reports)
    batch = describe_api(settings)["components"]["schemas"]["Batch"]
    assert batch["properties"]["reports"]["maxItems"] == expected


def test_a_member_that_is_read_and_not_described_is_found() -> None:
    class SentMore(SentReceipt, forbid_unknown_fields=True):
        more: int = 0

    described = {"type": "string"}
    assert describe_sent(SentReceipt, receipt=described)["required"] == ["receipt"]
    assert describe_sent(SentMore, receipt=described, more={"type": "integer"})["required"] == ["receipt"]
    with pytest.raises(TypeError, match=r"^SentMore has the members \['receipt', 'more'\], not \['receipt'\]\.$"):
        describe_sent(SentMore, receipt=described)


def test_limits_are_those_of_surveys() -> None:
    document = describe_api(Settings())
    queries = document["paths"]["/v1/surveys/{survey_id}/tally"]["get"]["parameters"]
    schemas = document["components"]["schemas"]
    report = schemas["Batch"]["properties"]["reports"]["items"]["properties"]
    listed = schemas["Surveys"]["properties"]["surveys"]["items"]["properties"]
    waves = next(query["schema"] for query in queries if query["name"] == "wave"), report["wave"], listed["waves"]
    assert [wave["maximum"] for wave in waves] == [MAX_WAVES] * 3
    assert listed["min_reports"]["maximum"] == MAX_MIN_REPORTS
    assert listed["draw"]["exclusiveMaximum"] == MAX_QUESTIONS
    assert schemas["Revocation"]["oneOf"][0]["properties"]["invitations"]["maxItems"] == MAX_REVOKED


@pytest.mark.parametrize(
    "label", ["", "Zo\u00eb", "\u5c71 \U0001f642", "x" * MAX_LABEL, "x" * (MAX_LABEL + 1), "a\nb", "\x7f"]
)
def test_the_label_of_a_token_is_described_as_it_is_taken(house: House, label: str) -> None:
    described = describe_api(Settings())["components"]["schemas"]["NewToken"]["properties"]["label"]
    is_described = len(label) <= described["maxLength"] and bool(re.search(described["pattern"], label))
    answer = house.administer("POST", "/v1/tokens", {"role": "analyst", "label": label})
    assert answer.status_code == (201 if is_described else 422)


def test_the_shortest_reports_fit_into_the_body_by_the_byte(tmp_path: Path) -> None:
    survey = compile_toml(LUNCH.replace("invited = true", ""))
    with open_house(tmp_path / "survey.db", survey, max_body_bytes=6095) as house:
        reports = ",".join(f'{{"id":"{os.urandom(16).hex()}","answers":{{"a":0}}}}' for _ in range(100))
        body = f'{{"fingerprint":"{survey.fingerprint}","reports":[{reports}]}}'
        assert len(body) <= 6095 < len(body) + 60
        answer = house.http.post("/v1/surveys/my-survey/reports", data=body, content_type="application/json")
        assert answer.status_code in (200, 422)  # 422: of its value, which is shorter than any that is possible
        assert answer.get_json(force=True)["code"] != "body_too_large"


def test_the_document_is_the_same_for_the_same_settings_and_open_to_all(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "survey.db"))
    prepare(settings.db)
    app = create_app(settings)
    with closing(app.extensions["collector"]):
        assert app.test_client().get("/openapi.json").get_json() == describe_api(settings)


def examine(served: Served, token: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Let schemathesis ask everything that the document allows, and what it does not allow."""
    command = [SOTTO.with_name("schemathesis"), "--config-file", folder / "schemathesis.toml", "run"]
    options = [
        "--max-examples",
        str(N_EXAMPLES),
        "--request-timeout",
        str(TIMEOUT_S),
        "--phases",
        PHASES,
        "--generation-deterministic",
        "--no-color",
        "--warnings",
        "off",
    ]
    return subprocess.run(
        [*command, f"{served.url}/openapi.json", "--header", f"Authorization: Bearer {token}", *options],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=4 * TIMEOUT_S,
        check=False,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["admin", pytest.param("analyst", marks=pytest.mark.rare)])
def test_schemathesis_finds_nothing_that_is_not_as_described(tmp_path: Path, role: str) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    prepare(tmp_path / "survey.db", compile_toml(LUNCH.replace("my-survey", "other")))
    with serve(tmp_path / "survey.db", survey=compile_toml(LUNCH)) as served:
        done = examine(served, getattr(served, role), tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert " passed" in done.stdout
        assert served.stop() == (0, "", "")
