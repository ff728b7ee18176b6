"""CORS: off, until a survey's operator allows an origin, and then for what a device does in that survey alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from collecting import SMALL, SURVEY, make_reports
from house import House, assert_refused, open_house

ORIGIN = "https://clinic.example"
ALLOWED = {
    "Access-Control-Allow-Origin": ORIGIN,
    "Access-Control-Expose-Headers": "Retry-After, Sottovoce-Restored, Sottovoce-State",
}
HABITS = "/v1/surveys/habits"
OF_DEVICES = [
    ("GET", HABITS),
    ("POST", f"{HABITS}/reports"),
    ("POST", f"{HABITS}/erase"),
    ("POST", f"{HABITS}/invitations/check"),
]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One collector for tests that allow their origins themselves, or look at what is refused."""
    with open_house(tmp_path_factory.mktemp("shared") / "survey.db", SURVEY, SMALL) as opened:
        yield opened


def allow(house: House, *origins: str) -> None:
    assert house.administer("PATCH", HABITS, {"cors_origins": list(origins)}).status_code == 200


def cors_headers(house: House, method: str, path: str, origin: str = ORIGIN) -> dict[str, str]:
    response = house.http.open(path, method=method, headers={"Origin": origin, **house.admin})
    return {key: value for key, value in response.headers if key.startswith("Access-Control")}


@pytest.mark.parametrize(("method", "path"), OF_DEVICES)
def test_no_page_may_read_anything_by_default(house: House, method: str, path: str) -> None:
    assert cors_headers(house, method, path) == {}
    assert cors_headers(house, "OPTIONS", path) == {}


@pytest.mark.parametrize(("method", "path"), OF_DEVICES)
def test_allowed_origin_may_do_what_a_device_does(shared: House, method: str, path: str) -> None:
    allow(shared, "https://other.example", ORIGIN)
    assert cors_headers(shared, method, path) == ALLOWED
    preflight = cors_headers(shared, "OPTIONS", path)
    assert method in preflight.pop("Access-Control-Allow-Methods").split(", ")
    assert preflight == {
        **ALLOWED,
        "Access-Control-Allow-Headers": "Content-Type",
        "Access-Control-Max-Age": "600",
    }


@pytest.mark.parametrize(
    "origin", ["https://clinic.example.evil", "http://clinic.example", "https://clinic.example:8443", "null", ""]
)
def test_other_origin_may_not(shared: House, origin: str) -> None:
    allow(shared, ORIGIN)
    for method, path in OF_DEVICES:
        assert cors_headers(shared, method, path, origin) == {}


def test_origin_of_one_survey_is_none_of_another(house: House) -> None:
    allow(house, ORIGIN)
    assert cors_headers(house, "GET", "/v1/surveys/small") == {}
    assert cors_headers(house, "GET", "/v1/surveys/nobody") == {}
    assert cors_headers(house, "GET", HABITS) != {}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/surveys"),
        ("GET", "/v1/tokens"),
        ("POST", f"{HABITS}/close"),
        ("PATCH", HABITS),
        ("DELETE", HABITS),
        ("GET", f"{HABITS}/invitations"),
        ("GET", f"{HABITS}/tally"),
        ("GET", f"{HABITS}/records"),
        ("GET", "/healthz"),
        ("GET", "/nowhere"),
    ],
)
def test_no_page_may_do_what_takes_a_token(house: House, method: str, path: str) -> None:
    allow(house, "*")
    assert cors_headers(house, method, path) == {}


def test_star_allows_every_origin_and_no_credentials(house: House) -> None:
    allow(house, "*")
    for origin in (ORIGIN, "https://anything.example"):
        allowed = ALLOWED | {"Access-Control-Allow-Origin": origin}
        assert cors_headers(house, "POST", f"{HABITS}/reports", origin) == allowed


def test_answers_differ_by_origin_and_say_so_to_caches(house: House) -> None:
    allow(house, ORIGIN)
    for origin in (ORIGIN, "https://other.example"):
        response = house.http.get(HABITS, headers={"Origin": origin})
        assert "Origin" in response.headers["Vary"]


def test_page_may_read_that_its_report_was_refused(house: House) -> None:
    allow(house, ORIGIN)
    response = house.http.post(f"{HABITS}/reports", data=b"{}", headers={"Origin": ORIGIN})
    assert_refused(response, 415, "unsupported_media")
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN


