"""Estimates of a tally: the right shares, levels and words, whatever the form."""

import csv
import errno
import io
import json
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from sotto_estimator import Channel, IntervalOptions, SourceError, estimate_counts, estimate_tally, read_tallies
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.results.words import method_words
from sotto_estimator.shares.of_tally import binary_epsilon
from sotto_protocol import Survey, Tally, compile_survey


@pytest.fixture
def survey() -> Survey:
    return compile_survey(
        {
            "id": "lunch",
            "title": "Lunch",
            "questions": [
                {
                    "id": "paid",
                    "type": "yes-no",
                    "text": "?",
                    "mechanism": "forced-response",
                    "prob_truth": "1/2",
                    "prob_forced_yes": "1/2",
                },
                {
                    "id": "dish",
                    "type": "one-of",
                    "text": "?",
                    "options": ["soup", "stew", "pie"],
                    "epsilon": Decimal(1),
                    "mechanism": "oue",
                },
                {
                    "id": "habits",
                    "type": "any-of",
                    "mechanism": "bit-flips",
                    "text": "?",
                    "options": ["early", "late"],
                    "epsilon": Decimal(2),
                },
            ],
        }
    )


@pytest.fixture
def tally(survey: Survey) -> Tally:
    counts = {"paid": np.array([400]), "dish": np.array([450, 300, 240]), "habits": np.array([740, 260])}
    return Tally(survey, {1: 1000}, counts)


def test_four_hundred_yes_of_a_thousand_with_two_coins_are_thirty_per_cent(tally: Tally) -> None:
    paid = estimate_tally(tally).rows[0]
    assert paid.share == pytest.approx(0.30, abs=1e-9)
    assert paid.low < 0.30 < paid.high
    assert paid.epsilon == pytest.approx(math.log(3), abs=1e-9)


def test_every_value_of_every_question_has_a_row_in_the_survey_s_order(tally: Tally) -> None:
    rows = estimate_tally(tally).rows
    assert [(row.question, row.answer) for row in rows] == [
        ("paid", "yes"),
        ("dish", "soup"),
        ("dish", "stew"),
        ("dish", "pie"),
        ("habits", "early"),
        ("habits", "late"),
    ]
    assert all(row.n_reports == 1000 for row in rows)


def test_shares_invert_the_published_thresholds(tally: Tally) -> None:
    dish = tally.survey.questions[1].mechanism
    other = math.ceil(2**32 / (math.e + 1)) / 2**32  # OUE by hand (Wang et al. 2017)
    assert dish.prob_support_if_other == pytest.approx(other, abs=1e-15)
    soup = estimate_tally(tally).rows[1]
    assert soup.share == pytest.approx((0.45 - other) / (0.5 - other), abs=1e-12)


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.is_nested])
def test_simultaneous_intervals_contain_those_of_one_answer(tally: Tally, method: str, target: str) -> None:
    alone = estimate_tally(tally, IntervalOptions(method=method, target=target))  # type: ignore[arg-type]
    together = estimate_tally(tally, IntervalOptions(method=method, target=target, simultaneous=True))  # type: ignore[arg-type]
    by_hand = estimate_tally(tally, IntervalOptions(level=1 - 0.05 / 6, method=method, target=target))  # type: ignore[arg-type]
    for one, all_of_them, hand in zip(alone.rows, together.rows, by_hand.rows, strict=True):
        assert all_of_them.low <= one.low
        assert one.high <= all_of_them.high
        assert (all_of_them.low, all_of_them.high) == pytest.approx((hand.low, hand.high), abs=1e-9)


def test_simultaneous_intervals_hold_at_levels_that_leave_no_digits(tally: Tally) -> None:
    paid = estimate_tally(tally, IntervalOptions(level=1 - 2.0**-53, method="hoeffding", simultaneous=True)).rows[0]
    assert paid.high - paid.share == pytest.approx(math.sqrt(math.log(6 * 2 * 2.0**53) / 2000) / 0.5)


def test_consistent_shares_of_a_one_of_question_are_possible_shares(tally: Tally) -> None:
    rows = estimate_tally(tally, IntervalOptions(consistent=True)).rows
    dish = [row.consistent_share or 0.0 for row in rows if row.question == "dish"]
    assert sum(dish) == pytest.approx(1)
    assert min(dish) >= 0
    assert min(row.share for row in rows if row.question == "dish") < 0  # the raw one stays as it is
    habits = [row.consistent_share for row in rows if row.question == "habits"]
    assert habits == [1.0, 0.0]  # bit by bit: all and nobody report .731 and .269


def test_a_tally_of_no_reports_is_refused(survey: Survey) -> None:
    with pytest.raises(SourceError, match="no reports"):
        estimate_tally(Tally.empty(survey))


def test_table_json_and_csv_hold_the_same_numbers(tally: Tally) -> None:
    estimates = estimate_tally(tally, IntervalOptions(consistent=True))
    from_json = json.loads(estimates.as_json())
    from_csv = list(csv.DictReader(io.StringIO(estimates.as_csv())))
    lines = [line for line in estimates.as_table().splitlines() if line and not line.startswith("*")]
    for row, member, record, line in zip(estimates.rows, from_json["estimates"], from_csv, lines[-6:], strict=True):
        for name in ("share", "standard_error", "low", "high", "consistent_share", "consistent_standard_error"):
            assert member[name] == float(record[name]) == getattr(row, name)
            assert f"{100 * member[name]:.2f} %" in line
        assert record["method"] == "chernoff"
        assert record["consistent_errors"] == from_json["consistent_errors"] == "approximate"
        assert record["n_reports"] == "1000"
    assert "n = 1,000" in lines[0]
    assert "95 % intervals by the Chernoff bound" in lines[1]


