"""An archive as a data frame: every report once, in the survey's words, and nothing that was not exported."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from archiving import Heap
from collecting import SURVEY
from made_reports import DRAWN, EVERYTHING, ONCE, people
from sotto_client import os_coins
from sotto_collector.archive.export import export
from sotto_collector.archive.layout import Layout
from sotto_estimator import DomainError, SourceError, associate, estimate, read_archive
from sotto_estimator.commands.associate import associate as associate_command
from sotto_estimator.commands.estimate import estimate as estimate_command
from sotto_estimator.sources.records import save_records
from sotto_estimator.sources.selection import Selection
from sotto_estimator.sources.source import source_of
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.record import STRATUM


def exported(survey: Survey, records: np.ndarray, folder: Path, n_parts: int = 3) -> Path:
    export(Heap(survey, records), folder, n_parts)
    return folder


def said(survey: Survey, record: np.ndarray) -> dict[str, Any]:
    """Return what one report says, by the mechanisms' own words: another way to the labels."""
    return {question.id: question.decode(row) for question, part in survey.layout.cut(record[None]) for row in part}


def of_frame(survey: Survey, row: pd.Series) -> dict[str, Any]:
    """Return the same of a row of the frame, of questions whose options have labels."""
    found: dict[str, Any] = {}
    for question in survey.questions:
        key, first = question.id, f"{question.id}:{question.labels[0]}" if question.labels else ""
        if first in row and not pd.isna(row[first]):
            found[key] = [label for label in question.labels if row[f"{key}:{label}"]]
        elif question.labels and key in row and not pd.isna(row[key]):
            is_asked = question.mechanism.name == "asked-option"
            found[key] = {"asked": row[f"{key}.option"], "yes": row[key] == "yes"} if is_asked else row[key] == "yes"
    return found


@pytest.mark.parametrize("toml", [ONCE, DRAWN], ids=["once", "drawn"])
def test_each_report_is_there_once_in_the_words_of_its_mechanism(toml: str, tmp_path: Path) -> None:
    survey = compile_toml(toml)
    records = people(survey, 120)
    frame = read_archive(exported(survey, records, tmp_path / "archive"))
    labelled = [question.id for question in survey.questions if question.labels]
    expected = [{key: of for key, of in said(survey, record).items() if key in labelled} for record in records]
    found = [of_frame(survey, row) for _, row in frame.iterrows()]
    assert Counter(map(repr, found)) == Counter(map(repr, expected))
    assert len({*map(repr, found)}) > 60
    assert frame.attrs == {"survey": survey.id, "fingerprint": survey.fingerprint, "n_parts": 3}


