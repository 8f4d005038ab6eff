/**
 * The stream of events: server-sent events over `fetch`, connected again after the last event that came
 * (docs/contract/contract.md 4.5b).
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { pathWith, type Parameter } from "./calls.js";
import type { Client } from "./client.js";
import { ApiError, ConnectionFailedError, FirmdataError } from "./errors.js";
import { initOf, objectIn, refusalOf } from "./http/exchange.js";
import { growingWait, waitAfter } from "./http/retries.js";
import type { Event, Integer } from "./model.js";

const PATH = "/api/v1/events/stream";
const SHORTEST_PAUSE_SECONDS = 0.1;
// A comment comes every 15 seconds.
const SILENCE_SECONDS = 45;
const LARGEST_EVENT_CHARACTERS = 4 * 1024 * 1024;
// The first block: no event, so that the parser keeps it to itself.
const BEGINNING = /^(?:retry: \d+\r?\n)?id: (\d{1,18})\r?\n\r?\n/;
const LONGEST_BEGINNING_CHARACTERS = 100;

type Query = Readonly<Record<string, Parameter>>;

/** What one connection gave: where it begins, an event, or a sign that the service is there. */
type Sign = { readonly event: Event | null; readonly begin?: Integer };

/** Throws ApiError where the service refuses for good, and the signal's reason. */
export async function* streamEvents(
  client: Client,
  query: Query,
  lastEventId: Integer | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, never, undefined> {
  const { seams, retries } = client.settings;
  let seen = lastEventId;
  let failures = 0;
  for (;;) {
    let wait = SHORTEST_PAUSE_SECONDS;
    try {
      let silent = true;
      for await (const { event, begin } of connected(client, query, seen, signal)) {
        if (begin !== undefined) {
          seen ??= begin;
          continue;
        }
        silent = false;
        failures = 0;
        if (event === null || (seen !== undefined && event.sequence <= seen)) continue;
        client.confirmAnswers();
        yield event;
        seen = event.sequence;
      }
      // A connection that ends as soon as it is made, again and again, is a failure too.
      if (silent) wait = growingWait(retries, (failures += 1), seams.random());
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      wait = waitAfterError(client, error, failures);
    }
    await seams.sleep(wait, signal);
  }
}

/** Seconds until the next connection, which is tried for good; throws what the service refuses for good. */
function waitAfterError({ settings }: Client, error: unknown, failures: number): number {
  const { retries, seams } = settings;
  if (error instanceof ConnectionFailedError) return growingWait(retries, failures, seams.random());
  if (!(error instanceof ApiError)) throw error;
  const patient = { ...retries, attempts: Number.POSITIVE_INFINITY, unprompted: true };
  const wait = waitAfter(patient, failures, error, seams.random());
  if (wait === null) throw error;
  return wait;
}

/** The signs of one connection, until it ends. */
async function* connected(
  client: Client,
  query: Query,
  seen: Integer | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Sign, void, undefined> {
  const silence = new Silence();
  // A number that was seen replaces the instant to begin at.
  const { since, ...filters } = query;
  const asked = seen === undefined ? query : filters;
  const headers = seen === undefined ? {} : { "Last-Event-ID": String(seen) };
  try {
    const response = await opened(client, pathWith(PATH, {}, asked), headers, silence.signal, signal);
    if (response.body === null) return;
    yield* signsOf(response.body, silence);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FirmdataError) throw error;
    throw new ConnectionFailedError("the stream of events was cut", silence.signal.aborted, error);
  } finally {
    silence.end();
  }
}

async function opened(
  client: Client,
  path: string,
  headers: Record<string, string>,
  silence: AbortSignal,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { seams, baseUrl } = client.settings;
  const sent = { ...client.headers(), Accept: "text/event-stream", ...headers };
  const call = { method: "GET", address: baseUrl + path, headers: sent, signal } as const;
  const response = await seams.fetch(call.address, initOf(call, silence));
  const kind = response.headers.get("Content-Type");
  // A page in its place, as of a proxy or another address, would pass for a stream in which nothing happens.
  if (response.ok && (kind === null || /^text\/event-stream\b/i.test(kind))) return response;
  const { status } = response;
  throw refusalOf({ status, headers: response.headers, text: await response.text() }, seams.now());
}

async function* signsOf(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Sign, void, undefined> {
  const messages: (EventSourceMessage | null)[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onComment: () => messages.push(null),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
    maxBufferSize: LARGEST_EVENT_CHARACTERS,
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let head: string | null = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence.heard();
      const text = decoder.decode(value, { stream: true });
      if (head !== null) {
        head += text;
        const [, begin] = BEGINNING.exec(head) ?? [];
        if (begin !== undefined) yield { event: null, begin: BigInt(begin) };
        if (begin !== undefined || head.length > LONGEST_BEGINNING_CHARACTERS) head = null;
      }
      parser.feed(text);
      for (const message of messages.splice(0)) {
        if (message?.event === "bye") return;
        yield { event: message === null ? null : eventOf(message.data) };
      }
    }
  } finally {
    // Whoever stops reading ends the connection; that it was cut already is no news.
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(text: string): Event {
  const event = objectIn(text);
  if (event === null || !("sequence" in event))
    throw new FirmdataError("the stream holds an event that cannot be read");
  return event as Event;
}

/** Ends a connection on which nothing is heard. */
class Silence {
  readonly #stop = new AbortController();
  #timer = this.#started();

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  heard(): void {
    this.end();
    this.#timer = this.#started();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #started(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#stop.abort(), SILENCE_SECONDS * 1000);
  }
}
