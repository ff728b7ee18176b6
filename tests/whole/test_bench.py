"""`scripts/bench`: bars are ratios of one run, a table of them all ends it, and the status says whether one missed."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "scripts" / "benchmarks"
MODULES = [path for path in sorted(BENCHMARKS.glob("*.py")) if path.stem not in ("bars", "cost", "run", "smallest")]
CLEARED = "compare('quick', lambda: 30.0, lambda: 10.0, least=2, reference='peer', rounds=3)"
MISSED = "compare('slow', lambda: 30.0, lambda: 10.0, least=2, reference='peer', unit='ms', rounds=3)"


def bench(folder: Path, **measured: str) -> tuple[int, list[str]]:
    """Run benchmarks that return these bars, as scripts/bench runs its own; return status and lines."""
    for name, bar in measured.items():
        (folder / f"{name}.py").write_text(f"from bars import compare\ndef measure():\n    return [{bar}]\n")
    script = f"import sys; sys.path[:0] = [{str(BENCHMARKS)!r}, {str(folder)!r}]; import run; "
    script += f"run.BENCHMARKS = {[*measured]!r}; sys.exit(run.main([]))"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout.splitlines()


def test_a_run_that_clears_all_bars_ends_with_their_table_and_status_0(tmp_path: Path) -> None:
    status, lines = bench(tmp_path, first=CLEARED, second=CLEARED)
    assert status == 0
    row = "clears  quick  30/s  10/s       3.00 x  2 x  peer"
    assert lines[-3:] == [row, row, "2 of 2 bars cleared."]


def test_a_missed_bar_is_said_and_makes_the_status_1(tmp_path: Path) -> None:
    status, lines = bench(tmp_path, first=CLEARED, second=MISSED)
    assert status == 1
    assert [line.split()[:2] for line in lines[-3:]] == [["clears", "quick"], ["MISSES", "slow"], ["1", "of"]]
    assert "0.33 x" in lines[-2]  # of times less is better


def test_a_benchmark_that_fails_does_not_hide_the_others_and_makes_the_status_1(tmp_path: Path) -> None:
    status, lines = bench(tmp_path, broken="1 / 0", second=CLEARED)
    assert status == 1
    assert lines[-1] == "1 of 1 bars cleared; failed: broken."


def test_an_unknown_benchmark_is_a_usage_error() -> None:
    command = [sys.executable, BENCHMARKS / "run.py", "whisper"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "no such benchmark: whisper" in ended.stderr


def functions_in(path: Path) -> set[str]:
    return {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}


def test_every_benchmark_is_run() -> None:
    (named,) = (
        ast.literal_eval(node.value)
        for node in ast.parse((BENCHMARKS / "run.py").read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "BENCHMARKS"
    )
    assert {path.stem for path in MODULES if "measure" in functions_in(path)} == {*named}


@pytest.mark.rare
def test_every_benchmark_works_with_the_smallest_sizes_in_one_process() -> None:
    """Without the peers, where they are not installed: what is ours is what a change can break."""
    command = [sys.executable, BENCHMARKS / "run.py", "--smallest"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, "failed:" in ended.stdout) == (0, False), ended.stdout + ended.stderr


@pytest.mark.thorough
def test_memory_is_that_of_the_command_alone() -> None:
    """However much the process has that asks: the system counts it to what it starts."""
    command = [sys.executable, "-S", "-c", "pass"]
    script = (
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); from cost import cost_of; from pathlib import Path; "
    )
    script += f"held = b'x' * 2**28; print(cost_of({command!r}, Path())[1])"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 1 < float(ended.stdout) < 100


def constant_sides(source: str) -> Iterator[str]:
    """Yield the bars whose two sides are not both measured: made by hand, or with a side that calls nothing."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Bar":
            yield ast.unparse(node)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "compare":
            sides = [side.body for side in node.args[1:] if isinstance(side, ast.Lambda)]
            yield from (ast.unparse(side) for side in sides if not any(isinstance(x, ast.Call) for x in ast.walk(side)))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_bar_is_against_a_figure_of_another_run(path: Path) -> None:
    assert [*constant_sides(path.read_text())] == []


def test_a_constant_reference_is_found() -> None:
    source = (
        "compare('a', lambda: rate(f), lambda: PEER, least=1)\nBar('b', 2, 1)\ncompare('c', f, lambda: g(), least=1)"
    )
    assert [*constant_sides(source)] == ["PEER", "Bar('b', 2, 1)"]
