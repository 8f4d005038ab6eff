/** Reads over HTTP: what is sent, shared, kept and confirmed. */
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { Client } from "../src/client.js";
import { maxAge } from "../src/http/cache.js";
import { parseExactly } from "../src/http/json.js";
import { clientOf, example, playing, serving } from "./service.js";

const COMPANY = "firm:SE:5599999991";
const PROFILE = "/api/v1/companies/{org_number}";
const TAG = 'W/"1234567890abcdef"';

describe("what is sent", () => {
  test("goes to the operation's path, with the key in the header alone", async () => {
    const service = await playing({ body: { data: [], next_cursor: null, has_more: false } });
    const { client } = clientOf(service);
    const day = new Date("2026-01-02T03:00:00Z");
    await client.companies
      .search("Ærø & Co", { country: ["SE", "NO"], is_listed: true, limit: 5 })
      .firstPage();
    await client.companies.financials(COMPANY, { period_type: "annual", known_at: day }).firstPage();
    await client.companies.filings(COMPANY, { from: "2026-01-01", filing_type: undefined }).firstPage();
    await client.companies.events(COMPANY, { event_type: "status.changed" }).firstPage();
    await client.events.list({ since: 2n ** 60n, country: "SE" }).firstPage();
    expect(service.received.map(({ url }) => url)).toEqual([
      "/api/v1/companies?q=%C3%86r%C3%B8+%26+Co&country=SE%2CNO&is_listed=true&limit=5",
      "/api/v1/companies/firm%3ASE%3A5599999991/financials?period_type=annual&known_at=2026-01-02T03%3A00%3A00.000Z",
      "/api/v1/companies/firm%3ASE%3A5599999991/filings?from=2026-01-01",
      "/api/v1/companies/firm%3ASE%3A5599999991/events?event_type=status.changed",
      "/api/v1/events?country=SE&since=1152921504606846976",
    ]);
    for (const { headers } of service.received) expect(headers.authorization).toBe("Bearer firm_live_x");
  });

  test.each(["", ".", ".."])("an id like %j climbs out of no path", async (company) => {
    const { client } = clientOf(await playing({ body: {} }));
    await expect(client.companies.get(company)).rejects.toThrow(RangeError);
  });

  test("an id with signs of an address stays one segment", async () => {
    const service = await playing({ body: {} });
    await clientOf(service).client.companies.get("../usage?x#y");
    expect(service.received[0]?.url).toBe("/api/v1/companies/..%2Fusage%3Fx%23y");
  });
});

test("on a page cookies stay where they are, and the browser's cache does not answer for the service", async () => {
  const inits: RequestInit[] = [];
  const fetch = (_: string, init: RequestInit): Promise<Response> => {
    inits.push(init);
    return Promise.resolve(new Response("{}", { headers: { ETag: TAG } }));
  };
  const client = new Client({ apiKey: "k", baseUrl: "", fetch });
  vi.stubGlobal("document", {});
  await client.companies.get(COMPANY);
  await client.companies.get(COMPANY);
  vi.unstubAllGlobals();
  expect(inits).toMatchObject([
    { credentials: "omit", referrerPolicy: "strict-origin" },
    { credentials: "omit", referrerPolicy: "strict-origin", cache: "no-store" },
  ]);
  expect(inits[0]).not.toHaveProperty("cache");
});

test("below a path of the page's origin, where `fetch` says who is calling, requests have no key", async () => {
  const asked: [string, HeadersInit | undefined][] = [];
  const fetch = (address: string, { headers }: RequestInit): Promise<Response> => {
    asked.push([address, headers]);
    return Promise.resolve(new Response("{}"));
  };
  await new Client({ apiKey: null, baseUrl: "/dashboard", fetch }).companies.get(COMPANY);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.[0]).toMatch(/^\/dashboard\/api\/v1\/companies\//);
  expect(asked[0]?.[1]).not.toHaveProperty("Authorization");
});

