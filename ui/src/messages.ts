/**
 * Every word that components say, in English; `messages/` has it in Swedish, Norwegian and Finnish. A page gives
 * one of them, or its own, through the provider. A language that lacks a word fails the compiler.
 *
 * `{name}` marks what is filled in. Numbers, currencies and days are not words: `format` writes them.
 */
import type { LocalCode } from "./client/failure.js";

export const english = {
  loading: "Loading",
  unknown: "—",
  unknownSpoken: "unknown",
  retry: "Try again",
  older: "Show older",
  stale: "This could not be brought up to date.",
  opensElsewhere: "opens another site",
  company: "Company",
  number: "Number",
  country: "Country",
  industry: "Industry",
  seat: "Registered in",
  registered: "Registered",
  status: "Status",
  listed: "Listed",
  latestRevenue: "Latest revenue",
  inYear: "{amount} ({year})",
  yes: "Yes",
  no: "No evidence of a listing",
  identifier: "LEI",
  ticker: "Symbol",
  website: "Website",
  financials: "Financials",
  financialsOf: "Financials of {name}",
  noFinancials: "No accounts are known.",
  figure: "Figure",
  group: "Group figures",
  ownFigures: "The company's own figures",
  restated: "restated",
  derived: "computed from other figures of the source, not reported",
  keyStats: "Key figures",
  keyStatsOf: "Key figures of {name}, {period}",
  sincePrevious: "{change} since {period}",
  margin: "Operating margin",
  ownership: "Ownership",
  ownershipOf: "Owners of {name} on {day}",
  noOwners: "No owners are known.",
  holder: "Holder",
  protectedHolder: "A protected holder",
  share: "Share",
  votes: "Votes",
  asOf: "As of",
  between: "{from} to {to}",
  known: "The shares that are known exactly add up to {share}.",
  largest: "The {count} largest are shown.",
  indirect: "indirect",
  conflict: "sources disagree",
  news: "News",
  noNews: "No news is known.",
  calendar: "Events",
  calendarOf: "Events of {name}, {month}",
  noEvents: "No events are known.",
  noEventsOn: "No events in this month.",
  eventsOn: "{day}, events: {count}",
  previousMonth: "Previous month",
  nextMonth: "Next month",
  notAllRead: "Older events have not been read yet.",
  changes: "Changes",
  noChanges: "No changes are known.",
  arrived: "{count} new",
  accountsOf: "Accounts of {period}",
  accounts: "Accounts",
  accountsAgain: "Accounts of {period} again, version {version}",
  held: "{holder}: {before} → {after}",
  atLeast: "at least {share}",
  document: "document",
  provenance: "Source of: {field}",
  retrieved: "retrieved {instant}",
  licence: "licence {licence}",
  recordNumber: "record {id}",
  chart: "Revenue and result",
  chartOf: "{figures} of {name}, in {currency}",
  noCurrency: "an unknown currency",
  otherCurrency: "Amounts of different currencies are drawn apart: they cannot be compared.",
  years: "Years",
  quarters: "Quarters",
  periodLength: "Length of the periods",
  periods: "Periods",
  months: "{count} months",
  unusualLength: "Periods of an unusual length are marked with their months.",
  noPeriod: "No accounts",
  asTable: "Show as a table",
  noQuarters: "No quarterly accounts are known.",
  structure: "Group",
  above: "Belongs to",
  ultimate: "Ultimately",
  below: "Holds",
  noParents: "No parent company is known.",
  noChildren: "No company that it holds is known.",
  moreParents: "There are more owners.",
  unnamed: "A company without a known name",
  identifiedBy: "LEI {lei}",
  inCircle: "holds itself through others",
  shownAbove: "shown above",
  open: "Show what {name} holds",
  back: "Back to {name}",
  more: "Show more",
  incomplete: "The group is larger than what was read.",
  filings: "Filings",
  filingsOf: "Filings of {name}",
  filingSource: "Source: {register}",
  noFilings: "No filings are known.",
  period: "Period",
  versionOf: "version {version} of {count}",
  search: "Find a company",
  searchHint: "Name, number or symbol",
  suggestions: "Companies",
  found: "{count} companies. Choose with the arrow keys.",
  noneFound: "No company begins like this.",
} as const;

