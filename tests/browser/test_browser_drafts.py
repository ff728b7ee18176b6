"""A draft's page: tried as far as what would be sent, then published; of the trial nothing is sent, kept or spent."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from asked import ANSWERS, named, publish
from chromium import Devices
from collecting import Served
from visit import Visit


def test_draft_is_tried_and_then_answered(collector: Served, devices: Devices) -> None:
    survey = named("drafted", invited=False)
    _, _, put = collector.ask("POST", "/v1/drafts", survey.canonical, collector.admin)
    context, watch = devices()
    visit = Visit(context.new_page(), collector.url, survey).open(f"?preview={put['preview']}")
    expect(visit.page.get_by_text("This is a draft")).to_be_visible()
    visit.fill(ANSWERS)
    assert survey.fingerprint in visit.review()
    visit.page.get_by_role("button", name="Send", exact=True).click()
    expect(visit.alarm).to_contain_text("No answer was sent")
    asked = [urlsplit(url).path for url in watch.asked]
    assert [path for path in asked if path.startswith(("/v1/", "/drafts/"))] == [
        f"/drafts/{put['preview']}/v1/surveys/drafted"
    ]
    publish(collector, survey)
    visit = Visit(context.new_page(), collector.url, survey).open(f"?preview={put['preview']}")
    expect(visit.page.get_by_text("This is a draft")).to_have_count(0)
    visit.fill(ANSWERS)
    visit.review()
    visit.send()
    visit.expect_delivered()
    _, _, tally = collector.ask("GET", "/v1/surveys/drafted/tally", token=collector.analyst)
    assert tally["n_reports"] == 1


@pytest.mark.rare
def test_draft_of_an_invited_survey_is_tried_without_an_invitation(collector: Served, devices: Devices) -> None:
    survey = named("drafted-invited", invited=True)
    _, _, put = collector.ask("POST", "/v1/drafts", survey.canonical, collector.admin)
    context, watch = devices()
    visit = Visit(context.new_page(), collector.url, survey).open(f"?preview={put['preview']}")
    visit.fill(ANSWERS)
    assert survey.fingerprint in visit.review()
    assert not [url for url in watch.asked if "invitations" in url]
