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

// Everything is addressed relative to the page, so that the client works under any http.base_path.
export default defineConfig({
  base: "./",
  plugins: [licences()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { target: "es2022", assetsInlineLimit: 0, cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 600 },
  server: { proxy: { "/api": process.env.QUAYWATCH_API ?? "http://127.0.0.1:8080" } },
});
