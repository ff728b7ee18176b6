// Bundle the survey page's scripts to one file, static/survey.min.js, or to the one that is named.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const CLIENT = new URL("../client/js/", import.meta.url);
const STATIC = fileURLToPath(new URL("../collector/sotto_collector/pages/static/", import.meta.url));
const [made = `${STATIC}survey.min.js`] = process.argv.slice(2);
const require = createRequire(CLIENT);

/** What a collector serves below js/ is the client's folder. */
const clientsFolder = {
  name: "client",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/js\// }, ({ path }) => ({ path: fileURLToPath(new URL(path.slice(6), CLIENT)) }));
  },
};

await require("esbuild").build({
  entryPoints: [`${STATIC}survey.js`],
  outfile: made,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome91", "firefox90", "safari15"],
  legalComments: "none",
  charset: "utf8",
  plugins: [clientsFolder],
});
const options = { module: true, compress: { passes: 3 }, mangle: true };
await writeFile(made, (await require("terser").minify(await readFile(made, "utf8"), options)).code);