def test_origins_are_set_kept_and_taken_away(house: House) -> None:
    origins = [ORIGIN, "http://127.0.0.1:8080"]
    response = house.administer("PATCH", HABITS, {"cors_origins": origins, "reports_per_minute": 600})
    assert response.get_json() == {"id": "habits", "cors_origins": origins, "reports_per_minute": 600}
    assert house.administer("PATCH", HABITS, {"reports_per_minute": None}).status_code == 200
    listed = house.http.get("/v1/surveys", headers=house.admin).get_json()["surveys"][0]
    assert (listed["cors_origins"], listed["reports_per_minute"]) == (origins, None)
    allow(house)
    assert cors_headers(house, "GET", HABITS) == {}
    assert house.send(SURVEY, make_reports(1)).status_code == 200


SENT_BY_BROWSERS = [
    "https://clinic.example",
    "http://localhost:8080",
    "https://xn--bcher-kva.example",
    "http://127.0.0.1:8080",
    "http://[::1]:8080",
    "https://[2001:db8::ff00:42:8329]",
    "https://[1:2:3:4:5:6:7:8]",
    "https://[::3:4:5:6:7:8]:65535",
    "http://[::ffff:7f00:1]",
    "http://[::]",
    "https://clinic.example:1",
    "https://clinic.example:59999",
    "null",
    "*",
]
SENT_BY_NONE = [
    "",
    "nulls",
    "clinic.example",
    "https://",
    "https://clinic.example/",
    "https://Clinic.example",
    "https://user@clinic.example",
    "https://clinic.example:",
    "https://clinic.example:0",
    "https://clinic.example:080",
    "https://clinic.example:65536",
    "https://clinic.example:99999",
    "ftp://clinic.example",
    "http://::1",
    "http://[::1",
    "http://[]",
    "http://[1]",
    "http://[1:2]",
    "http://[::FFFF]",
    "http://[::ffff:127.0.0.1]",
    "http://[fe80::1%25eth0]",
    "http://[12345::1]",
    "http://[1:2:3:4:5:6:7:8:9]",
    "http://[::1]:",
    "http://[::1]/",
]


@pytest.mark.parametrize("origin", SENT_BY_BROWSERS)
def test_origin_as_browsers_send_it_can_be_allowed_as_is_described(shared: House, origin: str) -> None:
    assert is_described(shared, origin)
    allow(shared, origin)
    assert shared.stored(SURVEY).cors_origins == (origin,)
    sent = "https://other.example" if origin == "*" else origin
    assert cors_headers(shared, "GET", HABITS, sent)["Access-Control-Allow-Origin"] == sent


@pytest.mark.parametrize("origin", SENT_BY_NONE)
def test_origin_that_no_browser_sends_is_refused_as_is_described(shared: House, origin: str) -> None:
    assert not is_described(shared, origin)
    assert_refused(shared.administer("PATCH", HABITS, {"cors_origins": [origin]}), 422, "bad_setting")


def is_described(house: House, origin: str) -> bool:
    """Say whether the API's own description takes this origin."""
    schemas = house.http.get("/openapi.json").get_json()["components"]["schemas"]
    return re.search(schemas["SurveySettings"]["properties"]["cors_origins"]["items"]["pattern"], origin) is not None


@pytest.mark.parametrize(
    ("sent", "code", "where"),
    [
        ({"cors_origins": ["c4n4ry"]}, "bad_setting", "$.cors_origins"),
        ({"cors_origins": ["https://c4n4ry.example/"]}, "bad_setting", "$.cors_origins"),
        ({"cors_origins": ["https://c4n4ry.example\n"]}, "bad_setting", "$.cors_origins"),
        ({"cors_origins": ["https://a.example https://c4n4ry.example"]}, "bad_setting", "$.cors_origins"),
        ({"cors_origins": ["https://C4N4RY.example"]}, "bad_setting", "$.cors_origins"),
        ({"cors_origins": ["Null"]}, "bad_setting", "$.cors_origins"),
        ({"cors_origins": [f"https://a{number}.example" for number in range(21)]}, "bad_setting", "$.cors_origins"),
        ({"reports_per_minute": 0}, "bad_setting", "$.reports_per_minute"),
        ({"reports_per_minute": 10**9 + 1}, "bad_setting", "$.reports_per_minute"),
        ({"reports_per_minute": 1.5}, "bad_request_body", ""),
        ({"cors_origins": "*"}, "bad_request_body", ""),
        ({"is_open": 1}, "bad_request_body", ""),
    ],
)
def test_setting_outside_its_domain_is_refused(shared: House, sent: dict[str, object], code: str, where: str) -> None:
    allow(shared)
    response = shared.administer("PATCH", HABITS, sent)
    assert_refused(response, 422, code)
    assert response.get_json(force=True).get("where", "") == where
    assert "c4n4ry" not in response.text.lower()
    assert shared.stored(SURVEY).cors_origins == ()
