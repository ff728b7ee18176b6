"""`sotto verify` finds every change of what a collector serves, names it, and says what it can't tell."""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import pytest
import requests
from click.testing import CliRunner
from werkzeug.serving import make_server

from blind import publish_blind
from faulty_relay import front_of
from house import House, open_house
from oblivious_device import with_gateway
from sotto_author.errors import AuthorError
from sotto_author.page import make_page
from sotto_author.verification import commands, verify
from sotto_author.verification.verified import Verified
from sotto_client.cli import main
from sotto_collector.pages.alone import release_manifest
from sotto_collector.pages.assets import OF_BLIND
from sotto_collector.store.gateway import make_keys, sign
from sotto_protocol import __version__, compile_toml
from sotto_protocol.gateway_keys import SignedKeys
from sotto_protocol.oblivious import SIGNED_PATH

LUNCH = compile_toml("""
id = "lunch"
title = {en = "Lunch", de = "Essen", sw = "Chakula"}
waves = 2
[[questions]]
id = "paid"
type = "yes-no"
text = {en = "Paid?", de = "Bezahlt?", sw = "Umelipa?"}
epsilon = 1
""")

OTHER = replace(LUNCH, waves=1)


class Tampering:
    """A collector's app whose responses somebody changes before they reach visitors; it notes who asked for what."""

    def __init__(self, app: WSGIApplication) -> None:
        self.app = app
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.change: Callable[[str, list[Any]], None] = lambda _path, _response: None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        path = environ["PATH_INFO"] + (f"?{environ['QUERY_STRING']}" if environ["QUERY_STRING"] else "")
        self.asked.append((path, {name: value for name, value in environ.items() if name.startswith("HTTP_")}))
        response: list[Any] = [None, None, b""]

        def keep(status: str, headers: list[tuple[str, str]], *_: Any) -> Callable[[bytes], object]:
            response[:2] = status, dict(headers)
            return lambda _: None

        response[2] = b"".join(self.app(environ, keep))
        self.change(path, response)
        status, headers, body = response
        headers["Content-Length"] = str(len(body))
        start_response(status, [*headers.items()])
        return [body]


