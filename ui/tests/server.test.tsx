/** Components on a server, where there is no page, and the page that takes over from it. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { renderToString } from "react-dom/server";
import { Window } from "happy-dom";
import { expect, test } from "vitest";
import { CompanySearch, FirmdataProvider } from "../src/index.js";
import { ALL, NAMES } from "./shown.js";
import { KEY } from "./service.js";

const ui = fileURLToPath(new URL("..", import.meta.url));

function page(): string {
  return renderToString(
    <FirmdataProvider publishableKey={KEY} baseUrl="http://127.0.0.1:1">
      {Object.entries(ALL).map(([name, Component]) => (
        <Component key={name} companyId="5599999991" />
      ))}
      <CompanySearch />
    </FirmdataProvider>,
  );
}

test("there is no page here", () => {
  expect(typeof window).toBe("undefined");
});

test("all are rendered as loading, and nothing is asked", () => {
  const written = new Window().document;
  written.body.innerHTML = page();
  const sections = [...written.querySelectorAll("section")];
  expect(sections.map((section) => section.dataset["state"])).toEqual(NAMES.map(() => "loading"));
  expect(page()).toBe(page());
});

// React 18 hydrates as well: the same package, bundled with each.
const HYDRATES = `
import { hydrateRoot } from "react-dom/client";
import * as react from "react";
import { renderToString } from "react-dom/server.browser";
import { Window } from "happy-dom";
import * as components from "./src/index.ts";

const { createElement, version } = react;
const { CompanySearch, FirmdataProvider } = components;
const shown = ${JSON.stringify(NAMES)}.map((name) => [name, components[name]]);
const all = () => createElement(FirmdataProvider, { publishableKey: ${JSON.stringify(KEY)}, baseUrl: "http://127.0.0.1:1" },
  shown.map(([name, Component]) => createElement(Component, { key: name, companyId: "5599999991" })), createElement(CompanySearch));
const html = renderToString(all());
const window = new Window({ url: "http://127.0.0.1/" });
Object.assign(globalThis, { window, document: window.document, location: window.location, IS_REACT_ACT_ENVIRONMENT: true });
window.document.body.innerHTML = "<div id=page>" + html + "</div>";
const said = [];
console.error = (...words) => said.push(words.map(String).join(" "));
await react.act(async () => { hydrateRoot(window.document.getElementById("page"), all(), { onRecoverableError: (error) => said.push(String(error)) }); });
const found = { version, said, sections: window.document.querySelectorAll("section").length };
process.stdout.write(JSON.stringify(found), () => process.exit(0));
`;

test.each([
  ["19.", {}],
  ["18.", { react: "react-18", "react-dom": "react-dom-18" }],
])("a page takes over from a server without a difference (React %s)", async (version, alias) => {
  const made = await build({
    stdin: { contents: HYDRATES, resolveDir: ui, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    external: ["happy-dom"],
    alias,
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(process.cwd() + "/");',
    },
    jsx: "automatic",
    logLevel: "error",
  });
  const program = made.outputFiles[0]?.text ?? "";
  const said = execFileSync(process.execPath, ["--input-type=module", "-"], {
    cwd: ui,
    input: program,
    encoding: "utf8",
  });
  const told = JSON.parse(said) as { version: string; said: string[]; sections: number };
  expect(told.version.startsWith(version)).toBe(true);
  expect(told).toMatchObject({ said: [], sections: NAMES.length });
});
