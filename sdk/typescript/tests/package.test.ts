/** The package as others take it: types of the service's document, no runtime but the web's, its lock bare. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, "utf8");
const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;

test("types are those of the service's document", () => {
  const now = execFileSync(process.execPath, ["scripts/types.mjs", "--print"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(read("src/openapi.ts") === now, "run `make generate`").toBe(true);
});

test.each([["neutral"], ["worker"]])(
  "it is bundled for runtimes that have the web's interfaces alone: %s",
  async (name) => {
    const made = await build({
      stdin: { contents: 'export { Client, webhooks } from "./src/index.ts";', resolveDir: folder },
      bundle: true,
      write: false,
      format: "iife",
      globalName: "firmdata",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: name === "worker" ? ["worker", "browser"] : [],
      logLevel: "silent",
    });
    const text = made.outputFiles[0]?.text ?? "";
    expect(made.warnings).toEqual([]);
    expect(text).not.toMatch(/\brequire\(|["']node:/);
    // A context has the language's own names; what the web adds is handed to it, and nothing of Node's.
    const web = {
      AbortController,
      AbortSignal,
      Headers,
      TextDecoder,
      TextEncoder,
      URLSearchParams,
      Response,
      atob,
    };
    const asked: string[] = [];
    const fetch = (address: string, init: RequestInit): Promise<Response> => {
      // As Cloudflare Workers answer to what pages alone have.
      const unknown = ["cache", "credentials", "mode", "referrerPolicy"].filter((field) => field in init);
      if (unknown.length > 0) throw new Error(`The '${unknown[0]}' field is not implemented`);
      asked.push(address);
      return Promise.resolve(new Response('{"data":[{"market":"SE"}]}'));
    };
    const context = createContext({ ...web, fetch, crypto, setTimeout, clearTimeout, DOMException });
    const program = `${text}
    new firmdata.Client({ apiKey: "k", baseUrl: "https://api.example.com" }).markets().then(JSON.stringify)`;
    expect(await runInContext(program, context)).toBe('[{"market":"SE"}]');
    expect(asked).toEqual(["https://api.example.com/api/v1/markets"]);
  },
);

test("the lock pins by hash and names no registry", () => {
  const lock = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { integrity?: string; resolved?: string }>;
  };
  const installed = Object.entries(lock.packages).filter(([name]) => name !== "");
  expect(installed.length).toBeGreaterThan(10);
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test("the package brings the parser of server-sent events alone, and dependencies of development are exact", () => {
  expect(Object.keys(manifest["dependencies"] ?? {})).toEqual(["eventsource-parser"]);
  expect(manifest["peerDependencies"]).toBeUndefined();
  for (const version of Object.values(manifest["devDependencies"] ?? {}))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});
