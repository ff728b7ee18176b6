"""deploy/compose.yaml and deploy/Containerfile, read: what would be run in a container, to be run on this machine."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from proxies import DEPLOY

COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
CONTAINERFILE = (DEPLOY / "Containerfile").read_text()
SECRET = "/run/secrets/database_password"  # noqa: S105  # where it is, not what


def instruction(name: str) -> list[str]:
    """Return what the Containerfile says after ENTRYPOINT, CMD or HEALTHCHECK, as a list of words."""
    [words] = re.findall(rf"^{name}\b[^[\n]*(\[.*\])$", CONTAINERFILE, re.MULTILINE)
    return [str(word) for word in json.loads(words)]


def environment_of(service: str, here: Mapping[str, str]) -> dict[str, str]:
    """Return a service's environment, the image's own below it, with changes for this machine."""
    own = {name: str(value) for name, value in COMPOSE["services"][service]["environment"].items()}
    image = dict(re.findall(r"(SOTTO_\w+)=(\S+)", CONTAINERFILE)) if service == "collector" else {}
    return {name: _change(value, here) for name, value in (image | own).items()}


def command_of(service: str, here: Mapping[str, str], *instead: str) -> list[str]:
    """Return a service's entry point and command, or what stands `instead` of the command, with changes."""
    found = COMPOSE["services"][service]
    words = [*found.get("entrypoint", []), *(instead or found["command"])]
    return [_change(str(word).replace("$$", "$"), here) for word in words]


def health_check_of(service: str, here: Mapping[str, str]) -> list[str]:
    found = COMPOSE["services"][service].get("healthcheck")
    words = found["test"][1:] if found else instruction("HEALTHCHECK")
    return [_change(str(word), here) for word in words]


def _change(text: str, here: Mapping[str, str]) -> str:
    for old, new in here.items():
        text = text.replace(old, new)
    return text


def copied_names() -> set[str]:
    """Return the files and folders of this repository that the Containerfile copies."""
    return {name for line in re.findall(r"^COPY (.*) \S+$", CONTAINERFILE, re.MULTILINE) for name in line.split()}


def mounted(service: str) -> list[Path]:
    """Return where a service's volumes and temporary folders are: all that it can write to."""
    found = COMPOSE["services"][service]
    return [Path(each.split(":")[1]) for each in found["volumes"]] + [Path(each) for each in found["tmpfs"]]
