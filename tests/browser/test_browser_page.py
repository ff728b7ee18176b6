"""The survey page in a real browser: what is sent is what was shown, once; errors keep what was answered."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, TimeoutError as Late, expect

from asked import (
    ANSWERS,
    DIARY,
    HABITS,
    configure,
    end,
    invite,
    named,
    publish,
    publish_blind,
    revoke,
    stored_reports,
    wait_for_reports,
)
from cases import rare
from chromium import NO_COOKIES, UNREACHABLE, Devices, launch_options
from collecting import Served
from sotto_author.page import make_page
from sotto_protocol import Survey, compile_survey
from visit import Visit, report_in
from wire import Wire

LEFT_OUT = ANSWERS | {"dish": None, "word": None}
HELD = """() => [
  ...[...document.querySelectorAll("#fields :checked, #fields [type=text]")].map(({ value }) => value),
  ...[...document.querySelectorAll("table.review tbody, #body")].map(({ textContent }) => textContent),
].filter(Boolean)"""
TELL_RETURN = f"""() => addEventListener("pageshow", ({{ persisted }}) => {{
  console.log(`kept ${{persisted}}: ${{({HELD})().join()}}`);
}})"""


IN_FORMS = pytest.mark.parametrize("form", ["page", "file"])
"""For tests of the page as its collector serves it, and of the same page as a file on a disk."""


def visit_new(devices: Devices, wire: Wire, survey_id: str, collector: Served, file: Path | None = None) -> Visit:
    """Open the page of a new survey on a new device; `file`: where it is written as one file."""
    survey = publish(collector, named(survey_id))
    if file is None:
        context, _ = devices(wire.url)
        return Visit(context.new_page(), wire.url, survey).open()
    configure(collector, survey, cors_origins=["null"])
    file.write_text(make_page(survey, wire.url), encoding="utf-8")
    context, watch = devices(wire.url, file.as_uri())
    watch.forgive(NO_COOKIES)
    return Visit(context.new_page(), wire.url, survey, file.as_uri()).open()


def shown_rows(page: Page) -> list[list[str]]:
    """Return, of every question, what was answered and what will be sent, as the page shows them."""
    return [row.locator("td").all_inner_texts() for row in page.locator("table.review tr:has(.sent)").all()]


@pytest.mark.rare
def test_what_was_shown_before_is_what_is_sent(collector: Served, wire: Wire, devices: Devices) -> None:
    visit = visit_new(devices, wire, "shown", collector)
    visit.answer(ANSWERS)
    body = visit.review()
    assert wire.posts() == []
    assert "This is all that leaves this device" in visit.page.locator("#review").inner_text()
    receipt = visit.send()
    visit.expect_delivered()
    assert visit.page.evaluate(HELD) == []
    (post,) = wire.posts()
    assert post.body.decode() == body
    assert report_in(body)["id"] == receipt
    wait_for_reports(collector, visit.survey, receipt)


@pytest.mark.rare
def test_a_double_click_reviews_once_and_sends_once(collector: Served, wire: Wire, devices: Devices) -> None:
    visit = visit_new(devices, wire, "double", collector)
    visit.answer(ANSWERS)
    visit.page.get_by_role("button", name="Review what will be sent").dblclick()
    expect(visit.page.locator("table.review tbody")).to_have_count(len(visit.survey.questions))
    visit.page.get_by_role("button", name="Send", exact=True).dblclick()
    receipt = visit.receipt()
    visit.expect_delivered()
    expect(visit.page.locator("#receipt-title")).to_have_text("Thank you")
    expect(visit.alarm).to_be_hidden()
    assert len(wire.posts()) == 1
    wait_for_reports(collector, visit.survey, receipt)


@IN_FORMS
def test_the_review_shows_the_report_in_words_beside_the_answers(
    form: str, collector: Served, wire: Wire, devices: Devices, tmp_path: Path
) -> None:
    file = tmp_path / "page.html" if form == "file" else None
    visit = visit_new(devices, wire, f"words-{form}", collector, file)
    visit.answer(ANSWERS | {"word": "<b>dirigibles</b>"})
    reported = report_in(visit.review())["answers"]
    rows = shown_rows(visit.page)
    assert [answered for answered, _ in rows] == [
        "Yes",
        "persimmons-leftovers",
        "greenhouse-13",
        "elderflower-wine, elderflower-gin",
        "<b>dirigibles</b>",
    ]
    paid, dish, place, drinks, word = (sent for _, sent in rows)
    assert paid == ("Yes" if reported["paid"] else "No")
    assert dish == HABITS.questions[1].options[reported["dish"]]
    for shown, question in ((place, HABITS.questions[2]), (drinks, HABITS.questions[3])):
        record = question.mechanism.from_wire([reported[question.id]])[0]
        supported = [question.options[value] for value in question.mechanism.supported(record)]
        assert shown == (f"Yes to: {', '.join(supported)}" if supported else "No to all of them")
    assert word == "A code that many different texts produce, not what you wrote"


@IN_FORMS
def test_errors_keep_what_was_answered(
    form: str, collector: Served, wire: Wire, devices: Devices, tmp_path: Path
) -> None:
    file = tmp_path / "page.html" if form == "file" else None
    visit = visit_new(devices, wire, f"errors-{form}", collector, file)
    visit.answer(ANSWERS | {"paid": None, "drinks": ["elderflower-tea", "elderflower-wine", "elderflower-gin"]})
    visit.page.get_by_role("button", name="Review").click()
    problems = visit.page.get_by_role("group", name="There is a problem")
    expect(problems).to_be_focused()
    expect(problems.get_by_role("link")).to_contain_text(["Please choose one.", "Choose at most 2; 3 are chosen."])
    expect(visit.page).to_have_title("Error: Habits")
    problems.get_by_role("link").first.click()
    expect(visit.question("paid").get_by_label("Yes")).to_be_focused()
    visit.question("paid").get_by_label("Yes").check()
    expect(visit.question("paid").locator(".error")).to_be_hidden()
    visit.question("drinks").get_by_label("elderflower-tea").uncheck()
    visit.review()
    assert [answered for answered, _ in shown_rows(visit.page)][1:] == [
        "persimmons-leftovers",
        "greenhouse-13",
        "elderflower-wine, elderflower-gin",
        "kaleidoscope",
    ]
    expect(visit.page).to_have_title("Habits")
    assert wire.posts() == []


@pytest.mark.rare
def test_skipping_is_an_answer_like_any_other(collector: Served, wire: Wire, devices: Devices) -> None:
    visit = visit_new(devices, wire, "skipping", collector)
    visit.answer(LEFT_OUT)
    body = visit.review()
    assert [answered for answered, _ in shown_rows(visit.page)][1::3] == [
        "Skipped, which counts as “rather not say”",
        "Skipped, which counts as “no word”",
    ]
    assert sorted(report_in(body)["answers"]) == sorted(question.id for question in HABITS.questions)
    receipt = visit.send()
    wait_for_reports(collector, visit.survey, receipt)


@IN_FORMS
def test_looking_again_or_changing_back_draws_no_new_noise(
    form: str, collector: Served, wire: Wire, devices: Devices, tmp_path: Path
) -> None:
    file = tmp_path / "page.html" if form == "file" else None
    visit = visit_new(devices, wire, f"again-{form}", collector, file)
    visit.answer(ANSWERS)
    bodies = [visit.review()]
    for answers in (ANSWERS, ANSWERS | {"word": "dirigibles"}, ANSWERS):
        visit.page.get_by_role("button", name="Change answers").click()
        visit.question("word").get_by_role("textbox").fill(answers["word"])
        bodies.append(visit.review())
    visit.page.reload()
    visit.answer(ANSWERS)
    bodies.append(visit.review())
    assert bodies[0] == bodies[1] == bodies[3] == bodies[4]
    assert report_in(bodies[2])["answers"]["word"] != report_in(bodies[0])["answers"]["word"]
    assert report_in(bodies[2])["id"] == report_in(bodies[0])["id"]


@pytest.mark.rare
def test_going_back_takes_what_was_answered_out_of_the_review(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, named("back"))
    visit = Visit(devices(wire.url)[0].new_page(), wire.url, survey).open()
    visit.fill(ANSWERS)
    visit.review()
    visit.page.get_by_role("button", name="Change answers").click()
    expect(visit.page.locator("#questions")).to_be_visible()
    expect(visit.page.locator("table.review tbody")).to_have_count(0)
    expect(visit.body).to_be_empty()


def test_the_browsers_back_leads_from_the_review_to_the_answers_and_tells_nothing(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("button"))
    visit = Visit(devices(wire.url)[0].new_page(), wire.url, survey).open()
    page = visit.page
    visit.fill(ANSWERS)
    body = visit.review()
    assert (page.url, page.evaluate("history.state")) == (visit.address, {"isReview": True})
    page.go_back()
    expect(page.locator("#questions")).to_be_visible()
    expect(visit.body).to_be_empty()
    page.go_forward()
    expect(page.locator("#questions")).to_be_visible()
    assert visit.review() == body  # of the same answers
    page.get_by_role("button", name="Change answers").click()
    expect(page.locator("#questions")).to_be_visible()
    page.wait_for_function("history.state === null")
    assert visit.review() == body
    visit.send()
    visit.expect_delivered()
    page.wait_for_function("history.state === null")
    expect(page.locator("#receipt")).to_be_visible()
    assert [post.body.decode() for post in wire.posts()] == [body]
    assert page.locator("input:checked").count() == 0


@pytest.mark.rare
def test_site_data_that_are_deleted_on_the_review_are_said_to_be_and_the_answers_stay(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("cleared"))
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    visit.fill(ANSWERS)
    visit.review()
    cleared = {"origin": wire.url, "storageTypes": "indexeddb"}
    context.new_cdp_session(visit.page).send("Storage.clearDataForOrigin", cleared)
    visit.page.get_by_role("button", name="Send", exact=True).click()
    expect(visit.alarm).to_contain_text("This browser's data was deleted in the meantime")
    expect(visit.page.locator("#questions")).to_be_visible()
    body = visit.review()
    visit.send()
    visit.expect_delivered()
    assert [post.body.decode() for post in wire.posts()] == [body]


def test_a_page_that_the_browser_kept_whole_holds_no_answer(collector: Served, playwright: Playwright) -> None:
    """Who comes back by the browser's button may be somebody else; Playwright's own browsers keep no page."""
    survey = publish(collector, named("kept-whole"))
    keeping = {"ignore_default_args": ["--disable-back-forward-cache"]}
    with playwright.chromium.launch(**launch_options(), **keeping) as browser:
        page = browser.new_page()
        assert any(come_back(page, collector.url, survey) == "kept true: " for _ in range(10))
        expect(page.locator("#questions")).to_be_visible()
        expect(page.locator("#review-button")).to_be_enabled()  # it was loaded anew


def come_back(page: Page, url: str, survey: Survey) -> str:
    """Leave the review and come back; return what the page that was kept says, "" if the browser has not kept it.

    It keeps none that is in the midst of something, as of a transaction.
    """
    visit = Visit(page, url, survey).open()
    visit.fill(ANSWERS)
    visit.review()
    assert page.evaluate(HELD)
    page.evaluate(TELL_RETURN)
    page.goto(f"{url}/s/no-such-survey")
    try:
        with page.expect_console_message(lambda message: message.text.startswith("kept"), timeout=20_000) as told:
            page.evaluate("() => history.back()")
    except Late:
        return ""
    assert told.value.text == "kept true: "
    return told.value.text


@pytest.mark.rare
def test_an_option_with_a_blank_at_its_edge_can_be_chosen_from_a_list(collector: Served, devices: Devices) -> None:
    options = [f" place {number} " for number in range(20)]
    question = {"id": "place", "type": "one-of", "text": "Where?", "options": options, "epsilon": 1}
    survey = publish(collector, compile_survey({"id": "edges", "title": "Edges", "questions": [question]}))
    visit = Visit(devices(collector.url)[0].new_page(), collector.url, survey).open()
    visit.answer({"place": options[7]})
    visit.review()
    visit.send()
    visit.expect_delivered()


@pytest.mark.rare
def test_a_report_that_was_deleted_with_the_sites_data_is_not_called_delivered(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("deleted"))
    context, watch = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    watch.forgive(UNREACHABLE)
    wire.cut()
    visit.fill(ANSWERS)
    visit.review()
    visit.send()
    visit.expect_waiting()
    cleared = {"origin": wire.url, "storageTypes": "indexeddb"}
    context.new_cdp_session(visit.page).send("Storage.clearDataForOrigin", cleared)
    expect(visit.delivery).to_contain_text("no longer knows about your report")
    expect(visit.page.locator("#erasure")).to_be_hidden()


@pytest.mark.rare
def test_who_has_answered_sees_the_receipt_again(collector: Served, wire: Wire, devices: Devices) -> None:
    visit = visit_new(devices, wire, "receipts", collector)
    visit.answer(ANSWERS)
    visit.review()
    receipt = visit.send()
    visit.page.reload()
    assert visit.receipt() == receipt
    expect(visit.page.get_by_role("heading", name="This device has already answered")).to_be_visible()
    expect(visit.page.get_by_role("button", name="Review")).to_be_hidden()
    end(collector, visit.survey)
    visit.page.reload()
    assert visit.receipt() == receipt
    expect(visit.page.get_by_text("It takes no more answers.")).to_be_visible()
    wait_for_reports(collector, visit.survey, receipt)


def test_a_report_is_erased_by_its_receipt(collector: Served, wire: Wire, devices: Devices) -> None:
    visit = visit_new(devices, wire, "erasing", collector)
    visit.page.context.add_cookies([{"name": "who", "value": "me", "url": wire.url}])
    visit.answer(ANSWERS)
    visit.review()
    receipt = visit.send()
    visit.expect_delivered()
    assert stored_reports(collector, visit.survey)[receipt] != b""
    visit.page.get_by_text("Erase my report").click()
    visit.page.get_by_role("button", name="Erase it now").click()
    expect(visit.page.locator("#erased")).to_have_text("Your report was erased and is no longer counted.")
    assert stored_reports(collector, visit.survey) == {receipt: b""}
    assert [post.headers.get("cookie") for post in wire.posts()] == [None, None]


def test_where_counts_alone_are_kept_the_receipt_says_that_nothing_can_be_taken_out(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("counting", keep="counts"))
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    visit.answer(ANSWERS)
    visit.review()
    receipt = visit.send()
    visit.expect_delivered()
    expect(visit.page.locator("#receipt")).to_contain_text("and not kept, so nobody can take it out again")
    expect(visit.page.get_by_text("Erase my report")).to_have_count(0)
    assert stored_reports(collector, survey) == {receipt: b""}
    visit.page.reload()
    assert visit.receipt() == receipt


def test_every_wave_is_answered_once(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, DIARY)
    context, _ = devices(wire.url)
    receipts = []
    for wave in (1, 2):
        visit = Visit(context.new_page(), wire.url, survey).open(f"?wave={wave}")
        expect(visit.page.get_by_text(f"Wave {wave} of 3")).to_be_visible()
        visit.answer({"well": True})
        assert report_in(visit.review())["wave"] == wave
        receipts.append(visit.send())
    wait_for_reports(collector, survey, *receipts)


@pytest.mark.parametrize("way", ["opened", rare("followed"), rare("typed")])
def test_an_invitation_is_sent_with_the_report_and_nowhere_else(
    way: str, collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named(f"invited-{way}", invited=True))
    (invitation,) = invite(collector, survey)
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open(f"#{invitation}" if way == "opened" else "")
    if way == "followed":  # a link, on the page that is open already
        visit.page.evaluate("(invitation) => { location.hash = invitation; }", invitation)
    if way == "typed":
        visit.page.get_by_label("Your invitation").fill(invitation.upper())
    else:
        expect(visit.page.get_by_text("Your invitation came with the address of this page.")).to_be_visible()
    assert invitation not in visit.page.url
    visit.answer(ANSWERS)
    shown = visit.review()
    receipt = visit.send()
    visit.expect_delivered()
    check, post = wire.posts()
    assert (json.loads(check.body.lower()), post.body.decode()) == ({"invitation": invitation, "wave": 1}, shown)
    assert report_in(shown)["invitation"] == invitation
    assert b"".join(wire.received()).lower().count(invitation.encode()) == 2
    wait_for_reports(collector, survey, receipt)


def test_a_blind_invitation_is_traded_before_the_answers_and_the_report_has_none(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish_blind(collector, "blind")
    (invitation,) = invite(collector, survey)
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open(f"#{invitation}")
    visit.answer(ANSWERS)
    shown = visit.review()
    (trade,) = wire.posts()  # before anything is sent
    assert set(json.loads(trade.body)) == {"invitation", "wave", "blinded"}
    expect(visit.page.get_by_text("This is all that leaves this device now, with your token.")).to_be_visible()
    receipt = visit.send()
    visit.expect_delivered()
    _, post = wire.posts()
    assert post.body.decode() == shown
    assert set(report_in(shown)) == {"id", "answers", "token"}
    assert b"".join(wire.received()).lower().count(invitation.encode()) == 1
    wait_for_reports(collector, survey, receipt)


@pytest.mark.rare
def test_a_report_that_is_refused_for_its_invitation_is_sent_again_under_another(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("invited-again", invited=True))
    revoked, good = invite(collector, survey, 2)
    context, watch = devices(wire.url)
    watch.forgive("error: Failed to load resource: the server responded with a status of 403")
    visit = Visit(context.new_page(), wire.url, survey).open(f"#{revoked}")
    visit.answer(ANSWERS)
    visit.review()
    revoke(collector, survey, revoked)
    receipt = visit.send()
    expect(visit.delivery).to_contain_text("wasn't accepted")
    visit.page.get_by_label("Your report needs another invitation").fill(good)
    visit.page.get_by_role("button", name="Send it again").click()
    visit.expect_delivered()
    first, second = (report_in(post.body.decode()) for post in wire.posts() if b"reports" in post.body)
    assert (first.pop("invitation"), second.pop("invitation")) == (revoked, good)
    assert first == second
    wait_for_reports(collector, survey, receipt)


def test_without_scripts_the_page_says_so_and_nothing_can_be_answered(collector: Served, devices: Devices) -> None:
    context, _ = devices(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{collector.url}/s/{HABITS.id}")
    expect(page.locator("#needs-script")).to_contain_text("This page needs JavaScript.")
    expect(page.locator("#needs-script")).to_be_visible()
    expect(page.get_by_role("button", name="Review")).to_be_disabled()
    expect(page.locator("#fields :is(input, select):enabled")).to_have_count(0)
