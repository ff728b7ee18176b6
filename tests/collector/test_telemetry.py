"""OpenTelemetry: a real receiver is sent what /metrics says, in all its bytes nothing of who asks, and else nothing."""

import base64
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from collecting import SURVEY, TIMEOUT_S, Served, make_reports, serve, wait_until
from postgres_server import free_port
from sotto_collector.errors import SettingError
from sotto_collector.telemetry import check_environment, is_wanted, read_interval_s
from sotto_protocol import Report, batch_body

pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

PEER = "127.0.0.77"
"""The address that reports come from: nothing else has it."""
CANARY = "c4n4ry"
INTERVAL_MS = 150
HERE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
Values = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@dataclass
class Receiver:
    """What a receiver of OTLP was sent: of each request its path, and all of its bytes but the receiver's address."""

    port: int = 0
    status: int = 200
    delay_s: float = 0.0
    requests: list[tuple[str, bytes, bytes]] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        """What asks for everything that OpenTelemetry can send."""
        sent = {f"OTEL_{kind}_EXPORTER": "otlp" for kind in ("TRACES", "METRICS", "LOGS")}
        url = f"http://127.0.0.1:{self.port}"
        return sent | {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_METRIC_EXPORT_INTERVAL": str(INTERVAL_MS)}

    def read(self) -> list[Any]:
        """Return what was sent, decoded: of each request its only resource."""
        resources = [ExportMetricsServiceRequest.FromString(body).resource_metrics for _, _, body in [*self.requests]]
        assert all(len(found) == 1 for found in resources)
        return [found[0] for found in resources]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            del self.headers["Host"]
            found.requests.append((self.path, f"{self.requestline}\n{self.headers}".encode(), body))
            time.sleep(found.delay_s)
            self.send_response(found.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.port = server.server_port
        threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
        yield found
        server.shutdown()


def post_as_peer(served: Served, reports: list[Report]) -> None:
    """Post reports from PEER, with all that a request could say of who asks."""
    said = {"User-Agent": f"{CANARY}/1", "X-Forwarded-For": "203.0.113.77", "Cookie": f"a={CANARY}", "Referer": CANARY}
    headers = said | {"Content-Type": "application/json", "traceparent": f"00-{'c4' * 16}-{'c4' * 8}-01"}
    with closing(HTTPConnection("127.0.0.1", served.port, timeout=TIMEOUT_S, source_address=(PEER, 0))) as connection:
        connection.request("POST", f"/v1/surveys/{SURVEY.id}/reports", batch_body(SURVEY, reports), headers)
        assert connection.getresponse().status == 200


def values_of(resource: Any) -> Values:
    """Return what was sent as Prometheus would name it: of histograms the cumulated buckets, the sum and the count."""
    found: Values = {}
    for metric in (metric for scope in resource.scope_metrics for metric in scope.metrics):
        for point in (*metric.gauge.data_points, *metric.sum.data_points):
            end = "_total" if metric.HasField("sum") and not metric.name.endswith("_total") else ""
            found[metric.name + end, labels_of(point)] = point.as_double
        for point in metric.histogram.data_points:
            labels, n_up_to = labels_of(point), 0
            for bound, count in zip([*point.explicit_bounds, "+Inf"], point.bucket_counts, strict=True):
                n_up_to += count
                found[f"{metric.name}_bucket", tuple(sorted([*labels, ("le", str(bound))]))] = n_up_to
            found[f"{metric.name}_count", labels] = point.count
            found[f"{metric.name}_sum", labels] = point.sum
            assert not point.HasField("min")
            assert not point.HasField("max")
    return found


def labels_of(point: Any) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((pair.key, pair.value.string_value) for pair in point.attributes))


def scrape(served: Served) -> Values:
    _, _, content = served.fetch("GET", "/metrics", token=served.analyst)
    families = text_string_to_metric_families(content.decode())
    samples = [sample for family in families for sample in family.samples]
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}


def n_counted(resource: Any) -> float:
    return values_of(resource).get(("sotto_reports_total", (("outcome", "counted"),)), 0)


