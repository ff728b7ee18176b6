"""The JavaScript client: its own tests on Node, its types, its form, and the one file that pages can load."""

import base64
import gzip
import hashlib
import json
import re
import shlex
from pathlib import Path

import pytest

from js_surveys import surveys_text
from node import JS, require_node, require_package, run

MAX_BUNDLE_BYTES = {
    "bundle": ("sottovoce.min.js", 24_900),
    "component": ("sotto-survey.min.js", 43_600),
    "blind": ("blind.min.js", 3_300),
    "oblivious": ("oblivious.min.js", 7_600),
    "for-node": ("programs/node.js", 46_000),
    "for-native": ("programs/react-native.js", 40_000),
}
"""By the script that makes it: the file, and how many bytes it may have, compressed."""
LATER = ("component", "oblivious", "for-node", "for-native")
FOLDERS = ("blind", "component", "form", "src", "words")
LATE = {"audit.test.js": "rare", "coins.test.js": "thorough", "surveyjs-empty.test.js": "rare"}
LATE["node-state.test.js"] = "thorough"
"""Of Node's tests those that take seconds, and their marks; of each, others hold a part."""
QUICK = sorted({path.name for path in JS.glob("test/*.test.js")} - LATE.keys())
N_PROCESSES = 3
"""That run the quick ones: most of what one file takes is Node's start."""
CHECK = ["--check", "--cache", "--cache-strategy", "content"]
"""Of formatting: what it found well and is as it was is not looked at again."""
NODE_TESTS_S = 500
"""So long the tests on Node may take on a busy machine: they end within half a minute on two idle cores."""


def script_words(name: str) -> list[str]:
    """Return the command line of one of the package's scripts, ready to run."""
    command, *arguments = shlex.split(json.loads((JS / "package.json").read_text())["scripts"][name])
    return [*([require_node()] if command == "node" else require_package(command)), *arguments]


