// @vitest-environment happy-dom
/** Every component on a page, against a service that answers with the contract's examples. */
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { StrictMode, type ReactNode } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as components from "../src/index.js";
import type { Company, EventPage, Financials, Ownership } from "../src/model.js";
import { company, eventPage, events, financials, ownership, problem } from "./examples.js";
import { held, KEY, refusal, serving, type Reply, type Service } from "./service.js";

const { ChangeFeed, CompanyCard, EventsCalendar, FinancialsTable, FirmdataProvider, KeyStats, NewsFeed, OwnershipChart } =
  components;
const ALL = { ChangeFeed, CompanyCard, EventsCalendar, FinancialsTable, KeyStats, NewsFeed, OwnershipChart };
type Name = keyof typeof ALL;
const NAMES = Object.keys(ALL) as Name[];
const COMPANY = "5599999991";

afterEach(cleanup);

const sixEvents = (): EventPage => ({ ...eventPage(), data: events() });

/** Answers by the last part of the path; what is given takes the example's place. */
function answers(given: { profile?: unknown; financials?: unknown; ownership?: unknown; events?: unknown } = {}) {
  return (url: URL): Reply => {
    const below = url.pathname.split("/")[5];
    if (below === "financials") return { body: given.financials ?? financials() };
    if (below === "ownership") return { body: given.ownership ?? ownership() };
    if (below === "events") return { body: given.events ?? sixEvents() };
    return { body: given.profile ?? company() };
  };
}

function show(service: Service, children: ReactNode): ReturnType<typeof render> {
  return render(
    <FirmdataProvider baseUrl={service.base} publishableKey={KEY}>
      {children}
    </FirmdataProvider>,
  );
}

const ready = (): Promise<void> =>
  waitFor(() => {
    for (const section of document.querySelectorAll("section")) expect(section.dataset["state"]).toBe("ready");
  });
const exact = (root: Element, selector: string): (string | null)[] =>
  [...root.querySelectorAll(selector)].map((one) => one.querySelector("data")?.getAttribute("value") ?? null);
const section = (): HTMLElement => {
  const found = document.querySelector("section");
  if (found === null) throw new Error("nothing is rendered");
  return found;
};

test("the package has the seven components of the product and nothing that is none", () => {
  expect(Object.keys(components).sort()).toEqual([...NAMES, "ENGLISH", "FirmdataProvider"].sort());
});

