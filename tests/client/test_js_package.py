"""The npm package as it would be published: packed, installed into an empty project, imported, bundled, compiled."""

import json
import re
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from node import JS, PACKAGE, require_node, require_npm, require_package, run
from npm_package import COMPILERS, OF_NPM
from sotto_author.answer_types import to_typescript
from typed_answers import DRAWN, EVERY, FEW, RIGHT, WRONG

TSC = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom"]
RESOLUTIONS = {
    "nodenext": ["--module", "nodenext"],
    "bundler": ["--module", "es2022", "--moduleResolution", "bundler"],
}
"""How programs of today find a package's types."""


@pytest.fixture(scope="module")
def project(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty project with the package installed, and nothing else."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}')
    cache = str(folder / "cache")
    run([*require_npm(), "install", *OF_NPM, "--cache", cache, str(tarball)], timeout_s=300, cwd=folder)
    assert [path.name for path in (folder / "node_modules").iterdir() if path.name[0] != "."] == [PACKAGE]
    return folder


def description(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "package.json").read_text())
    return document


def targets(export: object) -> list[str]:
    """Return the files that an export leads to, under whatever condition."""
    return [export] if isinstance(export, str) else [*export.values()] if isinstance(export, dict) else []


def test_the_package_has_the_client_its_license_and_nothing_of_its_workshop(tarball: Path) -> None:
    with tarfile.open(tarball) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
    assert {"LICENSE", "README.md", "package.json", "sottovoce.min.js"} <= names
    assert not [name for name in names if re.search(r"test|node_modules|tsconfig|package-lock|\.map$", name)]
    assert not [name for name in names if not re.search(r"\.(js|json|ts|md)$|^(LICENSE|NOTICE)$", name)]


def test_its_description_says_where_it_comes_from_and_leads_to_files_that_are_there(project: Path) -> None:
    installed = project / "node_modules" / PACKAGE
    package = description(installed)
    assert all(package[name] for name in ("author", "bugs", "description", "homepage", "keywords", "license"))
    assert package["repository"]["directory"] == "client/js"
    assert (installed / "LICENSE").read_bytes() == (JS.parents[1] / "LICENSE").read_bytes()
    assert not re.findall(r"\]\((?!https:)([^)]*)\)", (installed / "README.md").read_text())
    named = [
        package["main"],
        package["types"],
        *(file for export in package["exports"].values() for file in targets(export)),
    ]
    assert [file for file in named if not (installed / file).is_file()] == []
    assert "dependencies" not in package
    assert not {"install", "postinstall", "preinstall", "prepare"} & package["scripts"].keys()


def test_a_program_imports_each_of_its_ways_in(project: Path) -> None:
    """The component needs a browser, and React what renders it: their ways in lead to files, as above."""
    ways = [way for way in description(project / "node_modules" / PACKAGE)["exports"] if way.endswith("js")]
    assert {".", "./sottovoce.min.js", "./surveyjs"} <= {".", *ways}
    ways += ["./node", "./react-native"]
    ways = [PACKAGE, *(f"{PACKAGE}/{way[2:]}" for way in ways if "sotto-survey" not in way)]
    program = f"for (const way of {json.dumps(ways)}) console.log(Object.keys(await import(way)).length > 0);"
    (project / "program.mjs").write_text(program)
    assert run([require_node(), "program.mjs"], timeout_s=300, cwd=project).split() == ["true"] * len(ways)


USE = """
import { SurveyClient, version } from "sottovoce";
const device = new SurveyClient("https://x", "lunch", { state: ":memory:" });
device.close();
console.log(version);
"""


def test_a_bundler_makes_one_file_of_a_program_with_it(project: Path) -> None:
    (project / "entry.js").write_text(USE)
    shutil.rmtree(project / "dist", ignore_errors=True)
    options = ["--bundle", "--minify", "--format=esm", "--outfile=dist/out.mjs", "--log-level=warning"]
    run([*require_package("esbuild"), "entry.js", *options], timeout_s=300, cwd=project)
    out = run([require_node(), "dist/out.mjs"], timeout_s=300, cwd=project)
    assert out.strip() == description(JS)["version"]
    assert "sottovoce" not in re.findall(r'(?:from|import) ?"([^"]+)"', (project / "dist" / "out.mjs").read_text())


