/** What else components ask of a company, after `client/queries`: its group, its filings; and companies by what is typed. */
import { asked, hasWords, isListOf, type Place, type Query } from "./client/queries.js";
import type { Filings, Group, Suggestions } from "./model.js";

const GROUP_LINES = 50;

/** Holders above a company and, by pages, what it holds, one level down (docs/contract/contract.md 4.4b). */
export function groupOf(place: Place, cursor?: string): Query<Group> {
  const parameters = { as_of: place.asOf, limit: GROUP_LINES, cursor };
  return { ...asked(place, "/group", parameters), fits: isGroup };
}

export interface FilingChoice {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Filings, newest first; of a past day those that were filed by then. */
export function filingsOf(place: Place, { limit, cursor }: FilingChoice): Query<Filings> {
  const parameters = { to: place.asOf, limit, cursor };
  return { ...asked(place, "/filings", parameters), fits: isListOf("filing_id", "filing_type") };
}

export interface SuggestionChoice {
  /** What was typed, 1 to 100 characters. */
  readonly text: string;
  /** Market codes; undefined: all. */
  readonly countries?: readonly string[] | undefined;
  readonly limit: number;
}

export function suggestionsOf(
  place: Pick<Place, "baseUrl" | "publishableKey">,
  { text, countries, limit }: SuggestionChoice,
): Query<Suggestions> {
  const country = countries && [...new Set(countries)].sort().join(",");
  const named: Place = { ...place, companyId: "suggest" };
  return { ...asked(named, "", { q: text, country, limit }), fits: isListOf("id", "name") };
}

const isGroup = (answer: object): answer is Group => {
  if (!hasWords(answer, ["company_id", "name"])) return false;
  const { parents, ultimate_parents, children } = answer as Partial<Group>;
  const isList = isListOf("holder_id", "via");
  return [parents, ultimate_parents, children?.data].every((data) => isList({ data }));
};