@contextmanager
def serving(app: WSGIApplication) -> Iterator[str]:
    """Yield where an app is served until the block ends."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Tampering, House]]:
    with open_house(tmp_path_factory.mktemp("verify") / "survey.db", LUNCH, page_max_epsilon=9) as house:
        app = Tampering(house.app.wsgi_app)
        with serving(app) as url:
            yield url, app, house


@pytest.fixture
def url(served: tuple[str, Tampering, House]) -> Iterator[str]:
    served[1].asked.clear()
    yield served[0]
    served[1].change = lambda _path, _response: None


def differing(found: Verified) -> list[tuple[str, str]]:
    return [(each.path, each.what) for each in found.differing]


def test_an_honest_collector_serves_what_its_release_makes(url: str, served: tuple[str, Tampering, House]) -> None:
    found = verify(f"{url}/s/lunch?lang=de#code", fingerprint=LUNCH.fingerprint.upper())
    assert found.status == 0
    assert found.differing == found.not_fetched == ()
    paths = [each.path for each in found.compared]
    forms = [f"/s/lunch?lang={tag}{wave}" for wave in ("", "&wave=2") for tag in ("en", "de", "sw")]
    assert {"/s/lunch", *forms, "/v1/surveys/lunch", "/js/sottovoce.min.js", "/static/able.js"} <= {*paths}
    assert found.fingerprint == LUNCH.fingerprint
    assert "page_max_epsilon 9 (usual: 8), page_resend_days 0" in "".join(found.notes)
    asked = served[1].asked
    assert asked[0][0] == "/s/lunch"
    assert not [headers for _, headers in asked if {"HTTP_AUTHORIZATION", "HTTP_COOKIE"} & {*headers}]
    assert {headers["HTTP_USER_AGENT"] for _, headers in asked} == {asked[0][1]["HTTP_USER_AGENT"]}
    assert "sotto" not in asked[0][1]["HTTP_USER_AGENT"].lower()
    assert "Firefox" in asked[0][1]["HTTP_USER_AGENT"]


def test_what_every_page_loads_is_compared(url: str) -> None:
    page = requests.get(f"{url}/s/lunch", timeout=30).text
    loaded = {f"/{path}" for path in re.findall(r'(?:src|href)="\.\./([a-z/.]+)"', page)}
    assert loaded
    assert loaded <= {each.path for each in verify(url, "lunch").compared}


def test_of_a_blind_survey_what_trades_invitations_is_compared_too(
    url: str, served: tuple[str, Tampering, House]
) -> None:
    survey = publish_blind(served[2].collector.store).survey
    assert f'href="../{OF_BLIND}"' in requests.get(f"{url}/s/{survey.id}", timeout=30).text
    found = verify(url, survey.id, fingerprint=survey.fingerprint)
    assert found.differing == ()
    assert f"/{OF_BLIND}" in {each.path for each in found.compared}
    alone = make_page(survey, url)
    assert "RSA-PSS" in alone  # it is in the file
    assert "trades it for a token now" in alone


@pytest.mark.parametrize("path", ["/s/lunch", "/s/lunch?lang=sw&wave=2", "/js/sottovoce.min.js"])
def test_a_changed_byte_anywhere_is_found_and_named(url: str, served: tuple[str, Tampering, House], path: str) -> None:
    bodies = []

    def change(asked: str, response: list[Any]) -> None:
        if asked == path:
            response[2] = response[2].replace(b"a", b"b", 1)
            bodies.append(response[2])

    served[1].change = change
    found = verify(url, "lunch")
    assert found.status == 1
    assert differing(found) == [(path, "content")]
    assert found.differing[0].got == hashlib.sha256(bodies[0]).hexdigest() != found.differing[0].expected
    assert f"differs      {path}\n  expected  {found.differing[0].expected}" in str(found)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Content-Security-Policy", "script-src *"),
        ("Content-Type", "text/html; charset=utf-7"),
        ("Clear-Site-Data", '"storage"'),
        ("Refresh", "0; https://evil.example"),
        ("Set-Cookie", "who=7"),
    ],
)
def test_headers_that_browsers_act_upon_are_compared(
    url: str, served: tuple[str, Tampering, House], name: str, value: str
) -> None:
    served[1].change = lambda path, response: response[1].update({name: value} if path == "/s/lunch" else {})
    found = verify(url, "lunch")
    assert differing(found) == [("/s/lunch", f"header {name.lower()}")]
    assert found.differing[0].got == value


def test_another_survey_is_found_by_the_fingerprint_alone(url: str) -> None:
    found = verify(url, "lunch", fingerprint="0" * 64)
    assert differing(found) == [("/v1/surveys/lunch", "content")]
    assert (found.differing[0].expected, found.differing[0].got) == ("0" * 64, LUNCH.fingerprint)
    without = verify(url, "lunch")
    assert without.status == 0
    assert f"has the fingerprint {LUNCH.fingerprint}. Compare it" in "".join(without.notes)


def test_a_page_that_leads_elsewhere_differs_and_one_that_is_lost_is_not_fetched(
    url: str, served: tuple[str, Tampering, House]
) -> None:
    def lead(path: str, response: list[Any]) -> None:
        if path == "/static/able.js":
            response[0], response[1]["Location"] = "302 Found", "https://evil.example/able.js"

    served[1].change = lead
    assert differing(verify(url, "lunch")) == [("/static/able.js", "redirect")]
    served[1].change = lambda path, response: response.__setitem__(0, "503 Busy") if "able" in path else None
    lost = verify(url, "lunch")
    assert (lost.status, [each.path for each in lost.not_fetched]) == (2, ["/static/able.js"])
    assert "HTTP 503" in str(lost)
    gone = verify("http://127.0.0.1:9", "lunch")
    assert gone.status == 2
    assert not gone.differing


def test_a_key_that_signs_certificates_is_taken_from_the_page_and_said(tmp_path: Path) -> None:
    pytest.importorskip("pyhpke")
    with open_house(tmp_path / "survey.db", LUNCH) as house:
        make_keys(house.collector.store)
        with serving(house.app.wsgi_app) as url:
            found = verify(url, "lunch")
        signs = (house.collector.gateway.identity or b"").hex()
    assert found.status == 0
    assert f"Certificates of erasure are signed with the key {signs}." in found.notes


def test_no_key_is_said_where_no_report_can_be_erased_not_even_one_that_a_changed_page_has(tmp_path: Path) -> None:
    pytest.importorskip("pyhpke")
    lie = b'<code class="fingerprint" data-signs>' + b"ab" * 32 + b"</code>"

    def lead(path: str, response: list[Any]) -> None:
        if path == "/s/lunch":
            response[2] += lie

    with open_house(tmp_path / "survey.db", replace(LUNCH, keep="counts")) as house:
        make_keys(house.collector.store)
        app = Tampering(house.app.wsgi_app)
        with serving(app) as url:
            honest = verify(url, "lunch")
            app.change = lead
            changed = verify(url, "lunch")
    assert (honest.status, [path for path, _ in differing(changed)]) == (0, ["/s/lunch"])
    for found in (honest, changed):
        assert not [note for note in found.notes if "Certificates" in note]


def test_keys_of_an_oblivious_survey_are_those_of_the_gateway_behind_its_relay(tmp_path: Path) -> None:
    pytest.importorskip("pyhpke")
    with open_house(tmp_path / "survey.db", LUNCH) as house, front_of(house.app) as relay:
        store = house.collector.store
        survey = with_gateway(store, LUNCH, relay.url)
        store.add_survey(survey)
        with serving(house.app.wsgi_app) as url:
            honest = verify(url, survey.id, fingerprint=survey.fingerprint)
            signed = SignedKeys.from_json(relay.answers[-1].body)
            lie = replace(signed, keys=signed.keys[:-1] + b"?")
            with store.reader() as connection:
                lie = replace(lie, signature=sign(connection, lie.signed))
            other = replace(signed, signature=bytes(64))
            told = []
            for body in (lie.to_json(), other.to_json(), b"<html>"):
                relay.spoil_gets.append(lambda answer, body=body: answer._replace(body=body))
                told += [(each.what, each.expected, each.got) for each in verify(url, survey.id).differing]
            store.add_survey(down := replace(survey, id="down", relay="http://127.0.0.1:9"))
            lost = verify(url, down.id)
    at = relay.url + SIGNED_PATH
    assert honest.status == 0
    assert [each.path for each in honest.compared[-4:]] == [SIGNED_PATH, SIGNED_PATH, at, at]
    assert f"The gateway's keys of epoch {signed.epoch} have the hash {signed.digest}." in honest.notes
    assert "/js/oblivious.min.js" in {each.path for each in honest.compared}
    assert told[0] == (f"keys of epoch {signed.epoch}", signed.digest, lie.digest)
    assert told[1] == ("signature", survey.gateway_key, "another")
    assert told[2][:2] == ("keys", "signed keys of a gateway")
    assert len(told) == 3
    assert (lost.status, [each.path for each in lost.not_fetched]) == (2, [down.relay + SIGNED_PATH])


def test_a_closed_survey_is_compared_as_a_closed_page(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", LUNCH) as house:
        house.administer("POST", "/v1/surveys/lunch/close")
        with serving(house.app.wsgi_app) as url:
            found = verify(url, "lunch")
    assert found.status == 0
    assert "The survey is closed." in "".join(found.notes)


def test_a_proxy_is_another_place(url: str, served: tuple[str, Tampering, House]) -> None:
    """A proxy is asked by the whole address; it serves one person another script."""

    def proxy(environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        response = requests.get(environ["RAW_URI"], timeout=30)
        kept = ("content-type", "content-security-policy", "x-content-type-options", "referrer-policy")
        kept += ("cross-origin-opener-policy", "cross-origin-resource-policy", "cache-control")
        start_response("200 OK", [(name, value) for name, value in response.headers.items() if name.lower() in kept])
        if environ["RAW_URI"].endswith("v1/surveys/lunch"):
            return [OTHER.canonical]
        return [response.content + (b"//" if environ["RAW_URI"].endswith("able.js") else b"")]

    with serving(proxy) as place:
        found = verify(url, "lunch", places=("direct", place))
    differ = {(each.path, each.expected, each.got) for each in found.differing if "lang" not in each.path}
    assert {each.place for each in found.differing} == {place}
    assert {path for path, _, _ in differ} == {"/s/lunch", "/static/able.js", "/v1/surveys/lunch"}
    assert ("/v1/surveys/lunch", LUNCH.fingerprint, OTHER.fingerprint) in differ
    assert f"differs      /static/able.js  from {place}" in str(found)


def test_a_manifest_must_be_of_the_release_that_is_installed(url: str, tmp_path: Path) -> None:
    path, manifest = tmp_path / "hashes.json", release_manifest()
    path.write_text(json.dumps(manifest))
    found = verify(url, manifest=str(path), is_whole=True)
    assert found.status == 0
    assert {each.path for each in found.compared} == {*manifest["files"]}  # type: ignore[misc]
    path.write_text(json.dumps(manifest | {"version": "0.0.1"}))
    with pytest.raises(AuthorError, match=rf"must be that of sottovoce {__version__}.*it is of 0\.0\.1"):
        verify(url, manifest=str(path))
    path.write_text(json.dumps(manifest | {"files": manifest["files"] | {"/static/able.js": "x"}}))  # type: ignore[operator]
    with pytest.raises(AuthorError, match=r"/static/able\.js of this installation has the hash"):
        verify(url, manifest=str(path))
    path.write_text("[]")
    with pytest.raises(AuthorError, match="must be a JSON object"):
        verify(url, manifest=str(path))


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("ftp://x", "lunch"), 3, "url must be http:// or https://"),
        (("http://x", "Lunch!"), 3, "survey_id must be 1 to 64"),
        (("http://x", "lunch", "--fingerprint", "abc"), 3, "fingerprint must be 64 hexadecimal digits"),
        (("http://x", "lunch", "--from", "tor"), 3, "place (tor) must be direct, or a proxy such as"),
        (("http://x", "lunch", "--times", "2"), 2, "--times goes with --every"),
        (("http://x", "lunch", "--every", "soon"), 2, "such as 30s, 10m, 2h or 1d"),
        (("http://x", "--manifest", "/no/where"), 3, "must be a file that can be read: No such file"),
        (("http://x", "--manifest", "http://me:s3cret@127.0.0.1:1/x"), 3, "***@127.0.0.1"),
    ],
)
def test_impossible_arguments_are_refused_in_words_and_are_no_difference(
    arguments: tuple[str, ...], status: int, message: str
) -> None:
    """By the whole command: it masks passwords, and keeps the status. 1 would tell a timer that something differs."""
    result = CliRunner().invoke(main, ["verify", *arguments])
    assert result.exit_code == status
    assert message in result.output
    assert "s3cret" not in result.output


def test_the_command_says_the_same_and_ends_with_its_status(
    url: str, served: tuple[str, Tampering, House], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(commands.time, "sleep", waited.append)
    result = CliRunner().invoke(commands.verify, [url, "--every", "10m", "--times", "3"])
    assert (result.exit_code, len(waited)) == (0, 2)
    assert all(300 <= each <= 900 for each in waited)
    assert result.stdout.count("All the same: ") == 3
    served[1].change = lambda path, response: response.__setitem__(2, b"evil") if "able" in path else None
    result = CliRunner().invoke(commands.verify, [url, "--every", "1s", "--json", "--save", str(tmp_path / "proof")])
    assert result.exit_code == 1
    assert json.loads(result.stdout) == verify(url).to_dict()
    assert (tmp_path / "proof" / "1.bin").read_bytes() == b"evil"
    assert json.loads((tmp_path / "proof" / "verified.json").read_text())["status"] == 1
