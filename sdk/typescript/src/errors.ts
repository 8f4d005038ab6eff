/** Errors of the client: the service refused, or no answer came. */
import type { Problem } from "./model.js";

/** Base of all errors of this package. */
export class FirmdataError extends Error {
  override readonly name: string = "FirmdataError";
}

/** Code of an answer that is neither JSON nor a problem document, as of a proxy. */
export const UNREADABLE = "unreadable_response";

/** An answer with an error (RFC 9457), or one that cannot be read. */
export class ApiError extends FirmdataError {
  override readonly name = "ApiError";
  /** Stable, for programs, as `company_not_found` (docs/contract/contract.md 4.10); `unreadable_response` else. */
  readonly code: string;
  /** Quote it to support; null where the answer names none. */
  readonly requestId: string | null;

  /**
   * status: of HTTP. problem: the whole body; null where it is no problem document. retryAfter: seconds that the
   * service asked to wait; null if it did not.
   */
  constructor(
    readonly status: number,
    readonly problem: Problem | null,
    readonly retryAfter: number | null,
    requestId: string | null,
    unreadable = "",
  ) {
    const code = problem?.code ?? UNREADABLE;
    super(
      `${status} ${code}: ${problem?.detail ?? `no problem document, but ${JSON.stringify(unreadable.slice(0, 200))}`}`,
    );
    this.code = code;
    this.requestId = problem?.request_id ?? requestId;
  }
}

/** No answer came, or only a part of one, also after retries. `cause`: what `fetch` threw. */
export class ConnectionFailedError extends FirmdataError {
  override readonly name = "ConnectionFailedError";

  /** timedOut: whether the answer took too long. */
  constructor(
    message: string,
    readonly timedOut: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
