"""Firefox New Tab's interests and clicks: shares through each feature's own channel, and the epsilon realised."""

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from beacons import write_lines
from newtab import MODEL, clicks, interests
from sotto_client.cli import main
from sotto_estimator import Channel, IntervalOptions, confidence_interval, debias
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.formats.firefox_clicks import ReplaceWithAny, read_firefox_clicks
from sotto_estimator.formats.firefox_newtab import Feature, read_firefox_newtab, read_model

RANGES = ["below 0.3", "0.3 to 0.6", "0.6 or more"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(MODEL))
    return path


def run(name: str, *words: str) -> Result:
    return CliRunner().invoke(main, ["estimate", "--format", name, *words])


def test_shares_and_intervals_are_those_of_each_features_channel(tmp_path: Path, model: Path) -> None:
    records = interests(2000)
    found = read_firefox_newtab([write_lines(tmp_path / "n.ndjson", records)], model=model).estimates
    for place, (name, probs) in enumerate({"sports": (0.75, 0.25), "food": (0.5, 0.1)}.items()):
        for at, row in enumerate(found[name]):
            count = sum(record["values"][place][at] == "1" for record in records)
            channel = Channel(*probs)
            low, high = confidence_interval(count, 2000, channel)
            assert row.share == pytest.approx(float(debias(count, 2000, channel)), abs=1e-8)
            assert (row.low, row.high) == pytest.approx((float(low), float(high)), abs=1e-8)
    assert [row.answer for row in found["sports"]] == RANGES
    assert [row.answer for row in found["food"]] == ["below 0.5", "0.5 or more"]
    assert abs(found["sports"][0].share - 0.5) < 7 * found["sports"][0].standard_error


def test_the_epsilon_of_a_vector_bounds_every_ratio_of_what_firefox_draws() -> None:
    """By enumeration: of all vectors under all answers, with the draws that send a 1, of 2^32."""
    feature = Feature.of("f", {"thresholds": [1, 2], "diff_p": 0.6, "diff_q": 0.2})
    assert (feature.if_true, feature.if_other) == (math.floor(0.6 * 2**32) + 1, math.floor(0.2 * 2**32) + 1)

    def probability(vector: tuple[int, ...], answer: int) -> float:
        ones = [(feature.if_true if at == answer else feature.if_other) / 2**32 for at in range(3)]
        return math.prod(one if bit else 1 - one for one, bit in zip(ones, vector, strict=True))

    ratios = [
        math.log(probability(vector, one) / probability(vector, other))
        for vector in product((0, 1), repeat=3)
        for one, other in product(range(3), repeat=2)
    ]
    assert max(ratios) <= feature.epsilon + 1e-12
    assert feature.epsilon == pytest.approx(math.log(0.6 * 0.8 / (0.2 * 0.4)), abs=1e-8)
    assert feature.epsilon == pytest.approx(max(ratios), abs=1e-12)


@pytest.mark.parametrize("kind", ["lists", "by name", "ping"])
def test_vectors_are_read_however_they_are_written(tmp_path: Path, model: Path, kind: str) -> None:
    records = interests(50)
    expected = read_firefox_newtab([write_lines(tmp_path / "n.ndjson", records)], model=model).estimates.rows
    written: dict[str, list[Any]] = {
        "lists": [{"values": [[int(bit) for bit in vector] for vector in one["values"]]} for one in records],
        "by name": [{"food": one["values"][1], "sports": one["values"][0]} for one in records],
        "ping": [{"inferred_interests": one} for one in records],
    }
    path = write_lines(tmp_path / "o.ndjson", written[kind])
    assert read_firefox_newtab([path], model=model).estimates.rows == expected


def test_vectors_that_no_honest_clients_send_are_warned_of(tmp_path: Path, model: Path) -> None:
    honest = write_lines(tmp_path / "n.ndjson", interests(500))
    assert not read_firefox_newtab([honest], model=model).warnings
    empty = write_lines(tmp_path / "z.ndjson", [{"values": ["000", "00"]}] * 100)
    result = run(f"firefox-newtab(model={model})", str(empty))
    assert result.stderr.count("expected, whatever people answer") == 2


BAD_VECTORS = {
    '{"values": ["100", "1"]}': "food must have 2 bits, as the model says; it has 1",
    '{"values": ["102", "10"]}': "sports must be a vector of 0 and 1",
    '{"values": ["100", "ab"]}': "food must be a vector of 0 and 1",
    '{"values": [1, 0]}': "is written otherwise than the first record (values in order, mixed here",
    '{"values": ["100"]}': "values must be a list of 2 vectors",
    '{"values": "10010"}': "values must be a list of 2 vectors",
    '{"sports": "100"}': "food is missing",
    '{"inferred_interests": 4}': "inferred interests must be an object",
    '{"values": [[1, 0, 0], [1, 0]]}': "is written otherwise than the first record (values in order, lists here",
    '{"sports": "100", "food": "10"}': "is written otherwise than the first record (members by feature, texts here",
    '{"values": ["100", "10"], "model_id": "m2"}': "(values in order, texts, model 'm2' here",
}


