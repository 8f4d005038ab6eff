// The package as it is published: ES modules and declarations from src, and the style sheet as one file, in dist.
import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const room = fileURLToPath(new URL("..", import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");

await rm(`${room}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: room, stdio: "inherit" });
await build({
  entryPoints: [`${room}src/styles.css`],
  bundle: true,
  outfile: `${room}dist/styles.css`,
  logLevel: "error",
});
