"""The course's notebooks: unfinished and wrong cells are told so, and with the solutions every check is right."""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

COURSE = Path(__file__).parents[2] / "docs" / "course"
BOOKS = sorted(COURSE.glob("*.ipynb"))


def cells_of(path: Path) -> list[dict[str, Any]]:
    """Return the cells of code."""
    return [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def is_kind(cell: dict[str, Any], kind: str) -> bool:
    return kind in cell["metadata"].get("tags", [])


def solutions_of(path: Path) -> list[list[str]]:
    return [cell["metadata"]["solution"] for cell in cells_of(path) if is_kind(cell, "task")]


def run_book(path: Path, filled: list[list[str]]) -> list[list[str]]:
    """Run a notebook with its tasks filled in; return what the checks of each task say."""
    known: dict[str, Any] = {}
    said: list[list[str]] = []
    tasks = iter(filled)
    for cell in cells_of(path):
        source = next(tasks) if is_kind(cell, "task") else cell["source"]
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile("".join(source), f"{path.name}, {cell['id']}", "exec"), known)  # noqa: S102
        if is_kind(cell, "check"):
            said.append(printed.getvalue().splitlines())
    return said


def cases() -> list[Any]:
    """Return each wrong answer that a notebook keeps: the notebook, the task's place, and the answer's."""
    found = []
    for path in BOOKS:
        tasks = [cell for cell in cells_of(path) if is_kind(cell, "task")]
        for place, task in enumerate(tasks):
            for number in range(len(task["metadata"]["wrong"])):
                found.append(pytest.param(path, place, number, id=f"{path.stem}-{place + 1}-{number + 1}"))
    return found


@pytest.fixture(autouse=True)
def _in_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Jupyter does."""
    monkeypatch.chdir(COURSE)
    monkeypatch.syspath_prepend(str(COURSE))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_with_the_solutions_every_check_is_right_and_without_none_of_a_task_is(path: Path) -> None:
    solutions = solutions_of(path)
    said = run_book(path, solutions)
    assert len(said) == len(solutions) >= 3
    assert {line for lines in said for line in lines} == {"Right."}
    unfilled = [cell["source"] for cell in cells_of(path) if is_kind(cell, "task")]
    assert all("..." in "".join(source) for source in unfilled)
    assert {line[:8] for lines in run_book(path, unfilled) for line in lines} == {"Not yet."}


@pytest.mark.thorough
@pytest.mark.parametrize(("path", "place", "number"), cases())
def test_a_wrong_answer_is_told_so(path: Path, place: int, number: int) -> None:
    filled = solutions_of(path)
    filled[place] = [cell for cell in cells_of(path) if is_kind(cell, "task")][place]["metadata"]["wrong"][number]
    lines = run_book(path, filled)[place]
    assert [line for line in lines if line.startswith("Not yet. ")], lines


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_one_and_shows_no_output(path: Path) -> None:
    document = json.loads(path.read_text())
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells_of(path))
