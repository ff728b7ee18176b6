"""What is said before any question is answered: that a browser is too old, that an invitation cannot be used."""

import pytest
from playwright.sync_api import Page, expect

from asked import ANSWERS, HABITS, invite, named, publish, revoke, wait_for_reports
from cases import rare
from chromium import UNREACHABLE, Devices
from collecting import Served
from visit import Visit
from wire import Wire

TOO_OLD = "This browser is too old for this page."
USED = "It has already been used, or is for a different survey."
ANSWERING = "() => document.activeElement.matches('#problems') || document.querySelector('input:checked')"


@pytest.mark.parametrize("missing", ["delete Intl.ListFormat", rare("delete Document.prototype.replaceChildren")])
def test_a_browser_that_lacks_something_is_told_so(missing: str, collector: Served, devices: Devices) -> None:
    context, watch = devices()
    watch.forgive("uncaught: ")
    context.add_init_script(f"{missing};")
    page = context.new_page()
    page.goto(f"{collector.url}/s/{HABITS.id}")
    expect(page.get_by_text(TOO_OLD)).to_be_visible()
    expect(page.get_by_text("Chrome or Edge 91, Firefox 90, Safari 15")).to_be_visible()
    expect(page.locator("#loading")).to_be_hidden()


@pytest.mark.parametrize("script", ["survey.min.js", rare("sottovoce.min.js")])
def test_a_browser_that_cannot_read_a_script_is_told_so(script: str, collector: Served, devices: Devices) -> None:
    context, watch = devices()
    watch.forgive("uncaught: ")
    page = context.new_page()
    unread = "class Newer { §future; }"
    page.route(
        lambda url: url.endswith(script), lambda route: route.fulfill(body=unread, content_type="text/javascript")
    )
    page.goto(f"{collector.url}/s/{HABITS.id}")
    expect(page.get_by_text(TOO_OLD)).to_be_visible()
    expect(page.locator("#fields :is(input, select):enabled")).to_have_count(0)


def open_invited(page: Page, url: str, collector: Served, survey_id: str) -> tuple[Visit, list[str]]:
    survey = publish(collector, named(survey_id, invited=True))
    return Visit(page, url, survey), invite(collector, survey, 2)


@pytest.mark.rare
def test_a_link_within_the_page_is_no_invitation(collector: Served, devices: Devices) -> None:
    visit, (_, good) = open_invited(devices()[0].new_page(), collector.url, collector, "linked")
    visit.open(f"#{good}")
    visit.page.evaluate("""() => new Promise((done) => {
        addEventListener("hashchange", done, { once: true });
        location.hash = "title";
    })""")
    assert visit.page.url == f"{visit.address}#title"
    expect(visit.page.get_by_label("Your invitation")).to_be_hidden()
    expect(visit.page.get_by_label("Your invitation")).to_have_value(good)


@pytest.mark.parametrize("way", [rare("opened"), rare("followed"), "typed"])
def test_an_invitation_that_cannot_be_used_is_said_to_be_before_any_answer(
    way: str, collector: Served, devices: Devices
) -> None:
    visit, (revoked, good) = open_invited(devices()[0].new_page(), collector.url, collector, f"refused-{way}")
    revoke(collector, visit.survey, revoked)
    visit.open(f"#{revoked}" if way == "opened" else "")
    if way == "followed":
        visit.page.evaluate("(invitation) => { location.hash = invitation; }", revoked)
    if way == "typed":
        visit.page.get_by_label("Your invitation").fill(revoked)
        visit.page.keyboard.press("Tab")
    expect(visit.alarm).to_contain_text("You can't use this invitation")
    expect(visit.alarm).to_contain_text(USED)
    assert not visit.page.evaluate(ANSWERING)
    expect(visit.page.locator("#invitation-error")).to_contain_text(USED)
    visit.fill(ANSWERS)
    visit.page.get_by_role("button", name="Review").click()
    expect(visit.page.get_by_role("link", name=USED)).to_be_visible()
    visit.page.get_by_label("Your invitation").fill(good)
    visit.review()
    receipt = visit.send()
    visit.expect_delivered()
    wait_for_reports(collector, visit.survey, receipt)


def test_an_invitation_is_not_spent_by_being_checked(collector: Served, devices: Devices) -> None:
    visit, (good, other) = open_invited(devices()[0].new_page(), collector.url, collector, "unspent")
    for _ in range(2):
        visit.open(f"#{good}")
        expect(visit.alarm).to_be_empty()
        expect(visit.page.get_by_text(TOO_OLD)).to_be_hidden()
    visit.fill(ANSWERS)
    visit.review()
    visit.send()
    visit.expect_delivered()
    for invitation, said in ((good, ""), (other, "This link hasn't been used yet")):  # of somebody else, here
        visit.page.goto("about:blank")
        with visit.page.expect_response(lambda response: response.url.endswith("/invitations/check")):
            visit.open(f"#{invitation}")
        visit.page.evaluate("() => new Promise((turn) => setTimeout(turn, 50))")  # what it says is read by then
        expect(visit.page.get_by_text("This device has already answered")).to_be_visible()
        expect(visit.alarm).to_contain_text(said) if said else expect(visit.alarm).to_be_empty()


@pytest.mark.rare
def test_without_a_connection_an_invitation_is_checked_later(collector: Served, wire: Wire, devices: Devices) -> None:
    context, watch = devices(wire.url)
    visit, (revoked, _) = open_invited(context.new_page(), wire.url, collector, "later")
    visit.open()
    watch.forgive(UNREACHABLE)
    revoke(collector, visit.survey, revoked)
    wire.cut()
    visit.page.get_by_label("Your invitation").fill(revoked)
    visit.page.keyboard.press("Tab")
    expect(visit.alarm).to_be_empty()
    wire.mend()
    visit.page.evaluate("() => dispatchEvent(new Event('online'))")
    expect(visit.alarm).to_contain_text("You can't use this invitation")
