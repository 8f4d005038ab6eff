/**
 * An invented company with what is hard to show: a missing year, a long one, a loss, an unknown figure, another
 * currency, a restatement, bands of ownership, a circle of owners. Its answers have the types of the service's.
 */
import type {
  Company,
  CompanyEvent,
  Filings,
  Financials,
  Group,
  GroupLine,
  Owner,
  Ownership,
  Period,
  Suggestions,
} from "../src/index.js";
import type { EventPage } from "../src/model.js";

export const COMPANY = "firm:NO:999999999";
const NAME = "EKSEMPEL ENERGI ASA";
const HEAD = { company_id: COMPANY, org_number: "999999999", name: NAME };
const LAST_PAGE = { next_cursor: null, has_more: false };
const MILLION = 1_000_000;

const profile: Company = {
  id: COMPANY,
  org_number: "999999999",
  name: NAME,
  country: "NO",
  sni_code: "06.100",
  sni_label: "Utvinning av råolje",
  municipality: "STAVANGER",
  county: "Rogaland",
  registered_date: "1995-03-12",
  status: "active",
  is_listed: true,
  latest_revenue: 1054 * MILLION,
  latest_currency: "NOK",
  latest_year: 2025,
  employees: 249,
  ticker: "EKSE",
  sources: [
    {
      register: "no.brreg.enheter",
      native_id: "999999999",
      url: null,
      retrieved_at: "2026-11-20T02:14:09Z",
      licence: "NLOD-2.0",
      fields: ["name", "status", "registered_date", "municipality", "county", "sni_code", "sni_label", "employees"],
    },
    {
      register: "no.brreg.regnskap",
      native_id: "2026654321",
      url: null,
      retrieved_at: "2026-06-03T03:10:44Z",
      licence: "NLOD-2.0",
      fields: ["latest_revenue", "latest_currency", "latest_year"],
    },
  ],
};

function period(fiscal_year: number, revenue: number | null, net: number | null, given: Partial<Period> = {}): Period {
  const amount = (millions: number | null): number | null => (millions === null ? null : millions * MILLION);
  return {
    period: String(fiscal_year),
    period_type: "annual",
    fiscal_year,
    fiscal_quarter: null,
    period_start: `${fiscal_year}-01-01`,
    period_end: `${fiscal_year}-12-31`,
    currency: "NOK",
    revenue: amount(revenue),
    operating_result: amount(net === null ? null : Math.round(net * 1.4)),
    net_result: amount(net),
    equity: amount(420),
    total_assets: amount(1305),
    employees: 249,
    is_consolidated: true,
    accounting_standard: "IFRS",
    filing_id: `fil_${fiscal_year}`,
    filed_at: `${fiscal_year + 1}-03-19`,
    version: 1,
    is_restated: false,
    derived: [],
    period_months: 12,
    ...given,
  };
}

const years: Period[] = [
  period(2025, 1054, 69),
  period(2024, 981, 118, { is_restated: true, version: 2 }),
  period(2023, 1312, 204, { period_start: "2022-07-01", period_months: 18 }),
  period(2021, 560, -143),
  period(2020, 377, null, { employees: null }),
  period(2019, 88, 9, { currency: "USD" }),
];

const quarters: Period[] = [
  [2025, 4, 281, 22],
  [2025, 3, 244, 12],
  [2025, 2, 262, -8],
  [2025, 1, 267, 43],
  [2024, 4, 250, 31],
  [2024, 2, 239, 20],
].map(([year = 0, quarter = 0, revenue = 0, net = 0]) =>
  period(year, revenue, net, {
    period: `${year}-Q${quarter}`,
    period_type: "quarterly",
    fiscal_quarter: quarter,
    period_start: `${year}-${String(quarter * 3 - 2).padStart(2, "0")}-01`,
    period_end: `${year}-${String(quarter * 3).padStart(2, "0")}-28`,
    period_months: 3,
    employees: null,
    derived: quarter === 4 ? ["revenue", "net_result"] : [],
  }),
);

function owner(holder_name: string, given: Partial<Owner>): Owner {
  return {
    holder_id: `own_${holder_name}`,
    holder_name,
    holder_type: "company",
    holder_company_id: null,
    holder_country: "NO",
    pct: null,
    pct_min: null,
    pct_max: null,
    votes_pct: null,
    share_class: null,
    basis: "exact",
    is_direct: true,
    as_of: "2026-05-04",
    first_seen: "2019-04-30",
    reconciliation: "single",
    sources: [],
    ...given,
  };
}

const ownership: Ownership = {
  ...HEAD,
  as_of: "2026-11-18",
  known_pct: 59.9,
  ...LAST_PAGE,
  data: [
    owner("EKSEMPEL INVEST AS", { pct: 40, votes_pct: 40, holder_company_id: "firm:NO:999999983" }),
    owner("Exempel Förvaltning AB", { pct_min: 19.9, pct_max: 19.9, holder_country: "SE", basis: "band" }),
    owner("Example Person", { pct_min: 10, pct_max: 25, holder_type: "person", holder_country: "GB", basis: "band" }),
    owner("Esimerkki Oy", { holder_country: "FI", reconciliation: "conflict" }),
  ],
};

