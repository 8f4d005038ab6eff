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

function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const give = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", give);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", give, { once: true });
  });
}
