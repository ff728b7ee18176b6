"""What was decoded is shown with all that its intervals need, aligned whatever the strings are made of."""

import csv
import io
import json
from dataclasses import asdict, replace

import pytest

from decoded_strings import ROWS, SUBJECT, decoded
from sotto_estimator.channel.quality import Quality
from sotto_estimator.strings.decode import DecodeOptions
from sotto_estimator.strings.undetected import UndetectedString
from sotto_estimator.views.decoded import Subject, as_csv, as_json, caption, summary, table
from sotto_protocol.tables import align, width


def test_the_table_says_n_epsilons_method_level_correction_and_what_is_left() -> None:
    assert table(SUBJECT, decoded()).splitlines() == [
        "Fruit, liked: n = 12,345 reports, epsilon 2 a report, 6 for ever",
        "95 % intervals by the normal approximation, of those that were detected, about the population",
        "detected among 1,000 candidates: false discovery rate at most 0.05; "
        "intervals and std. errors allow for the choice",
        "fakes: what each 1 % of fake reports, all for an answer or all against it, adds to its share",
        "",
        "string     share  std. error      low     high  fakes for  against",
        "🍐 pear  50.00 %      1.00 %  48.00 %  52.00 %    +3.50 %  -4.50 %",
        "日本     25.00 %      1.25 %  20.00 %  30.00 %    +3.75 %  -4.25 %",
        'a, "b"    5.00 %      2.00 %   1.00 %   9.00 %    +3.95 %  -4.05 %',
        "",
        "detected 3 of 1,000 candidates, 80.00 % of all answers",
        "other strings 20.00 %, std. error 3.10 %",
        "fit: residual chi-square 530.0 on 500 degrees of freedom, ratio 1.060, p-value 0.17",
    ]


def test_the_options_are_said_in_words() -> None:
    options = DecodeOptions(level=0.999, method="chernoff", fdr=0.01, correction="bonferroni", simultaneous=True)
    said = caption(Subject("counts.csv"), decoded(options, n_waves=3))
    assert said.splitlines() == [
        "counts.csv: n = 12,345 reports,",
        "up to 3 of one device: errors and intervals are as wide as that makes them",
        "99.9 % intervals by the Chernoff-type bound, all together, about the population",
        "detected among 1,000 candidates: probability of any false discovery at most 0.01; "
        "intervals and std. errors allow for the choice",
    ]


def test_one_stage_has_one_epsilon() -> None:
    assert "for ever" not in caption(Subject("Fruit", "liked", 2.0, 2.0), decoded())


def test_a_limit_shows_the_most_common_and_says_so() -> None:
    assert "日本" not in table(SUBJECT, decoded(), 1)
    assert summary(decoded(), 1).startswith("detected 3 of 1,000 candidates (1 shown), 80.00 %")
    assert len(json.loads(as_json(SUBJECT, decoded(), 1))["strings"]) == 1
    assert len(as_csv(SUBJECT, decoded(), 1).splitlines()) == 2


def test_json_and_csv_hold_the_numbers_themselves() -> None:
    document = json.loads(as_json(SUBJECT, decoded()))
    assert document["strings"] == [asdict(row) for row in ROWS]
    assert document["fit"] == {"chi_square": 530.0, "degrees": 500, "p_value": 0.17, "ratio": 1.06}
    assert document["warnings"] == ["a warning"]
    expected = {"title": "Fruit", "question": "liked", "epsilon": 2.0, "epsilon_forever": 6.0, "n_reports": 12_345}
    expected |= {"n_waves": 1, "n_candidates": 1_000, "n_detected": 3, "level": 0.95, "method": "normal"}
    assert expected.items() <= document.items()
    rows = list(csv.DictReader(as_csv(SUBJECT, decoded()).splitlines()))
    for row, found in zip(rows, ROWS, strict=True):
        assert row["string"] == found.string
        assert [
            float(row[name]) for name in ("share", "standard_error", "low", "high", "p_value", "z_score", "shift_up")
        ] == [
            found.share,
            found.standard_error,
            found.low,
            found.high,
            found.p_value,
            found.z_score,
            found.shift_up,
        ]
        assert (row["n_reports"], row["epsilon"], row["level"], row["correction"]) == ("12345", "2.0", "0.95", "fdr")


OTHERS = (UndetectedString("fig", 0.004, 0.0123), UndetectedString("plum", None, None))


def test_candidates_that_were_not_detected_follow_with_their_bounds_where_they_were_asked_for() -> None:
    every = replace(decoded(), undetected=OTHERS)
    lines = table(SUBJECT, every).splitlines()
    assert lines[3] == (
        "not detected: the share is at most high; 95 % bounds by the normal approximation, all together"
    )
    assert [line.split() for line in lines if line.startswith(("fig", "plum"))] == [
        ["fig", "0.40", "%", "not", "detected", "1.23", "%"],
        ["plum", "not", "told", "apart"],
    ]
    document = json.loads(as_json(SUBJECT, every))
    assert document["not_detected"] == [asdict(row) for row in OTHERS]
    assert document["n_detected"] == 3
    rows = list(csv.DictReader(as_csv(SUBJECT, every).splitlines()))
    assert [row["detected"] for row in rows] == 3 * ["True"] + 2 * ["False"]
    assert [(row["string"], row["share"], row["low"], row["high"]) for row in rows[3:]] == [
        ("fig", "0.004", "", "0.0123"),
        ("plum", "", "", ""),
    ]