def test_columns_have_the_types_of_what_they_hold(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    frame = read_archive(exported(survey, people(survey, 60), tmp_path / "archive"))
    assert [*frame["paid"].cat.categories] == ["no", "yes"]
    assert str(frame["set:f"].dtype) == "bool"
    assert [*frame["ill.option"].cat.categories] == ["flu", "<cold>", "no"]
    assert str(frame["hours"].dtype) == "float64"
    assert str(frame["home.cohort"].dtype) == "uint16"
    assert {len(bits) for bits in frame["home.bits"]} == {survey.questions[5].mechanism.n_bytes - 2}
    narrow = read_archive(tmp_path / "archive", questions=["paid"])
    assert [*narrow.columns] == ["paid"]
    assert len(narrow) == 60


@pytest.mark.parametrize("mechanism", ["k-ary", "subset"])
def test_questions_that_are_asked_together_have_columns_of_their_combinations(mechanism: str, tmp_path: Path) -> None:
    asked = [f'[[questions]]\nid = "{name}"\ntype = "yes-no"\ntext = "{name}?"\n' for name in ("ill", "old")]
    group = f'[[together]]\nquestions = ["ill", "old"]\nepsilon = 1\nmechanism = "{mechanism}"\n'
    survey = compile_toml(f'id = "s"\ntitle = "S"\n{group}{"".join(asked)}')
    records = survey.perturb({"ill-old": np.arange(80) % 4}, os_coins())
    frame = read_archive(exported(survey, records, tmp_path / "archive"))
    labels = ["no, no", "no, yes", "yes, no", "yes, yes"]
    if mechanism == "k-ary":
        assert [*frame["ill-old"].cat.categories] == labels
    else:
        assert [*frame.columns] == [f"ill-old:{label}" for label in labels]


def test_what_was_not_drawn_is_missing(tmp_path: Path) -> None:
    survey = compile_toml(DRAWN)
    frame = read_archive(exported(survey, people(survey, 90), tmp_path / "archive"))
    first = frame[["paid", "set:a", "point:town 0", "ill", "hours", "home.cohort"]]
    assert {*first.notna().sum(axis=1)} == {2}
    assert (frame["set:a"].isna() == frame["set:f"].isna()).all()
    assert str(frame["set:a"].dtype) == "boolean"
    assert str(frame["home.cohort"].dtype) == "UInt16"


def test_waves_are_numbers_and_strata_are_names(tmp_path: Path) -> None:
    survey = compile_toml(EVERYTHING)
    records = np.concatenate([people(survey, 40, 1), people(survey, 20, 2)])
    frame = read_archive(exported(survey, records, tmp_path / "waves"))
    assert Counter(frame["wave"]) == {1: 40, 2: 20}
    assert [*frame["town"].cat.categories] == ["bonn", "köln", "ulm"]
    strata = compile_toml(
        EVERYTHING.replace("waves = 2", 'invited = true\nstrata = ["north", "south"]').replace(
            "epsilon_forever = 3\n", ""
        )
    )
    placed = strata.layout.put(people(strata, 30), STRATUM, [2] * 10 + [1] * 20)
    frame = read_archive(exported(strata, placed, tmp_path / "strata"))
    assert Counter(frame["stratum"]) == {"north": 20, "south": 10}
    assert "wave" not in frame


def test_the_mean_of_a_numbers_column_is_the_estimate(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    records = people(survey, 400)
    frame = read_archive(exported(survey, records, tmp_path / "archive"))
    [mean] = estimate(Tally.of(survey, records))["hours"]
    assert frame["hours"].mean() == pytest.approx(mean.mean, abs=1e-9)  # type: ignore[union-attr]


def test_an_archive_can_be_read_by_parts_and_is_never_large_by_surprise(tmp_path: Path) -> None:
    folder = exported(SURVEY, people(SURVEY, 90), tmp_path / "archive")
    whole = read_archive(folder)
    pieces = [read_archive(folder, parts=[part]) for part in range(whole.attrs["n_parts"])]
    assert [len(piece) for piece in pieces] == [30, 30, 30]
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), whole)
    with pytest.raises(SourceError, match=r"would take about .* MiB: choose questions, some of the 3 parts"):
        read_archive(folder, max_bytes=1000)
    assert len(read_archive(folder, parts=[])) == 0
    assert [*read_archive(exported(SURVEY, people(SURVEY, 0), tmp_path / "none")).columns] == [*whole.columns]


def test_a_labelled_parquet_file_has_dictionaries_and_booleans(tmp_path: Path) -> None:
    """As docs/python.md says: of pandas' own, in one line."""
    survey = compile_toml(ONCE)
    frame = read_archive(exported(survey, people(survey, 60), tmp_path / "archive"))
    frame.to_parquet(tmp_path / "labelled.parquet")
    schema = pq.read_schema(tmp_path / "labelled.parquet")
    assert str(schema.field("paid").type).startswith("dictionary<values=")
    assert str(schema.field("set:a").type) == "bool"
    assert str(schema.field("hours").type) == "double"


