/** Events without an end: by polling, and as a stream that is cut and goes on. */
import { describe, expect, test, vi } from "vitest";
import type { Event } from "../src/model.js";
import { clientOf, example, playing, refusal, serving, thrown, type Reply, type Service } from "./service.js";

const [SAMPLE] = (example("/api/v1/events") as { data: [Event] }).data;
const event = (sequence: number | bigint): Event => ({ ...SAMPLE, sequence, event_id: `evt_${sequence}` });
const sse = (...sequences: (number | bigint)[]): string =>
  sequences
    .map(
      (one) =>
        `id: ${one}\nevent: x\ndata: ${JSON.stringify({ ...SAMPLE, sequence: 0 }).replace('"sequence":0', `"sequence":${one}`)}\n\n`,
    )
    .join("");
const STREAM = { "Content-Type": "text/event-stream" };
const sent = (text: string, more: Partial<Reply> = {}): Reply => ({ headers: STREAM, body: text, ...more });
const BYE = 'event: bye\ndata: {"reason":"shutdown"}\n\n';

async function taken(stream: AsyncIterable<Event>, count: number): Promise<(number | bigint)[]> {
  const found: (number | bigint)[] = [];
  for await (const { sequence } of stream) {
    found.push(sequence);
    if (found.length === count) break;
  }
  return found;
}

const begun = (service: Service): unknown[] =>
  service.received.map(({ headers, url }) => [
    headers["last-event-id"] ?? null,
    new URL(url, "http://x").searchParams.get("since"),
  ]);

