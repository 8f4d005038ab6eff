/**
 * The shapes of answers, named: what the generated types call `components["schemas"][…]`. No rules live here.
 */
import type { components, paths } from "@firmdata/client";

type Schemas = components["schemas"];

export type Company = Schemas["Company"];
export type Financials = Schemas["FinancialsList"];
export type Period = Schemas["FinancialPeriod"];
export type Ownership = Schemas["OwnershipList"];
export type Owner = Schemas["Owner"];
export type Group = Schemas["CompanyGroup"];
export type GroupLine = Schemas["GroupLine"];
export type Filings = Schemas["FilingList"];
export type FilingEntry = Schemas["Filing"];
export type Suggestions = Schemas["SuggestionList"];
export type Suggestion = Schemas["Suggestion"];
export type ProfileSource = Schemas["ProfileSource"];
export type EventPage = Schemas["EventList"];
export type CompanyEvent = Schemas["Event"];
export type Problem = Schemas["Problem"];
export type Filing = Schemas["AddedFiling"] | Schemas["UpdatedFiling"];
export type OwnershipChange = Schemas["OwnershipChange"];
export type CompanyChange = Schemas["CompanyChange"];
export type StatusChange = Schemas["StatusChange"];
export type NewsItem = Schemas["NewsItem"];
export type RegulatoryNotice = Schemas["RegulatoryNotice"];

type EventParameters = NonNullable<
  paths["/api/v1/companies/{company_id}/events"]["get"]["parameters"]["query"]
>;

/** The types that the service has today; a later one is read, and shown by its name. */
export type EventType = NonNullable<EventParameters["event_type"]>[number];

/** A figure in whole units; null where it is unknown, which is never 0. */
export type Figure = number | bigint | null;
