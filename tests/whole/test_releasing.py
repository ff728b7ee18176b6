"""`scripts/release`: one version, bytes that depend on the contents alone, valid bills, and allowed licences."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from datetime import date
from email.message import Message
from pathlib import Path

import pytest

from installed import asked_for, install
from node import JS, PACKAGE, require_npm, require_package, run
from packing import ROOT, build, needs_hatch
from sotto_collector.pages.alone import release_manifest
from sotto_protocol import __version__
from sotto_protocol.extras import DISTRIBUTION

sys.path.insert(0, str(ROOT / "scripts" / "releasing"))
import artefacts
import bills
import hashes
import licences
import names
import versions
from versions import ReleaseError

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n- More.\n"
RELEASED = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-31\n\n### Added\n- More.\n"
DAY = date(2026, 12, 31)


def places(folder: Path, changelog: str = CHANGELOG) -> Path:
    """Return a checkout of what says the version, and this changelog."""
    for name in versions.PLACES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    (folder / versions.CHANGELOG).write_text(changelog)
    return folder


def test_there_is_one_version() -> None:
    assert versions.read_version(ROOT) == __version__
    assert f'"{__version__}"' in (JS / "sottovoce.min.js").read_text()


@pytest.mark.parametrize("name", versions.PLACES)
def test_a_place_that_says_another_version_is_named(tmp_path: Path, name: str) -> None:
    path = places(tmp_path) / name
    path.write_text(path.read_text().replace(__version__, "9.9.9", 1))
    with pytest.raises(ReleaseError, match=r"9\.9\.9") as caught:
        versions.read_version(tmp_path)
    assert name in str(caught.value)


def test_a_new_version_is_written_wherever_it_stands_and_nowhere_else(tmp_path: Path) -> None:
    before = {name: (places(tmp_path) / name).read_text() for name in versions.PLACES}
    versions.write_version(tmp_path, "41.2.3")
    assert versions.read_version(tmp_path) == "41.2.3"
    for name, text in before.items():
        assert (tmp_path / name).read_text().replace("41.2.3", __version__) == text


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """Return every text of the repository that has one of our names in it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [path for path in listed.split("\0") if path and (ROOT / path).exists()]
    return {path: text for path, text in names.texts(ROOT, paths) if "sotto" in text}


def test_one_place_says_each_name_and_all_others_agree(said: dict[str, str]) -> None:
    assert names.read_name(ROOT, "pypi") == DISTRIBUTION
    assert names.read_name(ROOT, "npm") == PACKAGE
    assert names.others(ROOT, said) == []


@pytest.mark.parametrize(
    ("index", "left"),
    [
        ("pypi", r"(?<![\w/-]){}\\?\["),
        ("npm", r"""(?:from|import) ["']{}["'/]|["']{}/(?:component|react|surveyjs)["']|{}-1\.2\.3\.tgz"""),
        ("github", r"github(?:usercontent)?\.com/{}"),
    ],
)
def test_another_name_is_written_wherever_it_is_meant(said: dict[str, str], index: str, left: str) -> None:
    """And nowhere else: the old one is back when it is written again."""
    old, new = names.read_name(ROOT, index), {"github": "some-body/else.where"}.get(index, "another-name")
    for path, text in said.items():
        after = names.rename(text, index, old, new)
        assert names.rename(after, index, new, old) == text, path
        kept = [line for line in after.splitlines() if old in line and len(line) < names.MAX_LINE]
        assert not [line for line in kept if re.search(left.replace("{}", old), line)], path


def test_a_name_is_written_into_files_and_one_that_is_none_is_refused(tmp_path: Path) -> None:
    paths = ["pyproject.toml", "client/js/package.json", "client/js/package-lock.json"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, tmp_path / path)
    assert names.set_name(tmp_path, paths, "npm", "other") == paths[1:]
    assert json.loads((tmp_path / paths[2]).read_text())["packages"][""]["name"] == "other"
    assert names.set_name(tmp_path, paths, "pypi", "other") == paths[:1]
    project = tomllib.loads((tmp_path / paths[0]).read_text())["project"]
    assert (project["name"], project["optional-dependencies"]["postgres"][0]) == ("other", "other[collector]")
    with pytest.raises(ReleaseError, match=r"The name at pypi \(Two words\) must match"):
        names.set_name(tmp_path, paths, "pypi", "Two words")


