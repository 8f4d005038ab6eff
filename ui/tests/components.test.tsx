// @vitest-environment happy-dom
/** What holds of every component on a page, against a service that answers with the contract's examples. */
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import { StrictMode, type ReactNode } from "react";
import { describe, expect, test, vi } from "vitest";
import * as components from "../src/index.js";
import { CompanyCard } from "../src/index.js";
import { wordFor } from "../src/messages.js";
import type { Company, Ownership } from "../src/model.js";
import { company, events, financials, ownership, problem } from "./examples.js";
import {
  ALL,
  answers,
  COMPANY,
  everything,
  FirmdataProvider,
  NAMES,
  ready,
  section,
  show,
  eventOfEachType,
} from "./page.js";
import { held, KEY, refusal, serving } from "./service.js";

const HOOKS = ["Company", "Events", "Filings", "Financials", "Group", "Ownership", "Suggestions"];
const LANGUAGES = ["ENGLISH", "FINNISH", "NORWEGIAN", "SWEDISH", "messagesFor"];

test("the package has its components, hooks and languages, and nothing else", () => {
  const hooks = HOOKS.map((name) => `use${name}`);
  const all = [...NAMES, "CompanySearch", ...hooks, ...LANGUAGES, "FirmdataProvider"];
  expect(Object.keys(components).sort()).toEqual(all.sort());
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
      expect(alert.textContent).toContain(wordFor(components.ENGLISH.failures, code)?.split("{")[0]);
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
        ? {
            ...event,
            data: { ...event.data, news: { ...event.data.news, title: name, url: "javascript:boom()" } },
          }
        : event,
    );
    const hostile: Company = { ...company(), name, website: "javascript:boom()" };
    const owners: Ownership = {
      ...ownership(),
      name,
      data: ownership().data.map((owner) => ({ ...owner, holder_name: name })),
    };
    const service = await serving(
      answers({
        profile: hostile,
        financials: { ...financials(), name },
        ownership: owners,
        events: { ...eventOfEachType(), data: news },
      }),
    );
    show(service, everything());
    await ready();
    expect(document.querySelectorAll("img, script")).toHaveLength(0);
    expect(
      [...document.querySelectorAll("a")]
        .map((link) => link.protocol)
        .filter((one) => !/^https?:$/.test(one)),
    ).toEqual([]);
    expect(document.body.textContent).toContain(name);
  });

  test.each([
    ["is known by nothing", NAMES.length, { id: 1, name: {}, status: {} }, [null, {}]],
    [
      "lacks what is drawn",
      NAMES.length - 1, // key figures take what is absent for unknown
      { id: "firm:NO:999999999", name: "X", status: "active", country: {} },
      [
        {
          period: "2025",
          period_end: "2025-12-31",
          holder_id: "own_1",
          via: "firm:NO:999999999",
          filing_id: "fil_1",
          filing_type: "annual_report",
          event_id: "evt_1",
          occurred_at: "never",
        },
      ],
    ],
  ])("an answer that %s breaks no page, and the next one is shown", async (_, broken, profile, data) => {
    let isSound = false;
    const sound = answers();
    const group = {
      company_id: "firm:NO:999999999",
      name: "X",
      parents: data,
      ultimate_parents: [],
      children: { data },
    };
    const lists = { financials: { data }, ownership: { data }, events: { data }, filings: { data } };
    const spoilt = answers({ profile, group, ...lists });
    const service = await serving((url) => (isSound ? sound(url) : spoilt(url)));
    show(service, everything());
    await waitFor(() => expect(document.querySelectorAll('[data-state="loading"]')).toHaveLength(0));
    const codes = screen.getAllByRole("alert").map((alert) => alert.dataset["code"]);
    expect(codes).toEqual(Array(broken).fill("unreadable_answer"));
    expect(document.querySelectorAll("section")).toHaveLength(NAMES.length);
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
    show(service, <StrictMode>{everything()}</StrictMode>);
    await ready();
    expect(document.querySelectorAll("section")).toHaveLength(NAMES.length);
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
    const service = await serving((url) =>
      url.pathname.includes("999999999") ? { body: company() } : { after: gate.promise },
    );
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
