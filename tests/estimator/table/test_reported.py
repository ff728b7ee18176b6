"""How each row of a CSV was asked and what it reported: every way to write a yes, arms, and channels by record."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from sotto_estimator.designs.spec import read_spec
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.table.reading import read_table
from sotto_estimator.table.reported import ReportColumn, Reported


def read(folder: Path, text: str, designs: str | Mapping[str, str], arm: str = "", *texts: str) -> Reported:
    path = folder / "data.csv"
    path.write_text(text)
    named = {"": designs} if isinstance(designs, str) else designs
    column = ReportColumn("said", {label: read_spec(of) for label, of in named.items()}, arm, texts)
    return column.read(read_table(path, ["said", *column.about], complete=column.about))


def said(*texts: str) -> str:
    return "\n".join(["said", *texts, ""])


@pytest.mark.parametrize(
    ("yes", "no"), [("yes", "no"), ("Yes", "NO"), ("1", "0"), ("1.0", "0.0"), ("TRUE", "False"), ("y ", " n")]
)
def test_a_yes_is_known_however_it_is_written(tmp_path: Path, yes: str, no: str) -> None:
    assert read(tmp_path, said(no, yes, yes), "warner(prob=.7)").reports.tolist() == [1, 0, 0]


def test_a_report_is_known_by_the_designs_own_words(tmp_path: Path) -> None:
    assert read(tmp_path, said("same", "different", "1", "no"), "crosswise(prob=.2)").reports.tolist() == [0, 1, 0, 1]
    kuk = "kuk(prob_red_if_yes=.8, prob_red_if_no=.2, n_draws=2)"
    assert read(tmp_path, said("2", "0", "1 red"), kuk).reports.tolist() == [2, 0, 1]
    assert read(tmp_path, said("3", "1", "2.0"), "direct(n_answers=3)").reports.tolist() == [2, 0, 1]


def test_the_text_of_a_yes_can_be_said(tmp_path: Path) -> None:
    text = said("both or none", "exactly one", "both or none")
    assert read(tmp_path, text, "crosswise(prob=.2)", "", "Both or none").reports.tolist() == [0, 1, 0]
    assert read(tmp_path, said("0", "1"), "warner(prob=.7)", "", "0").reports.tolist() == [0, 1]
    assert read(tmp_path, said("1", "2"), "warner(prob=.7)", "", "2", "1").reports.tolist() == [1, 0]
    assert read(tmp_path, said("c", "a"), "direct(n_answers=3)", "", "a", "b", "c").reports.tolist() == [2, 0]


def test_the_second_of_two_other_texts_is_no_no(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"column said, row 4: 'refused' must be both or the one other text"):
        read(tmp_path, said("both", "one", "refused"), "crosswise(prob=.2)", "", "both")


@pytest.mark.parametrize("text", ["2", "maybe", "-1", "0.5"])
def test_what_is_no_report_is_named_with_its_row(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError, match=rf"column said, row 3: '{text}' must be one of .* warner: yes, no"):
        read(tmp_path, said("1", text), "warner(prob=.7)")


def test_as_many_texts_as_reports_are_needed(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"direct has 3 reports \(1, 2, 3\), not 2"):
        read(tmp_path, said("a"), "direct(n_answers=3)", "", "a", "b")


def test_arms_have_their_own_designs(tmp_path: Path) -> None:
    text = "half,said\na,1\nb,same\na,0\nb,different\nb,0\n"
    found = read(tmp_path, text, {"a": "direct", "b": "crosswise(prob=1/6)"}, "half")
    assert [design.name for design in found.designs] == ["direct", "crosswise"]
    assert found.arms.tolist() == [0, 1, 0, 1, 1]
    assert found.reports.tolist() == [0, 0, 1, 1, 1]
    assert [arm.counts.tolist() for arm in found.counts()] == [[1, 1], [1, 2]]
    assert [arm.counts.tolist() for arm in found.counts(np.array([1, 0, 1, 0, 0], np.bool_))] == [[1, 1]]


def test_an_arm_without_design_is_named_with_its_row(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"column half, row 3: 'c' must be one of the arms with a design: a"):
        read(tmp_path, "half,said\na,1\nc,1\n", {"a": "direct"}, "half")


def test_a_text_is_no_report_only_of_the_arm_that_gave_it(tmp_path: Path) -> None:
    arms = {"a": "warner(prob=.7)", "b": "crosswise(prob=1/6)"}
    assert read(tmp_path, "half,said\na,1\nb,same\n", arms, "half").reports.tolist() == [0, 0]
    with pytest.raises(SourceError, match=r"'same' must be one of the reports of warner: yes, no"):
        read(tmp_path, "half,said\na,1\nb,same\na,same\n", arms, "half")


def test_channels_differ_by_record(tmp_path: Path) -> None:
    text = "p,q,said\n.2,.1,1\n.2,.3,0\n1/4,.1,1\n.2,.1,0\n"
    found = read(tmp_path, text, "forced(prob_forced_yes=p, prob_forced_no=q)")
    each = [found.designs[arm].matrix[0].tolist() for arm in found.arms]
    np.testing.assert_allclose(each, [[0.9, 0.2], [0.7, 0.2], [0.9, 0.25], [0.9, 0.2]])
    assert len(found.designs) == 3


def test_a_value_that_no_design_takes_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"where p is '2' \(row 3\): .*must be in \[0, 1\]"):
        read(tmp_path, "p,said\n.2,1\n2,0\n", "crosswise(prob=p)")
    with pytest.raises(SourceError, match=r"row 3: column p must have a value"):
        read(tmp_path, "p,said\n.2,1\n,0\n", "crosswise(prob=p)")


def test_too_many_channels_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"0.{number:05d},1\n" for number in range(10_001))
    with pytest.raises(SourceError, match="p have 10,001 different values; the most are 10,000"):
        read(tmp_path, f"p,said\n{rows}", "crosswise(prob=p)")


def test_a_design_of_two_samples_needs_arms(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="extended-crosswise is a design of 2 samples"):
        read(tmp_path, said("same"), "extended-crosswise(prob=.2)")