describe("settings", () => {
  test("the key is not among what a client shows", () => {
    const client = new Client({ apiKey: "firm_live_hidden", baseUrl: "https://api.example.com" });
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain("hidden");
    expect(JSON.stringify(client.settings)).not.toContain("hidden");
  });

  test.each([
    [{}, "set FIRMDATA_API_KEY"],
    [{ apiKey: "k" }, "set FIRMDATA_BASE_URL"],
    [{ apiKey: "k", baseUrl: "api.example.com" }, "is a URL"],
    [{ apiKey: "k", baseUrl: "//api.example.com" }, "is a URL"],
  ])("%j says what is missing", (options, words) => {
    expect(() => new Client(options)).toThrow(words);
  });

  test("a fetch of one's own is called as a browser's must be", async () => {
    const asked: string[] = [];
    function own(this: unknown, address: string): Promise<Response> {
      expect(this).toBeUndefined();
      asked.push(address);
      return Promise.resolve(Response.json({ data: [] }));
    }
    await new Client({ apiKey: "k", baseUrl: "https://api.example.com/", fetch: own }).markets();
    expect(asked).toEqual(["https://api.example.com/api/v1/markets"]);
  });
});

describe("what is shared and kept", () => {
  test("the same read under way is sent once, another one beside it", async () => {
    let release = (): void => undefined;
    const after = new Promise<void>((resolve) => (release = resolve));
    const service = await serving(() => ({ body: example(PROFILE), after }));
    const { client } = clientOf(service);
    const reads = [1, 2, 3].map(() => client.companies.get(COMPANY));
    const other = client.companies.get(COMPANY, { include: "detail" });
    release();
    expect(new Set(await Promise.all(reads)).size).toBe(1);
    await other;
    expect(service.received).toHaveLength(2);
  });

  test("a fresh answer is not read again, an old one is confirmed by its tag with 304", async () => {
    let now = 1_000_000;
    const service = await serving((_, received) =>
      received.headers["if-none-match"] === TAG
        ? { status: 304, headers: { "Cache-Control": "private, max-age=60" } }
        : {
            body: example(PROFILE),
            headers: { ETag: TAG, "Cache-Control": "private, max-age=60, must-revalidate" },
          },
    );
    const { client } = clientOf(service, { now: () => now });
    const first = await client.companies.get(COMPANY);
    now += 59_000;
    expect(await client.companies.get(COMPANY)).toBe(first);
    expect(service.received).toHaveLength(1);
    now += 2_000;
    expect(await client.companies.get(COMPANY)).toBe(first);
    expect(service.received).toHaveLength(2);
    now += 59_000;
    expect(await client.companies.get(COMPANY)).toBe(first);
    expect(service.received).toHaveLength(2);
    expect(await client.companies.get(COMPANY, {}, { renewed: true })).toBe(first);
    expect(service.received.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, TAG, TAG]);
  });

  test("a tag that no longer holds brings the new answer", async () => {
    const service = await playing(
      { body: { id: "a" }, headers: { ETag: TAG } },
      { body: { id: "b" }, headers: { ETag: 'W/"fedcba0987654321"' } },
    );
    const { client } = clientOf(service);
    const read = async (): Promise<string> => (await client.companies.get(COMPANY)).id;
    expect([await read(), await read()]).toEqual(["a", "b"]);
    expect(service.received[1]?.headers["if-none-match"]).toBe(TAG);
  });

  test("an answer that must not be kept is read again, without a tag", async () => {
    const service = await playing({
      body: {},
      headers: { ETag: TAG, "Cache-Control": "no-store, max-age=60" },
    });
    const { client } = clientOf(service);
    await client.companies.get(COMPANY);
    await client.companies.get(COMPANY);
    expect(service.received.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, undefined]);
  });

  test("the oldest answers make room, and with 0 none is kept", async () => {
    const service = await playing({ body: {}, headers: { "Cache-Control": "max-age=60" } });
    const sent = async (keptAnswers: number): Promise<number> => {
      const before = service.received.length;
      const { client } = clientOf(service, { keptAnswers });
      for (const company of ["1111", "1111", "2222", "1111"]) await client.companies.get(company);
      return service.received.length - before;
    };
    expect([await sent(2), await sent(1), await sent(0)]).toEqual([2, 3, 4]);
  });

  test("an answer that others may have cannot be changed", async () => {
    const { client } = clientOf(await playing({ body: { data: [{ market: "SE" }] } }));
    const [market] = await client.markets();
    expect(() => Object.assign(market as object, { market: "NO" })).toThrow(TypeError);
  });

  test("a request ends when its last caller has left, not before", async () => {
    const service = await serving(() => ({ body: {}, after: new Promise(() => undefined) }));
    const { client } = clientOf(service);
    const [one, two] = [new AbortController(), new AbortController()];
    const reads = [one, two].map(({ signal }) => client.companies.get(COMPANY, {}, { signal }));
    while (service.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    one.abort();
    await expect(reads[0]).rejects.toThrow(/abort/i);
    let dropped = false;
    const gone = service.received[0]?.dropped.then(() => (dropped = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(dropped).toBe(false);
    two.abort();
    await expect(reads[1]).rejects.toThrow(/abort/i);
    await gone;
  });

  test.each([
    [null, 0],
    ["private, max-age=60, must-revalidate", 60],
    ["no-store", 0],
    ["no-cache, max-age=60", 0],
    ["s-maxage=5", 0],
  ])("%s keeps an answer for %d seconds", (header, seconds) => {
    expect(maxAge(header)).toBe(seconds);
  });
});

describe("pages", () => {
  const page = (data: number[], next_cursor: string | null): { body: unknown } => ({
    body: { data, next_cursor, has_more: next_cursor !== null },
  });

  test("further ones are read as they are needed, with the same parameters", async () => {
    const service = await serving((url) =>
      url.searchParams.get("cursor") === null ? page([1, 2], "a/b") : page([3], null),
    );
    const list = clientOf(service).client.companies.ownership(COMPANY, { limit: 2 });
    const [first] = await list.firstPage().then(({ data }) => data);
    expect([first, service.received.length]).toEqual([1, 1]);
    expect(await list.toArray()).toEqual([1, 2, 3]);
    const rows: unknown[] = [];
    for await (const row of list) rows.push(row);
    expect(rows).toEqual([1, 2, 3]);
    expect(service.received.at(-1)?.url).toMatch(/ownership\?limit=2&cursor=a%2Fb$/);
  });

  test("a cursor replaces where events of all companies begin, and not where those of one do", async () => {
    const service = await serving((url) => page([1], url.searchParams.get("cursor") === null ? "c" : null));
    const { companies, events } = clientOf(service).client;
    await events.list({ since: 7, country: "SE" }).toArray();
    await companies.events(COMPANY, { since: "2026-01-01T00:00:00Z" }).toArray();
    expect(service.received.map(({ url }) => url.split("events?")[1])).toEqual([
      "country=SE&since=7",
      "country=SE&cursor=c",
      "since=2026-01-01T00%3A00%3A00Z",
      "since=2026-01-01T00%3A00%3A00Z&cursor=c",
    ]);
  });

  test("whoever stops reads no further page", async () => {
    const service = await serving(() => page([1], "more"));
    for await (const _ of clientOf(service).client.companies.holdings(COMPANY)) break;
    expect(service.received).toHaveLength(1);
  });
});
describe("JSON", () => {
  test.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775807", 9223372036854775807n],
    ["0.1234567890123456789", 0.1234567890123456789],
    ["1e20", 1e20],
    ['"9007199254740993"', "9007199254740993"],
    ['"a \\" 9007199254740993, "', 'a " 9007199254740993, '],
  ])("%s is read exactly", (text, value) => {
    expect(parseExactly(text)).toEqual(value);
    expect(parseExactly(`{"a":[${text}, 1],"b":"12345678901234567"}`)).toEqual({
      a: [value, 1],
      b: "12345678901234567",
    });
  });

  test("what is no JSON is none", () => {
    for (const text of ["", "{", '{"a":9007199254740993', "<html>1234567890123456"]) {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    }
  });

  test("a long text without an end takes no long time", () => {
    const started = performance.now();
    expect(() => parseExactly(`"${"\\".repeat(200_001)}1234567890123456`)).toThrow(SyntaxError);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
