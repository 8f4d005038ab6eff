/**
 * The shapes of answers, named: what the generated types call `components["schemas"][…]`. No rules live here.
 */
import type { components, paths } from "./openapi.js";

type Schemas = components["schemas"];

export type BulkFile = Schemas["BulkFile"];
export type ChangedMembership = Schemas["ChangedMembership"];
export type Company = Schemas["Company"];
export type CompanyGroup = Schemas["CompanyGroup"];
export type CompanySelection = Schemas["CompanySelection"];
export type CreatedSubscription = Schemas["CreatedSubscription"];
export type Delivery = Schemas["Delivery"];
export type DeliveryDetail = Schemas["DeliveryDetail"];
export type Event = Schemas["Event"];
export type EventTypeDescription = Schemas["EventTypeList"]["data"][number];
export type Filing = Schemas["Filing"];
export type FinancialPeriod = Schemas["FinancialPeriod"];
export type Holding = Schemas["Holding"];
export type LookupItem = Schemas["LookupRequest"]["items"][number];
export type LookupResult = Schemas["LookupResult"];
export type Market = Schemas["Market"];
export type NewSubscription = Schemas["NewSubscription"];
export type Owner = Schemas["Owner"];
export type Problem = Schemas["Problem"];
export type Replay = Schemas["Replay"];
export type Subscription = Schemas["Subscription"];
export type Suggestion = Schemas["Suggestion"];
export type Usage = Schemas["Usage"];
export type Watchlist = Schemas["Watchlist"];
export type WatchlistCompany = Schemas["WatchlistCompany"];

/** The body of a delivery to a webhook: one shape per type of event. */
export type WebhookEvent =
  | Schemas["FilingAddedWebhook"]
  | Schemas["FilingUpdatedWebhook"]
  | Schemas["OwnershipChangedWebhook"]
  | Schemas["StatusChangedWebhook"]
  | Schemas["NewsPublishedWebhook"]
  | Schemas["RegulatoryEventWebhook"]
  | Schemas["CompanyChangedWebhook"];

/** Types of events that the service has today; a later one is passed on under its name. */
export type EventType = NonNullable<QueryOf<"/api/v1/events">["event_type"]>[number];

/** A 64-bit integer: a bigint where a number cannot hold it. */
export type Integer = number | bigint;

interface JsonAnswer<T> {
  readonly get: { readonly responses: { 200: { content: { "application/json": T } } } };
}

/** Paths of all operations that read JSON. */
export type ReadPath = {
  [Path in keyof paths]: paths[Path] extends JsonAnswer<unknown> ? Path : never;
}[keyof paths];

/** The answer of such an operation. */
export type AnswerOf<Path extends ReadPath> = paths[Path] extends JsonAnswer<infer T> ? T : never;

/** Its parameters in the path, and in the query. */
export type PathOf<Path extends ReadPath> = paths[Path]["get"]["parameters"] extends { path: infer P }
  ? P
  : unknown;
export type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Q } };
}
  ? NonNullable<Q>
  : never;
