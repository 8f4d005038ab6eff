/**
 * Which attempts are repeated, and after how long. Pure: the exchange waits.
 *
 * 429 and 503 wait as long as Retry-After says and a little longer, other failures twice as long each time; both with
 * chance, so that clients that failed together do not return together. So does 409 where it has Retry-After: the first
 * attempt of this change is still under way, and only its answer says what was done.
 */

export interface RetryPolicy {
  /** At most, the first included. */
  readonly attempts: number;
  /** The wait after the first failure for which the service named none. */
  readonly firstSeconds: number;
  /** The longest single wait; where the service asks for more, its error is thrown instead. */
  readonly longestSeconds: number;
  /** Whether failures without Retry-After are repeated as well: cut connections, 408, 500, 502, 504. */
  readonly unprompted: boolean;
}

export const USUAL_RETRIES: RetryPolicy = {
  attempts: 4,
  firstSeconds: 0.5,
  longestSeconds: 60,
  unprompted: true,
};

const RETRIED = new Set([408, 429, 500, 502, 503, 504]);
const UNDER_WAY = 409;
const PROMPTED = new Set([UNDER_WAY, 429, 503]);
const SPREAD_SECONDS = 0.5;

/** What is known of a failed attempt. `status`: null where no answer came; `retryAfter`: seconds, null without. */
export interface FailedAttempt {
  readonly status: number | null;
  readonly retryAfter: number | null;
}

/** Seconds before the next attempt; null: there is none. `attempt`: how many there were. `chance`: from 0 to 1. */
export function waitAfter(
  policy: RetryPolicy,
  attempt: number,
  { status, retryAfter }: FailedAttempt,
  chance: number,
): number | null {
  if (attempt >= policy.attempts) return null;
  const isUnderWay = status === UNDER_WAY && retryAfter !== null;
  if (status !== null && !RETRIED.has(status) && !isUnderWay) return null;
  if (status !== null && PROMPTED.has(status) && retryAfter !== null) {
    return retryAfter > policy.longestSeconds ? null : retryAfter + chance * SPREAD_SECONDS * attempt;
  }
  return policy.unprompted ? growingWait(policy, attempt, chance) : null;
}

/** Seconds before the next attempt after so many failures in a row: doubling, from half of it to all of it. */
export function growingWait(policy: RetryPolicy, failures: number, chance: number): number {
  const whole = Math.min(policy.longestSeconds, policy.firstSeconds * 2 ** Math.min(failures - 1, 20));
  return whole * (0.5 + chance / 2);
}

/** Seconds of Retry-After, which is a number or a date (RFC 9110 10.2.3); null where it is neither. */
export function retryAfterSeconds(header: string | null, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000));
}
