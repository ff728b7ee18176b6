"""What a command takes, measured by a small process of its own.

What the system says of a process's memory begins with that of the process that started it: a benchmark's own, which has
NumPy and more in it.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_STARTER = """
import json, os, sys, time
began = time.perf_counter()
silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, used = os.wait4(pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), time.perf_counter() - began, used.ru_maxrss / 1024]))
"""


def cost_of(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Run a command in a folder; return the seconds that it took, and its largest resident memory in MiB."""
    starter = [sys.executable, "-I", "-S", "-c", _STARTER, *command]
    done = subprocess.run(starter, cwd=folder, check=True, capture_output=True, text=True)
    code, seconds, mib = json.loads(done.stdout)
    assert code == 0, done.stderr
    return seconds, mib
