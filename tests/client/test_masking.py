"""What a refusal quotes cannot steer the terminal on which it is shown."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sotto_client.cli import main

TYPED = "no\x1b[2J\u202e"


@pytest.mark.parametrize(
    "words",
    [
        [TYPED],
        [f"--{TYPED}"],
        ["check", TYPED],
        ["estimate", TYPED],
        ["estimate", f"--{TYPED}"],
        ["plan", TYPED],
        ["estimate", "people.csv", "--column", TYPED, "--warner", "3/4"],
        ["estimate", "people.csv", "--column", "smokes", "--warner", "3/4", "--by", TYPED],
    ],
)
def test_a_refusal_shows_by_their_escapes_what_would_steer_a_terminal(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("smokes\nyes\nno\n")
    refused = CliRunner().invoke(main, words, color=True)  # as a terminal gets it: elsewhere click drops such bytes
    assert refused.exit_code in (1, 2)
    assert "no\\x1b[2J" in refused.output
    assert all(one.isprintable() for one in refused.output.splitlines())
