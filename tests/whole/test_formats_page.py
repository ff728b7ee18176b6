"""The page on files of other programs is true."""

import json
from pathlib import Path

import pytest

from autofill import payloads
from beacons import CHROMIUM_RATE, beacons, write_lines
from console import Console
from newtab import MODEL, clicks, interests
from sotto_estimator.formats.registry import FORMATS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
NAMES = ("Anna", "Bo", "Christian")


@pytest.mark.thorough
def test_the_page_on_formats_works(tmp_path: Path) -> None:
    write_lines(tmp_path / "beacons.ndjson", beacons(2000, (CHROMIUM_RATE, 0.25)))
    write_lines(tmp_path / "interests.ndjson", interests(3000))
    write_lines(tmp_path / "clicks.ndjson", clicks(3000, 100, 0.026724))
    hours = [(place * 7 % 23) * (0.5 + place * 11 % 20 / 20) for place in range(200)]
    (tmp_path / "hours.csv").write_text("\n".join(["value", *map(str, hours), ""]))
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    texts = {"country": ["Country"] * 3000, "hello": [f"Hello, {NAMES[device % 3]}" for device in range(6000)]}
    fields = [{"view": view} | one for view, of in texts.items() for one in payloads(of)]
    write_lines(tmp_path / "payloads.ndjson", fields)
    console = Console(tmp_path)
    try:
        console.run_document(PAGE)
    finally:
        console.close()


def test_every_format_and_parameter_is_on_the_page() -> None:
    rows = {line.split("|")[1].strip(" `"): line for line in PAGE.read_text().splitlines() if line.startswith("| `")}
    assert rows.keys() == FORMATS.keys()
    for name, known in FORMATS.items():
        assert [parameter for parameter in known.parameters if f"`{parameter}`" not in rows[name]] == []
