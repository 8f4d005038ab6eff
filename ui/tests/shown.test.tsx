// @vitest-environment happy-dom
/**
 * What single components show of an answer: unknown is never 0, nothing is said to be nothing, tables and the
 * chart.
 */
import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { CompanyCard, FinancialsTable, KeyStats, OwnershipChart } from "../src/index.js";
import type { Company, Financials } from "../src/model.js";
import { company, eventPage, financials, ownership } from "./examples.js";
import { ALL, answers, COMPANY, exact, ready, section, show, type Name } from "./page.js";
import { serving } from "./service.js";

describe("unknown is never 0", () => {
  test("in a card", async () => {
    const nothing = {
      sni_code: null,
      sni_label: null,
      municipality: null,
      county: null,
      registered_date: null,
    };
    const profile: Company = {
      ...company(),
      ...nothing,
      latest_revenue: null,
      latest_currency: null,
      latest_year: null,
    };
    const service = await serving(answers({ profile }));
    show(service, <CompanyCard companyId={COMPANY} />);
    await ready();
    expect(screen.getAllByText("unknown").length).toBeGreaterThanOrEqual(4);
    expect(section().querySelectorAll("data")).toHaveLength(profile.employees == null ? 0 : 1);
  });

  test("in figures, where 0 is 0 and a large figure is whole", async () => {
    const [, year] = financials().data;
    if (year === undefined) throw new Error("no year");
    const figures = {
      revenue: 0,
      operating_result: null,
      net_result: -3,
      equity: null,
      total_assets: null,
      employees: null,
    };
    const body = JSON.stringify({
      ...financials(),
      data: [{ ...year, ...figures, derived: ["net_result"] }],
    });
    const service = await serving(
      answers({ financials: body.replace('"total_assets":null', '"total_assets":9007199254740993') }),
    );
    show(service, <FinancialsTable companyId={COMPANY} notation="standard" />);
    await ready();
    expect(exact(section(), "td")).toEqual(["0", null, "-3", null, "9007199254740993", null]);
    const cells = [...section().querySelectorAll("td")].map((cell) => cell.textContent);
    expect(cells[1]).toBe("—unknown");
    expect(cells[2]).toMatch(/^-3\*/);
    expect(cells[4]).toBe("9,007,199,254,740,993");
  });

  test("in key figures, which have no change and no margin then", async () => {
    const [, year] = financials().data;
    if (year === undefined) throw new Error("no year");
    const before = {
      ...year,
      fiscal_year: year.fiscal_year - 1,
      period: "2024",
      revenue: 0,
      employees: null,
    };
    const service = await serving(
      answers({ financials: { ...financials(), data: [{ ...year, operating_result: null }, before] } }),
    );
    show(service, <KeyStats companyId={COMPANY} />);
    await ready();
    const stat = (name: string): string =>
      section().querySelector(`[data-figure=${name}]`)?.textContent ?? "";
    expect(stat("revenue")).not.toContain("since");
    expect(stat("operating_result")).toBe("Operating result—unknown");
    expect(stat("margin")).toContain("unknown");
    expect(stat("equity")).toContain("0% since 2024");
  });

  test("of a period of an unusual length: its months are named, its sums are not compared", async () => {
    const [, year] = financials().data;
    if (year === undefined) throw new Error("no year");
    const before = { ...year, fiscal_year: year.fiscal_year - 1, period: "2024" };
    const longer = { ...year, period_months: 18 };
    const service = await serving(answers({ financials: { ...financials(), data: [longer, before] } }));
    show(service, <KeyStats companyId={COMPANY} />);
    await ready();
    expect(section().querySelector("p")?.textContent).toContain("2025 (18 months)");
    expect(section().querySelector("[data-figure=revenue]")?.textContent).not.toContain("since");
    expect(section().querySelector("[data-figure=equity]")?.textContent).toContain("0% since 2024");
  });

  test("in a table, the months of a period of an unusual length", async () => {
    const [, year] = financials().data;
    if (year === undefined) throw new Error("no year");
    const longer = { ...year, period_months: 18 };
    const service = await serving(answers({ financials: { ...financials(), data: [longer] } }));
    show(service, <FinancialsTable companyId={COMPANY} />);
    await ready();
    expect(section().querySelector("thead")?.textContent).toContain("18 months");
  });

  test("in shares, which may be known as a band alone", async () => {
    const service = await serving(answers());
    show(service, <OwnershipChart companyId={COMPANY} />);
    await ready();
    expect(exact(section(), "tbody td:nth-child(2)")).toEqual(["10.7", "25/50"]);
    expect(exact(section(), "tbody td:nth-child(3)")).toEqual(["27.1", null]);
    expect(section().textContent).toContain("25% to 50%");
  });
});