@pytest.mark.parametrize("n_workers", ["1", pytest.param("2", marks=pytest.mark.rare)])
def test_receiver_is_sent_what_metrics_say_and_nothing_of_who_asks(
    receiver: Receiver, tmp_path: Path, n_workers: str
) -> None:
    reports = make_reports(9)
    with serve(tmp_path / "survey.db", "--workers", n_workers, env=receiver.env) as served:
        for report in reports:
            post_as_peer(served, [report])
        receipt = f'{{"receipt": "{reports[0].receipt}"}}'.encode()
        assert served.ask("POST", f"/v1/surveys/{SURVEY.id}/erase", receipt)[0] == 200
        served.fetch("GET", f"/v1/surveys/{CANARY}?{CANARY}={CANARY}")
        scraped = scrape(served)
        n_before = len(receiver.requests)
        wait_until(lambda: len(receiver.requests) > n_before + 1 and n_counted(receiver.read()[-1]) == 9)
        sent = values_of(receiver.read()[-1])
        assert served.stop() == (0, "", "")
    steady = {key: value for key, value in scraped.items() if is_steady(key, value)}
    assert {key[0] for key in steady} >= {"sotto_reports_total", "sotto_commit_reports_bucket", "sotto_info"}
    assert {key: sent.get(key) for key in steady} == steady
    assert {path for path, _, _ in receiver.requests} == {"/v1/metrics"}
    for word in secrets_of(served, reports):
        assert all(word not in head + body for _, head, body in receiver.requests), word


def is_steady(key: tuple[str, Any], value: float) -> bool:
    """Whether a sample is the same in the next scrape, and finite: nothing infinite is sent."""
    moves = ("process_", "sotto_request", "sotto_token_seconds_left", "sotto_disk", "sotto_process")
    return not key[0].startswith(moves) and abs(value) != float("inf")


def secrets_of(served: Served, reports: list[Report]) -> list[bytes]:
    words = [PEER, "203.0.113.77", CANARY, SURVEY.id, SURVEY.fingerprint, served.admin, served.analyst, str(served.db)]
    ids = [form for report in reports for form in forms_of(report.id)]
    return [word.encode() for word in words] + [socket.inet_aton(PEER), b"\xc4" * 8, b"c4" * 8, *ids]


def forms_of(report_id: bytes) -> list[bytes]:
    """Return an id as bytes, in hexadecimal, and in both alphabets of base64."""
    encoded = [base64.b64encode(report_id), base64.urlsafe_b64encode(report_id)]
    return [report_id, report_id.hex().encode(), *(text.rstrip(b"=") for text in encoded)]


@pytest.mark.thorough
def test_resource_says_which_collector_it_is_and_nothing_of_the_machine(receiver: Receiver, tmp_path: Path) -> None:
    with serve(tmp_path / "survey.db", env=receiver.env | {"OTEL_RESOURCE_ATTRIBUTES": "site=a"}) as served:
        wait_until(lambda: bool(receiver.requests))
        attributes = {pair.key: pair.value.string_value for pair in receiver.read()[0].resource.attributes}
        assert served.stop()[0] == 0
    assert {*attributes} == {"service.name", "service.version", "service.instance.id", "site"}
    assert attributes["service.name"] == "sottovoce"
    with serve(tmp_path / "survey.db", env=receiver.env | {"OTEL_SERVICE_NAME": "mine"}) as served:
        n_before = len(receiver.requests)
        wait_until(lambda: len(receiver.requests) > n_before)
        attributes = {pair.key: pair.value.string_value for pair in receiver.read()[-1].resource.attributes}
    assert attributes["service.name"] == "mine"


