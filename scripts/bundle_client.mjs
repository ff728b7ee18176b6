// Bundle a part of the JavaScript client to one file beside its sources: sottovoce, oblivious or sotto-survey; or to the
// file that is named. The element pins what encrypts, so that is bundled before it.

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
  oblivious: ["oblivious/index.js", OLD, { ecma: 2020, passes: 5 }],
  "sotto-survey": ["component/one-file.js", ["chrome103", "firefox104", "safari16"], { ...SMALL, sequences: false }],
};
const fileOf = (path) => fileURLToPath(new URL(path, CLIENT));
const [name, made = fileOf(`${name}.min.js`)] = process.argv.slice(2);
const [entry, target, compress] = BUNDLES[name];
const require = createRequire(CLIENT);

/** The element's style without spaces and margins; what encrypts stays a file of its own, beside this one. */
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
      onResolve({ filter: /\/oblivious-file\.js$/ }, () => ({ path: fileOf("component/oblivious-file.js") }));
    }
    onResolve({ filter: /oblivious\.min\.js$/ }, () => ({ path: "./oblivious.min.js", external: true }));
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
if (name === "oblivious" && process.argv.length === 3) {
  const pin = `sha256-${createHash("sha256").update(code).digest("base64")}`;
  const program = `/** What oblivious.min.js holds. Written by scripts/bundle_client.mjs. */\nexport const PIN = "${pin}";\n`;
  await writeFile(fileOf("component/pin.js"), program);
}
