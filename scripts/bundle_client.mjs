// Bundle a part of the JavaScript client to one file beside its sources: sottovoce, blind, oblivious, sotto-survey, node
// or react-native; or to the file that is named. The element pins what only some surveys need, so that comes before it.

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
  node: ["node/index.js", ["node20"], null],
  "react-native": ["native/index.js", ["es2020"], null],
};
/** For programs that are no pages: where their state is opened, and what they have in place of a browser's names. */
const PLACES = {
  node: { "state.js": "kept/storage.js", globals: "node/globals.js" },
  "react-native": {
    "state.js": "kept/storage.js",
    "late-file.js": "native/late-file.js",
    globals: "native/globals.js",
  },
};
const LATE = ["blind", "oblivious"];
const fileOf = (path) => fileURLToPath(new URL(path, CLIENT));
const [name, given] = process.argv.slice(2);
const [entry, target, compress] = BUNDLES[name];
const made = given ?? fileOf(compress ? `${name}.min.js` : `programs/${name}.js`);
const require = createRequire(CLIENT);
const up = compress ? "." : "..";

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
      onResolve({ filter: RegExp(`${late}\\.min\\.js$`) }, () => ({ path: `${up}/${late}.min.js`, external: true }));
    }
    for (const [file, place] of Object.entries(PLACES[name] ?? {})) {
      const isOfClient = (importer) => /\/src\/(client|way)\.js$/.test(importer); // `place` itself may use it
      const found = (importer) => (isOfClient(importer) ? { path: fileOf(place) } : undefined);
      onResolve({ filter: RegExp(`/${file}$`) }, ({ importer }) => found(importer));
    }
  },
};

await require("esbuild").build({
  entryPoints: [fileOf(entry)],
  outfile: made,
  bundle: true,
  minify: compress !== null,
  format: "esm",
  target,
  legalComments: "none",
  plugins: [parts],
  ...(PLACES[name] && {
    platform: name === "node" ? "node" : "neutral",
    inject: [fileOf(PLACES[name].globals)],
    define: { "globalThis.crypto": "crypto" },
  }),
});
// What is no page's people read, to look for faults.
const readable = { module: true, compress: false, mangle: false, format: { beautify: true, indent_level: 2 } };
const options = compress === null ? readable : { module: true, compress, mangle: true };
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
