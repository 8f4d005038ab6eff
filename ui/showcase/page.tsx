/** Every component with fixtures, in the four languages and in every state: no service, no key. */
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import {
  ChangeFeed,
  CompanyCard,
  CompanySearch,
  EventsCalendar,
  FilingList,
  FinancialsChart,
  FinancialsTable,
  FirmdataProvider,
  GroupTree,
  KeyStats,
  messagesFor,
  NewsFeed,
  OwnershipChart,
  type Fetch,
} from "../src/index.js";
import { COMPANY, fetchFixture } from "./fixtures.js";

const LOCALES = [
  ["en", "English"],
  ["sv", "Svenska"],
  ["nb", "Norsk"],
  ["fi", "Suomi"],
] as const;

const asked = new URLSearchParams(location.search);
const locale = asked.get("locale") ?? "en";
const state = asked.get("state") ?? "ready";
document.documentElement.lang = locale;

function answerEmpty(): Promise<Response> {
  const list = { data: [], next_cursor: null, has_more: false };
  const group = { ultimate_parents: [], parents: [], has_more_parents: false, children: list, is_complete: true };
  const head = { company_id: COMPANY, id: COMPANY, org_number: "999999999", name: "EKSEMPEL AS", country: "NO" };
  const profile = { ...head, status: "active", is_listed: false, latest_revenue: null, latest_year: null };
  const owners = { as_of: "2026-11-18", known_pct: null };
  return Promise.resolve(new Response(JSON.stringify({ ...profile, ...owners, ...group, ...list })));
}

/** The states that a component may be in, by what the service does. */
const STATES: Readonly<Record<string, Fetch>> = {
  ready: fetchFixture,
  loading: () => new Promise<Response>(() => undefined),
  empty: answerEmpty,
  failed: () => Promise.reject(new TypeError("no service")),
};

const given = { companyId: COMPANY } as const;

function Showcase(): ReactNode {
  return (
    <>
      <header>
        <h1>Firmdata components</h1>
        <nav aria-label="Languages">
          {LOCALES.map(([tag, name]) => (
            <a key={tag} href={`?locale=${tag}&state=${state}`} lang={tag} aria-current={tag === locale ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <nav aria-label="States">
          {Object.keys(STATES).map((name) => (
            <a key={name} href={`?locale=${locale}&state=${name}`} aria-current={name === state ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <FirmdataProvider
          fetch={STATES[state] ?? fetchFixture}
          baseUrl="https://api.example.com"
          locale={locale}
          messages={messagesFor(locale)}
        >
          <CompanySearch className="gallery-wide" />
          <CompanyCard {...given} hasSources className="gallery-wide" />
          <KeyStats {...given} className="gallery-wide" />
          <FinancialsChart {...given} className="gallery-wide" />
          <FinancialsTable {...given} className="gallery-wide" years={6} />
          <OwnershipChart {...given} />
          <GroupTree {...given} />
          <FilingList {...given} />
          <NewsFeed {...given} />
          <ChangeFeed {...given} refreshSeconds={null} />
          <EventsCalendar {...given} />
        </FirmdataProvider>
      </main>
    </>
  );
}

const page = document.getElementById("page");
if (page === null) throw new Error("the page has no element #page");
createRoot(page).render(<Showcase />);