function line(company_id: string | null, name: string | null, given: Partial<GroupLine> = {}): GroupLine {
  return {
    company_id,
    holder_id: `own_${company_id ?? name}`,
    name,
    country: "NO",
    pct: 100,
    pct_min: 100,
    pct_max: 100,
    votes_pct: null,
    relation: "shareholding",
    is_direct: true,
    holder_lei: null,
    level: 1,
    via: COMPANY,
    in_circle: false,
    as_of: "2026-05-04",
    reconciliation: "single",
    sources: [],
    ...given,
  };
}

const SUBSIDIARY = "firm:NO:999999975";

function group(company_id: string): Group {
  const isTop = company_id === COMPANY;
  const children = isTop
    ? [
        line(SUBSIDIARY, "EKSEMPEL FELT AS"),
        line("firm:UK:99999999", "EXAMPLE SUBSEA PLC", { country: "UK", pct: null, pct_min: 75, pct_max: 100 }),
      ]
    : company_id === SUBSIDIARY
      ? [
          line("firm:NO:999999967", "EKSEMPEL RØR AS", { pct: 51, pct_min: 51, pct_max: 51 }),
          line(COMPANY, NAME, { pct: 2.5, pct_min: 2.5, pct_max: 2.5, in_circle: true }),
        ]
      : [];
  const above = isTop
    ? [line("firm:NO:999999983", "EKSEMPEL INVEST AS", { pct: 40, pct_min: 40, pct_max: 40 })]
    : [line(COMPANY, NAME, { relation: "control", pct: null, pct_min: null, pct_max: null })];
  const ultimate = line(null, null, { country: null, relation: "accounting_consolidation", holder_lei: "549300EXAMPLE0000097" });
  return {
    ...HEAD,
    company_id,
    name: isTop ? NAME : company_id,
    ultimate_parents: isTop ? [ultimate] : [],
    parents: above,
    has_more_parents: false,
    children: { data: children, ...LAST_PAGE },
    circles: [],
    visited_companies: 2,
    is_complete: true,
  };
}

const filings: Filings = {
  ...HEAD,
  ...LAST_PAGE,
  data: years.slice(0, 4).map((year) => ({
    filing_id: year.filing_id,
    filing_type: "annual_report",
    form: null,
    period: year.period,
    period_type: "annual",
    fiscal_year: year.fiscal_year,
    fiscal_quarter: null,
    period_start: year.period_start,
    period_end: year.period_end,
    filed_at: year.filed_at,
    accepted_at: null,
    document_url: "https://example.com/document.pdf",
    is_consolidated: true,
    versions: Array.from({ length: year.version }, (_, place) => ({
      version: place + 1,
      filing_id: place + 1 === year.version ? year.filing_id : "fil_before",
      filed_at: year.filed_at,
      is_current: place + 1 === year.version,
    })),
    supersedes: null,
    sources: [],
  })),
};

function event(sequence: number, event_type: CompanyEvent["event_type"], day: string, what: object): CompanyEvent {
  const occurred_at = `${day}T00:00:00Z`;
  const source = { register: "no.brreg.enheter", native_id: "1", url: null, retrieved_at: occurred_at };
  const about = { company_id: COMPANY, org_nr: "999999999", name: NAME, country: "NO", occurred_at, sequence, source };
  const event_id = `evt_${sequence}`;
  const data = { ...about, ...what } as CompanyEvent["data"];
  return { event_id, event_type, company_id: COMPANY, occurred_at, recorded_at: occurred_at, sequence, data };
}

const events: CompanyEvent[] = [
  event(4, "news.published", "2026-11-18", {
    news: { title: "Eksempel Energi starter produksjon", publisher: "Example Wire", url: "https://example.com/n", language: "nb" },
  }),
  event(3, "ownership.changed", "2026-11-04", {
    change: { holder_name: "Exempel Förvaltning AB", previous_pct: 8.2, current_pct: 19.9 },
  }),
  event(2, "filing.added", "2026-03-19", {
    filing: { period: "2025", version: 1, document_url: "https://example.com/document.pdf" },
  }),
  event(1, "status.changed", "2024-02-01", {
    change: { previous_status: "dormant", current_status: "active", registry_status: null },
  }),
];

const suggestions: Suggestions = {
  data: [
    { id: COMPANY, org_number: "999999999", name: NAME, country: "NO", status: "active", is_listed: true, matched_by: "name" },
    { id: SUBSIDIARY, org_number: "999999975", name: "EKSEMPEL FELT AS", country: "NO", status: "dormant", is_listed: false, matched_by: "name" },
  ],
};

function answerTo(url: URL): object {
  const [id = "", part = ""] = url.pathname.split("/").slice(4);
  const financials = (data: Period[]): Financials => ({ ...HEAD, data, ...LAST_PAGE });
  if (id === "suggest") return suggestions;
  if (part === "financials") return financials(url.searchParams.get("period_type") === "annual" ? years : quarters);
  if (part === "ownership") return ownership;
  if (part === "group") return group(decodeURIComponent(id));
  if (part === "filings") return filings;
  if (part !== "events") return profile;
  const types = url.searchParams.get("event_type")?.split(",");
  const data = events.filter((one) => types === undefined || types.includes(one.event_type));
  return { ...HEAD, data, ...LAST_PAGE } satisfies EventPage;
}

/** In place of the page's fetch: the fixtures, and no request at all. */
export function fetchFixture(address: string): Promise<Response> {
  const headers = { "Content-Type": "application/json", "Cache-Control": "max-age=3600" };
  return Promise.resolve(new Response(JSON.stringify(answerTo(new URL(address, location.href))), { headers }));
}
