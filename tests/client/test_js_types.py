"""What TypeScript, old and new, makes of the packed package: every documented snippet compiles, and misuse does not."""

import json
import re
from pathlib import Path

import pytest

from console import blocks
from embedded import EXAMPLES, LUNCH
from node import JS, require_node, run
from npm_package import COMPILERS, make_project
from sotto_author.answer_types import to_typescript

DOCS = EXAMPLES.parent
FLAGS = ["--noEmit", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--jsx", "react-jsx", "--types", "react"]
RESOLUTIONS = {
    "nodenext": ["--module", "nodenext"],
    "bundler": ["--module", "esnext", "--moduleResolution", "bundler"],
    "node10": ["--module", "esnext", "--moduleResolution", "node10"],
}
STRICT = {"strict": ["--strict"], "loose": ["--strict", "false", "--allowJs", "--checkJs"]}
"""Scripts of pages, which are written without types, are read by the second alone."""
WAYS = [
    ("7", "nodenext", "strict"),
    pytest.param("7", "bundler", "loose", marks=pytest.mark.thorough),
    pytest.param("5.4", "node10", "strict", marks=pytest.mark.rare),  # the newest knows no node10 any more
    pytest.param("5.4", "bundler", "loose", marks=pytest.mark.rare),
    pytest.param("5.4", "nodenext", "strict", marks=pytest.mark.rare),
    pytest.param("5.4", "bundler", "strict", marks=pytest.mark.rare),
    pytest.param("7", "bundler", "strict", marks=pytest.mark.rare),
]
"""The oldest takes seconds. Of the rare ones each half is in another: the compiler, and how it finds modules."""
PLACES = {
    "./sottovoce.min.js": "sottovoce/sottovoce.min.js",
    "https://collector.example/js/sottovoce.js": "sottovoce",
}
"""What a page's own server has, and what a compiler finds in the package."""
BESIDE = ("@types/react", "@types/react-dom", "csstype", "survey-core", "survey-js-ui")
"""What these programs need beside sottovoce."""
GOOD = """
import { SurveyClient } from "sottovoce";
import type { Answer, Answers as AnyAnswers } from "sottovoce";
import "sottovoce/component";
import { attachSurvey } from "sottovoce/surveyjs";
import type { Answers } from "./answers.js";

export async function attach(model: Parameters<typeof attachSurvey>[0]): Promise<void> {
  const detach = await attachSurvey(model, new SurveyClient("https://x", "lunch"));
  detach();
  await attachSurvey(model, new SurveyClient<Answers>("https://x", "lunch"), { onReview: ({ body }) => body !== "" });
}

const element = document.querySelector("sotto-survey")!;
element.addEventListener("sotto-refused", ({ detail }) => { const code: string = detail.code; void code; });
document.body.addEventListener("sotto-ready", ({ detail }) => { const was: boolean = detail.isAnswered; void was; });
document.addEventListener("sotto-delivered", ({ detail }) => { const wave: number = detail.wave; void wave; });
window.addEventListener("sotto-error", ({ detail }) => { const name: string = detail.name; void name; });

const one: Answer = new Set(["tea"]);
const all: AnyAnswers = { a: true, b: 7.5, c: "tea", d: ["tea"] as const, e: one, f: null, g: undefined };
export const draft = new SurveyClient("https://x", "lunch").prepare(all);
"""
REACT = """
import { useRef } from "react";
import { SottoSurvey, useSottoSurvey } from "sottovoce/react";
import type { SottoSurvey as Element } from "sottovoce/component";

export function Own() {
  const element = useRef<Element>(null);
  const { ref, status, detail } = useSottoSurvey({ onDelivered: (event) => void event.detail.wave.toFixed() });
  const said: string | null = status === "refused" ? detail.code : null;
  const pinned = { collector: "https://x", survey: "lunch", fingerprint: "00" };
  return (
    <>
      <SottoSurvey {...pinned} ref={element} wave={2} maxEpsilon="6" className="x" onError={(e) => e.detail.name}>
        This needs JavaScript.
      </SottoSurvey>
      <sotto-survey {...pinned} ref={ref} max-epsilon={6} />
      {said}
    </>
  );
}
"""
REACT_18 = {"react": "index", "react/jsx-runtime": "jsx-runtime"}
"""The modules of React, and the files of their types."""
WRONG = {
    "a function is no answer": "client.prepare({ a: () => 1 });",
    "a promise is no answer": "client.prepare({ a: Promise.resolve(true) });",
    "an event has no answer": 'document.addEventListener("sotto-sent", ({ detail }) => detail.answer);',
    "a wave is a number": 'document.addEventListener("sotto-sent", ({ detail }): string => detail.wave);',
    "a refusal has a code, a delivery none": 'addEventListener("sotto-delivered", ({ detail }) => detail.code);',
    "a fingerprint is needed": '<SottoSurvey collector="https://x" survey="lunch" />;',
    "a fingerprint is needed there too": '<sotto-survey collector="https://x" survey="lunch" />;',
    "the component has no such prop": '<SottoSurvey collector="" survey="" fingerprint="" maxEpsilo="6" />;',
}
WRONG_HEAD = """
import { SurveyClient } from "sottovoce";
import { SottoSurvey } from "sottovoce/react";
const client = new SurveyClient("https://x", "lunch");
"""


@pytest.fixture(scope="module")
def project(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An app with the packed package, and what these programs need beside it."""
    folder = make_project(tmp_path_factory.mktemp("typed") / "app", tarball)
    for name in BESIDE:
        (folder / "node_modules" / name).parent.mkdir(exist_ok=True)
        (folder / "node_modules" / name).symlink_to(JS / "node_modules" / name)
    (folder / "answers.ts").write_text(to_typescript(LUNCH))
    return folder


ELSEWHERE = ("@react-native-async-storage/", "process.argv")
"""What programs name that are no web pages: the types of React Native and of Node are not in these projects."""


def snippets() -> dict[str, str]:
    """Return every documented program in JavaScript or TypeScript, by a file's name, but those of `ELSEWHERE`."""
    found = {}
    for document in sorted([*DOCS.rglob("*.md"), DOCS.parent / "README.md", JS / "README.md"]):
        for index, (language, text) in enumerate(blocks(document)):
            scripts = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL) if language == "html" else []
            scripts += [text] if language in ("js", "ts", "tsx") else []
            kind = "js" if language == "html" else language
            name = f"{document.parent.name}-{document.stem}-{index}"
            found |= {f"{name}-{at}.{kind}": script for at, script in enumerate(scripts)}
    own = [path for path in EXAMPLES.rglob("*.*") if path.suffix in (".js", ".tsx") and ".min." not in path.name]
    found |= {path.name: path.read_text() for path in own}
    found = {name: text for name, text in found.items() if not any(word in text for word in ELSEWHERE)}
    for here, there in PLACES.items():
        found = {name: text.replace(f'"{here}"', f'"{there}"') for name, text in found.items()}
    return found


def errors_of(project: Path, compiler: str, flags: list[str], programs: dict[str, str]) -> list[str]:
    """Compile programs; return what the compiler says of them, and of our declarations, a line each."""
    for name, text in programs.items():
        (project / name).write_text(text)
    tsc = [require_node(), str(COMPILERS[compiler])]
    try:
        run([*tsc, *FLAGS, *flags, *programs], timeout_s=300, cwd=project)
    except pytest.fail.Exception as told:
        said = re.findall(r"^\S*\(\d+,\d+\): error .*|^error .*", str(told), re.MULTILINE) or [str(told)]
        of_others = r"(?:\.\./|node_modules/)(?!sottovoce/)"
        return [line for line in said if not re.match(of_others, line)]
    return []


@pytest.mark.thorough
@pytest.mark.parametrize(("compiler", "resolution", "how"), WAYS)
def test_documented_programs_compile(project: Path, compiler: str, resolution: str, how: str) -> None:
    documented = snippets()
    programs = {"good.ts": GOOD, "own.tsx": REACT, **documented}
    flags = [*RESOLUTIONS[resolution], *STRICT[how]]
    if how == "strict":
        programs = {name: text for name, text in programs.items() if not name.endswith(".js")}
    wrong = errors_of(project, compiler, flags, programs)
    refused = {(name, line) for name, text in programs.items() for line in refused_lines(text)}
    places = {(found[1], int(found[2])) for found in (re.match(r"(\S+)\((\d+),", line) for line in wrong) if found}
    assert places == refused, "\n".join(wrong)
    assert len(documented) > 9


def refused_lines(program: str) -> list[int]:
    """Return the lines of which a document says that the compiler refuses them."""
    return [at for at, line in enumerate(program.splitlines(), 1) if re.search(r"// error TS\d+:", line)]


@pytest.mark.thorough
def test_react_18_is_typed_too(project: Path) -> None:
    """With React's own types of that version in place of the newer ones."""
    older = {
        name: [str(JS / "node_modules" / "@types" / "react-18" / f"{file}.d.ts")] for name, file in REACT_18.items()
    }
    options = {"paths": older, "types": [], "skipLibCheck": False, "strict": True, "noEmit": True, "jsx": "react-jsx"}
    options |= {"target": "es2022", "lib": ["es2022", "dom"], "module": "esnext", "moduleResolution": "bundler"}
    (project / "react-18.json").write_text(json.dumps({"compilerOptions": options, "files": ["own.tsx"]}))
    (project / "own.tsx").write_text(REACT)
    run([require_node(), str(COMPILERS["7"]), "--project", "react-18.json"], timeout_s=300, cwd=project)


@pytest.mark.thorough
def test_misuse_does_not_compile(project: Path) -> None:
    """Each is refused, and nothing else is: the line above would be an error where it compiles."""
    lines = [f"// @ts-expect-error: {why}\n{use}" for why, use in WRONG.items()]
    flags = [*RESOLUTIONS["bundler"], "--strict"]
    assert errors_of(project, "7", flags, {"wrong.tsx": WRONG_HEAD + "\n".join(lines)}) == []
