"""docs/architecture.md is the house as it is: its paths and names are there, and what it lists is all that there is."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest

from sotto_collector.store.postgres import PostgresDialect
from sotto_collector.store.sqlite import SqliteDialect
from sotto_estimator.intervals.methods import METHODS
from sotto_protocol.mechanisms.registry import ENTRIES
from sotto_protocol.questions import types
from sotto_protocol.questions.types import TYPES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
HOUSE = ("protocol", "client", "collector", "estimator", "rehearsal", "author", "relay")
SIDES = [ROOT / side / f"sotto_{side}" for side in HOUSE]
_PATH = r"\.?\w[\w.-]*(?:/[\w.-]+)*/?"
_FILE = r".*\.(?:py|js|md|toml|cff|json)"


def paths_in(text: str) -> list[str]:
    """Return what is written as a path of this repository: with a slash inside or at its end, or a file's name."""
    quoted = re.findall(r"`([^`\n]+)`", text)
    return [words for words in quoted if re.fullmatch(_PATH, words) and ("/" in words or re.fullmatch(_FILE, words))]


def names_in(text: str) -> list[tuple[str, str]]:
    """Return what is named of files, as in "`tally.py` (`Tally.of`, `FORMAT`)": (file, name), one part of each name."""
    found = re.findall(rf"`({_PATH})`\s+\(((?:`[\w.]+`(?:,\s+)?)+)\)", text)
    return [
        (path, part) for path, names in found for name in re.findall(r"`([\w.]+)`", names) for part in name.split(".")
    ]


def section(heading: str) -> str:
    """Return what stands below a heading, up to the next of any level."""
    found = re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def first_paths(text: str) -> list[Path]:
    """Return what each row of a table begins with."""
    return [ROOT / path for path in re.findall(rf"^\| `({_PATH})`", text, re.MULTILINE)]


@pytest.mark.parametrize("path", sorted({*paths_in(PAGE)}))
def test_every_path_is_there(path: str) -> None:
    assert (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file()


@pytest.mark.parametrize(("path", "name"), sorted({*names_in(PAGE)}))
def test_every_name_is_defined_in_its_file(path: str, name: str) -> None:
    assert re.search(
        rf"^ *(?:def|class) {name}\b|^ *(?:export )?(?:const )?{name}\b.* = ", (ROOT / path).read_text(), re.MULTILINE
    )


def test_reader_of_the_page_finds_paths_and_names_and_nothing_else() -> None:
    text = (
        "`a/b.py` (`C.d`,\n   `e`) and `f/` (`g` is none), `.ci/`, `pyproject.toml`, `sotto.commands`, `Coins`, `2^32`"
    )
    assert paths_in(text) == ["a/b.py", "f/", ".ci/", "pyproject.toml"]
    assert names_in(text) == [("a/b.py", "C"), ("a/b.py", "d"), ("a/b.py", "e")]
    assert len(paths_in(PAGE)) > 80
    assert len(names_in(PAGE)) > 30


def test_no_folder_is_left_out() -> None:
    packages = [path for side in SIDES for path in side.iterdir() if (path / "__init__.py").exists()]
    tests = [path for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name[0] not in "._"]
    folders = [*SIDES, *packages, *(path for path in tests if path.name != "__pycache__")]
    assert len(folders) > 20
    assert {f"{path.relative_to(ROOT)}/" for path in folders} - {*paths_in(PAGE)} == set()


def test_the_map_in_the_readme_names_every_package_and_nothing_else() -> None:
    readme = (ROOT / "README.md").read_text()
    block = readme[readme.index("## How the folders hang together") :].split("```")[1]
    named, side = set(), ROOT
    for line in block.strip().splitlines():
        places = re.findall(r"(?<![\w/])(\.?\w[\w/]*)/(?=\s|$)", line)
        is_room = line.startswith(" ")
        side = side if is_room else ROOT / places[0]
        named |= {(side if is_room else ROOT) / place for place in places}
    packages = {path for side in SIDES for path in side.iterdir() if (path / "__init__.py").exists()}
    assert {*SIDES, *packages} - named == set()
    assert [path for path in named if not path.is_dir()] == []


def test_every_mechanism_is_where_its_list_says() -> None:
    homes = {Path(inspect.getfile(entry.mechanism)).relative_to(ROOT) for entry in ENTRIES}
    folder = first_paths(section("A mechanism"))[0].relative_to(ROOT)
    assert [home for home in homes if folder not in home.parents] == []
    assert [entry.name for entry in ENTRIES if entry.name not in (ROOT / "docs/survey-file.md").read_text()] == []


def test_every_question_type_is_where_its_list_says() -> None:
    folder, table, _, in_js, described, *_ = first_paths(section("A question type"))
    assert table == Path(inspect.getfile(types))
    assert [kind for kind in TYPES.values() if Path(inspect.getfile(kind)).parent != folder] == []
    assert [name for name in TYPES if not re.search(rf"TYPES = .*\b{name}\b", in_js.read_text())] == []
    assert [name for name in TYPES if f"`{name}`" not in described.read_text()] == []


def test_every_interval_method_stands_in_each_file_of_its_list() -> None:
    files = first_paths(section("An interval method"))
    assert len(files) >= 2
    missing = [(path.name, method) for path in files for method in METHODS if method not in path.read_text()]
    assert missing == []


def test_every_command_is_where_its_list_says() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["sotto.commands"]
    modules = {point.partition(":")[0].replace(".", "/") + ".py" for point in points.values()}
    named = paths_in(section("A command"))
    files = [f"{side.parent.name}/{module}" for module in modules for side in SIDES if module.startswith(side.name)]
    assert len(files) == len(modules) > 8
    assert [file for file in files if file not in named and f"{Path(file).parent}/" not in named] == []


@pytest.mark.parametrize("dialect", [SqliteDialect, PostgresDialect])
def test_every_store_is_in_its_list(dialect: type) -> None:
    assert str(Path(inspect.getfile(dialect)).relative_to(ROOT)) in paths_in(section("A store"))
