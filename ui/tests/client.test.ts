/** The client over true HTTP: what it shares, keeps, repeats and gives up. */
import { describe, expect, test } from "vitest";
import { createClient, PAGE } from "../src/client/client.js";
import { ReadError, type Failure } from "../src/client/failure.js";
import { eventsOf, financialsOf, ownershipOf, profileOf, type Place } from "../src/client/queries.js";
import { company, eventPage, financials, ownership, problem, problems } from "./examples.js";
import { held, KEY, refusal, serving, type Service } from "./service.js";

const still = (): AbortSignal => new AbortController().signal;

function place(service: Service, more: Partial<Place> = {}): Place {
  return { baseUrl: service.base, publishableKey: KEY, companyId: "firm:SE:5599999991", ...more };
}

async function failure(read: Promise<unknown>): Promise<Failure> {
  const error: unknown = await read.then(
    () => new Error("an answer came"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ReadError) return error.failure;
  throw error;
}

describe("what is asked", () => {
  test("each question goes to its path with the key in the header alone", async () => {
    const bodies = [company(), financials(), ownership(), eventPage()];
    const service = await serving((url) => ({
      body: bodies[["", "financials", "ownership", "events"].indexOf(url.pathname.split("/")[5] ?? "")],
    }));
    const client = createClient();
    const at = place(service);
    await client.read(profileOf(at), still(), false);
    await client.read(financialsOf(at, { years: 3, periodType: "annual" }), still(), false);
    await client.read(ownershipOf(at), still(), false);
    await client.read(eventsOf(at, { types: ["status.changed", "filing.added"], limit: 5 }), still(), false);
    const below = "/api/v1/companies/firm%3ASE%3A5599999991";
    expect(service.paths).toEqual([
      `${below}?include=detail%2Cidentifiers`,
      `${below}/financials?period_type=annual&years=3&limit=100`,
      `${below}/ownership?limit=100`,
      `${below}/events?event_type=filing.added%2Cstatus.changed&limit=5`,
    ]);
    expect(service.asked.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(`Bearer ${KEY}`));
    expect(service.asked.some(({ url }) => url.includes("firm_public"))).toBe(false);
  });

  test.each([
    ["", "key_missing"],
    [`firm_live_${"a".repeat(42)}`, "key_not_publishable"],
    [`firm_secret_${"a".repeat(42)}`, "key_not_publishable"],
    ["firm_live_cut", "key_not_publishable"],
    ["pk_test_1", "key_malformed"],
    [`${KEY}\n`, "key_malformed"],
  ])("a key like %j never leaves the page", async (publishableKey, code) => {
    const service = await serving(() => ({ body: company() }));
    const told = await failure(
      createClient().read(profileOf(place(service, { publishableKey })), still(), false),
    );
    expect(told.code).toBe(code);
    expect(service.asked).toEqual([]);
  });

  test.each([
    "",
    "..",
    "../usage",
    "a/b",
    "5599999991?x=1",
    "firm:SE:5599999991#",
    "å".repeat(8),
    "1".repeat(25),
  ])("a company like %j is not asked for", async (companyId) => {
    const service = await serving(() => ({ body: company() }));
    const told = await failure(createClient().read(profileOf(place(service, { companyId })), still(), false));
    expect(told.code).toBe("invalid_org_number");
    expect(service.asked).toEqual([]);
  });
});

describe("what is shared and kept", () => {
  test("the same question under way is asked once, another one beside it", async () => {
    const gate = held();
    const service = await serving(() => ({ body: company(), after: gate.promise }));
    const client = createClient();
    const reads = [1, 2, 3].map(() => client.read(profileOf(place(service)), still(), false));
    const other = client.read(
      profileOf(place(service, { publishableKey: KEY.replace("aa", "ab") })),
      still(),
      false,
    );
    gate.release();
    expect(new Set(await Promise.all(reads)).size).toBe(1);
    await other;
    expect(service.asked).toHaveLength(2);
  });

  test("a fresh answer is not asked for again, an old one is confirmed by its tag", async () => {
    let now = 1_000_000;
    const tag = 'W/"1234567890abcdef"';
    const service = await serving((_, asked) =>
      asked.headers["if-none-match"] === tag
        ? { status: 304, headers: { "Cache-Control": "private, max-age=60" } }
        : {
            body: company(),
            headers: { ETag: tag, "Cache-Control": "private, max-age=60, must-revalidate" },
          },
    );
    const client = createClient({ ...PAGE, now: () => now });
    const read = (renewed = false): Promise<unknown> =>
      client.read(profileOf(place(service)), still(), renewed);
    const first = await read();
    now += 59_000;
    expect(await read()).toBe(first);
    expect(service.asked).toHaveLength(1);
    now += 2_000;
    expect(await read()).toBe(first);
    expect(service.asked).toHaveLength(2);
    now += 59_000;
    await read();
    expect(service.asked).toHaveLength(2);
    expect(await read(true)).toBe(first);
    expect(service.asked.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, tag, tag]);
  });

  test("an answer that must not be kept is read again", async () => {
    const service = await serving(() => ({
      body: company(),
      headers: { "Cache-Control": "no-store, max-age=60" },
    }));
    const client = createClient();
    await client.read(profileOf(place(service)), still(), false);
    await client.read(profileOf(place(service)), still(), false);
    expect(service.asked).toHaveLength(2);
  });

  test("a request ends when the last who waits has gone, not before", async () => {
    const gate = held();
    const service = await serving(() => ({ body: company(), after: gate.promise }));
    const client = createClient();
    const [one, two] = [new AbortController(), new AbortController()];
    const reads = [one, two].map(({ signal }) => client.read(profileOf(place(service)), signal, false));
    while (service.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    one.abort();
    await expect(reads[0]).rejects.toThrow(/abort/i);
    let dropped = false;
    const gone = service.asked[0]?.dropped.then(() => (dropped = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(dropped).toBe(false);
    two.abort();
    await expect(reads[1]).rejects.toThrow(/abort/i);
    await gone;
    gate.release();
  });
});

describe("what is repeated", () => {
  const quick = { ...PAGE, random: () => 0 };

  test("only when the service says when, and not before", async () => {
    let left = 2;
    const at: number[] = [];
    const service = await serving(() => {
      at.push(performance.now());
      return left-- > 0 ? refusal(problem("rate_limited")) : { body: company() };
    });
    await createClient(quick).read(profileOf(place(service)), still(), false);
    expect(at).toHaveLength(3);
    expect(Math.min((at[1] ?? 0) - (at[0] ?? 0), (at[2] ?? 0) - (at[1] ?? 0))).toBeGreaterThan(990);
  });

  test("not for ever", async () => {
    const limited = refusal(problem("rate_limited"), { "Retry-After": "0" });
    const service = await serving(() => limited);
    const told = await failure(createClient(quick).read(profileOf(place(service)), still(), false));
    expect(told.code).toBe("rate_limited");
    expect(service.asked).toHaveLength(6);
  });

  test("a long wait is the reader's: the failure says until when", async () => {
    const service = await serving(() => refusal(problem("quota_exceeded")));
    const now = 1_700_000_000_000;
    const told = await failure(
      createClient({ ...quick, now: () => now }).read(profileOf(place(service)), still(), false),
    );
    expect(told).toMatchObject({ code: "quota_exceeded", status: 429, retryAt: now + 935_269_000 });
    expect(service.asked).toHaveLength(1);
  });

  test("a date in Retry-After counts too", async () => {
    const limited = refusal(problem("service_unavailable"), {
      "Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT",
    });
    const service = await serving(() => limited);
    const now = Date.UTC(2015, 9, 21, 7, 28, 0);
    const told = await failure(
      createClient({ ...quick, now: () => now }).read(profileOf(place(service)), still(), false),
    );
    expect(told.retryAt).toBe(now + 30_000);
  });

  test("not without Retry-After, whatever the status", async () => {
    for (const status of [429, 500, 502, 503]) {
      const service = await serving(() => ({ status, body: problem("internal_error") }));
      await failure(createClient(quick).read(profileOf(place(service)), still(), false));
      expect(service.asked).toHaveLength(1);
    }
  });

  test("who leaves while it waits ends the waiting", async () => {
    const service = await serving(() => refusal(problem("rate_limited")));
    const stop = new AbortController();
    const read = createClient(quick).read(profileOf(place(service)), stop.signal, false);
    setTimeout(() => stop.abort(), 100);
    await expect(read).rejects.toThrow(/abort/i);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(service.asked).toHaveLength(1);
  });
});

describe("what fails", () => {
  const patient = problems().filter((one) => one.retry_after === undefined && one.status < 500);

  test("the document has the problems that matter here", () => {
    expect(patient.map(({ code }) => code)).toEqual(
      expect.arrayContaining([
        "payment_required",
        "origin_not_allowed",
        "origin_required",
        "company_not_found",
      ]),
    );
  });

  test.each(patient.map((one) => [one.code, one] as const))(
    "a problem %s says its code, words and request",
    async (_, told) => {
      const service = await serving(() => refusal(told));
      expect(await failure(createClient().read(profileOf(place(service)), still(), false))).toEqual({
        code: told.code,
        status: told.status,
        detail: told.detail,
        requestId: told.request_id,
        retryAt: null,
      });
    },
  );

  test.each([
    ["HTML with 200", { status: 200, body: "<html>", headers: { "Content-Type": "text/html" } }],
    ["cut JSON", { status: 200, body: '{"id":' }],
    ["null", { status: 200, body: "null" }],
    ["another object", { status: 200, body: { data: [] } }],
    [
      "an error that is no problem document",
      { status: 502, body: "Bad gateway", headers: { "Content-Type": "text/plain" } },
    ],
    ["a problem that is cut", { status: 400, body: '{"code":' }],
    ["a problem that is none", { status: 400, body: "[]" }],
  ])("%s is an answer that cannot be read", async (_, reply) => {
    const service = await serving(() => reply);
    const told = await failure(createClient().read(profileOf(place(service)), still(), false));
    expect(told.code).toBe("unreadable_answer");
  });

  test("a cut answer, a service that is away, and a device that is offline", async () => {
    const cut = await serving(() => ({ body: "{}", headers: { "Content-Length": "100" } }));
    setTimeout(() => void cut.stop(), 200);
    expect((await failure(createClient().read(profileOf(place(cut)), still(), false))).code).toBe(
      "unreachable",
    );
    expect((await failure(createClient().read(profileOf(place(cut)), still(), false))).code).toBe(
      "unreachable",
    );
    const offline = createClient({ ...PAGE, online: () => false });
    expect((await failure(offline.read(profileOf(place(cut)), still(), false))).code).toBe("offline");
  });
});
