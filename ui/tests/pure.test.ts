/** The rules that need neither a page nor a service. */
import { describe, expect, test } from "vitest";
import { extended, renewed } from "../src/client/feed.js";
import { changeSince, formatOf } from "../src/format.js";
import { ENGLISH, filled } from "../src/messages.js";
import { SWEDISH } from "../src/messages/sv.js";
import { webAddress } from "../src/parts/Elsewhere.js";
import { spanOf as spanOfShare } from "../src/parts/HolderBars.js";
import { inMonth, moved, perDay, spanOf, weeksOf } from "../src/parts/months.js";
import { toldBy } from "../src/parts/told.js";
import { isComparable, marginOf, yearBefore } from "../src/components/KeyStats.js";
import type { CompanyEvent, EventPage } from "../src/model.js";
import { events, financials, ownership } from "./examples.js";

describe("a feed", () => {
  const event = (sequence: number | bigint): CompanyEvent => ({
    ...(events()[0] as CompanyEvent),
    event_id: `evt_${sequence}`,
    sequence,
  });
  const page = (sequences: (number | bigint)[], cursor: string | null): EventPage => ({
    company_id: "firm:SE:5599999991",
    org_number: "5599999991",
    name: "X",
    data: sequences.map(event),
    next_cursor: cursor,
    has_more: cursor !== null,
  });
  const numbers = (feed: { events: readonly CompanyEvent[] }): (number | bigint)[] =>
    feed.events.map(({ sequence }) => sequence);

  test("older pages follow, and newer events come before, each once", () => {
    const first = renewed(null, page([5, 4], "older"));
    const second = extended(first, page([3, 2], null));
    expect(second).toMatchObject({ cursor: null });
    const now = renewed(second, page([7, 6, 5], "older"));
    expect(numbers(now)).toEqual([7, 6, 5, 4, 3, 2]);
    expect(now.cursor).toBeNull();
  });

  test("what no longer meets is let go, so that nothing is missing between", () => {
    const held = extended(renewed(null, page([5, 4], "a")), page([3], null));
    expect(renewed(held, page([9, 8], "b"))).toMatchObject({ cursor: "b" });
    expect(numbers(renewed(held, page([9, 8], "b")))).toEqual([9, 8]);
  });

  test("numbers beyond those of a number are ordered too", () => {
    const feed = extended(renewed(null, page([2n ** 60n], "a")), page([2n ** 60n - 1n, 3], null));
    expect(numbers(feed)).toEqual([2n ** 60n, 2n ** 60n - 1n, 3]);
  });
});

describe("a month", () => {
  test("its weeks begin on Monday and hold each day once", () => {
    const weeks = weeksOf("2026-11");
    expect(weeks[0]).toEqual([null, null, null, null, null, null, "2026-11-01"]);
    expect(weeks.flat().filter((day) => day !== null)).toHaveLength(30);
    expect(weeks.at(-1)?.[0]).toBe("2026-11-30");
    expect(
      weeksOf("2024-02")
        .flat()
        .filter((day) => day !== null),
    ).toHaveLength(29);
    expect(weeksOf("2027-02")).toHaveLength(4);
  });

  test("a year's end is passed both ways", () => {
    expect([moved("2026-12", 1), moved("2026-01", -1), moved("2026-06", 12)]).toEqual([
      "2027-01",
      "2025-12",
      "2027-06",
    ]);
  });

  test("events are on their days of UTC", () => {
    const given = events();
    const days = perDay(inMonth(given, "2026-11"));
    expect([...days.values()].reduce((sum, count) => sum + count, 0)).toBe(inMonth(given, "2026-11").length);
    expect(days.get("2026-11-18")).toBe(2);
    expect(spanOf(given)).toEqual({ first: "2026-03", last: "2026-11" });
  });
});

