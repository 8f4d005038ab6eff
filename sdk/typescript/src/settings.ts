/** What a client is made with, and what the environment gives where nothing is said. */
import { USUAL_RETRIES, type RetryPolicy } from "./http/retries.js";
import { SURROUNDINGS, type Seams } from "./http/seams.js";

export const API_KEY = "FIRMDATA_API_KEY";
export const BASE_URL = "FIRMDATA_BASE_URL";
const TIMEOUT_SECONDS = 30;
const KEPT_ANSWERS = 100;

type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export interface ClientOptions extends Given<Seams> {
  /**
   * Left out: FIRMDATA_API_KEY of the environment. On web pages use a publishable key, never a secret one. Null: requests
   * have no Authorization, because `fetch` adds what authenticates.
   */
  readonly apiKey?: string | null | undefined;
  /**
   * As https://api.example.com; empty: the page's origin, a path as /service: below it. Left out: FIRMDATA_BASE_URL of the
   * environment.
   */
  readonly baseUrl?: string | undefined;
  readonly retries?: Given<RetryPolicy> | undefined;
  /** Seconds that one attempt may take, its body included. */
  readonly timeoutSeconds?: number | undefined;
  /** Answers that are kept for confirmation by their ETag, at most; 0 keeps none. */
  readonly keptAnswers?: number | undefined;
}

/** What a client is made with, but for its key, which no one prints by chance. */
export interface ClientSettings {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly seams: Seams;
  readonly retries: RetryPolicy;
  readonly timeoutSeconds: number;
  readonly keptAnswers: number;
}

/** Throws TypeError that says what is missing or malformed. */
export function settingsOf(options: ClientOptions): ClientSettings & { readonly apiKey: string | null } {
  const apiKey = options.apiKey === undefined ? environment(API_KEY) : options.apiKey;
  const baseUrl = options.baseUrl ?? environment(BASE_URL);
  if (apiKey === undefined || apiKey === "")
    throw new TypeError(`no API key: set ${API_KEY}, or give apiKey`);
  if (baseUrl === undefined)
    throw new TypeError(`no address of the service: set ${BASE_URL}, or give baseUrl`);
  if (baseUrl !== "" && !/^(https?:\/)?\/[^/]/.test(baseUrl)) {
    throw new TypeError(
      `the address of the service is a URL, as https://api.example.com, not ${JSON.stringify(baseUrl)}`,
    );
  }
  const { fetch, now, random, sleep } = { ...SURROUNDINGS, ...defined(options) };
  return {
    apiKey,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    // Called without an object before it: a browser's own fetch takes no other.
    seams: { fetch: (address, init) => fetch(address, init), now, random, sleep },
    retries: { ...USUAL_RETRIES, ...defined(options.retries ?? {}) },
    timeoutSeconds: options.timeoutSeconds ?? TIMEOUT_SECONDS,
    keptAnswers: options.keptAnswers ?? KEPT_ANSWERS,
  };
}

function defined<T extends object>(given: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** A variable of the environment, where the runtime has one. */
function environment(name: string): string | undefined {
  return (globalThis as Runtime).process?.env?.[name];
}
