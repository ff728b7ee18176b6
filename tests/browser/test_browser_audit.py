"""The page of an audit on a small phone."""

from datetime import UTC, datetime
from decimal import Decimal

from playwright.sync_api import Browser

from audited import YES_NO, faulty
from sotto_protocol import compile_toml
from sotto_rehearsal.audit.audit import Audit
from sotto_rehearsal.audit.clients import ClientAudits
from sotto_rehearsal.audit.losses import Loss

PHONE_PX = 360


def test_the_page_of_an_audit_is_no_wider_than_a_phone(browser: Browser) -> None:
    survey = compile_toml(YES_NO)
    loss = Loss("paid", 1, Decimal(1), 0.8, "the score of whole reports", 12_345, 20_000, 5_000, 21_000)
    made = Audit(faulty("none"), 41_000, 1, (loss,), (), ())
    page = browser.new_page(viewport={"width": PHONE_PX, "height": 740})
    found = ClientAudits(survey, (made,), 1e-6, datetime(2026, 3, 1, tzinfo=UTC), "sotto audit survey.toml")
    page.set_content(found.to_html())
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE_PX
    assert page.locator(".wide table").first.evaluate("table => table.scrollWidth") > PHONE_PX
    page.close()