@pytest.mark.thorough
def test_of_several_workers_one_sends_and_another_goes_on_when_it_is_replaced(
    receiver: Receiver, tmp_path: Path
) -> None:
    """Under one name, since one moment, and no count falls: else a receiver would add the same reports twice."""
    with serve(tmp_path / "survey.db", "--workers", "2", env=receiver.env) as served:
        assert served.send(make_reports(5))[0] == 200
        wait_until(lambda: bool(receiver.requests) and n_counted(receiver.read()[-1]) == 5)
        began = time.monotonic()
        n_before = len(receiver.requests)
        wait_until(lambda: len(receiver.requests) >= n_before + 4)
        assert time.monotonic() - began > 3 * INTERVAL_MS / 1000 * 0.9  # two that sent would take half of it
        served.process.send_signal(signal.SIGHUP)
        wait_until(lambda: scrape(served)["sotto_process_starts_total", ()] == 4)
        assert served.send(make_reports(5))[0] == 200
        wait_until(lambda: n_counted(receiver.read()[-1]) == 10)
        assert served.stop()[0] == 0
    sent = receiver.read()
    counts = [n_counted(resource) for resource in sent]
    assert counts == sorted(counts)
    points = [p for r in sent for s in r.scope_metrics for m in s.metrics for p in m.sum.data_points]
    assert len({point.start_time_unix_nano for point in points}) == 1
    instances = {p.value.string_value for r in sent for p in r.resource.attributes if p.key == "service.instance.id"}
    assert len(instances) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fault", [pytest.param("nobody", marks=pytest.mark.rare), pytest.param("refuses", marks=pytest.mark.rare), "hangs"]
)
def test_receiver_that_fails_is_one_line_and_disturbs_nobody(receiver: Receiver, tmp_path: Path, fault: str) -> None:
    receiver.status, receiver.delay_s = (503, 0.0) if fault == "refuses" else (200, 60.0)
    port = free_port() if fault == "nobody" else receiver.port
    where = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    with serve(tmp_path / "survey.db", env=receiver.env | where) as served:
        assert served.send(make_reports(3))[0] == 200
        time.sleep(1.5 if fault == "nobody" else 0.0)
        wait_until(lambda: fault == "nobody" or bool(receiver.requests))
        began = time.monotonic()
        assert served.send(make_reports(3))[0] == 200
        code, _, err = served.stop()
        assert time.monotonic() - began < 9
    receiver.delay_s = 0.0
    assert code == 0
    assert err.count("\n") <= 1
    assert str(port) not in err


@pytest.mark.thorough
def test_nothing_is_imported_where_nobody_asks() -> None:
    script = "import sys, sotto_collector.serving.worker; print([n for n in sys.modules if 'opentelemetry' in n])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (HERE, True),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:4318/v1/metrics"}, True),
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
        ({"OTEL_METRICS_EXPORTER": "otlp"}, False),
        (HERE | {"OTEL_METRICS_EXPORTER": "none"}, False),
        (HERE | {"OTEL_METRICS_EXPORTER": "prometheus, otlp"}, True),
        (HERE | {"OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_standard_variables_decide_whether_it_sends(environ: Mapping[str, str], expected: bool) -> None:
    assert is_wanted(environ) is expected


@pytest.mark.parametrize("given", ["0", "-1", "1.5", "1e3", "soon", "86400001", "١"])
def test_interval_that_is_none_is_refused(given: str) -> None:
    environ = HERE | {"OTEL_METRIC_EXPORT_INTERVAL": given}
    with pytest.raises(SettingError, match=r"OTEL_METRIC_EXPORT_INTERVAL .* in \[1, 86400000\]"):
        check_environment(environ)
    check_environment({"OTEL_METRIC_EXPORT_INTERVAL": given})  # nobody asks


def test_interval_is_in_milliseconds_and_a_minute_by_default() -> None:
    assert (read_interval_s({}), read_interval_s({"OTEL_METRIC_EXPORT_INTERVAL": "2500"})) == (60, 2.5)


@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"])
def test_protocol_that_it_does_not_speak_is_refused(name: str) -> None:
    check_environment(HERE | {name: "http/protobuf"})
    with pytest.raises(SettingError, match=r"OTEL_EXPORTER_OTLP_PROTOCOL \('grpc'\) must be http/protobuf"):
        check_environment(HERE | {name: "grpc"})


@contextmanager
def without(folder: Path, package: str) -> Iterator[dict[str, str]]:
    """Yield an environment in which a package cannot be imported."""
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] == {package!r}: raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Gone())\n"
    )
    yield {"PYTHONPATH": str(folder)}


@pytest.mark.rare
@pytest.mark.thorough
def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    with without(tmp_path, "opentelemetry") as env:
        with serve(tmp_path / "survey.db", env=env) as served:
            assert served.stop() == (0, "", "")
        done = subprocess.run(
            [Path(sys.executable).with_name("sotto"), "serve", "--db", tmp_path / "survey.db", "--port", "0"],
            env=os.environ | env | HERE,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "pip install 'sottovoce[otel]'" in done.stderr