describe("every component", () => {
  test.each(NAMES)("%s is loading, then shows a value under its heading", async (name) => {
    const gate = held();
    const reply = answers();
    const service = await serving((url) => ({ ...reply(url), after: gate.promise }));
    const Component = ALL[name];
    show(service, <Component companyId={COMPANY} headingLevel={4} className="mine" />);
    expect(section().getAttribute("aria-busy")).toBe("true");
    expect(screen.getByText("Loading")).toBeTruthy();
    gate.release();
    await ready();
    expect(section().getAttribute("aria-busy")).toBe("false");
    expect(section().classList.contains("mine")).toBe(true);
    const heading = within(section()).getByRole("heading", { level: 4 });
    expect(section().getAttribute("aria-labelledby")).toBe(heading.id);
  });

  test.each(NAMES)("%s says what is refused, and by which request", async (name) => {
    for (const code of ["payment_required", "origin_not_allowed", "origin_required", "company_not_found"]) {
      const told = problem(code);
      const service = await serving(() => refusal(told));
      const Component = ALL[name];
      show(service, <Component companyId={COMPANY} />);
      const alert = await screen.findByRole("alert");
      expect(alert.dataset["code"]).toBe(code);
      expect(alert.textContent).toContain(components.ENGLISH.failures[code]?.split("{")[0]);
      expect(alert.textContent).toContain(told.detail);
      expect(alert.textContent).toContain(told.request_id);
      cleanup();
    }
  });

  test.each(NAMES)("%s says until when a spent quota lasts, and does not ask before", async (name) => {
    const service = await serving(() => refusal(problem("quota_exceeded")));
    const Component = ALL[name];
    show(service, <Component companyId={COMPANY} />);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toMatch(/Possible again from .*20\d\d/);
    expect(within(alert).getByRole<HTMLButtonElement>("button", { name: "Try again" }).disabled).toBe(true);
  });

  test.each(NAMES)("%s reads again when asked, and shows what then comes", async (name) => {
    let broken = true;
    const reply = answers();
    const service = await serving((url) => (broken ? refusal(problem("internal_error")) : reply(url)));
    const Component = ALL[name];
    show(service, <Component companyId={COMPANY} />);
    const button = await screen.findByRole("button", { name: "Try again" });
    broken = false;
    act(() => button.click());
    await ready();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  test.each(NAMES)("%s ends its request when it goes", async (name) => {
    const gate = held();
    const service = await serving(() => ({ after: gate.promise }));
    const Component = ALL[name];
    const page = show(service, <Component companyId={COMPANY} />);
    await waitFor(() => expect(service.asked).toHaveLength(1));
    page.unmount();
    await service.asked[0]?.dropped;
    gate.release();
  });

  test("names and titles of others are text, their addresses only links of the web", async () => {
    const name = '<img src=x onerror="boom()"><script>boom()</script>';
    const news = events().map((event) =>
      "news" in event.data
        ? { ...event, data: { ...event.data, news: { ...event.data.news, title: name, url: "javascript:boom()" } } }
        : event,
    );
    const hostile: Company = { ...company(), name, website: "javascript:boom()" };
    const owners: Ownership = { ...ownership(), name, data: ownership().data.map((owner) => ({ ...owner, holder_name: name })) };
    const service = await serving(
      answers({ profile: hostile, financials: { ...financials(), name }, ownership: owners, events: { ...sixEvents(), data: news } }),
    );
    show(service, NAMES.map((one) => [one, ALL[one]] as const).map(([one, Component]) => <Component key={one} companyId={COMPANY} />));
    await ready();
    expect(document.querySelectorAll("img, script")).toHaveLength(0);
    expect([...document.querySelectorAll("a")].map((link) => link.protocol).filter((one) => !/^https?:$/.test(one))).toEqual([]);
    expect(document.body.textContent).toContain(name);
  });

  test.each([
    ["is known by nothing", 7, { id: 1, name: {}, status: {} }, [null, {}]],
    [
      "lacks what is drawn",
      6, // key figures take what is absent for unknown
      { id: "firm:NO:999999999", name: "X", status: "active", country: {} },
      [{ period: "2025", period_end: "2025-12-31", holder_id: "own_1", event_id: "evt_1", occurred_at: "never" }],
    ],
  ])("an answer that %s breaks no page, and the next one is shown", async (_, broken, profile, data) => {
    let isSound = false;
    const sound = answers();
    const spoilt = answers({ profile, financials: { data }, ownership: { data }, events: { data } });
    const service = await serving((url) => (isSound ? sound(url) : spoilt(url)));
    show(service, NAMES.map((one) => [one, ALL[one]] as const).map(([one, Component]) => <Component key={one} companyId={COMPANY} />));
    await waitFor(() => expect(document.querySelectorAll('[data-state="loading"]')).toHaveLength(0));
    const codes = screen.getAllByRole("alert").map((alert) => alert.dataset["code"]);
    expect(codes).toEqual(Array(broken).fill("unreadable_answer"));
    expect(document.querySelectorAll("section")).toHaveLength(7);
    vi.mocked(console.error).mockClear(); // React tells the developer of what cannot be drawn
    isSound = true;
    for (const button of screen.getAllByRole("button", { name: "Try again" })) act(() => button.click());
    await waitFor(() => expect(screen.queryAllByRole("alert")).toEqual([]));
  });

  test("two of a kind ask once", async () => {
    const service = await serving(answers());
    show(service, [<CompanyCard key="a" companyId={COMPANY} />, <CompanyCard key="b" companyId={COMPANY} />]);
    await ready();
    expect(service.paths).toHaveLength(1);
  });

  test("in strict mode they show the same", async () => {
    const service = await serving(answers());
    show(service, <StrictMode>{NAMES.map((one) => ALL[one]).map((Component, place) => <Component key={place} companyId={COMPANY} />)}</StrictMode>);
    await ready();
    expect(document.querySelectorAll("section")).toHaveLength(7);
  });

  test("another language has its own words, numbers and days", async () => {
    const service = await serving(answers());
    const messages = { company: "Företag", latestRevenue: "Senaste omsättning" };
    render(
      <FirmdataProvider baseUrl={service.base} publishableKey={KEY} locale="sv" messages={messages}>
        <CompanyCard companyId={COMPANY} notation="standard" />
      </FirmdataProvider>,
    );
    await ready();
    const text = (section().textContent ?? "").replace(/[\u00a0\u202f]/g, " ");
    expect(text).toContain("Senaste omsättning526 816 000 000 SEK (2024)");
    expect(text).toContain("5 maj 1915");
  });
});

describe("another company", () => {
  test("nothing of the one before is shown under it, and its request is ended", async () => {
    const gate = held();
    const service = await serving((url) => (url.pathname.includes("999999999") ? { body: company() } : { after: gate.promise }));
    const page = show(service, <CompanyCard companyId="999999999" />);
    await ready();
    const other = (companyId: string): ReactNode => (
      <FirmdataProvider baseUrl={service.base} publishableKey={KEY}>
        <CompanyCard companyId={companyId} />
      </FirmdataProvider>
    );
    page.rerender(other("5599999983"));
    expect(section().dataset["state"]).toBe("loading");
    expect(section().textContent).not.toContain(company().name);
    await waitFor(() => expect(service.asked).toHaveLength(2));
    page.rerender(other("999999999"));
    await service.asked[1]?.dropped;
    await ready();
    gate.release();
  });
});

describe("unknown is never 0", () => {
  test("in a card", async () => {
    const nothing = { sni_code: null, sni_label: null, municipality: null, county: null, registered_date: null };
    const profile: Company = { ...company(), ...nothing, latest_revenue: null, latest_currency: null, latest_year: null };
    const service = await serving(answers({ profile }));
    show(service, <CompanyCard companyId={COMPANY} />);
    await ready();
    expect(screen.getAllByText("unknown").length).toBeGreaterThanOrEqual(4);
    expect(section().querySelectorAll("data")).toHaveLength(profile.employees == null ? 0 : 1);
  });

  test("in figures, where 0 is 0 and a large figure is whole", async () => {
    const [, year] = financials().data;
    if (year === undefined) throw new Error("no year");
    const figures = { revenue: 0, operating_result: null, net_result: -3, equity: null, total_assets: null, employees: null };
    const body = JSON.stringify({ ...financials(), data: [{ ...year, ...figures, derived: ["net_result"] }] });
    const service = await serving(answers({ financials: body.replace('"total_assets":null', '"total_assets":9007199254740993') }));
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
    const before = { ...year, fiscal_year: year.fiscal_year - 1, period: "2024", revenue: 0, employees: null };
    const service = await serving(answers({ financials: { ...financials(), data: [{ ...year, operating_result: null }, before] } }));
    show(service, <KeyStats companyId={COMPANY} />);
    await ready();
    const stat = (name: string): string => section().querySelector(`[data-figure=${name}]`)?.textContent ?? "";
    expect(stat("revenue")).not.toContain("since");
    expect(stat("operating_result")).toBe("Operating result—unknown");
    expect(stat("margin")).toContain("unknown");
    expect(stat("equity")).toContain("0% since 2024");
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
    const service = await serving(answers({ financials: { ...financials(), ...none }, ownership: { ...ownership(), ...none }, events: body }));
    const Component = ALL[name];
    show(service, <Component companyId={COMPANY} />);
    await ready();
    expect(section().textContent).toContain(words);
  });
});

describe("a table of figures", () => {
  test("has each period of the answer under its name, and says which figures were asked for", async () => {
    const service = await serving(answers());
    show(service, <FinancialsTable companyId={COMPANY} years={3} periodType="quarterly" consolidated={false} />);
    await ready();
    expect(service.paths[0]).toContain("period_type=quarterly&years=3&consolidated=false");
    const table = within(section()).getByRole("table", { name: /Financials of EKSEMPEL ASA/ });
    const heads = within(table).getAllByRole("columnheader").map((head) => head.textContent);
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
    expect(Number.parseFloat(picture.querySelector(".firmdata-bar")?.getAttribute("width") ?? "")).toBeCloseTo(89.17, 1);
    expect(section().querySelectorAll("tbody tr")).toHaveLength(2);
    expect(section().textContent).toContain("10.7% of the shares has a known owner.");
  });
});
