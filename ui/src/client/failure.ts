/**
 * Why there is no answer to show: one shape for what the service refuses and for what never reached it.
 *
 * `code` is what callers switch on: a code of the service's problems (docs/contract/contract.md 4.10), or one of
 * LOCAL_CODES. The words for readers are in `messages`.
 */
import type { ApiError } from "@firmdata/client";

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

/** What an answer with an error says: its problem document, else its status alone. */
export function failureOf({ status, problem, requestId, retryAfter }: ApiError, now: number): Failure {
  return {
    code: problem?.code ?? "unreadable_answer",
    status,
    detail: problem?.detail ?? null,
    requestId,
    retryAt: retryAfter === null ? null : now + retryAfter * 1000,
  };
}
