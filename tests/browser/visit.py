"""A respondent at the survey page: answers, reviews, sends, as people do, by pointer; or all at once, by a script."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from asked import Answers
from sotto_protocol import Survey

FILL = """(answers) => {
  for (const question of document.querySelectorAll("[data-question]")) {
    const answer = answers[question.dataset.question];
    const chosen = answer === null ? [] : [answer].flat();
    for (const input of question.querySelectorAll("input:not([type=text])")) {
      if (chosen.includes(JSON.parse(input.value))) input.click();
    }
    const field = question.querySelector("input[type=text], select");
    if (field) {
      const isChosen = ({ value }) => value && chosen.includes(JSON.parse(value));
      field.value = field.matches("select") ? ([...field.options].find(isChosen)?.value ?? "") : (chosen[0] ?? "");
      field.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
}"""

HOLD = """() => {  // no transaction ends that puts a report into the outbox, until `letGo` is called
  const { put } = IDBObjectStore.prototype;
  let isHeld = true;
  globalThis.isSending = false;
  globalThis.letGo = () => (isHeld = false);
  IDBObjectStore.prototype.put = function (...given) {
    const goOn = () => isHeld && (this.count().onsuccess = goOn);
    if (this.name === "outbox") goOn();
    globalThis.isSending ||= this.name === "outbox";
    return put.apply(this, given);
  };
}"""
ASKS = """() => {  // whether the browser would ask before it leaves the page
  const event = document.createEvent("BeforeUnloadEvent");
  event.initEvent("beforeunload", false, true);
  dispatchEvent(event);
  return event.defaultPrevented || event.returnValue !== "";
}"""


class Visit:
    """One visit to a survey's page, in one tab."""

    def __init__(self, page: Page, url: str, survey: Survey, address: str = "") -> None:
        """`address`: the page's, if it is another than that at the collector."""
        self.page = page
        self.survey = survey
        self.address = address or f"{url}/s/{survey.id}"
        self.body = page.locator("#body")
        self.alarm = page.locator("#alert")
        self.delivery = page.locator("#delivery")

    def open(self, after: str = "") -> "Visit":
        """Go there, and wait until the page has got ready."""
        self.page.goto(self.address + after)
        expect(self.page.locator("#loading")).to_have_count(0)
        return self

    def question(self, question_id: str) -> Locator:
        return self.page.locator(f'[data-question="{question_id}"]')

    def answer(self, answers: Answers) -> None:
        """Answer by pointer and by typing; a question that is None is left out."""
        for question in self.survey.questions:
            answer, place = answers[question.id], self.question(question.id)
            if question.type == "text":
                place.get_by_role("textbox").fill(answer or "")
            elif place.get_by_role("combobox").count():
                place.get_by_role("combobox").select_option(answer)
            elif answer is not None:
                for word in answer if question.type == "any-of" else [_word(answer)]:
                    place.get_by_label(word, exact=True).check()

    def fill(self, answers: Answers) -> None:
        """Answer at once: events and all, but no pointer is moved."""
        self.page.evaluate(FILL, answers)

    def review(self) -> str:
        """Go on to what will be sent; return its text."""
        self.page.get_by_role("button", name="Review what will be sent").click()
        expect(self.page.locator("#review")).to_be_visible()
        return self.body.text_content() or ""

    def send(self) -> str:
        """Send what is reviewed; return the receipt."""
        self.page.get_by_role("button", name="Send", exact=True).click()
        return self.receipt()

    def receipt(self) -> str:
        expect(self.page.locator("#receipt")).to_be_visible()
        code = self.page.locator("#receipt-code")
        expect(code).not_to_be_empty()
        return code.text_content() or ""

    def expect_delivered(self) -> None:
        expect(self.delivery).to_have_text("Your report was delivered.")

    def expect_waiting(self) -> None:
        expect(self.delivery).to_contain_text("Your report waits on this device until there is a connection.")


def _word(answer: Any) -> str:
    return {True: "Yes", False: "No"}.get(answer, answer)


def report_in(body: str) -> dict[str, Any]:
    """Return the only report in the text that is posted."""
    (report,) = json.loads(body)["reports"]
    return dict(report)