def test_the_changelog_is_cut_and_dated(tmp_path: Path) -> None:
    versions.cut_changelog(places(tmp_path), "1.2.3", DAY)
    assert (tmp_path / versions.CHANGELOG).read_text() == RELEASED
    assert versions.read_days(tmp_path) == {"Unreleased": None, "1.2.3": DAY}
    with pytest.raises(ReleaseError, match=r"has nothing below ## \[Unreleased\]: what does 1\.2\.4 change"):
        versions.cut_changelog(tmp_path, "1.2.4", DAY)


@pytest.mark.parametrize("version", ["1.2", "v1.2.4", "1.02.4", "1.2.4rc1", "1.2.4\n", "1.2.3", "1.2.2", "0.9.9"])
def test_a_version_that_is_none_or_not_above_the_last_is_refused(tmp_path: Path, version: str) -> None:
    with pytest.raises(ReleaseError, match=r"such as 1\.2\.3|must be above it"):
        versions.check_new(places(tmp_path, RELEASED), version)


def test_a_version_above_the_last_is_taken(tmp_path: Path) -> None:
    for version in ("1.2.4", "1.10.0", "10.0.0"):
        versions.check_new(places(tmp_path, RELEASED), version)


@pytest.mark.parametrize(
    ("tag", "changelog", "says"),
    [
        ("v1.2.4", RELEASED, "The tag v1.2.4 is not of this version"),
        ("1.2.3", RELEASED, "so it must be v1.2.3"),
        ("v1.2.3", CHANGELOG, "has no section [1.2.3] with a day"),
        ("v1.2.3", RELEASED.replace(" - 2026-12-31", ""), "has no section [1.2.3] with a day"),
        ("v1.2.3", RELEASED.replace("2026-12-31", "31.12.2026"), "must end in a day such as 2026-12-31"),
        ("v1.2.3", RELEASED.replace("released]\n", "released]\n\n- Late.\n"), "has changes below ## [Unreleased]"),
        ("v1.2.3", RELEASED.replace("## [Unreleased]\n", ""), "must have a section ## [Unreleased]"),
    ],
)
def test_a_tag_that_packages_or_changelog_contradict_is_refused(
    tmp_path: Path, tag: str, changelog: str, says: str
) -> None:
    versions.write_version(places(tmp_path, changelog), "1.2.3")
    with pytest.raises(ReleaseError, match=re.escape(says)):
        versions.check_tag(tmp_path, tag)


def test_a_tag_that_all_agree_with_is_taken(tmp_path: Path) -> None:
    versions.write_version(places(tmp_path, RELEASED), "1.2.3")
    versions.check_tag(tmp_path, "v1.2.3")


def test_the_command_says_the_version_and_refuses_in_one_line() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "releasing" / "run.py"), "check"]
    ended = subprocess.run([*command, "v99.0.0"], capture_output=True, text=True, timeout=300)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("The tag v99.0.0 is not of this version")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("licence", "is_allowed"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("Apache-2.0 AND (MIT OR BSD-3-Clause)", True),
        ("GPL-3.0-only", False),
        ("MIT AND AGPL-3.0-only", False),
        ("none", False),
    ],
)
def test_a_licence_is_allowed_if_all_that_it_demands_is(licence: str, is_allowed: bool) -> None:
    assert licences.is_allowed(licence) is is_allowed


@pytest.mark.parametrize(
    ("said", "licence"),
    [
        ([("License-Expression", "0BSD"), ("License", "GPL")], "0BSD"),
        ([("License", "ZPL 2.1")], "ZPL-2.1"),
        ([("License", "Copyright, " * 20), ("Classifier", "License :: OSI Approved :: BSD License")], "BSD-3-Clause"),
        ([("Classifier", "License :: Other/Proprietary License")], "Other/Proprietary License"),
        ([("Name", "locate"), ("Classifier", "License :: Other/Proprietary License")], "MIT"),
        ([], "none"),
    ],
)
def test_a_licence_is_read_where_a_distribution_says_it(said: list[tuple[str, str]], licence: str) -> None:
    metadata = Message()
    for name, value in said:
        metadata[name] = value
    assert licences.licence_of(metadata) == licence


