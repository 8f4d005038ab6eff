// The types of the API, from the OpenAPI document of the service: `npm run types` writes src/openapi.ts.
//
// Operations are kept with their parameters, their body and what they answer when they succeed; problems have a schema
// of their own. 64-bit integers are `number | bigint`: the client reads those that a number cannot hold as bigint. With
// `--print` nothing is written; a test compares so.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const DOCUMENT = new URL("../../../tests/architecture/openapi.json", import.meta.url);
const TYPES = new URL("../src/openapi.ts", import.meta.url);
const METHODS = ["get", "post", "put", "patch", "delete"];
const HEAD = "// Made by scripts/types.mjs from the OpenAPI document; not edited by hand.\n\n";

/** A body without its examples, which the types cannot hold. */
const bodyOf = (content) =>
  Object.fromEntries(Object.entries(content).map(([media, { schema }]) => [media, { schema }]));

/** The bodies of the answers that succeed. */
function successes(responses) {
  return Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, { description, content }]) => [
        status,
        { description, ...(content && { content: bodyOf(content) }) },
      ]),
  );
}

function operations(paths) {
  const kept = ({ parameters, requestBody, responses }) => ({
    ...(parameters && { parameters }),
    ...(requestBody && { requestBody: { ...requestBody, content: bodyOf(requestBody.content) } }),
    responses: successes(responses),
  });
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(METHODS.filter((name) => item[name]).map((name) => [name, kept(item[name])])),
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
    components: { parameters: document.components.parameters, schemas: document.components.schemas },
  };
  return HEAD + astToString(await openapiTS(read, { transform: exact }));
}

const types = await typesOf(JSON.parse(await readFile(DOCUMENT, "utf8")));
if (process.argv.includes("--print")) process.stdout.write(types);
else await writeFile(TYPES, types);
