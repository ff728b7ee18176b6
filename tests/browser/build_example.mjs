// Builds a project's page as its own tools do, into its folder dist: node build_example.mjs TOOL FOLDER ENTRY

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const client = new URL("../../client/js/", import.meta.url);
const load = createRequire(new URL("package.json", client));
const [tool, folder, entry] = process.argv.slice(2);
const dist = join(folder, "dist");
const isProduction = { "process.env.NODE_ENV": '"production"' };

/** A Vue file becomes a module; its template takes the element as one of the browser's own. */
const vue = {
  name: "vue",
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { compileScript, parse } = load("vue/compiler-sfc");
      const { descriptor } = parse(await readFile(path, "utf8"));
      const compilerOptions = { isCustomElement: (tag) => tag === "sotto-survey" };
      const made = compileScript(descriptor, {
        id: "example",
        inlineTemplate: true,
        templateOptions: { compilerOptions },
      });
      const mount = `import { createApp } from "vue";\n${made.content.replace("export default", "const Example =")}`;
      return { contents: `${mount}\ncreateApp(Example).mount("#app");`, loader: "js", resolveDir: folder };
    });
  },
};

const tools = {
  /** Takes index.html, which names the entry, and is silent unless something is wrong. */
  async vite() {
    const { build } = await import(pathToFileURL(load.resolve("vite")));
    await build({ root: folder, base: "./", logLevel: "warn" });
  },

  async esbuild() {
    const options = {
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      jsx: "automatic",
      logLevel: "warning",
    };
    const nodePaths = [fileURLToPath(new URL("node_modules", client))];
    const from = { entryPoints: { main: join(folder, entry) }, outdir: dist, nodePaths, plugins: [vue] };
    await load("esbuild").build({ ...options, ...from, define: isProduction });
  },

  /** Of a program that another tool made of TypeScript and JSX, as its loaders do. */
  async webpack() {
    const source = await readFile(join(folder, entry), "utf8");
    const { code } = await load("esbuild").transform(source, { loader: "tsx", jsx: "automatic" });
    await writeFile(join(folder, "main.js"), code);
    const output = { path: dist, filename: "main.js", trustedTypes: true };
    const optimization = { minimize: false }; // which takes it most of its time
    const given = { mode: "production", context: folder, entry: "./main.js", output, optimization, performance: false };
    const compiler = load("webpack")(given);
    const stats = await new Promise((resolve, reject) =>
      compiler.run((fault, found) => (fault ? reject(fault) : resolve(found))),
    );
    if (stats.hasErrors() || stats.hasWarnings())
      throw new Error(stats.toString({ all: false, errors: true, warnings: true }));
  },
};

await tools[tool]();
