"""Who may do what: every route and every kind of token, tokens that end, tokens that are changed under load."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from collecting import INVITED, SMALL, SURVEY, TIMEOUT_S, end_token, make_reports, serve
from house import JSON, House, assert_refused, bearer, open_house
from sotto_collector.errors import TokenError
from sotto_collector.store import Store, StoredToken, TokenTable
from sotto_collector.tokens import create_token, hash_token

HABITS = "/v1/surveys/habits"


class Route(NamedTuple):
    """A route, and the role that it takes: "" for what anybody may ask, "both" for either, "either" of the survey."""

    method: str
    path: str
    role: str
    is_of_survey: bool = True  # else of all surveys: a token of one survey will not do


ROUTES = [
    Route("GET", "/healthz", ""),
    Route("GET", HABITS, ""),
    Route("POST", f"{HABITS}/reports", ""),
    Route("POST", f"{HABITS}/erase", ""),
    Route("POST", f"{HABITS}/invitations/check", ""),
    Route("POST", f"{HABITS}/invitations/token", ""),
    Route("GET", "/v1/surveys", "both"),
    Route("POST", "/v1/surveys", "admin"),
    Route("POST", "/v1/drafts", "admin"),
    Route("PATCH", HABITS, "admin"),
    Route("DELETE", HABITS, "admin"),
    Route("POST", f"{HABITS}/close", "admin"),
    Route("POST", f"{HABITS}/invitations", "admin"),
    Route("GET", f"{HABITS}/invitations", "admin"),
    Route("POST", f"{HABITS}/token-keys", "admin"),
    Route("POST", f"{HABITS}/invitations/revoke", "admin"),
    Route("GET", "/v1/tokens", "admin", False),
    Route("POST", "/v1/tokens", "admin", False),
    Route("DELETE", "/v1/tokens/abcdef", "admin", False),
    Route("POST", "/v1/tokens/abcdef/rotate", "admin", False),
    Route("GET", f"{HABITS}/certificate", "either"),
    Route("POST", f"{HABITS}/certificate", ""),
    Route("GET", f"{HABITS}/turnout", "either"),
    Route("GET", f"{HABITS}/tally", "analyst"),
    Route("GET", f"{HABITS}/records", "analyst"),
]
GUARDED = [route for route in ROUTES if route.role]
OF_WHICH = (None, "habits", "small")
name = "{0.method} {0.path}".format


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL, INVITED) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One collector for what `ask` asks."""
    with open_house(tmp_path_factory.mktemp("shared") / "survey.db", SURVEY, SMALL, INVITED) as opened:
        yield opened


def ask(house: House, route: Route, headers: dict[str, str]) -> Any:
    """Ask a route of an open survey, with a body that is none of what it takes: no more than closing it is done."""
    house.collector.store.set_survey(house.stored(SURVEY).key, is_open=1)
    body = SURVEY.canonical if route.path in ("/v1/surveys", "/v1/drafts") else b"[]"
    return house.http.open(route.path, method=route.method, data=body, content_type=JSON, headers=headers)


def make(house: House, role: str, survey_id: str | None = None, expires_in_s: int | None = None) -> str:
    return create_token(house.collector.tokens, role, "t", survey_id=survey_id, expires_in_s=expires_in_s)


def is_refused(response: Any) -> bool:
    return response.status_code in (401, 403)


def test_every_route_is_in_the_table(shared: House) -> None:
    """Those of the operation answer without a token; what they say is tested with them."""
    rules = {
        (method, rule.rule.replace("<survey_id>", "habits").replace("<prefix>", "abcdef"))
        for rule in shared.app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/v1")
    }
    assert rules == {(route.method, route.path) for route in ROUTES if route.path.startswith("/v1")}


@pytest.mark.parametrize("route", ROUTES, ids=name)
def test_token_of_the_role_is_let_in_and_no_other(shared: House, route: Route) -> None:
    house = shared
    for role, survey_ids in (
        ("admin", OF_WHICH),
        ("analyst", OF_WHICH),
        ("monitor", OF_WHICH[:1]),
        ("reader", OF_WHICH[1:]),
    ):
        for survey_id in survey_ids:
            response = ask(house, route, bearer(make(house, role, survey_id, 60)))
            is_right_survey = survey_id is None or (survey_id == "habits" and (route.is_of_survey))
            is_allowed = (
                not route.role
                or (route.role == "both" and role in ("admin", "analyst"))
                or (route.role == "either" and role in ("admin", "analyst") and is_right_survey)
                or (route.role == role and is_right_survey)
            )
            assert is_refused(response) == (not is_allowed), (role, survey_id, response.text)
            if not is_allowed:
                assert_refused(response, 403, "forbidden")


