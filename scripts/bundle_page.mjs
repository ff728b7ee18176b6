// Bundle the survey page's scripts: static/survey.min.js, and static/single.min.js, which has the client in it, for pages
// of one file. Or in the folder that is named.

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const CLIENT = new URL("../client/js/", import.meta.url);
const STATIC = fileURLToPath(new URL("../collector/sotto_collector/pages/static/", import.meta.url));
const [folder = STATIC] = process.argv.slice(2);
const require = createRequire(CLIENT);

/** What a collector serves below js/ is the client's folder. */
const clientsFolder = {
  name: "client",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/js\// }, ({ path }) => ({ path: fileURLToPath(new URL(path.slice(6), CLIENT)) }));
  },
};

/** In a page of one file, what the page needs is in it. */
const single = {
  name: "single",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/place\.js$/ }, () => ({ path: `${STATIC}place-single.js` }));
  },
};

for (const [name, plugins] of [
  ["survey.min.js", [clientsFolder]],
  ["single.min.js", [clientsFolder, single]],
]) {
  const made = `${folder}/${name}`;
  await require("esbuild").build({
    entryPoints: [`${STATIC}survey.js`],
    outfile: made,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome91", "firefox90", "safari15"],
    legalComments: "none",
    charset: "utf8",
    plugins,
  });
  const options = { module: true, compress: { passes: 3 }, mangle: true };
  await writeFile(made, (await require("terser").minify(await readFile(made, "utf8"), options)).code);
}
