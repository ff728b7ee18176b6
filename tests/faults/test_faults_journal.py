"""The journal's order: an act is on the disk before it is acknowledged, by the system calls."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from collecting import SMALL, SOTTO, make_reports, serve
from test_faults_sync import Call, read_calls

TRACED = ("strace", "-f", "-y", "-xx", "-s", "5000", "-e", "trace=write,fsync,sendto")
N_ERASED = 10


def order_of(calls: list[Call], journal: str) -> list[str]:
    """Return what happened, in order: lines written, syncs of the journal, acknowledgements of acts."""
    said = []
    for call in calls:
        if call.file.endswith(journal) and call.name == "write":
            said.append(json.loads(call.data)["did"].get("act", "head"))
        elif call.file.endswith(journal) and call.name == "fsync":
            said.append("sync")
        elif call.name == "sendto" and (b'"erased":true' in call.data or b'"open":false' in call.data):
            said.append("acknowledged")
    return said


def test_acts_are_synced_before_they_are_acknowledged(tmp_path: Path) -> None:
    if shutil.which("strace") is None:
        pytest.skip("no strace to see the system calls with")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("strace may trace nothing here")
    reports, trace = make_reports(N_ERASED, SMALL), tmp_path / "trace"
    command = (*TRACED, "-o", trace, SOTTO)
    with serve(tmp_path / "survey.db", "--journal", str(tmp_path / "acts"), survey=SMALL, command=command) as served:
        assert served.send(reports, SMALL)[0] == 200
        for report in reports:
            sent = json.dumps({"receipt": report.id.hex()}).encode()
            assert served.ask("POST", f"/v1/surveys/{SMALL.id}/erase", sent)[0] == 200
        assert served.ask("POST", f"/v1/surveys/{SMALL.id}/close", token=served.admin)[0] == 200
        served.kill()
    said = order_of([*read_calls(trace)], "/acts")
    assert said == ["head", "sync", *["erase", "sync", "acknowledged"] * N_ERASED, "close", "sync", "acknowledged"]