@pytest.mark.parametrize("text", BAD_VECTORS)
def test_a_bad_vector_is_refused_with_its_line(tmp_path: Path, model: Path, text: str) -> None:
    path = tmp_path / "n.ndjson"
    path.write_text('{"values": ["100", "10"]}\n' + text + "\n")
    with pytest.raises(SourceError) as refused:
        read_firefox_newtab([path], model=model)
    assert f"{path}, line 2: " in str(refused.value)
    assert BAD_VECTORS[text] in str(refused.value)


@pytest.mark.parametrize("vectors", ["[[1, 0, true], [1, 0]]", "[[1, 0, 0.0], [1, 0]]", "[1, 0]", "[[1, 0, []], [1]]"])
def test_a_list_of_anything_but_0_and_1_is_no_vector(tmp_path: Path, model: Path, vectors: str) -> None:
    (tmp_path / "n.ndjson").write_text(f'{{"values": {vectors}}}')
    with pytest.raises(SourceError, match="line 1: sports must be a vector of 0 and 1"):
        read_firefox_newtab([tmp_path / "n.ndjson"], model=model)


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ({"thresholds": [1], "diff_p": 0.5, "diff_q": 0.5}, "0 < diff_q < diff_p < 1"),
        ({"thresholds": [1], "diff_p": 1, "diff_q": 0.5}, "0 < diff_q < diff_p < 1"),
        ({"thresholds": [1], "diff_p": 0.5, "diff_q": 0}, "0 < diff_q < diff_p < 1"),
        ({"thresholds": [1], "diff_q": 0.5}, "must have thresholds, diff_p and diff_q"),
        ({"thresholds": [2, 1], "diff_p": 0.5, "diff_q": 0.2}, "and rise"),
        ({"thresholds": [], "diff_p": 0.5, "diff_q": 0.2}, "one or more"),
        ({"thresholds": [1], "diff_p": float("nan"), "diff_q": 0.2}, "all numbers"),
        (4, "must have thresholds"),
    ],
)
def test_a_feature_that_has_no_noise_or_tells_nothing_is_refused(feature: object, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        Feature.of("sports", feature)


@pytest.mark.parametrize("name", ["", "a\x1b[2J", "x" * 201])
def test_a_feature_without_a_printable_name_is_refused(name: str) -> None:
    with pytest.raises(DomainError, match="must be 1 to 200 printable characters"):
        Feature.of(name, MODEL["interest_vector"]["food"])


def test_items_are_shown_without_what_steers_a_terminal_and_are_no_documents(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.ndjson", [{"corpus_item_id": "a\x1b[2J"}])
    assert read_firefox_clicks([path], items=40, keep=0.5).estimates.rows[0].answer == "a\\x1b[2J"
    long = write_lines(tmp_path / "l.ndjson", [{"corpus_item_id": "x" * 201}])
    with pytest.raises(SourceError, match="line 1: corpus_item_id must be a text of at most 200 characters"):
        read_firefox_clicks([long], items=40, keep=0.5)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    for text in ("", "[1]", "{}", '{"interest_vector": 3}'):
        (tmp_path / "m.json").write_text(text)
        with pytest.raises(SourceError, match="must be a model"):
            read_model(tmp_path / "m.json")
    with pytest.raises(SourceError, match="cannot be read"):
        read_model(tmp_path / "none.json")


def test_an_epsilon_of_1_realises_1_32_at_100_items() -> None:
    noise = ReplaceWithAny.of_setting(100, 1)
    assert noise.keep == pytest.approx(math.e / (math.e + 99), rel=1e-12)  # as TelemetryFeed computes it
    kept, other = noise.keep + (1 - noise.keep) / 100, (1 - noise.keep) / 100
    assert noise.epsilon == pytest.approx(math.log(kept / other), rel=1e-12)
    assert 1.32 < noise.epsilon < 1.321
    assert noise.channel.prob_support_if_true == pytest.approx(kept, rel=1e-12)
    assert noise.channel.prob_support_if_other == pytest.approx(other, rel=1e-12)


@pytest.mark.parametrize("n_items", [10, 100, 1000])
@pytest.mark.parametrize("epsilon", [0.5, 1, 4])
def test_clicks_realise_more_than_their_setting(n_items: int, epsilon: float) -> None:
    noise = ReplaceWithAny.of_setting(n_items, epsilon)
    assert noise.epsilon > epsilon
    sent = [noise.channel.prob_support_if_true, *[noise.channel.prob_support_if_other] * (n_items - 1)]
    assert sum(sent) == pytest.approx(1, abs=1e-12)


def test_shares_of_clicks_are_those_of_the_channel(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.ndjson", [*clicks(4000, 40, 0.5), {"corpus_item_id": "ad", "is_sponsored": True}])
    found = read_firefox_clicks([path], items=40, keep=0.5)
    top = found.estimates["item"][0]
    assert top.answer == "item-0"
    assert abs(top.share - 0.5 - 0.5 / 40) < 7 * top.standard_error
    low, high = confidence_interval(top.support_count, 4000, Channel(0.5 + 0.5 / 40, 0.5 / 40))
    assert (top.low, top.high) == pytest.approx((float(low), float(high)))
    assert top.epsilon == pytest.approx(math.log(1 + 40))
    assert any("1 sponsored click left out" in note for note in found.notes)
    assert not found.warnings
    assert "1 sponsored click left out" in found.as_table()
    assert found.to_dict()["notes"] == list(found.notes)
    assert found.to_frame()["share"].tolist() == [row.share for row in found.estimates.rows]


def test_all_together_counts_items_that_nobody_reported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.ndjson", [{"corpus_item_id": "a"}] * 30 + [{"corpus_item_id": "b"}] * 5)
    found = read_firefox_clicks([path], items=50, keep=0.5, options=IntervalOptions(simultaneous=True))
    low, high = confidence_interval([30, 5], 35, ReplaceWithAny(50, 0.5).channel, n_intervals=50)
    assert [(row.low, row.high) for row in found.estimates.rows] == [*zip(low.tolist(), high.tolist(), strict=True)]
    assert any("48 items never reported" in note for note in found.notes)
    assert not any("beforehand" in note for note in found.notes)


def test_items_that_have_a_row_because_they_came_are_said_to_have_no_interval_by_themselves(tmp_path: Path) -> None:
    one = write_lines(tmp_path / "one.ndjson", [{"corpus_item_id": "a"}])
    name = "firefox-clicks(items=100, epsilon=1)"
    assert "for an item that was named beforehand" in run(name, str(one)).stdout
    assert "named beforehand" not in run(name, str(one), "--simultaneous").stdout
    every = write_lines(tmp_path / "every.ndjson", [{"corpus_item_id": f"item {number}"} for number in range(10)])
    assert "named beforehand" not in run("firefox-clicks(items=10, epsilon=1)", str(every)).stdout


@pytest.mark.parametrize(
    ("name", "message", "code"),
    [
        ("firefox-clicks", "firefox-clicks needs items: --format 'firefox-clicks(items=..)'", 2),
        ("firefox-clicks(items=40)", "epsilon, Firefox's setting, or keep must be given", 2),
        ("firefox-clicks(items=40, keep=.5, epsilon=1)", "one of the two", 2),
        ("firefox-clicks(items=4, keep=.5)", "items (4) must be in [10, 100,000]", 2),
        (
            "firefox-clicks(items=x, keep=.5)",
            "items ('x') of firefox-clicks cannot be read: it must be a whole number",
            2,
        ),
        ("firefox-clicks(items=40, keep=1)", "keep (1.0) must be in (0, 1)", 2),
        ("firefox-clicks(items=40, epsilon=0)", "epsilon (0.0) must be finite and > 0", 2),
        ("firefox-clicks(items=10, keep=.5)", "corpus_item_id is the 11th that is reported, of 10 items", 1),
    ],
)
def test_what_clicks_cannot_be_is_refused(tmp_path: Path, name: str, message: str, code: int) -> None:
    result = run(name, str(write_lines(tmp_path / "c.ndjson", clicks(100, 40, 0.5))))
    assert (result.exit_code, message in result.stderr) == (code, True)


def test_sponsored_clicks_alone_are_no_reports(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.ndjson", [{"corpus_item_id": "ad", "is_sponsored": True}])
    result = run("firefox-clicks(items=40, epsilon=1)", str(path))
    assert (result.exit_code, "hold no clicks with noise" in result.stderr) == (1, True)


@pytest.mark.parametrize("name", ["firefox-newtab(model=model.json)", "firefox-clicks(items=40, epsilon=1)"])
def test_firefoxs_formats_have_no_groups(tmp_path: Path, name: str, model: Path) -> None:
    result = run(name.replace("model.json", str(model)), str(model), "--by", "country")
    assert (result.exit_code, "by must not be given" in result.stderr) == (2, True)


def test_interests_are_printed_as_any_estimates_are(tmp_path: Path, model: Path) -> None:
    words = [f"firefox-newtab(model={model})", str(write_lines(tmp_path / "n.ndjson", interests(300)))]
    members = json.loads(run(*words, "--json").stdout)
    header, first, *_ = run(*words, "--csv").stdout.splitlines()
    assert float(dict(zip(header.split(","), first.split(","), strict=True))["low"]) == members["estimates"][0]["low"]
    assert f"{100 * members['estimates'][0]['share']:.2f} %" in run(*words).stdout
    assert members["n_reports"] == 300
