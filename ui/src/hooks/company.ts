"use client";
/** What the components read, for pages that draw it themselves. Settings are those of the provider, or given. */
import {
  filingsOf,
  groupOf,
  suggestionsOf,
  type FilingChoice,
  type SuggestionChoice,
} from "../companyQueries.js";
import { financialsOf, ownershipOf, profileOf, type PeriodChoice } from "../client/queries.js";
import type {
  Company,
  EventType,
  Filings,
  Financials,
  Group,
  Ownership,
  Suggestions,
} from "../model.js";
import { useSettings, type SharedSettings } from "../settings.js";
import { useFeed, type Followed } from "./useFeed.js";
import { useResource, type ReadResult } from "./useResource.js";

/** Where the service is, by which key, as of which day; what is left out is the provider's. */
export type ReadSettings = Pick<SharedSettings, "publishableKey" | "baseUrl" | "asOf">;

const YEARS = 5;
const FILINGS = 10;
const EVENTS = 25;
const SUGGESTIONS = 8;

export function useCompany(
  companyId: string,
  settings: ReadSettings & { readonly hasSources?: boolean } = {},
): ReadResult<Company> {
  const { place, client } = useSettings({ ...settings, companyId });
  return useResource(profileOf(place, settings.hasSources), client);
}

/** Periods, the newest first: of five fiscal years, annual ones, where nothing else is said. */
export function useFinancials(
  companyId: string,
  settings: ReadSettings & Partial<PeriodChoice> = {},
): ReadResult<Financials> {
  const { years = YEARS, periodType = "annual", consolidated } = settings;
  const { place, client } = useSettings({ ...settings, companyId });
  return useResource(financialsOf(place, { years, periodType, consolidated }), client);
}

export function useOwnership(companyId: string, settings: ReadSettings = {}): ReadResult<Ownership> {
  const { place, client } = useSettings({ ...settings, companyId });
  return useResource(ownershipOf(place), client);
}

/** The group one level down; `cursor`: its further children. */
export function useGroup(
  companyId: string,
  settings: ReadSettings & { readonly cursor?: string } = {},
): ReadResult<Group> {
  const { place, client } = useSettings({ ...settings, companyId });
  return useResource(groupOf(place, settings.cursor), client);
}

export function useFilings(
  companyId: string,
  settings: ReadSettings & Partial<FilingChoice> = {},
): ReadResult<Filings> {
  const { limit = FILINGS, cursor } = settings;
  const { place, client } = useSettings({ ...settings, companyId });
  return useResource(filingsOf(place, { limit, cursor }), client);
}

export interface EventSettings extends ReadSettings {
  /** Only these types; left out: all of them. */
  readonly eventTypes?: readonly EventType[] | undefined;
  /** Events of one page, 1 to 100; 25 where it is left out. */
  readonly limit?: number | undefined;
  /** How often what is new is asked for; left out or null: never. */
  readonly refreshSeconds?: number | null | undefined;
}

/** Events, the newest first, with older ones on demand. */
export function useEvents(companyId: string, settings: EventSettings = {}): Followed {
  const { eventTypes: types, limit = EVENTS, refreshSeconds = null } = settings;
  const { place, client } = useSettings({ ...settings, companyId });
  return useFeed(place, { types, limit }, refreshSeconds, client);
}

/** Companies that a text may be the beginning of; an empty text is not asked for, and stays loading. */
export function useSuggestions(
  text: string,
  settings: ReadSettings & Partial<Omit<SuggestionChoice, "text">> = {},
): ReadResult<Suggestions> {
  const { countries, limit = SUGGESTIONS } = settings;
  const { place, client } = useSettings(settings);
  return useResource(text === "" ? null : suggestionsOf(place, { text, countries, limit }), client);
}
