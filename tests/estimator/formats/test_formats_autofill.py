"""Android's autofill texts: what is said of 256 bits is right together, and the devices that it takes are counted."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

from autofill import payloads
from beacons import write_lines
from sotto_client.cli import main
from sotto_estimator import IntervalOptions
from sotto_estimator.errors import DomainError, SourceError
from sotto_estimator.formats import autofill_payloads
from sotto_estimator.formats.autofill import read_android_autofill
from sotto_estimator.formats.autofill_needed import devices_needed, prob_all_decided, prob_decided
from sotto_estimator.formats.autofill_payloads import FieldCounts, count_payloads
from sotto_estimator.formats.autofill_texts import AutofillField, Bit

TAIL = 0.05 / 512
NAMES = ("Anna", "Bo", "Christian")


def run(*words: str, name: str = "android-autofill") -> Result:
    return CliRunner().invoke(main, ["estimate", "--format", name, *words])


def test_a_text_that_all_devices_have_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.ndjson", payloads(["Región"] * 1000))
    found = read_android_autofill([path], least_share=0.5)
    (field,) = found.fields
    assert field.text == field.readable == "Región"
    assert (field.n_said("0") + field.n_said("1"), field.n_reports) == (256, 1000)
    assert field.n_even + field.n_odd == 1000


def test_what_differs_between_devices_is_shown_to_vary_and_is_no_text(tmp_path: Path) -> None:
    texts = [f"Hello, {NAMES[device % 3]}" for device in range(6000)]
    (field,) = read_android_autofill([write_lines(tmp_path / "p.ndjson", payloads(texts))], least_share=0.5).fields
    assert field.text is None
    assert field.readable == "Hello, ~~~~~~~~~"
    true = np.array(
        [[byte >> bit & 1 for byte in text.encode().ljust(32, b"\0") for bit in range(8)] for text in texts]
    )
    shares = true.mean(axis=0)
    for bit, share in zip(field.bits, shares, strict=True):
        assert bit.low <= share <= bit.high
        assert bit.said == ("varies" if 0 < share < 1 else f"{share:.0f}")


@pytest.mark.thorough
def test_few_payloads_leave_bits_open(tmp_path: Path) -> None:
    (field,) = read_android_autofill([write_lines(tmp_path / "p.ndjson", payloads(["Country"] * 40))]).fields
    assert field.n_said("open") == 256
    assert field.text is None
    assert field.readable == "?" * 32


def counted(n: int, share: float, rng: np.random.Generator) -> FieldCounts:
    """Return the counts of n devices of which this share has a 1 in every bit."""
    n_even = rng.binomial(n, 1 / 2)
    n_kept = np.tile([n_even, n - n_even], 128)
    n_true = rng.binomial(n_kept, share)
    ones = rng.binomial(n_true, 3 / 4) + rng.binomial(n_kept - n_true, 1 / 4)
    return FieldCounts(None, int(n_even), int(n - n_even), 0, ones)


@pytest.mark.rare
@pytest.mark.parametrize("share", [0.05, 0.5, 0.89, 1.0])
@pytest.mark.parametrize("n", [60, 4000])
def test_all_that_is_said_of_256_bits_is_right_at_the_level(
    share: float, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """False alarm 2e-10: P(Binomial(100, .05) > 24). And the same test refuses what each bit is said by itself."""
    rng = np.random.default_rng([n, int(100 * share)])
    wrong = {"1": share <= 0.9, "0": share >= 0.1, "varies": share in (0, 1), "open": False}
    n_wrong = n_wrong_alone = 0
    for _ in range(100):
        made = counted(n, share, rng)
        monkeypatch.setattr("sotto_estimator.formats.autofill.count_payloads", lambda *_, made=made: [made])
        (field,) = read_android_autofill([], options=IntervalOptions(level=0.95)).fields
        if field.is_void:  # in one run of 1,000, of which nothing is said
            continue
        n_wrong += any(wrong[bit.said] or not bit.low <= share <= bit.high for bit in field.bits)
        low, high = (stats.binom.ppf(end, made.n_kept, 1 / 4 + share / 2) for end in (0.025, 0.975))
        n_wrong_alone += bool(((made.ones < low) | (made.ones > high)).any())
    assert n_wrong <= 24
    assert n_wrong_alone > 24


@pytest.mark.parametrize("least_share", [0.5, 0.9])
@pytest.mark.parametrize("n", [1, 2, 30, 200, 1000])
def test_the_probability_of_deciding_a_bit_is_that_of_a_plain_sum(n: int, least_share: float) -> None:
    prob = 1 / 4 + least_share / 2
    decided = [
        s for s in range(n + 1) if stats.binom.sf(s - 1, n, prob) <= TAIL and stats.binom.cdf(s, n, 3 / 4) > TAIL
    ]
    expected = float(sum(stats.binom.pmf(decided, n, 3 / 4)))
    assert prob_decided(np.array([n]), least_share, TAIL)[0] == pytest.approx(expected, abs=1e-12)


def test_the_devices_that_it_takes_are_the_least_that_decide_a_text() -> None:
    needed = devices_needed(0.5, 0.95, TAIL)
    assert needed == 396
    assert prob_all_decided(396, 0.5, TAIL) >= 0.95 > prob_all_decided(395, 0.5, TAIL)
    assert devices_needed(0.5, 0.99, TAIL) is None  # the level itself is in the way


@pytest.mark.thorough
def test_the_devices_that_it_takes_are_those_of_the_page() -> None:
    assert devices_needed(0.9, 0.95, TAIL) == 8447
    for least_share, n in ((0.75, 1457), (0.95, 32_767)):  # as docs/formats.md says
        assert prob_all_decided(n, least_share, TAIL) >= 0.95 > prob_all_decided(n - 1, least_share, TAIL)


@pytest.mark.thorough
@pytest.mark.parametrize(("n_devices", "least", "most"), [(396, 43, 60), (320, 0, 52)])
def test_so_many_devices_decide_a_text_as_often_as_is_said(
    n_devices: int, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """396 devices decide it with probability .9507, 320 with .51; false alarm 1e-9 or less, of 60 fields."""
    rng = np.random.default_rng(8)
    n_decided = 0
    for _ in range(60):
        made = counted(n_devices, 1.0, rng)
        monkeypatch.setattr("sotto_estimator.formats.autofill.count_payloads", lambda *_, made=made: [made])
        (field,) = read_android_autofill([], least_share=0.5).fields
        n_decided += field.n_said("1") == 256
    assert least <= n_decided <= most


def bits_of(data: bytes, unknown: tuple[int, ...] = ()) -> tuple[Bit, ...]:
    said = ["open" if at // 8 in unknown else str(byte >> at % 8 & 1) for at in range(256) for byte in [data[at // 8]]]
    return tuple(Bit(at // 8, at % 8, 9, 9, 0.5, 0, 1, one) for at, one in enumerate(said))


@pytest.mark.parametrize(
    ("data", "text", "readable"),
    [
        (b"Country".ljust(32, b"\0"), "Country", "Country"),
        (b"\0" * 32, "", ""),
        (b"a" * 31 + "é".encode()[:1], "a" * 31, "a" * 31 + "�"),
        (b"a" * 30 + "é".encode(), "a" * 30 + "é", "a" * 30 + "é"),
        (b"\xff".ljust(32, b"\0"), None, "�"),
        (b"a\0b".ljust(32, b"\0"), "a\0b", "a\0b"),
    ],
)
def test_bytes_are_a_text_where_they_are_one(data: bytes, text: str | None, readable: str) -> None:
    field = AutofillField(None, 9, 9, 0, bits_of(data))
    assert (field.text, field.readable) == (text, readable)


def test_an_open_byte_is_shown_as_one() -> None:
    field = AutofillField(None, 9, 9, 0, bits_of(b"Country".ljust(32, b"\0"), unknown=(1, 31)))
    assert (field.text, field.readable) == (None, "C?untry" + "\0" * 24 + "?")


def test_hex_base64_csv_and_short_names_say_the_same(tmp_path: Path) -> None:
    made = payloads(["Country"] * 30)
    first = read_android_autofill([write_lines(tmp_path / "hex.ndjson", made)])
    in_base64 = [
        {"payload": base64.b64encode(bytes.fromhex(one["noiseInjectedPayload"])).decode(), "mask": mask}
        for one, mask in ((one, "0x55" if one["retainedBitMask"] == 0x55 else -86) for one in made)
    ]
    second = read_android_autofill([write_lines(tmp_path / "b64.ndjson", in_base64)])
    rows = "".join(f"{one['payload']},{one['mask']}\n" for one in in_base64)
    (tmp_path / "p.csv").write_text("payload,mask\n" + rows)
    third = read_android_autofill([tmp_path / "p.csv"])
    assert first.fields == second.fields == third.fields


@pytest.mark.thorough
def test_fields_are_told_apart_and_held_together_where_that_is_asked_for(tmp_path: Path) -> None:
    made = [{"view": "a"} | one for one in payloads(["Country"] * 300)]
    made += [{"view": "b"} | one for one in payloads(["Street"] * 200)]
    path = write_lines(tmp_path / "p.ndjson", made)
    single = read_android_autofill([path], by="view")
    together = read_android_autofill([path], by="view", options=IntervalOptions(simultaneous=True))
    assert [(of.name, of.n_reports) for of in single.fields] == [("a", 300), ("b", 200)]
    assert together.fields[0].bits[0].high - together.fields[0].bits[0].low >= (
        single.fields[0].bits[0].high - single.fields[0].bits[0].low
    )
    assert "for all fields together" in together.as_table()
    assert (single.n_needed or 0) < (together.n_needed or 0)


GOOD: dict[str, Any] = {"payload": "55" * 32, "mask": 0x55}
BAD = [
    (GOOD | {"payload": "55" * 31}, "must be 32 bytes: 64 hex digits, or 44 of base64"),
    (GOOD | {"payload": "zz" * 32}, "must be 32 bytes"),
    (GOOD | {"payload": 5}, "must be 32 bytes"),
    (GOOD | {"payload": base64.b64encode(b"\x55" * 32).decode()}, "is in base64, those before it in hex"),
    (GOOD | {"mask": 0xAA}, "must be 0 in the bits that its mask (0xAA) drops"),
    (GOOD | {"mask": 0x0F}, "must be 0x55 (even bits), 0xAA (odd bits), or 0 (none)"),
    (GOOD | {"mask": "half"}, "must be 0x55"),
    (GOOD | {"mask": True}, "must be 0x55"),
    ({"payload": "55" * 32}, "retainedBitMask is missing"),
    ({"mask": 0x55}, "noiseInjectedPayload is missing"),
]


@pytest.mark.parametrize(("record", "message"), BAD)
def test_a_bad_payload_is_refused_with_its_line(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    result = run(str(write_lines(tmp_path / "p.ndjson", [GOOD, record])))
    assert result.exit_code == 1
    assert f"{tmp_path / 'p.ndjson'}, line 2: " in result.stderr
    assert message in result.stderr


def test_a_mask_of_0_is_left_out_and_counted(tmp_path: Path) -> None:
    empty = {"payload": "00" * 32, "mask": 0}
    path = str(write_lines(tmp_path / "p.ndjson", [GOOD, empty, empty]))
    result = run(path)
    assert result.exit_code == 0
    assert "n = 1 payload," in result.stdout
    assert "left out: 2 payloads with a mask of 0, which keep no bit" in result.stdout
    found = json.loads(run(path, "--json").stdout)
    assert (found["n_reports"], found["fields"][0]["n_reports"], found["fields"][0]["n_none"]) == (1, 1, 2)
    refused = run(str(write_lines(tmp_path / "none.ndjson", [empty])))
    assert (refused.exit_code, "no payloads that keep a bit" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": IntervalOptions(target="respondents")}, "about the population"),
        ({"options": IntervalOptions(method="wilson")}, "by clopper-pearson"),
        ({"options": IntervalOptions(population_size=9)}, "about the population"),
        ({"least_share": 0.4}, r"least_share \(0.4\) must be in \[1/2, 1\)"),
        ({"power": 1.0}, "power"),
    ],
)
def test_what_is_not_exact_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        read_android_autofill([write_lines(tmp_path / "p.ndjson", [GOOD])], **options)


def test_too_many_fields_are_refused_with_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autofill_payloads, "MAX_FIELDS", 1)
    path = write_lines(tmp_path / "p.ndjson", [GOOD | {"view": "a"}, GOOD | {"view": "b"}])
    with pytest.raises(SourceError, match="line 2: view must name at most 1 fields"):
        read_android_autofill([path], by="view")


def test_table_json_csv_frame_and_html_say_the_same(tmp_path: Path) -> None:
    path = str(write_lines(tmp_path / "p.ndjson", payloads(["<b>Straße"] * 500)))
    name = "android-autofill(least_share=0.5)"
    members = json.loads(run(path, "--json", name=name).stdout)
    header, *rows = run(path, "--csv", name=name).stdout.splitlines()
    first = dict(zip(header.split(","), rows[0].split(","), strict=True))
    bit = members["fields"][0]["bits"][0]
    assert (len(rows), float(first["low"]), int(first["n_ones"])) == (256, bit["low"], bit["n_ones"])
    assert members["fields"][0]["text"] == "<b>Straße"
    table = run(path, name=name).stdout
    assert '"<b>Straße"' in table
    assert "0     00111100  0x3C" in table
    assert "and 22 bytes of zeros" in table
    found = read_android_autofill([path], least_share=0.5)
    assert found.to_frame()["low"].tolist() == [one.low for one in found.fields[0].bits]
    assert "&lt;b&gt;Straße" in found._repr_html_()
    assert members["epsilon"] == pytest.approx(128 * np.log(3))


def test_counting_reads_each_bit_where_it_stands() -> None:
    from sotto_estimator.formats.records import Record

    payload = bytearray(32)
    payload[2] = 0b0000_0101
    record = Record(Path("p"), 1, {"payload": payload.hex(), "mask": 0x55})
    (field,) = count_payloads([record], None)
    assert np.flatnonzero(field.ones).tolist() == [16, 18]


def test_bits_that_no_text_gives_are_warned_of_and_a_text_is_not(tmp_path: Path) -> None:
    honest = [{"view": "a"} | one for one in payloads(["Country"] * 300)]
    liars = [{"view": "b", "payload": "55" * 32, "mask": 0x55}] * 50
    path = str(write_lines(tmp_path / "p.ndjson", honest + liars))
    found = read_android_autofill([path], by="view")
    assert [(one.question, one.n_reports, one.support_count) for one in found.contradictions] == [("b", 50, 50)]
    assert found.contradictions[0].p_value == pytest.approx(1024 * 0.75**50, rel=1e-5)
    result = run(path, "--by", "view")
    assert "b: 50 of 50 reports point to byte 0, bit 0. At most 37.5 are expected" in result.stderr
    assert "b: the counts contradict the design" in result.stdout
    assert {row["p_contradiction"] is None for row in found.records() if row["field"] == "a"} == {True}
    read = json.loads(run(path, "--by", "view", "--json").stdout)
    assert read["contradictions"][0]["question"] == "b"
    (of_a, of_b) = read["fields"]
    assert {bit["said"] for bit in of_b["bits"]} == {"void"}
    assert {bit[name] for bit in of_b["bits"] for name in ("share", "low", "high")} == {None}
    assert of_b["text"] is None
    assert {bit["low"] is None for bit in of_a["bits"]} == {False}
    (row,) = [line for line in result.stdout.split("\n") if line.startswith("b  ")]
    assert row.split()[-4:] == ["-"] * 4
    found.plot(tmp_path / "bits.png")
    alone = read_android_autofill([str(write_lines(tmp_path / "b.ndjson", liars))], by=None)
    assert "0x" not in alone.as_table()
    alone.plot(tmp_path / "void.png")
