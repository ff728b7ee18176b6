"""An author of an oblivious survey names the relay; the collector's gateway is named by `sotto publish`."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from collecting import make_tables
from faulty_relay import front_of
from house import open_house
from sotto_author.previewed import Previewed
from sotto_client.cli import main
from sotto_collector.app import create_app
from sotto_collector.settings import Settings
from sotto_collector.store import Store
from sotto_collector.store.gateway import make_keys
from sotto_protocol import Survey, compile_toml

TOML = """
id = "quiet"
title = "Quiet"
delivery = "oblivious"
relay = "https://relay.example"
[[questions]]
id = "paid"
type = "yes-no"
text = "Did you pay?"
epsilon = 1
"""


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "quiet.toml"
    path.write_text(TOML)
    return path


def test_publishing_asks_the_collector_for_its_key_and_refuses_another(tmp_path: Path, file: Path) -> None:
    with open_house(tmp_path / "survey.db") as house, front_of(house.app) as front:
        token = house.admin["Authorization"].split()[1]
        refused = run("publish", file, front.url, "--token", token)
        assert refused.exit_code == 1
        assert f"{front.url} has no gateway. On its machine run sotto gateway key new" in refused.output
        make_keys(house.collector.store)
        house.collector.gateway._known = None
        file.write_text(f'gateway_key = "{"5e" * 32}"\n{TOML}')
        assert "must be the key of this collector" in run("publish", file, front.url, "--token", token).output
        assert house.collector.find_survey("quiet") is None
        file.write_text(TOML)
        said = run("publish", file, front.url, "--token", token)
        assert said.exit_code == 0, said.output
        assert "Reports come through https://relay.example. Somebody else must run it." in said.stderr
        stored = house.collector.find_survey("quiet")
        assert stored is not None
        identity = house.collector.gateway.identity
        assert identity is not None
        assert (stored.survey.gateway_key, stored.survey.fingerprint) == (identity.hex(), said.stdout.split()[1])
        assert run("publish", file, front.url, "--token", token).exit_code == 0  # the same once more
        erased = run("erase", front.url, "quiet", "--receipt", "0" * 32)
        assert "this command asks the collector itself, which sees the address" in erased.output
        assert "no report of this survey" in run("erase", front.url, "quiet", "--receipt", "0" * 32, "--yes").output


def test_a_file_without_the_key_is_checked_and_says_that_its_fingerprint_is_open(file: Path) -> None:
    told = run("check", file).output
    assert "delivery oblivious, through https://relay.example, which somebody else must run" in told
    assert "fingerprint known after sotto publish" in told
    document = json.loads(run("check", file, "--json").stdout)
    assert (document["fingerprint"], document["delivery"]) == (None, "oblivious")
    assert "--canonical needs a gateway_key" in run("check", file, "--canonical").output
    file.write_text(f'gateway_key = "{"5e" * 32}"\n{TOML}')
    survey = Survey.from_canonical(run("check", file, "--canonical").stdout.strip().encode())
    assert f"fingerprint {survey.fingerprint}" in run("check", file).output


def test_a_preview_shows_it_though_no_gateway_is_known(tmp_path: Path, file: Path) -> None:
    db = tmp_path / "preview.db"
    make_tables(db)
    app = create_app(Settings(db=str(db), min_free_bytes=0))
    with closing(app.extensions["collector"]):
        app.wsgi_app = Previewed(file, compile_toml(TOML), app)  # type: ignore[method-assign]
        page = app.test_client().get("/", follow_redirects=True)
        assert page.status_code == 200
        assert "through a relay (https://relay.example)" in " ".join(page.text.split())
        assert app.test_client().get("/results", follow_redirects=True).status_code == 200
    with closing(Store(db)) as store:
        assert {stored.survey.delivery for stored in store.list_surveys() if not stored.is_draft} == {"direct"}
