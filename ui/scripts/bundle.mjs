// The scripts and styles of the dashboard's company pages, from dashboard/company.tsx, into the folder that is given:
// files named by their content, and bundle.json, which has their names. What was there before is removed.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const room = fileURLToPath(new URL("..", import.meta.url));

export async function bundle(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const made = await build({
    entryPoints: [
      { in: `${room}dashboard/company.tsx`, out: "company" },
      { in: `${room}src/styles.css`, out: "company" },
    ],
    absWorkingDir: room,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    outdir: folder,
    entryNames: "[name]-[hash]",
    legalComments: "eof", // React's licence asks for its notice
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
    logLevel: "error",
  });
  const files = Object.keys(made.metafile.outputs).map((path) => basename(path));
  const named = files.map((file) => [file.replace(/-[0-9A-Z]{8}\./, "."), file]).sort();
  await writeFile(`${folder}/bundle.json`, `${JSON.stringify(Object.fromEntries(named), null, 2)}\n`);
}

const [, program, folder] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  if (folder === undefined) throw new Error("give the folder to write to");
  await bundle(folder);
}
