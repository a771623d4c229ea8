import { defineConfig } from "vite";

// Everything is addressed relative to the page, so that the client works under any http.base_path.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { target: "es2022", assetsInlineLimit: 0, cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 600 },
  server: { proxy: { "/api": process.env.QUAYWATCH_API ?? "http://127.0.0.1:8080" } },
});
