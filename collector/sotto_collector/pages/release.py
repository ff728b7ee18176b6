"""The files that a release gives to every browser alike, and their hashes, which it publishes (docs/verify.md)."""

import base64
import hashlib
import json
from pathlib import Path

from sotto_protocol import __version__

STATIC = Path(__file__).parent / "static"
FOLDERS = ("component", "form", "src", "words")
"""What the JavaScript client consists of, beside its modules and bundles."""
_SUFFIXES = ("js", "css", "svg")


def find_client_js() -> Path:
    """Return the folder of the JavaScript client: within this package where it was installed, else the checkout's."""
    installed = Path(__file__).parents[1] / "js"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "client" / "js"


def served_files() -> dict[str, bytes]:
    """Return the content of each file that every collector of this release serves, by its path there."""
    client = find_client_js()
    found = [("/static", STATIC, path) for suffix in _SUFFIXES for path in STATIC.glob(f"*.{suffix}")]
    found += [("/js", client, path) for path in client.glob("*.js")]
    found += [("/js", client, path) for folder in FOLDERS for path in (client / folder).rglob("*.js")]
    files = {f"{below}/{path.relative_to(folder).as_posix()}": path for below, folder, path in found}
    return {name: files[name].read_bytes() for name in sorted(files)}


def describe_release(default_csp: str, extra_csp: dict[str, str], files: dict[str, bytes]) -> dict[str, object]:
    """Return a manifest of files, with the members that WEBCAT and Code Verify read.

    `files`, `default_csp`, `extra_csp` are WEBCAT's: SHA-256 in base64url without padding, by path
    (freedomofpress/webcat, extension/src/webcat/interfaces/bundle.ts and response.ts). `manifest` and
    `manifest_hashes` are Code Verify's: SHA-256 in hexadecimal of each script, and of lists of them
    (facebookincubator/meta-code-verify, src/js/background/validateMetaCompanyManifest.ts).
    """
    leaves = sorted({_hex(content) for name, content in files.items() if name.endswith(".js")})
    main, longtail = _hex(_listed(leaves)), _hex(_listed([]))
    return {
        "name": "sottovoce",
        "version": __version__,
        "default_csp": default_csp,
        "extra_csp": extra_csp,
        "wasm": [],
        "files": {name: digest(content) for name, content in files.items()},
        "manifest": leaves,
        "manifest_hashes": {
            "main": main,
            "longtail": longtail,
            "combined_hash": _hex(f"{longtail}{main}".encode()),
        },
    }


def digest(content: bytes) -> str:
    """Return a SHA-256 as a manifest has it.

    >>> digest(b"")
    '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'
    """
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def _hex(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _listed(leaves: list[str]) -> bytes:
    """Return a list as JavaScript's JSON.stringify writes it."""
    return json.dumps(leaves, separators=(",", ":")).encode()
