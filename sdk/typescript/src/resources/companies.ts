/** Companies: by id (`firm:SE:5599999991`) or by registration number. */
import type { Loose } from "../calls.js";
import type { ChangeOptions, Client } from "../client.js";
import type { ReadOptions } from "../http/reader.js";
import type {
  AnswerOf,
  Company,
  CompanyGroup,
  LookupItem,
  LookupResult,
  QueryOf,
  Suggestion,
} from "../model.js";
import type { Page, Pages } from "../pages.js";

const PROFILE = "/api/v1/companies/{org_number}";
const SEARCH = "/api/v1/companies";
const SUGGEST = "/api/v1/companies/suggest";
const LOOKUP = "/api/v1/companies/lookup";
const FINANCIALS = "/api/v1/companies/{org_number}/financials";
const OWNERSHIP = "/api/v1/companies/{org_number}/ownership";
const GROUP = "/api/v1/companies/{org_number}/group";
const HOLDINGS = "/api/v1/companies/{org_number}/holdings";
const FILINGS = "/api/v1/companies/{org_number}/filings";
const EVENTS = "/api/v1/companies/{company_id}/events";

/** `fields` gives another shape: `client.read` has it. */
type ProfileQuery = Loose<Omit<QueryOf<typeof PROFILE>, "fields">>;
type SearchQuery = Loose<Omit<QueryOf<typeof SEARCH>, "fields" | "q">>;

export class Companies {
  constructor(private readonly client: Client) {}

  /** The profile. `include`: detail, identifiers, address, sources; `as_of`, `known_at`: of an earlier day. */
  async get(company: string, query: ProfileQuery = {}, options: ReadOptions = {}): Promise<Company> {
    const answer = await this.client.read(PROFILE, { path: { org_number: company }, query }, options);
    return answer as Company;
  }

  /** Companies by name (prefixes match, typos are tolerated; null: all), and by every filter of the API. */
  search(q: string | null = null, query: SearchQuery = {}): Pages<Page<Company>> {
    const asked = q === null ? query : { q, ...query };
    return this.client.list(SEARCH, { query: asked }) as unknown as Pages<Page<Company>>;
  }

  /** Companies whose name, number or ticker begins with a text: for typing. */
  async suggest(
    q: string,
    query: Loose<Omit<QueryOf<typeof SUGGEST>, "q">> = {},
    options: ReadOptions = {},
  ): Promise<Suggestion[]> {
    return (await this.client.read(SUGGEST, { query: { q, ...query } }, options)).data;
  }

  /** Annual and quarterly figures, newest first. */
  financials(
    company: string,
    query: Loose<QueryOf<typeof FINANCIALS>> = {},
  ): Pages<AnswerOf<typeof FINANCIALS>> {
    return this.client.list(FINANCIALS, { path: { org_number: company }, query });
  }

  /** Owners, largest first. */
  ownership(
    company: string,
    query: Loose<QueryOf<typeof OWNERSHIP>> = {},
  ): Pages<AnswerOf<typeof OWNERSHIP>> {
    return this.client.list(OWNERSHIP, { path: { org_number: company }, query });
  }

  /** The companies above and below; `depth` 1 to 10. */
  group(
    company: string,
    query: Loose<QueryOf<typeof GROUP>> = {},
    options: ReadOptions = {},
  ): Promise<CompanyGroup> {
    return this.client.read(GROUP, { path: { org_number: company }, query }, options);
  }

  /** What a company holds in others. */
  holdings(company: string, query: Loose<QueryOf<typeof HOLDINGS>> = {}): Pages<AnswerOf<typeof HOLDINGS>> {
    return this.client.list(HOLDINGS, { path: { org_number: company }, query });
  }

  /** Documents filed, newest first. `from` and `to`: days of filing. */
  filings(company: string, query: Loose<QueryOf<typeof FILINGS>> = {}): Pages<AnswerOf<typeof FILINGS>> {
    return this.client.list(FILINGS, { path: { org_number: company }, query });
  }

  /** Events of one company. */
  events(company: string, query: Loose<QueryOf<typeof EVENTS>> = {}): Pages<AnswerOf<typeof EVENTS>> {
    return this.client.list(EVENTS, { path: { company_id: company }, query });
  }

  /** Looks up to 500 companies up, by identifiers or names; one answer per item, in order. */
  async lookup(
    items: readonly LookupItem[],
    fields?: readonly string[],
    options: ChangeOptions = {},
  ): Promise<LookupResult[]> {
    const body = fields === undefined ? { items } : { items, fields };
    const answer = await this.client.change<{ data: LookupResult[] }>("POST", LOOKUP, body, options);
    return answer.data;
  }
}
