/**
 * Requests under way, shared: an equal request that comes while one is under way waits for that one.
 *
 * A request is aborted when its last caller has left. Nothing is known here of HTTP.
 */

interface Flight {
  readonly result: Promise<unknown>;
  readonly stop: AbortController;
  waiting: number;
}

export class Flights {
  readonly #underWay = new Map<string, Flight>();

  /**
   * The result of `start`, or of what was started before under this name. Rejects with the signal's reason.
   */
  join(
    name: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const flight = this.#underWay.get(name) ?? this.#begin(name, start);
    flight.waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        flight.waiting -= 1;
        if (flight.waiting === 0) this.#end(name, flight);
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", leave, { once: true });
      const stay = (): void => signal.removeEventListener("abort", leave);
      flight.result.then(resolve, reject).finally(stay);
    });
  }

  #begin(name: string, start: (signal: AbortSignal) => Promise<unknown>): Flight {
    const stop = new AbortController();
    const flight: Flight = { result: start(stop.signal), stop, waiting: 0 };
    this.#underWay.set(name, flight);
    const landed = (): void => this.#forget(name, flight);
    flight.result.then(landed, landed);
    return flight;
  }

  #end(name: string, flight: Flight): void {
    this.#forget(name, flight);
    flight.stop.abort();
  }

  #forget(name: string, flight: Flight): void {
    if (this.#underWay.get(name) === flight) this.#underWay.delete(name);
  }
}