describe("figures", () => {
  const format = formatOf("en", "UTC");
  const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, " ");

  test("every digit of a large amount is kept", () => {
    expect(plain(format.money(9007199254740993n, "SEK", "standard"))).toBe("SEK 9,007,199,254,740,993");
    expect(plain(format.money(526_816_000_000, "SEK", "compact"))).toBe("SEK 526.8B");
    expect(plain(formatOf("sv", "UTC").money(526_816_000_000, "SEK", "compact"))).toBe("526,8 md SEK");
    expect(format.money(-5, null, "standard")).toBe("-5");
  });

  test("percent are shown as given", () => {
    expect([10.7, 33.3333, 0, 100].map(format.percent)).toEqual(["10.7%", "33.3333%", "0%", "100%"]);
  });

  test("days do not move with the zone, instants do", () => {
    const far = formatOf("en", "Pacific/Kiritimati");
    expect(far.day("2026-11-18")).toBe("Nov 18, 2026");
    expect(far.instant("2026-11-18T23:00:00Z")).toContain("Nov 19, 2026");
    expect(far.month(2026, 11)).toBe("November 2026");
    expect(far.weekdays()[0]).toBe("Mon");
    expect(far.country("UK")).toBe("United Kingdom");
  });

  test.each([
    [100, 110, 0.1],
    [0, 110, null],
    [-5, 5, null],
    [null, 5, null],
    [5, null, null],
    [2n ** 60n, 2n ** 61n, 1],
  ])("from %s to %s is %s", (before, after, change) => {
    const found = changeSince(before, after);
    if (change === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(change);
  });

  test("a margin needs a revenue", () => {
    expect([marginOf(5, 50), marginOf(5, 0), marginOf(null, 5), marginOf(5, null)]).toEqual([
      0.1,
      null,
      null,
      null,
    ]);
  });

  test("years are compared in one currency and scope alone", () => {
    const [latest] = financials().data.filter((period) => period.period_type === "annual");
    if (latest === undefined) throw new Error("no year");
    const before = { ...latest, fiscal_year: latest.fiscal_year - 1 };
    expect(yearBefore([latest, before], latest)).toBe(before);
    expect(yearBefore([latest, { ...before, currency: "SEK" }], latest)).toBeNull();
    expect(yearBefore([latest, { ...before, is_consolidated: !latest.is_consolidated }], latest)).toBeNull();
    expect(yearBefore([latest, { ...before, fiscal_year: latest.fiscal_year - 2 }], latest)).toBeNull();
  });

  test("sums of periods of different or unknown lengths are not compared, what a day's balance says is", () => {
    const [latest] = financials().data.filter((period) => period.period_type === "annual");
    if (latest === undefined) throw new Error("no year");
    const months = (period_months: number | null) => ({ ...latest, period_months });
    expect(isComparable("revenue", months(12), months(12))).toBe(true);
    for (const [before, after] of [[12, 18], [6, 12], [null, 12], [12, null], [null, null]] as const) {
      expect(isComparable("revenue", months(before), months(after))).toBe(false);
      expect(isComparable("net_result", months(before), months(after))).toBe(false);
      expect(isComparable("equity", months(before), months(after))).toBe(true);
    }
  });

  test("a bar is full to what is sure and pale to what may be", () => {
    const [exact, band] = ownership().data;
    if (exact === undefined || band === undefined) throw new Error("two owners");
    expect(spanOfShare(exact)).toEqual({ sure: 10.7, possible: 10.7 });
    expect(spanOfShare(band)).toEqual({ sure: 25, possible: 50 });
    expect(spanOfShare({ ...band, pct_max: null })).toEqual({ sure: 25, possible: 100 });
    expect(spanOfShare({ ...band, pct_min: null, pct_max: null })).toBeNull();
  });
});

