"""The hashes that a release has published, and whether what is installed here is that release."""

import json
from collections.abc import Mapping
from pathlib import Path

from sotto_author.errors import AuthorError
from sotto_author.verification.visitor import Visitor
from sotto_protocol import __version__
from sotto_protocol.extras import install_command

_HOW = "Check it by docs/releases.md."


def check_release(source: str, served: Mapping[str, bytes]) -> None:
    """Raise AuthorError unless a manifest, in a file or at an address, is that of the files that are installed here."""
    from sotto_collector.pages.release import digest

    manifest = _read(source)
    version, files = manifest.get("version"), manifest.get("files")
    if version != __version__ or not isinstance(files, dict):
        raise AuthorError(
            f"manifest ({source}) must be that of sottovoce {__version__}, which is installed here; it is of {version}."
            f" Install the release that the collector runs: {install_command('collector', version=str(version))}"
        )
    ours = {name: digest(body) for name, body in served.items()}
    for name in sorted({*ours} | {*files}):
        if ours.get(name) != files.get(name):
            raise AuthorError(
                f"{name} of this installation has the hash {ours.get(name, 'none')}, and in the manifest ({source}) "
                f"{files.get(name, 'none')}: what is installed here is not what was released. {_HOW}"
            )


def _read(source: str) -> Mapping[str, object]:
    try:
        if source.startswith(("http://", "https://")):
            manifest = json.loads(Visitor().open(source).body)
        else:
            manifest = json.loads(Path(source).read_bytes())
    except OSError as fault:
        raise AuthorError(f"manifest ({source}) must be a file that can be read: {fault.strerror}.") from fault
    except (ValueError, RecursionError) as fault:
        raise AuthorError(f"manifest ({source}) must be JSON, as a release publishes it: docs/releases.md.") from fault
    if not isinstance(manifest, dict):
        raise AuthorError(f"manifest ({source}) must be a JSON object, as a release publishes it: docs/releases.md.")
    return manifest
