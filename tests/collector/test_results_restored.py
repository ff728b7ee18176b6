"""What the results page says of a restored survey of which nothing may be given: a restore is why, not its size."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import SMALL, STRINGS
from house import House, assert_refused, open_house
from page_reading import Page, password, read_page
from sotto_collector.journal import read_journal
from sotto_collector.store.copy import copy_store
from sotto_collector.store.redo import Wishes
from sotto_collector.store.restore import restore_copy
from sotto_protocol import Survey

LEAST = 10
RESTORED = (
    "The database was restored from a backup. Results stay hidden until they surely differ by enough reports "
    "from all results that were given before."
)
CLOSED = "The survey is closed, so no further reports will come."
PLAIN = replace(SMALL, id="plain", min_reports=LEAST, public_results=True)
WAVES = replace(STRINGS, id="waves", questions=STRINGS.questions[:1], min_reports=LEAST)


def see(house: House, survey: Survey, query: str = "", *, is_analyst: bool = True) -> Page:
    headers = password(house.analyst) if is_analyst else {}
    return read_page(house.http.get(f"/s/{survey.id}/results{query}", headers=headers))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A collector whose store has three reports a survey since a restore; before, ten of its first wave were given."""
    journal = tmp_path / "acts.journal"
    with open_house(tmp_path / "lost.db", PLAIN, WAVES, journal=str(journal)) as lost:
        for survey in (PLAIN, WAVES):
            lost.collect(survey, 3)
        copy_store(lost.collector.store, str(tmp_path / "backup.db"))
        for survey in (PLAIN, WAVES):
            assert RESTORED not in see(lost, survey).words
            lost.collect(survey, LEAST - 3)
            assert see(lost, survey).tables
    restore_copy(str(tmp_path / "backup.db"), str(tmp_path / "anew.db"), Wishes([read_journal(journal)]))
    with open_house(tmp_path / "anew.db", PLAIN, WAVES, journal=str(journal)) as restored:
        yield restored


def test_of_a_restored_survey_a_restore_is_why_nothing_is_shown(house: House) -> None:
    for is_analyst in (True, False):
        page = see(house, PLAIN, is_analyst=is_analyst)
        assert RESTORED in page.words
        assert ("So far there are 3." in page.words) == is_analyst
        assert "As the survey promises" not in page.words
        assert "missing" not in page.words
    refused = house.http.get("/s/plain/results.json", headers=house.analyst)
    assert_refused(refused, 403, "below_minimum")
    assert RESTORED in refused.text
    house.collect(PLAIN, 2 * LEAST - 4)  # one fewer than are needed
    assert RESTORED in see(house, PLAIN).words
    house.collect(PLAIN, 1)
    page = see(house, PLAIN)
    assert "20 reports." in page.words
    assert RESTORED not in page.words


def test_of_a_wave_that_was_never_given_its_size_is_why(house: House) -> None:
    house.collect(WAVES, 2, 2)
    for query, is_restored in (("", True), ("?wave=1", True), ("?wave=2", False)):
        words = see(house, WAVES, query).words
        assert (RESTORED in words, "a group with fewer than 10 reports is not shown" in words) == (
            is_restored,
            not is_restored,
        )
    for query, said in (
        ("", "the database was restored"),
        ("?wave=1", "the database was restored"),
        ("?wave=2", "a wave has fewer than 10 reports."),
    ):
        assert said in house.read_tally(WAVES, query).get_json(force=True)["detail"]


def test_of_a_closed_survey_the_page_says_that_no_more_will_come(house: House) -> None:
    assert CLOSED not in see(house, PLAIN).words
    for survey in (PLAIN, WAVES):
        house.administer("POST", f"/v1/surveys/{survey.id}/close")
    for survey, query, why in ((PLAIN, "", RESTORED), (WAVES, "?wave=2", "a group with fewer than 10 reports")):
        words = see(house, survey, query).words
        assert words.index(why) < words.index(CLOSED)
