"""Releases after restores: no two that analysts were ever given differ by fewer reports than promised, however many
restores there were, of which backup, and whatever became of the journals. Who attacks looks after everything."""

import os
import random
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import delete

from collecting import INVITED, SMALL, STRINGS, count_here, make_reports, publish_here, tally_of
from sotto_client.cli import main
from sotto_collector.errors import BelowMinimumError
from sotto_collector.invitations import make_invitations
from sotto_collector.journal import read_journal
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.redo import Wishes
from sotto_collector.store.releases import read_released
from sotto_collector.store.restore import restore_copy
from sotto_collector.store.schema import release_floors
from sotto_protocol import Report, Survey, Tally, compile_toml

LEAST = 4
COHORTS = """
[[questions]]
id = "home"
type = "text"
mechanism = "rappor"
text = "Which page do you see first?"
n_bits = 8
n_cohorts = 2
epsilon = 2.0
"""
YES_NO = '[[questions]]\nid = "q{}"\ntype = "yes-no"\ntext = "Q?"\nepsilon = 1\n'
HEAD = f'title = "Watched"\nmin_reports = {LEAST}\n'
PLAIN = replace(SMALL, id="plain", min_reports=LEAST)
SURVEYS = {
    "plain": PLAIN,
    "cohorts": compile_toml(f'id = "cohorts"\n{HEAD}{YES_NO.format(1)}{COHORTS}'),
    "drawn": compile_toml(f'id = "drawn"\n{HEAD}draw = 1\n{YES_NO.format(1)}{YES_NO.format(2)}{COHORTS}'),
    "waves": replace(STRINGS, id="waves", questions=STRINGS.questions[:1], min_reports=LEAST),
    "strata": replace(INVITED, id="strata", strata=("north", "south"), min_reports=LEAST),
}
NONE = "the backup has no such survey, or it is a draft or has no min_reports."
N_STEPS = 1200 if os.environ.get("SOTTO_TEST_FULL") else 120
Part = tuple[int, str, int]
"""A cell, a question, and a cohort of it (0 where it has none): counts that are given by themselves."""


def parts_of(survey: Survey, report: Report) -> set[tuple[str, int]]:
    """Return which counts a report is in, in its cell."""
    tally = tally_of(survey, [report])
    found = set()
    for question in survey.questions:
        counts = tally.support_counts[question.id]
        if question.mechanism.has_cohorts:
            found |= {(question.id, cohort) for cohort in range(len(counts)) if counts[cohort, 0]}
        elif tally.counted(question.id).n_reports:
            found.add((question.id, 0))
    return found


@dataclass
class Attacker:
    """Everything that happens to a survey's store, and all that its analysts were ever given."""

    survey: Survey
    folder: Path
    chance: random.Random
    known: dict[bytes, tuple[int, Report, set[tuple[str, int]]]] = field(default_factory=dict)
    seen: dict[Part, dict[bytes, frozenset[bytes]]] = field(default_factory=dict)
    backups: list[Path] = field(default_factory=list)
    journals: list[Path] = field(default_factory=list)
    n: Counter[str] = field(default_factory=Counter)
    largest: int = 0

    def __post_init__(self) -> None:
        self.store = Store(self._new("db"))
        self.stored = publish_here(self.store, self.survey)
        self._begin_journal()

    def _new(self, kind: str) -> Path:
        self.n[kind] += 1
        return self.folder / f"{kind}-{self.n[kind]}"

    def _begin_journal(self) -> None:
        if not self.journals:
            self.journals.append(self._new("journal"))
        keep_journal(self.store, str(self.journals[-1]), begins=True)

    def answer(self) -> None:
        wave, stratum = self.chance.randint(1, self.survey.waves), self.chance.randint(1, self.survey.n_strata)
        reports = make_reports(self.chance.randint(1, LEAST + 1), self.survey, wave)
        if self.survey.invited:
            codes = make_invitations(self.store, self.stored, len(reports), stratum)
            reports = [replace(report, invitation=code) for report, code in zip(reports, codes, strict=True)]
        cell = wave + self.survey.waves * (stratum - 1)
        count_here(self.store, self.stored, reports)
        self.known |= {report.id: (cell, report, parts_of(self.survey, report)) for report in reports}

    def resend(self) -> None:
        """Let some devices send again; one by one, as an invitation may be unknown after a restore."""
        for _, report, _ in self.chance.sample(list(self.known.values()), min(len(self.known), 15)):
            count_here(self.store, self.stored, [report])

    def erase(self) -> None:
        if self.known:
            self.store.erase_report(self.stored, self.chance.choice(list(self.known)))

    def back_up(self) -> None:
        self.backups = [*self.backups[-2:], self._new("backup")]
        copy_store(self.store, str(self.backups[-1]))

    def restore(self) -> None:
        """Lose the database; restore one of the backups, with the journals, or these lost too."""
        if not self.backups:
            return
        self.store.close()
        backup, new, how = self.chance.choice(self.backups), self._new("db"), self.chance.random()
        told = {}
        if how < 0.4:
            self.journals.clear()
            if how < 0.2 and self.largest:
                told = {self.survey.id: self.largest}
        restore_copy(str(backup), str(new), Wishes([read_journal(path) for path in self.journals], told))
        self.store = Store(new)
        self.stored = publish_here(self.store, self.survey)
        self._begin_journal()
        self.n["restores"] += 1

    def look(self) -> None:
        """Read every cell, and hold every count that is new against all that were given."""
        live = {report_id for report_id, packed in self.store.read_reports(self.stored) if packed}
        for wave in range(1, self.survey.waves + 1):
            for stratum in range(1, self.survey.n_strata + 1):
                cell = wave + self.survey.waves * (stratum - 1)
                try:
                    tally = read_released(self.store, self.stored, wave, stratum if self.survey.strata else None)
                except BelowMinimumError:
                    continue
                self._look_at(cell, tally, {key for key in live if self.known[key][0] == cell})
        try:
            self.largest = max(self.largest, read_released(self.store, self.stored).n_reports)
        except BelowMinimumError:
            return

    def _look_at(self, cell: int, tally: Tally, live: set[bytes]) -> None:
        for question in self.survey.questions:
            counts = tally.support_counts[question.id]
            for cohort, row in enumerate(counts) if question.mechanism.has_cohorts else [(0, counts)]:
                before = self.seen.setdefault((cell, question.id, cohort), {bytes(row.nbytes): frozenset()})
                if (given := row.tobytes()) not in before:
                    now = frozenset(key for key in live if (question.id, cohort) in self.known[key][2])
                    fewest = min(len(now - then) for then in before.values())
                    assert fewest >= LEAST, f"{fewest} reports can be told apart"
                    before[given] = now
                    self.n["releases"] += 1


