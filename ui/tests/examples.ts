/** What the service answers, by the examples of its OpenAPI document. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  Company,
  CompanyEvent,
  EventPage,
  Filings,
  Financials,
  Group,
  Ownership,
  Problem,
  Suggestions,
} from "../src/model.js";

interface Example<T> {
  readonly value: T;
}

interface Content {
  readonly example?: unknown;
  readonly examples?: Record<string, Example<Problem>>;
}

interface Document {
  readonly paths: Record<
    string,
    { get: { responses: Record<string, { content: Record<string, Content> }> } }
  >;
  readonly components: { responses: Record<string, { content?: Record<string, Content> }> };
  readonly webhooks: Record<string, { post: { requestBody: { content: Record<string, Content> } } }>;
}

const PLACE = join(import.meta.dirname, "../../tests/architecture/openapi.json");
const document = JSON.parse(readFileSync(PLACE, "utf8")) as Document;

function answered<T>(path: string): T {
  const found = document.paths[path]?.get.responses["200"]?.content["application/json"]?.example;
  if (found === undefined) throw new Error(`the document has no example for ${path}`);
  return structuredClone(found) as T;
}

export const company = (): Company => answered("/api/v1/companies/{org_number}");
export const financials = (): Financials => answered("/api/v1/companies/{org_number}/financials");
export const ownership = (): Ownership => answered("/api/v1/companies/{org_number}/ownership");
export const group = (): Group => answered("/api/v1/companies/{org_number}/group");
export const filings = (): Filings => answered("/api/v1/companies/{org_number}/filings");
export const suggestions = (): Suggestions => answered("/api/v1/companies/suggest");
export const eventPage = (): EventPage => answered("/api/v1/companies/{company_id}/events");

/** One event of each type: the bodies of the webhooks hold the same `data`. */
export function events(): CompanyEvent[] {
  return Object.values(document.webhooks).map(({ post }, place) => {
    const body = post.requestBody.content["application/json"]?.example as Pick<
      CompanyEvent,
      "event_id" | "event_type" | "data"
    >;
    return {
      event_id: body.event_id,
      event_type: body.event_type,
      company_id: body.data.company_id,
      occurred_at: body.data.occurred_at,
      recorded_at: body.data.occurred_at,
      sequence: 1000 - place,
      data: body.data,
    };
  });
}

/** Every problem of the document, by its code. */
export function problems(): Problem[] {
  return Object.values(document.components.responses).flatMap((response) =>
    Object.values(response.content?.["application/problem+json"]?.examples ?? {}).map(({ value }) => value),
  );
}

export function problem(code: string): Problem {
  const found = problems().find((one) => one.code === code);
  if (found === undefined) throw new Error(`the document has no problem ${code}`);
  return found;
}
