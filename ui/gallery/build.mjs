// The gallery as static files, in the folder that is given: index.html, gallery.js, gallery.css.
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

export async function buildGallery(folder) {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [
      { in: `${here}page.tsx`, out: "gallery" },
      { in: `${here}page.css`, out: "gallery" },
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
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error("give the folder to write to");
  await buildGallery(folder);
}
