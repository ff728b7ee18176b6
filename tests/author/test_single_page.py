"""`sotto page --single` writes a page that has all in it, the same each time; its policy allows its scripts alone."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from collecting import INVITED_WAVES, SURVEY
from reading_html import read_html
from sotto_author import page as command
from sotto_author.errors import AuthorError
from sotto_author.page import make_page
from sotto_collector.pages import single
from sotto_protocol import compile_toml

URL = "https://survey.example/below"
LUNCH = """
id = "lunch"
title = {en = "</script><!--", de = "Essen"}
[[questions]]
id = "paid"
type = "yes-no"
text = {en = "Paid?", de = "Bezahlt?"}
epsilon = 1
"""


def sources(text: str) -> dict[str, list[str]]:
    """Return the directives of the policy in a page."""
    [policy] = [meta for meta in read_html(text).find("meta") if meta.attributes.get("http-equiv")]
    return {name: rest for name, *rest in (each.split() for each in policy.attributes["content"].split("; "))}


def test_its_policy_allows_its_own_scripts_and_style_and_this_survey_alone() -> None:
    text = make_page(compile_toml(LUNCH), f"{URL}/")
    allowed = sources(text)
    bodies = re.findall(r'<script(?: type="module")?>(.*?)</script>', text, re.DOTALL)
    assert len(bodies) == 2
    digests = [base64.b64encode(hashlib.sha256(body.encode()).digest()).decode() for body in bodies]
    assert allowed["script-src"] == [f"'sha256-{digest}'" for digest in digests]
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[0].encode()).digest()).decode()
    assert (len(style), allowed["style-src"]) == (1, [f"'sha256-{digest}'"])
    assert allowed["connect-src"] == [f"{URL}/v1/surveys/lunch", f"{URL}/v1/surveys/lunch/"]
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == ["'none'"]
    assert "frame-ancestors" not in allowed


def test_of_an_oblivious_survey_it_reaches_the_definition_and_the_relay() -> None:
    oblivious = f'delivery = "oblivious"\nrelay = "https://relay.example"\ngateway_key = "{"0" * 64}"\n{LUNCH}'
    assert sources(make_page(compile_toml(oblivious), URL))["connect-src"] == [
        f"{URL}/v1/surveys/lunch",
        "https://relay.example/.well-known/ohttp-gateway",
        "https://relay.example/.well-known/ohttp-gateway/",
    ]


@pytest.mark.parametrize(
    "head",
    [
        'delivery = "oblivious"\nrelay = "https://relay.example"\n',
        'invited = true\ninvitations = "blind"\n',
    ],
    ids=["oblivious", "blind"],
)
def test_a_survey_without_the_keys_that_it_gets_is_refused(head: str) -> None:
    """Its fingerprint is another than the published survey's, so nobody could answer on the page."""
    with pytest.raises(AuthorError, match=re.escape(f"curl -o lunch.json {URL}/v1/surveys/lunch")):
        make_page(compile_toml(head + LUNCH), URL)


def test_it_loads_nothing_and_has_every_language() -> None:
    text = make_page(compile_toml(LUNCH), URL)
    page = read_html(text)
    assert [each for kind in ("script", "img", "iframe") for each in page.find(kind) if "src" in each.attributes] == []
    assert [link.attributes["href"][:5] for link in page.find("link")] == ["data:"]
    pages = json.loads(re.findall(r'id="pages">(.*?)</script>', text, re.DOTALL)[0])
    assert [*pages] == ["en", "de"]
    assert '<html lang="de"' in pages["de"]
    assert "Diese Seite ist eine einzige Datei" in pages["de"]
    assert "<script src" not in pages["de"] + pages["en"]
    assert f'data-collector="{URL}"' in pages["de"]


def test_it_is_the_same_each_time_and_another_for_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [make_page(INVITED_WAVES, URL, wave=2), make_page(INVITED_WAVES, URL, wave=2)]
    assert made[0] == made[1]
    others = [
        make_page(INVITED_WAVES, URL),
        make_page(INVITED_WAVES, URL, wave=2, max_epsilon=9),
        make_page(INVITED_WAVES, "https://other.example", wave=2),
        make_page(INVITED_WAVES, URL, wave=2, resend_days=1),
    ]
    assert len({made[0], *others}) == 5
    monkeypatch.setattr(single, "_UNENDED", ("survey",))
    with pytest.raises(ValueError, match="would end it"):
        make_page(INVITED_WAVES, URL)


def test_the_command_prints_the_hash_and_writes_a_manifest_that_webcat_takes(tmp_path: Path) -> None:
    """WEBCAT's rules: freedomofpress/webcat, extension/src/webcat/validators.ts (`validateManifest`, `validateCSP`)."""
    (tmp_path / "survey.toml").write_text(LUNCH)
    target, webcat = tmp_path / "lunch.html", tmp_path / "webcat.json"
    asked = [str(tmp_path / "survey.toml"), URL, "--single", str(target), "--webcat", str(webcat)]
    result = CliRunner().invoke(command.page, asked)
    content = target.read_bytes()
    assert result.stdout == f"{hashlib.sha256(content).hexdigest()}  {target}\n"
    assert content.decode() == make_page(compile_toml(LUNCH), URL)
    manifest = json.loads(webcat.read_text())
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert manifest["files"] == {"/index.html": digest}
    assert f"/{manifest['default_index']}" in manifest["files"]
    assert manifest["default_fallback"] in manifest["files"]
    assert (manifest["wasm"], manifest["extra_csp"]) == ([], {})
    policy = manifest["default_csp"]
    assert "," not in policy
    assert {name: rest for name, *rest in (each.split() for each in policy.split("; "))} == sources(content.decode())
    again = CliRunner().invoke(command.page, asked)
    assert isinstance(again.exception, AuthorError)
    assert "must be a new file" in str(again.exception)


@pytest.mark.parametrize(
    ("url", "wave", "message"),
    [("survey.example", 1, "url must be http:// or"), (URL, 2, r"wave \(2\) must be from 1 to 1, the waves of survey")],
)
def test_impossible_arguments_are_refused(url: str, wave: int, message: str) -> None:
    with pytest.raises(AuthorError, match=message):
        make_page(SURVEY, url, wave=wave)
