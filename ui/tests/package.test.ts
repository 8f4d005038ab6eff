/**
 * The package as others take it: small, shaken to what is used, its types those of the service, its lock
 * bare.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";

const ui = fileURLToPath(new URL("..", import.meta.url));
const LARGEST_BYTES = 60_000;
const NAMES = [
  "ChangeFeed",
  "CompanyCard",
  "CompanySearch",
  "EventsCalendar",
  "FilingList",
  "FinancialsChart",
  "FinancialsTable",
  "GroupTree",
  "KeyStats",
  "NewsFeed",
  "OwnershipChart",
];
const CHARTS = ["FinancialsChart", "OwnershipChart"];
const manifest = JSON.parse(readFileSync(`${ui}package.json`, "utf8")) as Record<
  string,
  Record<string, string>
>;

beforeAll(() => {
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: ui, stdio: "pipe" });
}, 60_000);

// Each names its kind to the frame around it: `kind:"card"` in a bundle is that component in it.
const KINDS = ["card", "financials", "chart", "stats", "ownership", "group", "filings", "news", "calendar", "changes"];
const SEARCH = 'component:"search"';
const kindsIn = (bundle: string): string[] => [
  ...KINDS.filter((kind) => bundle.includes(`kind:"${kind}"`)),
  ...(bundle.includes(SEARCH) ? ["search"] : []),
];

/**
 * What a page takes in that imports these names from the package as built; React and the chart library stay
 * outside.
 */
async function taken(names: string): Promise<string> {
  const made = await build({
    stdin: { contents: `export ${names} from "@firmdata/react";`, resolveDir: ui },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    external: ["react", "react/jsx-runtime", "d3-scale"],
    logLevel: "error",
  });
  return made.outputFiles[0]?.text ?? "";
}

describe("size", () => {
  test("the whole package is within 60 kB, gzipped, without React and the chart library", async () => {
    const bytes = gzipSync(await taken("*")).length + gzipSync(readFileSync(`${ui}dist/styles.css`)).length;
    console.log(`whole package: ${bytes} bytes gzipped`);
    expect(bytes).toBeLessThan(LARGEST_BYTES);
    expect(bytes).toBeGreaterThan(1000);
  });

  test.each(NAMES)("%s alone brings none of the others", async (name) => {
    const alone = kindsIn(await taken(`{ ${name} }`));
    expect(alone).toHaveLength(1);
  });

  test("the chart library comes with the charts alone", async () => {
    for (const name of NAMES) {
      expect((await taken(`{ ${name} }`)).includes('"d3-scale"'), name).toBe(CHARTS.includes(name));
    }
  });

  test("that a component is in a bundle can be seen", async () => {
    expect(kindsIn(await taken("*"))).toEqual([...KINDS, "search"]);
  });
});

test("what was built can be imported where there is no page, and names its own files alone", () => {
  const program = 'import * as all from "@firmdata/react"; console.log(Object.keys(all).length)';
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: ui,
    encoding: "utf8",
  });
  expect(said.trim()).toBe("24");
  const types = readFileSync(`${ui}dist/index.d.ts`, "utf8");
  for (const name of NAMES) expect(types).toContain(name);
});

test("the lock pins by hash and names no registry", () => {
  const lock = JSON.parse(readFileSync(`${ui}package-lock.json`, "utf8")) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
  };
  // The client is beside this package in the repository, not in a registry.
  const installed = Object.entries(lock.packages).filter(
    ([name, { link }]) => name.startsWith("node_modules/") && link !== true,
  );
  expect(installed.length).toBeGreaterThan(10);
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test("dependencies of development are exact; the package itself brings the chart library and the client alone", () => {
  expect(Object.keys(manifest["dependencies"] ?? {})).toEqual(["d3-scale"]);
  expect(Object.keys(manifest["peerDependencies"] ?? {})).toEqual(["@firmdata/client", "react"]);
  const { "@firmdata/client": client, ...others } = manifest["devDependencies"] ?? {};
  expect(client).toBe("file:../sdk/typescript");
  for (const version of Object.values(others)) expect(version).toMatch(/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/);
});

test("it is not published before its owner has filled in the addresses", () => {
  const check = (): string =>
    execFileSync(process.execPath, ["scripts/publishable.mjs"], { cwd: ui, encoding: "utf8", stdio: "pipe" });
  expect(check).toThrow(/Fill in homepage and repository.url in package.json/);
  expect(manifest["scripts"]?.["prepublishOnly"]).toContain("publishable.mjs");
});

test("the style sheet is in a layer, so that every rule of a page comes before it", async () => {
  const sheet = readFileSync(`${ui}dist/styles.css`, "utf8");
  const outside = sheet.replace(/\/\*.*?\*\//gs, "").split(/^@layer firmdata \{.*?^\}/gms);
  expect(outside.length).toBeGreaterThan(1);
  expect(outside.join("").trim()).toBe("");
});
