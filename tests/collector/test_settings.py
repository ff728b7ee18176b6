"""The table of settings: every value is checked, and docs/collector.md shows exactly this table."""

import re
from pathlib import Path

import pytest

from sotto_collector.errors import SettingError
from sotto_collector.settings import SETTINGS, Setting, Settings

PAGE = Path(__file__).parents[2] / "docs/collector.md"


def test_the_documented_table_is_the_table() -> None:
    rows = [f"| `{row.flag}` | `{row.env}` | {row.default} | {row.help} |" for row in SETTINGS]
    documented = re.findall(r"^\| `--.*\|$", PAGE.read_text(), re.MULTILINE)
    assert documented == rows


def test_the_defaults_are_in_their_domains() -> None:
    assert Settings() == Settings(**{row.name: row.default for row in SETTINGS})


@pytest.mark.parametrize("row", [row for row in SETTINGS if isinstance(row.default, int)], ids=lambda row: row.name)
def test_an_integer_is_held_to_its_domain(row: Setting) -> None:
    for value in (row.low, row.high):
        Settings(**{row.name: value})
    for value in (row.low - 1, row.high + 1, True, 1.0, "1"):
        with pytest.raises(SettingError, match=rf"^{row.name} \(.*\) must be an integer in \[{row.low}, {row.high}\]"):
            Settings(**{row.name: value})


@pytest.mark.parametrize("row", [row for row in SETTINGS if row.choices], ids=lambda row: row.name)
def test_a_choice_is_one_of_those_there_are(row: Setting) -> None:
    for value in row.choices:
        assert value in row.help
        Settings(**{row.name: value})
    with pytest.raises(SettingError, match=f"must be one of {', '.join(row.choices)}"):
        Settings(**{row.name: "other"})
