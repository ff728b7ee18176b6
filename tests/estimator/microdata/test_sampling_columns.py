"""Columns that say how people were drawn: every value that cannot be is refused with its row, or its name."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.microdata.sampling import Sampling
from sotto_estimator.table.reading import read_table

ROWS = "w,s,c,g\n2,north,1,old\n4,south,1,young\n2,north,2,old\n"


def read(folder: Path, text: str, population_size: float | None = None, **names: str | Mapping[str, float]) -> Sampling:
    path = folder / "data.csv"
    path.write_text(text)
    columns = SamplingColumns(**names)  # type: ignore[arg-type]  # a Mapping is margins
    return columns.read(read_table(path, columns.names or ["w"], complete=columns.names), population_size)


def test_columns_become_weights_strata_and_clusters(tmp_path: Path) -> None:
    found = read(tmp_path, ROWS, weights="w", strata="s", clusters="c")
    assert (found.weights / found.weights[0]).tolist() == [1, 2, 1]
    assert found.strata.labels == ("north", "south")
    assert found.clusters.codes.tolist() == [0, 0, 1]
    assert (found.has_clusters, found.population_size, found.raked) == (True, None, None)


def test_without_columns_each_row_stands_for_as_many(tmp_path: Path) -> None:
    assert read(tmp_path, ROWS).weights.tolist() == [1, 1, 1]
    assert read(tmp_path, ROWS, 12).weights.tolist() == [4, 4, 4]


def test_margins_may_be_people_or_shares(tmp_path: Path) -> None:
    for margins in ({"young": 300, "old": 100}, {"old": 0.25, "young": 0.75}):
        found = read(tmp_path, ROWS, post_stratify="g", margins=margins).raked
        assert found is not None
        assert found.margins[0].shares.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("weight", ["0", "-1", "0.0", "nan", "inf", "NaN", "", "NA", "1,5", "heavy"])
def test_a_weight_that_is_none_is_named_with_its_row(tmp_path: Path, weight: str) -> None:
    with pytest.raises(SourceError, match=r"row 3"):
        read(tmp_path, f"w;x\n2;1\n{weight};1\n", weights="w")


@pytest.mark.parametrize("weights", [(1e308, 1e308, 1e308), (1e200, 1e200, 2e200), (5e-324, 5e-324, 1e-323)])
def test_weights_of_any_size_say_what_their_proportions_do(tmp_path: Path, weights: tuple[float, ...]) -> None:
    path, said = tmp_path / "people.csv", []
    for scale in (weights, tuple(weight / weights[0] for weight in weights)):
        path.write_text("r,w\nyes,{}\nno,{}\nyes,{}\n".format(*scale))
        design = ("--column", "r", "--design", "warner", "--prob", ".9", "--weights", "w")
        result = CliRunner().invoke(main, ["estimate", str(path), *design])
        assert (result.exit_code, result.stderr) == (0, "")
        said.append(result.stdout)
    assert said[0] == said[1]
    assert "nan" not in said[0]


def test_weights_that_are_lost_beside_others_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"row 3: '1e-300' must be at least 1e-12 of the largest weight, 1e\+300"):
        read(tmp_path, "w\n1e300\n1e-300\n", weights="w")
    with pytest.raises(SourceError, match=r"column w adds up to inf, far from the population's 10"):
        read(tmp_path, "w\n1e308\n1e308\n", 10, weights="w")
    large = {"old": 1e308, "young": 1e308}
    found = read(tmp_path, ROWS, post_stratify="g", margins=large).raked
    assert found is not None
    assert found.margins[0].shares.tolist() == [0.5, 0.5]


def test_weights_beside_a_populations_size_are_its_people(tmp_path: Path) -> None:
    assert read(tmp_path, ROWS, 9, weights="w").population_size == 9
    with pytest.raises(
        SourceError, match=r"column w, row 3: '0.5' must be >= 1 where the size of the population is given"
    ):
        read(tmp_path, "w\n2\n0.5\n", 4, weights="w")
    with pytest.raises(SourceError, match=r"column w adds up to 8, far from the population's 1,000"):
        read(tmp_path, ROWS, 1000, weights="w")
    with pytest.raises(SourceError, match="has 3 people, more than the population's 2"):
        read(tmp_path, ROWS, 2)


@pytest.mark.parametrize(
    ("margins", "words"),
    [
        ({"old": 1}, r"column g, row 3: 'young' must be in the margins"),
        ({"old": 1, "young": 1, "middle": 1}, r"column g: nobody has 'middle', which is in the margins"),
    ],
)
def test_an_empty_stratum_is_named(tmp_path: Path, margins: dict[str, float], words: str) -> None:
    with pytest.raises(SourceError, match=words):
        read(tmp_path, ROWS, post_stratify="g", margins=margins)


def test_margins_that_are_shares_add_up_to_1() -> None:
    for odd in (
        {"a": 0.4, "b": 0.6, "c": 0.1},
        {"a": 0.4, "b": 0.5},
        {"a": 0.4, "b": 0.63},
        {"a": 0.97},
        {"a": 1, "b": 0.1},
    ):
        with pytest.raises(
            DomainError, match=r"margins: shares must add up to 1, not to .*; numbers of people must be 1 or more"
        ):
            SamplingColumns(post_stratify="g", margins=odd)
    for good in ({"a": 0.4, "b": 0.6}, {"a": 1 / 3, "b": 1 / 3, "c": 0.333}, {"a": 1, "b": 1}, {"a": 0.5, "b": 2}):
        assert SamplingColumns(post_stratify="g", margins=good).margins == good


def test_margins_go_with_a_column_and_are_above_0() -> None:
    with pytest.raises(DomainError, match="post_stratify and margins go together"):
        SamplingColumns(post_stratify="g")
    with pytest.raises(DomainError, match="post_stratify and margins go together"):
        SamplingColumns(margins={"a": 1})
    for size in (0, -1, float("nan"), float("inf")):
        with pytest.raises(DomainError, match=r"margins: a \(.*\) must be finite and > 0"):
            SamplingColumns(post_stratify="g", margins={"a": size})
