"""Measure the speed bars, and end with all of them in one table: what `scripts/bench` runs.

Each bar is a ratio of two things that were measured in turns in this run, against a peer, a limit, or ourselves with
less to do. The exit status is 1 where a bar is missed or a benchmark failed.
"""

import argparse
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module

from bars import Bar
from smallest import make_smallest

from sotto_protocol.tables import align

BENCHMARKS = (
    "mechanisms",
    "sets",
    "errors",
    "draw",
    "rappor",
    "decoding",
    "sketches",
    "association",
    "simulation",
    "comparison",
    "ingest",
    "oblivious",
    "tokens",
    "stores",
    "operating",
    "archive",
    "pages",
    "planning",
    "anytime",
    "regression",
    "intervals",
    "pooled",
    "table",
    "starts",
)
"""The modules beside this one that have `measure`, and perhaps `measure_more`, for --full; both return bars."""
HEAD = ["", "what", "ours", "reference", "ratio", "bar", "reference is"]


def measure(names: Sequence[str], *, is_full: bool, is_smallest: bool = False) -> tuple[list[Bar], list[str]]:
    """Return the bars of these benchmarks, and the names of those that failed, whose tracebacks are printed."""
    bars: list[Bar] = []
    failed = []
    for name in names:
        started = time.perf_counter()
        print(f"{name}:", flush=True)
        try:
            module = import_module(name)
            if is_smallest:
                make_smallest(name, module)
            bars += module.measure()
            if is_full:
                bars += getattr(module, "measure_more", list)()
        except Exception:
            traceback.print_exc()
            failed.append(name)
        print(f"        {name} took {time.perf_counter() - started:.0f} s\n", flush=True)
    return bars, failed


def summarise(bars: Sequence[Bar], failed: Sequence[str]) -> str:
    """Return the table of all bars, and a line that says how it went."""
    n_missed = sum(not bar.is_cleared for bar in bars)
    said = f"{len(bars) - n_missed} of {len(bars)} bars cleared"
    last = f"{said}; failed: {', '.join(failed)}." if failed else f"{said}."
    return "\n".join([align([HEAD, *(bar.cells() for bar in bars)]), last])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--full", action="store_true", help="a million candidates and ten million stored reports, too")
    parser.add_argument(
        "--smallest",
        action="store_true",
        help="show in a minute that they work: of the smallest sizes no bar is missed",
    )
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    bars, failed = measure(asked.names or BENCHMARKS, is_full=asked.full, is_smallest=asked.smallest)
    print(summarise(bars, failed))
    return int(bool(failed) or not (asked.smallest or all(bar.is_cleared for bar in bars)))


if __name__ == "__main__":
    sys.exit(main())