@pytest.mark.parametrize("route", GUARDED, ids=name)
@pytest.mark.parametrize("given", ["none", "wrong", "basic", "bare", "revoked", "expired", "hash"])
def test_token_that_is_none_or_no_more_is_not_let_in(shared: House, route: Route, given: str) -> None:
    house = shared
    role = "admin" if route.role in ("both", "either") else route.role
    token = make(house, role)
    headers = {
        "none": {},
        "wrong": bearer(token[:-1] + ("A" if token[-1] != "A" else "B")),
        "basic": {"Authorization": f"Basic {token}"},
        "bare": {"Authorization": token},
        "hash": bearer(hash_token(token).hex()),
    }.get(given, bearer(token))
    table = house.collector.tokens
    if given == "revoked":
        table.remove(hash_token(token))
    if given == "expired":
        assert not is_refused(ask(house, route, bearer(token)))
        end_token(table, token)
    response = ask(house, route, headers)
    assert_refused(response, 401, "unauthorized")
    assert ("(SOTTO_TOKEN or --token" in response.text) == (given != "expired")
    assert ("has ended" in response.text) == (given == "expired")
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert token not in response.text


def test_refused_request_changes_nothing(house: House) -> None:
    before = (house.collector.store.list_surveys(), house.collector.tokens.list())
    for route in GUARDED:
        house.http.open(route.path, method=route.method, data=b'{"count":1,"role":"admin"}', content_type=JSON)
    assert (house.collector.store.list_surveys(), house.collector.tokens.list()) == before


def test_surveys_are_listed_as_far_as_the_token_goes(house: House) -> None:
    house.send(SURVEY, make_reports(3))
    listed = house.http.get("/v1/surveys", headers=house.analyst).get_json()["surveys"]
    assert [row["id"] for row in listed] == ["habits", "invited", "small"]
    assert listed[0] == {
        "id": "habits",
        "title": "Habits",
        "fingerprint": SURVEY.fingerprint,
        "open": True,
        "draft": False,
        "invited": False,
        "waves": 1,
        "min_reports": 1,
        "keep": "reports",
        "asked_in": 0,
        "public_results": False,
        "draw": 0,
        "strata": [],
        "lang": "en",
        "introduction": "",
        "controller": "",
        "contact": "",
        "closes": "",
        "erase_after": 0,
        "about": "population",
        "delivery": "direct",
        "relay": "",
        "gateway_key": "",
        "invitations": "plain",
        "token_keys": [],
        "erased": False,
        "n_reports": 3,
        "cors_origins": [],
        "reports_per_minute": None,
    }
    assert listed[1]["invited"] is True
    scoped = house.http.get("/v1/surveys", headers=bearer(make(house, "admin", "small"))).get_json()["surveys"]
    assert [row["id"] for row in scoped] == ["small"]


def test_admin_of_one_survey_publishes_that_one_alone(house: House) -> None:
    headers = bearer(make(house, "admin", "small"))
    for survey, status in ((SMALL, 200), (SURVEY, 403)):
        response = house.http.post("/v1/surveys", data=survey.canonical, content_type=JSON, headers=headers)
        assert response.status_code == status


def test_token_is_made_shown_once_listed_by_its_hash_and_revoked(house: House) -> None:
    sent = {"role": "analyst", "label": "bob", "survey": "habits", "expires_in_s": 3600}
    made = house.administer("POST", "/v1/tokens", sent)
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    token = made.get_json()["token"]
    assert house.http.get(f"{HABITS}/tally", headers=bearer(token)).status_code == 200
    listed = house.administer("GET", "/v1/tokens")
    (row,) = [row for row in listed.get_json()["tokens"] if row["label"] == "bob"]
    assert row | {"expires_s": 0} == {
        "hash_prefix": hash_token(token).hex()[:12],
        "role": "analyst",
        "label": "bob",
        "survey": "habits",
        "expires_s": 0,
        "ended": False,
    }
    assert token not in listed.text
    gone = house.administer("DELETE", f"/v1/tokens/{row['hash_prefix']}")
    assert gone.get_json() == row
    assert house.http.get(f"{HABITS}/tally", headers=bearer(token)).status_code == 401


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"role": "owner"}, 422, "bad_token"),
        ({"role": "admin", "label": "c4n4ry\n"}, 422, "bad_token"),
        ({"role": "admin", "label": "x" * 201}, 422, "bad_token"),
        ({"role": "admin", "survey": "c4n4ry"}, 404, "no_such_survey"),
        ({"role": "admin", "expires_in_s": 0}, 422, "bad_token"),
        ({"role": "admin", "expires_in_s": 10**9}, 422, "bad_token"),
        ({"role": "admin", "expires_in_s": True}, 422, "bad_request_body"),
        ({"role": "admin", "c4n4ry": 1}, 422, "bad_request_body"),
        ({}, 422, "bad_request_body"),
    ],
)
def test_token_that_makes_no_sense_is_refused(house: House, sent: dict[str, Any], status: int, code: str) -> None:
    before = house.collector.tokens.list()
    response = house.administer("POST", "/v1/tokens", sent)
    assert_refused(response, status, code)
    assert "c4n4ry" not in response.text
    assert house.collector.tokens.list() == before


