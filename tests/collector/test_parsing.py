"""What a batch may be: every impossible value is refused with its place, nothing of it is stored, nothing is echoed."""

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from collecting import STRINGS, SURVEY, assert_problem, check_store, make_reports, prepare
from sotto_collector.app import create_app
from sotto_collector.settings import Settings
from sotto_protocol import batch_body
from sotto_protocol.record import RecordLayout

PATH = "/v1/surveys/habits/reports"
JSON = "application/json"
MAX_BODY = 60_000
GOOD = batch_body(SURVEY, make_reports(100))
LONE = batch_body(SURVEY, make_reports(1))
CANARY = "c4n4ry"


@contextmanager
def collect(path: Path) -> Iterator[FlaskClient]:
    prepare(path, SURVEY, STRINGS)
    app = create_app(Settings(db=str(path), max_body_bytes=MAX_BODY, max_batch_reports=200))
    with closing(app.extensions["collector"]):
        yield app.test_client()
    check_store(path)


@pytest.fixture
def http(tmp_path: Path) -> Iterator[FlaskClient]:
    with collect(tmp_path / "survey.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """One collector for every refused body: after all of them nothing is stored."""
    with collect(tmp_path_factory.mktemp("refused") / "survey.db") as opened:
        yield opened
        assert count_stored(opened) == 0


def count_stored(http: FlaskClient) -> int:
    collector = http.application.extensions["collector"]
    total = 0
    for survey_id in ("habits", "strings"):
        stored = collector.find_survey(survey_id)
        n_stored = len(collector.store.read_reports(stored))
        assert n_stored == collector.store.read_tally(stored).n_reports
        total += n_stored
    return total


def with_member(path: str, text: str, batch: bytes = GOOD) -> bytes:
    """Return a good batch of a hundred reports in which the member at `path` of the last is written as `text`."""
    document = json.loads(batch)
    holder = document["reports"][99]
    *parents, last = path.split(".")
    for parent in parents:
        holder = holder[parent]
    holder[last] = "@here@"
    return json.dumps(document).replace('"@here@"', text).encode("utf-8", "surrogatepass")


def b64(raw: bytes) -> str:
    return '"' + base64.b64encode(raw).decode() + '"'


HUGE = "1" + "0" * 400
VALUES = [
    ("affair", ["1", "0", "1.0", '"true"', '"1"', "null", "[]", "{}", "[true]", '{"a":1}']),
    (
        "rating",
        ["1.0", "true", '"1"', "-1", "5", "65536", HUGE, "null", "[1]", "1e0", "4294967296", "18446744073709551616"],
    ),
    ("town", ["300", "65536", "65535", "-1", "256.0", "false"]),
    (
        "colour",
        ['""', '"AA=="', '"AAA"', '"AAA=\\n"', '" AAA="', '"AAAA"', '"-w8="', '"AAB="', b64(b"\0\x10"), "0", "true"],
    ),
    ("colour", ['"AAA=\\u0000"', '"AA\\u0000="', '"AAA=="', '"AAA=AAA="', '"A\u0130A="', '["AAA="]']),
    ("drugs", [b64(b"\x08"), b64(b"\x80"), b64(b"\0\0"), '"AB=="', '"A==="', '"ÀA=="', "7"]),
]


@pytest.mark.parametrize(("question", "text"), [(question, text) for question, texts in VALUES for text in texts])
def test_value_that_no_device_sends_is_refused_with_its_place(empty: FlaskClient, question: str, text: str) -> None:
    response = empty.post(PATH, data=with_member(f"answers.{question}", text), content_type=JSON)
    document = response.get_json(force=True)
    assert_problem(response.status_code, response.headers["Content-Type"], document, code="bad_report")
    assert (response.status_code, document["where"]) == (422, f"$.reports[99].answers.{question}")
    assert count_stored(empty) == 0


WAVES_PATH = "/v1/surveys/strings/reports"
WAVES_GOOD = batch_body(STRINGS, make_reports(100, STRINGS, 3))
BITS_20, BITS_9 = b64(b"\xff\xff\x0f"), b64(b"\xff\x01")
WAVES_VALUES = [
    ("wave", ["0", "4", "-1", "1.0", "true", '"1"', "null", "[1]", "{}", HUGE, "1e0", "65537"]),
    ("answers.affair", ["1", '"AQ=="']),
    (
        "answers.home",
        [
            *(
                "null",
                "4",
                BITS_20,
                "[]",
                "{}",
                '{"0":1}',
                "[4]",
                f"[{BITS_20}]",
                f"[{BITS_20},4]",
                f"[4,{BITS_20},{BITS_20}]",
            ),
            *(f"[{cohort},{BITS_20}]" for cohort in ("5", "-1", "65536", "1.0", "true", '"1"', "null", "[1]", HUGE)),
            *(
                f"[4,{bits}]"
                for bits in (b64(b"\xff\xff\x1f"), b64(b"\xff\xff"), b64(bytes(4)), '""', '"////"', "0", "[]")
            ),
            *('[4,"//8 "]', '[4,"//8:"]', '[4,"__8P"]', '[4,["//8P"]]', '[[4,"//8P"]]', '[4,{"a":1}]', '["a:b","c:d"]'),
        ],
    ),
    (
        "answers.street",
        [
            f"[0,{BITS_9},{BITS_9},{BITS_9}]",
            *(f"[{cohort},0,{BITS_9},{BITS_9},{BITS_9}]" for cohort in ("300", "-1", "true", "0.0")),
            *(f"[0,{pair},{BITS_9},{BITS_9},{BITS_9}]" for pair in ("6", "-1", "256", "false", "null", '"0"')),
            *(f"[299,5,{BITS_9},{BITS_9}]", f"[299,5,{BITS_9},{BITS_9},{BITS_9},{BITS_9}]"),
            *(f"[299,5,{BITS_9},{BITS_9},{bad}]" for bad in (b64(b"\xff\x02"), b64(b"\xff"), '"/wE"', "null")),
        ],
    ),
]


@pytest.mark.parametrize(("member", "text"), [(member, text) for member, texts in WAVES_VALUES for text in texts])
def test_wave_or_string_that_no_device_sends_is_refused_with_its_place(
    empty: FlaskClient, member: str, text: str
) -> None:
    response = empty.post(WAVES_PATH, data=with_member(member, text, WAVES_GOOD), content_type=JSON)
    document = response.get_json(force=True)
    assert_problem(response.status_code, response.headers["Content-Type"], document, code="bad_report")
    assert (response.status_code, document["where"]) == (422, f"$.reports[99].{member}")
    assert count_stored(empty) == 0


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (',"wave":3}', "}", "$.reports[0]"),
        ('"wave":3', '"wave":3,"wave":3', "$.reports[0].wave"),
        ('"wave":3', '"wave":{"a":1,"a":2},"wave":3', "$.reports[0].wave"),
        ('"home":', '"home":[0,"a:b"],"home":', "$.reports[0].answers.home"),
        ('"home":[', '"home":[{"a":1},', "$.reports[0].answers.home"),
    ],
)
def test_wave_that_is_missing_or_doubled_is_refused(empty: FlaskClient, old: str, new: str, where: str) -> None:
    text = batch_body(STRINGS, make_reports(1, STRINGS, 3)).decode()
    assert old in text
    response = empty.post(WAVES_PATH, data=text.replace(old, new, 1), content_type=JSON)
    assert (response.status_code, response.get_json(force=True)["where"]) == (422, where)
    assert count_stored(empty) == 0


@pytest.mark.parametrize("wave", ["1", "null", '"1"'])
def test_wave_in_a_survey_of_one_is_refused(empty: FlaskClient, wave: str) -> None:
    response = empty.post(PATH, data=replace('"id":', f'"wave":{wave},"id":'), content_type=JSON)
    document = response.get_json(force=True)
    assert (response.status_code, document["code"], document["where"]) == (422, "bad_report", "$.reports[0]")


@pytest.mark.parametrize("invitation", ['""', '"a"', "1", "null"])
def test_invitation_to_a_survey_that_is_open_to_all_is_refused(empty: FlaskClient, invitation: str) -> None:
    response = empty.post(PATH, data=replace('"id":', f'"invitation":{invitation},"id":'), content_type=JSON)
    document = response.get_json(force=True)
    assert (response.status_code, document["code"], document["where"]) == (422, "bad_report", "$.reports[0]")
    assert document["detail"].startswith(
        "must be an object of fingerprint and reports, a list of objects of id, a text,"
    )


OBJECTS = [
    ('{"low":1,"high":"a:b"}', 200, None),
    ('{"low":1,"low":1}', 422, "$.reports[0].answers.rating.low"),
    ('{"low":1},"rating":{"low":1}', 422, "$.reports[0].answers.rating"),
]


@pytest.mark.parametrize(("text", "status", "where"), OBJECTS)
def test_reported_values_may_be_objects_whose_members_stand_once(
    http: FlaskClient, monkeypatch: pytest.MonkeyPatch, text: str, status: int, where: str | None
) -> None:
    """A mechanism may say on the wire what it likes: which values can be is its own matter."""
    records = np.frombuffer(make_reports(1)[0].record, np.uint8).reshape(1, -1)
    monkeypatch.setattr(RecordLayout, "from_wire", lambda *_: records)
    body = re.sub(rb'"rating":\d+', b'"rating":' + text.encode(), LONE)
    response = http.post(PATH, data=body, content_type=JSON)
    assert (response.status_code, response.get_json(force=True).get("where")) == (status, where)


def test_largest_and_smallest_waves_and_strings_are_taken(http: FlaskClient) -> None:
    document = json.loads(WAVES_GOOD)
    smallest = {"affair": False, "home": [0, "AAAA"], "street": [0, 0, "AAA=", "AAA=", "AAA="]}
    largest = {"affair": True, "home": [4, "//8P"], "street": [299, 5, "/wE=", "/wE=", "/wE="]}
    document["reports"] = [
        {"id": f"{wave:032x}", "wave": wave, "answers": answers} for wave, answers in ((1, smallest), (3, largest))
    ]
    assert http.post(WAVES_PATH, data=json.dumps(document), content_type=JSON).get_json()["counted"] == 2
    collector = http.application.extensions["collector"]
    stored = collector.find_survey("strings")
    for wave, (cohort, bit) in {1: (0, 0), 3: (-1, 1)}.items():
        counts = collector.store.read_tally(stored, wave).support_counts
        for question in ("home", "street"):
            assert counts[question][cohort].tolist() == [1] + [bit] * (counts[question].shape[1] - 1)
            assert counts[question].sum() == counts[question][cohort].sum()


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "1" + "0" * 5000, "1e999", "01", "+1", "0x1", "'a'", "tru"]
)
@pytest.mark.parametrize("question", ["rating", "colour"])
def test_number_that_json_or_no_machine_has_is_refused(empty: FlaskClient, question: str, text: str) -> None:
    response = empty.post(PATH, data=with_member(f"answers.{question}", text), content_type=JSON)
    assert response.status_code in (400, 422)
    assert count_stored(empty) == 0


@pytest.mark.parametrize(
    "text",
    [
        '""',
        '"0"',
        f'"{"0" * 31}"',
        f'"{"0" * 33}"',
        f'"{"A" * 32}"',
        f'"{"g" * 32}"',
        f'"{"٣" * 32}"',
        "0",
        "null",
        f'"{"0" * 31}\\n"',
        f'"{"0" * 31}:"',
        f'"{"0" * 31}\\u0000"',
        '["a"]',
        "{}",
        f'" {"0" * 31}"',
    ],
)
def test_id_that_is_not_32_hexadecimal_digits_is_refused(empty: FlaskClient, text: str) -> None:
    response = empty.post(PATH, data=with_member("id", text), content_type=JSON)
    document = response.get_json(force=True)
    assert (response.status_code, document["code"], document["where"]) == (422, "bad_report", "$.reports[99].id")
    assert count_stored(empty) == 0


def edit(change: Callable[[dict[str, Any]], Any]) -> bytes:
    document = json.loads(LONE)
    change(document)
    return json.dumps(document).encode()


def replace(old: str, new: str) -> bytes:
    text = LONE.decode()
    assert old in text
    return text.replace(old, new, 1).encode("utf-8", "surrogatepass")


def lengthen_first_id(document: dict[str, Any]) -> None:
    """Two ids of 33 and 31 digits are 64 together."""
    first, second = document["reports"][0], dict(document["reports"][0])
    first["id"], second["id"] = "0" * 33, "0" * 31
    document["reports"].append(second)


BODIES = [
    ("blank", b" ", 400, "bad_json", ""),
    ("cut short", LONE.rstrip()[:-1], 400, "bad_json", ""),
    ("more behind", LONE + b"x", 400, "bad_json", ""),
    ("byte order mark", b"\xef\xbb\xbf" + LONE, 400, "bad_json", ""),
    ("utf-16", LONE.decode().encode("utf-16"), 400, "bad_json", ""),
    ("latin-1 in a key", replace('"rating"', '"r\udcffting"').replace(b"\xed\xb3\xbf", b"\xff"), 400, "bad_json", ""),
    ("lone surrogate in a key", replace('"rating"', '"\\ud800"'), 400, "bad_json", ""),
    ("NUL in a key", replace('"rating"', '"rating\\u0000"'), 422, "bad_report", "$.reports[0].answers"),
    ("raw control character", replace('"rating"', '"rating\x01"'), 400, "bad_json", ""),
    ("20,000 lists deep", b"[" * 20_000, 400, "bad_json", ""),
    ("20,000 lists deep, and closed", b"[" * 20_000 + b"]" * 20_000, 400, "bad_json", ""),
    ("a list that is cut short", b'[1, "2"', 400, "bad_json", ""),
    ("a fingerprint that is none, and cut short", b'{"fingerprint": 1, "reports": [', 400, "bad_json", ""),
    (
        "an id that is none, and no JSON behind",
        edit(lambda d: d["reports"][0].update(id=1)) + b"x",
        400,
        "bad_json",
        "",
    ),
    ("a number too large", b"[1e999]", 422, "bad_report", "$"),
    ("20,000 deep in an answer", replace('"affair":', '"affair":' + "[" * 20_000), 400, "bad_json", ""),
    ("20,000 objects deep", replace('"affair":', '"affair":' + '{"a":' * 10_000), 400, "bad_json", ""),
    ("list", b"[]", 422, "bad_report", "$"),
    ("null", b"null", 422, "bad_report", "$"),
    ("unknown member", edit(lambda d: d.update({CANARY: 1})), 422, "bad_report", "$"),
    ("no fingerprint", edit(lambda d: d.pop("fingerprint")), 422, "bad_report", "$"),
    ("no reports", edit(lambda d: d.pop("reports")), 422, "bad_report", "$"),
    ("fingerprint a number", edit(lambda d: d.update(fingerprint=1)), 422, "bad_report", "$.fingerprint"),
    ("wrong fingerprint", edit(lambda d: d.update(fingerprint="0" * 64)), 409, "wrong_fingerprint", "$.fingerprint"),
    ("reports an object", edit(lambda d: d.update(reports={})), 422, "bad_report", "$.reports"),
    ("empty list of reports", edit(lambda d: d.update(reports=[])), 422, "bad_report", "$.reports"),
    ("201 reports", edit(lambda d: d.update(reports=d["reports"] * 201)), 422, "bad_report", "$.reports"),
    ("report a list", edit(lambda d: d.update(reports=[[]])), 422, "bad_report", "$.reports[0]"),
    (
        "unknown member of a report",
        edit(lambda d: d["reports"][0].update({CANARY: 1})),
        422,
        "bad_report",
        "$.reports[0]",
    ),
    ("report without id", edit(lambda d: d["reports"][0].pop("id")), 422, "bad_report", "$.reports[0]"),
    ("report without answers", edit(lambda d: d["reports"][0].pop("answers")), 422, "bad_report", "$.reports[0]"),
    ("answers a list", edit(lambda d: d["reports"][0].update(answers=[])), 422, "bad_report", "$.reports[0].answers"),
    ("answers empty", edit(lambda d: d["reports"][0].update(answers={})), 422, "bad_report", "$.reports[0].answers"),
    (
        "unknown question",
        edit(lambda d: d["reports"][0]["answers"].update({CANARY: 1})),
        422,
        "bad_report",
        "$.reports[0].answers",
    ),
    (
        "missing question",
        edit(lambda d: d["reports"][0]["answers"].pop("town")),
        422,
        "bad_report",
        "$.reports[0].answers",
    ),
    ("ids of 33 and 31 digits", edit(lengthen_first_id), 422, "bad_report", "$.reports[0].id"),
    ("fingerprint twice", replace("{", '{"fingerprint":"x:y",'), 422, "bad_report", "$.fingerprint"),
    ("reports twice", replace("{", '{"reports":[],'), 422, "bad_report", "$.reports"),
    ("id twice", replace('"id":', '"id":"","id":'), 422, "bad_report", "$.reports[0].id"),
    ("answers twice", replace('"answers":', '"answers":{},"answers":'), 422, "bad_report", "$.reports[0].answers"),
    ("answer twice", replace('"rating":', '"rating":1,"rating":'), 422, "bad_report", "$.reports[0].answers.rating"),
    (
        "answer twice, the first escaped and nested",
        replace('"rating":', '"r\\u0061ting":{"a:":{"a":1,"a":2}},"rating":'),
        422,
        "bad_report",
        "$.reports[0].answers.rating",
    ),
]


@pytest.mark.parametrize(
    ("body", "status", "code", "where"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES]
)
def test_body_that_is_no_batch_is_refused(empty: FlaskClient, body: bytes, status: int, code: str, where: str) -> None:
    response = empty.post(PATH, data=body, content_type=JSON)
    document = response.get_json(force=True)
    assert_problem(response.status_code, response.headers["Content-Type"], document, code=code)
    assert (response.status_code, document.get("where", "")) == (status, where)
    assert CANARY not in response.text
    assert count_stored(empty) == 0


def test_white_space_escapes_and_the_order_of_members_do_not_matter(http: FlaskClient) -> None:
    document = json.loads(LONE)
    text = json.dumps({"reports": document["reports"], "fingerprint": document["fingerprint"]}, indent=3)
    response = http.post(PATH, data=text.replace("rating", "r\\u0061ting"), content_type=f"{JSON}; charset=UTF-8")
    assert (response.status_code, response.get_json()) == (200, {"counted": 1, "duplicates": 0, "conflicting": 0})


def test_largest_and_smallest_values_are_taken(http: FlaskClient) -> None:
    for affair, rating, town, colour, drugs in ((False, 0, 0, "AAA=", "AA=="), (True, 4, 299, "/w8=", "Bw==")):
        document = json.loads(LONE)
        answers = {"affair": affair, "rating": rating, "town": town, "colour": colour, "drugs": drugs}
        document["reports"] = [{"id": f"{rating:032x}", "answers": answers}]
        assert http.post(PATH, data=json.dumps(document), content_type=JSON).status_code == 200
    collector = http.application.extensions["collector"]
    counts = collector.store.read_tally(collector.find_survey("habits")).support_counts
    assert counts["affair"].tolist() == [1]
    assert counts["rating"].tolist() == [1, 0, 0, 0, 1]
    assert counts["town"].tolist() == [1] + [0] * 298 + [1]
    assert counts["colour"].tolist() == [1] * 12
    assert counts["drugs"].tolist() == [1] * 3


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        ("text/plain", ""),
        ("", ""),
        ("application/x-www-form-urlencoded", ""),
        ("multipart/form-data; boundary=a", ""),
        ("application/json; charset=utf-16", ""),
        ("application/jsonx", ""),
        (JSON, "gzip"),
        (JSON, "br"),
        (JSON, "x, y"),
    ],
)
def test_other_media_and_encodings_are_refused_unread(empty: FlaskClient, content_type: str, encoding: str) -> None:
    headers = {"Content-Encoding": encoding} if encoding else {}
    response = empty.post(PATH, data=GOOD, content_type=content_type or None, headers=headers)
    assert (response.status_code, response.get_json(force=True)["code"]) == (415, "unsupported_media")
    assert count_stored(empty) == 0


def test_body_may_be_as_long_as_the_limit_and_not_a_byte_longer(http: FlaskClient) -> None:
    for n_bytes, status in ((MAX_BODY, 200), (MAX_BODY + 1, 413)):
        response = http.post(PATH, data=LONE + b" " * (n_bytes - len(LONE)), content_type=JSON)
        assert response.status_code == status
    assert response.get_json(force=True)["code"] == "body_too_large"


def test_body_of_unknown_length_is_read_only_where_it_ends_by_itself(http: FlaskClient) -> None:
    class Body:
        """A chunked body: it has no length, and counts what is read of it."""

        def __init__(self, content: bytes) -> None:
            self.left, self.n_read = content, 0

        def read(self, n_bytes: int) -> bytes:
            chunk, self.left = self.left[:n_bytes], self.left[n_bytes:]
            self.n_read += len(chunk)
            return chunk

    def post(body: Body, *, is_terminated: bool) -> tuple[int, str]:
        environ = {"wsgi.input": body, "CONTENT_TYPE": JSON, "wsgi.input_terminated": is_terminated}
        response = http.post(PATH, environ_overrides=environ)
        return response.status_code, response.get_json(force=True).get("code", "")

    assert post(Body(LONE), is_terminated=False) == (411, "length_required")
    assert post(Body(LONE), is_terminated=True) == (200, "")
    endless = Body(b" " * 10 * MAX_BODY)
    assert post(endless, is_terminated=True) == (413, "body_too_large")
    assert endless.n_read == MAX_BODY + 1


def mutate(body: bytes, chance: random.Random) -> bytes:
    """Return a body with a few bytes flipped, cut, doubled, or replaced by something vicious."""
    vicious = [
        b"[" * 3000,
        b"1" * 500,
        b"\\ud800",
        b"\x00",
        b"\xff",
        b'"',
        b":",
        b"{}",
        b"null",
        b"-0",
        b"1e5",
        b"\\u0000",
    ]
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(body) + 1)
        end = min(len(body), start + chance.choice([0, 1, 1, 8, 60]))
        body = body[:start] + chance.choice([b"", body[start:end] * 2, chance.randbytes(1), *vicious]) + body[end:]
    return body


@pytest.mark.thorough
def test_mutated_bodies_are_counted_or_refused_and_break_nothing(http: FlaskClient) -> None:
    """One in a hundred is still a good batch; that none of 2,000 is has a probability below 1e-7."""
    chance = random.Random(7)  # noqa: S311  # mutations, no secret
    n_counted, statuses = 0, set()
    for _ in range(2000):
        survey, path = chance.choice([(SURVEY, PATH), (STRINGS, WAVES_PATH)])
        body = mutate(batch_body(survey, make_reports(2, survey)), chance)
        response = http.post(path, data=body, content_type=JSON)
        statuses.add(response.status_code)
        n_counted += response.get_json(force=True).get("counted", 0)
    assert statuses >= {200, 400, 422}
    assert all(200 <= status < 300 or 400 <= status < 500 for status in statuses)
    assert count_stored(http) == n_counted
