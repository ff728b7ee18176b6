"""What reads estimates from a database: Grafana's dashboard, the SQL of the page, and the timer that writes them."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from dashboards import KINDS, lunch, opened, reports, tally_of
from sotto_estimator import IntervalOptions, estimate, write_estimates
from sotto_estimator.databases.rows import EstimateRow
from starting import SOTTO

ROOT = Path(__file__).parents[2]
BOARD = json.loads((ROOT / "deploy/grafana/estimates.json").read_text())
UNITS = ROOT / "deploy/estimates"
PAGE = (ROOT / "docs/results.md").read_text()
MOST_EXPOSED = 15
"""What `systemd-analyze security` may find, of 100."""
MONDAY = datetime(2026, 6, 1, 6, tzinfo=UTC)
CHOSEN = {"survey": "lunch", "question": "ate", "stratum": "", "answer": "chef's", "how": "anytime, 0.95, population"}
ANYTIME = IntervalOptions(method="anytime")


def fill_in(query: str, **chosen: str) -> str:
    """Return a query as Grafana sends it: each variable as a string of SQL."""
    for name, value in {**CHOSEN, **chosen}.items():
        quoted = value.replace("'", "''")
        query = query.replace(f"${{{name}:sqlstring}}", f"'{quoted}'")
    query = re.sub(r"\$__timeFilter\((\w+)\)", r"\1 BETWEEN '2026-01-01T00:00:00Z' AND '2027-01-01T00:00:00Z'", query)
    assert "$" not in query
    return query


def write_looks(to: str) -> None:
    """Write two looks at all, one at each of two waves, and one at a stratum."""
    for day, found in enumerate(
        [
            *(estimate(tally_of(n), options=ANYTIME) for n in (100, 200)),
            estimate(tally_of(300, wave=2), options=ANYTIME),
            estimate((lunch(), reports(lunch(), 200)), stratum="north", options=ANYTIME),
        ]
    ):
        write_estimates(found, to, at=MONDAY + timedelta(days=day))


@pytest.fixture(scope="module")
def board(postgres_url: str) -> Iterator[psycopg.Connection[Any]]:
    from postgres_server import database_of

    with database_of(postgres_url) as url:
        write_looks(url)
        with psycopg.connect(url) as connection:
            yield connection


def panel(title: str) -> str:
    return str(next(of for of in BOARD["panels"] if of["title"] == title)["targets"][0]["rawSql"])


def test_the_boards_choices_are_those_of_the_table(board: psycopg.Connection[Any]) -> None:
    queries = {of["name"]: of["query"] for of in BOARD["templating"]["list"] if of["type"] == "query"}
    given = {name: [row[0] for row in board.execute(fill_in(query).encode())] for name, query in queries.items()}
    assert given == {
        "survey": ["lunch"],
        "question": ["ate", "hours"],
        "stratum": ["", "north"],
        "how": ["anytime, 0.95, population"],
        "answer": ["bread", "soup", "chef's"],
    }


def test_the_boards_bands_are_the_intervals_of_each_look(board: psycopg.Connection[Any]) -> None:
    shares = board.execute(fill_in(panel("Share of $answer")).encode()).fetchall()
    (first, second) = (estimate(tally_of(n), options=ANYTIME)["ate"][2] for n in (100, 200))
    assert shares[0] == (MONDAY, first.share, first.low, first.high)
    assert shares[1] == (MONDAY + timedelta(days=1), second.share, second.low, second.high)
    means = board.execute(fill_in(panel("Mean"), question="hours").encode()).fetchall()
    assert [row[2] <= row[1] <= row[3] for row in means] == [True] * 3
    waves = board.execute(fill_in(panel("Share of $answer, wave by wave")).encode()).fetchall()
    assert [row[0] for row in waves] == [1, 2]
    assert waves[0][1:] == shares[1][1:]
    latest = board.execute(fill_in(panel("The latest look")).encode()).fetchall()
    assert [row[:3] for row in latest if row[2] == "soup"] == [(1, "", "soup"), (1, "north", "soup"), (2, "", "soup")]
    for of in BOARD["panels"][1:]:
        bands = {one["matcher"]["options"]: one["properties"] for one in of["fieldConfig"]["overrides"]}
        assert {"id": "custom.fillBelowTo", "value": "low"} in bands["high"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_pages_sql_gives_the_latest_figures_and_how_they_moved(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    to = str(tmp_path / f"results.{kind}")
    if kind == "postgres":
        to = str(request.getfixturevalue("postgres_empty"))
    elif kind == "duckdb":
        pytest.importorskip("duckdb")
    write_looks(to)
    latest, moved = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    with opened(to) as connection:
        rows = connection.execute(latest).fetchall()
        looks = connection.execute(moved).fetchall()
    assert [(row[0], row[1], row[2], row[-3]) for row in rows if row[3] == "chef's"] == [
        (1, "", "ate", 200),
        (1, "north", "ate", 100),
        (2, "", "ate", 300),
    ]
    assert len(rows) == 12
    assert [row[-1] for row in looks if row[1] == "soup"] == [100, 200]


def test_the_page_names_every_column() -> None:
    listed = re.findall(r"`(\w+)`", PAGE[PAGE.index("## Dashboards") :].split("\n## ")[0])
    assert {*EstimateRow.__dataclass_fields__, "first_at", "last_at"} <= {*listed}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not there")
def test_systemd_takes_the_timer_and_gives_its_service_few_rights(tmp_path: Path) -> None:
    for unit in UNITS.iterdir():
        (tmp_path / unit.name).write_text(unit.read_text().replace("/opt/sottovoce/bin/sotto", str(SOTTO)))
    units = sorted(tmp_path.iterdir())
    assert [unit.name for unit in units] == ["sotto-estimates.service", "sotto-estimates.timer"]
    verified = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert [line for line in verified.stderr.splitlines() if "sotto" in line] == []
    words = ["systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED}", units[0]]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
