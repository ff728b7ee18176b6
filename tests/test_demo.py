"""The demo does the main job, and says so."""

import os
import re
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parent.parent / "scripts" / "demo.py"
N_ALL = 6366
N_BOUNDED = 600


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