@pytest.mark.parametrize(
    ("level", "words"),
    [
        (0.95, "95 %"),
        (0.9, "90 %"),
        (0.999, "99.9 %"),
        (0.9999999, "99.99999 %"),
        (1 - 1e-13, "99.99999999999 %"),
        (1 - 2.0**-53, "99.99999999999999 %"),
        (0.07, "7 %"),
    ],
)
def test_a_level_is_printed_with_all_its_digits(level: float, words: str) -> None:
    assert method_words(level, "wilson", "population").startswith(words + " intervals by")


def test_a_plot_is_a_picture(tally: Tally, tmp_path) -> None:  # type: ignore[no-untyped-def]
    estimate_tally(tally).plot(tmp_path / "shares.png")
    assert (tmp_path / "shares.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(SourceError, match=r"must end in \.png"):
        estimate_tally(tally).plot(tmp_path / "shares.exe")
    with pytest.raises(SourceError, match="cannot be written"):
        estimate_tally(tally).plot(tmp_path / "nowhere" / "shares.png")


def test_tally_files_merge_and_bad_ones_are_named(tally: Tally, tmp_path) -> None:  # type: ignore[no-untyped-def]
    monday, tuesday, broken = (tmp_path / name for name in ("monday.json", "tuesday.json", "broken.json"))
    monday.write_bytes(tally.to_json())
    tuesday.write_bytes(tally.to_json())
    broken.write_bytes(tally.to_json()[:-9])
    assert read_tallies([monday, tuesday]).n_reports == 2000
    with pytest.raises(SourceError, match=r"broken\.json is not a tally"):
        read_tallies([monday, broken])
    with pytest.raises(SourceError, match="twice"):
        read_tallies([monday, monday])
    with pytest.raises(SourceError, match=r"none\.json cannot be read"):
        read_tallies([tmp_path / "none.json"])


def test_equal_tallies_are_merged_with_a_warning_that_they_may_be_copies(tally: Tally, tmp_path: Path) -> None:
    other = Tally(tally.survey, tally.reports_by_wave, {**tally.support_counts, "paid": np.array([401])})
    names = {"a.json": tally, "b.json": other, "c.json": tally, "d.json": tally}
    for name, one in names.items():
        (tmp_path / name).write_bytes(one.to_json())
    said: list[str] = []
    assert read_tallies([tmp_path / name for name in names], said.append).n_reports == 4000
    assert [text.replace(f"{tmp_path}/", "") for text in said] == [
        f"{copy} has the same tally as a.json. If it is a copy, its reports are counted twice."
        for copy in ("c.json", "d.json")
    ]
    (tmp_path / "none.json").write_bytes(Tally.empty(tally.survey).to_json())
    (tmp_path / "nothing.json").write_bytes(Tally.empty(tally.survey).to_json())
    said.clear()
    assert read_tallies([tmp_path / name for name in ("none.json", "nothing.json")], said.append).n_reports == 0
    assert said == []


def test_a_tally_of_another_survey_is_refused_by_the_name_of_its_file(tally: Tally, tmp_path: Path) -> None:
    other = compile_survey(
        {"id": "a", "title": "A", "questions": [{"id": "b", "type": "yes-no", "text": "?", "epsilon": 1}]}
    )
    (tmp_path / "lunch.json").write_bytes(tally.to_json())
    (tmp_path / "other.json").write_bytes(Tally.empty(other).to_json())
    with pytest.raises(SourceError, match=r"other\.json cannot be merged with the tallies before it: \$\.survey"):
        read_tallies([tmp_path / "lunch.json", tmp_path / "other.json"])


def test_a_tally_in_a_closed_folder_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", deny)
    with pytest.raises(SourceError, match=r"^closed/t\.json cannot be read: Permission denied\.$"):
        read_tallies([Path("closed/t.json")])


def test_files_that_link_in_a_circle_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("b.json")
    (tmp_path / "b.json").symlink_to("a.json")
    with pytest.raises(SourceError, match=r"a\.json cannot be read"):
        read_tallies([tmp_path / "a.json"])


def test_the_epsilon_of_a_paper_survey_is_that_of_its_coin() -> None:
    assert binary_epsilon(Channel.forced_response(1 / 2, 1 / 2)) == pytest.approx(math.log(3))
    assert binary_epsilon(Channel.forced_response(2 / 3, 1)) == math.inf  # a no is never forced
    # asymmetric: yes 0.6 + 0.4 * 0.1 = .64 against .04
    assert binary_epsilon(Channel.forced_response(0.6, 0.1)) == pytest.approx(math.log(0.64 / 0.04))
    nigeria = estimate_counts(831, 2435, Channel.forced_response(2 / 3, 1 / 2)).rows[0]
    assert nigeria.share == pytest.approx((831 / 2435 - 1 / 6) / (2 / 3))
