/**
 * The scripts of the dashboard's company pages: the search field, the components of a company, buttons that copy.
 *
 * For who is signed in requests go to the dashboard's own paths by the session, so no key stands in a page; public
 * pages have a publishable one. Built into api/dashboard/bundle by scripts/bundle.mjs.
 */
import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import {
  ChangeFeed,
  CompanyCard,
  CompanySearch,
  FilingList,
  FinancialsChart,
  FinancialsTable,
  FirmdataProvider,
  GroupTree,
  NewsFeed,
  OwnershipChart,
} from "../src/index.js";

const SIGNED_OUT = 401;
const LOCALE = "en-GB"; // days as the rest of the pages writes them: 3 Nov 2026

/** The shared settings of a page whose service is below `root`; `day`: a past one, empty for today. */
function Dashboard({ root, day, children }: { root: string; day: string; children: ReactNode }): ReactNode {
  const past = day === "" ? "" : `?as_of=${day}`;
  return (
    <FirmdataProvider
      baseUrl={`${root}/dashboard`}
      locale={LOCALE}
      fetch={async (address, init) => {
        const answer = await fetch(address, { ...init, credentials: "same-origin" });
        if (answer.status === SIGNED_OUT) location.assign(`${root}/dashboard/sign-in`);
        return answer;
      }}
      hrefOf={(companyId) => `${root}/dashboard/companies/${encodeURIComponent(companyId)}${past}`}
      asOf={day === "" ? undefined : day}
    >
      {children}
    </FirmdataProvider>
  );
}

/** The same for a page of everybody, read with the publishable key that stands in it. */
function Public({ root, day, publishableKey, children }: PublicProps): ReactNode {
  const past = day === "" ? "" : `?as_of=${day}`;
  return (
    <FirmdataProvider
      baseUrl={root}
      locale={LOCALE}
      publishableKey={publishableKey}
      hrefOf={(companyId) => `${root}/companies/${encodeURIComponent(companyId)}${past}`}
      asOf={day === "" ? undefined : day}
    >
      {children}
    </FirmdataProvider>
  );
}

interface PublicProps {
  readonly root: string;
  readonly day: string;
  readonly publishableKey: string;
  readonly children: ReactNode;
}

function Page({ given, children }: { readonly given: DOMStringMap; readonly children: ReactNode }): ReactNode {
  const { root = "", day = "", key = "" } = given;
  if (key === "") return <Dashboard {...{ root, day }}>{children}</Dashboard>;
  return (
    <Public {...{ root, day }} publishableKey={key}>
      {children}
    </Public>
  );
}

function Company({ companyId, isPast }: { companyId: string; isPast: boolean }): ReactNode {
  const given = { companyId };
  return (
    <>
      <CompanyCard {...given} hasSources notation="standard" className="wide" />
      <FinancialsChart {...given} className="wide" notation="standard" />
      <FinancialsTable {...given} className="wide" />
      <OwnershipChart {...given} />
      <GroupTree {...given} />
      <ChangeFeed {...given} limit={10} refreshSeconds={isPast ? null : 60} />
      <NewsFeed {...given} limit={5} />
      <FilingList {...given} limit={10} />
    </>
  );
}

function drawn(id: string, draw: (given: DOMStringMap) => ReactNode): void {
  const place = document.getElementById(id);
  if (place !== null) createRoot(place).render(draw(place.dataset));
}

drawn("company", (given) => (
  <Page given={given}>
    <Company companyId={given["company"] ?? ""} isPast={(given["day"] ?? "") !== ""} />
  </Page>
));

drawn("company-search", (given) => (
  <Page given={given}>
    <CompanySearch name="q" defaultValue={given["text"]} />
  </Page>
));

/** Buttons that copy a text, beside it: without a script it can be marked and copied by hand. */
for (const text of document.querySelectorAll<HTMLElement>("[data-copy]")) {
  const button = document.createElement("button");
  const name = `Copy ${text.dataset["copy"] ?? ""}`;
  button.type = "button";
  button.className = "plain copy";
  button.textContent = name;
  const told = document.createElement("span");
  told.setAttribute("role", "status");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(text.textContent ?? "").then(
      () => (told.textContent = " Copied."),
      () => (told.textContent = " The browser did not allow it: mark the text and copy it."),
    );
  });
  text.after(button, told);
}
