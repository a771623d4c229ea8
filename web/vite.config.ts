import { existsSync, readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

// licences writes the licences of all packages that the bundle holds beside it, as they ask.
const licences = (): Plugin => ({
  name: "licences",
  generateBundle() {
    const found = new Map<string, string>();
    for (const id of this.getModuleIds()) {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
      if (!name || found.has(name)) continue;
      const folder = `node_modules/${name}`;
      if (!existsSync(folder)) continue;
      const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      found.set(name, `${name} ${version} (${license})\n\n${file ? readFileSync(`${folder}/${file}`, "utf8").trim() : ""}\n`);
    }
    const source = [...found.keys()]
      .sort()
      .map((name) => found.get(name))
      .join("\n" + "-".repeat(80) + "\n\n");
    this.emitFile({ type: "asset", fileName: "licences.txt", source });
  },
});

// lean leaves out what OpenLayers loads for uses that the map does not make: styles that are written as expressions, features under the
// pointer, and tiles of other projections. It is a tenth of the first load.
const lean = (): Plugin => ({
  name: "lean",
  enforce: "pre",
  load(id) {
    if (id.endsWith("/ol/render/canvas/style.js"))
      return `export function flatStyleLikeToStyleFunction() { throw new Error("the map takes styles as functions alone"); }`;
    if (id.endsWith("/ol/render/canvas/hitdetect.js"))
      return "export const HIT_DETECT_RESOLUTION = 0.5, createHitDetectionImageData = () => null, hitDetect = () => [];";
    if (id.endsWith("/ol/proj/utm.js")) return "export const makeProjection = () => null, makeTransforms = () => null;";
    if (id.endsWith("/ol/reproj/Tile.js")) return "export default class ReprojTile {}";
    return null;
  },
});

// What the page and the parts that are loaded later have in common stands in one file: a file for each piece of it packs worse.
const common =
  /\/src\/(text\/(text|figures|clock)\.|ui\/icon|ship\.|letters\.|time\.|query\.|words\.|why\.|watchdogs\/event\.|nearest\.)|\/node_modules\/preact\//;

// Everything is addressed relative to the page, so that the client works under any http.base_path.
export default defineConfig({
  base: "./",
  plugins: [lean(), licences()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: "common", test: common }] } } },
  },
  server: { proxy: { "/api": process.env.QUAYWATCH_API ?? "http://127.0.0.1:8080" } },
});
