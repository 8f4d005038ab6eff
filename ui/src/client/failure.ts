/**
 * Why there is no answer to show: one shape for what the service refuses and for what never reached it.
 *
 * `code` is what callers switch on: a code of the service's problems (docs/contract/contract.md 4.10), or one of
 * LOCAL_CODES. The words for readers are in `messages`.
 */
import { parseExactly } from "./json.js";

export const LOCAL_CODES = [
  "key_missing",
  "key_not_publishable",
  "key_malformed",
  "page_refused",
  "offline",
  "unreachable",
  "timed_out",
  "unreadable_answer",
] as const;

export type LocalCode = (typeof LOCAL_CODES)[number];

export interface Failure {
  readonly code: string;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** The service's own words on this case, in English; null where it said none. */
  readonly detail: string | null;
  readonly requestId: string | null;
  /**
   * Milliseconds of the epoch before which the service does not want to be asked again; null: it named no
   * time.
   */
  readonly retryAt: number | null;
}

/** A read that gave nothing, as it is thrown. */
export class ReadError extends Error {
  override readonly name = "ReadError";

  constructor(readonly failure: Failure) {
    super(failure.detail ?? failure.code);
  }
}

export function localFailure(code: LocalCode | "invalid_org_number", detail: string | null = null): Failure {
  return { code, status: null, detail, requestId: null, retryAt: null };
}

/** An answer with its body read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What an answer other than 2xx and 304 says: its problem document, else its status alone. */
export function failureOf(answer: Answer, now: number): Failure {
  const problem = problemIn(answer);
  const seconds = retryAfter(answer, now);
  return {
    code: wordOf(problem, "code") ?? "unreadable_answer",
    status: answer.status,
    detail: wordOf(problem, "detail"),
    requestId: wordOf(problem, "request_id") ?? answer.headers.get("X-Request-Id"),
    retryAt: seconds === null ? null : now + seconds * 1000,
  };
}

function problemIn(answer: Answer): object {
  const media = answer.headers.get("Content-Type") ?? "";
  return media.startsWith("application/problem+json") ? (objectIn(answer.text) ?? {}) : {};
}

/** The object that a text of JSON holds; null where it holds none. */
export function objectIn(text: string): object | null {
  try {
    const value = parseExactly(text);
    return typeof value === "object" ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function wordOf(problem: object, name: string): string | null {
  const value: unknown = Reflect.get(problem, name);
  return typeof value === "string" ? value : null;
}

/** Seconds of Retry-After, which is a number or a date (RFC 9110 10.2.3); null where it is neither. */
export function retryAfter(answer: Answer, now: number): number | null {
  const told = answer.headers.get("Retry-After")?.trim();
  if (told === undefined || told === "") return null;
  if (/^\d{1,9}$/.test(told)) return Number(told);
  const at = Date.parse(told);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