@pytest.mark.thorough
@needs_hatch
def test_what_any_extra_installs_has_an_allowed_licence(tmp_path: Path) -> None:
    wheel = build(tmp_path, "wheel")
    found = {name: found for extra in bills.extras_of(wheel) for name, found in asked_for(wheel, extra).items()}
    assert len(found) > 50
    said = {name: licences.licence_of(found[name].metadata) for name in found}  # type: ignore[arg-type]
    assert {name: licence for name, licence in said.items() if not licences.is_allowed(licence)} == {}


@pytest.mark.thorough
@needs_hatch
def test_the_hashes_are_those_of_the_files_that_a_wheel_has_and_no_other(tmp_path: Path) -> None:
    wheel = build(tmp_path, "wheel")
    files = hashes.hashes_of(wheel)["files"]
    with zipfile.ZipFile(wheel) as archive:
        scripts = [name for name in archive.namelist() if re.fullmatch(r"sotto_collector/.+\.js", name)]
        for name in scripts:
            address = name.replace("sotto_collector/pages/static/", "/static/").replace("sotto_collector/js/", "/js/")
            digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).decode().rstrip("=")
            assert files[address] == digest  # type: ignore[index]
    assert {Path(name).suffix for name in files} == {".js", ".css", ".svg"}  # type: ignore[attr-defined]
    assert len([name for name in files if name.endswith(".js")]) == len(scripts)  # type: ignore[attr-defined]
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("sotto_collector/js/more.js", "")
    with pytest.raises(ReleaseError, match="are not those of this checkout"):
        hashes.hashes_of(wheel)


def test_the_hashes_are_in_the_form_that_extensions_read() -> None:
    """As Code Verify checks them: facebookincubator/meta-code-verify, background/validateMetaCompanyManifest.ts."""
    manifest = release_manifest()
    leaves, sums = manifest["manifest"], manifest["manifest_hashes"]
    assert isinstance(leaves, list)
    assert isinstance(sums, dict)
    assert hashlib.sha256((JS / "sottovoce.min.js").read_bytes()).hexdigest() in leaves
    stringified = "[" + ",".join(f'"{leaf}"' for leaf in leaves) + "]"
    assert hashlib.sha256(stringified.encode()).hexdigest() == sums["main"]
    both = (sums["longtail"] + sums["main"]).encode()
    assert hashlib.sha256(both).hexdigest() == sums["combined_hash"]
    policies = [manifest["default_csp"], *manifest["extra_csp"].values()]  # type: ignore[attr-defined]
    assert [policy for policy in policies if "," in str(policy) or "default-src 'none'" not in str(policy)] == []


@needs_hatch
@pytest.mark.rare  # `scripts/release` itself builds twice, and stops
def test_two_builds_have_the_same_bytes_and_the_changelogs_day(tmp_path: Path) -> None:
    """Other folders, umasks, locales, time zones, hashes, orders and times of files."""
    require_npm()
    root = tmp_path / "checkout"
    artefacts.copy(ROOT, root, artefacts.HERE)
    (root / versions.CHANGELOG).write_text(RELEASED.replace("1.2.3", __version__))
    (root / "untracked.txt").write_text("of nobody's business")
    for command in (["init", "--quiet"], ["add", "--all", "--", ":!untracked.txt"]):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True, timeout=300)
    wheel, sdist, package = artefacts.build_twice(root, Path(sys.executable), tmp_path / "made")
    with zipfile.ZipFile(wheel) as archive:
        assert {info.date_time for info in archive.infolist()} == {(2026, 12, 31, 0, 0, 0)}
        assert {info.external_attr >> 16 & 0o777 for info in archive.infolist()} == {0o644}
    with tarfile.open(sdist) as packed:
        assert {member.mtime for member in packed} == {artefacts.epoch_of(root)}
        assert not [name for name in packed.getnames() if name.endswith("untracked.txt")]
    with tarfile.open(package) as packed:
        names = packed.getnames()
        assert {"package/LICENSE", "package/NOTICE", "package/sotto-survey.min.js"} <= {*names}
        assert {(member.mode, member.uid) for member in packed} == {(0o644, 0)}
        for member in packed:
            opened = packed.extractfile(member)
            assert opened is None or not re.search(rb"sourceMappingURL|/(?:home|root|work|tmp)/\w", opened.read())


