"""The client's modules in a real browser agree with the vectors that every language shares."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from chromium import Devices
from collecting import Served
from own_site import HERE, blank, site_of
from reference_surveys import expand

FOLDER = Path(__file__).parents[1] / "vectors"
RUN = """async ([name, given]) => (await import("/vectors.js"))[name](...given)"""


def read(name: str) -> dict[str, Any]:
    """Return a file of vectors."""
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return document


@pytest.fixture
def page(devices: Devices) -> Any:
    """A page of another origin than the collector's: it may import the modules."""
    files = {
        "/app.html": blank("Vectors"),
        "/vectors.js": (HERE / "vectors.js").read_bytes(),
    }
    with site_of(files) as url:
        context, _ = devices(url)
        page = context.new_page()
        page.goto(f"{url}/app.html")
        yield page
        context.close()


def test_one_answer_and_the_same_coins_make_the_same_report(collector: Served, page: Page) -> None:
    vectors = [vector for vector in read("perturb")["vectors"] if "type" in vector and len(vector["answers"]) == 1]
    assert {vector["type"] for vector in vectors} == {"yes-no", "one-of", "any-of", "text", "number"}
    found = page.evaluate(RUN, ["perturb", [collector.url, vectors]])
    assert found == [[vector["reports"], vector["wire"], vector["bytes_used"]] for vector in vectors]


@pytest.mark.rare
def test_a_string_sets_the_same_bits(collector: Served, page: Page) -> None:
    vectors = [vector for vector in read("bloom")["vectors"] if vector["hash"] == "sottovoce"]
    assert page.evaluate(RUN, ["bloom", [collector.url, vectors]]) == [vector["bits"] for vector in vectors]


@pytest.mark.rare
def test_a_string_is_in_the_same_bucket(collector: Served, page: Page) -> None:
    vectors = read("sketch")["vectors"]
    assert page.evaluate(RUN, ["sketch", [collector.url, vectors]]) == [vector["bucket"] for vector in vectors]


@pytest.mark.rare
def test_surveys_are_read_and_refused_alike(collector: Served, page: Page) -> None:
    document = read("surveys")
    vectors = document["surveys"] + document["refused"]
    texts = [vector.get("hex") or _text_of(vector).encode().hex() for vector in vectors]
    found = page.evaluate(RUN, ["surveys", [collector.url, texts]])
    places = [(vector["where"], vector.get("or", vector["where"])) for vector in document["refused"]]
    assert found[: -len(places)] == [_declared(vector) for vector in document["surveys"]]
    assert [where for where, right in zip(found[-len(places) :], places, strict=True) if where not in right] == []


def _text_of(vector: dict[str, Any]) -> str:
    return vector["text"] if "text" in vector else expand(vector["parts"])


def _declared(vector: dict[str, Any]) -> dict[str, str]:
    names = {"fingerprint": "fingerprint", "epsilon": "epsilon", "epsilonForever": "epsilon_forever"}
    return {name: vector[member] for name, member in names.items()}


def test_the_same_secret_and_answers_make_the_same_bytes_to_post(collector: Served, page: Page) -> None:
    document = read("device")
    vectors = document["reports"]
    found = page.evaluate(RUN, ["reports", [collector.url, document["surveys"], vectors]])
    assert found == [
        [vector["marks"], vector["body"], vector.get("body_with_invitation", vector["body"])] for vector in vectors
    ]
