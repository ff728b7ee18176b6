"""The heat map of groups: marks and colours say only what intervals of all groups together tell."""

import re

import numpy as np

from sotto_estimator import IntervalOptions
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.verdict.order import ShareInterval, order_of
from sotto_protocol import Coins, Tally, compile_toml

SURVEY = compile_toml("""
id = "s"
title = "Mood"
invited = true
strata = ["north", "south", "east", "tiny"]
[[questions]]
id = "proud"
type = "likert"
text = "Proud?"
options = ["no", "so", "yes"]
epsilon = 3
[[questions]]
id = "left"
type = "yes-no"
text = "Left early?"
epsilon = 3
[[questions]]
id = "dish"
type = "one-of"
text = "Which?"
options = ["a", "b"]
epsilon = 3
""")
SHARES = {"north": (0.9, 600), "south": (0.1, 600), "east": (0.5, 600), "tiny": (0.5, 8)}


def side_by_side(shares: dict[str, tuple[float, int]]) -> SideBySide:
    draw, tallies = np.random.default_rng(3), {}
    for name, (share, n) in shares.items():
        answers = [draw.binomial(of, share, n) for of in (2, 1, 1)]
        reports = [
            question.mechanism.perturb(of, Coins(draw.bytes))
            for question, of in zip(SURVEY.questions, answers, strict=True)
        ]
        place = SURVEY.strata.index(name) + 1
        tallies[name] = Tally.of(SURVEY, SURVEY.layout.join(reports, {"stratum": [place] * n}))
    found = estimate_strata(tallies, IntervalOptions(), 4)
    assert found
    return found


def cells_of(found: SideBySide) -> dict[str, list[tuple[str, str]]]:
    """Return the look and the words of the cells of each group, as the report has them."""
    (html,) = re.findall(r'<section class="overview">.*?</section>', found.to_html(), re.DOTALL)
    rows = re.findall(r'<tr><th scope="row"[^>]*>(.*?)</th>(.*?)</tr>', html)
    return {name: re.findall(r'<td class="heat ?(\w*)">(.*?)</td>', cells) for name, cells in rows}


def test_only_what_is_sure_has_a_mark_and_a_colour_and_what_is_too_wide_says_so() -> None:
    cells = cells_of(side_by_side(SHARES))
    assert [[look for look, _ in cells[name]] for name in SHARES] == [
        ["high"] * 2,
        ["low"] * 2,
        [""] * 2,
        ["low", "none"],
    ]
    assert all(words.startswith("▲ ") for _, words in cells["north"])
    assert all(words.startswith("▼ ") for _, words in cells["south"])
    assert all(words == "too few reports to say" or "(" in words for _, words in cells["tiny"])
    assert cells["tiny"][0][1].startswith("▼ (")


def test_groups_that_cannot_be_told_apart_have_neither() -> None:
    cells = cells_of(side_by_side({"north": (0.5, 600), "south": (0.5, 600), "east": (0.5, 600)}))
    assert {look for row in cells.values() for look, _ in row} == {""}
    assert not re.search("▲|▼", str(cells))


def test_mean_scores_have_a_row_a_group_in_text() -> None:
    shown = side_by_side(SHARES)
    table = shown.as_table().split("question  score  stratum")[1]
    assert re.findall(r"^proud +mean +(\w+) +\d+ ", table, re.MULTILINE) == [*SHARES]


def test_groups_are_ranked_by_their_mean_score_too() -> None:
    scores = [one for one in side_by_side(SHARES).comparisons if one.kind == "score"]
    assert [(one.question, one.answer) for one in scores] == [("proud", "mean")]
    assert [scores[0].order.place_of(name) for name in ("north", "south", "east")] == ["high", "low", ""]


def test_a_place_in_an_order_is_of_what_is_surely_above_or_below_something() -> None:
    order = order_of([ShareInterval("a", 0.1, 0.2), ShareInterval("b", 0.5, 0.7), ShareInterval("c", 0.15, 0.4)])
    assert [order.place_of(name) for name in "abcd"] == ["low", "high", "low", ""]
