"""Drafts: shown to who has their link, replaced as often as one likes, answered by nobody, then published for good."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from collecting import INVITED, SMALL, SURVEY, TIMEOUT_S, count_here, make_reports, publish_here, tally_of
from house import JSON, House, assert_refused, bearer, open_house
from page_reading import password, read_page
from sotto_collector.errors import SurveyClosedError, SurveyExistsError
from sotto_collector.intake.counting import Outcome
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.recount import check_integrity
from sotto_collector.tokens import create_token
from sotto_protocol import Survey

pytestmark = pytest.mark.later("postgres", "thorough")  # a draft is a survey that test_store.py stores

DRAFT = replace(INVITED, id="draft")
NEXT = replace(DRAFT, title="The next draft")
ORIGIN = "https://clinic.example"
N_VERSIONS = 12


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SMALL) as opened:
        yield opened


def put(house: House, survey: Survey = DRAFT, headers: dict[str, str] | None = None) -> TestResponse:
    return house.http.post(
        "/v1/drafts", data=survey.canonical, content_type=JSON, headers=house.admin if headers is None else headers
    )


def publish(house: House, survey: Survey = DRAFT) -> TestResponse:
    return house.http.post("/v1/surveys", data=survey.canonical, content_type=JSON, headers=house.admin)


def preview_of(house: House, survey: Survey = DRAFT) -> str:
    response = put(house, survey)
    assert response.status_code == 200
    preview = response.get_json()["preview"]
    assert isinstance(preview, str)
    return preview


def ask_as_anybody(house: House, survey_id: str, **headers: str) -> list[tuple[int, list[tuple[str, str]], bytes]]:
    """Return all that a stranger is told of a survey's id, wherever they ask; the id itself is blotted out."""
    path = f"/v1/surveys/{survey_id}"
    asked = [
        ("GET", path),
        ("POST", f"{path}/reports"),
        ("POST", f"{path}/erase"),
        ("POST", f"{path}/invitations/check"),
        ("OPTIONS", f"{path}/reports"),
        ("GET", f"/s/{survey_id}"),
        ("GET", f"/s/{survey_id}?preview=nothing"),
        ("GET", f"/s/{survey_id}?preview=%C3%A1"),
        ("GET", f"/s/{survey_id}/results"),
        ("GET", f"/drafts/nothing/v1/surveys/{survey_id}"),
    ]
    responses = [house.http.open(place, method=method, json={}, headers=headers) for method, place in asked]
    return [(reply.status_code, [*reply.headers], reply.data.replace(survey_id.encode(), b"ID")) for reply in responses]


def test_strangers_are_told_of_a_draft_what_they_are_told_of_no_survey(house: House) -> None:
    preview_of(house)
    assert house.administer("PATCH", "/v1/surveys/draft", {"cors_origins": [ORIGIN]}).status_code == 200
    told = ask_as_anybody(house, "draft", Origin=ORIGIN)
    assert told == ask_as_anybody(house, "nobod", Origin=ORIGIN)
    assert {status for status, *_ in told} == {404, 200}
    assert [status for status, *_ in told].count(200) == 1  # OPTIONS, which says of every id what it takes


def test_draft_is_seen_by_who_has_its_link_or_signs_in(house: House) -> None:
    preview = preview_of(house)
    page = house.http.get(f"/s/draft?preview={preview}")
    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "no-store"
    assert DRAFT.title in page.text
    survey = house.http.get(f"/drafts/{preview}/v1/surveys/draft")
    assert (survey.status_code, survey.data) == (200, DRAFT.canonical)
    for role, survey_id, expected in (
        ("admin", None, 200),
        ("analyst", "draft", 200),
        ("admin", "small", 404),
        ("monitor", None, 404),
    ):
        token = bearer(create_token(house.collector.tokens, role, survey_id=survey_id))
        assert house.http.get("/s/draft", headers=password(token)).status_code == expected, role
    assert house.http.get(f"/drafts/{preview}/v1/surveys/small").status_code == 404


