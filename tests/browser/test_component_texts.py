"""What `<sotto-survey>` shows: a survey's own texts and no markup, in its languages, as the survey page has them."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from asked import configure, named, publish, sleep, wait_for_reports
from cases import rare
from chromium import Devices
from collecting import Served
from component_site import element, page_of, policy_for
from component_visit import WARD, Ask, heard_on, press, send
from own_site import broken_into, site_of
from sotto_protocol import compile_toml

MARKUP = '<img src=x onerror="document.title=1"><script>document.title=2</script><b>&amp;</b> {{7*7}}'


def test_markup_in_a_surveys_texts_is_text(ask: Ask, collector: Served) -> None:
    question = {"id": "q", "type": "one-of", "text": MARKUP, "epsilon": 1}
    listed = "\n".join(f"{key} = {value!r}" for key, value in question.items())
    options = [MARKUP, "javascript:alert(1)"]
    survey = publish(
        collector, compile_toml(f"id = 'markup'\ntitle = '''{MARKUP}'''\n[[questions]]\n{listed}\noptions = {options}")
    )
    page = ask(survey)
    expect(page.get_by_role("heading", name=MARKUP, exact=True)).to_be_visible()
    expect(page.locator(".choice span")).to_have_text(options)
    page.get_by_label(MARKUP).check()
    press(page, "Review what will be sent")
    expect(page.locator("dd.answered")).to_have_text(MARKUP)
    inner = "(it) => [...it.shadowRoot.querySelectorAll('img, script, b, iframe, style, link')].length"
    assert page.locator("sotto-survey").evaluate(inner) == 0
    assert page.title() == "A firm's own page"


def test_what_a_collector_adds_is_refused_and_not_shown(ask: Ask, collector: Served) -> None:
    """Whatever it serves in the survey's place, or says in a refusal, stands nowhere."""
    survey = publish(collector, named("component-broken"))

    def tamper(path: str, body: bytes) -> bytes:
        return body.replace(b"Habits", b"<b>Hello</b>") if path.startswith("/v1/") else body

    with broken_into(collector.port, tamper) as url:
        page = ask(survey, at=url)
        expect(page.get_by_role("alert")).to_be_visible()
        assert "Hello" not in page.locator("sotto-survey").inner_text()


def test_a_survey_is_read_in_the_pages_language_and_in_another(ask: Ask, collector: Served) -> None:
    survey = publish(collector, compile_toml(WARD.format(id="component-ward")))
    page = ask(survey, lang="ar")
    expect(page.get_by_role("heading", name="كيف هو العمل؟")).to_be_visible()
    body = page.locator("[part=survey]")
    expect(body).to_have_attribute("dir", "rtl")
    expect(body).to_have_attribute("lang", "ar")
    page.locator("[data-question=paid] input").first.check()
    page.locator("button.primary").click()
    expect(page.locator("[part=section-title]:visible")).to_be_focused()
    page.get_by_label("حساء").check()
    page.locator("[part~=chooser] select").select_option(label="English")
    expect(page.get_by_role("heading", name="How is work?")).to_be_visible()
    expect(body).to_have_attribute("dir", "ltr")
    expect(page.get_by_label("soup")).to_be_checked()
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_label("Yes", exact=True)).to_be_checked()
    press(page, "Next")
    wait_for_reports(collector, survey, send(page))


def test_words_that_are_not_those_of_the_program_are_not_shown(ask: Ask, collector: Served) -> None:
    survey = publish(collector, compile_toml(WARD.format(id="component-words")))
    page = ask(survey)
    page.route("**/words/ar.js", lambda route: route.fulfill(body='export default {\n"Next": "Send all I have"\n};'))
    page.locator("[part~=chooser] select").select_option(label="العربية")
    expect(page.get_by_role("heading", name="كيف هو العمل؟")).to_be_visible()
    expect(page.locator("button.primary")).to_have_text("Next")
    missing = "Buttons and hints couldn't be loaded in this language: العربية."
    expect(page.locator("[part=notice]")).to_contain_text(missing)
    (_, (name, detail)) = heard_on(page)
    assert (name, detail["name"]) == ("error", "WordsMissing")
    assert detail["message"].startswith('the words in "ar" could not be loaded: ')
    page.unroute("**/words/ar.js")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("button.primary")).to_have_text("التالي")
    expect(page.locator("[part=notice]")).to_have_count(0)


