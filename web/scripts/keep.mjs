// Vite empties dist; the Go embed needs the placeholder that git tracks.
import { writeFileSync } from "node:fs";
writeFileSync(new URL("../dist/.gitkeep", import.meta.url), "");
