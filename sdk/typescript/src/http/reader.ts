/**
 * Reads of one client: equal ones under way are sent once, answers are kept for their stated lifetime and then
 * confirmed by their ETag, which does not count against the quota (docs/contract/contract.md 4.0).
 */
import { ApiError } from "../errors.js";
import { AnswerCache, maxAge, type CachedAnswer } from "./cache.js";
import { exchange, objectIn, type ExchangeSettings, type HttpAnswer } from "./exchange.js";
import { Flights } from "./flights.js";

export interface ReadOptions {
  /** Ends the read, with this signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the service confirms the answer now, even if a kept one is fresh. */
  readonly renewed?: boolean | undefined;
}

export class AnswerReader {
  readonly #cache: AnswerCache;
  readonly #flights = new Flights();
  /** How often something was heard that answers from before do not know of. */
  #news = 0;

  /** `keptAnswers`: how many are kept at most; 0 keeps none. */
  constructor(
    private readonly settings: ExchangeSettings,
    keptAnswers: number,
  ) {
    this.#cache = new AnswerCache(keptAnswers);
  }

  /** What was read, or is being read, is confirmed before it is given again: something has changed since. */
  outdate(): void {
    this.#news += 1;
    this.#cache.outdate();
  }

  /** The answer, frozen, for others may have the same. Throws ApiError, ConnectionFailedError, the signal's reason. */
  async read(
    address: string,
    headers: Readonly<Record<string, string>>,
    options: ReadOptions,
  ): Promise<unknown> {
    const kept = this.#cache.get(address);
    if (kept !== undefined && options.renewed !== true && this.settings.seams.now() < kept.freshUntil) {
      options.signal?.throwIfAborted();
      return kept.answer;
    }
    const signal = options.signal ?? new AbortController().signal;
    const news = this.#news;
    return this.#flights.join(`${news} ${address}`, signal, async (stop) => {
      const tag = kept?.tag ?? null;
      const asked = tag === null ? headers : { ...headers, "If-None-Match": tag };
      const answer = await exchange({ method: "GET", address, headers: asked, signal: stop }, this.settings);
      const read = this.#taken(answer, kept);
      const isOld = news !== this.#news;
      if (mayBeKept(answer)) this.#cache.set(address, isOld ? { ...read, freshUntil: 0 } : read);
      return read.answer;
    });
  }

  #taken(answer: HttpAnswer, kept: CachedAnswer | undefined): CachedAnswer {
    const freshUntil = this.settings.seams.now() + maxAge(answer.headers.get("Cache-Control")) * 1000;
    if (answer.status === 304 && kept !== undefined) return { ...kept, freshUntil };
    const read = objectIn(answer.text);
    if (read === null) throw unreadable(answer);
    return { answer: frozen(read), tag: answer.headers.get("ETag"), freshUntil };
  }
}

const mayBeKept = ({ headers }: HttpAnswer): boolean =>
  !/\bno-store\b/.test(headers.get("Cache-Control") ?? "");

/** The error of an answer that succeeded but holds no JSON object. */
export function unreadable({ status, headers, text }: HttpAnswer): ApiError {
  return new ApiError(status, null, null, headers.get("X-Request-Id"), text);
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
