/** The client: one key, and what can be asked with it. */
import { pathWith, type Loose, type Parameter } from "./calls.js";
import { exchange, objectIn, type HttpAnswer, type HttpCall } from "./http/exchange.js";
import { AnswerReader, unreadable, type ReadOptions } from "./http/reader.js";
import type { AnswerOf, EventTypeDescription, Market, PathOf, QueryOf, ReadPath, Usage } from "./model.js";
import { Pages, type Page } from "./pages.js";
import { Companies } from "./resources/companies.js";
import { Events } from "./resources/events.js";
import { Exports } from "./resources/exports.js";
import { Subscriptions } from "./resources/subscriptions.js";
import { Watchlists } from "./resources/watchlists.js";
import { settingsOf, type ClientOptions, type ClientSettings } from "./settings.js";

/** What a read is asked with: values of the path, and the query by the API's own names. */
export interface ReadParameters<Path extends ReadPath> {
  readonly path?: PathOf<Path>;
  readonly query?: Loose<QueryOf<Path>> | undefined;
}

/** Options of a change. */
export interface ChangeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Left out: a key of its own, so that this call may be repeated; give one to repeat it across processes. */
  readonly idempotencyKey?: string | undefined;
}

/** Paths of lists. */
export type ListPath = {
  [Path in ReadPath]: AnswerOf<Path> extends Page<unknown> ? Path : never;
}[ReadPath];

export class Client {
  readonly companies: Companies;
  readonly events: Events;
  readonly watchlists: Watchlists;
  readonly webhooks: Subscriptions;
  readonly exports: Exports;
  readonly settings: ClientSettings;
  readonly #apiKey: string | null;
  readonly #reader: AnswerReader;

  /** Throws TypeError where a key or an address is missing. */
  constructor(options: ClientOptions = {}) {
    const { apiKey, ...settings } = settingsOf(options);
    this.#apiKey = apiKey;
    this.settings = settings;
    this.#reader = new AnswerReader(this.settings, this.settings.keptAnswers);
    this.companies = new Companies(this);
    this.events = new Events(this);
    this.watchlists = new Watchlists(this);
    this.webhooks = new Subscriptions(this);
    this.exports = new Exports(this);
  }

  /** The markets, with the freshness of their data. */
  async markets(query: Loose<QueryOf<"/api/v1/markets">> = {}, options: ReadOptions = {}): Promise<Market[]> {
    return (await this.read("/api/v1/markets", { query }, options)).data;
  }

  /** Requests of this month, and the limits. */
  usage(options: ReadOptions = {}): Promise<Usage> {
    return this.read("/api/v1/usage", {}, options);
  }

  /** Types of events that can be subscribed to. */
  async eventTypes(options: ReadOptions = {}): Promise<EventTypeDescription[]> {
    return (await this.read("/api/v1/event-types", {}, options)).data;
  }

  /**
   * Any operation of the API that reads JSON, by its path as the OpenAPI document has it. Answers are frozen, for equal
   * reads share them. Throws ApiError, ConnectionFailedError, or the reason of `options.signal`.
   */
  async read<Path extends ReadPath>(
    path: Path,
    { path: values, query }: ReadParameters<Path> = {},
    options: ReadOptions = {},
  ): Promise<AnswerOf<Path>> {
    const filled = pathWith(path, { ...(values as object) }, { ...(query as Record<string, Parameter>) });
    return (await this.readAddress(filled, options)) as AnswerOf<Path>;
  }

  /** The same by path and query as they are sent, from /api on: for what has no type yet. */
  readAddress(pathAndQuery: string, options: ReadOptions = {}): Promise<unknown> {
    return this.#reader.read(this.settings.baseUrl + pathAndQuery, this.headers(), options);
  }

  /**
   * Kept answers are confirmed before they are given again, as after every event of a stream or tail: they may be of the
   * time before it.
   */
  confirmAnswers(): void {
    this.#reader.outdate();
  }

  /** A list of the API, by its path as the OpenAPI document has it. */
  list<Path extends ListPath>(
    path: Path,
    { path: values, query }: ReadParameters<Path> = {},
  ): Pages<AnswerOf<Path> & Page<unknown>> {
    return new Pages(async (cursor, options) => {
      const asked = cursor === null ? query : continued(path, query, cursor);
      const given = { path: values, query: asked } as ReadParameters<Path>;
      return (await this.read(path, given, options)) as AnswerOf<Path> & Page<unknown>;
    });
  }

  /**
   * A change: it is repeated only where doing it twice does no harm, which a POST is made by its Idempotency-Key.
   * Undefined where the answer has no body.
   */
  async change<T = undefined>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body: unknown,
    { signal, idempotencyKey }: ChangeOptions = {},
  ): Promise<T> {
    const key = method === "POST" ? { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() } : {};
    const media = body === undefined ? {} : { "Content-Type": "application/json" };
    const call: HttpCall = {
      method,
      address: this.settings.baseUrl + path,
      headers: { ...this.headers(), ...media, ...key },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    };
    return bodyOf<T>(await exchange(call, this.settings));
  }

  /** Headers of every request, the key among them. */
  headers(): Record<string, string> {
    const key = this.#apiKey === null ? {} : { Authorization: `Bearer ${this.#apiKey}` };
    return { Accept: "application/json", ...key };
  }
}

function bodyOf<T>(answer: HttpAnswer): T {
  if (answer.text === "") return undefined as T;
  const read = objectIn(answer.text);
  if (read === null) throw unreadable(answer);
  return read as T;
}

/** The query of a further page. In a list of events of all companies the cursor replaces `since`. */
function continued(path: string, query: object | undefined, cursor: string): object {
  const begun = path === "/api/v1/events" ? { since: undefined } : {};
  return { ...query, ...begun, cursor };
}
