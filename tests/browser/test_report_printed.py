"""A report on paper: black on white, also from a dark screen, and no chart is cut by the end of a page."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.shares.verdict.judge import with_verdicts
from sotto_protocol import Coins, Tally, compile_toml

QUESTION = '[[questions]]\nid = "q{}"\ntype = "likert"\ntext = "Well {}?"\noptions = ["no", "so", "yes"]\nepsilon = 3\n'
SURVEY = compile_toml('id = "s"\ntitle = "S"\n' + "".join(QUESTION.format(place, place) for place in range(3)))
COLOURS = """[document.body, document.querySelector(".chart text:not(.faint)")].map((of) => getComputedStyle(of))
  .flatMap(({ color, backgroundColor, fill }) => [color, backgroundColor, fill])"""
INSIDE = """[...document.querySelectorAll("section, figure, tr")].map((of) => getComputedStyle(of).breakInside)"""


@pytest.mark.thorough
def test_a_report_prints_in_black_on_white_and_keeps_questions_and_charts_whole(
    browser: Browser, tmp_path: Path
) -> None:
    draw = np.random.default_rng(1)
    reports = [of.mechanism.perturb(draw.integers(0, 3, 500), Coins(draw.bytes)) for of in SURVEY.questions]
    tally = Tally.of(SURVEY, SURVEY.layout.join(reports, {}))
    (tmp_path / "report.html").write_text(with_verdicts(estimate_tally(tally), tally).to_html())
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.emulate_media(media="print")
    (ink, ground, _), (_, _, label) = np.array(page.evaluate(COLOURS)).reshape(2, 3).tolist()
    assert (ink, ground, label) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgb(0, 0, 0)")
    assert {*page.evaluate(INSIDE)} == {"avoid"}
    printed = page.pdf(format="A5")
    context.close()
    n_pages = printed.count(b"/Type /Page\n") or printed.count(b"/Type /Page ")
    assert n_pages >= len(SURVEY.questions), "of three questions that are longer than half a page none shares one"
