"""The relay's unit is one that systemd takes, and leaves the service few rights."""

import shutil
import subprocess
from pathlib import Path

import pytest

from starting import SOTTO

UNIT = Path(__file__).parents[2] / "deploy/relay/sotto-relay.service"
MOST_EXPOSED = 15
"""What `systemd-analyze security` may find, of 100."""


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
def test_systemd_takes_the_unit_and_gives_it_few_rights(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/sottovoce/bin/sotto", str(SOTTO)))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert [line for line in verified.stderr.splitlines() if "sotto" in line] == []
    words = ["systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED}", unit]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
