"""Imports run one way, the protocol is pure, and a device that has only the client loads nothing else."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    side: ROOT / side / f"sotto_{side}"
    for side in ("protocol", "client", "collector", "estimator", "rehearsal", "author", "relay")
}
OF_THE_HOUSE = {f"sotto_{side}" for side in PACKAGES}
IMPURE = {"io", "os", "pathlib", "random", "requests", "secrets", "socket", "ssl", "tempfile", "threading", "uuid"}
IMPURE |= {
    "datetime",
    "logging",
    "subprocess",
    "time",
    "urllib",
    "http.client",
    "asyncio",
    "multiprocessing",
    "sqlite3",
}
IMPURE_CALLS = {"open", "print", "input", "exec", "eval", "compile", "__import__"}
MOUNT = PACKAGES["collector"] / "pages" / "results.py"
"""The one place where sides meet: it mounts the estimator's results page on the collector's app."""
LOADED_LATER = [
    PACKAGES["author"] / name
    for name in ("previewed.py", *map("classroom/{}.py".format, ("board", "lesson", "serving")))
]
"""What a command of the author's side imports once it knows that the extra is there."""
"""The one file of the author's side that is a collector; it is loaded by a function that has looked for the extra."""
EXTRA = ("flask", "scipy", "pandas", "msgspec", "matplotlib", "statsmodels", "waitress", "sqlalchemy", "aiohttp")
HEAVY = (*EXTRA, "sotto_collector", "sotto_estimator", "sotto_rehearsal", "sotto_author", "sotto_relay")
BASE_OF_COLLECTOR = (
    "sotto_collector.commands.options",
    "sotto_collector.errors",
    "sotto_collector.remote",
    "sotto_collector.reserved_file",
)
"""What the author's commands take of the collector as they are loaded: requests to one, its files, and no service."""


def modules_of(side: str) -> list[Path]:
    return sorted(PACKAGES[side].rglob("*.py"))


def imports_of(source: str) -> Iterator[str]:
    """Yield the full names of the modules that a source imports, wherever it does."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def house_imports_of(side: str) -> set[str]:
    paths = [path for path in modules_of(side) if path != MOUNT]
    names = {name.split(".")[0] for path in paths for name in imports_of(path.read_text())}
    return names & OF_THE_HOUSE


def imports_at_once_of(source: str) -> Iterator[str]:
    """Yield the full names of the modules that a source imports as it is loaded: outside of functions.

    What is imported for checkers of types alone is not loaded.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        is_of_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if is_of_types or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return imports_of(ast.unparse(tree))


@pytest.mark.parametrize("side", ["client", "collector", "estimator", "relay"])
def test_a_side_imports_the_protocol_and_itself_only(side: str) -> None:
    assert modules_of(side)
    assert house_imports_of(side) <= {"sotto_protocol", f"sotto_{side}"}


def test_a_rehearsal_knows_devices_and_estimates_and_no_collector() -> None:
    assert modules_of("rehearsal")
    assert house_imports_of("rehearsal") <= {"sotto_protocol", "sotto_client", "sotto_estimator", "sotto_rehearsal"}


def test_the_authors_side_knows_all_but_the_rehearsal_and_loads_no_extra_at_once() -> None:
    allowed = {"sotto_protocol", "sotto_client", "sotto_author"}
    assert house_imports_of("author") <= allowed | {"sotto_collector", "sotto_estimator"}
    later = {
        f"sotto_author.{'.'.join(path.relative_to(PACKAGES['author']).with_suffix('').parts)}" for path in LOADED_LATER
    }
    paths = [path for path in modules_of("author") if path not in LOADED_LATER]
    at_once = {name for path in paths for name in imports_at_once_of(path.read_text())}
    assert not later & at_once
    others = {name for name in at_once if name.split(".")[0] in {*HEAVY} - allowed}
    assert {name for name in others if not name.startswith(BASE_OF_COLLECTOR)} == set()


@pytest.mark.parametrize("module", BASE_OF_COLLECTOR)
def test_what_the_authors_side_takes_of_the_collector_needs_no_extra(module: str) -> None:
    code = f"import sys, {module}; print(*[name for name in {EXTRA} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_an_estimate_loads_what_is_slow_to_load_only_where_it_is_needed() -> None:
    command = ["estimate", "--yes", "50", "--n", "100", "--warner", "0.75"]
    code = f"""
import sys
from sotto_client.cli import main
main({command}, standalone_mode=False)
print(*[name for name in ("scipy.stats", "scipy.optimize", "pandas", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "%" in done.stdout
    assert done.stdout.splitlines()[-1] == ""


def test_the_results_page_alone_joins_two_sides_and_only_when_an_app_is_made() -> None:
    source = MOUNT.read_text()
    of_estimator = {name for name in imports_of(source) if name.startswith("sotto_estimator")}
    assert of_estimator
    assert {".".join(name.split(".")[:2]) for name in of_estimator} == {"sotto_estimator.page"}
    assert not of_estimator & {*imports_at_once_of(source)}
    assert {name.split(".")[0] for name in imports_of(source)} & OF_THE_HOUSE == {
        "sotto_protocol",
        "sotto_collector",
        "sotto_estimator",
    }


@pytest.mark.parametrize(
    ("source", "is_at_once"),
    [("import sotto_estimator", True), ("if True:\n    import sotto_estimator", True)]
    + [("if TYPE_CHECKING:\n    import sotto_estimator", False)]
    + [(f"{head}\n    import sotto_estimator", False) for head in ("def f():", "async def f():")]
    + [
        ("class A:\n    import sotto_estimator", True),
        ("class A:\n    def f(self):\n        import sotto_estimator", False),
    ],
)
def test_the_reader_of_imports_tells_what_is_loaded_at_once(source: str, is_at_once: bool) -> None:
    assert ("sotto_estimator" in imports_at_once_of(source)) is is_at_once


def test_the_collector_is_loaded_without_the_estimator() -> None:
    code = "import sys, sotto_collector.app; print(*{'scipy', 'sotto_estimator'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_protocol_imports_the_standard_library_and_numpy_only() -> None:
    names = {name.split(".")[0] for path in modules_of("protocol") for name in imports_of(path.read_text())}
    assert names <= {*sys.stdlib_module_names, "numpy", "sotto_protocol"}


@pytest.mark.parametrize("path", modules_of("protocol"), ids=lambda path: path.name)
def test_the_protocol_touches_no_file_socket_clock_or_entropy(path: Path) -> None:
    source = path.read_text()
    assert not {name for name in imports_of(source) if name in IMPURE or name.split(".")[0] in IMPURE}
    called = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    assert not {func.id for func in called if isinstance(func, ast.Name)} & IMPURE_CALLS
    assert not {"random", "fromfile", "tofile", "memmap", "save", "load"} & {
        node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)
    }


@pytest.mark.parametrize("source", ["import os", "def f():\n    from os import urandom", "import numpy.random as r"])
def test_the_reader_of_imports_sees_them_anywhere(source: str) -> None:
    assert {"os", "os.urandom", "numpy.random"} & set(imports_of(source))


@pytest.mark.parametrize("package", ["sotto_protocol", "sotto_client"])
def test_a_device_loads_only_the_client(package: str) -> None:
    code = f"import sys, {package}; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