def files_in(folder: Path) -> dict[str, str]:
    """Return the texts of all files of a folder, by their paths in it."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_the_surveys_of_its_tests_are_those_that_this_side_publishes() -> None:
    assert (JS / "test" / "surveys.json").read_text() == surveys_text()


@pytest.mark.parametrize(
    "names",
    [pytest.param(QUICK[at::N_PROCESSES], id=f"quick-{at}") for at in range(N_PROCESSES)]
    + [pytest.param([name], id=name, marks=getattr(pytest.mark, mark)) for name, mark in LATE.items()],
)
def test_its_own_tests_pass_on_node(names: list[str]) -> None:
    """Nothing of theirs may be skipped."""
    require_package("tsc")  # some of them need npm's packages
    files = [f"--import=./test/{name}" for name in names]
    shown = run([require_node(), "--test-reporter=tap", *files, "--eval=0"], timeout_s=NODE_TESTS_S)
    counts = dict(re.findall(r"^# (tests|pass|fail|cancelled|skipped|todo) (\d+)$", shown, re.MULTILINE))
    assert int(counts["tests"]), shown
    assert counts["pass"] == counts["tests"], shown
    texts = {name: (JS / "test" / name).read_text() for name in names}
    assert not [name for name, text in texts.items() if not re.search(r"^ *test\(", text, re.MULTILINE)], "no test"


@pytest.mark.thorough
def test_its_types_check_and_the_declarations_that_are_kept_are_those_of_its_source(tmp_path: Path) -> None:
    run([*script_words("types"), "--outDir", str(tmp_path / "types")], timeout_s=300)
    assert files_in(JS / "types") == files_in(tmp_path / "types"), "run: npm run types --prefix client/js"


@pytest.mark.thorough
def test_it_is_formatted() -> None:
    folders = (*FOLDERS, "kept", "native", "node", "oblivious", "react", "react-native", "test")
    patterns = [
        "*.js",
        "*.json",
        "*.md",
        *(f"{folder}/**/*.js" for folder in folders),
        "test/**/*.json",
        "!*.min.js",
        "!words/??.js",
    ]
    run([*require_package("prettier"), *CHECK, *patterns], timeout_s=300)


@pytest.mark.parametrize(
    "script", ["bundle", "blind", *(pytest.param(each, marks=pytest.mark.thorough) for each in LATER)]
)
def test_a_bundle_is_that_of_its_source_and_small(script: str, tmp_path: Path) -> None:
    name, most = MAX_BUNDLE_BYTES[script]
    made = tmp_path / name
    require_package("esbuild")
    run([*script_words(script), made], timeout_s=300, cwd=JS)
    assert (JS / name).read_bytes() == made.read_bytes(), f"run: npm run {script} --prefix client/js"
    n_bytes = len(gzip.compress(made.read_bytes(), compresslevel=9))
    assert n_bytes < most, f"the file has {n_bytes:,} bytes, compressed; {most:,} are allowed"


@pytest.mark.parametrize(("name", "modules"), [("node", r"node:[a-z/]+"), ("react-native", r"(?!)")])
def test_what_programs_load_needs_no_package_and_none_of_a_browsers_stores(name: str, modules: str) -> None:
    program = (JS / "programs" / f"{name}.js").read_text()
    imported = re.findall(r'\bfrom ?"([^"]+)"|^import "([^"]+)"', program, re.MULTILINE)
    assert not [names for names in imported if not re.fullmatch(modules, "".join(names))]
    assert not re.search(r"indexedDB|localStorage|://\w", program)
    if name == "react-native":
        assert not re.search(r"globalThis\.crypto|import\(|\bBuffer\b|\bprocess\b", program)


@pytest.mark.parametrize("late", ["blind", "oblivious"])
def test_the_element_holds_what_it_loads_later_to_its_hash(late: str) -> None:
    digest = base64.b64encode(hashlib.sha256((JS / f"{late}.min.js").read_bytes()).digest()).decode()
    again = f"run: npm run {late} --prefix client/js, and then npm run component"
    for name in ("component/pins.js", "sotto-survey.min.js"):
        assert f'"sha256-{digest}"' in (JS / name).read_text(), again


@pytest.mark.thorough
def test_the_survey_pages_bundle_is_that_of_its_source(tmp_path: Path) -> None:
    root = JS.parents[1]
    run([require_node(), "scripts/bundle_page.mjs", tmp_path], timeout_s=300, cwd=root)
    static = root / "collector" / "sotto_collector" / "pages" / "static"
    again = "run: node scripts/bundle_page.mjs"
    for name in ("survey.min.js", "single.min.js"):
        assert (static / name).read_bytes() == (tmp_path / name).read_bytes(), again
    sources = ["../../scripts/*.mjs", "../../collector/sotto_collector/pages/static/*.{js,css}", "!../../**/*.min.js"]
    run([*require_package("prettier"), "--check", "--print-width", "120", *sources], timeout_s=300)


def test_it_needs_no_package_and_names_no_other_place() -> None:
    """Its modules import each other, by relative paths, and nothing else; when they are asked for, the words
    and what encrypts for a gateway."""
    entries = [path for path in JS.glob("*.js") if not path.name.endswith(".min.js")]
    sources = entries + [path for folder in FOLDERS for path in sorted((JS / folder).rglob("*.js"))]
    statements = re.compile(r'^(?:import|export)\b(?:[^;]*?\bfrom)? ?"([^"]+)";', re.MULTILINE)
    left_out = r"/\*(?s:.*?)\*/|(?<!:)//.*|http://www\.w3\.org/2000/svg"  # comments, and a name that no browser fetches
    programs = [re.sub(left_out, "", path.read_text()) for path in sources]
    imported = [name for program in programs for name in statements.findall(program)]
    assert len(imported) > 20
    assert not [
        name
        for name in imported
        if not re.fullmatch(r"\.\.?/(src/|questions/|form/|component/|words/)?[a-z-]+\.js", name)
    ]
    by_itself = r'import\((?!"(?:\./[a-z]+|\.\./(?:blind|oblivious)\.min)\.js"\)|href\))|://\w'
    assert not [program for program in programs if re.search(by_itself, program)]
    late = {path.name for path, program in zip(sources, programs, strict=True) if "import(" in program}
    assert late == {"modules.js", "late-file.js"}  # words, and what only some surveys need
    package = json.loads((JS / "package.json").read_text())
    assert not {"dependencies", "optionalDependencies"} & package.keys()
    assert all(package["peerDependenciesMeta"][name]["optional"] for name in package.get("peerDependencies", ()))
