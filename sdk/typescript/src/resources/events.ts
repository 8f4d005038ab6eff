/** Events of all companies (tiers Pro and Business). */
import type { Loose } from "../calls.js";
import type { Client } from "../client.js";
import type { ReadOptions } from "../http/reader.js";
import type { AnswerOf, Event, Integer, QueryOf } from "../model.js";
import type { Pages } from "../pages.js";
import { streamEvents } from "../stream.js";

const LIST = "/api/v1/events";
const POLL_SECONDS = 10;

type Filters = Loose<Omit<QueryOf<typeof LIST>, "since" | "cursor" | "limit">>;

export interface TailOptions extends Filters {
  /** A sequence number: events after it. An instant: events recorded at or after it. */
  readonly since?: Integer | Date | string | undefined;
  /** Seconds between polls once there is nothing new. */
  readonly pollSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamOptions extends Filters {
  readonly since?: Integer | Date | string | undefined;
  /** `sequence` of the last event that an earlier stream gave: it goes on after it. */
  readonly lastEventId?: Integer | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class Events {
  constructor(private readonly client: Client) {}

  /** Events, ascending by sequence, up to the newest; `since`: a sequence number or an instant. */
  list(
    query: Omit<Loose<QueryOf<typeof LIST>>, "since"> & Pick<TailOptions, "since"> = {},
  ): Pages<AnswerOf<typeof LIST>> {
    const { since, ...filters } = query;
    return this.client.list(LIST, { query: { ...filters, ...sinceOf(since) } });
  }

  /**
   * Events without an end: those there are, then new ones as polling finds them. To go on after an earlier tail, give
   * the `sequence` of its last event as `since`.
   */
  async *tail({ since, pollSeconds = POLL_SECONDS, signal, ...filters }: TailOptions = {}): AsyncGenerator<
    Event,
    never,
    undefined
  > {
    // A poll that finds nothing new is confirmed by its tag, which is not counted.
    const options: ReadOptions = { signal, renewed: true };
    let place: { since?: string; cursor?: string } = sinceOf(since);
    for (;;) {
      const page = await this.client.read(LIST, { query: { ...filters, ...place } }, options);
      if (page.data.length > 0) this.client.confirmAnswers();
      yield* page.data;
      place = { cursor: page.next_cursor };
      if (!page.has_more) await this.client.settings.seams.sleep(pollSeconds, signal);
    }
  }

  /**
   * Events as they are published. A connection that is cut, or silent for 45 seconds, is made again after the last
   * event that was received; without `since` and `lastEventId` a first one that is cut before any event came begins
   * with what is published next. Ends with an error only where the service refuses, where what answers is no stream, or
   * by `signal`.
   */
  stream({ since, lastEventId, signal, ...filters }: StreamOptions = {}): AsyncGenerator<
    Event,
    never,
    undefined
  > {
    return streamEvents(this.client, { ...filters, ...sinceOf(since) }, lastEventId, signal);
  }
}

function sinceOf(since: TailOptions["since"]): { since?: string } {
  if (since === undefined) return {};
  return { since: since instanceof Date ? since.toISOString() : String(since) };
}
