/** Faults over HTTP: what is repeated, how long is waited, and which errors are thrown. */
import { describe, expect, test } from "vitest";
import { ApiError, ConnectionFailedError } from "../src/errors.js";
import { growingWait, retryAfterSeconds, USUAL_RETRIES, waitAfter } from "../src/http/retries.js";
import { clientOf, playing, refusal, serving, thrown, type Service } from "./service.js";

const COMPANY = "firm:SE:5599999991";
const DONE = { body: { data: [], next_cursor: null, has_more: false } };
const search = (service: Service, options = {}): [Promise<unknown>, number[]] => {
  const { client, waits } = clientOf(service, options);
  return [client.companies.search("x").firstPage(), waits];
};

describe("what is repeated", () => {
  test("429 and 503 after as long as the service asks, and a little longer by chance", async () => {
    const service = await playing(
      refusal("rate_limited", { "Retry-After": "7" }),
      refusal("service_unavailable", { "Retry-After": "2" }),
      DONE,
    );
    const [answer, waits] = search(service, { random: () => 0.5 });
    await answer;
    expect(waits).toEqual([7.25, 2.5]);
    expect(service.received).toHaveLength(3);
  });

  test("it waits truly, and comes back not before", async () => {
    const at: number[] = [];
    const service = await serving(() => {
      at.push(performance.now());
      return at.length === 1 ? refusal("rate_limited", { "Retry-After": "1" }) : DONE;
    });
    await search(service, { sleep: undefined })[0];
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(990);
  });

  test("other failures after waits that double, and then they are told", async () => {
    const service = await playing({ status: 502, body: "<html>bad gateway" });
    const [answer, waits] = search(service);
    const error = await thrown(answer);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 502,
      code: "unreadable_response",
      problem: null,
      retryAfter: null,
    });
    expect((error as Error).message).toContain("<html>bad gateway");
    expect([waits, service.received.length]).toEqual([[0.25, 0.5, 1], 4]);
  });

  test("a connection cut in the middle of an answer", async () => {
    const service = await playing({ body: '{"data":[', cut: true }, { body: "", cut: true }, DONE);
    const [answer] = search(service);
    expect(await answer).toEqual(DONE.body);
    expect(service.received).toHaveLength(3);
  });

  test("not for ever", async () => {
    const service = await playing({ body: '{"data":[', cut: true });
    const error = await thrown(search(service)[0]);
    expect(error).toBeInstanceOf(ConnectionFailedError);
    expect(error).toMatchObject({ timedOut: false, message: expect.stringContaining("attempt 4") as string });
    expect(service.received).toHaveLength(4);
  });

  test("a service that is away, and an answer that takes too long", async () => {
    const service = await playing({ ...DONE, after: new Promise(() => undefined) });
    const slow = await thrown(search(service, { timeoutSeconds: 0.05, retries: { attempts: 2 } })[0]);
    expect(slow).toMatchObject({ name: "ConnectionFailedError", timedOut: true });
    expect((slow as Error).message).toContain("attempt 2");
    const away = await playing(DONE);
    await away.stop();
    expect(await thrown(search(away)[0])).toMatchObject({ name: "ConnectionFailedError", timedOut: false });
  });

  test("a wait that is too long is an error that names it", async () => {
    const service = await playing(refusal("quota_exceeded", { "Retry-After": "90000" }));
    const [answer, waits] = search(service);
    expect(await thrown(answer)).toMatchObject({ status: 429, code: "quota_exceeded", retryAfter: 90_000 });
    expect([waits, service.received.length]).toEqual([[], 1]);
  });

  test("what the caller got wrong is told at once, with the whole problem", async () => {
    const told = refusal("company_not_found");
    const service = await playing(told);
    const error = await thrown(clientOf(service).client.companies.get(COMPANY));
    expect(error).toMatchObject({
      status: 404,
      code: "company_not_found",
      problem: told.body,
      requestId: told.body.request_id,
    });
    expect(service.received).toHaveLength(1);
  });

  test.each([30 * 24 * 3600, Number.POSITIVE_INFINITY])("a wait of %s s, more than a timer holds, ends not at once", async (seconds) => {
    const service = await playing(refusal("quota_exceeded", { "Retry-After": String(30 * 24 * 3600) }));
    const { client } = clientOf(service, {
      sleep: undefined,
      timeoutSeconds: seconds,
      retries: { longestSeconds: seconds },
    });
    const stop = new AbortController();
    const read = client.companies.get(COMPANY, {}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("left")), 100);
    expect(await thrown(read)).toMatchObject({ message: "left" });
    expect(service.received).toHaveLength(1);
  });

  test("whoever leaves while it waits ends the waiting", async () => {
    const service = await playing(refusal("rate_limited", { "Retry-After": "30" }));
    const stop = new AbortController();
    const { client } = clientOf(service, { sleep: undefined });
    const read = client.companies.get(COMPANY, {}, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("left")), 50);
    expect(await thrown(read)).toMatchObject({ message: "left" });
  });
});

