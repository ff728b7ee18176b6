"""Pictures of the survey page and the results page, in three widths and languages, that a crowd has answered."""

import io
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import requests
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from demo import collector, make_database, run_sotto
from sotto_protocol import Coins, Report, Survey, batch_body, compile_toml

FOLDER = Path(__file__).parents[1] / "docs" / "img"
WIDTHS = (360, 768, 1280)
DARK_WIDTH = 768
TAGS = ("ar", "hi")
"""Pictured on a phone as well."""
N_PEOPLE = 2500
N_COLOURS = 64
LUNCH = """
id = "lunch-2026"
title.en = "Lunch at work"
title.ar = "الغداء في العمل"
title.hi = "काम पर दोपहर का खाना"
controller.en = "The works council"
controller.ar = "مجلس العاملين"
controller.hi = "कर्मचारी परिषद"
public_results = true

[[questions]]
id = "expensed"
type = "yes-no"
text.en = "Have you ever expensed a private lunch?"
text.ar = "هل حمّلت الشركة يومًا ثمن غداء خاص؟"
text.hi = "क्या आपने कभी निजी भोजन का खर्च कंपनी से लिया है?"
prob_truth = "3/4"

[[questions]]
id = "cuisine"
type = "one-of"
text.en = "What do you have most often?"
text.ar = "ماذا تأكل في أغلب الأحيان؟"
text.hi = "आप सबसे ज़्यादा क्या खाते हैं?"
options.en = ["sandwich", "salad", "leftovers", "canteen", "no answer"]
options.ar = ["شطيرة", "سلطة", "بقايا الطعام", "المقصف", "بلا إجابة"]
options.hi = ["सैंडविच", "सलाद", "बचा हुआ खाना", "कैंटीन", "कोई उत्तर नहीं"]
skip = "no answer"
epsilon = 2

[[questions]]
id = "habits"
type = "any-of"
mechanism = "bit-flips"
text.en = "Which of these have you done this month?"
text.ar = "أيًّا من هذه فعلت هذا الشهر؟"
text.hi = "इस महीने आपने इनमें से क्या किया?"
options.en = ["eaten at the desk", "skipped lunch", "eaten a colleague's food"]
options.ar = ["أكلت على المكتب", "تخطيت الغداء", "أكلت طعام زميل"]
options.hi = ["डेस्क पर खाना खाया", "दोपहर का खाना छोड़ा", "सहकर्मी का खाना खाया"]
epsilon = 2
"""
CHOSEN = {"expensed": (1,), "cuisine": (2,), "habits": (0, 1)}
"""What the visitor answers, as the places of the options."""


def main() -> None:
    """Write all pictures."""
    survey = compile_toml(LUNCH)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        database, definition = Path(folder, "collector.db"), Path(folder, "lunch.toml")
        definition.write_text(LUNCH)
        admin = make_database(database)
        with collector(database) as url, launch() as browser:
            run_sotto("publish", str(definition), url, SOTTO_TOKEN=admin)
            send_crowd(url, survey)
            for width in WIDTHS:
                picture_visit(browser, url, survey, width)
                picture_results(browser, url, survey, width)
            picture_visit(browser, url, survey, DARK_WIDTH, "-dark")
            picture_results(browser, url, survey, DARK_WIDTH, "-dark")
            for tag in TAGS:
                picture_visit(browser, url, survey, min(WIDTHS), tag=tag)
                picture_results(browser, url, survey, min(WIDTHS), tag=tag)


@contextmanager
def launch() -> Iterator[Browser]:
    path = shutil.which("chromium")
    if path is None:
        sys.exit("screenshots need chromium (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def send_crowd(url: str, survey: Survey) -> None:
    """Let a crowd answer, the same each time: these coins are for pictures alone."""
    drawn = random.Random(2026)  # noqa: S311  # nobody's answers
    answers = {
        "expensed": np.array([drawn.random() < 0.3 for _ in range(N_PEOPLE)], np.intp),
        "cuisine": np.array(drawn.choices(range(5), (30, 22, 25, 18, 5), k=N_PEOPLE)),
        "habits": np.array([[drawn.random() < share for share in (0.6, 0.25, 0.08)] for _ in range(N_PEOPLE)], np.intp),
    }
    records = survey.perturb(answers, Coins(drawn.randbytes))
    reports = [Report(drawn.randbytes(16), record.tobytes()) for record in records]
    headers = {"Content-Type": "application/json"}
    address = f"{url}/v1/surveys/{survey.id}/reports"
    requests.post(address, batch_body(survey, reports), headers=headers, timeout=60).raise_for_status()


def picture_visit(browser: Browser, url: str, survey: Survey, width: int, scheme: str = "", tag: str = "en") -> None:
    """Picture a visit to the survey page: one in which chance changed the first answer, so that this can be seen."""
    name = name_of(width, scheme, tag)
    while True:
        page = open_page(browser, f"{url}/s/{survey.id}?lang={tag}", width, scheme)
        for question, options in CHOSEN.items():
            for option in options:
                page.locator(f"[data-question={question}] input").nth(option).check()
        page.mouse.move(0, 0)  # nothing is to look pointed at
        form = picture(page)
        page.locator("#review-button").click()
        answered, sent = (page.locator(f"td.{kind}").first for kind in ("answered", "sent"))
        if sent.inner_text() != answered.inner_text():
            break
        page.context.close()
    save(form, f"survey-form-{name}")
    save(picture(page), f"survey-review-{name}")
    page.locator("#send-button").click()
    expect(page.locator("#erasure")).to_be_visible()  # delivered, that is
    save(picture(page), f"survey-receipt-{name}")
    page.context.close()


def picture_results(browser: Browser, url: str, survey: Survey, width: int, scheme: str = "", tag: str = "en") -> None:
    page = open_page(browser, f"{url}/s/{survey.id}/results?lang={tag}", width, scheme)
    save(picture(page), f"results-{name_of(width, scheme, tag)}")
    page.context.close()


def name_of(width: int, scheme: str, tag: str) -> str:
    return f"{width}{scheme}" if tag == "en" else f"{width}{scheme}-{tag}"


def open_page(browser: Browser, address: str, width: int, scheme: str) -> Page:
    """Open a page on a new device, its window as wide as its name says, and nothing in it moving."""
    shape = {"width": width, "height": {360: 740, 768: 1024, 1280: 800}[width]}
    context = browser.new_context(
        viewport=shape,
        color_scheme="dark" if scheme else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    return page


def picture(page: Page) -> bytes:
    """Return a picture of a whole page, in a window that is as high: what sticks to its end covers nothing."""
    shape = page.viewport_size
    assert shape is not None
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": shape["width"], "height": height})
    taken = page.screenshot()
    page.set_viewport_size(shape)
    return taken


def save(taken: bytes, name: str) -> None:
    """Write a picture, in few colours: the pages have few."""
    path = FOLDER / f"{name}.png"
    with Image.open(io.BytesIO(taken)) as opened:
        opened.convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(Path.cwd())}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
