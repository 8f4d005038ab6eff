// The types of the answers, from the OpenAPI document of the service: `npm run types` writes src/openapi.ts.
//
// Only what components read is kept, and 64-bit integers are `number | bigint`: the client reads those that a
// number cannot hold as bigint. With `--print` nothing is written; a test compares so.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const DOCUMENT = new URL("../../tests/architecture/openapi.json", import.meta.url);
const TYPES = new URL("../src/openapi.ts", import.meta.url);
const READ = [
  "/api/v1/companies/{org_number}",
  "/api/v1/companies/{org_number}/financials",
  "/api/v1/companies/{org_number}/ownership",
  "/api/v1/companies/{org_number}/group",
  "/api/v1/companies/{org_number}/filings",
  "/api/v1/companies/suggest",
  "/api/v1/companies/{company_id}/events",
];
const ROOTS = [
  "Company",
  "FinancialsList",
  "OwnershipList",
  "CompanyGroup",
  "FilingList",
  "SuggestionList",
  "EventList",
  "Problem",
];
const HEAD = "// Made by scripts/types.mjs from the OpenAPI document; not edited by hand.\n\n";

/** Names of the schemas that a piece of the document refers to. */
function named(piece) {
  return [...JSON.stringify(piece).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((found) => found[1]);
}

/** The schemas that the roots reach. */
function reached(schemas) {
  const kept = new Set();
  const waiting = [...ROOTS];
  while (waiting.length > 0) {
    const name = waiting.pop();
    if (kept.has(name)) continue;
    if (schemas[name] === undefined) throw new Error(`the document has no schema ${name}`);
    kept.add(name);
    waiting.push(...named(schemas[name]));
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => kept.has(name)));
}

/** Each read operation with its parameters alone: answers are named by their schemas. */
function operations(paths) {
  const parameters = (path) => paths[path].get.parameters;
  return Object.fromEntries(
    READ.map((path) => [
      path,
      { get: { parameters: parameters(path), responses: { 200: { description: "" } } } },
    ]),
  );
}

const large = (schema) =>
  schema.format === "int64" && (schema.type === "integer" || schema.type?.includes("integer"));

function exact(schema) {
  if (!large(schema)) return undefined;
  const kinds = [ts.SyntaxKind.NumberKeyword, ts.SyntaxKind.BigIntKeyword].map((kind) =>
    ts.factory.createKeywordTypeNode(kind),
  );
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    kinds.push(ts.factory.createLiteralTypeNode(ts.factory.createNull()));
  }
  return ts.factory.createUnionTypeNode(kinds);
}

export async function typesOf(document) {
  const read = {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    paths: operations(document.paths),
    components: { schemas: reached(document.components.schemas) },
  };
  return HEAD + astToString(await openapiTS(read, { transform: exact }));
}

const types = await typesOf(JSON.parse(await readFile(DOCUMENT, "utf8")));
if (process.argv.includes("--print")) process.stdout.write(types);
else await writeFile(TYPES, types);
