/** Answers that were read, the latest used kept. No requests are sent here. */

export interface CachedAnswer {
  readonly answer: unknown;
  /** The service's ETag; null where it sent none: then the answer cannot be confirmed, only read again. */
  readonly tag: string | null;
  /** Milliseconds of the epoch until which it needs no confirmation. */
  readonly freshUntil: number;
}

export class AnswerCache {
  readonly #kept = new Map<string, CachedAnswer>();

  /** `size`: answers at most; 0 keeps none. */
  constructor(private readonly size: number) {}

  get(name: string): CachedAnswer | undefined {
    const kept = this.#kept.get(name);
    if (kept !== undefined) this.set(name, kept);
    return kept;
  }

  /** Every answer needs confirmation from now on. */
  outdate(): void {
    for (const [name, kept] of this.#kept) this.#kept.set(name, { ...kept, freshUntil: 0 });
  }

  set(name: string, kept: CachedAnswer): void {
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.size && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** Seconds of `max-age` in a Cache-Control; 0 where there is none, or the answer must not be kept. */
export function maxAge(cacheControl: string | null): number {
  if (cacheControl === null || /\bno-(?:store|cache)\b/.test(cacheControl)) return 0;
  return Number(/\bmax-age=(\d{1,9})\b/.exec(cacheControl)?.[1] ?? 0);
}
