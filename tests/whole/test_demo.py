"""The demo does the main job, and says so."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "scripts" / "demo.py"
N_ALL = 6366
N_BOUNDED = 250
"""Too few to find an emoji: of 1,500 the most used one lies 7 standard deviations above the limit of detection."""
MAX_HALF_WIDTHS = 2.5
"""So far from the truth an estimate may be: 6.8 standard errors, all of them together below 1e-9."""
SHARES = r" +(-?\d+\.\d\d) %" * 4
NUMBERS = SHARES.replace(" %", "")


def half_widths_off(true: float, estimate: float, low: float, high: float) -> float:
    """Return how far an estimate is from the truth, in lengths of its interval on that side."""
    return abs(true - estimate) / max(high - estimate if true > estimate else estimate - low, 0.01)


@pytest.mark.thorough
@pytest.mark.slow
def test_the_demo_brings_the_true_shares_back(tmp_path: Path) -> None:
    n_people = N_ALL if "SOTTO_TEST_FULL" in os.environ else N_BOUNDED
    done = subprocess.run(
        [sys.executable, DEMO, "--people", str(n_people)],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        cwd=tmp_path,
    )
    together = re.findall(r": (\d+) of (\d+) hold the truth\.$", done.stdout, re.MULTILINE)
    assert len(together) == 2, done.stdout + done.stderr
    # All together the intervals may miss once in a thousand: then the demo must say so. The shares are checked below.
    assert done.returncode == any(n_held != n_all for n_held, n_all in together), done.stdout + done.stderr
    rows = re.findall(rf"^(affair|rating|religious|occupation|facts) .*?{SHARES} +(yes|NO)$", done.stdout, re.MULTILINE)
    assert [question for question, *_ in rows] == (
        ["affair"] + ["rating"] * 5 + ["religious"] * 4 + ["occupation"] * 6 + ["facts"] * 3
    )
    [(_, *years, _)] = re.findall(rf"^(years +mean, in years){NUMBERS} +(yes|NO)$", done.stdout, re.MULTILINE)
    assert half_widths_off(*map(float, years)) < MAX_HALF_WIDTHS, done.stdout
    assert f"{n_people:,} of {n_people:,} reports counted" in done.stdout
    assert len(re.findall(r"id [0-9a-f]{32}  noisy answers( [0-9a-f]{2}){16}$", done.stdout, re.MULTILINE)) == 4
    assert f"{n_people:,} of {n_people:,} devices have answered" in done.stderr
    emoji = re.findall(rf"^(\S+){SHARES} +(yes|NO)", done.stdout, re.MULTILINE)
    assert emoji or n_people == N_BOUNDED
    for _, *shares, _ in rows + emoji:
        true, estimate, low, high = map(float, shares)
        assert half_widths_off(true, estimate, low, high) < MAX_HALF_WIDTHS, done.stdout
    assert (tmp_path / "demo-emoji.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.thorough
def test_shares_that_the_readme_shows_are_the_true_ones_of_all_respondents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DEMO.parent))
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    assert spec
    assert spec.loader
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    survey = demo.compile_toml(demo.DEFINITION.read_text())
    people = demo.load_people(survey)
    assert len(people) == N_ALL
    labels = [(question.id, label) for question in survey.questions for label in question.labels]
    truth = dict(zip(labels, demo.true_shares(survey, people), strict=True))
    [year] = re.findall(rf"^years +mean, in years{NUMBERS}", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert year[0] == f"{sum(person['years'] for person in people) / N_ALL:.2f}"
    options, _, used = (ROOT / "README.md").read_text().partition("\nemoji ")
    shown = re.findall(rf"^(\w+) +(\S.*?){SHARES} +(?:yes|NO)$", options, re.MULTILINE)
    assert len(shown) > 3
    for question, label, percent, *_ in shown:
        assert percent == f"{100 * truth[question, label]:.2f}", (question, label)
    emoji = [person["emoji"] for person in people]
    shown_emoji = re.findall(rf"^(\S+){SHARES} +(?:yes|NO)", used, re.MULTILINE)
    assert len(shown_emoji) >= 3
    for sign, percent, *_ in shown_emoji:
        assert percent == f"{100 * emoji.count(sign) / N_ALL:.2f}", sign
