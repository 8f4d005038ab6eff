// `npm run gallery`: the gallery at http://127.0.0.1:5173 (PORT: another), until Ctrl-C.
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildGallery } from "./build.mjs";

const PORT = Number(process.env.PORT ?? 5173);
const TYPES = { "index.html": "text/html", "gallery.js": "text/javascript", "gallery.css": "text/css" };

const folder = await mkdtemp(join(tmpdir(), "firmdata-gallery-"));
await buildGallery(folder);
createServer(async (request, response) => {
  const name = new URL(request.url, "http://gallery").pathname.slice(1) || "index.html";
  const type = TYPES[name];
  if (type === undefined) {
    response.writeHead(404).end();
    return;
  }
  response
    .writeHead(200, { "Content-Type": `${type}; charset=utf-8` })
    .end(await readFile(join(folder, name)));
}).listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}/`));
