/** Named lists of companies. */
import { pathWith } from "../calls.js";
import type { ChangeOptions, Client } from "../client.js";
import type { ReadOptions } from "../http/reader.js";
import type { AnswerOf, ChangedMembership, Watchlist } from "../model.js";
import type { Pages } from "../pages.js";

const LISTS = "/api/v1/watchlists";
const ONE = "/api/v1/watchlists/{id}";
const COMPANIES = "/api/v1/watchlists/{id}/companies";

export class Watchlists {
  constructor(private readonly client: Client) {}

  /** A new, empty list. */
  create(name: string, options: ChangeOptions = {}): Promise<Watchlist> {
    return this.client.change("POST", LISTS, { name }, options);
  }

  /** Every list, newest first. */
  list(): Pages<AnswerOf<typeof LISTS>> {
    return this.client.list(LISTS);
  }

  get(watchlist: string, options: ReadOptions = {}): Promise<Watchlist> {
    return this.client.read(ONE, { path: { id: watchlist } }, options);
  }

  /** Adds and removes up to 1,000 companies each, all or none. */
  change(
    watchlist: string,
    companies: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
    options: ChangeOptions = {},
  ): Promise<ChangedMembership> {
    return this.client.change("POST", pathWith(COMPANIES, { id: watchlist }, {}), companies, options);
  }

  /** The companies of a list. */
  companies(watchlist: string): Pages<AnswerOf<typeof COMPANIES>> {
    return this.client.list(COMPANIES, { path: { id: watchlist } });
  }

  delete(watchlist: string, options: ChangeOptions = {}): Promise<undefined> {
    return this.client.change("DELETE", pathWith(ONE, { id: watchlist }, {}), undefined, options);
  }
}