TYPED = """
import { BudgetExceeded, SurveyClient } from "sottovoce";
import type { Draft, Item, Options, Problem, Receipt, Rejected, Survey } from "sottovoce";
import { SurveyClient as NodeClient, type Storage } from "sottovoce/node";
import { SurveyClient as NativeClient } from "sottovoce/react-native";
import type { Answers } from "./every.js";
import type { Answers as Drawn } from "./drawn.js";

const told: (Receipt | Rejected)[] = [];
const options: Options = {
  maxEpsilon: "3",
  onDelivered: (receipt) => told.push(receipt),
  onRejected: (rejected: Rejected) => void told.push(rejected),
};
const client = new SurveyClient<Answers>("https://x", "every", options);
const survey: Survey = await client.survey();
const [question]: readonly Item[] = await client.questions();
const draft: Draft = await client.prepare(FIRST, 2);
const receipt: Receipt = await draft.send();
const [problem]: Problem[] = (await client.rejected()).map((rejected) => rejected.problem);
export const said: string[] = [receipt.id, draft.body, survey.title, question.text, problem.code];
export const left = (fault: unknown): string => (fault instanceof BudgetExceeded ? fault.left : "");

const storage: Storage = { name: "mine", read: async () => ({ text: null, version: 0 }), write: async () => true };
await new NodeClient<Drawn>("https://x", "drawn", { state: storage, maxEpsilon: 3 }).answer(FEW);
const texts = new Map<string, string>();
const setItem = (key: string, text: string) => texts.set(key, text);
const state = { getItem: (key: string) => texts.get(key), setItem };
new NativeClient("https://x", "every", { state, getRandomValues: (bytes) => bytes.fill(7) });
// @ts-expect-error: an app has no folder
new NativeClient("https://x", "every", { state: "folder" });

const untyped = new SurveyClient("https://x", "every");
await untyped.answer({ whatever: 7 });
const drawn = new SurveyClient<Drawn>("https://x", "drawn");
await drawn.answer(FEW);
await client.answer({ ...FIRST, drinks: new Set(["tea"] as const) });
// @ts-expect-error: no such option
new SurveyClient("https://x", "every", { maxEpsilo: 3 });
// @ts-expect-error: an id is a text
new SurveyClient("https://x", 5);
// @ts-expect-error: a receipt has no answer
options.onDelivered = (given: { answer: string }) => given.answer;
// @ts-expect-error: a price is a number
await drawn.prepare({ price: "much" });
"""


def typed_program() -> str:
    lines = [TYPED.replace("FIRST", json.dumps(RIGHT[0])).replace("FEW", json.dumps(FEW))]
    lines += [f"await client.prepare({json.dumps(answers)});" for answers in RIGHT]
    for answers in WRONG:  # where one compiles, the line above it is an error
        lines += ["// @ts-expect-error: the survey refuses it", f"await client.prepare({json.dumps(answers)});"]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("compiler", "resolution"),
    [("7", "nodenext"), ("7", "bundler"), pytest.param("5.4", "nodenext", marks=pytest.mark.thorough)],
)
def test_typescript_knows_its_types_and_takes_the_answers_that_the_survey_takes(
    project: Path, compiler: str, resolution: str
) -> None:
    require_package("tsc")  # npm's packages are there
    (project / "every.ts").write_text(to_typescript(EVERY))
    (project / "drawn.ts").write_text(to_typescript(DRAWN))
    (project / "program.ts").write_text(typed_program())
    run(
        [require_node(), str(COMPILERS[compiler]), *TSC, *RESOLUTIONS[resolution], "program.ts"],
        timeout_s=300,
        cwd=project,
    )