def test_they_are_not_shown_where_they_were_not_asked_for_and_count_towards_a_limit() -> None:
    assert "not detected" not in table(SUBJECT, decoded())
    assert json.loads(as_json(SUBJECT, decoded()))["not_detected"] is None
    every = replace(decoded(), undetected=OTHERS)
    assert [row["string"] for row in json.loads(as_json(SUBJECT, every, 4))["not_detected"]] == ["fig"]
    assert json.loads(as_json(SUBJECT, every, 2))["not_detected"] == []
    nothing = replace(decoded(rows=()), undetected=OTHERS)
    assert len(as_csv(SUBJECT, nothing).splitlines()) == 3


def test_nothing_found_is_a_table_without_rows_and_csv_with_the_same_header() -> None:
    nothing = decoded(rows=())
    assert "detected 0 of 1,000 candidates, 0.00 % of all answers" in table(SUBJECT, nothing)
    assert as_csv(SUBJECT, nothing) == as_csv(SUBJECT, decoded()).splitlines()[0]
    assert json.loads(as_json(SUBJECT, nothing))["strings"] == []


HOSTILE = "a\x1b[2J\u202eb\r\n\u2028c\x9b👩‍💻"


def test_what_could_move_a_terminal_is_escaped_in_the_table_and_exact_for_programs() -> None:
    hostile = decoded(rows=(replace(ROWS[0], string=HOSTILE),))
    text = table(SUBJECT, hostile)
    assert "a\\x1b[2J\\u202eb\\r\\n\\u2028c\\x9b👩‍💻 " in text
    assert not set(text) & set("\x1b\u202e\r\u2028\x9b")
    assert json.loads(as_json(SUBJECT, hostile))["strings"][0]["string"] == HOSTILE
    [row] = csv.DictReader(io.StringIO(as_csv(SUBJECT, hostile), newline=""))
    assert row["string"] == HOSTILE


def test_where_nothing_was_found_no_error_of_the_others_is_pretended() -> None:
    nothing = replace(decoded(rows=()), other_standard_error=None)
    assert (
        "\nother strings 100.00 %, of unknown std. error: where no string is detected, no share is estimated\n"
        in table(SUBJECT, nothing)
    )
    assert json.loads(as_json(SUBJECT, nothing))["other_standard_error"] is None


def test_strings_of_n_grams_are_not_called_candidates() -> None:
    text = table(SUBJECT, replace(decoded(), origin="n-grams"))
    assert "detected among 1,000 strings made of n-grams: " in text
    assert "detected 3 of 1,000 strings made of n-grams, " in text
    assert "candidate" not in text


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("grüße", 5),
        ("gru\u0308ße", 5),
        ("ｗｉｄｅ", 8),
        ("한국", 4),
        ("👍🏽", 2),
        ("👩‍👩‍👧", 2),
        ("🇳🇱🇧🇪", 4),
        ("🇳🇱🍐", 4),
        ("❤", 1),
        ("❤️", 2),
        ("🍐️", 2),
        ("नि", 2),
    ],
)
def test_a_text_is_as_wide_as_a_terminal_shows_it(text: str, columns: int) -> None:
    assert width(text) == columns


def test_columns_behind_wide_characters_line_up() -> None:
    lines = align([["string", "n"], ["日本語", "1"], ["👩‍💻", "20"], ["é", "300"]], n_left=1).splitlines()
    assert {width(line) for line in lines} == {11}


def test_the_quality_is_said_where_it_is_known() -> None:
    known = replace(SUBJECT, quality=Quality("liked", 12_345, 7, 3))
    assert table(known, decoded()).splitlines()[-1] == (
        "quality of liked: 7 of 12,345 reports implausible, of an honest crowd at most 3"
    )
    assert json.loads(as_json(known, decoded()))["quality"]["n_implausible"] == 7
    assert json.loads(as_json(SUBJECT, decoded()))["quality"] is None
    assert as_csv(known, decoded()).splitlines()[1].endswith(",7,3")
    assert as_csv(SUBJECT, decoded()).splitlines()[1].endswith(",,")


def test_the_waves_that_are_counted_are_said() -> None:
    one = Subject("Homes", "home", waves=(2,))
    assert caption(one, decoded()).splitlines()[0].endswith("reports, wave 2")
    assert json.loads(as_json(one, decoded()))["waves"] == [2]
    assert as_csv(one, decoded()).splitlines()[0].split(",").count("waves") == 1
    pooled = caption(Subject("Homes", "home", waves=(1, 3)), decoded(n_waves=2))
    assert "up to 2 of waves 1, 3 of one device" in pooled
