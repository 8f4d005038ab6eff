/** Answers that were read, the latest used kept. Nothing is asked here. */

export interface Kept {
  readonly answer: object;
  /** The service's tag; null where it sent none: then the answer cannot be confirmed, only read again. */
  readonly tag: string | null;
  /** Milliseconds of the epoch until which it needs no confirming. */
  readonly freshUntil: number;
}

export class Cache {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly size: number) {}

  get(name: string): Kept | undefined {
    const kept = this.#kept.get(name);
    if (kept !== undefined) this.set(name, kept);
    return kept;
  }

  set(name: string, kept: Kept): void {
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