@pytest.mark.rare
def test_the_modules_that_the_collector_serves_speak_its_languages(collector: Served, devices: Devices) -> None:
    survey = publish(collector, compile_toml(WARD.format(id="component-modules")))
    policy = policy_for(collector.url).replace("script-src 'self'", f"script-src {collector.url}")
    script = f'<script type="module" src="{collector.url}/js/sotto-survey.js"></script>'
    body = element(collector.url, survey, lang="ar") + script
    with site_of({"/index.html": page_of(body, policy, script="")}) as site:
        configure(collector, survey, cors_origins=[site])
        context, _ = devices(collector.url, site)
        page = context.new_page()
        page.goto(f"{site}/index.html")
        expect(page.locator("button.primary")).to_have_text("التالي")
        expect(page.locator("sotto-survey .survey")).to_have_attribute("dir", "rtl")


def fields_of(place: Locator) -> list[Any]:
    """Return how each question is asked: words, hint, what a device does, and controls with their labels."""
    return list(place.evaluate_all(READ))


READ = """(questions) => questions.map((question) => ({
  id: question.dataset.question,
  text: question.querySelector(".asked").textContent,
  hint: question.querySelector(".hint").textContent.trim().replace(/\\\\s+/g, " "),
  noise: question.querySelector(".noise summary").textContent,
  marks: [...question.querySelectorAll(".marks path")].map((path) => path.getAttribute("d")),
  picture: question.querySelector(".marks")?.getAttribute("aria-label") ?? "",
  controls: [...question.querySelectorAll("input, select, option")].map((it) => [
    it.localName, it.type ?? "", it.labels?.[0]?.textContent.trim().replace(/\\\\s+/g, " ") ?? it.textContent,
    it.min ?? "", it.max ?? "", it.step ?? "", it.autocomplete ?? "", it.inputMode,
  ]),
}))"""


@pytest.mark.parametrize("lang", [rare("en"), "ar"])
def test_it_asks_as_the_survey_page_does(ask: Ask, collector: Served, devices: Devices, lang: str) -> None:
    surveys = [
        publish(collector, named(f"component-alike-{lang}")),
        publish(collector, sleep(f"component-alike-sleep-{lang}")),
        publish(collector, compile_toml(WARD.format(id=f"component-alike-ward-{lang}"))),
    ]
    elements, own = ask(*surveys, lang=lang).locator("sotto-survey"), devices()[0].new_page()
    for survey, asked in zip(surveys, elements.all(), strict=True):
        own.goto(f"{collector.url}/s/{survey.id}?lang={lang}")
        for each in (asked, own):
            expect(each.locator("[data-question]").first).to_be_visible()
        assert fields_of(asked.locator("[data-question]")) == fields_of(own.locator("[data-question]"))


@pytest.mark.parametrize(("epsilon", "is_little"), [rare(2, False), (7, True)])
def test_little_protection_is_said_above_the_questions_and_at_the_review(
    ask: Ask, collector: Served, epsilon: int, is_little: bool
) -> None:
    question = f'[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "So?"\nepsilon = {epsilon}\n'
    survey = publish(collector, compile_toml(f'id = "component-{epsilon}"\ntitle = "S"\n{question}'))
    page = ask(survey)
    said = "Your answer is protected little. Someone who was 10 % sure of it can become more than 99 % sure."
    sure = page.get_by_text("nobody can be sure which")
    expect(page.get_by_text(said).locator("visible=true")).to_have_count(int(is_little))
    page.get_by_label("Yes", exact=True).check()
    press(page, "Review what will be sent")
    expect(page.get_by_text(said).locator("visible=true")).to_have_count(int(is_little))
    expect(sure).to_have_count(int(not is_little))
