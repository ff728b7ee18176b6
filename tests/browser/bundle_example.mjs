// Makes one program of an example with React or Vue, as a project's own tools do: node bundle_example.mjs FROM TO

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const client = new URL("../../client/js/", import.meta.url);
const load = createRequire(new URL("package.json", client));
const { build } = load("esbuild");
const [entry, outfile] = process.argv.slice(2);

/** A Vue file becomes a module; its template takes the element as one of the browser's own. */
const vue = {
  name: "vue",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { compileScript, parse } = load("vue/compiler-sfc");
      const { descriptor } = parse(await readFile(path, "utf8"));
      const compilerOptions = { isCustomElement: (tag) => tag === "sotto-survey" };
      const made = compileScript(descriptor, { id: "example", inlineTemplate: true, templateOptions: { compilerOptions } });
      const mount = `import { createApp } from "vue";\n${made.content.replace("export default", "const Example =")}`;
      return { contents: `${mount}\ncreateApp(Example).mount("#app");`, loader: "js", resolveDir: "." };
    });
  },
};

const root = fileURLToPath(client);
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  minify: true,
  format: "esm",
  jsx: "automatic",
  nodePaths: [`${root}node_modules`],
  alias: { "sottovoce/component": `${root}sotto-survey.js` },
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [vue],
  logLevel: "error",
});
