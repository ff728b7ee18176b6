"""What axe-core finds on the pages, in every state that a reader can see, light and dark: nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from asked import ANSWERS, DIARY, HABITS, end, invite, named, publish, revoke
from cases import rare
from chromium import SETTLE, Devices, read_axe
from collecting import Served, make_reports, tally_of
from devices import FIVE, LUNCH, PULSE, ROTATED
from own_site import broken_into
from sotto_client.explain_plot import draw_explanation
from sotto_estimator import Channel, estimate, estimate_counts
from sotto_protocol import Survey, compile_survey, compile_toml
from sotto_protocol.datasheet import letter_render
from sotto_protocol.datasheet.letter import make_letter
from sotto_protocol.datasheet.render import to_html
from sotto_protocol.datasheet.sheet import make_datasheet
from sotto_protocol.language import language
from visit import Visit

FIND = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(
  ({ id, help, nodes }) => [id, help, nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`)]))"""
REFUSED = "error: Failed to load resource: the server responded with a status of "

NUMBERS = compile_toml("""
id = "numbers"
title = "How long?"
[[questions]]
id = "married"
type = "number"
text = "How long are you married?"
minimum = 0
maximum = 50
step = 1
unit = "years"
epsilon = 2
distribution = true
""")

ARABIC = compile_toml("""
id = "arabic"
title.en = "How we work"
title.ar = "كيف نعمل"
[[questions]]
id = "stay"
type = "one-of"
text.en = "What keeps you here most?"
text.ar = "ما الذي يبقيك هنا أكثر؟"
options.en = ["pay", "colleagues"]
options.ar = ["الأجر", "الزملاء"]
epsilon = 8
""")
HIDDEN = """() => [document.documentElement, ...document.querySelectorAll(".scroll")].filter(
  (box) => box.scrollWidth > box.clientWidth).map((box) => box.id || box.tagName)"""

Check = Callable[[Page, str], None]


@pytest.fixture(scope="module")
def axe() -> str:
    return read_axe()


@pytest.fixture(params=["light", rare("dark")])
def scheme(request: pytest.FixtureRequest) -> str:
    """What the reader's system asks for."""
    return str(request.param)


@pytest.fixture
def check(axe: str) -> Check:
    """Hold that axe-core finds nothing on a page as it stands, every part that opens being open."""

    def find(page: Page, state: str) -> None:
        page.evaluate("() => { for (const part of document.querySelectorAll('details')) part.open = true; }")
        page.evaluate(f"() => {{ {SETTLE}; return settle(document); }}")
        page.evaluate(axe)
        found: list[Any] = page.evaluate(FIND)
        assert (state, found) == (state, [])

    return find


def new_page(devices: Devices, scheme: str, *hosts: str, **options: Any) -> Page:
    """Return a new device's page; that it is refused something is part of these tests."""
    context, watch = devices(*hosts, color_scheme=scheme, **options)
    watch.forgive(REFUSED)
    return context.new_page()


def test_a_page_with_a_fault_does_not_pass(check: Check, collector: Served, devices: Devices) -> None:
    page = new_page(devices, "light")
    page.goto(f"{collector.url}/s/nowhere")
    page.locator("main").evaluate("(main) => main.append(document.createElement('input'))")
    with pytest.raises(AssertionError, match="label"):
        check(page, "an input without a name")


@pytest.mark.rare
def test_a_page_that_cancels_an_animation_while_it_settles_is_looked_at(
    check: Check, collector: Served, devices: Devices
) -> None:
    page = new_page(devices, "light")
    page.goto(f"{collector.url}/s/nowhere")
    page.locator("main").evaluate("""(main) => {
      const fading = main.animate([{ opacity: 1 }, { opacity: 1 }], 600_000);
      setTimeout(() => fading.cancel(), 200);
    }""")
    check(page, "an animation that ends early")


def test_the_survey_page_to_who_has_answered(scheme: str, check: Check, collector: Served, devices: Devices) -> None:
    """test_browser_axe_languages.py has it from the form to the receipt."""
    survey = publish(collector, named(f"axe-{scheme}", public_results=True))
    visit = Visit(new_page(devices, scheme), collector.url, survey).open()
    visit.fill(ANSWERS)
    visit.review()
    visit.send()
    visit.expect_delivered()
    visit.open()
    visit.expect_delivered()
    check(visit.page, "already answered")
    visit.page.get_by_role("button", name="Erase it now").click()
    expect(visit.page.locator("#erased")).not_to_be_empty()
    check(visit.page, "erased")
    end(collector, survey)
    visit.open()
    check(visit.page, "closed, with a receipt")


