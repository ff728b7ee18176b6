"""What a release is made of, as CycloneDX (https://cyclonedx.org) has it: a bill for each extra, one for npm."""

import hashlib
import json
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from importlib.metadata import distributions
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from licences import licence_of
from versions import ReleaseError

from sotto_protocol.extras import DISTRIBUTION

Bill = dict[str, Any]
NOT_PUBLISHED = "dev"
"""The extra of who changes the program."""


def metadata_of(wheel: Path) -> Message:
    """Return what a wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def extras_of(wheel: Path) -> list[str]:
    """Return the extras of a wheel, the empty one first: what is installed without any."""
    return ["", *(extra for extra in metadata_of(wheel).get_all("Provides-Extra", []) if extra != NOT_PUBLISHED)]


def install(wheel: Path, extra: str, folder: Path, *, uv: Path, moment: str | None) -> Path:
    """Make an environment with the wheel and an extra as of a moment; return its Python. Asks the package index."""
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    until = ["--exclude-newer", moment] if moment else []
    _run([str(uv), "venv", "--quiet", str(folder)])
    python = folder / "bin" / "python"
    _run([str(uv), "pip", "install", "--quiet", "--python", str(python), *until, wanted])
    return python


def bill_of_environment(python: Path, wheel: Path, *, tools: Path, epoch: int) -> Bill:
    """Return the bill of what an environment has, the wheel above all. `tools`: the Python that has cyclonedx-bom.

    It is valid against the schema, which cyclonedx-py checks; wheel and moment are put in after it.
    """
    bill = _run_json(
        [str(tools), "-m", "cyclonedx_py", "environment", "--output-reproducible", "--of=JSON", str(python)]
    )
    [ours] = [component for component in bill["components"] if component["name"] == DISTRIBUTION]
    bill["components"].remove(ours)
    ours["purl"] = f"pkg:pypi/{DISTRIBUTION}@{ours['version']}"
    ours["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}]
    ours.pop("externalReferences")  # among them the path where the wheel lay
    bill["metadata"]["component"] = ours
    return settled(bill, epoch)


def bill_of_package(folder: Path, *, epoch: int) -> Bill:
    """Return the bill of the npm package in a folder: what is installed with it."""
    command = ["npm", "sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--omit", "peer", "--package-lock-only"]
    bill = _run_json(command, folder)
    bill["metadata"]["component"]["name"] = "sottovoce"  # npm takes the folder's name
    return settled(bill, epoch)


def settled(bill: Bill, epoch: int) -> Bill:
    """Return a bill with the release's day for its moment, and a number that follows from all that it says."""
    bill["metadata"]["timestamp"] = datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    bill.pop("serialNumber", None)
    bill["serialNumber"] = uuid5(NAMESPACE_URL, json.dumps(bill, sort_keys=True)).urn
    return bill


def licences_of(python: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, version and licence of each distribution of an environment but our own."""
    for packages in python.parents[1].glob("lib/python*/site-packages"):
        for found in distributions(path=[str(packages)]):
            if found.name != DISTRIBUTION:
                yield found.name, found.version, licence_of(found.metadata)


def _run_json(command: list[str], folder: Path | None = None) -> Bill:
    document: Bill = json.loads(_run(command, folder))
    return document


def _run(command: list[str], folder: Path | None = None) -> str:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800)
    if ended.returncode:
        raise ReleaseError(f"{' '.join(command)} failed:\n{ended.stderr}")
    return ended.stdout