def test_draft_is_replaced_under_the_same_link_and_settings(house: House) -> None:
    preview = preview_of(house)
    assert put(house).get_json() == {"id": "draft", "fingerprint": DRAFT.fingerprint, "preview": preview}
    house.administer("PATCH", "/v1/surveys/draft", {"cors_origins": [ORIGIN], "reports_per_minute": 9})
    response = put(house, NEXT)
    assert response.get_json() == {"id": "draft", "fingerprint": NEXT.fingerprint, "preview": preview}
    assert house.http.get(f"/drafts/{preview}/v1/surveys/draft").data == NEXT.canonical
    assert "The next draft" in house.http.get(f"/s/draft?preview={preview}").text
    listed = house.http.get("/v1/surveys", headers=house.analyst).get_json()["surveys"]
    (draft,) = [survey for survey in listed if survey["draft"]]
    assert (draft["id"], draft["open"], draft["n_reports"]) == ("draft", False, 0)
    assert (draft["fingerprint"], draft["cors_origins"], draft["reports_per_minute"]) == (NEXT.fingerprint, [ORIGIN], 9)


def test_published_survey_takes_the_draft_s_place_for_good(house: House) -> None:
    preview = preview_of(house)
    assert publish(house, NEXT).status_code == 201
    assert publish(house, NEXT).status_code == 200
    assert house.http.get("/v1/surveys/draft").data == NEXT.canonical
    assert house.http.get("/s/draft").status_code == 200
    assert house.http.get(f"/drafts/{preview}/v1/surveys/draft").status_code == 404
    for survey in (DRAFT, NEXT):  # the very same one, too
        assert_refused(put(house, survey), 409, "survey_exists")
    assert_refused(publish(house, DRAFT), 409, "survey_exists")
    assert house.administer("POST", "/v1/surveys/draft/invitations", {"count": 2}).status_code == 201
    assert house.http.get("/v1/surveys/draft").data == NEXT.canonical


@pytest.mark.parametrize(
    ("role", "method", "path"),
    [
        ("admin", "POST", "/close"),
        ("admin", "POST", "/invitations"),
        ("admin", "GET", "/invitations"),
        ("admin", "POST", "/invitations/revoke"),
        ("analyst", "GET", "/tally"),
        ("analyst", "GET", "/records"),
    ],
)
def test_draft_takes_nothing_that_a_survey_takes(house: House, role: str, method: str, path: str) -> None:
    preview_of(house)
    response = house.http.open(
        f"/v1/surveys/draft{path}", method=method, json={"count": 1}, headers=getattr(house, role)
    )
    assert_refused(response, 409, "survey_draft")


def test_draft_that_is_no_survey_is_refused(house: House) -> None:
    body = DRAFT.canonical[:-1] + b',"x":1}'
    response = house.http.post("/v1/drafts", data=body, content_type=JSON, headers=house.admin)
    assert_refused(response, 422, "bad_survey")
    token = bearer(create_token(house.collector.tokens, "admin", survey_id="small"))
    assert_refused(put(house, DRAFT, token), 403, "forbidden")
    assert house.collector.find_survey("draft") is None


def test_report_of_a_draft_is_not_counted_whoever_lets_it_through(store: Store) -> None:
    store.put_draft(SURVEY)
    stored = store.find_survey(SURVEY.id)
    assert stored is not None
    (outcome,) = count_here(store, stored, make_reports(3))
    assert isinstance(outcome, SurveyClosedError)
    assert store.count_all() == 0


def test_draft_is_deleted_with_its_link_and_leaves_its_id_free(house: House) -> None:
    preview = preview_of(house)
    assert house.administer("DELETE", "/v1/surveys/draft").get_json() == {"id": "draft", "erased": True}
    assert house.http.get(f"/s/draft?preview={preview}").status_code == 404
    assert preview_of(house, NEXT) != preview


def test_draft_stands_in_the_index_with_its_link_and_no_results(house: House) -> None:
    preview = preview_of(house)
    page = read_page(house.http.get("/s", headers=password(house.analyst)))
    (row,) = [row for row in page.table("2 surveys") if "draft" in str(row)]
    assert "draft: draft, by invitation;" in str(row[0])
    assert [str(cell).strip() for cell in row[1:3]] == ["0", ""]
    links = [link["href"] for link in page.all("a")]
    assert f"./s/draft?preview={preview}" in links
    assert "./s/draft/results" not in links


