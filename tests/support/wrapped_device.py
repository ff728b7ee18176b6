"""A program that answers as the Python client does, but takes some answers for others: wrapped_device.py FAULT"""

import json
import sys

from sotto_protocol import Survey
from sotto_rehearsal.audit.python_client import answer_all

FAULTS = {
    "none": lambda answer: answer,
    "other-text": lambda answer: f"x{answer}",
    "middle-up": lambda answer: 10 if answer == 5 else answer,
}


def main(fault: str) -> None:
    survey = Survey.from_canonical(sys.stdin.buffer.readline().rstrip(b"\n"))
    lines = []
    for line in sys.stdin.buffer.readlines():
        asked = json.loads(line)
        asked["answers"] = {name: FAULTS[fault](answer) for name, answer in asked["answers"].items()}
        lines.append(json.dumps(asked).encode())
    answer_all(survey, lines)


if __name__ == "__main__":
    main(sys.argv[1])
