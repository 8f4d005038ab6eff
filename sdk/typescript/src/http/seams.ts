/** What the client takes from its surroundings; tests and unusual runtimes give their own. */

export interface Seams {
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Waits; rejects with the signal's reason once that is aborted. */
  readonly sleep: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const SURROUNDINGS: Seams = {
  fetch: (address, init) => fetch(address, init),
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: pause,
};

/** A timer holds no more; a longer one would end at once. */
export const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  let left = seconds * 1000;
  do {
    await timer(Math.min(left, LONGEST_TIMER_MILLISECONDS), signal);
    left -= LONGEST_TIMER_MILLISECONDS;
  } while (left > 0);
}

function timer(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const give = (): void => {
      clearTimeout(started);
      reject(signal?.reason as Error);
    };
    const started = setTimeout(() => {
      signal?.removeEventListener("abort", give);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", give, { once: true });
  });
}
