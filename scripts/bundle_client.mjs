// Bundle a part of the JavaScript client to one file beside its sources: sottovoce, blind, oblivious or sotto-survey;
// or to the file that is named. The element pins what only some surveys need, so that is bundled before it.

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const CLIENT = new URL("../client/js/", import.meta.url);
const OLD = ["chrome91", "firefox90", "safari15"];
const SMALL = {
  ecma: 2020,
  passes: 5,
  inline: 1,
  keep_fargs: false,
  unsafe_comps: true,
  unsafe_arrows: true,
  lhs_constants: false,
  pure_getters: true,
  hoist_props: false,
};
/** By name: its first module, the oldest browsers that read it, and what makes it smallest. */
const BUNDLES = {
  sottovoce: ["sottovoce.js", OLD, { ...SMALL, hoist_funs: true }],
  blind: ["blind/index.js", OLD, { ecma: 2020, passes: 5 }],
  oblivious: ["oblivious/index.js", OLD, { ecma: 2020, passes: 5 }],
  "sotto-survey": ["component/one-file.js", ["chrome103", "firefox104", "safari16"], { ...SMALL, sequences: false }],
};
const LATE = ["blind", "oblivious"];
const fileOf = (path) => fileURLToPath(new URL(path, CLIENT));
const [name, made = fileOf(`${name}.min.js`)] = process.argv.slice(2);
const [entry, target, compress] = BUNDLES[name];
const require = createRequire(CLIENT);

/** The element's style without spaces and margins; what only some surveys need stays in files beside this one. */
const parts = {
  name: "parts",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /component\/style\.js$/ }, async ({ path }) => {
      const small = (css) =>
        css
          .replace(/\n/g, " ")
          .replace(/(?<=[a-z]): (?=[^{}]*[;}])/g, ":")
          .replace(/;? (?=})/g, "")
          .replace(/(?<=[,;{}>+]) | (?=[{>+!])/g, "")
          .replace(/="([a-z]+)"/g, "=$1");
      const program = await readFile(path, "utf8");
      return { contents: program.replace(/(?<=const STYLE = `)[^`]*/, small) };
    });
    if (name === "sotto-survey") {
      onResolve({ filter: /\/late-file\.js$/ }, () => ({ path: fileOf("component/late-file.js") }));
    }
    for (const late of LATE) {
      onResolve({ filter: RegExp(`${late}\\.min\\.js$`) }, () => ({ path: `./${late}.min.js`, external: true }));
    }
  },
};

await require("esbuild").build({
  entryPoints: [fileOf(entry)],
  outfile: made,
  bundle: true,
  minify: true,
  format: "esm",
  target,
  legalComments: "none",
  plugins: [parts],
});
const options = { module: true, compress, mangle: true };
const minified = await require("terser").minify(await readFile(made, "utf8"), options);
const code = (name === "oblivious" ? "/* With hpke, under the MIT License: see NOTICE. */" : "") + minified.code;
await writeFile(made, code);
if (LATE.includes(name) && process.argv.length === 3) {
  const pinOf = (bytes) => `sha256-${createHash("sha256").update(bytes).digest("base64")}`;
  const pins = await Promise.all(LATE.map(async (late) => [late, pinOf(await readFile(fileOf(`${late}.min.js`)))]));
  const lines = pins.map(([late, pin]) => `  ${late}: "${pin}",\n`).join("");
  const program = `/** What the files hold that only some surveys need. Written by scripts/bundle_client.mjs. */\nexport const PINS = {\n${lines}};\n`;
  await writeFile(fileOf("component/pins.js"), program);
}
