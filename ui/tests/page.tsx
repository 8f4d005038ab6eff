/**
 * What tests of components share: a page with a provider, answers of the contract's examples, what is found
 * on the page.
 */
import { cleanup, configure, render, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect } from "vitest";
import * as components from "../src/index.js";
import type { EventPage } from "../src/model.js";
import { company, eventPage, events, filings, financials, group, ownership } from "./examples.js";
import { KEY, type Reply, type Service } from "./service.js";
import { ALL, NAMES } from "./shown.js";

export { ALL, NAMES, type Name } from "./shown.js";

export const COMPANY = "5599999991";

export const { FirmdataProvider } = components;
// Ten components at once, on a machine that does other things besides.
configure({ asyncUtilTimeout: 8_000 });
afterEach(cleanup);

export const eventOfEachType = (): EventPage => ({ ...eventPage(), data: events() });

export interface Given {
  readonly profile?: unknown;
  readonly financials?: unknown;
  readonly ownership?: unknown;
  readonly events?: unknown;
  readonly group?: unknown;
  readonly filings?: unknown;
}

/** Answers by the last part of the path; what is given takes the example's place. */
export function answers(given: Given = {}): (url: URL) => Reply {
  return (url) => {
    const below = url.pathname.split("/")[5];
    if (below === "financials") return { body: given.financials ?? financials() };
    if (below === "ownership") return { body: given.ownership ?? ownership() };
    if (below === "group") return { body: given.group ?? group() };
    if (below === "filings") return { body: given.filings ?? filings() };
    if (below === "events") return { body: given.events ?? eventOfEachType() };
    return { body: given.profile ?? company() };
  };
}

export function show(service: Service, children: ReactNode): ReturnType<typeof render> {
  return render(
    <FirmdataProvider baseUrl={service.base} publishableKey={KEY}>
      {children}
    </FirmdataProvider>,
  );
}

/** Every component at once. */
export const everything = (): ReactNode =>
  NAMES.map((name) => {
    const Component = ALL[name];
    return <Component key={name} companyId={COMPANY} />;
  });

export const ready = (): Promise<void> =>
  waitFor(() => {
    for (const section of document.querySelectorAll("section"))
      expect(section.dataset["state"]).toBe("ready");
  });

/** Exact values of all that a selector finds; null where there is none. */
export const exact = (root: Element, selector: string): (string | null)[] =>
  [...root.querySelectorAll(selector)].map((one) => one.querySelector("data")?.getAttribute("value") ?? null);

export const section = (): HTMLElement => {
  const found = document.querySelector("section");
  if (found === null) throw new Error("nothing is rendered");
  return found;
};
