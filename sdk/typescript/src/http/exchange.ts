/**
 * One request, repeated as the policy allows, until there is an answer or an error.
 *
 * Does not belong here: what is kept and shared (`reader`), addresses and types (`calls`, `resources`).
 */
import { ApiError, ConnectionFailedError, FirmdataError } from "../errors.js";
import type { Problem } from "../model.js";
import { parseExactly } from "./json.js";
import { retryAfterSeconds, waitAfter, type RetryPolicy } from "./retries.js";
import { LONGEST_TIMER_MILLISECONDS, type Seams } from "./seams.js";

export interface HttpCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With scheme and host, or of the page's origin. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; undefined: none. */
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer with its body read whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface ExchangeSettings {
  readonly seams: Seams;
  readonly retries: RetryPolicy;
  /** Seconds that one attempt may take, its body included. */
  readonly timeoutSeconds: number;
}

const IDEMPOTENT = new Set(["GET", "PUT", "DELETE"]);
const NO_ANSWER = { status: null, retryAfter: null };
const NOT_FOUND = 404;
const FIRST_FAILURE = 500;

/** Whether doing it twice does no harm: by its method, or because the service knows it by its key. */
export function isRepeatable({ method, headers }: HttpCall): boolean {
  return IDEMPOTENT.has(method) || "Idempotency-Key" in headers;
}

/** The first answer that succeeds, or is a 304. Throws ApiError, ConnectionFailedError, or the signal's reason. */
export async function exchange(call: HttpCall, settings: ExchangeSettings): Promise<HttpAnswer> {
  const { seams, retries } = settings;
  let isPerhapsDeleted = false;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attempted(call, settings, attempt);
    if (!(outcome instanceof FirmdataError)) return outcome;
    const failure = outcome instanceof ApiError ? outcome : NO_ANSWER;
    // An earlier attempt has deleted it, and its answer was lost.
    if (isPerhapsDeleted && failure.status === NOT_FOUND) return { status: 204, headers: new Headers(), text: "" };
    isPerhapsDeleted ||= call.method === "DELETE" && (failure.status ?? FIRST_FAILURE) >= FIRST_FAILURE;
    const wait = isRepeatable(call) ? waitAfter(retries, attempt, failure, seams.random()) : null;
    if (wait === null) throw outcome;
    await seams.sleep(wait, call.signal);
  }
}

/** One attempt: an answer, or why there is none; throws on where the caller has left. */
async function attempted(
  call: HttpCall,
  { seams, timeoutSeconds }: ExchangeSettings,
  attempt: number,
): Promise<HttpAnswer | ApiError | ConnectionFailedError> {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(timeoutSeconds * 1000), LONGEST_TIMER_MILLISECONDS));
  try {
    const response = await seams.fetch(call.address, initOf(call, timeout));
    const text = isRedirect(response) ? redirectWords(response) : await response.text();
    const answer = { status: response.status, headers: response.headers, text };
    return response.ok || response.status === 304 ? answer : refusalOf(answer, seams.now());
  } catch (error) {
    call.signal?.throwIfAborted();
    const words = timeout.aborted ? "no whole answer in time" : "the connection failed or was cut";
    const where = `${call.method} ${call.address.split("?")[0]}`;
    return new ConnectionFailedError(`${where}: ${words}, attempt ${attempt}`, timeout.aborted, error);
  }
}

export function initOf(call: HttpCall, stop: AbortSignal): RequestInit {
  const { method, headers, body, signal } = call;
  return {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    // `fetch` follows 301, 302 and 303 with a GET, whose answer would pass for that of the change.
    ...(method === "GET" ? {} : { redirect: "manual" }),
    ...("document" in globalThis ? pageInit(headers) : {}),
    signal: signal === undefined ? stop : AbortSignal.any([signal, stop]),
  };
}

/** What matters on web pages alone; runtimes without pages throw at such fields (Cloudflare Workers). */
function pageInit(headers: HttpCall["headers"]): RequestInit {
  return {
    // The key alone says who is calling.
    credentials: "omit",
    // With a tag of ours the service decides; the browser's own cache has no say then.
    ...("If-None-Match" in headers ? { cache: "no-store" } : {}),
    // On the service's own origin only Referer names the page; the page's policy must not take it away.
    referrerPolicy: "strict-origin",
  };
}

/** Whether an answer leads elsewhere; on a web page it can be told by its type alone. */
function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || (status > 300 && status < 400 && status !== 304);
}

function redirectWords({ headers }: Response): string {
  const place = headers.get("Location");
  return `the address redirects${place === null ? "" : ` to ${place}`}: a change is not sent on, give the new address`;
}

/** The error that an answer other than 2xx and 304 is. */
export function refusalOf(answer: HttpAnswer, now: number): ApiError {
  const { status, headers, text } = answer;
  // A date is one of the service's clock, and so is its own (RFC 9110 6.6.1): how the two clocks differ is no matter.
  const sent = Date.parse(headers.get("Date") ?? "");
  const seconds = retryAfterSeconds(headers.get("Retry-After"), Number.isNaN(sent) ? now : sent);
  return new ApiError(status, problemIn(answer), seconds, headers.get("X-Request-Id"), text);
}

function problemIn({ headers, text }: HttpAnswer): Problem | null {
  if (!(headers.get("Content-Type") ?? "").startsWith("application/problem+json")) return null;
  const value = objectIn(text);
  return value !== null && typeof Reflect.get(value, "code") === "string" ? (value as Problem) : null;
}

/** The object or array of a JSON text; null where it holds none. */
export function objectIn(text: string): object | null {
  try {
    const value = parseExactly(text);
    return typeof value === "object" ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
