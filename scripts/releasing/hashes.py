"""The hashes of what a release serves to browsers, for `sotto verify` and for extensions that check pages."""

import zipfile
from pathlib import Path

from versions import ReleaseError

from sotto_collector.pages.alone import release_manifest
from sotto_collector.pages.release import digest

FOLDERS = {"sotto_collector/pages/static/": "/static/", "sotto_collector/js/": "/js/"}
"""Where a wheel has what a collector serves, and below which address."""
SUFFIXES = (".css", ".js", ".svg")
"""Of these: declarations of types lie beside them, and are not served."""


def hashes_of(wheel: Path) -> dict[str, object]:
    """Return the manifest of this checkout. Raises ReleaseError unless the files in a wheel have just these hashes."""
    manifest = release_manifest()
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            for folder, served in FOLDERS.items():
                if name.startswith(folder) and name.endswith(SUFFIXES):
                    found[served + name.removeprefix(folder)] = digest(archive.read(name))
    if found != manifest["files"]:
        raise ReleaseError(f"the files in {wheel.name} that collectors serve are not those of this checkout.")
    return manifest