def test_the_page_of_an_invited_survey(scheme: str, check: Check, collector: Served, devices: Devices) -> None:
    survey = publish(collector, named(f"axe-invited-{scheme}", DIARY, invited=True))
    revoked, good = invite(collector, survey, 2)
    visit = Visit(new_page(devices, scheme), collector.url, survey).open()
    visit.page.get_by_role("button", name="Review").click()
    expect(visit.page.get_by_role("group", name="There is a problem")).to_be_visible()
    check(visit.page, "invitation missing")
    visit = Visit(new_page(devices, scheme), collector.url, survey).open(f"#{'a' * 26}")
    expect(visit.alarm).to_contain_text("You can't use this invitation")
    check(visit.page, "invitation that cannot be used")
    visit = Visit(new_page(devices, scheme), collector.url, survey).open(f"#{revoked}")
    check(visit.page, "invitation came")
    visit.fill({"well": True})
    visit.review()
    revoke(collector, survey, revoked)
    visit.send()
    visit.page.get_by_label("Your report needs another invitation").fill("no invitation")
    visit.page.get_by_role("button", name="Send it again").click()
    expect(visit.page.locator("#other-error")).not_to_be_empty()
    check(visit.page, "refused")
    visit.page.get_by_label("Your report needs another invitation").fill(good)
    visit.page.get_by_role("button", name="Send it again").click()
    visit.expect_delivered()


def test_a_list_that_is_searched(scheme: str, check: Check, collector: Served, devices: Devices) -> None:
    options = [f"town {number}" for number in range(60)]
    town = {"id": "town", "type": "one-of", "text": "Where?", "options": options, "epsilon": 1}
    survey = publish(collector, compile_survey({"id": f"towns-{scheme}", "title": "Towns", "questions": [town]}))
    page = new_page(devices, scheme)
    page.goto(f"{collector.url}/s/{survey.id}")
    page.get_by_label("Find an option").fill("7")
    expect(page.get_by_role("status").filter(has_text="6 of 60")).to_be_visible()
    check(page, "a list that is searched")


def test_what_goes_wrong(scheme: str, check: Check, collector: Served, devices: Devices) -> None:
    def spoil(path: str, answer: bytes) -> bytes:
        return b"{}" if path.startswith("/v1/") else answer

    with broken_into(collector.port, spoil) as url:
        visit = Visit(new_page(devices, scheme, url), url, HABITS).open()
        expect(visit.alarm).not_to_be_empty()
        check(visit.page, "no survey")
    page = new_page(devices, scheme)
    for path in ("s/nowhere", f"s/{HABITS.id}?wave=2", "s/habits/nothing/here"):
        page.goto(f"{collector.url}/{path}")
        check(page, path)


RESULTS = {"survey": HABITS, "waves": DIARY, "few": HABITS, "numbers": NUMBERS, "arabic": ARABIC}
SEEN = {
    "some": [
        ("telephone", "s/{survey}/results"),
        ("telephone", "s/{numbers}/results"),
        ("telephone", "s/{arabic}/results?lang=ar"),
        ("stranger", "s"),
        ("stranger", "s/{survey}/results"),
        ("analyst", "s"),
        ("analyst", "s/{survey}/results"),
        ("analyst", "s/{waves}/results"),
    ],
    "others": [
        ("telephone", "s/{waves}/results"),
        ("stranger", ""),
        ("stranger", "?lang=ar"),
        ("analyst", "s/{arabic}/results?lang=ar"),
        ("analyst", "s/{few}/results"),
        ("analyst", "s/{numbers}/results"),
    ],
}
"""Readers and the pages that they open. The others are like some of these, or are in test_results_axe.py."""


