"""Oblivious delivery from Node, past a real nginx to a real gateway: by our client, and one of other makers."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from collecting import SURVEY, Served, make_reports, serve, wait_until
from node import JS, require_node, require_package, run
from oblivious_device import with_gateway
from postgres_server import free_port
from proxies import Proxy, does_listen, run_proxy
from sotto_collector.store import Store
from sotto_protocol import Survey, batch_body
from sotto_protocol.oblivious import GATEWAY_PATH

pytestmark = pytest.mark.thorough
HERE = Path(__file__).parents[1] / "support"
RELAY = """
daemon off; {user} pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off;
  {temporary}
  server {{
    listen 127.0.0.1:{port};
    location ~ ^/.well-known/ohttp-gateway(/signed)?$ {{
      proxy_pass http://127.0.0.1:{upstream};
      proxy_pass_request_headers off;
      proxy_set_header Host gateway;
      proxy_set_header Content-Type $content_type;
    }}
  }}
}}
"""
"""A relay in nginx: it passes on what is encrypted, and of the headers the media type alone."""
ANSWER = """
import {{ SurveyClient }} from "./sottovoce.js";
const device = new SurveyClient({url}, {survey}, {{ state: ":memory:", maxEpsilon: 100, maxPeriodEpsilon: 100 }});
const survey = await device.survey();
const first = {{ "yes-no": () => true, "one-of": ([one]) => one, "any-of": ([one]) => [one], text: () => "word" }};
const answers = Object.fromEntries(survey.items.map(({{ id, type, options }}) => [id, first[type](options)]));
const receipt = await device.answer(answers);
if (!(await device.flush(20_000))) throw new Error("it waits");
const [{{ keys }}] = await device.answered();
const erased = [await device.erase(receipt.id), await device.erase("0".repeat(32))];
console.log(JSON.stringify([receipt.id, keys.length, ...erased]));
"""


@dataclass(frozen=True)
class Relayed:
    """A survey of a collector that is delivered past a relay, whose address is `url`."""

    collector: Served
    survey: Survey
    url: str


@pytest.fixture(scope="module")
def relayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Relayed]:
    folder, port = tmp_path_factory.mktemp("relay"), free_port()
    require_package("tsc")
    with serve(tmp_path_factory.mktemp("collector") / "survey.db") as collector:
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in kinds)
        configuration = RELAY.format(
            folder=folder, temporary=temporary, port=port, upstream=collector.port, user="user root;"
        )
        (folder / "nginx.conf").write_text(configuration)
        command = ["nginx", "-e", f"{folder}/early.log", "-p", f"{folder}", "-c", f"{folder}/nginx.conf"]
        with run_proxy(command, folder, {}) as process:
            wait_until(lambda: does_listen(Proxy(process, port, folder, None)))
            url = f"http://127.0.0.1:{port}"
            with closing(Store(collector.db, create=False)) as store:
                survey = with_gateway(store, SURVEY, url)
            assert collector.ask("POST", "/v1/surveys", survey.canonical, collector.admin)[0] == 201
            yield Relayed(collector, survey, url)


def test_a_client_of_other_makers_posts_100_of_100_through_nginx(relayed: Relayed) -> None:
    bodies = [batch_body(relayed.survey, [report]).decode() for report in make_reports(100, relayed.survey)]
    address = f"https://collector.example/v1/surveys/{relayed.survey.id}/reports"
    asked = json.dumps({"relay": relayed.url + GATEWAY_PATH, "address": address, "bodies": bodies})
    command = [require_node(), str(HERE / "independent_client.mjs")]
    done = subprocess.run(command, check=True, input=asked, capture_output=True, text=True, timeout=300, cwd=JS)
    replies = json.loads(done.stdout)
    assert [(reply["status"], reply["said"]["counted"]) for reply in replies] == [(200, 1)] * 100
    assert {reply["size"] for reply in replies} == {1024 + 32}


def test_our_client_sends_and_erases_through_nginx(relayed: Relayed, tmp_path: Path) -> None:
    program = ANSWER.format(url=json.dumps(relayed.collector.url), survey=json.dumps(relayed.survey.id))
    said = run([require_node(), "--input-type=module", "--eval", program], timeout_s=300)
    receipt, n_digits, is_erased, is_other_erased = json.loads(said)
    assert (len(receipt), n_digits, is_erased, is_other_erased) == (32, 64, True, False)
