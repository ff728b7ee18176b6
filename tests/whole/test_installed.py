"""The wheel in environments with what an extra asks for, and nothing else: no checkout, no home, no network."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from installed import TIMEOUT_S, Installed, asked_for, install
from packing import ROOT, build, needs_hatch
from sotto_client.command_help import SHORT_HELP
from sotto_protocol import __version__
from workbooks import form

pytestmark = [needs_hatch, pytest.mark.thorough]
OF_A_DEVICE = {"certifi", "charset-normalizer", "click", "idna", "numpy", "requests", "urllib3"}
"""What is installed beside sottovoce without an extra."""
MAX_BYTES = 8_000_000
"""Of sottovoce alone, installed."""
SURVEY = 'id = "s"\ntitle = "S"\n[[questions]]\nid = "q"\ntype = "yes-no"\ntext = "So?"\nepsilon = 1\n'
TALLY = ROOT / "tests" / "data" / "tallies-1" / "one.json"
FRAME = f"from sotto_estimator import estimate; print(estimate({str(TALLY)!r}).to_frame())"
COMMANDS_OF = {
    "collector": ["sotto", "db", "init", "--db", "survey.db"],
    "cluster": ["python", "-c", "import sotto_collector.archive.cluster"],
    "estimator": ["sotto", "plan", "survey.toml", "--n", "300"],
    "frames": ["python", "-c", FRAME],
    "regress": ["sotto", "regress", "data.csv", "paid ~ age", "--design", "crosswise(prob=1/6)"],
    "forms": ["sotto", "survey", "import", "form.xlsx", "--to", "imported.toml"],
    "compare": ["sotto", "compare", "survey.toml", "--n", "300"],
    "oblivious": ["python", "-c", "import sotto_client.sealing"],
    "otel": ["python", "-c", "import opentelemetry.sdk.metrics, opentelemetry.exporter.otlp.proto.http"],
    "classroom": ["sotto", "classroom", "--port", "0", "--seconds", "1"],
    "demo": ["python", "-c", "import statsmodels.api, wordfreq; assert wordfreq.zipf_frequency('tea', 'en') > 1"],
}
"""By an extra that is not in the round below: what it is there for."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def device(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Return an environment with the wheel alone."""
    made = install(wheel, "", tmp_path_factory.mktemp("device"))
    write_inputs(made.folder)
    return made


def write_inputs(folder: Path) -> None:
    """Write what the commands read."""
    (folder / "survey.toml").write_text(SURVEY)
    rows = [f"{paid},{age}" for age in range(20, 60) for paid in (age % 2, (age + age // 7) % 2)]
    (folder / "data.csv").write_text("\n".join(["paid,age", *rows, ""]))
    (folder / "form.xlsx").write_bytes(form({"type": "select_one yn", "name": "q", "label": "So?"}))


def test_a_device_gets_eight_distributions_and_all_commands_are_listed(wheel: Path, device: Installed) -> None:
    assert asked_for(wheel, "").keys() == OF_A_DEVICE
    [packages] = (device.folder / "env").glob("lib/python*/site-packages")
    ours = [path for path in packages.glob("sotto*/**/*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in ours) < MAX_BYTES
    assert device.run("sotto", "--version") == f"sotto, version {__version__}\n"
    listed = {line.split()[0] for line in device.run("sotto", "--help").splitlines() if line.startswith("  ")}
    assert SHORT_HELP.keys() <= listed
    where = device.run("python", "-c", "import sys, sotto_client; print(sotto_client.__file__, *sys.path)")
    assert str(ROOT) not in where
    assert where.startswith(str(device.folder / "env"))
    assert "fingerprint" in device.run("sotto", "check", "survey.toml")


@pytest.mark.parametrize(
    "extra",
    [pytest.param(extra, marks=[pytest.mark.rare] * (extra not in ("cluster", "forms"))) for extra in COMMANDS_OF],
)
def test_an_extra_brings_what_its_commands_need(wheel: Path, device: Installed, tmp_path: Path, extra: str) -> None:
    command = COMMANDS_OF[extra]
    without = device.try_run(*command)
    assert without.returncode != 0
    assert "pip install 'sottovoce[" in without.stderr or extra in ("demo", "oblivious", "otel")
    write_inputs(tmp_path)
    install(wheel, extra, tmp_path).run(*command)


ANSWER = """
import sys
from sotto_client import SurveyClient
for number in range(20):
    with SurveyClient(sys.argv[1], "s", state=":memory:") as device:
        device.answer({"q": number % 2 == 0})
        assert device.flush(60)
"""


@contextmanager
def serving(there: Installed) -> Iterator[str]:
    """Yield the address of a collector that runs in an environment."""
    command = [str(there.bin / "sotto"), "serve", "--db", "survey.db"]
    server = subprocess.Popen(command, cwd=there.folder, env=there.environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.communicate(timeout=TIMEOUT_S)


def test_installed_wheels_ask_answer_archive_and_estimate(wheel: Path, device: Installed, tmp_path: Path) -> None:
    """Three machines: a device that has no extra, a collector that has `scale`, an analyst's with `estimator`."""
    collector, analyst = (install(wheel, extra, tmp_path / extra) for extra in ("scale", "estimator"))
    admin = collector.run("sotto", "db", "init", "--db", "survey.db").strip()
    token = collector.run("sotto", "token", "create", "--role", "analyst", "--db", "survey.db").strip()
    write_inputs(collector.folder)
    with serving(collector) as url:
        collector.run("sotto", "publish", "survey.toml", url, "--token", admin)
        device.run("python", "-c", ANSWER, url)
        said = json.loads(analyst.run("sotto", "estimate", url, "s", "--token", token, "--json"))
        assert said["n_reports"] == 20
    collector.run("sotto", "export", "survey.db", "s", "--to", "archive")
    assert json.loads(collector.run("sotto", "tally", "archive"))["n_reports"] == 20


@pytest.mark.rare
def test_a_collector_finds_its_way_to_postgresql_with_that_extra_alone(wheel: Path, tmp_path: Path) -> None:
    for extra, says in (("collector", "pip install 'sottovoce[postgres]'"), ("postgres", "refused")):
        there = install(wheel, extra, tmp_path / extra)
        ended = there.try_run("sotto", "db", "init", "--db", "postgresql://nobody@127.0.0.1:1/none")
        assert ended.returncode == 1
        assert says in ended.stderr
