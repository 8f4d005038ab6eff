/**
 * The one way of components to the service: what `@firmdata/client` reads, for pages.
 *
 * A request is repeated only when the service says by Retry-After when. Does not belong here: sharing, keeping and
 * repeating requests (`@firmdata/client`), addresses (`queries`), React (`useResource`).
 */
import { ApiError, Client as ServiceClient, ConnectionFailedError } from "@firmdata/client";
import { failureOf, localFailure, ReadError, type Failure } from "./failure.js";
import { faultOfKey } from "./keys.js";
import type { Query } from "./queries.js";

const RETRIES = { attempts: 6, longestSeconds: 10, unprompted: false };
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
  const clients = new Map<string, ServiceClient>();
  const clientOf = ({ base, key }: Query<unknown>): ServiceClient => {
    const name = `${base}\n${key}`;
    const { fetch, now, random } = seams;
    const found =
      clients.get(name) ??
      new ServiceClient({ apiKey: key || null, baseUrl: base, retries: RETRIES, fetch, now, random });
    clients.set(name, found);
    return found;
  };
  return {
    async read<T>(query: Query<T>, signal: AbortSignal, renewed: boolean): Promise<T> {
      const path = askedPath(query, seams.isKeyOptional);
      try {
        const answer = await clientOf(query).readAddress(path, { signal, renewed });
        if (isObject(answer) && query.fits(answer)) return answer;
      } catch (error) {
        signal.throwIfAborted();
        throw new ReadError(await failureIn(error, query, signal, seams));
      }
      throw new ReadError(localFailure("unreadable_answer"));
    },
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function askedPath(query: Query<unknown>, isKeyOptional: boolean): string {
  const fault = isKeyOptional && query.key === "" ? null : faultOfKey(query.key);
  if (fault !== null) throw new ReadError(localFailure(fault));
  if (query.path === null) throw new ReadError(localFailure("invalid_org_number"));
  return query.path;
}

async function failureIn(
  error: unknown,
  query: Query<unknown>,
  signal: AbortSignal,
  seams: Seams,
): Promise<Failure> {
  if (error instanceof ApiError) return failureOf(error, seams.now());
  if (!(error instanceof ConnectionFailedError)) throw error;
  return localFailure(error.timedOut ? "timed_out" : await silence(query, signal, seams));
}

/**
 * Why a page was told nothing. Before the service knows the caller it answers without leave to read it, for
 * it knows no domains of his (docs/contract/keys-and-limits.md 3.2), and a browser then tells the page as little
 * as of a cut cable: whether the service can be reached at all makes the difference.
 */
async function silence(
  query: Query<unknown>,
  signal: AbortSignal,
  seams: Seams,
): Promise<"offline" | "page_refused" | "unreachable"> {
  if (!seams.online()) return "offline";
  const init = { method: "HEAD", credentials: "omit", signal } as const;
  const reached = await seams.fetch(query.base + PUBLIC_PATH, init).catch(() => null);
  signal.throwIfAborted();
  return reached?.ok === true ? "page_refused" : "unreachable";
}
