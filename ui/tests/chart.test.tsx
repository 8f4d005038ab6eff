// @vitest-environment happy-dom
/** Figures over the years: gaps for what is unknown, currencies apart, unusual lengths marked, the keyboard. */
import { act, fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { FinancialsChart } from "../src/index.js";
import type { Financials, Period } from "../src/model.js";
import { seriesOf, unusualMonths } from "../src/parts/periods.js";
import { financials } from "./examples.js";
import { answers, COMPANY, exact, ready, section, show } from "./page.js";
import { serving } from "./service.js";

const example = financials().data.find((period) => period.period_type === "annual");

function year(fiscal_year: number, given: Partial<Period> = {}): Period {
  if (example === undefined) throw new Error("no year");
  const days = { period_start: `${fiscal_year}-01-01`, period_end: `${fiscal_year}-12-31` };
  return { ...example, period: String(fiscal_year), fiscal_year, ...days, ...given };
}

function quarter(fiscal_year: number, fiscal_quarter: number): Period {
  const period = `${fiscal_year}-Q${fiscal_quarter}`;
  const end = `${fiscal_year}-${String(fiscal_quarter * 3).padStart(2, "0")}-28`;
  const kind = { period_type: "quarterly", period_months: 3 } as const;
  return year(fiscal_year, { ...kind, period, fiscal_quarter, period_end: end });
}

const list = (data: Period[]): Financials => ({ ...financials(), data });

const bars = (): (string | null)[][] =>
  [...document.querySelectorAll("[data-column]")].map((column) => [
    column.getAttribute("data-column"),
    ...[...column.querySelectorAll("[data-bar]")].map((bar) => bar.getAttribute("data-value")),
  ]);

describe("periods on an axis", () => {
  test("a year and a quarter without accounts have places of their own", () => {
    const years = seriesOf([year(2025), year(2022)])[0]?.slots;
    expect(years?.map(({ name, period }) => [name, period !== null])).toEqual([
      ["2022", true],
      ["2023", false],
      ["2024", false],
      ["2025", true],
    ]);
    const quarters = seriesOf([quarter(2026, 2), quarter(2025, 3)])[0]?.slots;
    expect(quarters?.map(({ name }) => name)).toEqual(["2025-Q3", "2025-Q4", "2026-Q1", "2026-Q2"]);
  });

  test("two periods of one year are both there", () => {
    const short = year(2025, { period_end: "2025-06-30", period_months: 6 });
    const slots = seriesOf([year(2025), short])[0]?.slots;
    expect(slots?.map(({ period }) => period?.period_end)).toEqual(["2025-06-30", "2025-12-31"]);
  });

  test("a length that is unknown is not called unusual", () => {
    expect([18, 12, null].map((period_months) => unusualMonths(year(2025, { period_months })))).toEqual([
      18,
      null,
      null,
    ]);
    expect(unusualMonths(quarter(2025, 1))).toBeNull();
  });
});

describe("a chart of figures", () => {
  test("draws what is known, each with its exact value, and nothing for what is unknown", async () => {
    const known = [year(2025, { revenue: 100, net_result: -40 }), year(2023, { revenue: 0, net_result: null })];
    const service = await serving(answers({ financials: list(known) }));
    show(service, <FinancialsChart companyId={COMPANY} notation="standard" />);
    await ready();
    expect(bars()).toEqual([["2023", "0"], ["2024"], ["2025", "100", "-40"]]);
    const picture = screen.getByRole("img", { name: "Revenue, Net result of EKSEMPEL ASA, in USD" });
    const [zero] = picture.querySelectorAll("[data-bar]");
    expect(Number(zero?.getAttribute("height"))).toBe(1);
    const rows = [...section().querySelectorAll("[data-row]")].map((row) => exact(row, "td"));
    expect(rows).toEqual([
      ["100", "-40"],
      [null, null],
      ["0", null],
    ]);
  });

  test("a loss is below the line, a profit above it", async () => {
    const known = [year(2025, { revenue: 100, net_result: -40 })];
    const service = await serving(answers({ financials: list(known) }));
    show(service, <FinancialsChart companyId={COMPANY} />);
    await ready();
    const at = (name: string, attribute: string): number =>
      Number(section().querySelector(`[data-bar=${name}]`)?.getAttribute(attribute));
    expect(at("revenue", "y") + at("revenue", "height")).toBeCloseTo(at("net_result", "y"));
  });

  test("amounts of two currencies are never on one axis", async () => {
    const known = [year(2025, { currency: "NOK" }), year(2024), year(2023)];
    const service = await serving(answers({ financials: list(known) }));
    show(service, <FinancialsChart companyId={COMPANY} />);
    await ready();
    const charts = [...section().querySelectorAll("[data-currency]")];
    expect(charts.map((chart) => [chart.getAttribute("data-currency"), chart.querySelectorAll("g").length])).toEqual([
      ["NOK", 1],
      ["USD", 2],
    ]);
    expect(section().textContent).toContain("they cannot be compared");
  });

  test("a year of eighteen months says so", async () => {
    const known = [year(2025, { period_months: 18 }), year(2024)];
    const service = await serving(answers({ financials: list(known) }));
    show(service, <FinancialsChart companyId={COMPANY} />);
    await ready();
    const marked = [...section().querySelectorAll("[data-months]")].map((mark) => mark.textContent);
    expect(marked).toEqual(["18 months"]);
    expect(section().textContent).toContain("unusual length");
  });

  test("quarters are read on demand, and years come back without another request", async () => {
    const service = await serving((url) =>
      answers({
        financials: list(url.searchParams.get("period_type") === "annual" ? [year(2025)] : [quarter(2025, 1)]),
      })(url),
    );
    show(service, <FinancialsChart companyId={COMPANY} years={6} quarterYears={2} />);
    await ready();
    expect(service.paths).toHaveLength(1);
    expect(service.paths[0]).toContain("period_type=annual&years=6");
    act(() => screen.getByRole("button", { name: "Quarters" }).click());
    await ready();
    expect(bars().map(([name]) => name)).toEqual(["2025-Q1"]);
    expect(service.paths[1]).toContain("period_type=quarterly&years=2");
    expect(screen.getByRole("button", { name: "Quarters" }).getAttribute("aria-pressed")).toBe("true");
  });

  test("the keyboard goes from period to period, and each is read out", async () => {
    const known = [year(2025, { revenue: 7 }), year(2024, { revenue: 5 })];
    const service = await serving(answers({ financials: list(known) }));
    show(service, <FinancialsChart companyId={COMPANY} />);
    await ready();
    const row = screen.getByRole("group", { name: "Periods" });
    const reading = (): (string | null)[] => exact(section(), "[data-reading=revenue]");
    expect(within(row).getAllByRole("button").filter(({ tabIndex }) => tabIndex === 0)).toHaveLength(1);
    expect(reading()).toEqual(["7"]);
    fireEvent.keyDown(row, { key: "ArrowLeft" });
    expect(reading()).toEqual(["5"]);
    expect(document.activeElement?.textContent).toBe("2024");
    fireEvent.keyDown(row, { key: "ArrowLeft" });
    expect(reading()).toEqual(["5"]);
    fireEvent.keyDown(row, { key: "End" });
    expect(reading()).toEqual(["7"]);
  });

  test("a company without accounts says so, and has no quarters either", async () => {
    const service = await serving(answers({ financials: list([]) }));
    show(service, <FinancialsChart companyId={COMPANY} />);
    await ready();
    expect(section().textContent).toContain("No accounts are known.");
    act(() => screen.getByRole("button", { name: "Quarters" }).click());
    await ready();
    expect(section().textContent).toContain("No quarterly accounts are known.");
  });
});
