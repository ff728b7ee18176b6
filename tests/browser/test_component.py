"""`<sotto-survey>` on a page of another origin, under a strict policy: from the answers to the stored report."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from asked import (
    DIARY,
    HABITS,
    LOUD,
    end,
    invite,
    named,
    publish,
    publish_blind,
    sleep,
    stored_reports,
    wait_for_reports,
)
from chromium import Devices
from collecting import Served
from component_site import FALLBACK, PROGRAM, asking, element, page_of, policy_for
from component_visit import FORGIVEN, WARD, Ask, answer, heard_on, press, receipt_on, send
from sotto_protocol import Survey, compile_toml
from wire import Wire

HELD = """() => document.querySelector("sotto-survey").shadowRoot.textContent + document.body.textContent
  + JSON.stringify([{ ...localStorage }, document.cookie])"""
"""All that the page has in which an answer could be."""


def test_from_the_answers_to_the_report(ask: Ask, collector: Served, wire: Wire) -> None:
    survey = publish(collector, named("component"))
    page = ask(survey)
    expect(page.get_by_role("heading", name="Habits")).to_be_visible()
    answer(page, survey)
    press(page, "Review what will be sent")
    words = ["Yes", "persimmons-leftovers", "greenhouse-13", "elderflower-wine, elderflower-gin", "kaleidoscope"]
    expect(page.locator("dd.answered")).to_have_text(words)
    body = page.locator("pre").text_content()
    press(page, "Send")
    expect(page.get_by_text("Your report was delivered.")).to_be_visible()
    receipt = receipt_on(page)
    wait_for_reports(collector, survey, receipt)
    assert [word for word in ("kaleidoscope", "persimmons", "elderflower") if word in page.evaluate(HELD)] == []
    assert [post.body.decode() for post in wire.posts()] == [body]
    asked = {"survey": survey.id, "fingerprint": survey.fingerprint, "wave": 1}
    ready = ["ready", asked | {"isAnswered": False}]
    assert heard_on(page) == [ready, *([name, asked] for name in ("prepared", "sent", "delivered"))]
    page.reload()
    expect(page.get_by_role("heading", name="This device has already answered")).to_be_visible()
    assert receipt_on(page) == receipt


def test_the_same_answers_get_the_same_noise_after_a_change_and_back(ask: Ask, collector: Served, wire: Wire) -> None:
    survey = publish(collector, named("component-back"))
    page = ask(survey)
    answer(page, survey)
    press(page, "Review what will be sent")
    body = page.locator("pre").text_content()
    press(page, "Change answers")
    expect(page.get_by_label("Yes", exact=True)).to_be_checked()
    expect(page.get_by_label("Yes", exact=True)).to_be_focused()
    page.get_by_label("No", exact=True).check()
    press(page, "Review what will be sent")
    press(page, "Change answers")
    page.get_by_label("Yes", exact=True).check()
    press(page, "Review what will be sent")
    expect(page.locator("pre")).to_have_text(body or "")
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("You left this page before sending, and it keeps no answers.")
    assert wire.posts() == []


def test_a_page_that_keeps_nothing_is_held_while_a_report_waits(ask: Ask, collector: Served, wire: Wire) -> None:
    survey = publish(collector, named("component-memory"))
    page = ask(survey, before="Object.defineProperty(globalThis, 'indexedDB', { value: undefined })")
    answer(page, survey)
    press(page, "Review what will be sent")
    wire.cut()
    press(page, "Send")
    expect(page.get_by_text("Keep this page open until then")).to_be_visible()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    wire.mend()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.get_by_text("Your report was delivered.")).to_be_visible()
    page.reload()
    assert asked == ["beforeunload"]


@pytest.mark.rare
def test_what_is_wrong_is_listed_and_led_to(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("component-errors"))
    page = ask(survey)
    press(page, "Review what will be sent")
    problems = page.get_by_role("group", name="There is a problem")
    expect(problems).to_be_focused()
    expect(problems.get_by_role("link")).to_have_text(
        [f"Question {n}: Please choose one. A gap would show that you skipped this question." for n in (1, 3)]
    )
    problems.get_by_role("link").nth(1).click()
    expect(page.locator("select")).to_be_focused()
    page.locator("select").select_option(label="greenhouse-02")
    expect(page.locator("[data-question=place] .error")).to_be_hidden()
    for option in ("tea", "wine", "gin"):
        page.get_by_label(f"elderflower-{option}").check()
    expect(page.get_by_text("Choose at most 2; 3 are chosen.")).to_be_visible()


def test_another_survey_than_the_pinned_one_is_not_asked(ask: Ask, collector: Served) -> None:
    served = publish(collector, named("component-pinned"))
    page = ask(replace(served, title="Habits of before"))
    expect(page.get_by_role("alert")).to_contain_text("You can't answer this survey here")
    expect(page.locator("[data-question]")).to_have_count(0)
    (name, detail) = heard_on(page)[-1]
    assert (name, detail["name"]) == ("error", "SurveyRefused")
    assert "not the pinned one" in detail["message"]


def test_an_element_that_pins_nothing_asks_nothing(ask: Ask, wire: Wire) -> None:
    page = ask(body=f'<sotto-survey collector="{wire.url}" survey="habits"></sotto-survey>')
    expect(page.get_by_role("alert")).to_have_text(
        "You can't answer this survey here"
        "Please ask the people who gave you the address. No answer was sent."
        "For the people who made this page: the attribute fingerprint is missing."
    )
    assert wire.requests() == []
    page.locator("sotto-survey").evaluate("(it) => it.setAttribute('fingerprint', 'none')")
    expect(page.get_by_role("alert")).to_contain_text("64 hexadecimal digits")


@pytest.mark.rare
def test_parts_of_a_survey_are_answered_one_by_one(ask: Ask, collector: Served) -> None:
    survey = publish(collector, compile_toml(WARD.format(id="component-parts")))
    page = ask(survey)
    expect(page.get_by_role("heading", name="Part 1 of 2 Your work")).to_be_visible()
    press(page, "Next")
    expect(page.get_by_role("heading", name="Part 2 of 2 Your lunch")).to_be_focused()
    press(page, "Review what will be sent")
    expect(page.get_by_role("link")).to_have_count(1)
    page.get_by_label("salad").check()
    press(page, "Review what will be sent")
    expect(page.locator("dd.answered")).to_have_text(["Skipped, which counts as “No”", "salad"])


def test_a_keyboard_is_enough(ask: Ask, collector: Served) -> None:
    survey = publish(collector, compile_toml(WARD.format(id="component-keys")))
    page = ask(survey)
    expect(page.get_by_role("button", name="Next")).to_be_visible()

    def go(to: Locator) -> None:
        for _ in range(12):
            page.keyboard.press("Tab")
            if to.evaluate("(it) => it.getRootNode().activeElement === it"):
                return
        raise AssertionError(f"the keyboard does not lead to {to}")

    go(page.get_by_label("Yes", exact=True))
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("No", exact=True)).to_be_checked()
    go(page.get_by_role("button", name="Next"))
    page.keyboard.press("Enter")
    go(page.get_by_label("soup"))
    page.keyboard.press("Space")
    go(page.get_by_role("button", name="Review what will be sent"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What will be sent")).to_be_focused()
    go(page.get_by_role("button", name="Send", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_focused()


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("Object.defineProperty(crypto, 'subtle', { value: undefined })", "This page needs an https address"),
    ],
)
def test_what_a_browser_lacks_is_said(ask: Ask, collector: Served, wire: Wire, lacking: str, said: str) -> None:
    survey = publish(collector, named(f"component-lacks-{len(said)}"))
    page = ask(survey, before=lacking)
    expect(page.get_by_role("alert")).to_contain_text(said)
    expect(page.locator("[data-question]")).to_have_count(0)
    assert wire.requests() == []


def test_another_program_than_the_pinned_one_does_not_run(collector: Served, devices: Devices) -> None:
    pages = {"/index.html": page_of(element(collector.url, HABITS), policy_for(collector.url))}
    with asking(pages, program=PROGRAM + b";document.title = 'Mine'") as url:
        context, watch = devices(url)
        watch.forgive(*FORGIVEN)
        page = context.new_page()
        page.goto(f"{url}/index.html")
        expect(page.get_by_text(FALLBACK)).to_be_visible()
        assert page.title() == "A firm's own page"


@pytest.mark.rare
def test_numbers(ask: Ask, collector: Served) -> None:
    survey = publish(collector, sleep("component-sleep"))
    page = ask(survey)
    answer(page, survey, {"hours": 6.1, "degrees": ""})
    press(page, "Review what will be sent")
    expect(page.locator("[data-question=hours] .error")).to_have_text("A number from 0 to 16, in steps of 0.25.")
    answer(page, survey, {"hours": 6.25, "degrees": -3})
    press(page, "Review what will be sent")
    expect(page.locator("dd.answered")).to_have_text(["6.25 hours", "-3"])


def invited_to(collector: Served, survey_id: str, **changes: Any) -> tuple[Survey, str]:
    survey = publish(collector, named(survey_id, DIARY, invited=True, **changes))
    (invitation,) = invite(collector, survey)
    return survey, invitation


def test_an_invitation_comes_in_the_address_which_loses_it(ask: Ask, collector: Served, wire: Wire) -> None:
    survey, invitation = invited_to(collector, "component-invited", waves=1)
    page = ask(survey, anchor=f"#{invitation}")
    answer(page, survey, {"well": True})
    assert invitation not in page.url
    wait_for_reports(collector, survey, send(page))
    assert not [request for request in wire.requests() if invitation in request.target]
    again = ask(survey, invitation=invitation)
    expect(
        again.get_by_text(
            "It has already been used, or is for a different survey. Please check it, or ask the people who invited "
            "you."
        )
    ).to_be_visible()
    again.get_by_label("Your invitation").fill("mine")
    press(again, "Next")
    expect(again.get_by_text("Type your invitation. It has 26 letters a to z and digits 2 to 7.")).to_be_visible()
    again.get_by_label("Your invitation").fill(invite(collector, survey)[0])
    press(again, "Next")
    answer(again, survey, {"well": False})
    send(again)


def test_a_blind_invitation_is_traded_before_the_questions(ask: Ask, collector: Served, wire: Wire) -> None:
    survey = publish_blind(collector, "component-blind")
    page = ask(survey, anchor=f"#{invite(collector, survey)[0]}")
    answer(page, survey)
    (trade,) = wire.posts()
    assert trade.target.endswith("/invitations/token")
    wait_for_reports(collector, survey, send(page))
    _, report = wire.posts()
    assert b"token" in report.body
    assert b"invitation" not in report.body


@pytest.mark.rare
def test_a_wave_is_asked_by_its_number(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("component-wave", DIARY))
    page = ask(survey, wave="2")
    expect(page.get_by_text("Wave 2 of 3")).to_be_visible()
    answer(page, survey, {"well": True})
    send(page)
    assert {detail["wave"] for _, detail in heard_on(page)} == {2}
    page.locator("sotto-survey").evaluate("(it) => it.setAttribute('wave', '3')")
    expect(page.get_by_text("Wave 3 of 3")).to_be_visible()
    answer(page, survey, {"well": True})
    send(page)
    page.locator("sotto-survey").evaluate("(it) => it.setAttribute('wave', '4')")
    expect(page.get_by_role("alert")).to_be_visible()


@pytest.mark.rare
def test_only_what_is_drawn_is_asked(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("component-drawn", draw=2))
    page = ask(survey)
    expect(page.locator("[data-question]")).to_have_count(2)
    expect(page.get_by_text("Your device asks you only 2 of these 5 questions")).to_be_visible()
    drawn = page.locator("[data-question]").evaluate_all("(all) => all.map((each) => each.dataset.question)")
    page.reload()
    expect(page.locator("[data-question]")).to_have_count(2)
    assert page.locator("[data-question]").evaluate_all("(all) => all.map((each) => each.dataset.question)") == drawn


@pytest.mark.rare
def test_a_page_allows_no_more_than_its_budget(ask: Ask, collector: Served) -> None:
    loud = publish(collector, named("component-loud", LOUD))
    page = ask(loud, max_epsilon="4")
    expect(page.get_by_role("alert")).to_contain_text("above maxEpsilon")
    page.locator("sotto-survey").evaluate("(it) => it.setAttribute('max-epsilon', '5')")
    answer(page, loud, {"q": True})
    send(page)


@pytest.mark.rare
def test_a_report_waits_for_the_network_and_is_delivered(ask: Ask, collector: Served, wire: Wire) -> None:
    survey = publish(collector, named("component-offline"))
    page = ask(survey)
    answer(page, survey)
    press(page, "Review what will be sent")
    wire.cut()
    press(page, "Send")
    expect(page.get_by_text("Your report waits on this device until there is a connection.")).to_be_visible()
    assert [name for name, _ in heard_on(page)] == ["ready", "prepared", "sent"]
    wire.mend()
    page.reload()
    expect(page.get_by_text("Your report was delivered.")).to_be_visible()
    wait_for_reports(collector, survey, receipt_on(page))


def test_a_report_that_is_refused_says_why_and_is_heard_of(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("component-refused"))
    page = ask(survey)
    answer(page, survey)
    press(page, "Review what will be sent")
    end(collector, survey)
    press(page, "Send")
    expect(page.get_by_role("heading", name="Your report wasn't accepted")).to_be_visible()
    expect(page.get_by_text("The survey is over and takes no more answers.")).to_be_visible()
    expect(page.get_by_text("Your receipt", exact=True)).to_be_hidden()
    expect(page.get_by_text("have the report erased")).to_be_hidden()
    name, detail = heard_on(page)[-1]
    assert (name, detail["code"]) == ("refused", "survey_closed")


@pytest.mark.rare
def test_a_report_is_erased_by_its_receipt(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("component-erased"))
    page = ask(survey)
    answer(page, survey)
    receipt = send(page)
    page.get_by_text("Erase my report").click()
    press(page, "Erase it now")
    expect(page.get_by_role("heading", name="Your report was erased")).to_be_visible()
    assert stored_reports(collector, survey) == {receipt: b""}
