"""A card: one question as a picture, the same file each time, and none of what nothing is known of."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import Channel, SourceError, estimate, estimate_counts, write_card
from sotto_protocol import Coins, Tally, compile_toml

SURVEY = compile_toml("""
id = "s"
lang = "en"
title = {en = "Lunch at work", de = "Mittag"}
[[questions]]
id = "paid"
type = "yes-no"
text = {en = "Did you pay?", de = "Haben Sie bezahlt?"}
epsilon = 2
""")


def tally_of(n: int) -> Tally:
    draw = np.random.default_rng(1)
    reports = SURVEY.questions[0].mechanism.perturb(draw.binomial(1, 0.4, n), Coins(draw.bytes))
    return Tally.of(SURVEY, SURVEY.layout.join([reports], {}))


def test_a_card_has_the_question_the_survey_the_range_and_the_number_of_reports(tmp_path: Path) -> None:
    found, path = estimate(tally_of(400)), tmp_path / "paid.svg"
    write_card(found, "paid", path)
    first, shown = path.read_bytes(), path.read_text()
    assert all(words in shown for words in ("Did you pay?", "Lunch at work", "n = 400", 'class="whisker"'))
    write_card(found, "paid", path)
    assert path.read_bytes() == first
    write_card(found, "paid", path, lang="de")
    assert all(words in path.read_text() for words in ("Haben Sie bezahlt?", "Mittag"))
    write_card(replace(found, stratum="it"), "paid", path)
    assert "“it” alone" in path.read_text()
    for name in ("a.png", "b.png"):
        write_card(found, "paid", tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_draws_the_same_card(tmp_path: Path) -> None:
    (tmp_path / "tally.json").write_bytes(tally_of(400).to_json())
    ran = ["estimate", str(tmp_path / "tally.json"), "--card", "paid", str(tmp_path / "a.svg"), "--card-lang", "de"]
    done = CliRunner().invoke(main, ran)
    assert done.exit_code == 0, done.output
    assert done.stderr == f"card of paid in {tmp_path / 'a.svg'}\n"
    write_card(estimate(tally_of(400)), "paid", tmp_path / "b.svg", lang="de")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("question", "name", "lang", "said"),
    [
        ("paid", "a.gif", "", "must end in .svg or .png"),
        ("left", "a.svg", "", "must be one of paid"),
        ("paid", "a.svg", "fr", "lang"),
        ("paid", "none/a.svg", "", "cannot be written"),
    ],
)
def test_a_card_that_cannot_be_drawn_is_refused(question: str, name: str, lang: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=said):
        write_card(estimate(tally_of(400)), question, tmp_path / name, lang=lang)


def test_what_is_not_known_has_no_card(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no card\. Too few reports"):
        write_card(estimate(tally_of(2)), "paid", tmp_path / "a.svg")
    with pytest.raises(SourceError, match="of a table, or of counts"):
        write_card(estimate_counts(831, 2435, Channel.warner(2 / 3)), "paid", tmp_path / "a.svg")
