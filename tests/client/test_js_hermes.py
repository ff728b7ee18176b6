"""The client for React Native on the engine that runs it, Hermes: bundled by Metro, over a collector of its own."""

import json
import platform
import re
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import serve
from devices import LUNCH
from node import JS, give_up, require_node, run
from npm_package import make_project

pytestmark = pytest.mark.thorough  # eight seconds for Metro, and an engine for every survey

PROFILE, ANY = ({"unstable_transformProfile": name} for name in ("hermes-stable", "default"))
BUILDS: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "each Hermes": (ANY, {}),
    "the newest": (PROFILE, {}),
    "generators by Babel": (PROFILE | {"dev": True, "enableBabelRuntime": False}, {}),
    "before React Native 0.79": (ANY, {"unstable_enablePackageExports": False}),
}
"""What React Native's preset for Babel is told, and Metro's resolver."""
HERE = JS / "test" / "hermes"
DOC = JS.parents[1] / "docs" / "client-js.md"
RECIPE = re.compile(r"^## React Native\n+```js\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def app(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an app's folder, with the package installed, and the program of the docs in it."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the engine Hermes comes for x86-64 only")
    if not (HERE / "node_modules" / "hermes-engine-cli").exists():
        give_up("client/js/test/hermes/node_modules is missing; run: npm ci --prefix client/js/test/hermes (120 MB)")
    folder = make_project(tmp_path_factory.mktemp("app") / "app", tarball)
    (folder / "package.json").write_text('{"name": "app", "private": true}')
    [recipe] = RECIPE.findall(DOC.read_text())
    (folder / "index.js").write_text((HERE / "app.js").read_text())
    (folder / "recipe.js").write_text(f"{recipe}export {{ client }};\n")
    return folder


def bundle(app: Path, build: str) -> Path:
    out = app.parent / f"{build}.js"
    told = [json.dumps(given) for given in BUILDS[build]]
    run([require_node(), str(HERE / "build.js"), str(app), *told, str(out)], timeout_s=300)
    return out


def test_an_app_runs_on_hermes_and_reports_what_node_reports(app: Path, tmp_path: Path) -> None:
    """Nothing of its tests may be skipped; the collector has counted one report."""
    survey, db = replace(LUNCH, id="lunch-2026"), tmp_path / "sotto.db"
    with serve(db, survey=survey) as served:
        given = {"HERMES_APP": str(bundle(app, "each Hermes")), "HERMES_COLLECTOR": served.url}
        words = [f"{name}={value}" for name, value in given.items()]
        command = ["env", *words, require_node(), "--test", "--test-reporter=tap", str(HERE / "app.test.js")]
        shown = run(command, timeout_s=300)
        _, _, tally = served.ask("GET", f"/v1/surveys/{survey.id}/tally", token=served.analyst)
    counts = dict(re.findall(r"^# (tests|pass) (\d+)$", shown, re.MULTILINE))
    assert counts == {"tests": "5", "pass": "5"}, shown
    assert tally["n_reports"] == 1


@pytest.mark.parametrize("build", BUILDS)
def test_the_newest_compiler_takes_what_babel_makes(app: Path, build: str, tmp_path: Path) -> None:
    """For the newest engine, classes and spreads stay as they are."""
    folder = {"Linux": "linux64-bin", "Darwin": "osx-bin"}[platform.system()]
    compiler = HERE / "node_modules" / "hermes-compiler" / "hermesc" / folder / "hermesc"
    out = tmp_path / "app.hbc"
    run([str(compiler), "-w", "-O", "-emit-binary", "-out", str(out), str(bundle(app, build))], timeout_s=300)
    assert out.stat().st_size > 100_000