@pytest.mark.parametrize("prefix", ["abc", "000000000000", "g" * 12])
def test_prefix_that_names_no_token_is_refused(house: House, prefix: str) -> None:
    assert_refused(house.administer("DELETE", f"/v1/tokens/{prefix}"), 404, "no_such_token")
    rotated = house.administer("POST", f"/v1/tokens/{prefix}/rotate", {"overlap_s": 5})
    assert_refused(rotated, 404, "no_such_token")


def test_rotated_token_ends_after_the_overlap_and_the_new_one_allows_the_same(house: House) -> None:
    old = make(house, "analyst", "habits", 7200)
    prefix = hash_token(old).hex()[:12]
    made = house.administer("POST", f"/v1/tokens/{prefix}/rotate", {"overlap_s": 3600})
    new = made.get_json()["token"]
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    known = {name: house.collector.tokens.find(hash_token(token)) for name, token in (("old", old), ("new", new))}
    assert isinstance(known["old"], StoredToken)
    assert isinstance(known["new"], StoredToken)
    assert known["new"].expires_s is not None
    assert known["old"].expires_s is not None
    assert 3500 < known["new"].expires_s - known["old"].expires_s < 3700
    assert (known["new"].role, known["new"].survey_id, known["new"].label) == ("analyst", "habits", "t")
    for token in (old, new):
        assert house.http.get(f"{HABITS}/tally", headers=bearer(token)).status_code == 200
    house.administer("POST", f"/v1/tokens/{hash_token(new).hex()[:12]}/rotate", {"overlap_s": 0})
    assert house.http.get(f"{HABITS}/tally", headers=bearer(new)).status_code == 401
    assert house.http.get(f"{HABITS}/tally", headers=bearer(old)).status_code == 200


@pytest.mark.thorough
def test_no_valid_client_is_refused_while_tokens_are_rotated_under_load(tmp_path: Path) -> None:
    """Four clients read tallies all the time; each takes the newest token when it likes, within the overlap."""
    with serve(tmp_path / "survey.db") as served, ThreadPoolExecutor(4) as pool:
        tokens, done = [served.analyst], threading.Event()

        def read() -> list[int]:
            statuses = []
            while not done.is_set() or len(statuses) < 20:
                token = tokens[-1]
                statuses += [served.fetch("GET", f"{HABITS}/tally", token=token)[0] for _ in range(5)]
            return statuses

        readers = [pool.submit(read) for _ in range(4)]
        try:
            for _ in range(10):
                path = f"/v1/tokens/{hash_token(tokens[-1]).hex()[:12]}/rotate"
                status, _, made = served.ask("POST", path, b'{"overlap_s":600}', served.admin)
                assert status == 201
                tokens.append(made["token"])
                assert served.send(make_reports(20))[0] == 200
        finally:
            done.set()
        statuses = [status for reader in readers for status in reader.result(TIMEOUT_S)]
        assert set(statuses) == {200}
        assert len(statuses) >= 80
        listed = served.ask("GET", "/v1/tokens", b"", served.admin)[2]["tokens"]
        assert len(listed) == 12
        assert served.ask("DELETE", f"/v1/tokens/{hash_token(tokens[0]).hex()[:12]}", b"", served.admin)[0] == 200
        assert served.fetch("GET", f"{HABITS}/tally", token=tokens[0])[0] == 401
        code, out, err = served.stop()
    assert code == 0
    content = (tmp_path / "survey.db").read_bytes()
    assert hash_token(tokens[-1]) in content  # the search does find what is there
    for token in [*tokens, served.admin]:
        for secret in (token, token.split("_", 2)[2]):
            assert secret.encode() not in content
            assert secret not in out + err + json.dumps(listed)


def test_monitor_reads_the_metrics_and_is_of_all_surveys(house: House) -> None:
    token = bearer(make(house, "monitor"))
    assert house.http.get("/metrics", headers=token).status_code == 200
    with pytest.raises(TokenError, match="role monitor must be for all surveys"):
        make(house, "monitor", "habits")
    sent = {"role": "monitor", "survey": "habits"}
    assert_refused(house.administer("POST", "/v1/tokens", sent), 422, "bad_token")
    assert house.administer("POST", "/v1/tokens", {"role": "monitor"}).get_json()["token"].startswith("sotto_monitor_")


def test_token_that_another_process_ends_is_refused_at_once(house: House, tmp_path: Path) -> None:
    token = make(house, "analyst")
    assert house.http.get(f"{HABITS}/tally", headers=bearer(token)).status_code == 200
    with closing(Store(tmp_path / "survey.db")) as other:
        end_token(TokenTable(other), token)
    assert house.http.get(f"{HABITS}/tally", headers=bearer(token)).status_code == 401