def test_a_file_that_is_built_to_other_bytes_is_named(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "x.whl", tmp_path / "b" / "x.whl"]
    for number, path in enumerate(paths):
        path.parent.mkdir()
        path.write_bytes(b"PK" + bytes([number]))
    artefacts.check_same(paths[:1], paths[:1])
    with pytest.raises(ReleaseError, match=r"x\.whl has other bytes when it is built again"):
        artefacts.check_same(paths[:1], paths[1:])


def assert_valid(bill: bills.Bill) -> None:
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    version = schema.SchemaVersion.from_version(bill["specVersion"])
    assert validation.JsonStrictValidator(version).validate_str(json.dumps(bill)) is None


@needs_hatch
@pytest.mark.rare
def test_the_bill_of_an_extra_has_all_that_it_installs_and_is_valid(tmp_path: Path) -> None:
    pytest.importorskip("cyclonedx_py")
    wheel = build(tmp_path, "wheel")
    there = install(wheel, "collector", tmp_path / "there")
    bill = bills.bill_of_environment(there.bin / "python", wheel, tools=Path(sys.executable), epoch=1_600_000_000)
    assert_valid(bill)
    normal = {re.sub(r"[-_.]+", "-", part["name"]).lower(): part for part in bill["components"]}
    assert normal.keys() == asked_for(wheel, "collector").keys()
    ours = bill["metadata"]["component"]
    assert (ours["name"], ours["version"]) == (DISTRIBUTION, __version__)
    assert str(tmp_path) not in json.dumps(bill)


def test_a_bill_has_the_releases_day_and_a_number_of_what_it_says() -> None:
    def make(name: str, number: str) -> bills.Bill:
        metadata = {"timestamp": "2026-11-23T01:17:22.589Z"}
        return bills.settled({"serialNumber": number, "metadata": metadata, "components": [name]}, 1_600_000_000)

    assert make("a", "urn:1")["metadata"]["timestamp"] == "2020-09-13T12:26:40Z"
    assert make("a", "urn:1") == make("a", "urn:2")
    assert make("a", "urn:1")["serialNumber"] != make("b", "urn:1")["serialNumber"]


@pytest.mark.thorough
def test_the_bill_of_the_npm_package_is_valid_and_has_nothing_of_others() -> None:
    require_npm()
    bill = bills.bill_of_package(JS, epoch=1_600_000_000)
    assert_valid(bill)
    assert bill["components"] == []


@pytest.mark.parametrize("entry", ["sottovoce.js", "sotto-survey.js", "component/one-file.js"])
def test_a_bundle_is_made_of_our_own_files_alone(tmp_path: Path, entry: str) -> None:
    to = [f"--metafile={tmp_path / 'meta.json'}", f"--outfile={tmp_path / 'out.js'}"]
    run([*require_package("esbuild"), entry, "--bundle", *to, "--log-level=error"], timeout_s=300)
    inputs = json.loads((tmp_path / "meta.json").read_text())["inputs"]
    own = subprocess.run(["git", "ls-files"], cwd=JS, check=True, capture_output=True, text=True).stdout.split()
    assert inputs
    assert {*inputs} <= {*own}


def test_what_is_published_has_licence_and_notice() -> None:
    for name in ("LICENSE", "NOTICE"):
        assert (JS / name).read_bytes() == (ROOT / name).read_bytes()
    assert os.access(ROOT / "scripts" / "release", os.X_OK)