/** Kinds of relation of a group; one that a later service has is shown by its own name. */
export const relations = {
  shareholding: "shareholding",
  control: "control",
  accounting_consolidation: "consolidated",
} as const;

/** Types of filing; one that a later service has is shown by its own name. */
export const filingTypes = { annual_report: "Annual report", interim_report: "Interim report" } as const;

export const statuses = { active: "Active", dormant: "Dormant", dissolved: "Dissolved" } as const;

export const eventTypes = {
  "filing.added": "Accounts filed",
  "filing.updated": "Accounts corrected",
  "ownership.changed": "Ownership",
  "status.changed": "Status",
  "news.published": "News",
  "event.regulatory": "Regulator",
  "company.changed": "Register entry",
} as const;

/** What `company.changed` names; a field that a later service has is shown by its own name. */
export const profileFields = {
  name: "Name",
  sni_code: "Industry",
  municipality: "Municipality",
  county: "County",
  is_listed: "Listing",
  legal_form_code: "Legal form",
  address: "Address",
} as const;

export const figures = {
  revenue: "Revenue",
  operating_result: "Operating result",
  net_result: "Net result",
  equity: "Equity",
  total_assets: "Total assets",
  employees: "Employees",
} as const;

const local: Readonly<Record<LocalCode, string>> = {
  key_missing: "No publishable key is given.",
  key_not_publishable:
    "This is a secret key. It was not sent; a page needs a publishable key (firm_public_…).",
  key_malformed: "This is not a publishable key.",
  page_refused: "The service refuses this page: the key is not valid.",
  offline: "This device is offline.",
  unreachable: "The service cannot be reached.",
  timed_out: "The service took too long to answer.",
  unreadable_answer: "The service gave an answer that cannot be read.",
};

/** By the code of a failure; `other` for codes that a later service may have. */
export const failures = {
  ...local,
  missing_api_key: "No publishable key is given.",
  invalid_api_key: "The key is not valid.",
  revoked_api_key: "The key was revoked.",
  expired_api_key: "The key has expired.",
  payment_required: "The subscription behind this key is not active.",
  account_suspended: "The account behind this key is suspended.",
  key_kind_not_allowed: "This kind of key may not read this.",
  origin_required: "The key works only on the pages that it is bound to.",
  origin_not_allowed: "The key is not bound to {origin}.",
  tier_required: "This is not part of the account's tier.",
  invalid_org_number: "This is not a company number.",
  company_not_found: "No such company is known.",
  company_not_known_then: "The company was not known on that day.",
  market_not_available: "This market is not served yet.",
  rate_limited: "Too many requests at once.",
  quota_exceeded: "The requests of this month are used up.",
  service_unavailable: "The service is not available for the moment.",
  internal_error: "Something failed in the service.",
  other: "The service could not answer.",
} as const;

export const waits = {
  seconds: "Possible again in {seconds} seconds.",
  until: "Possible again from {instant}.",
} as const;

type Words<T> = { readonly [name in keyof T]: string };

/** Words of `table` by a name that a later service may have made; undefined for one that they lack. */
export function wordFor(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export interface Messages extends Words<typeof english> {
  readonly statuses: Words<typeof statuses>;
  readonly eventTypes: Words<typeof eventTypes>;
  readonly profileFields: Words<typeof profileFields>;
  readonly figures: Words<typeof figures>;
  readonly relations: Words<typeof relations>;
  readonly filingTypes: Words<typeof filingTypes>;
  readonly failures: Words<typeof failures>;
  readonly waits: Words<typeof waits>;
}

export const ENGLISH: Messages = {
  ...english,
  statuses,
  eventTypes,
  profileFields,
  figures,
  relations,
  filingTypes,
  failures,
  waits,
};

/** A message with what stands in for its `{names}`; a name that nothing stands for stays as it is. */
export function filled(message: string, given: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w{1,20})\}/g, (mark, name: string) => given[name] ?? mark);
}
