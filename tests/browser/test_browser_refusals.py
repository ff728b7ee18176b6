"""The survey page of a collector that was broken into, or whose survey is another than the page is of."""

import hashlib
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from asked import HABITS, LOUD, named, publish, stored_reports
from cases import rare
from chromium import Devices
from collecting import Served
from own_site import Tamper, broken_into, understating
from sotto_protocol import Survey


def exchanging(survey: Survey) -> Tamper:
    """Answer with an honest survey of the same id that takes more, under a page that is of the one before."""
    other = named(survey.id, LOUD).canonical
    return lambda path, answer: other if path == f"/v1/surveys/{survey.id}" else answer


def renewing(survey: Survey) -> Tamper:
    """Have a question of a type that the page's client does not know, on every page and in every answer."""
    newer = survey.canonical.replace(b'"type":"yes-no"', b'"type":"rating"')
    fingerprint = hashlib.sha256(newer).hexdigest().encode()

    def renew(path: str, answer: bytes) -> bytes:
        is_survey = path == f"/v1/surveys/{survey.id}"
        return newer if is_survey else answer.replace(survey.fingerprint.encode(), fingerprint)

    return renew


def limiting(survey: Survey) -> Tamper:
    """Serve a page that allows epsilon 4."""
    return lambda path, answer: answer.replace(b'data-max-epsilon="8"', b'data-max-epsilon="4"')


@pytest.mark.parametrize(
    ("tamper", "asked", "said"),
    [
        (understating, LOUD, "declares 1 but the thresholds take 4.9"),
        (exchanging, HABITS, "not the pinned one"),
        rare(renewing, HABITS, "$.questions[0].type: must be one of yes-no, one-of, any-of, number, text."),
        rare(limiting, LOUD, "above maxEpsilon (4)"),
    ],
)
def test_the_survey_page_refuses(
    tamper: Callable[[Survey], Tamper], asked: Survey, said: str, collector: Served, devices: Devices
) -> None:
    survey = publish(collector, named(f"refused-by-{tamper.__name__}", asked))
    with broken_into(collector.port, tamper(survey)) as url:
        context, watch = devices(url)
        page = context.new_page()
        page.goto(f"{url}/s/{survey.id}")
        expect(page.locator("#alert")).to_contain_text(said)
        expect(page.locator("#review-button")).to_be_disabled()
        assert [address for address in watch.asked if address.endswith("/reports")] == []
    assert stored_reports(collector, survey) == {}
