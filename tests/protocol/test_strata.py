"""Strata of a survey: which cells counts are kept by, what they cost of the limit, what respondents are told."""

import re
from dataclasses import replace

import numpy as np
import pytest

from collecting import SMALL, STRINGS, make_reports
from sotto_protocol import Survey, SurveyError, Tally, compile_toml, stack_records
from sotto_protocol.explain import explain
from sotto_protocol.minimum import say_few, say_needs
from sotto_protocol.record import STRATUM, WAVE
from sotto_protocol.strata import in_tree_order, parents_of, places_in
from strata_surveys import strata_toml

NAMES = ("north", "south", "east")
SITES = replace(SMALL, id="sites", invited=True, strata=NAMES)
YEARLY = replace(STRINGS, id="yearly", invited=True, strata=NAMES)


def test_every_wave_of_every_stratum_is_a_cell_of_its_own() -> None:
    cells = {(wave, place): YEARLY.cells(wave, place) for wave in (1, 2, 3) for place in (1, 2, 3)}
    assert sorted(cells.values(), key=str) == [[cell] for cell in range(1, 10)]
    for (wave, place), cell in cells.items():
        assert cell is not None
        assert YEARLY.wave_of(cell[0]) == wave
        assert YEARLY.say_cell(cell[0]) == f"wave {wave} of stratum {NAMES[place - 1]}"
        assert set(cell) == set(YEARLY.cells(wave) or ()) & set(YEARLY.cells(stratum=place) or ())
    assert YEARLY.cells() is None
    assert [STRINGS.cells(wave) for wave in (1, 2, 3)] == [[1], [2], [3]]  # a survey without strata: its waves
    assert STRINGS.say_cell(2) == "wave 2"


def test_records_are_counted_by_the_cell_that_their_head_says() -> None:
    records = stack_records([one.record for wave in (1, 3) for one in make_reports(6, YEARLY, wave)])
    records = YEARLY.layout.put(records, STRATUM, [1, 1, 3, 3, 3, 2] * 2)
    by_cell = Tally.by_cell(YEARLY, records)
    assert {YEARLY.say_cell(cell): tally.n_reports for cell, tally in by_cell.items()} == {
        f"wave {wave} of stratum {name}": n for wave in (1, 3) for name, n in (("north", 2), ("south", 1), ("east", 3))
    }
    for cell, tally in by_cell.items():
        place = NAMES.index(YEARLY.say_cell(cell).split()[-1]) + 1
        waves, strata = (YEARLY.layout.numbers(records, name) for name in (WAVE, STRATUM))
        of_cell = (waves == YEARLY.wave_of(cell)) & (strata == place)
        assert tally == Tally.of(YEARLY, records[of_cell])
    total = Tally.empty(YEARLY)
    for tally in by_cell.values():
        total += tally
    assert total == Tally.of(YEARLY, records)
    assert Tally.by_cell(YEARLY, records[:0]) == {}
    assert Tally.by_cell(STRINGS, np.delete(records, [2, 3], axis=1)).keys() == {1, 3}


def test_all_strata_together_have_so_many_counts_at_most() -> None:
    n_counts = sum(int(np.prod(question.mechanism.counts_shape)) for question in STRINGS.questions)
    most = 2**22 // (n_counts * 64)
    names = tuple(map(str, range(64)))
    assert most > 1
    replace(YEARLY, strata=names, waves=most).check_size()
    with pytest.raises(SurveyError, match=rf"^\$\.waves: must be at most {most}, not {most + 1}: .* in 64 strata"):
        replace(YEARLY, strata=names, waves=most + 1).check_size()
    text = max(STRINGS.questions, key=lambda question: int(np.prod(question.mechanism.counts_shape)))
    n_each = int(np.prod(text.mechanism.counts_shape))
    questions = tuple(replace(text, id=f"q{place}") for place in range(2**22 // (64 * n_each) + 1))
    with pytest.raises(SurveyError, match=r"^\$\.strata: must be at most \d+, not 64"):
        replace(YEARLY, strata=names, waves=1, questions=questions).check_size()


@pytest.mark.parametrize("keep", ["reports", "counts"])
def test_respondents_are_told_the_groups_and_what_is_kept_of_theirs(keep: str) -> None:
    said = " ".join(explain(replace(SITES, keep=keep)).promises())
    assert "invite people in groups: north, south, east. Your device does not say which one is yours" in said
    assert ("It keeps the group with your report." in said) is (keep == "reports")
    assert ("links the two, except the group of the report." in said) is (keep == "reports")
    assert "group" not in " ".join(explain(replace(SITES, strata=())).promises())


def test_a_least_number_is_said_to_be_of_a_stratum() -> None:
    assert say_needs(replace(SITES, min_reports=30))[0].startswith("shown from 30 reports of a stratum: ")
    assert " of a wave of a stratum" in say_needs(replace(YEARLY, min_reports=30))[0]


def test_few_people_in_a_stratum_are_warned_of() -> None:
    (said,) = say_few("north", 19)
    assert said.startswith("stratum north has 19 invitations. ")
    assert say_few("north", 20) == []


def test_parents_are_the_names_above_two_groups_or_more() -> None:
    """Held against a search through all beginnings of names."""
    names = ("a/x", "b", "a/y/1", "c/z/1", "a/y/2", "c/z/2")
    found = {}
    for above in {name[:end] for name in names for end in range(len(name)) if name[end] == "/"}:
        within = tuple(name for name in names if name.startswith(f"{above}/"))
        if len({name[len(above) + 1 :].split("/")[0] for name in within}) > 1:
            found[above] = within
    assert parents_of(names) == found == {"a": ("a/x", "a/y/1", "a/y/2"), "a/y": names[2:5:2], "c/z": names[3::2]}
    assert in_tree_order(names) == ["a", "a/x", "a/y", "a/y/1", "a/y/2", "b", "c/z", "c/z/1", "c/z/2"]
    assert [places_in(names, group) for group in ("b", "c/z")] == [(2,), (4, 6)]


@pytest.mark.parametrize(
    ("strata", "said"),
    [
        (("a/", "b"), "must have a name before and after each /"),
        (("/a", "b"), "must have a name before and after each /"),
        (("a //b", "b"), "must have a name before and after each /"),
        (("a /b", "b"), "with no blanks around"),
        (("a/b/c/d", "b"), "at most 3 levels"),
        (("a/b/c", "a/b"), "must not have a/b beside a/b/c: call the former a/b/other, for example"),
    ],
)
def test_names_that_are_no_tree_are_refused_of_authors_and_stay_valid_where_published(
    strata: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SurveyError, match=rf"\$\.strata: .*{re.escape(said)}"):
        compile_toml(strata_toml("tree", strata))
    published = replace(compile_toml(strata_toml("tree", ["a/b", "a/c"])), strata=strata)
    assert Survey.from_canonical(published.canonical).strata == strata
    assert parents_of(strata) == {}
    assert in_tree_order(strata) == [*strata]