@pytest.mark.parametrize("which", ["some", rare("others")])
def test_results_and_index(scheme: str, which: str, check: Check, collector: Served, devices: Devices) -> None:
    names = {name: f"axe-{name}-{scheme}-{which}" for name in RESULTS}
    for name in [name for name in RESULTS if any(f"{{{name}}}" in path for _, path in SEEN[which])]:
        changes = {"min_reports": 100} if name == "few" else {}
        survey = publish(collector, named(names[name], RESULTS[name], **changes))
        for wave in (1, 2) if name == "waves" else (1,):
            assert collector.send(make_reports(60, survey, wave), survey)[0] == 200
    secret = {"username": "ann", "password": collector.analyst}
    readers = {
        "stranger": new_page(devices, scheme, extra_http_headers={"X-Requested-With": "a test"}),  # it is not asked who
        "analyst": new_page(devices, scheme, http_credentials=secret),
        "telephone": new_page(devices, scheme, http_credentials=secret, viewport={"width": 360, "height": 740}),
    }
    for who, path in SEEN[which]:
        page = readers[who]
        page.goto(f"{collector.url}/{path.format(**names)}")
        check(page, path)
        if who == "telephone":
            assert page.evaluate(HIDDEN) == []


def test_a_datasheet_and_the_picture_of_an_explanation(
    scheme: str, check: Check, collector: Served, devices: Devices
) -> None:
    page = new_page(devices, scheme)
    for survey in (HABITS, DIARY, NUMBERS):
        page.set_content(to_html(make_datasheet(survey)))
        check(page, f"datasheet of {survey.id}")
        page.set_content(letter_render.to_html(make_letter(survey, language("ar"))))
        check(page, f"letter about {survey.id}")
        page.set_content(f'<html lang="en"><title>Curves</title><main><h1>Curves</h1>{draw_explanation(survey)}</main>')
        check(page, f"curves of {survey.id}")


def test_nothing_is_found_on_a_report(scheme: str, devices: Devices, check: Check) -> None:
    page = new_page(devices, scheme, viewport={"width": 360, "height": 740})
    tally = tally_of(ARABIC, make_reports(200, ARABIC))
    for tag in ARABIC.languages:
        page.set_content(estimate(tally).to_html(tag))
        check(page, f"report in {tag}")
        assert page.evaluate(HIDDEN) == []
    for n_yes in (700, 1999):  # the design explains the one, and not the other
        page.set_content(estimate_counts(n_yes, 2000, Channel.warner(0.75)).to_html())
        check(page, f"report of {n_yes} yes")
        assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 2


@pytest.mark.parametrize("survey", [rare(LUNCH), rare(PULSE), FIVE, ROTATED], ids=lambda survey: survey.id)
def test_a_datasheet_of_a_few_questions_is_a_page_of_a4(devices: Devices, collector: Served, survey: Survey) -> None:
    page = new_page(devices, "light")
    page.set_content(to_html(make_datasheet(survey)))
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("tag", ["fr", *map(rare, ("ar", "hi", "zh"))])
def test_a_letter_is_two_pages_of_a4(devices: Devices, collector: Served, tag: str) -> None:
    page = new_page(devices, "light")
    for survey in (LUNCH, PULSE):
        page.set_content(letter_render.to_html(make_letter(survey, language(tag))))
        assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 2


def test_texts_that_are_looked_for_by_keyboard(scheme: str, check: Check, collector: Served, devices: Devices) -> None:
    """The form, what it finds, and what it refuses."""
    table = {"id": f"axe-texts-{scheme}", "title": "Texts"}
    asked = {"id": "place", "type": "text", "text": "Where?", "epsilon": 4}
    survey = publish(collector, compile_survey(table | {"questions": [asked]}))
    assert collector.send(make_reports(500, survey), survey)[0] == 200
    page = new_page(
        devices,
        scheme,
        http_credentials={"username": "ann", "password": collector.analyst},
        viewport={"width": 360, "height": 740},
    )
    page.goto(f"{collector.url}/s/{survey.id}/results")
    check(page, "empty form")
    field = page.get_by_label("Texts to look for")
    field.focus()
    page.keyboard.type("\u00e1\nbistro")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("of 2 texts")).to_be_visible()
    check(page, "found")
    assert page.evaluate(HIDDEN) == []
    field.fill("x" * 5000)
    page.get_by_role("button", name="Look for these texts").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be an answer")
    check(page, "refused")
