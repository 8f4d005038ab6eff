// Whether the package may be published: what only its owner knows must stand in package.json, in one place.
import { readFileSync } from "node:fs";

const { homepage, repository } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const missing = Object.entries({ homepage, "repository.url": repository.url }).filter(([, value]) => value === "");
if (missing.length > 0) {
  console.error(`Fill in ${missing.map(([name]) => name).join(" and ")} in package.json before publishing.`);
  process.exit(1);
}
