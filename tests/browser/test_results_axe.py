"""What axe-core finds on the results page in every language, width, scheme and engine, by WCAG 2.2 AA: nothing.

test_browser_axe.py has what analysts alone see.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from asked import publish
from axe import CHOSEN, FIREFOX_FIRST, Reader
from collecting import Served, make_reports, serve
from engines import ENGINES
from wards import ward


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector that has reports of two waves, and of another survey too few to show anything."""
    survey = ward("waves", waves=2, public_results=True)
    few = ward("few", min_reports=100, public_results=True)
    with serve(tmp_path_factory.mktemp("wards") / "survey.db", survey=survey) as served:
        groups = ward("groups", invited=True, strata=["north", "south", "empty"], public_results=True)
        publish(served, few)
        publish(served, groups)
        for stratum in ("north", "south"):
            body = json.dumps({"count": 60, "stratum": stratum}).encode()
            _, _, listed = served.fetch("POST", "/v1/surveys/groups/invitations", body, served.admin)
            reports = zip(make_reports(60, groups), listed.decode().split()[1:], strict=True)
            assert served.send([replace(report, invitation=code) for report, code in reports], groups)[0] == 200
        for wave, asked in ((1, survey), (2, survey), (1, few)):
            assert served.send(make_reports(60, asked, wave), asked)[0] == 200
        yield served


@pytest.mark.parametrize(("engine", "scheme"), FIREFOX_FIRST)
def test_nothing_is_found_in_any_language(engine: str, scheme: str, wards: Served, tmp_path: Path) -> None:
    with ENGINES[engine](tmp_path / "profile", scheme) as tab:
        for tag, width in CHOSEN[engine, scheme]:
            tab.resize(width)
            for path, looked_for in {
                "s/waves/results": ["select-name", "summary-name", "svg-img-alt"],
                "s/few/results": [],
                "s/groups/results?stratum=each": ["select-name", "svg-img-alt"],
                "": ["link-name"],
            }.items():
                tab.goto(f"{wards.url}/{path}{'&' if '?' in path else '?'}lang={tag}")
                Reader(tab, tag).check(path, *looked_for)
