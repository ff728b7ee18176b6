"""What was decoded is shown with all that its intervals need, aligned whatever the strings are made of."""

import csv
import io
import json
from dataclasses import asdict, replace

import pytest

from decoded_strings import ROWS, SUBJECT, decoded
from sotto_estimator.sources.quality import Quality
from sotto_estimator.strings.decode import DecodeOptions
from sotto_estimator.strings.remarks import Missed
from sotto_estimator.strings.subject import Subject
from sotto_estimator.strings.undetected import UndetectedString
from sotto_estimator.views.decoded import caption, summary
from sotto_protocol.tables import align, width


def test_the_table_says_n_epsilons_method_level_correction_and_what_is_left() -> None:
    missed = Missed(8, ("fig", "plum"))
    assert replace(decoded(), subject=SUBJECT, missed=missed).as_table().splitlines() == [
        "🍐 pear  between 48.0 and 52.0 %, best estimate 50.0 %",
        "日本     between 20 and 30 %, best estimate 25 %",
        'a, "b"   between 1 and 9 %, best estimate 5 %',
        "",
        "Not detected: fig, plum and 6 more. They may be rare, not absent. `sotto decode --all` gives bounds.",
        "",
        "Fruit, liked: n = 12,345 reports, epsilon 2 a report, 6 for ever",
        "95 % intervals by the normal approximation, for the strings that were detected, about the population",
        "detected among 1,000 candidates: false discovery rate at most 0.05; "
        "intervals and std. errors allow for the choice",
        "fakes: how much each 1 % of fake reports adds to a share, if all of them are for the answer or all against it",
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
    said = "\n".join(caption(replace(decoded(options, n_waves=3), subject=Subject("counts.csv"))))
    assert said.splitlines() == [
        "counts.csv: n = 12,345 reports,",
        "up to 3 of one device: errors and intervals are as wide as that makes them",
        "99.9 % intervals by the Chernoff-type bound, all valid together, about the population",
        "detected among 1,000 candidates: probability of any false discovery at most 0.01; "
        "intervals and std. errors allow for the choice",
    ]


def test_one_stage_has_one_epsilon() -> None:
    assert "for ever" not in "\n".join(caption(replace(decoded(), subject=Subject("Fruit", "liked", 2.0, 2.0))))


def test_a_limit_shows_the_most_common_and_says_so() -> None:
    assert "日本" not in replace(decoded(), subject=SUBJECT, limit=1).as_table()
    assert summary(replace(decoded(), limit=1))[0].startswith("detected 3 of 1,000 candidates (1 shown), 80.00 %")
    assert len(json.loads(replace(decoded(), subject=SUBJECT, limit=1).as_json())["strings"]) == 1
    assert len(replace(decoded(), subject=SUBJECT, limit=1).as_csv().splitlines()) == 2


def test_json_and_csv_hold_the_numbers_themselves() -> None:
    document = json.loads(replace(decoded(), subject=SUBJECT).as_json())
    assert document["strings"] == [asdict(row) for row in ROWS]
    assert document["fit"] == {"chi_square": 530.0, "degrees": 500, "p_value": 0.17, "ratio": 1.06}
    assert document["warnings"] == ["a warning"]
    expected = {"title": "Fruit", "question": "liked", "epsilon": 2.0, "epsilon_forever": 6.0, "n_reports": 12_345}
    expected |= {"n_waves": 1, "n_candidates": 1_000, "n_detected": 3, "level": 0.95, "method": "normal"}
    assert expected.items() <= document.items()
    rows = list(csv.DictReader(replace(decoded(), subject=SUBJECT).as_csv().splitlines()))
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
    lines = replace(every, subject=SUBJECT).as_table().splitlines()
    assert lines[7] == (
        "not detected: the share is at most the value under high; 95 % bounds by the normal "
        "approximation, all valid together"
    )
    assert [line.split() for line in lines if line.startswith(("fig", "plum"))] == [
        ["fig", "0.40", "%", "not", "detected", "1.23", "%"],
        ["plum", "unclear"],
    ]
    document = json.loads(replace(every, subject=SUBJECT).as_json())
    assert document["not_detected"] == [asdict(row) for row in OTHERS]
    assert document["n_detected"] == 3
    rows = list(csv.DictReader(replace(every, subject=SUBJECT).as_csv().splitlines()))
    assert [row["detected"] for row in rows] == 3 * ["True"] + 2 * ["False"]
    assert [(row["string"], row["share"], row["low"], row["high"]) for row in rows[3:]] == [
        ("fig", "0.004", "", "0.0123"),
        ("plum", "", "", ""),
    ]


def test_they_are_not_shown_where_they_were_not_asked_for_and_count_towards_a_limit() -> None:
    assert "not detected" not in replace(decoded(), subject=SUBJECT).as_table()
    assert json.loads(replace(decoded(), subject=SUBJECT).as_json())["not_detected"] is None
    every = replace(decoded(), undetected=OTHERS)
    assert [
        row["string"] for row in json.loads(replace(every, subject=SUBJECT, limit=4).as_json())["not_detected"]
    ] == ["fig"]
    assert json.loads(replace(every, subject=SUBJECT, limit=2).as_json())["not_detected"] == []
    nothing = replace(decoded(rows=()), undetected=OTHERS)
    assert len(replace(nothing, subject=SUBJECT).as_csv().splitlines()) == 3


def test_nothing_found_is_a_table_without_rows_and_csv_with_the_same_header() -> None:
    nothing = decoded(rows=())
    assert "detected 0 of 1,000 candidates, 0.00 % of all answers" in replace(nothing, subject=SUBJECT).as_table()
    assert replace(nothing, subject=SUBJECT).as_csv() == replace(decoded(), subject=SUBJECT).as_csv().splitlines()[0]
    assert json.loads(replace(nothing, subject=SUBJECT).as_json())["strings"] == []


HOSTILE = "a\x1b[2J\u202eb\r\n\u2028c\x9b👩‍💻"


def test_what_could_move_a_terminal_is_escaped_in_the_table_and_exact_for_programs() -> None:
    hostile = decoded(rows=(replace(ROWS[0], string=HOSTILE),))
    text = replace(hostile, subject=SUBJECT).as_table()
    assert "a\\x1b[2J\\u202eb\\r\\n\\u2028c\\x9b👩‍💻 " in text
    assert not set(text) & set("\x1b\u202e\r\u2028\x9b")
    assert json.loads(replace(hostile, subject=SUBJECT).as_json())["strings"][0]["string"] == HOSTILE
    [row] = csv.DictReader(io.StringIO(replace(hostile, subject=SUBJECT).as_csv(), newline=""))
    assert row["string"] == HOSTILE


def test_where_nothing_was_found_no_error_of_the_others_is_pretended() -> None:
    nothing = replace(decoded(rows=()), other_standard_error=None)
    assert (
        "\nother strings 100.00 %, of unknown std. error: where no string is detected, no share is estimated\n"
        in replace(nothing, subject=SUBJECT).as_table()
    )
    assert json.loads(replace(nothing, subject=SUBJECT).as_json())["other_standard_error"] is None


def test_strings_of_n_grams_are_not_called_candidates() -> None:
    text = replace(replace(decoded(), origin="n-grams"), subject=SUBJECT).as_table()
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
    assert replace(decoded(), subject=known).as_table().splitlines()[-1] == (
        "quality of liked: 7 of 12,345 reports implausible, of an honest crowd at most 3"
    )
    assert json.loads(replace(decoded(), subject=known).as_json())["quality"]["n_implausible"] == 7
    assert json.loads(replace(decoded(), subject=SUBJECT).as_json())["quality"] is None
    assert replace(decoded(), subject=known).as_csv().splitlines()[1].endswith(",7,3")
    assert replace(decoded(), subject=SUBJECT).as_csv().splitlines()[1].endswith(",,")


def test_the_waves_that_are_counted_are_said() -> None:
    one = Subject("Homes", "home", waves=(2,))
    assert "\n".join(caption(replace(decoded(), subject=one))).splitlines()[0].endswith("reports, wave 2")
    assert json.loads(replace(decoded(), subject=one).as_json())["waves"] == [2]
    assert replace(decoded(), subject=one).as_csv().splitlines()[0].split(",").count("waves") == 1
    pooled = "\n".join(caption(replace(decoded(n_waves=2), subject=Subject("Homes", "home", waves=(1, 3)))))
    assert "up to 2 of waves 1, 3 of one device" in pooled
