"""`asked_in` from devices to results: each reports in its wave, and all waves together are one sample of people."""

from pathlib import Path

from click.testing import CliRunner

from collecting import serve
from devices import MONTHLY
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_estimator.sources.fetch import fetch_tally

N = 24


def test_devices_report_once_in_their_waves_and_all_are_estimated_as_different_people(tmp_path: Path) -> None:
    waves = []
    with serve(tmp_path / "survey.db", survey=MONTHLY) as served:
        for _ in range(N):
            with SurveyClient(served.url, MONTHLY.id, state=":memory:") as device:
                waves += device.waves
                device.answer({"low": True, "sleep": "badly"}, *device.waves)
                assert device.flush(10)
        tally = fetch_tally(served.url, MONTHLY.id, served.analyst)
        assert tally.reports_by_wave == {wave: waves.count(wave) for wave in sorted({*waves})}
        asked = ["estimate", served.url, MONTHLY.id, "--method", "clopper-pearson"]
        said = CliRunner().invoke(main, asked, env={"SOTTO_TOKEN": served.analyst}).output
    assert "each device is asked in one of them, so all reports are of different devices" in " ".join(said.split())
    assert f"n = {N} reports" in said