class Forgetful(Attacker):
    """One whose restores forget the floors."""

    def restore(self) -> None:
        super().restore()
        with self.store.transaction() as transaction:
            transaction.connection.execute(delete(release_floors))


def attack(survey: Survey, folder: Path, seed: int, n_steps: int, kind: type[Attacker] = Attacker) -> Attacker:
    attacker = kind(survey, folder, random.Random(seed))  # noqa: S311  # what happens, no secret
    acts = [attacker.answer, attacker.resend, attacker.erase, attacker.back_up, attacker.restore]
    for _ in range(n_steps):
        attacker.chance.choices(acts, [12, 2, 2, 1, 1])[0]()
        attacker.look()
    attacker.store.close()
    return attacker


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [name if name in ("drawn", "strata") else pytest.param(name, marks=pytest.mark.rare) for name in SURVEYS]
)
def test_no_two_releases_differ_by_fewer_reports_than_promised(name: str, tmp_path: Path) -> None:
    attacker = attack(SURVEYS[name], tmp_path, 17, N_STEPS)
    print(name, dict(attacker.n))
    assert attacker.n["restores"] >= 3
    assert attacker.n["releases"] >= 3


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["plain", "drawn"])
def test_attacker_finds_a_store_that_forgets_its_floors(name: str, tmp_path: Path) -> None:
    """The check bites: 150 steps each of at most twenty lives."""
    folders = [tmp_path / str(seed) for seed in range(20)]
    for folder in folders:
        folder.mkdir()
    with pytest.raises(AssertionError, match="reports can be told apart"):
        [attack(SURVEYS[name], folder, seed, 150, kind=Forgetful) for seed, folder in enumerate(folders)]


def restore(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["db", "restore", *map(str, words)])
    return result.exit_code, result.stderr


def test_released_is_held_against_what_the_backup_knows(tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    with closing(Store(tmp_path / "one.db")) as store:
        stored = publish_here(store, PLAIN)
        publish_here(store, SMALL)
        count_here(store, stored, make_reports(10, PLAIN))
        first = read_released(store, stored)
        copy_store(store, str(backup))
        count_here(store, stored, make_reports(5, PLAIN))
        assert read_released(store, stored).n_reports == 15
    for given, said in (
        (
            "plain=9",
            "--released plain=9 must be at least 10: analysts got the counts of that many reports before the backup.",
        ),
        ("small=9", f"--released small: {NONE}"),
        ("none=9", f"--released none: {NONE}"),
    ):
        assert restore("--from", backup, "--db", tmp_path / "new.db", "--released", given) == (1, f"Error: {said}\n")
    assert not (tmp_path / "new.db").exists()
    code, notes = restore("--from", backup, "--db", tmp_path / "unknown.db")
    assert (code, "Nothing more is released of a survey" in notes) == (0, True)
    assert restore("--from", tmp_path / "unknown.db", "--db", tmp_path / "told.db", "--released", "plain=15")[0] == 0
    for name, n_more, n_given in (("unknown.db", 500, 10), ("told.db", 8, 10), ("told.db", 1, 19)):
        with closing(Store(tmp_path / name)) as store:
            stored = publish_here(store, PLAIN)
            count_here(store, stored, make_reports(n_more, PLAIN))
            given = read_released(store, stored)
            assert given.n_reports == n_given
            assert n_given > 10 or given == first


def test_a_restored_survey_of_which_nothing_is_released_says_why(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "first.db")) as first:
        count_here(first, publish_here(first, PLAIN), make_reports(2 * LEAST, PLAIN))
        copy_store(first, str(tmp_path / "backup.db"))
    restore_copy(str(tmp_path / "backup.db"), str(tmp_path / "restored.db"), Wishes())
    with closing(Store(tmp_path / "restored.db")) as restored:
        (stored,) = restored.list_surveys()
        with pytest.raises(BelowMinimumError, match="the database was restored"):
            read_released(restored, stored)