describe("what is no plain figure says so everywhere", () => {
  test.each(["FinancialsTable", "FinancialsChart", "KeyStats"] as const)("%s: computed, not reported", async (name) => {
    const [, year] = financials().data;
    if (year === undefined) throw new Error("no year");
    const data = [{ ...year, derived: ["revenue"] }];
    const service = await serving(answers({ financials: { ...financials(), data } }));
    const Component = ALL[name];
    show(service, <Component companyId={COMPANY} />);
    await ready();
    const marked = [...section().querySelectorAll("[data-figure], [data-reading], [data-cell]")].filter(
      (place) => place.querySelector(".firmdata-mark") !== null,
    );
    expect(marked.length).toBeGreaterThan(0);
    for (const { attributes, textContent } of marked) {
      expect([...attributes].map(({ value }) => value)).toContain("revenue");
      expect(textContent).toContain("computed from other figures");
    }
  });

  test("OwnershipChart: held through others", async () => {
    const [first, second] = ownership().data;
    if (first === undefined || second === undefined) throw new Error("two owners");
    const data = [{ ...first, is_direct: false }, { ...second, is_direct: null }];
    const service = await serving(answers({ ownership: { ...ownership(), data } }));
    show(service, <OwnershipChart companyId={COMPANY} />);
    await ready();
    const lines = [...section().querySelectorAll("tbody tr")].map((line) => line.textContent);
    expect(lines.map((text) => text.includes("indirect"))).toEqual([true, false]);
  });
});

describe("nothing there", () => {
  const none = { data: [], next_cursor: null, has_more: false };
  test.each<[Name, string]>([
    ["FinancialsTable", "No accounts are known."],
    ["KeyStats", "No accounts are known."],
    ["OwnershipChart", "No owners are known."],
    ["NewsFeed", "No news is known."],
    ["EventsCalendar", "No events are known."],
    ["ChangeFeed", "No changes are known."],
  ])("%s says so", async (name, words) => {
    const body = { ...eventPage(), ...none };
    const service = await serving(
      answers({
        financials: { ...financials(), ...none },
        ownership: { ...ownership(), ...none },
        events: body,
      }),
    );
    const Component = ALL[name];
    show(service, <Component companyId={COMPANY} />);
    await ready();
    expect(section().textContent).toContain(words);
  });
});

describe("a table of figures", () => {
  test("has each period of the answer under its name, and says which figures were asked for", async () => {
    const service = await serving(answers());
    show(
      service,
      <FinancialsTable companyId={COMPANY} years={3} periodType="quarterly" consolidated={false} />,
    );
    await ready();
    expect(service.paths[0]).toContain("period_type=quarterly&years=3&consolidated=false");
    const table = within(section()).getByRole("table", { name: /Financials of EKSEMPEL ASA/ });
    const heads = within(table)
      .getAllByRole("columnheader")
      .map((head) => head.textContent);
    expect(heads).toEqual(["Figure", "2026-Q3USD", "2025USD (restated)"]);
    const found: Financials = financials();
    expect(exact(table, "td[data-figure=equity]")).toEqual(found.data.map(({ equity }) => String(equity)));
    const region = within(section()).getByRole("region", { name: /Financials of/ });
    expect(region.tabIndex).toBe(0);
  });
});

describe("a chart of owners", () => {
  test("is one picture, and its table has the same", async () => {
    const service = await serving(answers());
    show(service, <OwnershipChart companyId={COMPANY} bars={1} />);
    await ready();
    const picture = screen.getByRole("img", { name: /Owners of Exempelbolaget AB/ });
    expect(picture.querySelectorAll(".firmdata-bar")).toHaveLength(1);
    expect(
      Number.parseFloat(picture.querySelector(".firmdata-bar")?.getAttribute("width") ?? ""),
    ).toBeCloseTo(89.17, 1);
    expect(section().querySelectorAll("tbody tr")).toHaveLength(2);
    // Another holds 25 to 50%: what is known exactly is not all that has a known owner.
    expect(section().textContent).toContain("The shares that are known exactly add up to 10.7%.");
  });
});
