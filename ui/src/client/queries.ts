/** What components ask: addresses under a company, and what their answers must have to be shown at all. */
import type { Company, EventPage, EventType, Financials, Ownership, Period } from "../model.js";

/** One question. Two with the same address and key are the same question. */
export interface Query<T> {
  /** Where the service is, without a slash at the end; empty: where the page is. */
  readonly base: string;
  /** Path and parameters; null where the company's number fits no format, which needs no asking. */
  readonly path: string | null;
  readonly key: string;
  readonly fits: (answer: object) => answer is T & object;
}

/** What is the same for two questions exactly when they are the same. */
export function nameOf(query: Query<unknown>): string {
  return `${query.base}${query.path ?? ""}\n${query.key}`;
}

export interface Place {
  readonly baseUrl: string;
  readonly publishableKey: string;
  readonly companyId: string;
  /** A past day, `YYYY-MM-DD`; undefined: today. */
  readonly asOf?: string | undefined;
}

export interface PeriodChoice {
  readonly years: number;
  readonly periodType: Period["period_type"];
  /** The group's figures or the company's own; undefined: the group's where there are any. */
  readonly consolidated?: boolean | undefined;
}

export interface EventChoice {
  /** Undefined: all of them. */
  readonly types?: readonly EventType[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

// Every spelling of a number that the service takes is made of these (docs/contract/contract.md 4.0); none climbs
// out of the path.
const NUMBER = /^[0-9A-Za-z:-]{4,24}$/;
const LARGEST_PAGE = 100;

/** `withSources`: with the register of each field (`include=sources`). */
export function profileOf(place: Place, withSources = false): Query<Company> {
  const include = withSources ? "detail,identifiers,sources" : "detail,identifiers";
  return { ...asked(place, "", { include, as_of: place.asOf }), fits: isProfile };
}

export function financialsOf(place: Place, choice: PeriodChoice): Query<Financials> {
  const { years, periodType, consolidated } = choice;
  const parameters = { period_type: periodType, years, consolidated, as_of: place.asOf, limit: LARGEST_PAGE };
  return { ...asked(place, "/financials", parameters), fits: isListOf("period", "period_end") };
}

export function ownershipOf(place: Place): Query<Ownership> {
  return { ...asked(place, "/ownership", { as_of: place.asOf, limit: LARGEST_PAGE }), fits: isListOf("holder_id") };
}

export function eventsOf(place: Place, choice: EventChoice): Query<EventPage> {
  const { types, limit, cursor } = choice;
  // One order of the types, so that two components that want the same ask once.
  const event_type = types && [...new Set(types)].sort().join(",");
  const parameters = { event_type, until: place.asOf && dayAfter(place.asOf), limit, cursor };
  return { ...asked(place, "/events", parameters), fits: isListOf("event_id", "occurred_at") };
}

/** The instant at which a day has ended, UTC: `until` is exclusive (docs/contract/contract.md 4.5). */
function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().replace(".000Z", "Z");
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export function asked(place: Place, below: string, parameters: Parameters): Omit<Query<never>, "fits"> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const path = `/api/v1/companies/${encodeURIComponent(place.companyId)}${below}?${query.toString()}`;
  return {
    base: place.baseUrl.replace(/\/$/, ""),
    path: NUMBER.test(place.companyId) ? path : null,
    key: place.publishableKey,
  };
}

// An answer must have what it is known by; what else it lacks shows where it is drawn.
const isProfile = (answer: object): answer is Company => hasWords(answer, ["id", "name", "status"]);

export const isListOf =
  <T extends { readonly data: readonly unknown[] }>(...names: readonly string[]) =>
  (answer: object): answer is T =>
    "data" in answer &&
    Array.isArray(answer.data) &&
    answer.data.every((item: unknown) => typeof item === "object" && item !== null && hasWords(item, names));

export function hasWords(item: object, names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(item, name) === "string");
}
