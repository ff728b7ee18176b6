"""`sotto explain --plot`: the curves as SVG, with the numbers that JSON has; and one line where it cannot be drawn."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from devices import LUNCH, PULSE, yes_no
from sotto_client.cli import main
from sotto_client.explain_plot import draw_explanation
from sotto_protocol import Survey
from sotto_protocol.curves import curves
from sotto_protocol.explain import explain

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>&"]]>\x1b\u202e' * 40


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def drawn(survey: Survey) -> ElementTree.Element:
    return ElementTree.fromstring(draw_explanation(survey))  # noqa: S314  # what it parses is made here


def thick(root: ElementTree.Element) -> list[list[tuple[float, ...]]]:
    """Return the points of the curves, without axes."""
    lines = [line for line in root.iter(f"{SVG}polyline") if line.get("stroke-width") == "2"]
    return [[tuple(map(float, point.split(","))) for point in line.get("points", "").split()] for line in lines]


@pytest.mark.parametrize(("survey", "n_curves"), [(yes_no("s", "1"), 1), (LUNCH, 2), (PULSE, 3)])
def test_a_picture_has_the_answer_that_tells_most_all_together_and_all_waves(survey: Survey, n_curves: int) -> None:
    root = drawn(survey)
    assert root.get("role") == "img"
    assert [root.findtext(f"{SVG}{tag}", "") != "" for tag in ("title", "desc")] == [True, True]
    assert root.get("aria-labelledby") == " ".join(root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc"))  # type: ignore[union-attr]  # both are there
    assert len(thick(root)) == 3 * n_curves  # the highest, the lowest, the power
    styles = {(line.get("stroke"), line.get("stroke-dasharray")) for line in root.iter(f"{SVG}path")}
    assert len(styles) == n_curves


def test_curves_begin_and_end_in_the_corners_and_lie_on_their_side_of_the_diagonal() -> None:
    highest, lowest, *_ = thick(drawn(LUNCH))
    assert highest[0] == (70, 384)
    assert highest[-1] == (390, 64)
    for (x, high), (_, low) in zip(highest, lowest, strict=True):
        diagonal = 384 - (x - 70)
        assert high <= diagonal + 0.1
        assert low >= diagonal - 0.1


@pytest.mark.parametrize("survey", [LUNCH, PULSE], ids=lambda survey: survey.id)
def test_curves_go_through_what_is_said_in_words(survey: Survey) -> None:
    explanation, found = explain(survey), curves(survey)
    said = [*explanation.questions, explanation]
    for curve, of in zip(found, said, strict=False):
        assert curve.epsilon == of.epsilon
        assert {*of.suspicions} <= {*curve.suspicions}
        assert {*of.accusations} <= {*curve.accusations}
        powers = [test.power for test in curve.accusations]
        assert powers == sorted(powers)
        assert powers[-1] == 1
    forever = [(curve.epsilon, curve.of) for curve in found[len(said) :]]
    assert forever == [(survey.epsilon_forever, f"all {survey.waves} waves")] * (survey.waves > 1)


def test_no_text_of_a_survey_becomes_a_tag_or_makes_the_picture_wider() -> None:
    root = drawn(replace(LUNCH, title=HOSTILE))
    assert not list(root.iter(f"{SVG}script"))
    texts = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert max(map(len, texts)) < 110
    assert all(text.isprintable() for text in texts)


def test_the_command_writes_the_picture_and_json_has_its_curves(tmp_path: Path) -> None:
    survey, picture = tmp_path / "lunch.json", tmp_path / "lunch.svg"
    survey.write_bytes(LUNCH.canonical)
    assert sotto("explain", survey, "--plot", picture).stdout == f"{explain(LUNCH)}\n"
    assert picture.read_text(encoding="utf-8") == draw_explanation(LUNCH)
    found = json.loads(sotto("explain", survey, "--json").stdout)["curves"]
    assert [curve["of"] for curve in found] == ["paid", "dish", "drinks", "all answers"]
    assert {"prior": 0.5, "lowest": 0.249999999999, "highest": 0.750000000001} in found[0]["suspicions"]


@pytest.mark.parametrize("name", ["lunch.png", "lunch", "lunch.svg.pdf"])
def test_a_picture_of_another_kind_is_refused_before_anything_is_read(name: str, tmp_path: Path) -> None:
    result = sotto("explain", tmp_path / "nothing.toml", "--plot", tmp_path / name)
    assert result.exit_code == 2
    assert "must end in .svg, the only kind of picture that is drawn." in result.stderr


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    survey = tmp_path / "lunch.json"
    survey.write_bytes(LUNCH.canonical)
    result = sotto("explain", survey, "--plot", tmp_path / "no" / "lunch.svg")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {tmp_path / 'no' / 'lunch.svg'}: No such file or directory\n"
