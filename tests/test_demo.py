"""The demo does the main job, and says so."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "scripts" / "demo.py"
N_ALL = 6366
N_BOUNDED = 600


@pytest.mark.slow
def test_the_demo_brings_the_true_shares_back() -> None:
    n_people = N_ALL if "SOTTO_TEST_FULL" in os.environ else N_BOUNDED
    done = subprocess.run(
        [sys.executable, DEMO, "--people", str(n_people)], capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^(affair|rating|religious|occupation|facts) .* (yes|NO)$", done.stdout, re.MULTILINE)
    assert [question for question, _ in rows] == (
        ["affair"] + ["rating"] * 5 + ["religious"] * 4 + ["occupation"] * 6 + ["facts"] * 3
    )
    assert f"{n_people:,} of {n_people:,} reports counted" in done.stdout
    assert len(re.findall(r"id [0-9a-f]{32}  noisy answers( [0-9a-f]{2}){5}$", done.stdout, re.MULTILINE)) == 4
    assert f"{n_people:,} of {n_people:,} devices have answered" in done.stderr


def test_the_readme_shows_the_true_shares_of_all_respondents() -> None:
    spec = importlib.util.spec_from_file_location("demo", DEMO)
    assert spec
    assert spec.loader
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    survey = demo.compile_toml(demo.DEFINITION.read_text())
    people = demo.load_people(survey)
    assert len(people) == N_ALL
    labels = [(question.id, label) for question in survey.questions for label in question.labels]
    readme = (ROOT / "README.md").read_text()
    for (question, label), share in zip(labels, demo.true_shares(survey, people), strict=True):
        assert re.search(rf"^{question} +{label} +{100 * share:.2f} %", readme, re.MULTILINE), (question, label)