def test_copy_of_a_store_has_its_drafts(db: str, tmp_path: Path) -> None:
    with closing(Store(db)) as store:
        preview = store.put_draft(DRAFT)
        publish_here(store, SMALL)
        copy_store(store, str(tmp_path / "copy.db"))
    with closing(Store(tmp_path / "copy.db")) as copy:
        assert [(found.survey, found.preview) for found in copy.list_surveys()] == [(DRAFT, preview), (SMALL, None)]


def test_draft_is_read_whole_while_it_is_replaced(db: str, store: Store) -> None:
    """Two collectors: one replaces the draft again and again, the other always reads one version of it, never half."""
    versions = {survey.canonical: survey for survey in (replace(DRAFT, title=f"Draft {n}") for n in range(N_VERSIONS))}
    previews = {store.put_draft(DRAFT)}
    is_over = threading.Event()

    def read(other: Store) -> set[bytes]:
        seen = set()
        while not is_over.is_set():
            found = other.find_survey("draft")
            assert found is not None
            assert found.is_draft
            seen.add(found.survey.canonical)
        return seen

    with closing(Store(db)) as other, ThreadPoolExecutor(3) as pool:
        reading = [pool.submit(read, other) for _ in range(3)]
        try:
            previews |= {store.put_draft(survey) for survey in versions.values()}
        finally:
            is_over.set()
        seen = set().union(*(task.result(TIMEOUT_S) for task in reading))
    assert seen <= {DRAFT.canonical, *versions}
    assert len(previews) == 1


def test_publishing_at_the_same_moment_as_drafts_wins_and_stays(db: str, store: Store) -> None:
    """Whoever comes first: afterwards the survey is the published one, and no draft was taken after it."""
    open_draft = replace(SURVEY, title="Draft")
    store.put_draft(open_draft)
    together = threading.Barrier(7)

    def draft(other: Store, number: int) -> bool:
        together.wait(TIMEOUT_S)
        try:
            return bool(other.put_draft(replace(open_draft, title=f"Draft {number}")))
        except SurveyExistsError:
            return False

    def publish_it(other: Store) -> bool:
        together.wait(TIMEOUT_S)
        return other.add_survey(SURVEY)

    with closing(Store(db)) as other, ThreadPoolExecutor(7) as pool:
        drafts = [pool.submit(draft, (store, other)[number % 2], number) for number in range(5)]
        published = [pool.submit(publish_it, at) for at in (store, other)]
        assert sorted(task.result(TIMEOUT_S) for task in published) == [False, True]
        assert {task.result(TIMEOUT_S) for task in drafts} <= {True, False}
        stored = publish_here(store)
        assert (stored.survey, stored.is_open, stored.is_draft) == (SURVEY, True, False)
        with pytest.raises(SurveyExistsError):
            other.put_draft(open_draft)
        reports = make_reports(30)
        assert count_here(other, stored, reports) == [Outcome(30, 0, 0)]
    assert store.read_tally(stored) == tally_of(SURVEY, reports)
    check_integrity(store)


def test_collector_that_still_knows_the_draft_loses_no_report(house: House, tmp_path: Path) -> None:
    """It says for a moment that there is no such survey, which devices do not take its word for, and then counts."""
    with open_house(tmp_path / "survey.db", SMALL) as other:
        store = house.collector.store
        store.put_draft(replace(SURVEY, title="Draft"))
        assert other.http.get("/v1/surveys/habits").status_code == 404  # it knows the draft now
        assert publish(house, SURVEY).status_code == 201
        reports = make_reports(8)
        assert house.send(SURVEY, reports[:4]).get_json()["counted"] == 4
        early = other.send(SURVEY, reports[4:])
        assert early.status_code == 200 or early.get_json(force=True)["code"] == "no_such_survey"
        other.collector.forget_survey("habits")  # as after a second
        assert other.send(SURVEY, reports).status_code == 200
        assert store.read_tally(house.stored(SURVEY)) == tally_of(SURVEY, reports)
