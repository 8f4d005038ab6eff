/**
 * All components on one page, on the data of a running service.
 *
 * What is shown stands in the address, as `?base=…&key=firm_public_…&company=…`, so that a page can be sent
 * to someone: a publishable key is no secret.
 */
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
} from "../src/index.js";

interface Field {
  readonly name: "base" | "key" | "company" | "locale";
  readonly label: string;
  readonly usual: string;
}

const FIELDS: readonly Field[] = [
  { name: "base", label: "Service", usual: "http://127.0.0.1:8000" },
  { name: "key", label: "Publishable key", usual: "" },
  { name: "company", label: "Company", usual: "" },
  { name: "locale", label: "Locale", usual: "en" },
];

const given = new URLSearchParams(location.search);
const [base, key, company, locale] = FIELDS.map(({ name, usual }) => given.get(name) ?? usual) as [
  string,
  string,
  string,
  string,
];

/** The gallery on another company. */
function addressOf(companyId: string): string {
  return `?${new URLSearchParams({ base, key, company: companyId, locale }).toString()}`;
}

function Chosen(): ReactNode {
  return (
    <form className="gallery-form">
      {FIELDS.map(({ name, label, usual }) => (
        <label key={name}>
          {label}
          <input name={name} defaultValue={given.get(name) ?? usual} spellCheck={false} autoComplete="off" />
        </label>
      ))}
      <button>Show</button>
    </form>
  );
}

function Invitation(): ReactNode {
  return (
    <p>
      Give a publishable key that is bound to <code>{location.origin}</code>, and a company by its number or id.
    </p>
  );
}

function All(): ReactNode {
  return (
    <FirmdataProvider
      baseUrl={base}
      publishableKey={key}
      locale={locale}
      messages={messagesFor(locale)}
      hrefOf={addressOf}
    >
      <main>
        <CompanySearch className="gallery-wide" />
        <CompanyCard companyId={company} className="gallery-wide" hasSources />
        <KeyStats companyId={company} className="gallery-wide" />
        <FinancialsChart companyId={company} className="gallery-wide" />
        <FinancialsTable companyId={company} years={5} className="gallery-wide" />
        <OwnershipChart companyId={company} className="gallery-wide" />
        <GroupTree companyId={company} />
        <FilingList companyId={company} />
        <EventsCalendar companyId={company} />
        <NewsFeed companyId={company} />
        <ChangeFeed
          companyId={company}
          eventTypes={["filing.added", "ownership.changed", "status.changed"]}
        />
      </main>
    </FirmdataProvider>
  );
}

const page = document.getElementById("page");
if (page === null) throw new Error("the page has no element #page");
createRoot(page).render(
  <>
    <header>
      <h1>Firmdata components</h1>
      <Chosen />
    </header>
    {key === "" || company === "" ? <Invitation /> : <All />}
  </>,
);
