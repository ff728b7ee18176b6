"""What a program waits for before it begins: importing the client, the arithmetic, the command's help."""

import resource
import subprocess
import sys
from pathlib import Path

from bars import Bar, compare

ROUNDS = 9
SOTTO = str(Path(sys.executable).with_name("sotto"))
NEEDED = [sys.executable, "-c", "import numpy, requests"]
"""What the first answer loads: nobody who only starts should wait for it."""

NUMPY = [sys.executable, "-c", "import numpy"]
ARITHMETIC = [sys.executable, "-c", "from sotto_estimator import confidence_interval, debias"]


def cpu_ms(*command: str) -> float:
    """Return the milliseconds of processor time that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure() -> list[Bar]:
    what = {
        "import the client": [sys.executable, "-c", "from sotto_client import SurveyClient"],
        "sotto --version": [SOTTO, "--version"],
        "sotto --help": [SOTTO, "--help"],
    }
    like = {"reference": "import NumPy and requests", "unit": "ms", "rounds": ROUNDS}
    bars = [
        compare(name, lambda command=command: cpu_ms(*command), lambda: cpu_ms(*NEEDED), least=1.5, **like)
        for name, command in what.items()
    ]
    like["reference"] = "import NumPy"
    name = "import debiasing and intervals"
    return [*bars, compare(name, lambda: cpu_ms(*ARITHMETIC), lambda: cpu_ms(*NUMPY), least=0.4, **like)]
