"""A survey file gets other epsilons and nothing else, or is not touched."""

import json
import os
import stat
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sotto_estimator.errors import SourceError
from sotto_estimator.planning.survey_edit import write_document
from sotto_protocol.definition import read_document

TOML = '''# A survey of two.
id = "s"   # its id
title = "S"
waves = 3

# The first question.
[[questions]]   # a table
id = "a"
type = "text"
text = "epsilon = 4"
epsilon_forever = 6
  epsilon   =   1.50	# dear
want = 0.1

[[questions]]
epsilon = 2
id = "b"
type = "yes-no"
text = """Two lines:
draw = 1
"""
'''
JSON = """{
  "id": "s", "title": "S",
  "questions": [
    {"id": "a", "type": "yes-no", "text": "an \\"epsilon\\": 3", "epsilon" : 1.50},
    {"epsilon": 2, "id": "b", "type": "yes-no", "text": "?"}
  ]
}
"""


def changed(document: Any, *epsilons: str, draw: int | None = None) -> Any:
    questions = [
        question | ({"epsilon": Decimal(epsilon)} if "epsilon" in question else {})
        for question, epsilon in zip(document["questions"], epsilons, strict=True)
    ]
    rest = {name: value for name, value in document.items() if name not in ("draw", "questions")}
    return rest | {"questions": questions} | ({} if draw is None else {"draw": draw})


def edit(path: Path, text: str, *epsilons: str, draw: int | None = None) -> str:
    path.write_bytes(text.encode())
    document = read_document(path.read_bytes(), is_json=path.suffix == ".json")
    write_document(path, changed(document, *epsilons, draw=draw))
    return path.read_bytes().decode()


def test_toml_keeps_its_order_its_comments_and_its_blanks(tmp_path: Path) -> None:
    edited = edit(tmp_path / "s.toml", TOML, "0.25", "3.000")
    assert edited == TOML.replace("1.50", "0.25").replace("epsilon = 2", "epsilon = 3")


def test_json_keeps_its_order_and_its_blanks(tmp_path: Path) -> None:
    edited = edit(tmp_path / "s.json", JSON, "0.25", "3.000")
    assert edited == JSON.replace("1.50", "0.25").replace('"epsilon": 2', '"epsilon": 3')


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    windows = TOML.replace("\n", "\r\n")
    edited = edit(tmp_path / "s.toml", windows, "0.25", "3")
    assert edited == windows.replace("1.50", "0.25").replace("epsilon = 2", "epsilon = 3")


@pytest.mark.parametrize(("name", "text"), [("s.toml", TOML), ("s.json", JSON)])
def test_draw_is_put_in_changed_and_taken_out_again(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    with_draw = edit(path, text, "1.5", "2", draw=1)
    assert read_document(with_draw.encode(), is_json=name.endswith("json"))["draw"] == 1
    assert edit(path, with_draw, "1.5", "2", draw=2) == with_draw.replace("draw = 1\ntitle", "draw = 2\ntitle").replace(
        '"draw": 1', '"draw": 2'
    )
    assert edit(path, with_draw, "1.5", "2") == text.replace("1.50", "1.5")


@pytest.mark.parametrize(
    "text",
    [
        'title = "S"\nquestions = [{id = "a", epsilon = 1}, {id = "b", epsilon = 2}]\n',
        'title = "S"\n[[questions]]\n"epsilon" = 1\n[[questions]]\nepsilon = 2\n',
        'title = "S"\n[[questions]]\ntext = """\nepsilon = 9\n"""\nepsilon = 1\n[[questions]]\nepsilon = 2\n',
        'title = "S"\n[[questions]]\ntext = """\n[[questions]]\n"""\nepsilon = 1\n[[questions]]\nepsilon = 2\n',
    ],
)
def test_epsilons_are_changed_however_toml_writes_them(text: str, tmp_path: Path) -> None:
    edited = edit(tmp_path / "s.toml", text, "3", "4", draw=1)
    meant = text.replace("n = 1", "n = 3").replace('n" = 1', 'n" = 3').replace("n = 2", "n = 4")
    assert edited == meant.replace("title", "draw = 1\ntitle")


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "S", "questions": [{"\\u0065psilon": 1}]}',
        '{"title": "S", "more": {"epsilon": 1}, "questions": [{"epsilon": 2}]}',
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    with pytest.raises(SourceError, match="was not changed"):
        edit(path, text, "3")
    assert path.read_text() == text
    assert [file.name for file in tmp_path.iterdir()] == ["s.json"]


def test_a_file_that_somebody_changed_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    for text in (TOML.replace("dear", "dearer").replace('"b"', '"c"'), "questions = 5", 'title = "S"', "no TOML", ""):
        path.write_text(text)
        with pytest.raises(SourceError, match="was not changed"):
            write_document(path, changed(read_document(TOML.encode(), is_json=False), "1", "2"))
        assert path.read_text() == text


def test_the_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "link.toml"
    real.write_text(TOML)
    real.chmod(0o640)
    link.symlink_to(real)
    write_document(link, changed(read_document(TOML.encode(), is_json=False), "1", "2"))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "epsilon   =   1\t# dear" in real.read_text()


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "s.toml"
    path.write_text(TOML)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(SourceError, match=r"s\.toml: No space left on device"):
        write_document(path, changed(read_document(TOML.encode(), is_json=False), "1", "2"))
    assert path.read_text() == TOML
    assert [file.name for file in tmp_path.iterdir()] == ["s.toml"]


_TEXTS = st.text(alphabet='epsilon draw="[]{}:#\\\n1', max_size=30)


@given(texts=st.lists(_TEXTS, min_size=1, max_size=4), draw=st.sampled_from([None, 1, 7]), data=st.data())
def test_whatever_the_texts_are_a_file_says_what_was_meant_or_is_untouched(
    texts: list[str], draw: int | None, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    is_json = data.draw(st.booleans())
    questions = [{"text": text, "epsilon": Decimal(number + 1)} for number, text in enumerate(texts)]
    writers: dict[bool, Callable[[], str]] = {
        True: lambda: json.dumps({"title": texts[0], "questions": questions}, default=float),
        False: lambda: "\n".join(
            [f"title = {json.dumps(texts[0])}"]
            + [f"[[questions]]\ntext = {json.dumps(of['text'])}\nepsilon = {of['epsilon']}" for of in questions]
        ),
    }
    path = tmp_path_factory.mktemp("edit") / ("s.json" if is_json else "s.toml")
    before = writers[is_json]()
    path.write_text(before)
    meant = changed(read_document(before.encode(), is_json=is_json), *["0.125"] * len(texts), draw=draw)
    try:
        write_document(path, meant)
    except SourceError:
        assert path.read_text() == before
    else:
        assert read_document(path.read_bytes(), is_json=is_json) == meant