def test_an_archive_is_associated(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    records = people(survey, 200)
    folder = exported(survey, records, tmp_path / "archive")
    ours, direct = (associate(of, questions=["paid", "set"]) for of in (folder, (survey, records)))
    assert ours.n_reports == 200
    assert [cell.share for cell in ours.cells] == pytest.approx([cell.share for cell in direct.cells], abs=1e-6)


STRATA = ONCE.replace('id = "once"', 'id = "strata"\ninvited = true\nstrata = ["north", "south"]')


@pytest.mark.few(2)
@pytest.mark.parametrize("toml", [ONCE, DRAWN, EVERYTHING, STRATA], ids=["once", "drawn", "waves", "strata"])
def test_an_archive_and_packed_reports_are_counted_as_a_tally_of_them_is(tmp_path: Path, toml: str) -> None:
    survey = compile_toml(toml)
    records = np.concatenate([people(survey, 300 // survey.waves, wave + 1) for wave in range(survey.waves)])
    if survey.strata:
        records = survey.layout.put(records, STRATUM, [1] * 100 + [2] * 200)
    save_records(survey, records, tmp_path / "kept")
    given = [exported(survey, records, tmp_path / "archive"), tmp_path / "kept", (survey, records)]
    parts = [Selection(), *(Selection(wave=wave) for wave in Tally.of(survey, records).waves)]
    parts += [Selection(stratum=stratum) for stratum in survey.strata]
    for source in map(source_of, given):
        for chosen in parts:
            meant = chosen.of(survey, records)
            tally = source.tally(chosen)
            assert tally == Tally.of(survey, meant)
            of_waves = [*Tally.by_wave(survey, meant).values()] if len(tally.waves) > 1 else []
            assert source.by_wave(tally, chosen) == of_waves
    assert estimate(given[0]).rows == estimate(Tally.of(survey, records)).rows
    result = CliRunner().invoke(estimate_command, [str(given[0]), "--json"])
    assert json.loads(result.stdout)["n_reports"] == 300


def _flip(folder: Path) -> None:
    [path, *_] = sorted(folder.glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def _remove(folder: Path) -> None:
    next(iter(sorted(folder.glob("*.parquet")))).unlink()


def _cut_short(folder: Path) -> None:
    path = folder / "manifest.json"
    document = json.loads(path.read_bytes())
    document["parts"].pop()
    path.write_text(json.dumps(document))


def _garble(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def _no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (_flip, "part-0000-of-0003-0.parquet is not what was exported"),
        (_remove, "part-0000-of-0003-0.parquet cannot be read"),
        (_cut_short, "has 2 of 3 parts: its export was cut short"),
        (_garble, "manifest.json is not an archive's manifest"),
        (_no_manifest, "is a folder, not "),
    ],
)
def test_an_archive_that_is_none_or_damaged_is_said(damage: Any, problem: str, tmp_path: Path) -> None:
    folder = exported(SURVEY, people(SURVEY, 30), tmp_path / "archive")
    damage(folder)
    with pytest.raises(SourceError, match=problem):
        read_archive(folder)
    with pytest.raises(SourceError, match=problem):
        associate(folder, questions=["affair", "rating"])


def _put_in_place(folder: Path, content: bytes) -> None:
    """Put another content into the place of the first part, with a digest that fits."""
    [path, *_] = sorted(folder.glob("*.parquet"))
    digests = hashlib.sha512(path.read_bytes()).hexdigest(), hashlib.sha512(content).hexdigest()
    path.write_bytes(content)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace(*digests))


def test_reports_of_another_survey_and_impossible_ones_are_refused(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    other = exported(compile_toml(DRAWN), people(compile_toml(DRAWN), 30), tmp_path / "other")
    folder = exported(survey, people(survey, 30), tmp_path / "archive")
    _put_in_place(folder, next(iter(sorted(other.glob("*.parquet")))).read_bytes())
    with pytest.raises(SourceError, match=r"0\.parquet is not a file of this archive: its reports are of another"):
        read_archive(folder)
    impossible = people(survey, 30)
    impossible[:, 0] = 7
    assert Layout(survey).columns[0].name == "paid.value"
    with pytest.raises(SourceError, match=r"has reports that no device sends: .* must be 0 or 1"):
        read_archive(exported(survey, impossible, tmp_path / "impossible"))
    _put_in_place(tmp_path / "impossible", b"PAR1 and nothing more")
    with pytest.raises(SourceError, match="is not a file of this archive"):
        read_archive(tmp_path / "impossible")


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        ({"questions": ["afair"]}, "question .'afair'. must be one of affair, rating"),
        ({"parts": [3]}, r"part \(3\) must be in \[0, 2\]"),
        ({"parts": [-1]}, r"part \(-1\) must be in"),
        ({"parts": [1, 1]}, "must not name a part twice"),
    ],
)
def test_a_choice_that_cannot_be_is_said(chosen: Any, problem: str, tmp_path: Path) -> None:
    folder = exported(SURVEY, people(SURVEY, 30), tmp_path / "archive")
    with pytest.raises(DomainError, match=problem):
        read_archive(folder, **chosen)


def test_commands_read_an_archive_as_programs_do(tmp_path: Path) -> None:
    survey = compile_toml(ONCE)
    folder = exported(survey, people(survey, 300), tmp_path / "archive")
    of_program = associate(folder, questions=["paid", "set"]).as_json()
    of_command = CliRunner().invoke(associate_command, [str(folder), "paid", "set", "--json"], catch_exceptions=False)
    assert (of_command.exit_code, json.loads(of_command.output)) == (0, json.loads(of_program))
