"""A survey that a restore has lost, with what was done to it, is named, and cannot begin anew under its fingerprint."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from collecting import SMALL, SURVEY, check_store, count_here, make_reports, publish_here
from house import JSON, open_house
from sotto_client.cli import main
from sotto_collector.errors import SurveyExistsError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.releases import read_released
from sotto_protocol import Report

pytestmark = pytest.mark.later("postgres", "thorough")  # the journal is read alike

LEAST = replace(SMALL, id="least", min_reports=3)
SAID = "survey least was published before, and was then erased, or its history was lost; give it a new id."


def erase(store: Store, stored: StoredSurvey, reports: list[Report]) -> None:
    assert store.erase_report(stored, reports[0].id)


def erase_all(store: Store, stored: StoredSurvey, _: list[Report]) -> None:
    store.close_survey(stored.key)
    store.erase_survey(stored.key)


def close(store: Store, stored: StoredSurvey, _: list[Report]) -> None:
    store.close_survey(stored.key)


def release(store: Store, stored: StoredSurvey, _: list[Report]) -> None:
    assert read_released(store, stored).n_reports == 5


def restored(folder: Path, target: str) -> dict[str, Any]:
    words = ["--from", str(folder / "backup.db"), "--db", target, "--journal", str(folder / "acts")]
    result = CliRunner().invoke(main, ["db", "restore", *words, "--json", "--yes"])
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "had",
    [
        "nothing",
        pytest.param("a draft", marks=pytest.mark.rare),
        pytest.param("another draft", marks=pytest.mark.thorough),
        "the survey",
    ],
)
@pytest.mark.parametrize("act", [erase, erase_all, close, release])
def test_survey_that_a_restore_lost_with_its_acts_is_refused(
    had: str, act: Callable[[Store, StoredSurvey, list[Report]], None], tmp_path: Path
) -> None:
    with closing(Store(tmp_path / "one.db")) as store:
        keep_journal(store, str(tmp_path / "acts"))
        if had == "the survey":
            publish_here(store, LEAST)
        elif had != "nothing":
            store.put_draft(LEAST if had == "a draft" else replace(LEAST, title="Another"))
        copy_store(store, str(tmp_path / "backup.db"))
        reports = make_reports(5, LEAST)
        stored = publish_here(store, LEAST)
        count_here(store, stored, reports)
        act(store, stored, reports)
    is_refused = had != "the survey" or act is erase_all
    target = str(tmp_path / "new.db")
    assert restored(tmp_path, target)["refused"] == (["least"] if is_refused else [])
    check_store(target)
    with closing(Store(target)) as again:
        if not is_refused:
            assert not again.add_survey(LEAST)
            return
        for _ in ("published", "as a draft"):
            with pytest.raises(SurveyExistsError, match=SAID):
                again.add_survey(LEAST)
            again.put_draft(LEAST)
        assert again.add_survey(replace(LEAST, id="new"))
        copy_store(again, str(tmp_path / "copy.db"))
    with closing(Store(tmp_path / "copy.db")) as copy, pytest.raises(SurveyExistsError):
        copy.add_survey(LEAST)


def test_survey_that_nothing_was_done_to_and_a_draft_that_was_erased_may_be_published(
    store: Store, tmp_path: Path
) -> None:
    keep_journal(store, str(tmp_path / "acts"))
    copy_store(store, str(tmp_path / "backup.db"))
    count_here(store, publish_here(store, LEAST), make_reports(5, LEAST))
    store.put_draft(SURVEY)
    draft = store.find_survey(SURVEY.id)
    assert draft is not None
    store.erase_survey(draft.key)
    assert restored(tmp_path, str(tmp_path / "new.db"))["refused"] == []
    with closing(Store(tmp_path / "new.db")) as again:
        assert again.add_survey(LEAST)
        assert again.add_survey(SURVEY)


def test_survey_erased_and_published_again_before_the_backup_goes_on(store: Store, tmp_path: Path) -> None:
    keep_journal(store, str(tmp_path / "acts"))
    erase_all(store, publish_here(store, LEAST), [])
    publish_here(store, LEAST)
    copy_store(store, str(tmp_path / "backup.db"))
    assert restored(tmp_path, str(tmp_path / "new.db"))["refused"] == []
    with closing(Store(tmp_path / "new.db")) as again:
        assert not again.add_survey(LEAST)


def test_refused_survey_is_named_and_is_a_conflict(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "one.db")) as store:
        keep_journal(store, str(tmp_path / "acts"))
        copy_store(store, str(tmp_path / "backup.db"))
        close(store, publish_here(store, LEAST), [])
    words = ["--from", str(tmp_path / "backup.db"), "--journal", str(tmp_path / "acts")]
    shown = CliRunner().invoke(main, ["db", "restore", *words, "--db", str(tmp_path / "new.db")])
    assert "least  cannot be published again: give it a new id" in shown.stdout.splitlines()
    with open_house(tmp_path / "new.db", journal=str(tmp_path / "acts")) as house:
        answer = house.http.post("/v1/surveys", data=LEAST.canonical, content_type=JSON, headers=house.admin)
        assert (answer.status_code, answer.get_json()["code"], SAID in answer.text) == (409, "survey_exists", True)
