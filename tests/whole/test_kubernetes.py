"""deploy/kubernetes: what stands there is known to Kubernetes, and to the program. No cluster has run it."""

import re
from itertools import chain
from typing import Any

import click
import pytest
import yaml

from containers import CONTAINERFILE, instruction
from proxies import DEPLOY
from sotto_client.cli import main
from sotto_collector.api.openapi import OPERATIONS
from sotto_collector.settings import SETTINGS

FOLDER = DEPLOY / "kubernetes"
README = (FOLDER / "README.md").read_text()
FILES: dict[str, list[dict[str, Any]]] = {
    path.name: [*yaml.safe_load_all(path.read_text())] for path in sorted(FOLDER.glob("*.yaml"))
}
ALL = [*chain(*FILES.values())]
PODS = {
    each["metadata"].get("name") or each["metadata"]["generateName"]: each["spec"]["template"]
    for each in ALL
    if "template" in each["spec" if "spec" in each else "metadata"]
}
COLLECTOR = {"GET " + each.path for each in OPERATIONS if each.method == "get"}
RELAY = {"GET /health"}


def container_of(pod: dict[str, Any]) -> dict[str, Any]:
    [found] = pod["spec"]["containers"]
    assert isinstance(found, dict)
    return found


def matched(selector: dict[str, str]) -> set[str]:
    """Return the pods that a selector is of."""
    return {name for name, pod in PODS.items() if selector.items() <= pod["metadata"]["labels"].items()}


def parse(words: list[str]) -> str:
    """Read a command line as `sotto` does, and return the command. Raises click.UsageError."""
    command: click.Command = main
    words = [*words]
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, name
        command = found
    command.make_context(str(command.name), words)
    return str(command.name)


@pytest.mark.thorough
def test_the_schemas_of_kubernetes_know_every_member() -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    versions = re.search(r"schemas of Kubernetes (\S+) and (\d+\.\d+)", README)
    assert versions
    for version in versions.groups():
        for name, documents in FILES.items():
            for document in documents:
                assert kubernetes_validate.validate(document, version, strict=True) == version, name
        right = FILES["collector.yaml"][0]
        wrong = right | {"spec": right["spec"] | {"replica": 2}}
        with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
            kubernetes_validate.validate(wrong, version, strict=True)


def test_the_readme_names_every_file_and_no_other() -> None:
    assert {*re.findall(r"^\| `(\S+)` \|", README, re.MULTILINE)} == {*FILES}
    assert {*re.findall(r"-f (\S+)", README)} - {"secret.yaml"} <= {*FILES}
    assert "validated and not run" in README
    commands = re.findall(r"^kubectl exec \S+ -- sotto (.+)$", README, re.MULTILINE)
    assert [parse(command.split()) for command in commands] == ["create"]


def test_every_pod_runs_a_command_of_the_program_as_nobody_special() -> None:
    run = {}
    for name, pod in PODS.items():
        container = container_of(pod)
        words = container.get("args") or container["command"][2].removesuffix(" > /dev/null").split()[1:]
        run[name] = parse(words)
        assert instruction("ENTRYPOINT") == ["sotto"]
        assert pod["spec"]["automountServiceAccountToken"] is pod["spec"]["enableServiceLinks"] is False
        user = pod["spec"]["securityContext"]
        assert user["runAsNonRoot"]
        assert user["runAsUser"] > 0
        assert user["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        [mount], [volume] = container["volumeMounts"], pod["spec"]["volumes"]
        assert mount["name"] == volume["name"]
        assert "emptyDir" in volume
        assert container["workingDir"] == mount["mountPath"] == "/tmp"  # noqa: S108  # in the container
        assert {"requests", "limits"} == {*container["resources"]}
    assert run == {
        "sotto-collector": "serve",
        "sotto-init-": "init",
        "sotto-upgrade-": "upgrade",
        "sotto-relay": "relay",
    }
    relay, *others = [PODS["sotto-relay"], *(PODS[name] for name in run if name != "sotto-relay")]
    assert len({container_of(pod)["image"] for pod in others}) == 1
    assert container_of(relay)["image"] != container_of(others[0])["image"]
    assert "ARG EXTRAS=collector,postgres," in CONTAINERFILE
    assert "--build-arg EXTRAS=relay" in README


def test_every_variable_is_a_setting_and_every_secret_is_there() -> None:
    [secret] = FILES["secret.example.yaml"]
    settings = {row.env: row for row in SETTINGS}
    for pod in PODS.values():
        for variable in container_of(pod).get("env", []):
            assert variable["name"] in {*settings, "PGPASSWORD"}
            if "value" not in variable:
                wanted = variable["valueFrom"]["secretKeyRef"]
                assert wanted["name"] == secret["metadata"]["name"]
                assert wanted["key"] in secret["stringData"]
            elif choices := settings[variable["name"]].choices:
                assert variable["value"] in choices
    assert secret["stringData"]["url"].startswith("postgresql://")
    assert secret["stringData"]["password"] not in secret["stringData"]["url"]


@pytest.mark.parametrize(("name", "routes"), [("sotto-collector", COLLECTOR), ("sotto-relay", RELAY)])
def test_services_and_probes_lead_to_ports_and_paths_that_are_served(name: str, routes: set[str]) -> None:
    container = container_of(PODS[name])
    [port] = container["ports"]
    listens = [each["value"] for each in container.get("env", []) if each["name"] == "SOTTO_PORT"]
    assert [str(port["containerPort"])] == (listens or container["args"][-1:])
    probes = {key: probe["httpGet"] for key, probe in container.items() if key.endswith("Probe")}
    assert all(probe["port"] == port["name"] and f"GET {probe['path']}" in routes for probe in probes.values())
    assert probes["readinessProbe"]["path"] in ("/readyz", "/health")
    assert probes["livenessProbe"]["path"] != "/healthz"  # which a database that is away fails: a restart mends none
    [service] = [each for each in ALL if each["kind"] == "Service" and each["metadata"]["name"] == name]
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]
    assert matched(service["spec"]["selector"]) == {name}


def test_policies_and_the_budget_are_of_the_pods_that_they_mean() -> None:
    by_name = {(each["kind"], each["metadata"].get("name")): each["spec"] for each in ALL if "spec" in each}
    deployment = by_name["Deployment", "sotto-collector"]
    budget = by_name["PodDisruptionBudget", "sotto-collector"]
    assert deployment["replicas"] == 2 > budget["minAvailable"] == 1
    spread = deployment["template"]["spec"]["topologySpreadConstraints"]
    one = [deployment["selector"], budget["selector"], *(each["labelSelector"] for each in spread)]
    one.append(by_name["NetworkPolicy", "sotto-collector"]["podSelector"])
    assert all(matched(selector["matchLabels"]) == {"sotto-collector"} for selector in one)
    egress = by_name["NetworkPolicy", "sotto-database"]["podSelector"]["matchLabels"]
    assert matched(egress) == {"sotto-collector", "sotto-init-", "sotto-upgrade-"}
    relay = by_name["NetworkPolicy", "sotto-relay"]["podSelector"]["matchLabels"]
    assert matched(relay) == {"sotto-relay"}