describe("changes", () => {
  test("a POST is repeated with the same key, its own in every call", async () => {
    const service = await playing(refusal("service_unavailable"), { status: 201, body: { id: "wl_1" } });
    const { client } = clientOf(service);
    expect(await client.watchlists.create("x")).toEqual({ id: "wl_1" });
    await client.watchlists.create("y", { idempotencyKey: "mine" });
    const keys = service.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0], "mine"]);
    expect(service.received.map(({ body }) => body)).toEqual([
      '{"name":"x"}',
      '{"name":"x"}',
      '{"name":"y"}',
    ]);
  });

  test("a POST that meets its own first attempt is repeated until that one's answer is there", async () => {
    const service = await playing(
      { body: "", cut: true },
      { ...refusal("idempotency_in_progress"), headers: { "Retry-After": "1" } },
      { status: 201, body: { id: "wl_1" } },
    );
    const { client, waits } = clientOf(service);
    expect(await client.watchlists.create("x")).toEqual({ id: "wl_1" });
    expect(waits).toEqual([0.25, 1]);
    const other = await playing(refusal("watchlist_in_use"));
    const error = await thrown(clientOf(other).client.watchlists.delete("wl_1"));
    expect([error, other.received.length]).toMatchObject([{ code: "watchlist_in_use" }, 1]);
  });

  test("a DELETE that finds nothing after an answer that was lost has done its work", async () => {
    const gone = refusal("watchlist_not_found");
    const service = await playing({ body: "", cut: true }, gone);
    expect(await clientOf(service).client.watchlists.delete("wl_1")).toBeUndefined();
    const limited = await playing(refusal("rate_limited", { "Retry-After": "1" }), gone);
    for (const wrong of [limited, await playing(gone)])
      expect(await thrown(clientOf(wrong).client.watchlists.delete("wl_1"))).toMatchObject({ status: 404 });
  });

  test("a DELETE has no body and answers none; a PATCH is sent once", async () => {
    const service = await playing({ status: 204 }, { body: "cut", cut: true });
    const { client } = clientOf(service);
    expect(await client.watchlists.delete("wl_1")).toBeUndefined();
    await thrown(client.change("PATCH", "/api/v1/watchlists/wl_1", { name: "z" }));
    expect(service.received.map(({ method }) => method)).toEqual(["DELETE", "PATCH"]);
  });
});

describe("an address that moved", () => {
  const moved = (status: number): Promise<Service> =>
    serving(({ pathname }) =>
      pathname.startsWith("/new") ? DONE : { status, headers: { Location: `/new${pathname}` } },
    );

  test.each([301, 302, 303, 307, 308])("is no place of a change, which %s may make another request", async (status) => {
    const service = await moved(status);
    const { client } = clientOf(service);
    const error = await thrown(client.watchlists.create("x"));
    expect(error).toMatchObject({ name: "ApiError", status, code: "unreadable_response" });
    expect((error as Error).message).toContain("redirects");
    expect(service.received.map(({ method, url }) => [method, url])).toEqual([["POST", "/api/v1/watchlists"]]);
  });

  test("is told of where a page may not read the answer either", async () => {
    const hidden = { ok: false, status: 0, type: "opaqueredirect", headers: new Headers() } as Response;
    const { client } = clientOf(await moved(301), { fetch: () => Promise.resolve(hidden) });
    const error = await thrown(client.watchlists.delete("wl_1"));
    expect(error).toMatchObject({ name: "ApiError", status: 0 });
    expect((error as Error).message).toContain("redirects");
  });

  test("is followed by reads", async () => {
    expect(await search(await moved(301))[0]).toEqual(DONE.body);
  });
});

test.each([
  ["HTML with 200", { body: "<html>" }],
  ["JSON that ends early", { body: '{"id":' }],
  ["null", { body: "null" }],
])("%s is an answer that cannot be read", async (_, reply) => {
  const error = await thrown(clientOf(await playing(reply)).client.companies.get(COMPANY));
  expect(error).toMatchObject({ name: "ApiError", status: 200, code: "unreadable_response" });
});

test.each([
  ["3", 3],
  ["0", 0],
  ["-1", null],
  ["1e3", null],
  ["Sat, 21 Nov 2026 09:00:30 GMT", 30],
  ["Sat, 21 Nov 2026 08:00:00 GMT", 0],
  ["soon", null],
  ["", null],
  [null, null],
])("Retry-After %s is %s seconds", (header, seconds) => {
  expect(retryAfterSeconds(header, 1_795_251_600_000)).toBe(seconds);
});

test("waits are spread, and end", () => {
  const limited = { status: 429, retryAfter: 3 };
  expect([0, 1].map((chance) => waitAfter(USUAL_RETRIES, 2, limited, chance))).toEqual([3, 4]);
  expect(waitAfter(USUAL_RETRIES, 4, limited, 0)).toBeNull();
  expect(
    waitAfter({ ...USUAL_RETRIES, unprompted: false }, 1, { status: 503, retryAfter: null }, 0),
  ).toBeNull();
  expect(
    waitAfter({ ...USUAL_RETRIES, unprompted: false }, 1, { status: null, retryAfter: null }, 0),
  ).toBeNull();
  expect([1, 2, 3, 30].map((failures) => growingWait(USUAL_RETRIES, failures, 1))).toEqual([0.5, 1, 2, 60]);
});
