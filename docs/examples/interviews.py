"""Interviews on one machine: a file for every respondent, which `window.py URL FILE` uses, deleted after delivery.

python interviews.py ready http://127.0.0.1:8000 places 20
python interviews.py deliver http://127.0.0.1:8000 places
"""

import sys
from pathlib import Path

from asking import open_device


def make_ready(url: str, places: Path, n_respondents: int) -> None:
    """Keep the survey in a file for each respondent: then no interview needs a network."""
    places.mkdir(mode=0o700, exist_ok=True)
    for number in range(1, n_respondents + 1):
        with open_device(url, places / f"{number:03}.db") as device:
            print(number, device.survey.title)


def deliver(url: str, places: Path) -> list[Path]:
    """Deliver all reports, and then delete all files; or delete none, and return those that have something left."""
    left = []
    for place in sorted(places.glob("*.db")):
        with open_device(url, place) as device:
            if not device.flush(5) or device.rejected:
                left.append(place)
    if not left:
        for file in places.glob("*.db*"):  # journals too
            file.unlink()
    return left


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["ready", url, places, n_respondents]:
            make_ready(url, Path(places), int(n_respondents))
        case ["deliver", url, places]:
            sys.exit("\n".join(f"not delivered: {place}" for place in deliver(url, Path(places))) or 0)
        case _:
            sys.exit(__doc__)
