/**
 * Bundle an app's folder with Metro, as React Native does: node build.js FOLDER PRESET RESOLVER OUT; what the preset and
 * the resolver are told is JSON.
 */

import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Metro from "metro";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(import.meta.url);
const [folder, options, resolver, out] = process.argv.slice(2);

const preset = [require.resolve("@react-native/babel-preset"), JSON.parse(options)];
await writeFile(join(folder, "babel.config.json"), JSON.stringify({ presets: [preset] }));
const config = await Metro.loadConfig(
  { cwd: folder },
  {
    projectRoot: folder,
    watchFolders: [HERE],
    cacheStores: [],
    maxWorkers: 1,
    reporter: { update: ({ error }) => error && console.error(error) },
    resolver: {
      nodeModulesPaths: [join(HERE, "node_modules")],
      useWatchman: false,
      ...JSON.parse(resolver),
      resolveRequest: (context, name, platform) =>
        name === "react-native"
          ? { type: "sourceFile", filePath: join(HERE, "react-native.js") }
          : context.resolveRequest(context, name, platform),
    },
  },
);
await Metro.runBuild(config, {
  entry: "index.js",
  dev: false,
  minify: false,
  platform: "android",
  out,
});
