"""How many reports of each wave counts hold; and tallies of the first format, which do not say."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from published import TEXT, YES_NO, survey_of
from sotto_protocol import Coins, Tally, TallyError, hmac_bytes
from sotto_protocol.counted import Counted, PackedTally

FIRST = Path(__file__).parents[1] / "data" / "tallies-1"
"""Tallies as they were written while the format was sottovoce-tally-1."""
WAVES = dataclasses.replace(survey_of(YES_NO, TEXT | {"n_hashes": 2}), waves=4)

numbers = st.dictionaries(st.integers(1, 4), st.integers(0, 9))


@given(numbers, numbers)
def test_numbers_of_reports_add_up_and_subtract_wave_by_wave(one: dict[int, int], two: dict[int, int]) -> None:
    first, second = Counted(one), Counted(two)
    both = first + second
    assert both == second + first
    assert both.by_wave == {wave: n for wave in range(1, 5) if (n := one.get(wave, 0) + two.get(wave, 0))}
    assert both.waves == tuple(sorted(both.by_wave))
    assert both.n_reports == first.n_reports + second.n_reports
    assert both - second == first
    assert both.may_hold(first)
    assert first.may_hold(both) is (second.n_reports == 0)


def test_reports_of_which_the_wave_is_not_known_stay_so() -> None:
    old = Counted.unsplit(100, (1, 3))
    assert (old.n_reports, old.waves, old.by_wave) == (100, (1, 3), {1: 0, 3: 0})
    more = old + Counted({3: 20, 4: 5})
    assert more == Counted({1: 0, 3: 20, 4: 5}, 100)
    assert more - Counted({3: 15}) == Counted({1: 0, 3: 5, 4: 5}, 100)
    assert more - Counted({3: 30}) == Counted.unsplit(95, (1, 3, 4)), "some of them were among the others"
    assert Counted({1: 50, 3: 50}) - Counted.unsplit(10, (1, 3)) == Counted.unsplit(90, (1, 3))
    assert more - old == Counted({3: 20, 4: 5})
    assert not old.may_hold(Counted({2: 1}))
    assert not old.may_hold(Counted({1: 101}))
    assert old.may_hold(Counted({1: 100}))


def test_reports_of_one_wave_are_known_however_they_are_given() -> None:
    assert Counted.unsplit(7, (2,)) == Counted({2: 7})
    assert Counted.unsplit(0, (1, 2)) == Counted() == Counted({1: 0})


def test_packed_tallies_keep_the_numbers_of_reports_by_wave() -> None:
    one, two = (PackedTally.of_wave(wave, wave * 10, np.array([wave, 1])) for wave in (1, 2))
    assert ((one + two).counted, (one + two).counts.tolist()) == (Counted({1: 10, 2: 20}), [3, 2])
    assert ((one + two) - one).counted == two.counted
    assert (one + two).n_reports == 30


def test_wave_cannot_lose_more_reports_than_it_has() -> None:
    some = tally_of(3, 1) + tally_of(5, 2)
    with pytest.raises(TallyError, match=r"\$\.reports_by_wave: must have numbers of reports, none below 0"):
        some - tally_of(3, 3)


@pytest.mark.parametrize(("by_wave", "n_unsplit"), [({5: 1}, 0), ({0: 1}, 0), ({1: 2, 2: -1}, 0), ({}, 1)])
def test_tally_of_waves_that_cannot_be_is_refused(by_wave: dict[int, int], n_unsplit: int) -> None:
    counts = {"q0": np.array([0]), "q1": np.eye(1, 105, dtype=np.int64).reshape(5, 21)}
    assert Tally(WAVES, {4: 1}, counts).waves == (4,)
    with pytest.raises(TallyError, match=r"\$\.reports_by_wave"):
        Tally(WAVES, by_wave, counts, n_unsplit=n_unsplit)


def tally_of(n: int, wave: int = 1) -> Tally:
    answers = {"q0": np.arange(n) % 2, "q1": ["home"] * n}
    return Tally.of(WAVES, WAVES.perturb(answers, Coins(hmac_bytes(bytes(32), b"%d" % n)), wave))


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("one", Counted({1: 20})),
        ("wave", Counted({2: 30})),
        ("waves", Counted.unsplit(70, (1, 3))),
        ("behind", Counted.unsplit(70, (1, 3))),
    ],
)
def test_tallies_of_the_first_format_are_read(name: str, counted: Counted) -> None:
    text = (FIRST / f"{name}.json").read_bytes()
    stated, tally = json.loads(text), Tally.from_json(text)
    assert stated["format"] == "sottovoce-tally-1"
    assert tally.whole == counted
    assert (tally.n_reports, list(tally.waves)) == (stated["n_reports"], stated.get("waves", [1]))
    assert {key: counts.tolist() for key, counts in tally.support_counts.items()} == stated["support_counts"]
    assert tally.implausible == stated["implausible"]
    assert {key: (of.n_reports, list(of.waves)) for key, of in tally.behind.items()} == {
        key: (of["n_reports"], of["waves"]) for key, of in stated.get("behind", {}).items()
    }
    again = json.loads(tally.to_json())
    assert again["format"] == "sottovoce-tally-2"
    assert again.get("n_unsplit", 0) == counted.n_unsplit
    assert Tally.from_json(tally.to_json()) == tally


def test_tally_of_the_first_format_merges_with_new_ones() -> None:
    old = Tally.from_json((FIRST / "waves.json").read_bytes())
    merged = old + tally_of(6, 3) + tally_of(7, 4)
    assert (merged.reports_by_wave, merged.n_unsplit, merged.n_reports) == ({1: 0, 3: 6, 4: 7}, 70, 83)
    assert Tally.from_json(merged.to_json()) == merged == tally_of(7, 4) + (tally_of(6, 3) + old)
    assert Tally.unpack(WAVES, merged.pack()) == merged
    left = merged - tally_of(7, 4) - tally_of(6, 3)
    assert left.whole == Counted.unsplit(70, (1, 3, 4)), "nothing says that none of them was of wave 4"
    assert left.pack().counts.tolist() == old.pack().counts.tolist()


@pytest.mark.parametrize(
    "change", [{"reports_by_wave": {"1": 70}}, {"waves": [3, 1]}, {"waves": []}, {"n_unsplit": 70}]
)
def test_the_first_format_is_read_as_strictly_as_before(change: dict[str, object]) -> None:
    document = json.loads((FIRST / "waves.json").read_bytes()) | change
    with pytest.raises(TallyError):
        Tally.from_json(json.dumps(document))