describe("a stream", () => {
  test("that is cut, refused for a while or ended goes on after its last event", async () => {
    const service = await playing(
      sent(`retry: 5000\n\n${sse(1)}id: 2\ndata: {"half`, { cut: true, open: true }),
      refusal("service_unavailable", { "Retry-After": "1" }),
      { body: "", cut: true },
      sent(`: heartbeat\n\n${BYE}`, { open: true }),
      sent(sse(2, 3), { open: true }),
    );
    const { client, waits } = clientOf(service);
    expect(await taken(client.events.stream({ since: 0, country: "SE" }), 3)).toEqual([1, 2, 3]);
    expect(begun(service)).toEqual([[null, "0"], ...Array<unknown>(4).fill(["1", null])]);
    expect(service.received.every(({ url }) => url.includes("country=SE"))).toBe(true);
    expect(service.received[0]?.headers.accept).toBe("text/event-stream");
    expect(waits).toEqual([0.25, 1, 1, 0.1]);
  });

  test("goes on after an event of an earlier one, in every digit, and repeats none", async () => {
    const last = 2n ** 60n;
    const service = await playing(sent(sse(last, last + 1n), { open: true }));
    const { client } = clientOf(service);
    expect(await taken(client.events.stream({ lastEventId: last }), 1)).toEqual([last + 1n]);
    expect(begun(service)).toEqual([[String(last), null]]);
  });

  test("that is cut before its first event goes on where it began", async () => {
    const service = await playing(
      sent("retry: 5000\nid: 41\n\n:\n\n", { cut: true, open: true }),
      sent(sse(42), { open: true }),
    );
    const { client } = clientOf(service);
    expect(await taken(client.events.stream(), 1)).toEqual([42]);
    expect(begun(service)).toEqual([
      [null, null],
      ["41", null],
    ]);
  });

  test("that ends as soon as it begins is asked for more and more seldom", async () => {
    const service = await serving(() =>
      service.received.length < 4 ? sent("") : sent(sse(1), { open: true }),
    );
    const { client, waits } = clientOf(service);
    await taken(client.events.stream(), 1);
    expect(waits).toEqual([0.25, 0.5, 1]);
  });

  test("is whole whatever pieces it comes in", async () => {
    const text = new TextEncoder().encode(sse(1, 2).replaceAll("\n", "\r\n"));
    const pieces = new ReadableStream<Uint8Array>({
      start: (controller) => text.forEach((byte) => controller.enqueue(Uint8Array.of(byte))),
    });
    const fetch = (): Promise<Response> => Promise.resolve(new Response(pieces, { headers: STREAM }));
    const { client } = clientOf(await playing({}), { fetch });
    expect(await taken(client.events.stream(), 2)).toEqual([1, 2]);
  });

  test("that falls silent is made again, and one with comments is not silent", async () => {
    const opened: { controller: ReadableStreamDefaultController<Uint8Array>; init: RequestInit }[] = [];
    const fetch = (_: string, init: RequestInit): Promise<Response> => {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        opened.push({ controller, init });
        init.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
      };
      return Promise.resolve(new Response(new ReadableStream({ start })));
    };
    const { client } = clientOf(await playing({}), { fetch });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const found = taken(client.events.stream({ lastEventId: 0 }), 2);
      const send = async (text: string, seconds: number): Promise<void> => {
        opened.at(-1)?.controller.enqueue(new TextEncoder().encode(text));
        await vi.advanceTimersByTimeAsync(seconds * 1000);
      };
      await vi.advanceTimersByTimeAsync(0);
      await send(sse(1), 40);
      await send(": heartbeat\n\n", 40);
      expect(opened).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(6_000);
      expect(opened.map(({ init }) => new Headers(init.headers).get("Last-Event-ID"))).toEqual(["0", "1"]);
      await send(sse(2), 0);
      expect(await found).toEqual([1, 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("that is a page, of a proxy or of another address, is told and not waited on", async () => {
    const service = await playing({ headers: { "Content-Type": "text/html" }, body: "<html>Sign in" });
    const error = await thrown(taken(clientOf(service).client.events.stream(), 1));
    expect(error).toMatchObject({ name: "ApiError", status: 200, code: "unreadable_response" });
    expect((error as Error).message).toContain("Sign in");
    expect(service.received).toHaveLength(1);
  });

  test.each(["stream", "tail"] as const)("of a %s, an event makes answers from before it be confirmed", async (kind) => {
    const state = (n: number): Reply => ({
      headers: { ETag: `W/"${n}"`, "Cache-Control": "private, max-age=60" },
      body: { id: "x", n },
    });
    let reads = 0;
    const service = await serving(({ pathname }, { headers }) => {
      if (pathname.endsWith("/stream")) return sent(sse(1, 2), { open: true });
      if (pathname === "/api/v1/events") return { body: { data: [event((reads += 1))], next_cursor: "c", has_more: true } };
      return state(headers["if-none-match"] === 'W/"1"' ? 2 : 1);
    });
    const { client } = clientOf(service);
    const states: unknown[] = [];
    for await (const { company_id } of client.events[kind]()) {
      states.push(await client.companies.get(company_id));
      states.push(await client.companies.get(company_id));
      if (states.length === 4) break;
    }
    expect(states).toEqual([1, 1, 2, 2].map((n) => ({ id: "x", n })));
  });

  test("ends with what the service refuses for good", async () => {
    const service = await playing(refusal("tier_required"));
    const error = await thrown(taken(clientOf(service).client.events.stream(), 1));
    expect(error).toMatchObject({ status: 403, code: "tier_required" });
    expect(service.received).toHaveLength(1);
  });

  test("and a wait that is too long is told", async () => {
    const service = await playing(refusal("quota_exceeded", { "Retry-After": "90000" }));
    const error = await thrown(taken(clientOf(service).client.events.stream(), 1));
    expect(error).toMatchObject({ code: "quota_exceeded", retryAfter: 90_000 });
  });

  test("an event without an end takes no memory without an end", async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(1024 * 1024))),
    });
    const stop = new AbortController();
    const waits: number[] = [];
    const { client } = clientOf(await playing({}), {
      fetch: () => Promise.resolve(new Response(endless, { headers: STREAM })),
      sleep: (seconds) => {
        waits.push(seconds);
        stop.abort(new Error("enough"));
        return Promise.resolve();
      },
    });
    expect(await thrown(taken(client.events.stream({ signal: stop.signal }), 1))).toMatchObject({
      message: "enough",
    });
    expect(waits).toHaveLength(1);
  });

  test("is closed by whoever stops reading, and by its signal", async () => {
    const service = await playing(sent(sse(1), { open: true }));
    const { client } = clientOf(service);
    await taken(client.events.stream(), 1);
    await service.received[0]?.dropped;
    const stop = new AbortController();
    const waiting = taken(client.events.stream({ signal: stop.signal }), 2);
    setTimeout(() => stop.abort(new Error("left")), 50);
    expect(await thrown(waiting)).toMatchObject({ message: "left" });
    await service.received[1]?.dropped;
  });
});

describe("a tail", () => {
  test("goes on by cursor, polls when there is nothing new, and asks by tag", async () => {
    const page = (data: Event[], next_cursor: string, has_more = false): Reply => ({
      body: { data, next_cursor, has_more },
      headers: { ETag: `"${next_cursor}${data.length}"`, "Cache-Control": "private, max-age=60" },
    });
    const service = await playing(
      page([event(1)], "a", true),
      page([event(2)], "b"),
      page([], "b"),
      { status: 304 },
      page([event(3)], "c"),
    );
    const { client, waits } = clientOf(service);
    expect(await taken(client.events.tail({ since: 0, pollSeconds: 5 }), 3)).toEqual([1, 2, 3]);
    expect(waits).toEqual([5, 5, 5]);
    expect(service.received.map(({ url }) => url.split("?")[1])).toEqual([
      "since=0",
      "cursor=a",
      ...Array<string>(3).fill("cursor=b"),
    ]);
    expect(service.received.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      undefined,
      undefined,
      '"b0"',
      '"b0"',
    ]);
  });
});
