/**
 * The one way to the service: reads a question, shares what is under way, keeps answers by their tags.
 *
 * A request is repeated only when the service says by Retry-After when. Does not belong here: addresses
 * (`queries`), React (`useResource`).
 */
import { Cache, maxAge, type Kept } from "./cache.js";
import { failureOf, localFailure, objectIn, ReadError, retryAfter, type Answer } from "./failure.js";
import { Flights } from "./flights.js";
import { faultOfKey } from "./keys.js";
import { nameOf, type Query } from "./queries.js";

const KEPT_ANSWERS = 100;
const REPEATS = 5;
const LONGEST_WAIT_SECONDS = 10;
const TIMEOUT_SECONDS = 30;
const REPEATED = new Set([429, 503]);
// Many components of a page hit a limit together; they come back spread over this much, more at every repeat.
const SPREAD_SECONDS = 0.5;
// Anyone may read it from anywhere, and it is not counted (docs/contract/contract.md 4.14).
const PUBLIC_PATH = "/api/openapi.json";

/** What the client takes from outside. */
export interface Seams {
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly online: () => boolean;
  /** Whether `fetch` adds what authenticates: a query without a key is then sent without Authorization. */
  readonly isKeyOptional: boolean;
}

export interface Client {
  /** The answer. `renewed`: confirmed by the service now, even if a kept one is fresh. Throws ReadError. */
  read<T>(query: Query<T>, signal: AbortSignal, renewed: boolean): Promise<T>;
}

export const PAGE: Seams = {
  fetch: (address, init) => fetch(address, init),
  now: () => Date.now(),
  random: () => Math.random(),
  online: () => typeof navigator === "undefined" || navigator.onLine !== false,
  isKeyOptional: false,
};

export function createClient(seams: Seams = PAGE): Client {
  const cache = new Cache(KEPT_ANSWERS);
  const flights = new Flights();
  return {
    async read<T>(query: Query<T>, signal: AbortSignal, renewed: boolean): Promise<T> {
      const address = addressOf(query, seams.isKeyOptional);
      const name = nameOf(query);
      const kept = cache.get(name);
      const answer =
        kept !== undefined && !renewed && seams.now() < kept.freshUntil
          ? kept.answer
          : await flights.join(name, signal, async (stop) => {
              const read = await new Exchange(seams, address, query, stop).run(kept);
              cache.set(name, read);
              return read.answer;
            });
      if (!query.fits(answer)) throw new ReadError(localFailure("unreadable_answer"));
      return answer;
    },
  };
}

function addressOf(query: Query<unknown>, isKeyOptional: boolean): string {
  const fault = isKeyOptional && query.key === "" ? null : faultOfKey(query.key);
  if (fault !== null) throw new ReadError(localFailure(fault));
  if (query.path === null) throw new ReadError(localFailure("invalid_org_number"));
  return query.base + query.path;
}

/** One question over the network, repeated as the service asks for it. */
class Exchange {
  constructor(
    private readonly seams: Seams,
    private readonly address: string,
    private readonly query: Query<unknown>,
    private readonly stop: AbortSignal,
  ) {}

  async run(kept: Kept | undefined): Promise<Kept> {
    for (let repeat = 0; ; repeat += 1) {
      const answer = await this.#ask(kept?.tag ?? null);
      const seconds = REPEATED.has(answer.status) ? retryAfter(answer, this.seams.now()) : null;
      if (seconds === null || seconds > LONGEST_WAIT_SECONDS || repeat === REPEATS) {
        return this.#taken(answer, kept);
      }
      await pause(seconds + this.seams.random() * SPREAD_SECONDS * (repeat + 1), this.stop);
    }
  }

  async #ask(tag: string | null): Promise<Answer> {
    const timeout = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
    const { key } = this.query;
    const headers = { Accept: "application/json", ...(key === "" ? {} : { Authorization: `Bearer ${key}` }) };
    try {
      const response = await this.seams.fetch(this.address, {
        // A tag of ours is for the service; the browser's own cache has no say then.
        ...(tag === null
          ? { headers }
          : { headers: { ...headers, "If-None-Match": tag }, cache: "no-store" }),
        credentials: "omit",
        // On the service's own origin the page is told by Referer alone; a page's policy must not take it
        // away.
        referrerPolicy: "strict-origin",
        signal: AbortSignal.any([this.stop, timeout]),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      // Whatever a browser throws here, it says no more than that nothing came.
      if (this.stop.aborted) throw error;
      throw new ReadError(localFailure(timeout.aborted ? "timed_out" : await this.#silence()));
    }
  }

  /**
   * Why a page was told nothing. Before the service knows the caller it answers without leave to read it, for
   * it knows no domains of his (docs/contract/keys-and-limits.md 3.2), and a browser then tells the page as little
   * as of a cut cable: whether the service can be reached at all makes the difference.
   */
  async #silence(): Promise<"offline" | "page_refused" | "unreachable"> {
    if (!this.seams.online()) return "offline";
    const init = { method: "HEAD", credentials: "omit", signal: this.stop } as const;
    const reached = await this.seams.fetch(this.query.base + PUBLIC_PATH, init).catch(() => null);
    this.stop.throwIfAborted();
    return reached?.ok === true ? "page_refused" : "unreachable";
  }

  #taken(answer: Answer, kept: Kept | undefined): Kept {
    const freshUntil = this.seams.now() + maxAge(answer.headers.get("Cache-Control")) * 1000;
    if (answer.status === 304 && kept !== undefined) return { ...kept, freshUntil };
    if (answer.status !== 200) throw new ReadError(failureOf(answer, this.seams.now()));
    const read = objectIn(answer.text);
    if (read === null) throw new ReadError({ ...localFailure("unreadable_answer"), status: answer.status });
    return { answer: read, tag: answer.headers.get("ETag"), freshUntil };
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", give);
      resolve();
    }, seconds * 1000);
    signal.addEventListener("abort", give, { once: true });
  });
}
