// `npm run showcase`: the showcase as static files in build/showcase, or in the folder that is given. Any web server
// serves it, from any path.
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = process.argv[2] ?? fileURLToPath(new URL("../build/showcase", import.meta.url));

await mkdir(folder, { recursive: true });
await build({
  entryPoints: [
    { in: `${here}page.tsx`, out: "showcase" },
    { in: `${here}page.css`, out: "showcase" },
  ],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: folder,
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "error",
});
await copyFile(`${here}index.html`, `${folder}/index.html`);
