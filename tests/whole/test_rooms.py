"""The order of rooms in every package: imports run one way, at load, inside functions and for types alike."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {name: ROOT / name / f"sotto_{name}" for name in ("protocol", "client", "collector", "estimator")}
PACKAGES |= {name: ROOT / name / f"sotto_{name}" for name in ("rehearsal", "author", "relay")}
PAGE = ROOT / "docs/architecture.md"
RESULTS = "sotto_estimator.results"
FORMS = ("sotto_protocol.tables", "sotto_protocol.language")
FORMS += tuple(f"{RESULTS}.{name}" for name in ("document", "forms", "figure", "layout", "panels", "report"))
ONLY_IN = {
    ("estimator", "click"): ("commands",),
    ("estimator", "flask"): ("page",),
    ("estimator", "markupsafe"): ("page",),
    ("estimator", "matplotlib"): ("results/panels.py", "results/glyphs.py", "results/forms/png.py"),
    **{("estimator", name): ("results", "views", "page", "commands") for name in FORMS},
    ("rehearsal", "click"): ("audit/commands.py", "comparison/commands.py", "simulation/commands.py"),
    ("author", "click"): (
        *("check.py", "forms/commands.py", "invite.py", "new.py", "page.py", "preview.py", "publish.py"),
        *("classroom/commands.py", "verification/commands.py"),
        *("answer_types.py", "consent.py", "dialogue.py", "prompts.py"),  # the questions that `sotto new` asks
    ),
}
"""What only these rooms or files of a package may load: tables, documents and pictures stand above all statistics."""
NO_SURVEY = ("channel", "likelihood", "intervals")
"""Rooms of the estimator for arrays alone: they load none of these, and of the protocol what errors need alone."""
NOT_FOR_ARRAYS = ("click", "requests", "pandas", "flask", "matplotlib", "sotto_protocol.survey", "sotto_protocol.tally")
NOT_FOR_ARRAYS += ("scipy.stats", "scipy.linalg", "scipy.optimize", "scipy.special")
OF_PROTOCOL = "of_protocol = lambda: {name for name in sys.modules if name.startswith('sotto_protocol')}"


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is imported anywhere in a module, and what it is imported from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


class Module(NamedTuple):
    """What a module imports anywhere, what of it not for checkers of types alone, and its classes, with their lines."""

    imported: tuple[str, ...]
    loaded: tuple[str, ...]
    classes: tuple[tuple[str, int], ...]


@cache
def read(path: Path) -> Module:
    """Return what a module says: every test asks of the same files."""
    types, body, classes = ast.Module([], []), ast.Module([], []), []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        is_of_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        (types if is_of_types else body).body.append(node)
        if isinstance(node, ast.ClassDef):
            classes.append((node.name, node.lineno))
    loaded = tuple(imported(body))
    return Module((*loaded, *imported(types)), loaded, tuple(classes))


def imports_of_rooms(package: Path) -> dict[str, set[tuple[str, str, str]]]:
    """Return each room's imports of other rooms: (room, file, what). A room is a folder, or a loose file."""
    modules = {path.relative_to(package).with_suffix("").parts for path in package.rglob("*.py")}
    rooms = {parts[0] for parts in modules}
    found: dict[str, set[tuple[str, str, str]]] = {room: set() for room in rooms}
    for parts in modules:
        path = package.joinpath(*parts).with_suffix(".py")
        for name in read(path).imported:
            head, _, rest = name.partition(".")
            if head != package.name:
                continue
            target = rest.split(".")[0] if rest.split(".")[0] in rooms else "__init__"
            if target != parts[0]:
                found[parts[0]].add((target, str(path.relative_to(ROOT)), name))
    return found


def order_on_page(package: str) -> list[str]:
    """Return the rooms of a package in the order that the page prints, the lowest first."""
    [line] = re.findall(rf"^{package}: (.+(?:\n  .+)*)", PAGE.read_text(), flags=re.MULTILINE)
    return [room.strip() for room in re.split("<|,", line.replace("\n", " "))]


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_import_one_another_in_no_circle(package: str) -> None:
    rooms = imports_of_rooms(PACKAGES[package])
    graph = {room: {target for target, _, _ in found} for room, found in rooms.items() if room != "__init__"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as fault:
        ends = set(zip(fault.args[1][1:], fault.args[1], strict=False))
        pytest.fail(str([one for room, found in rooms.items() for one in found if (room, one[0]) in ends]))


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_import_one_another_in_no_circle(package: str) -> None:
    modules = {
        ".".join(path.relative_to(PACKAGES[package].parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGES[package].rglob("*.py")
    }
    graph = {}
    for module, path in modules.items():
        names = {name if name in modules else name.rpartition(".")[0] for name in read(path).imported}
        graph[module] = names & {*modules} - {module}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("package", PACKAGES)
def test_the_page_prints_the_order_of_the_rooms(package: str) -> None:
    order = order_on_page(package)
    folders = {path.parent.name for path in PACKAGES[package].glob("*/*.py")}
    loose = {path.stem for path in PACKAGES[package].glob("*.py")}
    assert folders <= {*order} <= folders | loose
    for room, found in imports_of_rooms(PACKAGES[package]).items():
        upward = [
            (path, name)
            for target, path, name in found
            if room in order and target in order and order.index(target) > order.index(room)
        ]
        assert not upward, f"{room} imports what stands above it: {upward}"


@pytest.mark.parametrize(("side", "name"), ONLY_IN)
def test_what_shows_results_is_known_to_few_files(side: str, name: str) -> None:
    package, places = PACKAGES[side], ONLY_IN[side, name]
    knowing = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for one in read(path).loaded
        if f"{one}.".startswith(f"{name}.")
    }
    assert knowing
    assert {path for path in knowing if not path.startswith(places)} == set()


def test_arithmetic_loads_nothing_that_asks_reads_or_draws_and_no_survey() -> None:
    """Whatever it imports, too: all modules of its rooms, in a process of its own."""
    package = PACKAGES["estimator"]
    modules = [".".join(path.relative_to(package.parent).with_suffix("").parts) for path in package.rglob("*.py")]
    of_rooms = [name for name in modules if name.split(".")[1] in NO_SURVEY]
    code = f"import sys, sotto_estimator.errors; {OF_PROTOCOL}; known = of_protocol(); "
    code += f"import {', '.join(of_rooms)}; print(*of_protocol() - known, *{{*{NOT_FOR_ARRAYS}}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_no_class_name_is_defined_twice_in_a_package() -> None:
    """A class name means one thing in a package, private names too."""
    for name, package in PACKAGES.items():
        defined: dict[str, list[str]] = {}
        for path in sorted(package.rglob("*.py")):
            for class_name, line in read(path).classes:
                defined.setdefault(class_name, []).append(f"{path.relative_to(package)}:{line}")
        assert not {one: places for one, places in defined.items() if len(places) > 1}, name