test("each type of event says what happened", () => {
  const format = formatOf("en", "UTC");
  const told = new Map(events().map((event) => [event.event_type, toldBy(event, ENGLISH, format)]));
  expect(Object.fromEntries([...told].map(([type, { title }]) => [type, title]))).toEqual({
    "filing.added": "Accounts of 2025",
    "filing.updated": "Accounts of 2025 again, version 2",
    "ownership.changed": "Exempel Förvaltning AB: 8.2% → 10.7%",
    "status.changed": "Active → Dormant",
    "news.published": "Results of operations and financial condition",
    "event.regulatory": "Sanktionsavgift",
    "company.changed": "Municipality: Turku → Tampere, County: Varsinais-Suomi → Pirkanmaa, Address",
  });
  expect(told.get("event.regulatory")?.note?.replace("\u00a0", " ")).toBe(
    "Finansinspektionen · SEK 10,000,000",
  );
  expect(told.get("news.published")).toMatchObject({ note: "SEC EDGAR", language: "en" });
});

test("a change whose subject was erased says its type, and a later field its own name", () => {
  const format = formatOf("en", "UTC");
  const event = events().find((one) => one.event_type === "company.changed");
  if (event === undefined || !("change" in event.data) || !("changes" in event.data.change))
    throw new Error("the document has no example of company.changed");
  const change = { ...event.data.change, changes: [{ field: "seat", previous: "A", current: "B" }] };
  const titleOf = (told: typeof change): string =>
    toldBy({ ...event, data: { ...event.data, change: told } } as typeof event, ENGLISH, format).title;
  expect(titleOf(change)).toBe("seat: A → B");
  expect(titleOf({ ...change, changes: [] })).toBe("Register entry");
});

test("shares that are known as a band alone are told as what they are at least, and none is 0", () => {
  const event = events().find((one) => one.event_type === "ownership.changed");
  if (event === undefined || !("change" in event.data)) throw new Error("no example of ownership.changed");
  const titleOf = (change: object, words = ENGLISH): string => {
    const data = { ...event.data, change: { ...(event.data as { change: object }).change, ...change } };
    return toldBy({ ...event, data } as typeof event, words, formatOf("en", "UTC")).title;
  };
  const holder = "Exempel Förvaltning AB";
  const band = { basis: "band", previous_pct: 25, current_pct: 50 };
  expect(titleOf(band)).toBe(`${holder}: at least 25% → at least 50%`);
  expect(titleOf({ ...band, previous_pct: 0, current_pct: 25 })).toBe(`${holder}: 0% → at least 25%`);
  expect(titleOf({ ...band, basis: "derived" })).toBe(`${holder}: 25% → 50%`);
  expect(titleOf(band, SWEDISH)).toBe(`${holder}: minst 25% → minst 50%`);
});

test("a type of event of a later service is told by its own name, whatever its data", () => {
  const event = events().find((one) => one.event_type === "status.changed");
  if (event === undefined) throw new Error("no example of status.changed");
  for (const later of [{ change: { previous: "a", current: "b" } }, { change: {} }, { proceeding: {} }]) {
    const { change, ...common } = event.data as Record<string, unknown>;
    const data = { ...common, ...later } as typeof event.data;
    const told = toldBy({ ...event, event_type: "capital.changed", data }, ENGLISH, formatOf("en", "UTC"));
    expect(told).toMatchObject({ title: "capital.changed", note: null });
  }
});

test("a status of a later service is told by its own name", () => {
  const event = events().find((one) => one.event_type === "status.changed");
  if (event === undefined || !("change" in event.data)) throw new Error("no example of status.changed");
  const change = { ...event.data.change, current_status: "suspended" };
  const told = toldBy({ ...event, data: { ...event.data, change } } as typeof event, ENGLISH, formatOf("en", "UTC"));
  expect(told.title).toBe("Active → suspended");
});

test("only addresses of the web become links", () => {
  for (const text of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "/relative",
    "",
    null,
  ]) {
    expect(webAddress(text)).toBeNull();
  }
  expect(webAddress("https://example.com/a b")).toBe("https://example.com/a%20b");
});

test("a message keeps what nothing stands for, and what is filled in is not filled again", () => {
  expect(filled("{a} of {b}", { a: "{b}" })).toBe("{b} of {b}");
});
