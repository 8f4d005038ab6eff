/** The client over true HTTP: what it shares, keeps, repeats and gives up. */
import { describe, expect, test } from "vitest";
import { createClient, PAGE } from "../src/client/client.js";
import { ReadError, type Failure } from "../src/client/failure.js";
import { eventsOf, financialsOf, ownershipOf, profileOf, type Place } from "../src/client/queries.js";
import { company, eventPage, financials, ownership, problem, problems } from "./examples.js";
import { KEY, refusal, serving, type Service } from "./service.js";

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
  test("components that ask the same share an answer; another key and a renewal do not take it", async () => {
    const service = await serving(() => ({
      body: company(),
      headers: { ETag: 'W/"1234567890abcdef"', "Cache-Control": "private, max-age=60" },
    }));
    const client = createClient();
    const [one, two] = await Promise.all(
      [1, 2].map(() => client.read(profileOf(place(service)), still(), false)),
    );
    expect(two).toBe(one);
    expect(await client.read(profileOf(place(service)), still(), false)).toBe(one);
    expect(service.asked).toHaveLength(1);
    const publishableKey = KEY.replace("aa", "ab");
    await client.read(profileOf(place(service, { publishableKey })), still(), false);
    await client.read(profileOf(place(service)), still(), true);
    expect(service.asked.map(({ headers }) => [headers.authorization, headers["if-none-match"]])).toEqual([
      [`Bearer ${KEY}`, undefined],
      [`Bearer ${publishableKey}`, undefined],
      [`Bearer ${KEY}`, 'W/"1234567890abcdef"'],
    ]);
  });
});

describe("what is repeated", () => {
  const quick = { ...PAGE, random: () => 0 };

  test("what the service asks to wait for, not for ever", async () => {
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
      Date: "Wed, 21 Oct 2015 07:28:00 GMT",
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
